"""Field cases about stdio: the command `run` as a client starts it, byte by byte."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.field_functions import serve_field_functions
from tests.support.stdio_server import StdioServer

PING = b'{"jsonrpc":"2.0","id":"last","method":"ping"}'
pytestmark = pytest.mark.usefixtures("engine")
posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StdioServer]:
    """A server with the handshake made."""
    with serve_field_functions(tmp_path) as running:
        running.initialize()
        yield running


def text_of(answer: dict[str, Any]) -> str:
    """The text of a tool's result."""
    (block,) = answer["result"]["content"]
    assert isinstance(block["text"], str)
    return block["text"]


def call_line(name: str, request_id: object = 1, **arguments: Any) -> bytes:
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    return json.dumps(message, ensure_ascii=False).encode()


def end(server: StdioServer) -> list[dict[str, Any]]:
    """Ends the input, waits for status 0, and returns what was still written."""
    server.close_input()
    assert server.wait() == 0, server.stderr
    return server.rest()


def test_whatever_a_module_prints_only_json_rpc_reaches_stdout(tmp_path: Path) -> None:
    """F28: Unexpected token; the client disconnects."""
    with serve_field_functions(tmp_path, env={"PRINT_AT_IMPORT": "1"}) as server:
        server.initialize()
        assert text_of(server.call("print_everywhere")) == "printed"
        assert end(server) == []
        printed = [
            "printed at import",
            "logged at import",
            "Fetching 1 of 3",
            "without an end",
            "written",
            "to the first stdout",
            "to descriptor 1",
            "from a child",
            "logged in a call",
        ]
        assert [text for text in printed if text not in server.stderr] == []
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.raw)


def test_utf8_is_spoken_whatever_the_locale(tmp_path: Path) -> None:
    """F29."""
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    with serve_field_functions(tmp_path, env=env) as server:
        server.initialize()
        server.send(call_line("echo", t="Gerät ★ 你好 Ж"))
        assert text_of(server.answer(1)) == "Gerät ★ 你好 Ж"


def test_crlf_is_accepted_and_never_written(tmp_path: Path) -> None:
    """F30."""
    with serve_field_functions(tmp_path) as server:
        server.initialize()
        server.send_bytes(b"\r\n\n  \r\n" + call_line("split_lines") + b"\r\n")
        assert text_of(server.answer(1)).endswith("\r\nend")
        server.send_bytes(PING + b"  \r\n\r\n")
        assert server.answer("last")["result"] == {}
        end(server)
        assert b"\r" not in b"".join(server.raw)


def test_bad_lines_are_answered_and_the_server_goes_on(server: StdioServer) -> None:
    """F32."""
    server.send(b"{bad", b"\xff\xfe", PING)
    errors = [server.read(), server.read()]
    assert [(e["id"], e["error"]["code"]) for e in errors] == [(None, -32700)] * 2
    assert server.answer("last")["result"] == {}
    assert end(server) == []


def test_what_breaks_the_json_parser_itself_is_a_parse_error(server: StdioServer) -> None:
    """F33: ValueError and RecursionError ended the process."""
    digits = b'{"jsonrpc":"2.0","id":1,"method":"ping","x":' + b"1" * 5000 + b"}"
    server.send(digits, b"[" * 100_000, b'{"a":' * 100_000, PING)
    errors = [server.read() for _ in range(3)]
    assert [(e["id"], e["error"]["code"]) for e in errors] == [(None, -32700)] * 3
    assert server.answer("last")["result"] == {}
    assert end(server) == []


@pytest.mark.parametrize("depth", [200, 400, 500, 600, 850])
def test_arguments_nested_deeply_are_answered_at_once_under_their_id(
    depth: int, server: StdioServer
) -> None:
    """F33: silence, and the client waits for ever."""
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    started = time.monotonic()
    server.send(
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"keep_object",'
        b'"arguments":{"x":' + nested + b"}}}"
    )
    answer = server.answer(5)
    assert time.monotonic() - started < 1
    result = answer["result"]
    if depth < 500:
        assert result["isError"] is False
        assert text_of(answer).count('{"a":') == depth
    else:
        assert result["isError"] in {True, False}
        assert text_of(answer)


def test_a_line_of_200_kb_and_one_of_900_kb_are_ordinary(server: StdioServer) -> None:
    """F34."""
    for length in (200_000, 900_000):
        assert text_of(server.call("echo", {"t": "x" * length})) == "x" * length


def test_a_line_above_the_limit_is_refused_and_the_next_one_works(server: StdioServer) -> None:
    """F34."""
    server.send(b'{"x":"' + b"y" * (17 * 1024 * 1024) + b'"}', PING)
    error = server.read()
    assert error["id"] is None
    assert "16,777,216" in error["error"]["message"]
    assert server.answer("last")["result"] == {}


def test_separators_that_are_no_line_feed_are_escaped_and_split_nothing(
    server: StdioServer,
) -> None:
    """F35: line readers split inside the string."""
    server.send(call_line("split_lines", 1))
    assert text_of(server.answer(1)) == "before\u2028after\u2029and\u0085more\r\nend"
    server.send(call_line("echo", 2, t="in\u2028and\u2029raw\u0085"))
    assert text_of(server.answer(2)) == "in\u2028and\u2029raw\u0085"
    for separator in ("\u2028", "\u2029", "\u0085"):
        assert separator.encode() not in b"".join(server.raw)


def test_an_empty_input_ends_the_process_within_two_seconds(tmp_path: Path) -> None:
    """F37: 1,088 processes stayed."""
    started = time.monotonic()
    with serve_field_functions(tmp_path, stdin=subprocess.DEVNULL) as server:
        assert server.wait() == 0
    assert time.monotonic() - started < 5, "the start is part of this, on a busy machine"


@posix_only
def test_a_blocked_thread_does_not_keep_the_process(server: StdioServer) -> None:
    """F37: grace and exit, without spinning on the closed pipe."""
    import resource

    server.send(call_line("slow", seconds=600))
    assert server.request("ping")["result"] == {}
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    times = psutil.Process(server.process.pid).cpu_times()
    started = time.monotonic()
    assert end(server) == []
    assert time.monotonic() - started < 2.5
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - ended.ru_utime - ended.ru_stime
    assert whole - times.user - times.system < 0.3


@posix_only
def test_a_client_that_is_gone_is_no_crash(tmp_path: Path) -> None:
    """F38."""
    read_end, write_end = os.pipe()
    marker = tmp_path / "marker"
    env = {"LIFESPAN_MARKER": str(marker)}
    with serve_field_functions(tmp_path, stdout=write_end, env=env) as server:
        os.close(write_end)
        server.send(PING)
        assert b'"result"' in os.read(read_end, 4096)
        os.close(read_end)
        server.send(call_line("echo", t="x" * 100_000), PING)
        assert server.wait() == 0
        assert "Traceback" not in server.stderr
        assert "Exception ignored" not in server.stderr
    assert marker.read_text() == "closed\n"


@posix_only
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_process_cleanly_and_once(name: str, tmp_path: Path) -> None:
    """F39."""
    marker = tmp_path / "marker"
    with serve_field_functions(tmp_path, env={"LIFESPAN_MARKER": str(marker)}) as server:
        server.initialize()
        server.send(call_line("slow", seconds=60))
        assert server.request("ping")["result"] == {}
        started = time.monotonic()
        server.signal(getattr(signal, name))
        assert server.wait() == 0
        assert time.monotonic() - started < 2.5
        assert "Traceback" not in server.stderr
    assert marker.read_text() == "closed\n"


def test_a_child_process_does_not_inherit_the_protocols_stdin(server: StdioServer) -> None:
    """F40: the child waits on the JSON-RPC pipe."""
    started = time.monotonic()
    assert text_of(server.call("read_stdin_in_child")) == "0"
    assert time.monotonic() - started < 5
    assert server.request("ping")["result"] == {}


def test_nothing_without_an_id_is_answered(server: StdioServer) -> None:
    """F41: an error for a notification closed the transport."""
    server.send(
        b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
        b'{"jsonrpc":"2.0","method":"notifications/of/another/age","params":{}}',
        b'{"jsonrpc":"2.0","method":"tools/list"}',
        PING,
    )
    assert server.read()["id"] == "last"
    assert end(server) == []


@pytest.mark.parametrize("request_id", ["1", 1, 0, -1, "", "ä"])
def test_an_id_comes_back_with_its_type(request_id: object, server: StdioServer) -> None:
    """F41: "1" came back as 1."""
    server.send(call_line("echo", request_id, t="x"))
    assert text_of(server.answer(request_id)) == "x"


def test_an_id_of_another_kind_is_an_invalid_request(server: StdioServer) -> None:
    """F41."""
    for request_id in (b"null", b"1.5", b"true", b"{}"):
        server.send(b'{"jsonrpc":"2.0","id":' + request_id + b',"method":"ping"}')
        assert server.read()["error"]["code"] == -32600
    assert end(server) == []


def test_ping_is_answered_before_the_handshake(tmp_path: Path) -> None:
    """F41."""
    with serve_field_functions(tmp_path) as server:
        server.send(PING)
        assert server.answer("last")["result"] == {}


def test_a_version_of_the_future_is_answered_with_one_that_is_supported(tmp_path: Path) -> None:
    """F41: a newer version was refused instead of negotiated."""
    with serve_field_functions(tmp_path) as server:
        assert server.initialize("2099-01-01")["protocolVersion"] == "2025-11-25"
        assert server.request("tools/list")["result"]["tools"]


def test_an_unknown_method_is_not_found(server: StdioServer) -> None:
    """F41."""
    assert server.request("tools/explode")["error"]["code"] == -32601
    assert server.request("ping")["result"] == {}


def test_text_that_utf8_cannot_hold_is_answered(server: StdioServer) -> None:
    """F102: the client hung for 40 minutes."""
    assert text_of(server.call("half_a_surrogate")) == "a\ufffdb"
    server.send(
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":'
        b'{"name":"echo","arguments":{"t":"\\ud800"}}}'
    )
    assert text_of(server.answer(9)) == "\ufffd"
