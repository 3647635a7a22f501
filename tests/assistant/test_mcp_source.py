"""MCP servers as sources: ours and the official SDK's, over stdio, HTTP and in process."""

import asyncio
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path, PurePath
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from appfunctions_mcp import AppFunctionMetadata, AppFunctionService, app_function
from appfunctions_mcp.assistant.dispatcher import AnySource, ToolDispatcher
from appfunctions_mcp.assistant.mcp_source import ConnectionState, McpSource
from appfunctions_mcp.assistant.sources import SourceError
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.media import Image
from appfunctions_mcp.server.sdk import build_server
from tests.support.http_server import http_server
from tests.support.stdio_server import PROJECT

pytestmark = pytest.mark.anyio

SUPPORT = PROJECT / "tests/support"
SDK_SERVER = [sys.executable, str(SUPPORT / "sdk_tools_server.py")]
OUR_SERVER = [sys.executable, "-m", "tests.support.served_functions", "stdio"]
RAW_SERVER = [sys.executable, str(SUPPORT / "raw_tools_server.py")]
COVERAGE = {k: v for k, v in os.environ.items() if k.startswith("COVERAGE_")}


@asynccontextmanager
async def sdk_server(
    folder: Path, mode: str = "auto", **limits: Any
) -> AsyncIterator[ToolDispatcher]:
    environment = {"DIARY": str(folder / "diary")}
    source = McpSource(SDK_SERVER, env=environment, mode=mode)
    async with ToolDispatcher(source, **limits) as dispatcher:
        yield dispatcher


def diary(folder: Path) -> list[str]:
    return (folder / "diary").read_text(encoding="utf-8").splitlines()


def source_of(dispatcher: ToolDispatcher) -> McpSource:
    assert isinstance(dispatcher.source, McpSource)
    return dispatcher.source


async def called(dispatcher: ToolDispatcher, name: str, /, **arguments: Any) -> FunctionResult:
    (answer,) = await dispatcher.dispatch([FunctionCall("a", name, arguments)])
    return answer


async def until(is_so: Callable[[], bool]) -> None:
    """Looks again and again, for what another process does and no event tells."""
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)


async def until_listed(dispatcher: ToolDispatcher, name: str) -> None:
    """Lists again and again, until the server has told of a new tool."""
    async with asyncio.timeout(10):
        while True:
            if any(each.tool_name == name for each in await dispatcher.functions()):
                return
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_tools_of_an_sdk_server_are_called_in_parallel_and_in_order(
    mode: str, tmp_path: Path
) -> None:
    async with sdk_server(tmp_path, mode) as dispatcher:
        listed = {each.tool_name: each for each in await dispatcher.functions()}
        assert listed["add"].read_only is True
        assert [each.name for each in listed["add"].parameters] == ["first", "second"]
        asked = [
            FunctionCall("a", "add", {"first": 1, "second": 2}),
            FunctionCall("b", "fail"),
            FunctionCall("c", "paint"),
            FunctionCall("d", "ad"),
            FunctionCall("e", "add", {"first": "x"}),
        ]
        added, failed, painted, unknown, unfit = await dispatcher.dispatch(asked)
        started = time.perf_counter()
        paused = await dispatcher.dispatch([FunctionCall(str(n), "pause") for n in range(20)])
        seconds = time.perf_counter() - started

    assert (added.text, added.structured) == ("3", {"result": 3})
    assert failed.is_error
    assert "fail" in failed.text
    assert painted.text == "a picture\n[picture: image/gif, 6 bytes]"
    assert painted.media == (Image(b"GIF89a", "image/gif"),)
    assert "near it: add" in unknown.text
    assert unfit.is_error
    assert "first" in unfit.text
    assert [each.call_id for each in paused] == [str(n) for n in range(20)]
    assert seconds < 0.3 * 2


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_call_that_is_out_of_time_is_cancelled_at_the_server(
    mode: str, tmp_path: Path
) -> None:
    """F57."""
    async with sdk_server(tmp_path, mode, timeout_seconds=1.0) as dispatcher:
        answer = await called(dispatcher, "hang")
        await until(lambda: "hang cancelled" in diary(tmp_path))
        assert "timed out after 1 s" in answer.text
        assert (await called(dispatcher, "add", first=1, second=1)).text == "2"


async def test_a_batch_that_is_cancelled_is_cancelled_at_the_server(tmp_path: Path) -> None:
    async with sdk_server(tmp_path) as dispatcher:
        running = asyncio.create_task(dispatcher.dispatch([FunctionCall("a", "hang")]))
        await until(lambda: "hang begun" in diary(tmp_path))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: "hang cancelled" in diary(tmp_path))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_of_a_server_lets_the_time_of_a_call_begin_anew(
    mode: str, tmp_path: Path
) -> None:
    """F58."""
    async with sdk_server(tmp_path, mode, timeout_seconds=1.0) as dispatcher:
        assert (await called(dispatcher, "work", steps=14)).text == "worked"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_tools_are_listed_anew_when_the_server_says_that_they_changed(
    mode: str, tmp_path: Path
) -> None:
    async with sdk_server(tmp_path, mode) as dispatcher:
        source = source_of(dispatcher)
        await until(lambda: source.state is ConnectionState.CONNECTED)
        assert "grown" not in {each.tool_name for each in await dispatcher.functions()}
        await called(dispatcher, "grow")
        await until_listed(dispatcher, "grown")
        assert (await called(dispatcher, "grown")).text == "new"
        assert await dispatcher.functions() is not None
        assert await source.functions() is await source.functions()


async def test_a_server_that_dies_ends_its_open_calls_and_is_started_by_the_next(
    tmp_path: Path,
) -> None:
    async with sdk_server(tmp_path) as dispatcher:
        source = source_of(dispatcher)
        hung, died = await dispatcher.dispatch(
            [FunctionCall("a", "hang"), FunctionCall("b", "die")]
        )
        for each in (hung, died):
            assert each.text.startswith(
                f"AppFunctionCancelledException: the server '{PurePath(sys.executable).name} "
                "sdk_tools_server.py' ended "
                "during the call (it may still be running)\nRecovery: "
            )
        assert source.state.value == "lost"
        results = await dispatcher.dispatch(
            [FunctionCall(str(n), "add", {"first": n, "second": 0}) for n in range(5)]
        )
        assert [each.text for each in results] == ["0", "1", "2", "3", "4"]
        assert source.state is ConnectionState.CONNECTED
    assert source.state.value == "closed"
    assert diary(tmp_path).count("started") == 2


async def test_a_server_that_ended_between_two_calls_is_started_without_a_fault(
    tmp_path: Path,
) -> None:
    async with sdk_server(tmp_path) as dispatcher:
        source = source_of(dispatcher)
        assert (await called(dispatcher, "leave")).text == "leaving"
        await until(lambda: source.state is ConnectionState.LOST)
        assert (await called(dispatcher, "add", first=1, second=1)).text == "2"
    assert diary(tmp_path).count("started") == 2


async def test_a_server_that_is_gone_for_good_keeps_its_functions_and_says_so(
    tmp_path: Path,
) -> None:
    script = tmp_path / "server.py"
    shutil.copy(SDK_SERVER[1], script)
    source = McpSource(
        [sys.executable, str(script)], env={"DIARY": str(tmp_path / "diary")}, name="rough"
    )
    async with ToolDispatcher(source) as dispatcher:
        before = await dispatcher.functions()
        await called(dispatcher, "die")
        script.unlink()
        assert await dispatcher.functions() == before
        answer = await called(dispatcher, "add", first=1, second=1)
    assert answer.text.startswith(
        "AppFunctionSystemUnknownException: the MCP server 'rough' cannot be used: "
    )
    assert answer.text.endswith("Recovery: Go on without its functions, or try again later.")


async def test_our_own_server_over_stdio() -> None:
    async with ToolDispatcher.from_command(
        OUR_SERVER, env=COVERAGE, cwd=str(PROJECT)
    ) as dispatcher:
        names = [each.tool_name for each in await dispatcher.functions()]
        assert "wipe" not in names
        added, missing, crashed, painted = await dispatcher.dispatch(
            [
                FunctionCall("a", "add", {"a": 1, "b": 2}),
                FunctionCall("b", "add", {"a": "one"}),
                FunctionCall("c", "crash"),
                FunctionCall("d", "picture"),
            ]
        )
        assert added.structured == {"result": 3}
        assert "b: missing" in missing.text
        assert missing.text.startswith("AppFunctionInvalidArgumentException: ")
        assert crashed.is_error
        assert painted.media == (Image(b"\x89PNG", "image/png"),)
        await called(dispatcher, "switch", name="wipe", on=True)
        await until_listed(dispatcher, "wipe")


@pytest.mark.parametrize("options", [[], ["--sessions"]], ids=["stateless", "sessions"])
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_our_own_server_over_http_and_again_after_it_was_restarted(
    options: list[str], mode: str
) -> None:
    arguments = ["-m", "tests.support.served_functions", "http"]
    with http_server(*arguments, "0", *options, cwd=str(PROJECT)) as running:
        port, url = running.port, running.url
        dispatcher = ToolDispatcher(McpSource(url, mode=mode), timeout_seconds=20)
        await dispatcher.__aenter__()
        assert (await called(dispatcher, "add", a=1, b=2)).structured == {"result": 3}
        assert (await called(dispatcher, "count", steps=3)).structured is not None
    gone = await called(dispatcher, "add", a=1, b=2)
    assert gone.is_error
    assert "127.0.0.1" in gone.text
    with http_server(*arguments, str(port), *options, cwd=str(PROJECT)):
        assert (await called(dispatcher, "add", a=2, b=2)).structured == {"result": 4}
        await dispatcher.__aexit__(None, None, None)


async def test_a_session_that_the_server_has_forgotten_is_made_anew_without_a_fault() -> None:
    """F45."""
    arguments = ["-m", "tests.support.served_functions", "http"]
    with http_server(*arguments, "0", "--sessions", cwd=str(PROJECT)) as running:
        port = running.port
        dispatcher = ToolDispatcher(McpSource(running.url, mode="legacy"))
        await dispatcher.__aenter__()
        assert (await called(dispatcher, "add", a=1, b=2)).structured == {"result": 3}
    with http_server(*arguments, str(port), "--sessions", cwd=str(PROJECT)):
        assert (await called(dispatcher, "add", a=2, b=2)).structured == {"result": 4}
        await dispatcher.__aexit__(None, None, None)


async def test_what_json_cannot_hold_ends_its_own_call_and_not_the_connection() -> None:
    command = ["env", f"PYTHONPATH={PROJECT}", *OUR_SERVER]
    async with ToolDispatcher(command) as dispatcher:
        half, endless, plain = await dispatcher.dispatch(
            [
                FunctionCall("a", "echo", {"text": "a\ud800b"}),
                FunctionCall("b", "echo", {"text": float("inf")}),
                FunctionCall("c", "echo", {"text": "plain"}),
            ]
        )
        assert source_of(dispatcher).state is ConnectionState.CONNECTED
    assert half.text == "a\ufffdb"
    assert endless.text.startswith(
        "AppFunctionInvalidArgumentException: the arguments have no JSON form: "
    )
    assert plain.text == "plain"


async def test_headers_go_along_with_each_request(tmp_path: Path) -> None:
    arguments = ["-m", "appfunctions_mcp", "run", str(PROJECT / "metadata/app_metadata.xml")]
    environment = {"TOKEN": "a-token-of-a-test", "NOTES_DB": str(tmp_path / "notes.db")}
    with http_server(*arguments, "--http", "0", "--token-env", "TOKEN", env=environment) as running:
        headers = {"Authorization": "Bearer a-token-of-a-test"}
        async with ToolDispatcher.from_url(running.url, headers=headers) as dispatcher:
            assert "find_notes" in {each.tool_name for each in await dispatcher.functions()}
        with pytest.raises(SourceError, match=r"the MCP server '127.0.0.1' cannot be used: "):
            async with ToolDispatcher.from_url(running.url):
                pass


async def test_a_server_object_of_the_sdk_needs_no_process() -> None:
    server = MCPServer("in process")
    server.add_tool(lambda: "hello", name="greet", description="Greets.")
    sources: dict[str, AnySource] = {"my": McpSource(server), "raw": [*RAW_SERVER, "plain"]}
    async with ToolDispatcher.from_sources(sources) as dispatcher:
        assert (await called(dispatcher, "my_greet")).text == "hello"
        assert (await called(dispatcher, "raw_bare")).text == '{"n":null}'


@app_function(requires_confirmation=True)
def delete_note(note_id: str) -> str:
    """Deletes a note.

    Args:
        note_id: The note.
    """
    return f"deleted {note_id}"


async def test_the_users_yes_is_the_confirmation_that_a_server_of_ours_wants() -> None:
    async def agree(_: FunctionCall, __: AppFunctionMetadata) -> bool:
        return True

    service = AppFunctionService.from_functions(
        [delete_note], name="notes", description="Keeps notes."
    )
    call = FunctionCall("a", "delete_note", {"note_id": "n1"})
    async with (
        service.running(),
        ToolDispatcher(McpSource(build_server(service), name="notes")) as dispatcher,
    ):
        (asked,) = await dispatcher.dispatch([call], confirm=agree)
        (unasked,) = await dispatcher.dispatch([call])
    assert asked.text == "deleted n1"
    assert unasked.text.startswith("AppFunctionDeniedException: confirmation needed")


async def test_what_a_bad_server_answers_becomes_an_error_that_can_be_read() -> None:
    async with ToolDispatcher.from_command([*RAW_SERVER, "plain"]) as dispatcher:
        names = ["refuse", "fail", "odd", "unfit", "silent", "bare"]
        assert [each.tool_name for each in await dispatcher.functions()] == names
        (bare,) = [each for each in await dispatcher.functions() if each.tool_name == "bare"]
        assert bare.description == "Bare"
        results = await dispatcher.dispatch([FunctionCall(name, name) for name in names])
    refused, failed, odd, unfit, silent, structured = results

    assert refused.text == "AppFunctionInvalidArgumentException: there is no argument 'a'"
    assert failed.text == (
        "AppFunctionSystemUnknownException: the server answered with error -32000: "
        "it says nothing else"
    )
    assert "the server's answer does not fit" in odd.text
    assert "the server's answer does not fit" in unfit.text
    assert silent.text == "AppFunctionUnknownException"
    assert structured.text == '{"n":null}'
    assert [each.is_error for each in results] == [True, True, True, True, True, False]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ([*RAW_SERVER, "no list"], "the list is lost"),
        ([*RAW_SERVER, "endless"], "more than 1000 pages"),
        ([*RAW_SERVER, "nameless"], "has no name"),
        ([*RAW_SERVER, "mute"], "it did not answer within 0.5 s"),
        (["no-such-program-anywhere"], "No such file or directory"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "Connection closed"),
    ],
    ids=["no list", "endless", "nameless", "mute", "no program", "no server"],
)
async def test_a_server_that_does_not_start_is_named_with_what_is_wrong(
    command: list[str], told: str
) -> None:
    seconds = 0.5 if command[-1] == "mute" else 30.0
    source = McpSource(command, name="raw", start_seconds=seconds)
    with pytest.raises(SourceError) as raised:
        async with ToolDispatcher(source):
            pass
    assert str(raised.value).startswith("the MCP server 'raw' cannot be used: ")
    assert told in str(raised.value)
    assert source.state is ConnectionState.CLOSED


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (["/usr/bin/python", "/home/me/server.py", "--key=secret"], "python server.py"),
        (["npx", "-y", "@a/b"], "npx"),
        ("https://me:secret@mcp.example:8443/secret?key=secret", "mcp.example"),
        (MCPServer("x"), "MCPServer"),
    ],
    ids=["a path", "a program", "a URL", "an object"],
)
def test_the_name_of_a_server_tells_no_folder_and_no_secret(target: Any, name: str) -> None:
    assert McpSource(target).name == name
