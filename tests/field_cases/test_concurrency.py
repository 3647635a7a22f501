"""Field cases about calls at the same time: threads, cancellation, progress, time limits."""

import asyncio
import contextvars
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import AppFunctionElementNotFoundException
from appfunctions_mcp.metadata import ExecutionLimits
from appfunctions_mcp.testing import connect
from tests.support.calls import make_service, refusal, returned
from tests.support.field_functions import serve_field_functions
from tests.support.stdio_server import StdioServer


@pytest.fixture
def server(engine: str, tmp_path: Path) -> Iterator[StdioServer]:
    """A server with the handshake made."""
    with serve_field_functions(tmp_path) as running:
        running.initialize()
        yield running


def call_message(request_id: object, name: str, token: object = None, **arguments: Any) -> Any:
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def test_plain_functions_run_side_by_side_and_pings_are_answered(server: StdioServer) -> None:
    """F55: the second call passed the host's limit of 60 s."""
    assert server.call("slow", {"seconds": 0})["result"]["isError"] is False
    started = time.monotonic()
    server.send(*(call_message(n, "slow", seconds=1) for n in (1, 2, 3)))
    pinged = time.monotonic()
    assert server.request("ping")["result"] == {}
    assert time.monotonic() - pinged < 0.5
    assert sorted(server.read()["id"] for _ in range(3)) == [1, 2, 3]
    assert time.monotonic() - started < 1.8


VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="unset")


@pytest.mark.anyio
async def test_a_context_variable_of_the_server_is_seen_in_the_thread() -> None:
    """F55."""

    def read() -> str:
        return VARIABLE.get()

    async def set_variable(request: Any, proceed: Any) -> Any:
        VARIABLE.set("set")
        return await proceed(request)

    service = make_service(read)
    service.around(set_variable)
    async with connect(service) as client:
        assert returned(await client.call_tool("read")) == "set"


@pytest.mark.anyio
async def test_a_function_that_needs_one_thread_has_the_loops() -> None:
    """F56: CoInitialize has not been called."""

    @app_function(thread="main")
    def on_main() -> int:
        return threading.get_ident()

    def in_worker() -> int:
        return threading.get_ident()

    async with connect(make_service(on_main, in_worker)) as client:
        calls = [await client.call_tool(n) for n in ("on_main", "on_main", "in_worker")]
    first, second, worker = (int(returned(c)) for c in calls)
    assert first == second == threading.get_ident()
    assert worker != first


def test_a_cancelled_call_is_ended_and_never_answered(server: StdioServer, tmp_path: Path) -> None:
    """F57: the rule here is the protocol's, no response to a cancelled request."""
    marker = tmp_path / "marker"
    server.send(call_message(7, "wait", token="t", marker=str(marker)))
    assert server.read()["method"] == "notifications/progress"
    for request_id in ("7", 7.0, None, 99, [7]):
        server.notify("notifications/cancelled", {"requestId": request_id})
    assert server.request("ping")["result"] == {}
    assert not marker.exists()
    cancelled = time.monotonic()
    for _ in range(2):
        server.notify("notifications/cancelled", {"requestId": 7, "reason": "user"})
    while not marker.exists():
        assert time.monotonic() - cancelled < 1
        assert server.request("ping")["result"] == {}
    server.notify("notifications/cancelled", {"requestId": 7})
    server.close_input()
    assert server.wait() == 0
    assert server.rest() == []


def test_a_plain_function_sees_that_it_is_cancelled(server: StdioServer, tmp_path: Path) -> None:
    """F57."""
    marker = tmp_path / "marker"
    server.send(call_message(7, "wait_in_thread", token=1, marker=str(marker)))
    assert server.read()["method"] == "notifications/progress"
    server.notify("notifications/cancelled", {"requestId": 7})
    cancelled = time.monotonic()
    while not (marker.exists() and marker.read_text()):
        assert time.monotonic() - cancelled < 2
        assert server.request("ping")["result"] == {}
    assert marker.read_text() == "cancelled"


@pytest.mark.usefixtures("engine")
def test_the_handshake_cannot_be_cancelled(tmp_path: Path) -> None:
    """F57."""
    with serve_field_functions(tmp_path) as server:
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        server.send(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        )
        assert server.answer(1)["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("token", [0, "", 5, "t-1"])
def test_progress_has_the_token_of_the_call_and_rises(token: object, server: StdioServer) -> None:
    """F58."""
    server.send(call_message(1, "count", token=token, steps=3))
    assert server.answer(1)["result"]["structuredContent"] == {"result": 3}
    reports = [n["params"] for n in server.notifications]
    assert all(n["method"] == "notifications/progress" for n in server.notifications)
    assert [(type(r["progressToken"]), r["progressToken"]) for r in reports] == [
        (type(token), token)
    ] * len(reports)
    steps = [r["progress"] for r in reports]
    assert steps[-1] == 3
    assert steps == sorted(set(steps))
    assert server.request("ping")["result"] == {}
    assert len(server.notifications) == len(reports), "none after the result"


def test_without_a_token_there_is_no_progress(server: StdioServer) -> None:
    """F58."""
    server.send(call_message(1, "count", steps=3))
    assert server.answer(1)["result"]["structuredContent"] == {"result": 3}
    server.close_input()
    assert server.wait() == 0
    assert server.rest() == []
    assert server.notifications == []


@pytest.mark.anyio
async def test_each_of_several_calls_has_its_own_outcome() -> None:
    """F59: a name that does not exist raised KeyError out of the batch."""

    def works(n: int) -> int:
        return n

    async def works_too(n: int) -> int:
        return n

    def fails() -> None:
        raise AppFunctionElementNotFoundException("not there")

    async with connect(make_service(works, works_too, fails)) as client:
        results = await asyncio.gather(
            client.call_tool("works", {"n": 1}),
            client.call_tool("fails"),
            client.call_tool("invented"),
            client.call_tool("works_too", {"n": 2}),
            return_exceptions=True,
        )
    first, second, third, fourth = results
    assert not isinstance(first, BaseException)
    assert not isinstance(second, BaseException)
    assert not isinstance(fourth, BaseException)
    assert (returned(first), returned(fourth)) == (1, 2)
    assert refusal(second) == "AppFunctionElementNotFoundException: not there"
    assert isinstance(third, MCPError)
    assert third.error.code == -32602


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_no_more_calls_run_at_once_than_the_limit_allows(kind: str) -> None:
    """F59."""
    running, most, lock = 0, 0, threading.Lock()

    def enter(step: int) -> None:
        nonlocal running, most
        with lock:
            running += step
            most = max(most, running)

    def plain(n: int) -> int:
        enter(1)
        time.sleep(0.002)
        enter(-1)
        return n

    async def awaited(n: int) -> int:
        enter(1)
        await asyncio.sleep(0.002)
        enter(-1)
        return n

    name = "plain" if kind == "plain" else "awaited"
    service = make_service(plain, awaited, limits=ExecutionLimits(max_concurrent=4))
    async with connect(service) as client:
        calls = (client.call_tool(name, {"n": n}) for n in range(100))
        results = await asyncio.gather(*calls)
    assert [returned(r) for r in results] == list(range(100))
    assert most == 4


def test_a_stuck_call_is_answered_at_its_limit_and_the_server_goes_on(server: StdioServer) -> None:
    """F60: the clean-up waited on the same stuck pipe."""
    assert server.call("echo", {"t": "warm"})["result"]["isError"] is False
    started = time.monotonic()
    result = server.call("stuck")["result"]
    assert time.monotonic() - started < 1.5
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert text.startswith("AppFunctionCancelledException: timed out after 1 s")
    assert result["_meta"]["appfunctions/error"]["code"] == 2001
    assert server.call("slow", {"seconds": 0})["result"]["isError"] is False
    server.close_input()
    assert server.wait() == 0
    assert server.rest() == [], "the late value is dropped"


@pytest.mark.anyio
async def test_an_async_body_past_its_deadline_is_cancelled() -> None:
    """F60."""
    ended = asyncio.Event()

    @app_function(timeout_seconds=0.05)
    async def wait(context: AppFunctionContext) -> str:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return "late"

    async with connect(make_service(wait)) as client:
        text = refusal(await client.call_tool("wait"))
        assert text.startswith("AppFunctionCancelledException: timed out after 0.05 s")
        assert ended.is_set()
