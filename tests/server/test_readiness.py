"""What `/readyz` says, and to whom."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from appfunctions_mcp import AppFunctionService, load_service
from appfunctions_mcp.audit import start_audit
from appfunctions_mcp.server.asgi import AppFunctionsApp, app_functions_asgi
from tests.support.asgi_client import AsgiRequest
from tests.support.http_server import Answer
from tests.support.metadata_files import write_metadata


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def ready(app: AppFunctionsApp, **headers: str | None) -> Answer:
    return await AsgiRequest(app, [b""], headers, "GET", "/readyz").run()


@pytest.mark.anyio
async def test_a_server_that_serves_is_ready() -> None:
    service = AppFunctionService.from_functions([add], name="app", description="D.", version="1.2")

    answer = await ready(app_functions_asgi(service))

    assert answer.status == 200
    assert json.loads(answer.body) == {
        "status": "ready",
        "server": "app",
        "version": "1.2",
        "skipped": {},
    }


@pytest.mark.anyio
async def test_modules_that_were_left_out_are_named(tmp_path: Path) -> None:
    (tmp_path / "good_part.py").write_text(
        "from appfunctions_mcp import app_function\n\n\n@app_function\ndef add(a: int) -> int:\n"
        "    '''Adds.'''\n    return a\n"
    )
    (tmp_path / "bad_part.py").write_text("import no_such_module_anywhere\n")
    modules = '<mcp:functions module="good_part"/><mcp:functions module="bad_part" onError="skip"/>'
    service = load_service(write_metadata(tmp_path, content=modules))

    answer = await ready(app_functions_asgi(service))

    assert answer.status == 200
    (skipped,) = json.loads(answer.body)["skipped"].items()
    assert skipped[0] == "bad_part"
    assert "no_such_module_anywhere" in skipped[1]


@pytest.mark.anyio
async def test_a_server_that_ends_is_not_ready() -> None:
    service = AppFunctionService.from_functions([add], name="app", description="D.")
    app = app_functions_asgi(service)

    app.drain()

    answer = await ready(app)
    assert (answer.status, json.loads(answer.body)["status"]) == (503, "ending")


@pytest.mark.anyio
async def test_a_server_whose_lifespan_fails_is_not_ready() -> None:
    @asynccontextmanager
    async def fail() -> AsyncIterator[None]:
        raise RuntimeError("CANARY")
        yield

    service = AppFunctionService.from_functions([add], name="app", description="D.", lifespan=fail)

    answer = await ready(app_functions_asgi(service))

    assert (answer.status, json.loads(answer.body)["status"]) == (503, "failed")
    assert b"CANARY" not in answer.body


@pytest.mark.anyio
async def test_only_who_may_use_mcp_is_told() -> None:
    service = AppFunctionService.from_functions([add], name="app", description="D.")
    app = app_functions_asgi(service, token="secret")

    refused = await ready(app)
    foreign = await ready(app, authorization="Bearer secret", host="evil.example")
    answer = await ready(app, authorization="Bearer secret")

    assert (refused.status, foreign.status, answer.status) == (401, 421, 200)
    assert b"app" not in refused.body


@pytest.mark.anyio
async def test_an_audit_log_that_fails_is_told(tmp_path: Path) -> None:
    service = AppFunctionService.from_functions([add], name="app", description="D.")
    audit = start_audit(service, tmp_path / "audit.jsonl")
    app = app_functions_asgi(service)
    assert json.loads((await ready(app)).body)["audit"] == "written"

    audit.path.unlink()
    audit.path.mkdir()
    audit.refused(401, "unauthenticated", client=None, path="/mcp")

    assert json.loads((await ready(app)).body)["audit"] == "failing"
