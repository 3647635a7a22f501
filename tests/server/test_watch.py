"""`--watch` as processes: the app is started anew when its files change, on stdio and over HTTP."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.server.watched_files import WatchedFiles
from tests.server.test_engine import MODERN
from tests.support.http_server import http_server
from tests.support.stdio_server import DEADLINE_SECONDS, StdioServer, stdio_server

posix_only = pytest.mark.skipif(os.name != "posix", reason="processes share no socket on Windows")

APP = """\
import asyncio
from appfunctions_mcp import AppFunctionContext, app_function

@app_function
async def version() -> int:
    '''Tells which text of this file is served.'''
    return 1

@app_function
async def wait(seconds: float) -> str:
    '''Waits.

    Args:
        seconds: How long.
    '''
    await asyncio.sleep(seconds)
    return "waited"
"""
METADATA = """\
<AppFunctionAppMetadata xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1" mcp:name="watched"
    appfn:description="Is worked on.">
  <mcp:functions module="watched_app"/>
</AppFunctionAppMetadata>
"""
BROKEN = "def broken(:\n"


def write(folder: Path, version: int = 1, text: str = APP) -> None:
    """The app's module, as an editor writes it."""
    new = folder / "watched_app.py.new"
    new.write_text(text.replace("return 1", f"return {version}"), "utf-8")
    new.replace(folder / "watched_app.py")


def until(is_true: Callable[[], object], what: str = "") -> None:
    end = time.monotonic() + DEADLINE_SECONDS
    while not is_true():
        assert time.monotonic() < end, what
        time.sleep(0.05)


@contextmanager
def watched(folder: Path, *options: str, text: str = APP) -> Iterator[StdioServer]:
    """The app on stdio, with `--watch`."""
    (folder / "app_metadata.xml").write_text(METADATA, "utf-8")
    write(folder, text=text)
    words = ("run", str(folder / "app_metadata.xml"), "--watch", *options)
    state = ("--state-file", str(folder / "state.json"))
    with stdio_server("-m", "appfunctions_mcp", *words, *state, cwd=folder) as server:
        yield server


def served_version(server: StdioServer) -> object:
    return server.call("version")["result"]["structuredContent"]["result"]


def await_restart(server: StdioServer, count: int = 1) -> None:
    until(lambda: server.stderr.count("the app has been started anew") == count, server.stderr)


def test_a_client_keeps_its_connection_and_hears_that_the_list_may_be_new(tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        server.initialize()
        assert served_version(server) == 1
        write(tmp_path, 2)
        await_restart(server)
        assert served_version(server) == 2
        methods = [message["method"] for message in server.notifications]
        assert methods == ["notifications/tools/list_changed"]
        assert "watched_app.py changed; starting the app anew" in server.stderr
        write(tmp_path, 3)
        await_restart(server, 2)
        assert served_version(server) == 3
        server.close_input()
        assert server.wait() == 0


def test_a_call_that_runs_is_answered_by_the_app_it_was_made_to(tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        server.initialize()
        server.send(
            {
                "jsonrpc": "2.0",
                "id": "slow",
                "method": "tools/call",
                "params": {"name": "wait", "arguments": {"seconds": 4}},
            }
        )
        write(tmp_path, 2, APP.replace('"waited"', '"waited anew"'))
        await_restart(server)
        assert server.answer("slow")["result"]["content"][0]["text"] == "waited"
        assert served_version(server) == 2


def test_a_broken_app_changes_nothing_until_it_is_mended(tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        server.initialize()
        write(tmp_path, text=BROKEN)
        until(lambda: "what was served goes on" in server.stderr)
        assert re.search(r"watched_app\.py:1: watched_app cannot be imported", server.stderr)
        assert served_version(server) == 1
        write(tmp_path, 4)
        await_restart(server)
        assert served_version(server) == 4


def test_an_app_that_is_broken_at_the_start_is_served_once_it_is_mended(tmp_path: Path) -> None:
    with watched(tmp_path, text=BROKEN) as server:
        until(lambda: "waiting for a change" in server.stderr)
        server.send(
            {
                "jsonrpc": "2.0",
                "id": 0,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "t", "version": "1"},
                },
            }
        )
        write(tmp_path, 5)
        assert server.answer(0)["result"]["serverInfo"]["name"] == "watched"
        assert served_version(server) == 5


def test_a_client_without_a_handshake_is_served_and_told_on_its_streams(tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        meta = {"_meta": MODERN}
        assert server.request("tools/list", meta)["result"]["tools"][0]["name"] == "version"
        listen = {"notifications": {"toolsListChanged": True}, **meta}
        server.send(
            {"jsonrpc": "2.0", "id": "news", "method": "subscriptions/listen", "params": listen}
        )
        assert server.read()["method"] == "notifications/subscriptions/acknowledged"
        write(tmp_path, 2)
        changed = server.read()
        assert changed["method"] == "notifications/tools/list_changed"
        assert changed["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "news"}
        answer = server.call("version", **meta)
        assert answer["result"]["structuredContent"] == {"result": 2}
        write(tmp_path, 3)
        assert server.read()["method"] == "notifications/tools/list_changed"
        server.notify("notifications/cancelled", {"requestId": "news"})
        assert server.call("version", **meta)["result"]["structuredContent"] == {"result": 3}


def test_a_question_to_the_user_comes_back_to_the_app_that_asked(tmp_path: Path) -> None:
    text = APP + (
        "\n@app_function(requires_confirmation=True)\nasync def wipe() -> str:\n"
        "    '''Removes everything.'''\n    return 'wiped'\n"
    )
    with watched(tmp_path, text=text) as server:
        client = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "t", "version": "1"},
        }
        server.request("initialize", client)
        server.notify("notifications/initialized")
        for number in range(2):
            server.send(
                {
                    "jsonrpc": "2.0",
                    "id": number,
                    "method": "tools/call",
                    "params": {"name": "wipe", "arguments": {}},
                }
            )
            question = server.read()
            assert question["method"] == "elicitation/create"
            if number == 0:
                write(tmp_path, 2, text)
                await_restart(server)
                assert server.read()["method"] == "notifications/tools/list_changed"
            result = {"action": "accept", "content": {"confirm": True}}
            server.send({"jsonrpc": "2.0", "id": question["id"], "result": result})
            assert server.answer(number)["result"]["content"][0]["text"] == "wiped"


def test_the_end_of_the_client_ends_everything(tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        server.initialize()
        begun = time.monotonic()
        server.close_input()
        assert server.wait() == 0
        assert time.monotonic() - begun < 6
        assert "Traceback" not in server.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_everything(number: int, tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        server.initialize()
        server.signal(number)
        assert server.wait() == 0
        assert "Traceback" not in server.stderr


def test_an_app_that_ends_its_process_ends_the_server_with_its_status(tmp_path: Path) -> None:
    text = APP + "\nimport os\n@app_function\ndef end() -> str:\n    '''Ends.'''\n    os._exit(7)\n"
    with watched(tmp_path, text=text) as server:
        server.initialize()
        call = {"name": "end", "arguments": {}}
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        assert server.wait() == 7


def test_what_is_no_message_is_answered_as_without_watch(tmp_path: Path) -> None:
    with watched(tmp_path) as server:
        server.initialize()
        server.send(b"{bad")
        assert server.read()["error"]["code"] == -32700


@posix_only
@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
def test_over_http_no_request_is_refused_while_the_app_is_started_anew(
    workers: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "app_metadata.xml").write_text(METADATA, "utf-8")
    write(tmp_path)
    words = ("run", str(tmp_path / "app_metadata.xml"), "--http", "0", "--watch", *workers)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "version", "arguments": {}},
    }
    with http_server("-m", "appfunctions_mcp", *words, cwd=tmp_path) as server:

        def version() -> object:
            answer = server.ask(body=call)
            assert answer.status == 200
            return answer.message["result"]["structuredContent"]["result"]

        assert version() == 1
        write(tmp_path, 2)
        while "the app has been started anew" not in server.process.stderr:
            assert version() in {1, 2}
        until(lambda: version() == 2)
        write(tmp_path, text=BROKEN)
        until(lambda: "what was served goes on" in server.process.stderr)
        assert version() == 2


def test_every_file_of_the_app_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    for name in ("package/__init__.py", "package/part.py", "single.py", "rules.json"):
        (tmp_path / name).write_text("", "utf-8")
    strings = tmp_path / "values" / "strings.xml"
    strings.parent.mkdir()
    strings.write_text('<resources><string name="d">Does.</string></resources>', "utf-8")
    file = tmp_path / "app_metadata.xml"
    text = METADATA.replace("Is worked on.", "@string/d").replace(
        '<mcp:functions module="watched_app"/>',
        '<mcp:functions module="package.part"/><mcp:functions module="single"/>'
        '<mcp:dependsOn src="rules.json"/>',
    )
    file.write_text(text, "utf-8")
    files = WatchedFiles(file, lambda: parse_metadata(file))
    assert files.look() == []
    for name in (
        "package/part.py", "package/new.py", "single.py", "rules.json", "values/strings.xml",
        "app_metadata.xml",
    ):  # fmt: skip
        content = (tmp_path / name).read_text("utf-8") if (tmp_path / name).exists() else ""
        (tmp_path / name).write_text(content + " ", "utf-8")
        assert [Path(path).name for path in files.settled()] == [Path(name).name]
    (tmp_path / "notes.db").write_text("data", "utf-8")
    (tmp_path / "package" / "__pycache__").mkdir()
    (tmp_path / "package" / "__pycache__" / "part.py").write_text("", "utf-8")
    assert files.look() == []
    (tmp_path / "package" / "new.py").unlink()
    assert [Path(path).name for path in files.settled()] == ["new.py"]


def test_a_metadata_file_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "app_metadata.xml"
    files = WatchedFiles(file, lambda: parse_metadata(file))
    assert files.look() == []
    file.write_text(METADATA, "utf-8")
    assert [Path(path).name for path in files.settled()] == ["app_metadata.xml"]
