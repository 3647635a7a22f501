"""The HTTP cases of the field, F42 to F53, row by row against a server process and its socket."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.edge_server import parsers
from tests.support.http_server import Answer, HttpServer, http_server
from tests.support.raw_http import CALL_ADD, call, chunk, connected, head, request

CHANGING = "DELETE, GET, POST"
PAGE = "http://localhost:5173"
SERVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("alone", {}),
    "named": ("alone", {"allowed_hosts": ["tools.example.com"]}),
    "pages": ("alone", {"allowed_origins": ["https://app.example"], "token": "s3cret"}),
    "token": ("alone", {"token": "s3cret"}),
    "sessions": ("alone", {"sessions": True}),
    "session tokens": ("alone", {"sessions": True, "token": "s3cret"}),
    "sdk": ("alone", {"engine": "sdk"}),
    "quick": ("alone", {"keep_alive_seconds": 0.1}),
    "quick sessions": ("alone", {"keep_alive_seconds": 0.1, "sessions": True}),
    "small": ("alone", {"max_body_bytes": 4096}),
    "small sessions": ("alone", {"max_body_bytes": 4096, "sessions": True}),
    "broken": ("bare", {"is_broken": True}),
    "bare": ("bare", {}),
    "mount": ("mount", {}),
    "route": ("route", {}),
    "hosted": ("hosted", {}),
}
"""Where a server stands, and its options."""

Servers = Callable[[str], HttpServer]


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """Server processes by name, each started when it is first asked for."""
    running: dict[str, HttpServer] = {}
    with ExitStack() as stack:

        def serve(name: str) -> HttpServer:
            if name not in running:
                running[name] = stack.enter_context(edge_server(*SERVERS[name]))
            return running[name]

        yield serve


def edge_server(place: str, options: dict[str, Any], parser: str = parsers()[-1]) -> Any:
    """A context manager that starts a server."""
    arguments = ("-m", "tests.support.edge_server", parser, place, json.dumps(options))
    return http_server(*arguments)


def initialize(version: str = "2025-11-25") -> dict[str, Any]:
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}
TOKEN: dict[str, str | None] = {"Authorization": "Bearer s3cret"}


@dataclass(frozen=True)
class Row:
    """A request, and what the answer must be."""

    case: str
    status: int
    server: str = "plain"
    method: str = "POST"
    path: str = "/mcp"
    headers: dict[str, str | None] = field(default_factory=dict)
    body: Any = None
    answer: dict[str, str] = field(default_factory=dict)
    """Headers by name, and the pattern that each must have."""
    error: int | None = None
    """The code of the JSON-RPC error in the body."""


ROWS = [
    *(
        Row("F42", 200, server=server, headers={"Accept": accept})
        for server in ("plain", "sdk", "bare")
        for accept in (
            None,
            "*/*",
            "application/*",
            "application/json",
            "text/event-stream",
            "application/json;q=0.9, text/event-stream;q=0.5",
            "text/event-stream;q=0.5, application/json;q=0.9",
        )
    ),
    Row("F42", 406, headers={"Accept": "text/html"}, error=-32600),
    Row("F42", 406, server="sessions", headers={"Accept": "text/html"}, error=-32600),
    *(
        Row("F43", 200, headers={"Host": host})
        for host in ("localhost:8000", "127.0.0.1:8000", "[::1]:8000")
    ),
    Row("F43", 421, headers={"Host": "evil.example"}, error=-32600),
    Row("F43", 421, server="named", headers={"Host": "evil.example"}, error=-32600),
    Row("F43", 200, server="named", headers={"Host": "tools.example.com"}),
    Row("F43", 200, server="named", headers={"Host": "tools.example.com:443"}),
    Row("F43", 403, headers={"Origin": "http://evil.example"}, error=-32600),
    Row("F43", 200),
    Row("F45", 404, server="sessions", headers={"Mcp-Session-Id": "dead"}, error=-32600),
    Row("F45", 400, server="sessions", body=LIST, error=-32600),
    Row("F47", 202, body=NOTIFICATION, answer={"content-length": "0"}),
    Row("F47", 202, server="sdk", body=NOTIFICATION, answer={"content-length": "0"}),
    *(
        Row("F47", 405, server=server, method=method, answer={"allow": "POST"})
        for server in ("plain", "sdk")
        for method in ("GET", "DELETE", "PUT")
    ),
    Row("F47", 405, server="sessions", method="PUT", answer={"allow": CHANGING}),
    Row("F47", 404, path="/other", error=-32600),
    *(
        Row(f"both spellings, {server}", 200, server=server, path=path)
        for server in ("plain", "bare", "sdk")
        for path in ("/mcp", "/mcp/")
    ),
    Row("F50", 413, server="small", body=b" " * 4097, answer={"connection": "close"}),
    Row("F50", 413, server="small sessions", body=b" " * 4097, answer={"connection": "close"}),
    Row("F50", 200, server="small", body=json.dumps(CALL_ADD).encode().ljust(4096)),
    Row("F51", 401, server="token", answer={"www-authenticate": "Bearer"}, error=-32600),
    *(
        Row("F51", 401, server="token", headers={"Authorization": shown}, error=-32600)
        for shown in ("Bearer wrong", "Bearer", "Basic s3cret", "Bearer s3cret s3cret", "Bearer é")
    ),
    Row("F51", 200, server="token", headers=TOKEN),
    Row("F51", 200, server="token", method="GET", path="/healthz"),
    *(
        Row("F53", 200, server=server, headers={"MCP-Protocol-Version": version}, body=initialize())
        for server in ("plain", "sessions", "sdk")
        for version in (None, "2099-01-01", "not a version")
    ),
    *(
        Row("F53", 400, server=server, headers={"MCP-Protocol-Version": version}, error=-32022)
        for server in ("plain", "sessions")
        for version in ("2099-01-01", "not a version", "")
    ),
    Row("F53", 200, headers={"MCP-Protocol-Version": None}),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.case} {row.server} {row.status}")
def test_each_request_of_the_table_gets_its_answer(row: Row, servers: Servers) -> None:
    body = CALL_ADD if row.body is None and row.method == "POST" else row.body
    answer = servers(row.server).ask(row.method, row.path, body, row.headers)
    assert answer.status == row.status, answer
    for name, pattern in row.answer.items():
        assert re.fullmatch(pattern, answer.headers[name])
    if row.error is not None:
        assert answer.message["error"]["code"] == row.error
    elif row.status == 200 and row.method == "POST":
        assert "result" in answer.message


def test_a_refused_host_is_logged_with_the_option_that_admits_it(servers: Servers) -> None:
    """F43."""
    server = servers("plain")
    assert server.ask(body=CALL_ADD, headers={"Host": "tools.example.com"}).status == 421
    await_log(server, r"tools\.example\.com.*--allowed-host")


def await_log(server: HttpServer, pattern: str) -> None:
    end = time.monotonic() + 10
    while re.search(pattern, server.process.stderr) is None:
        assert time.monotonic() < end, server.process.stderr
        time.sleep(0.02)


# Sessions.


def opened(server: HttpServer, **headers: str) -> dict[str, str | None]:
    """The header of a new session."""
    answer = server.ask(body=initialize(), headers={**headers})
    assert answer.status == 200, answer
    return {"Mcp-Session-Id": answer.headers["mcp-session-id"]}


def test_a_request_of_a_session_that_is_gone_is_refused_under_its_id(servers: Servers) -> None:
    """F45."""
    server = servers("sessions")
    session = opened(server)
    assert server.ask(body=LIST, headers=session).status == 200
    assert server.ask("DELETE", headers=session).status == 200
    answer = server.ask(body=LIST, headers=session)
    assert (answer.status, answer.message["id"]) == (404, "list")
    assert "mcp-session-id" not in answer.headers
    assert server.ask("GET", headers=session).status == 404
    assert server.ask("DELETE", headers=session).status == 404


def test_a_handshake_with_a_stale_session_opens_a_new_one(servers: Servers) -> None:
    """F45."""
    server = servers("sessions")
    answer = server.ask(body=initialize(), headers={"Mcp-Session-Id": "dead"})
    assert answer.status == 200
    assert answer.headers["mcp-session-id"] != "dead"
    session = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
    assert server.ask(body=LIST, headers=session).status == 200


def test_a_request_that_lacks_its_session_is_not_told_of_another(servers: Servers) -> None:
    """F45: a client would keep to whatever session an answer names."""
    answer = servers("sessions").ask(body=LIST)
    assert answer.status == 400
    assert "mcp-session-id" not in answer.headers


def test_a_session_under_an_unknown_version_is_a_session(servers: Servers) -> None:
    """F53."""
    server = servers("sessions")
    answer = server.ask(body=initialize(), headers={"MCP-Protocol-Version": "2099-01-01"})
    session = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
    assert server.ask(body=LIST, headers=session).status == 200


def test_the_versions_that_are_served_are_told_with_one_that_is_not(servers: Servers) -> None:
    """F53."""
    for name in ("plain", "sessions"):
        answer = servers(name).ask(body=LIST, headers={"MCP-Protocol-Version": "2099-01-01"})
        assert {"2025-11-25", "2026-07-28"} <= set(answer.message["error"]["data"]["supported"])


def test_any_of_several_processes_answers_any_request() -> None:
    """F46."""
    with edge_server("alone", {}) as one, edge_server("alone", {}) as other:
        opening = one.ask(body=initialize())
        assert "mcp-session-id" not in opening.headers
        for turn in range(50):
            server = (one, other)[turn % 2]
            answer = server.ask(body=CALL_ADD | {"id": turn})
            assert (answer.status, answer.message["id"]) == (200, turn)
            assert "mcp-session-id" not in answer.headers


# Web pages.


def preflight(server: HttpServer, origin: str, path: str = "/mcp") -> Answer:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "mcp-protocol-version,authorization",
        "Content-Type": None,
        "Accept": "*/*",
    }
    return server.ask("OPTIONS", path, headers=headers)


@pytest.mark.parametrize("name", ["plain", "token", "session tokens", "sdk"])
def test_a_preflight_is_answered_without_a_token(name: str, servers: Servers) -> None:
    """F48."""
    for path in ("/mcp", "/mcp/"):
        answer = preflight(servers(name), PAGE, path)
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == PAGE
        assert "POST" in answer.headers["access-control-allow-methods"]
        allowed = answer.headers["access-control-allow-headers"].split(", ")
        assert {
            "content-type",
            "accept",
            "authorization",
            "mcp-protocol-version",
            "mcp-session-id",
            "last-event-id",
        } <= set(allowed)
        assert "access-control-allow-credentials" not in answer.headers


def test_a_preflight_allows_the_headers_of_the_newest_revision(servers: Servers) -> None:
    asked = "content-type, mcp-method, mcp-name, Mcp-Param-Note-Id, x-other"
    headers = {"Origin": PAGE, "Access-Control-Request-Headers": asked}
    answer = servers("plain").ask("OPTIONS", headers=headers)
    allowed = answer.headers["access-control-allow-headers"].split(", ")
    assert {"mcp-method", "mcp-name", "mcp-param-note-id"} <= set(allowed)
    assert "x-other" not in allowed


def test_pages_of_other_origins_are_admitted_by_name_only(servers: Servers) -> None:
    """F48."""
    server = servers("pages")
    assert preflight(server, "https://app.example").status == 204
    for origin in ("https://evil.example", "null", "https://app.example.evil.example"):
        answer = preflight(server, origin)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("name", "path", "headers", "status"),
    [
        ("plain", "/mcp", {}, 200),
        ("sessions", "/mcp", {}, 400),
        ("token", "/mcp", {}, 401),
        ("token", "/mcp", TOKEN, 200),
        ("plain", "/other", {}, 404),
        ("sessions", "/mcp", {"Mcp-Session-Id": "dead"}, 404),
        ("plain", "/mcp", {"Accept": "text/html"}, 406),
        ("broken", "/mcp", {}, 500),
    ],
)
def test_a_page_may_read_every_answer(
    name: str, path: str, headers: dict[str, str | None], status: int, servers: Servers
) -> None:
    """F48."""
    answer = servers(name).ask("POST", path, CALL_ADD, {"Origin": PAGE, **headers})
    assert answer.status == status
    assert answer.headers["access-control-allow-origin"] == PAGE
    exposed = answer.headers["access-control-expose-headers"].split(", ")
    assert {"mcp-session-id", "www-authenticate"} <= set(exposed)
    assert answer.headers["vary"] == "origin"
    assert "access-control-allow-credentials" not in answer.headers


def test_a_page_may_read_the_session_that_it_opened(servers: Servers) -> None:
    """F48."""
    answer = servers("sessions").ask(body=initialize(), headers={"Origin": PAGE})
    assert answer.headers["mcp-session-id"]
    assert answer.headers["access-control-allow-origin"] == PAGE


def test_a_server_that_cannot_start_answers_as_json(servers: Servers) -> None:
    answer = servers("broken").ask(body=CALL_ADD)
    assert answer.message["error"] == {"code": -32603, "message": "Internal error"}


# Silent streams.


@pytest.mark.parametrize("name", ["plain", "sessions"])
def test_a_silent_call_sends_its_first_byte_within_a_second(
    name: str, servers: Servers, tmp_path: Path
) -> None:
    """F49; three seconds where the machine is busy."""
    server = servers(name)
    session = opened(server) if name == "sessions" else {}
    with connected(server.port) as client:
        started = time.monotonic()
        client.send(request(call("wait", seconds=2.5, marker=str(tmp_path / "mark")), session))
        answer = client.read_until(b": ping\r\n\r\n")
        assert time.monotonic() - started < 2.4
        lowered = answer.lower()
        assert b"content-type: text/event-stream" in lowered
        assert b"cache-control: no-cache" in lowered
        assert b"x-accel-buffering: no" in lowered
        assert answer.count(b"data:") == 0
        assert b"waited" in client.read_until(b"0\r\n\r\n")


@pytest.mark.parametrize("name", ["quick", "quick sessions"])
def test_comments_come_as_often_as_was_asked_for(
    name: str, servers: Servers, tmp_path: Path
) -> None:
    """F49."""
    server = servers(name)
    session = opened(server) if "sessions" in name else {}
    body = call("wait", seconds=1, marker=str(tmp_path / "mark"))
    answer = server.ask(body=body, headers=session)
    assert answer.body.count(b": ping\r\n\r\n") >= 5
    assert answer.body.count(b"data: ") == 1
    assert "waited" in json.dumps(answer.message)


def test_a_stream_of_a_session_is_kept_alive(servers: Servers) -> None:
    """F49."""
    server = servers("quick sessions")
    session = {name: str(value) for name, value in opened(server).items()}
    with connected(server.port) as client:
        lines = "".join(f"{name}: {value}\r\n" for name, value in session.items())
        accept = "Accept: text/event-stream\r\n"
        client.send(f"GET /mcp HTTP/1.1\r\nHost: localhost\r\n{accept}{lines}\r\n".encode())
        client.read_until(b": ping\r\n\r\n")
        client.read_until(b": ping\r\n\r\n")


# The body.


@pytest.mark.parametrize("name", ["small", "small sessions"])
def test_a_declared_length_above_the_limit_is_refused_before_the_body_comes(
    name: str, servers: Servers
) -> None:
    """F50."""
    with connected(servers(name).port) as client:
        client.send(head({"Content-Length": "50000000"}))
        answer = client.read_until(b"}}")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("name", ["small", "small sessions"])
def test_pieces_above_the_limit_are_refused(name: str, servers: Servers) -> None:
    """F50."""
    with connected(servers(name).port) as client:
        client.send(head({"Transfer-Encoding": "chunked"}))
        for _ in range(5):
            client.send(chunk(b" " * 1000))
        answer = client.read_until(b"}}")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()


def test_a_length_that_lies_hides_no_second_request(servers: Servers) -> None:
    """F50."""
    with connected(servers("small").port) as client:
        client.send(request(CALL_ADD, {"Content-Length": "5"}))
        received = client.read_until(b"\r\n\r\n")
        client.socket.shutdown(socket.SHUT_WR)
        received += client.rest()
    assert set(re.findall(rb"HTTP/1\.1 (\d+)", received)) == {b"400"}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads Linux's /proc")
@pytest.mark.parametrize("parser", parsers())
def test_pieces_of_one_byte_cost_no_more_than_the_body(parser: str) -> None:
    """F50."""
    limit = 384 * 1024
    with edge_server("alone", {"max_body_bytes": limit}, parser) as server:
        body = json.dumps(CALL_ADD).encode().ljust(limit)
        assert server.ask(body=body).status == 200
        before = resident_bytes(server, "VmRSS")
        Path(f"/proc/{server.process.process.pid}/clear_refs").write_text("5", "ascii")
        with connected(server.port, seconds=100) as client:
            client.send(head({"Transfer-Encoding": "chunked"}))
            client.send(b"".join(chunk(body[n : n + 1]) for n in range(limit)))
            client.send(chunk(b""))
            assert client.answer().status == 200
        assert resident_bytes(server, "VmHWM") - before < 3 * limit


def resident_bytes(server: HttpServer, name: str) -> int:
    status = Path(f"/proc/{server.process.process.pid}/status").read_text("ascii")
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


# In another app.


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("bare", "/mcp"),
        ("mount", "/tools/mcp"),
        ("mount", "/tools/mcp/"),
        ("route", "/mcp"),
        ("hosted", "/tools/mcp"),
    ],
)
def test_an_app_in_another_starts_with_its_first_request(
    name: str, path: str, servers: Servers
) -> None:
    """F52."""
    for _ in range(2):
        answer = servers(name).ask(path=path, body=CALL_ADD)
        assert answer.status == 200
        assert answer.message["result"]["structuredContent"] == {"result": 3}
