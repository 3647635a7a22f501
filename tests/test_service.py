"""The service: an app's functions with their lifespan, hooks and registrations."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Never

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionFunctionNotFoundException,
    MetadataXmlError,
    SettingsError,
)
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppFunctionState,
    AppMetadata,
    FunctionsModule,
    MetadataChanged,
    StatesChanged,
)
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.service import AppFunctionService, load_service
from appfunctions_mcp.state import InMemoryStateStore, JsonFileStateStore
from appfunctions_mcp.testing import connect
from tests.support.calls import make_service, returned
from tests.support.metadata_files import write_metadata

pytestmark = pytest.mark.anyio

MODULE = "tests.support.field_functions"


def add(a: int) -> int:
    """Adds."""
    return a


def described(name: str) -> AppFunctionMetadata:
    return AppFunctionMetadata(f"remote#{name}", name, description="Is far away.")


async def execute(service: AppFunctionService, name: str, **parameters: Any) -> Any:
    return (await service.manager.execute(ExecuteAppFunctionRequest(name, parameters))).value


async def test_functions_come_and_go_at_run_time() -> None:
    """Android's registerAppFunction."""
    service = make_service(add)
    events: list[object] = []
    service.manager.add_listener(events.append)
    async with connect(service) as client:
        registration = service.register(
            described("far"), lambda _arguments, context: context.caller.name
        )
        assert registration.function_ids == {"remote#far"}
        assert [tool.name for tool in (await client.list_tools()).tools] == ["add", "far"]
        assert returned(await client.call_tool("far")) == "local"
        registration.unregister()
        assert [tool.name for tool in (await client.list_tools()).tools] == ["add"]
    ids = frozenset({"remote#far"})
    assert events == [MetadataChanged(ids), StatesChanged(ids)] * 2
    with pytest.raises(AppFunctionFunctionNotFoundException):
        await execute(service, "far")


async def test_a_registration_ends_once_and_takes_nothing_of_others_away() -> None:
    service = make_service(add)
    first = service.register(described("far"), lambda _arguments, _context: None)
    first.unregister()
    service.register(described("far"), lambda _arguments, _context: "second")
    first.unregister()
    assert await execute(service, "far") == "second"


@pytest.mark.parametrize("failure", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
async def test_a_hook_that_crashes_is_a_crash_as_a_function_s_is(
    failure: type[BaseException],
) -> None:
    async def refuse(_request: ExecuteAppFunctionRequest, _proceed: object) -> Never:
        raise failure("secret")

    service = make_service(add)
    service.around(refuse)
    with pytest.raises(AppFunctionAppUnknownException) as crashed:
        await execute(service, "add", a=1)
    assert "secret" not in crashed.value.text()
    assert isinstance(crashed.value.__cause__, failure)


async def test_a_batch_is_registered_whole_or_not_at_all() -> None:
    """Android's registerAppFunctions."""
    service = make_service(add)
    batch = [(described(name), lambda _arguments, _context: None) for name in ("one", "two")]
    with pytest.raises(AppFunctionDeclarationError, match="'add' is taken"):
        service.register_all([*batch, (described("add"), lambda _arguments, _context: None)])
    assert len(service.registry) == 1
    assert service.register_all(batch).function_ids == {"remote#one", "remote#two"}
    with pytest.raises(ValueError, match="the batch is empty"):
        service.register_all([])


async def test_an_awaitable_call_of_a_registered_function_is_awaited() -> None:
    service = make_service(add)

    async def call(arguments: dict[str, Any], context: AppFunctionContext) -> dict[str, Any]:
        return {"got": arguments}

    service.register(described("far"), call)
    assert await execute(service, "far") == {"got": {}}


@pytest.mark.parametrize("takes", ["nothing", "settings"])
async def test_the_lifespan_is_open_while_the_service_runs(takes: str) -> None:
    steps: list[str] = []

    @contextlib.asynccontextmanager
    async def plain() -> AsyncIterator[str]:
        steps.append("opened")
        yield "database"
        steps.append("closed")

    @contextlib.asynccontextmanager
    async def with_settings(settings: Mapping[str, Any]) -> AsyncIterator[str]:
        async with plain():
            yield settings["NAME"]

    def read(context: AppFunctionContext) -> str:
        """Reads."""
        return f"{context.lifespan} {context.settings['NAME']}"

    lifespan = plain if takes == "nothing" else with_settings
    service = make_service(read, lifespan=lifespan, settings={"NAME": "notes"})
    async with service.running() as same, service.running():
        assert same is service
        opened = "database" if takes == "nothing" else "notes"
        assert await execute(service, "read") == f"{opened} notes"
        assert steps == ["opened"]
    assert steps == ["opened", "closed"]
    assert await execute(service, "read") == "None notes"
    async with service.running():
        assert steps == ["opened", "closed", "opened"]


async def test_a_lifespan_that_cannot_be_opened_leaves_nothing_open(tmp_path: Path) -> None:
    @contextlib.asynccontextmanager
    async def broken() -> AsyncIterator[None]:
        raise OSError("no disk")
        yield

    store = JsonFileStateStore(tmp_path / "state.json")
    service = make_service(add, lifespan=broken, store=store)
    for _ in range(2):
        with pytest.raises(AppFunctionDeclarationError, match="no disk"):
            async with service.running():
                raise AssertionError("it is not running")


async def test_hooks_are_added_before_the_service_runs() -> None:
    service = make_service(add)

    async def hook(request: ExecuteAppFunctionRequest, proceed: Any) -> Any:
        return await proceed(request)

    async with service.running():
        with pytest.raises(RuntimeError, match="before"):
            service.around(hook)
    service.around(hook)
    assert await execute(service, "add", a=1) == 1


def test_a_name_that_a_client_would_hide_is_warned_of() -> None:
    """F14: Cursor hides what has more than 60 characters with the server's name."""

    def create_research_repository() -> None:
        """Creates."""

    name = "git-repo-research-mcp-server-of-ours"
    service = make_service(create_research_repository, name=name)
    (warning,) = [w for w in service.warnings if "60" in w]
    assert "create_research_repository" in warning
    assert name in warning
    assert "63 characters" in warning


def test_every_fault_of_every_function_comes_in_one_report() -> None:
    def starred(*a: int) -> None: ...

    def untold(limit: int = 10) -> None: ...

    with pytest.raises(AppFunctionDeclarationError) as caught:
        make_service(starred, add, untold)
    assert len(caught.value.faults) == 2


def test_a_metadata_file_is_loaded_with_its_modules(tmp_path: Path) -> None:
    store = InMemoryStateStore({f"{MODULE}#wipe": AppFunctionState.ENABLED})
    service = load_service(write_metadata(tmp_path), modules=[f"{MODULE}:my"], store=store)
    assert service.metadata.description == "Keeps lists."
    names = [m.tool_name for m in service.manager.listed()]
    assert "my_wipe" in names
    assert all(name.startswith("my_") for name in names)


def test_a_metadata_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MetadataXmlError):
        load_service(tmp_path / "app_metadata.xml")


def test_metadata_without_a_module_says_how_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(AppFunctionDeclarationError, match="--module NAME"):
        load_service(write_metadata(tmp_path))


def test_only_what_a_glob_names_is_served(tmp_path: Path) -> None:
    """F94."""
    metadata = AppMetadata("app", "D.", modules=(FunctionsModule(MODULE),))
    service = AppFunctionService.from_metadata(metadata, only=["e*", "*#wipe"])
    assert [f.metadata.tool_name for f in service.registry] == ["echo", "wipe"]
    service = AppFunctionService.from_metadata(metadata, only=["echo", "nothing*"])
    assert [w for w in service.warnings if "matches no function" in w and "nothing*" in w]


SETTINGS = (
    '<mcp:setting name="CASE_TOKEN" required="true" sensitive="true" />\n'
    '<mcp:setting name="CASE_COUNT" type="number" required="true" />\n'
    f'<mcp:functions module="{MODULE}" />\n'
)


def test_settings_come_from_the_environment_and_all_missing_ones_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_metadata(tmp_path, content=SETTINGS)
    with pytest.raises(SettingsError) as caught:
        load_service(file)
    assert "CASE_TOKEN" in str(caught.value)
    assert "CASE_COUNT" in str(caught.value)
    monkeypatch.setenv("CASE_TOKEN", "t")
    monkeypatch.setenv("CASE_COUNT", "5")
    assert load_service(file).manager.executor.settings == {"CASE_TOKEN": "t", "CASE_COUNT": 5}


@pytest.mark.parametrize("target", ["nothing_there", "FUNCTIONS"])
def test_a_lifespan_that_is_none_names_its_line(target: str, tmp_path: Path) -> None:
    content = (
        f'<mcp:functions module="{MODULE}" />\n'
        f'<mcp:lifespan target="tests.support.served_functions:{target}" />\n'
    )
    file = write_metadata(tmp_path, content=content)
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load_service(file)
    assert str(caught.value).startswith(f"{file}:7: ")
    assert repr(target) in str(caught.value)


async def test_what_docstrings_lack_is_told_while_the_service_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def undescribed() -> None: ...

    service = make_service(undescribed, name="n" * 61)
    service.tell_warnings()
    told = capsys.readouterr().err
    assert "hide a tool" in told
    assert "no description" not in told
    async with service.running():
        pass
    assert "no description" in capsys.readouterr().err
    async with service.running():
        pass
    assert "no description" not in capsys.readouterr().err
