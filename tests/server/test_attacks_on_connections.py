"""Bytes that are no honest request, sent to real servers by either parser."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.support.edge_server import parsers
from tests.support.http_server import HttpServer, http_server
from tests.support.raw_http import CALL_ADD, RawConnection, chunk, connected, head, request
from tests.support.stdio_server import DEADLINE_SECONDS

MODULE = "tests.support.edge_server"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PIECES = chunk(PING) + b"0\r\n\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module", params=parsers())
def server(request: pytest.FixtureRequest) -> Iterator[HttpServer]:
    """A server by either parser, which asks for a token only where a test does not show one."""
    options = '{"token": "let-me-in-please"}'
    with http_server("-m", MODULE, request.param, "alone", options) as running:
        yield running
        assert "Traceback" not in running.process.stderr, running.process.stderr


def impatient(parser: str, *lines: str) -> tuple[str, ...]:
    """What follows the interpreter's name to serve with other limits."""
    blocked = [] if parser == "httptools" else ["sys.modules['httptools'] = None"]
    program = [
        "import sys",
        *blocked,
        *lines,
        f"from {MODULE} import main",
        "main('alone', {'token': 'let-me-in-please'})",
    ]
    return "-c", "\n".join(program)


@pytest.fixture(scope="module", params=parsers())
def hurried(request: pytest.FixtureRequest) -> Iterator[HttpServer]:
    """A server that waits only a moment for the rest of a request."""
    lines = (
        "from appfunctions_mcp.server import http_connection",
        "http_connection.REQUEST_SECONDS = 0.5",
    )
    with http_server(*impatient(request.param, *lines)) as running:
        yield running
        assert "Traceback" not in running.process.stderr, running.process.stderr


def memory(server: HttpServer) -> int:
    """The resident memory of a server, in bytes."""
    status = Path(f"/proc/{server.process.process.pid}/status").read_text("ascii")
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def flood(client: RawConnection, piece: bytes, count: int) -> None:
    """Sends the same bytes again and again, until the server has had enough."""
    with suppress(OSError):
        for _ in range(count):
            client.send(piece)


def await_healthy(server: HttpServer) -> None:
    """Waits until a server answers."""
    end = time.monotonic() + DEADLINE_SECONDS
    while True:
        with suppress(ConnectionError):
            assert server.ask("GET", "/healthz").status == 200
            return
        assert time.monotonic() < end, server.process.stderr


AMBIGUOUS = {
    "a length and pieces": head({"Content-Length": "5", "Transfer-Encoding": "chunked"}) + PIECES,
    "two lengths": head({"Content-Length": f"{len(PING)}\r\nContent-Length: 1"}) + PING,
    "a length and a sign": head({"Content-Length": f"+{len(PING)}"}) + PING,
    "a blank before the colon": head({"Content-Length ": f"{len(PING)}"}) + PING,
    "pieces of something else": head({"Transfer-Encoding": "gzip, chunked"}) + PIECES,
    "pieces twice": head({"Transfer-Encoding": "chunked\r\nTransfer-Encoding: chunked"}) + PIECES,
    "no pieces": head({"Transfer-Encoding": "chunked"}) + b"no piece\r\n",
    "another coding": head({"Transfer-Encoding": "xchunked"}) + PIECES,
    "a carriage return in a value": head({"X-A": "a\rHost: evil", "Content-Length": "0"}),
}


@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_a_request_whose_end_is_not_clear_ends_the_connection(
    sent: bytes, server: HttpServer
) -> None:
    """What follows could be a request that somebody before the server has taken for a body."""
    with connected(server.port) as client:
        client.send(sent + NEXT)
        answered = client.rest()
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert answered.count(b"HTTP/1.1 ") == 1


def test_fields_after_a_body_are_not_taken_for_the_head(server: HttpServer) -> None:
    unclear = b"Host: evil.example\r\nAuthorization: Bearer let-me-in-please\r\n"
    with connected(server.port) as client:
        client.send(head({"Transfer-Encoding": "chunked"}) + chunk(PING) + b"0\r\n")
        client.send(unclear + b"\r\n")
        assert client.answer().status == 401
        client.send(
            head({"Transfer-Encoding": "chunked", "Authorization": "Bearer let-me-in-please"})
            + chunk(PING)
            + b"0\r\nHost: evil.example\r\n\r\n"
        )
        assert client.answer().message == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        (b"POST /mcp HTTP/1.1\r\nX-A: ", b"a" * 65_536),
        (b"GET /", b"a" * 65_536),
        (b"POST /mcp HTTP/1.1\r\n", b"X-A: " + b"a" * 8_000 + b"\r\n"),
        (head({"Transfer-Encoding": "chunked"}) + b"1;", b"a" * 65_536),
        (head({"Transfer-Encoding": "chunked"}) + b"0\r\n", b"X-A: " + b"a" * 8_000 + b"\r\n"),
        (head({"Transfer-Encoding": "chunked"}) + b"0\r\nX-A: ", b"a" * 65_536),
    ],
    ids=["one field", "target", "fields", "piece", "fields after a body", "field after a body"],
)
def test_a_head_without_an_end_costs_nothing(
    beginning: bytes, piece: bytes, server: HttpServer
) -> None:
    before = memory(server)
    with connected(server.port) as client:
        client.send(beginning)
        flood(client, piece, 32_000_000 // len(piece))
    assert memory(server) - before < 6_000_000
    assert server.ask("GET", "/healthz").status == 200


def test_garbage_after_an_answer_ends_the_connection(server: HttpServer) -> None:
    with connected(server.port) as client:
        client.send(head({"Transfer-Encoding": "chunked"}))
        assert client.answer().status == 401
        client.send(b"no piece\r\n\r\n")
        with suppress(ConnectionResetError):
            assert b" 401 " not in client.rest()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /mcp HT",
        head({"Content-Length": "400000"}),
        head({"Content-Length": "9"}) + b"{",
    ],
    ids=["nothing", "half a line", "a head", "half a body"],
)
def test_a_request_that_does_not_go_on_ends_its_connection(
    sent: bytes, hurried: HttpServer
) -> None:
    begun = time.monotonic()
    with connected(hurried.port) as client:
        client.send(sent)
        client.rest()
    assert 0.4 < time.monotonic() - begun < DEADLINE_SECONDS


def test_a_client_that_is_too_slow_is_told_so(hurried: HttpServer) -> None:
    with connected(hurried.port) as client:
        client.send(request(CALL_ADD, {"Authorization": "Bearer let-me-in-please"}))
        assert client.answer().status == 200
        client.send(b"POST /mcp HTTP/1.1\r\nHost: loc")
        assert client.rest().startswith(b"HTTP/1.1 408 ")


def test_a_byte_now_and_then_does_not_keep_a_connection(hurried: HttpServer) -> None:
    begun = time.monotonic()
    with connected(hurried.port) as client, suppress(OSError):
        client.send(b"POST /mcp HTTP/1.1\r\nX-A: ")
        client.socket.settimeout(0.05)
        while time.monotonic() - begun < DEADLINE_SECONDS:
            client.send(b"a")
            with suppress(TimeoutError):
                assert client.socket.recv(100)
                break
    assert time.monotonic() - begun < DEADLINE_SECONDS / 2


def test_a_slow_body_that_goes_on_is_waited_for(hurried: HttpServer) -> None:
    body = b" " * 60_000 + PING
    headers = {"Authorization": "Bearer let-me-in-please", "Content-Length": str(len(body))}
    with connected(hurried.port) as client:
        client.send(head(headers) + body[:2_000])
        for cut in range(2_000, len(body), 10_000):
            time.sleep(0.2)  # the client's own slowness
            client.send(body[cut : cut + 10_000])
        assert client.answer().status == 200


def test_an_answer_may_take_longer_than_a_request(hurried: HttpServer, tmp_path: Path) -> None:
    given = {"seconds": 1.2, "marker": str(tmp_path / "mark")}
    call = {**CALL_ADD, "params": {"name": "wait", "arguments": given}}
    answer = hurried.ask("POST", "/mcp", call, {"Authorization": "Bearer let-me-in-please"})
    assert answer.status == 200


@pytest.mark.skipif(sys.platform == "win32", reason="limits of open files are Unix's")
@pytest.mark.parametrize("parser", parsers())
def test_more_connections_than_files_leave_the_server_alive(parser: str) -> None:
    lines = ("import resource", "resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))")
    with http_server(*impatient(parser, *lines)) as server, ExitStack() as stack:
        for _ in range(400):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5))
        # A slow server finds them closed already, unless they wait for it.
        end = time.monotonic() + DEADLINE_SECONDS
        while "no more are accepted" not in server.process.stderr and time.monotonic() < end:
            time.sleep(0.01)
        stack.close()
        await_healthy(server)
        told = server.process.stderr
        assert told.count("connections are open; no more are accepted") == 1
        assert len(told) < 2_000


@pytest.mark.skipif(sys.platform == "win32", reason="limits of open files are Unix's")
def test_a_server_takes_as_many_files_as_the_system_gives() -> None:
    lines = (
        "import resource",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, 600))",
    )
    with http_server(*impatient("h11", *lines)) as server, ExitStack() as stack:
        for _ in range(400):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5))
        assert server.ask("GET", "/healthz").status == 200
