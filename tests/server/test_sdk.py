"""The SDK's own client against our engines, and the SDK's server in memory."""

import os
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from appfunctions_mcp.server.sdk import build_server
from tests.support.served_functions import served_functions
from tests.support.stdio_server import PROJECT

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
async def test_the_sdks_own_client_is_served_over_stdio(mode: str, engine: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.support.served_functions", "stdio"],
        cwd=str(PROJECT),
        env={**os.environ, "APPFUNCTIONS_ENGINE": engine},
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        await use(client)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
async def test_the_sdks_own_client_is_served_in_memory(mode: str) -> None:
    async with Client(build_server(served_functions()), mode=mode) as client:
        await use(client)


async def use(client: Client) -> None:
    """What every client does."""
    tools = await client.list_tools()
    assert "add" in [t.name for t in tools.tools]
    result = await client.call_tool("add", {"a": 1, "b": 2})
    assert result.structured_content == {"result": 3}
    failed = await client.call_tool("find_note", {"note_id": "x"})
    assert failed.is_error
    reports: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    await client.call_tool("count", {"steps": 3}, progress_callback=on_progress)
    assert reports == [0, 1, 2]


async def test_a_fault_of_the_server_itself_is_a_result_with_an_error_id(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = served_functions()

    async def fail(_request: object) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(service.manager, "execute", fail)
    async with Client(build_server(service)) as client:
        result = await client.call_tool("add", {"a": 1, "b": 2})
    assert result.is_error
    assert result.meta is not None
    record = result.meta["appfunctions/error"]
    assert record["code"] == 2000
    assert "secret" not in result.model_dump_json()
    assert record["error_id"] in caplog.text
    assert "secret" in caplog.text
