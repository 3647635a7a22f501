"""The stdio transport as a client sees it: real processes, real pipes, bytes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.server import stdio
from appfunctions_mcp.server.descriptors import ProtocolDescriptors
from appfunctions_mcp.server.stdio import StdioTransport
from tests.support.stdio_server import PROJECT, StdioServer, stdio_server

PING = b'{"jsonrpc":"2.0","id":"ping","method":"echo"}'
posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file to which the lifespan writes when it is closed."""
    return tmp_path / "marker"


def echo_server(marker: Path, *options: str, **process: Any) -> AbstractContextManager[StdioServer]:
    """A server whose methods are those of `EchoEngine`."""
    return stdio_server("-m", "tests.support.echo_engine", str(marker), *options, **process)


@pytest.fixture(params=["loop", "threads"])
def server(request: pytest.FixtureRequest, marker: Path) -> Iterator[StdioServer]:
    """A running server, once by the event loop and once by threads."""
    with echo_server(marker, env={"APPFUNCTIONS_STDIO": request.param}) as running:
        yield running


def request(method: str, request_id: object = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def codes(server: StdioServer, count: int) -> list[tuple[object, int]]:
    """Id and code of the next errors."""
    answers = [server.read() for _ in range(count)]
    return [(a["id"], a["error"]["code"]) for a in answers]


def test_a_request_is_answered_and_the_end_of_input_ends_the_process(
    server: StdioServer, marker: Path
) -> None:
    """F37."""
    server.send(request("echo", 7, a=1))
    assert server.read() == {"jsonrpc": "2.0", "id": 7, "result": {"a": 1}}
    server.close_input()
    assert server.wait() == 0
    assert marker.read_text() == "closed\n"


def test_whatever_prints_only_the_protocol_reaches_stdout(server: StdioServer) -> None:
    """F28."""
    answer = server.request("print_everywhere")
    assert answer["result"] == {}
    server.close_input()
    assert server.wait() == 0
    assert server.rest() == []
    printed = [
        "printed at import",
        "logged at import",
        "printed\n",
        "printed without end",
        "written\n",
        "buffered\n",
        "printed to the first stdout",
        "written to 1",
        "from a shell",
        "from a child",
    ]
    assert [text for text in printed if text not in server.stderr] == []


def test_a_child_process_reads_the_end_of_input_at_once(server: StdioServer) -> None:
    """F40."""
    assert server.request("child_stdin")["result"] == {"read": "0", "own": ""}
    assert server.request("echo")["result"] == {}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{bad", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"echo","x":' + b"1" * 5000 + b"}", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"echo"} {}', -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"echo"}]', -32600),
        (b'"text"', -32600),
        (b"5", -32600),
        (b"null", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"echo"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"echo"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"echo"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"echo"}', -32600),
    ],
)
def test_a_bad_line_is_answered_without_an_id_and_the_next_one_is_served(
    line: bytes, code: int, marker: Path
) -> None:
    """F32, F33, F41."""
    with echo_server(marker) as server:
        server.send(line, PING)
        assert codes(server, 1) == [(None, code)]
        assert server.read()["id"] == "ping"
        server.close_input()
        assert server.wait() == 0


def test_a_bad_shape_with_a_good_id_is_answered_under_that_id(server: StdioServer) -> None:
    server.send(
        b'{"jsonrpc":"1.0","id":1,"method":"echo"}',
        b'{"id":2,"method":"echo"}',
        b'{"jsonrpc":"2.0","id":3,"method":5}',
        b'{"jsonrpc":"2.0","id":4}',
        b'{"jsonrpc":"2.0","id":5,"method":"echo","params":[1]}',
        b'{"jsonrpc":"2.0","id":6,"method":"echo","params":"x"}',
    )
    expected = [(1, -32600), (2, -32600), (3, -32600), (4, -32600), (5, -32602), (6, -32602)]
    assert codes(server, 6) == expected


def test_nothing_without_an_id_is_answered(server: StdioServer) -> None:
    """F41."""
    server.send(
        b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
        b'{"jsonrpc":"2.0","method":"echo"}',
        b'{"jsonrpc":"2.0","method":5}',
        b'{"method":"echo","params":[]}',
        b"{}",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
        b'{"jsonrpc":"2.0","id":1,"error":"broken"}',
        PING,
    )
    assert server.read()["id"] == "ping"


@pytest.mark.parametrize("request_id", ["1", 1, 0, -1, "", "ä", 10**30, "req-abc"])
def test_an_id_comes_back_with_its_type(request_id: object, marker: Path) -> None:
    """F41."""
    with echo_server(marker) as server:
        server.send(request("echo", request_id))
        assert server.answer(request_id)["result"] == {}


def test_crlf_blank_lines_and_a_byte_order_mark_are_accepted(server: StdioServer) -> None:
    """F30."""
    server.send_bytes(b"\xef\xbb\xbf" + PING + b"\r\n\r\n\n  \t\n" + PING + b"\r\n")
    assert [server.read()["id"] for _ in range(2)] == ["ping", "ping"]
    assert b"\r" not in b"".join(server.raw)


def test_a_line_may_come_in_pieces_and_several_at_once(server: StdioServer) -> None:
    server.send_bytes(PING[:10])
    time.sleep(0.05)
    server.send_bytes(PING[10:] + b"\n" + PING + b"\n" + PING[:5])
    assert [server.read()["id"] for _ in range(2)] == ["ping", "ping"]
    server.send_bytes(PING[5:] + b"\n")
    assert server.read()["id"] == "ping"


def test_the_last_line_needs_no_line_feed(server: StdioServer) -> None:
    server.send_bytes(PING)
    server.close_input()
    assert [m["id"] for m in server.rest()] == ["ping"]
    assert server.wait() == 0


def test_a_line_of_almost_a_megabyte_is_echoed(server: StdioServer) -> None:
    """F34."""
    assert server.request("echo", {"t": "x" * 900_000})["result"] == {"t": "x" * 900_000}


def test_a_line_above_the_limit_is_refused_and_the_next_one_works(server: StdioServer) -> None:
    """F34."""
    server.send(b'{"x":"' + b"y" * (17 * 1024 * 1024), PING)
    error = server.read()
    assert (error["id"], error["error"]["code"]) == (None, -32600)
    assert "16,777,216" in error["error"]["message"]
    assert server.read()["id"] == "ping"


def test_separators_that_are_no_line_feed_split_nothing(server: StdioServer) -> None:
    """F35."""
    text = "before\u2028after\u2029and\u0085more\x0b\x0c\x1c"
    line = json.dumps(request("echo", 1, t=text), ensure_ascii=False).encode()
    server.send(line)
    assert server.read()["result"] == {"t": text}
    for separator in ("\u2028", "\u2029", "\u0085"):
        assert separator.encode() not in server.raw[-1]


def test_utf8_is_spoken_whatever_the_locale(marker: Path) -> None:
    """F29."""
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    with echo_server(marker, env=env) as server:
        server.send(json.dumps(request("echo", 1, t="Gerät ★ 你好"), ensure_ascii=False).encode())
        assert server.read()["result"] == {"t": "Gerät ★ 你好"}


def test_half_a_surrogate_is_answered_under_its_own_id(server: StdioServer) -> None:
    """F102."""
    server.send(b'{"jsonrpc":"2.0","id":3,"method":"echo","params":{"t":"\\ud800"}}')
    assert server.answer(3)["result"] == {"t": "\ufffd"}


def test_nesting_of_500_is_answered_under_its_own_id(server: StdioServer) -> None:
    """F33."""
    deep = b'{"a":' * 500 + b"1" + b"}" * 500
    server.send(b'{"jsonrpc":"2.0","id":3,"method":"echo","params":' + deep + b"}")
    assert server.answer(3)["result"] == json.loads(deep)


def test_what_cannot_be_written_is_an_error_under_its_id(server: StdioServer) -> None:
    assert server.request("unwritable")["error"]["code"] == -32603
    assert server.request("echo")["result"] == {}


def test_answers_wait_without_loss_for_a_client_that_reads_late(marker: Path) -> None:
    """40 MB of answers stand against a pipe that takes 64 KB."""
    command = [sys.executable, "-m", "tests.support.echo_engine", str(marker)]
    with subprocess.Popen(
        command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for n in range(400):
            process.stdin.write(json.dumps(request("text", n, length=100_000)).encode() + b"\n")
        process.stdin.flush()
        time.sleep(0.5)
        sizes = {m["id"]: len(m["result"]["text"]) for m in map(json.loads, _take(process, 400))}
        assert sizes == dict.fromkeys(range(400), 100_000)
        process.stdin.close()
        assert process.wait(10) == 0


def _take(process: subprocess.Popen[bytes], count: int) -> Iterator[bytes]:
    assert process.stdout is not None
    for _ in range(count):
        yield process.stdout.readline()


def test_what_was_read_before_the_end_is_still_answered(server: StdioServer) -> None:
    server.send(request("sleep", 1, seconds=0.6), request("echo", 2))
    server.close_input()
    assert [m["id"] for m in server.rest()] == [2, 1]
    assert server.wait() == 0


@pytest.mark.parametrize("method", ["sleep", "block", "block_thread", "ignore_cancel"])
def test_the_end_of_input_ends_the_process_within_two_seconds_whatever_runs(
    method: str, server: StdioServer, marker: Path
) -> None:
    """F37."""
    server.send(request("echo", 1))
    server.answer(1)
    server.send(request(method, 2, seconds=60))
    started = time.monotonic()
    server.close_input()
    assert server.wait() == 0
    assert time.monotonic() - started < 2.5
    assert server.rest() == []
    assert method == "block" or marker.read_text() == "closed\n"


def test_an_empty_input_ends_the_process_at_once(marker: Path) -> None:
    """F37."""
    with echo_server(marker, stdin=subprocess.DEVNULL) as server:
        assert server.wait(5) == 0
        assert marker.read_text() == "closed\n"


def test_a_file_as_input_is_answered_to_the_last_line(marker: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_bytes(b"".join(json.dumps(request("echo", n)).encode() + b"\n" for n in range(50)))
    with lines.open("rb") as file, echo_server(marker, stdin=file) as server:
        assert [m["id"] for m in server.rest()] == list(range(50))
        assert server.wait() == 0


def test_a_file_as_output_gets_every_answer(marker: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with answers.open("wb") as file, echo_server(marker, stdout=file) as server:
        server.send(*(request("echo", n) for n in range(50)))
        server.close_input()
        assert server.wait() == 0
    assert [json.loads(a)["id"] for a in answers.read_bytes().splitlines()] == list(range(50))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_takes_nothing_is_told_and_ends_the_process(marker: Path) -> None:
    with Path("/dev/full").open("wb") as full, echo_server(marker, stdout=full) as server:
        server.send(PING)
        assert server.wait() == 0
        assert "cannot be written to" in server.stderr
        assert "Traceback" not in server.stderr
    assert marker.read_text() == "closed\n"


@posix_only
@pytest.mark.parametrize(
    ("name", "method"),
    [("SIGINT", "sleep"), ("SIGTERM", "sleep"), ("SIGHUP", "sleep"), ("SIGTERM", "block")],
)
def test_a_signal_ends_the_process_cleanly(
    name: str, method: str, server: StdioServer, marker: Path
) -> None:
    """F39."""
    assert server.request("echo")["result"] == {}
    server.send(request(method, 1, seconds=60))
    time.sleep(0.1)
    started = time.monotonic()
    server.signal(getattr(signal, name))
    assert server.wait() == 0
    assert time.monotonic() - started < 2.5
    assert "Traceback" not in server.stderr
    assert method == "block" or marker.read_text() == "closed\n"


@pytest.mark.parametrize("how", ["loop", "threads"])
def test_a_client_that_is_gone_ends_the_process_quietly(how: str, marker: Path) -> None:
    """F38."""
    read_end, write_end = os.pipe()
    with echo_server(marker, stdout=write_end, env={"APPFUNCTIONS_STDIO": how}) as server:
        os.close(write_end)
        server.send(PING)
        assert b'"result"' in os.read(read_end, 4096)
        os.close(read_end)
        server.send(request("text", 1, length=1_000_000))
        assert server.wait() == 0
        assert "Traceback" not in server.stderr
        assert "Exception ignored" not in server.stderr
    assert marker.read_text() == "closed\n"


@posix_only
def test_closed_standard_descriptors_are_an_empty_input(marker: Path) -> None:
    program = f"exec {sys.executable} -m tests.support.echo_engine {marker} <&- >&- 2>&-"
    with stdio_server("-c", f"import os; os.execv('/bin/sh', ['sh', '-c', {program!r}])") as server:
        assert server.wait(5) == 0
        assert marker.read_text() == "closed\n"


@posix_only
def test_the_mode_of_a_shared_pipe_is_put_back(marker: Path) -> None:
    """A shell goes on reading the same pipe after the server has ended."""
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb") as writer, os.fdopen(read_end, "rb") as reader:
        with echo_server(marker, stdin=reader) as server:
            writer.write(PING + b"\n")
            writer.flush()
            assert server.read()["id"] == "ping"
            assert not os.get_blocking(reader.fileno())
            server.signal(signal.SIGTERM)
            assert server.wait() == 0
        assert os.get_blocking(reader.fileno())


@posix_only
def test_a_pipe_shared_with_stderr_stays_blocking(marker: Path) -> None:
    """Whoever writes to stderr does not expect that it may be full."""
    command = [sys.executable, "-m", "tests.support.echo_engine", str(marker)]
    with subprocess.Popen(
        command,
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        out, _ = process.communicate(PING + b"\n", timeout=10)
    assert b'"id":"ping"' in out
    assert process.returncode == 0


@posix_only
def test_a_terminal_is_served_too(marker: Path) -> None:
    import pty

    main_end, terminal = pty.openpty()
    command = [sys.executable, "-m", "tests.support.echo_engine", str(marker)]
    with subprocess.Popen(
        command, cwd=PROJECT, stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL
    ) as process:
        os.close(terminal)
        os.write(main_end, PING + b"\n")
        shown = b""
        while b'"result"' not in shown:
            shown += os.read(main_end, 4096)
        os.close(main_end)
        assert process.wait(10) == 0


@posix_only
def test_the_end_of_the_parent_is_noticed_when_asked_for(marker: Path, tmp_path: Path) -> None:
    """A handle that somebody leaked keeps the input open for ever."""
    read_end, write_end = os.pipe()
    program = (
        "import subprocess, sys; "
        f"p = subprocess.Popen([sys.executable, '-m', 'tests.support.echo_engine', "
        f"{str(marker)!r}, '--watch-parent'], stdin={read_end}, pass_fds=[{read_end}]); "
        "print(p.pid, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        pass_fds=[read_end],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent, os.fdopen(write_end, "wb") as writer:
        assert parent.stdin is not None
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        writer.write(PING + b"\n")
        writer.flush()
        assert json.loads(parent.stdout.readline())["id"] == "ping"
        parent.kill()
        parent.wait(5)
        _await_end(server)
    os.close(read_end)
    assert marker.read_text() == "closed\n"


def _await_end(process_id: int) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError(f"process {process_id} is still there")


@posix_only
def test_an_idle_server_costs_no_processor_time_after_its_start(marker: Path) -> None:
    """F37: nothing spins, and nothing is polled."""
    with echo_server(marker) as server:
        server.request("echo")
        before = _processor_seconds(server.process.pid)
        time.sleep(0.5)
        assert _processor_seconds(server.process.pid) - before < 0.05


def _processor_seconds(process_id: int) -> float:
    psutil = pytest.importorskip("psutil")
    times = psutil.Process(process_id).cpu_times()
    return float(times.user + times.system)


@posix_only
@pytest.mark.anyio
async def test_nothing_more_is_read_while_the_client_leaves_too_much_unread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "MAX_UNSENT_BYTES", 100_000)
    (input_read, input_write), (output_read, output_write) = os.pipe(), os.pipe()
    transport = StdioTransport(ProtocolDescriptors(input_read, output_write))
    received: list[object] = []

    def answer(message: dict[str, Any]) -> None:
        received.append(message["id"])
        transport.send({"jsonrpc": "2.0", "id": message["id"], "result": {"x": "y" * 3_000_000}})

    serving = asyncio.create_task(transport.run(answer, lambda: None))
    os.write(input_write, json.dumps(request("x", 1)).encode() + b"\n")
    await asyncio.sleep(0.05)
    os.write(input_write, json.dumps(request("x", 2)).encode() + b"\n")
    await asyncio.sleep(0.05)
    # The second line is read, since the first was not written yet when it came; no more are.
    os.write(input_write, json.dumps(request("x", 3)).encode() + b"\n")
    await asyncio.sleep(0.05)
    held_back = list(received)
    os.close(input_write)
    chunks = []
    while chunk := await asyncio.to_thread(os.read, output_read, 65_536):
        chunks.append(chunk)
        if b"".join(chunks).count(b"\n") == 3:
            break
    await serving
    assert len(held_back) < 3
    assert received == [1, 2, 3]
    for descriptor in (input_read, output_read, output_write):
        os.close(descriptor)
