"""What a metadata file can do, and what it cannot."""

import sys
from pathlib import Path

import pytest

from appfunctions_mcp import (
    AppFunctionCaller,
    AppFunctionDeniedException,
    ExecuteAppFunctionRequest,
    MetadataXmlError,
    load_service,
)
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.server import wire
from tests.support.metadata_files import write_metadata

MODULE = '''
from pathlib import Path
from appfunctions_mcp import app_function

Path(__file__).with_name("it_ran").touch()


@app_function(access="admin")
def wipe() -> str:
    """Wipes everything."""
    return "wiped"
'''


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A module of a name of its own, which leaves a mark when it is imported."""
    name = f"trusted_{request.node.originalname}"[:60]
    (tmp_path / f"{name}.py").write_text(MODULE, "utf-8")
    return name


def test_serving_a_file_runs_the_modules_that_it_names(tmp_path: Path, module: str) -> None:
    load_service(write_metadata(tmp_path, content=f'<mcp:functions module="{module}"/>'))
    assert (tmp_path / "it_ran").exists()


def test_reading_a_file_runs_nothing(tmp_path: Path, module: str) -> None:
    content = f'<mcp:functions module="{module}"/><mcp:lifespan target="{module}:open"/>'
    before, path = set(sys.modules), list(sys.path)
    metadata = parse_metadata(write_metadata(tmp_path, content=content))

    assert [named.module for named in metadata.modules] == [module]
    assert not (tmp_path / "it_ran").exists()
    assert not any(name.startswith(module) for name in set(sys.modules) - before)
    assert sys.path == path


@pytest.mark.parametrize(
    "attribute", ["token", "tokenEnv", "http", "allowedHost", "allowAnonymous", "oauthIssuer"]
)
def test_a_file_says_nothing_of_tokens_and_addresses(attribute: str, tmp_path: Path) -> None:
    file = write_metadata(tmp_path, f'appfn:description="d" mcp:{attribute}="x"')
    with pytest.raises(MetadataXmlError, match=attribute):
        parse_metadata(file)


async def execute(file: Path, caller: AppFunctionCaller) -> object:
    service = load_service(file)
    async with service.running():
        request = ExecuteAppFunctionRequest("wipe", caller=caller)
        return (await service.manager.execute(request)).value


@pytest.mark.anyio
async def test_a_file_may_say_which_callers_a_function_is_for(tmp_path: Path, module: str) -> None:
    content = f'<mcp:functions module="{module}"/><mcp:function id="{module}#wipe" access="wiper"/>'
    file = write_metadata(tmp_path, content=content)
    with pytest.raises(AppFunctionDeniedException):
        await execute(file, AppFunctionCaller(scopes=frozenset({"admin"})))
    assert await execute(file, AppFunctionCaller(scopes=frozenset({"wiper"}))) == "wiped"


def test_a_picture_that_a_file_names_is_sent_to_every_client(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"hi")
    metadata = parse_metadata(write_metadata(tmp_path, content='<mcp:icon src="secret"/>'))
    icons = wire.server_info(metadata)["icons"]
    assert icons == [{"src": "data:image/png;base64,aGk="}]
