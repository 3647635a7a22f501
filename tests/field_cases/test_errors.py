"""Field cases about errors: what a model must learn, and what it must never see."""

import asyncio
import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionUnknownException,
)
from appfunctions_mcp.metadata import AppFunctionState
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.telemetry import configure_logging
from appfunctions_mcp.testing import connect
from tests.support.calls import (
    INVALID,
    call,
    error_record,
    make_service,
    refusal,
    refusal_of,
    returned,
    text_of,
    value_of,
)
from tests.support.field_functions import serve_field_functions
from tests.support.stdio_server import PROJECT, StdioServer

CANARY = "PASS-CANARY"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged while the test runs."""
    stream, level = io.StringIO(), logging.getLogger().level
    configure_logging("warning", json=True, stream=stream)
    yield stream
    configure_logging()
    logging.getLogger().setLevel(level)


@pytest.fixture
def server(engine: str, tmp_path: Path) -> Iterator[StdioServer]:
    """A server with the handshake made."""
    with serve_field_functions(tmp_path) as running:
        running.initialize()
        yield running


def divide(a: int, b: int) -> float:
    """Divides."""
    return a / b


@pytest.mark.anyio
async def test_what_fails_in_the_body_or_its_arguments_is_a_result_that_the_model_reads() -> None:
    """F61: -32603, so that the model never saw the reason."""
    crashed = await call(divide, {"a": 1, "b": 0})
    assert refusal(crashed).startswith("AppFunctionAppUnknownException: ")
    assert (await refusal_of(divide, {"a": 1, "b": "x"})).startswith(INVALID)
    assert await value_of(divide, {"a": 1, "b": 2}) == 0.5


@pytest.mark.anyio
async def test_an_unknown_function_is_an_error_of_the_protocol_with_the_nearest_names() -> None:
    """F61, F106."""
    async with connect(make_service(divide)) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("divid", {})
    error = caught.value.error
    assert error.code == -32602
    assert error.message.startswith("AppFunctionFunctionNotFoundException: ")
    assert "divide" in error.message
    assert isinstance(error.data, dict)
    assert error.data["code"] == 1003


def test_a_broken_request_and_an_unknown_method_are_errors_of_the_protocol(
    server: StdioServer,
) -> None:
    """F61."""
    broken: list[dict[str, Any]] = [
        {"name": "echo", "arguments": ["x"]},
        {"name": "echo", "arguments": "x"},
        {"arguments": {}},
        {"name": 5},
        {"name": "echo", "arguments": {"t": "x"}, "_meta": 5},
    ]
    for params in broken:
        assert server.request("tools/call", params)["error"]["code"] == -32602, params
    assert server.request("tools/explode")["error"]["code"] == -32601
    assert server.request("tools/list", {"cursor": "bogus"})["error"]["code"] == -32602
    assert server.call("echo", {"t": "x"})["result"]["isError"] is False


def test_a_crash_is_told_by_an_error_id_and_everything_else_stays_on_stderr(
    server: StdioServer,
) -> None:
    """F62: a password in the model's context."""
    result = server.call("connect_to_database")["result"]
    record = result["_meta"]["appfunctions/error"]
    server.close_input()
    assert server.wait() == 0
    sent = b"".join(server.raw).decode()
    for secret in (CANARY, "field_functions.py", "Traceback", "RuntimeError"):
        assert secret not in sent
    for known in (CANARY, "field_functions.py", "Traceback", record["error_id"]):
        assert known in server.stderr


@pytest.mark.usefixtures("engine")
def test_in_development_everything_is_shown(tmp_path: Path) -> None:
    """F62."""
    with serve_field_functions(tmp_path, "--debug") as server:
        server.initialize()
        text = server.call("connect_to_database")["result"]["content"][0]["text"]
    assert text.startswith("AppFunctionAppUnknownException: ")
    assert CANARY in text
    assert "Traceback" in text


def connect_to(address: str) -> None:
    raise RuntimeError(address)


@pytest.mark.anyio
async def test_the_cause_of_what_is_raised_for_the_caller_does_not_go_out(log: io.StringIO) -> None:
    """F62."""

    def save() -> None:
        try:
            connect_to(f"db://app:{CANARY}@host/x")
        except RuntimeError as fault:
            raise AppFunctionInvalidArgumentException("Title is empty") from fault

    result = await call(save)
    assert refusal(result) == f"{INVALID}Title is empty"
    assert CANARY not in result.model_dump_json()


@pytest.mark.anyio
async def test_all_faults_of_the_arguments_are_explained_at_once() -> None:
    """F63: Internal error."""

    def plan(d: date, n: int, tags: list[str]) -> None:
        """Plans."""

    text = await refusal_of(plan, {"d": "2025-13-40", "n": "many", "tags": ["a", 1]})
    assert text.startswith(INVALID)
    assert "YYYY-MM-DD" in text
    lines = text.splitlines()
    assert [any(line.startswith(f"- {name}") for line in lines) for name in ("d", "n", "tags[1]")]
    assert "2025-13-40" not in text, "the type of what came, not its value"


def test_the_same_failing_call_gets_a_note_and_is_then_refused(server: StdioServer) -> None:
    """F64: 172 identical calls. The agent's side of it is another part."""
    answers = [server.call("find_note", {"note_id": "x"})["result"] for _ in range(7)]
    texts = [answer["content"][0]["text"] for answer in answers]
    assert texts[0] == texts[1] == "AppFunctionElementNotFoundException: no note x"
    assert texts[2].startswith(f"{texts[0]}\n")
    assert "failed 3 times running" in texts[2]
    assert all(t.startswith("AppFunctionElementNotFoundException: ") for t in texts[:5])
    assert all(t.startswith("AppFunctionLimitExceededException: ") for t in texts[5:])
    other = server.call("find_note", {"note_id": "y"})["result"]["content"][0]["text"]
    assert other == "AppFunctionElementNotFoundException: no note y", "subjects do not add up"
    assert server.call("echo", {"t": "x"})["result"]["isError"] is False
    again = server.call("find_note", {"note_id": "x"})["result"]["content"][0]["text"]
    assert again == texts[0]


@pytest.mark.usefixtures("engine")
def test_the_loop_guard_can_be_turned_off(tmp_path: Path) -> None:
    """F64."""
    with serve_field_functions(tmp_path, "--no-loop-guard") as server:
        server.initialize()
        texts = {
            server.call("find_note", {"note_id": "x"})["result"]["content"][0]["text"]
            for _ in range(8)
        }
    assert texts == {"AppFunctionElementNotFoundException: no note x"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("raised", "begins"),
    [
        (TimeoutError(), "AppFunctionAppUnknownException: "),
        (AppFunctionElementNotFoundException(), "AppFunctionElementNotFoundException"),
        (AppFunctionUnknownException(4242), "AppFunctionUnknownException"),
    ],
)
async def test_the_text_of_an_error_is_never_empty(raised: Exception, begins: str) -> None:
    """F65: empty content made the next request malformed."""

    def fail() -> None:
        raise raised

    result = await call(fail)
    assert refusal(result).startswith(begins)
    assert error_record(result)["code"] in {3000, 1500, 4242}


@pytest.mark.anyio
async def test_what_is_listed_can_be_called() -> None:
    """F106: FunctionNotFound for a listed function."""

    @app_function(id="com.example.Impl#name")
    def first() -> str:
        return "first"

    @app_function(name="second-one")
    async def second() -> str:
        return "second"

    @app_function(id="other.package#third")
    def named() -> str:
        return "third"

    async with connect(make_service(first, second, named)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert [returned(await client.call_tool(n)) for n in names] == ["first", "second", "third"]


@pytest.mark.anyio
async def test_a_disabled_function_is_not_listed_and_never_runs() -> None:
    """F107."""
    runs = []

    @app_function(enabled=False)
    def wipe() -> None:
        runs.append("wiped")

    service = make_service(wipe)
    async with connect(service) as client:
        assert (await client.list_tools()).tools == []
        result = await client.call_tool("wipe")
        assert refusal(result).startswith("AppFunctionDisabledException: ")
        assert error_record(result)["code"] == 1002
        assert runs == []
        service.manager.set_enabled("wipe", AppFunctionState.ENABLED)
        assert [tool.name for tool in (await client.list_tools()).tools] == ["wipe"]
        assert returned(await client.call_tool("wipe")) is None
    assert runs == ["wiped"]


@pytest.mark.usefixtures("engine")
def test_enabling_it_in_another_process_is_announced(tmp_path: Path) -> None:
    """F107."""
    state = tmp_path / "state.json"
    with serve_field_functions(tmp_path, "--state-file", str(state)) as server:
        server.initialize()
        assert "wipe" not in [t["name"] for t in server.request("tools/list")["result"]["tools"]]
        words = ["set-enabled", str(tmp_path / "app_metadata.xml"), "wipe", "enable"]
        subprocess.run(
            [sys.executable, "-m", "appfunctions_mcp", *words, "--state-file", str(state)],
            check=True,
            cwd=PROJECT,
            stdout=subprocess.DEVNULL,
        )
        assert server.read() == {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
        }
        assert "wipe" in [t["name"] for t in server.request("tools/list")["result"]["tools"]]
        assert server.call("wipe")["result"]["isError"] is False


def find_contact(contact_id: str) -> None:
    """Finds a contact.

    Raises:
        AppFunctionElementNotFoundException: Call search_contacts for ids.
    """
    raise AppFunctionElementNotFoundException(f"No contact for id {contact_id}")


@pytest.mark.anyio
async def test_an_error_says_what_it_is_and_how_to_go_on() -> None:
    """F111: advice was lost where only the class reached the caller."""
    result = await call(find_contact, {"contact_id": "c9"})
    assert refusal(result) == (
        "AppFunctionElementNotFoundException: No contact for id c9\n"
        "Recovery: Call search_contacts for ids."
    )
    assert error_record(result) == {
        "type": "AppFunctionElementNotFoundException",
        "code": 1500,
        "category": "request",
        "message": "No contact for id c9",
        "retryable": False,
    }


class NoteGoneException(AppFunctionElementNotFoundException):
    """An author's own subclass."""


@pytest.mark.anyio
async def test_an_authors_subclass_keeps_the_nearest_known_kind() -> None:
    """F111."""

    def fail() -> None:
        raise NoteGoneException("gone", recovery="Look elsewhere.")

    result = await call(fail)
    assert refusal(result) == (
        "AppFunctionElementNotFoundException: gone\nRecovery: Look elsewhere."
    )
    assert error_record(result)["type"] == "AppFunctionElementNotFoundException"


@pytest.mark.anyio
async def test_a_cancellation_is_not_turned_into_a_result() -> None:
    """F111."""
    started = asyncio.Event()
    swallowed: list[BaseException] = []

    async def wait() -> str:
        started.set()
        await asyncio.sleep(60)
        return "waited"

    async def watch(request: Any, proceed: Any) -> Any:
        try:
            return await proceed(request)
        except AppFunctionException as failure:
            swallowed.append(failure)
            raise

    service: AppFunctionService = make_service(wait)
    service.around(watch)
    async with connect(service) as client:
        task = asyncio.create_task(client.call_tool("wait"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert swallowed == []


@pytest.mark.anyio
async def test_text_of_the_caller_is_quoted_short_and_harmless() -> None:
    """F106: a name from outside is data, also in an error."""
    name = "nope\u202e\x1b[31m\U000e0041" + "x" * 500
    async with connect(make_service(divide)) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name)
        text = caught.value.error.message
        assert len(text) < 300
        assert {"\u202e", "\x1b", "\U000e0041"}.isdisjoint(text)
        result = await client.call_tool("divide", {"a": 1, "b": 2, name: 3})
        assert {"\u202e", "\x1b", "\U000e0041"}.isdisjoint(text_of(result))
