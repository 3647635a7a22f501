"""What the lean engine does over HTTP beyond what both engines share."""

import asyncio
import itertools
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.server import client_watch, http_messages, lean_http
from appfunctions_mcp.server.asgi import AppFunctionsApp, app_functions_asgi
from appfunctions_mcp.server.joined_writes import MAX_KEPT_BYTES, JoinedTransport
from tests.server.test_engine import MODERN, await_text
from tests.server.test_http import CALL, PROGRAM, modern_call
from tests.support.asgi_client import AsgiRequest, asgi_request, ask
from tests.support.http_server import Answer, HttpServer, http_server
from tests.support.raw_http import INITIALIZE
from tests.support.served_functions import served_functions
from tests.support.stdio_server import DEADLINE_SECONDS

pytestmark = pytest.mark.anyio

LISTEN_HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
LISTEN = {
    "jsonrpc": "2.0",
    "id": "l",
    "method": "subscriptions/listen",
    "params": {"notifications": {"toolsListChanged": True}, "_meta": MODERN},
}


@pytest.fixture
def app() -> AppFunctionsApp:
    """The app, not yet started."""
    return app_functions_asgi(served_functions())


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    """A server process."""
    with http_server(*PROGRAM) as running:
        yield running


def call(name: str, arguments: dict[str, Any], **meta: Any) -> dict[str, Any]:
    """A call of the handshake era."""
    params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return CALL | {"params": params}


def sent(era: str, app: AppFunctionsApp, name: str, arguments: Any, **meta: Any) -> AsgiRequest:
    """A request for a call, in either era."""
    if era == "handshake":
        return asgi_request(app, call(name, arguments, **meta))
    body, headers = modern_call(name, arguments, **meta)
    return asgi_request(app, body, **{n.lower(): v for n, v in headers.items()})


# The form of an answer.


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_an_answer_is_json_until_something_is_told(era: str, app: AppFunctionsApp) -> None:
    answer = await sent(era, app, "count", {"steps": 3}).run()
    assert answer.headers["content-type"] == "application/json"
    answer = await sent(era, app, "count", {"steps": 3}, progressToken="t").run()
    assert answer.headers["content-type"] == "text/event-stream"
    assert len(answer.messages) == 4
    answer = await sent(era, app, "count", {"steps": 0}, progressToken="t").run()
    assert answer.headers["content-type"] == "application/json"


async def test_a_client_that_takes_json_only_gets_the_answer_alone(app: AppFunctionsApp) -> None:
    """F42, F58."""
    answer = await ask(app, call("count", {"steps": 3}, progressToken=1), accept="application/json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.message["result"]["structuredContent"] == {"result": 3}


async def test_a_stream_is_not_to_be_kept_by_anyone_between(app: AppFunctionsApp) -> None:
    """F49."""
    answer = await ask(app, CALL, accept="text/event-stream")
    assert answer.body.startswith(b"event: message\r\ndata: {")
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"


async def test_an_error_with_a_status_is_json_for_every_client(app: AppFunctionsApp) -> None:
    body, headers = modern_call("nope", {})
    lower = {name.lower(): value for name, value in headers.items()}
    answer = await asgi_request(app, body, **lower, accept="text/event-stream").run()
    assert (answer.status, answer.headers["content-type"]) == (400, "application/json")


async def test_log_messages_come_unasked_where_nobody_can_ask(app: AppFunctionsApp) -> None:
    *logged, response = (await ask(app, call("write_log", {}))).messages
    assert [m["params"]["level"] for m in logged] == ["info", "error"]
    assert response["result"]["content"][0]["text"] == "written"


async def test_two_accept_headers_are_one(app: AppFunctionsApp) -> None:
    """F42."""
    request = asgi_request(app, CALL, accept="text/html")
    scope = request._scope()
    scope["headers"].append((b"accept", b"application/json"))
    await app(scope, request._receive, request._send)
    assert request.answer().status == 200


@pytest.mark.parametrize(
    ("name", "first", "second", "status"),
    [
        (b"host", b"evil.example", b"localhost", 421),
        (b"host", b"localhost", b"evil.example", 421),
        (b"origin", b"https://evil.example", b"http://localhost", 403),
        (b"authorization", b"Bearer wrong", b"Bearer s3cret", 401),
        (b"authorization", b"Bearer s3cret", b"Bearer wrong", 401),
    ],
)
async def test_of_two_headers_that_access_depends_on_neither_counts(
    name: bytes, first: bytes, second: bytes, status: int
) -> None:
    """F43: not every HTTP parser refuses them."""
    app = app_functions_asgi(served_functions(), token="s3cret")
    request = asgi_request(app, CALL, authorization="Bearer s3cret")
    scope = request._scope()
    kept = [pair for pair in scope["headers"] if pair[0] != name]
    scope["headers"] = [*kept, (name, first), (name, second)]
    await app(scope, request._receive, request._send)
    assert request.answer().status == status


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://localhost/mcp", 200),
        ("https://localhost:8000/mcp/", 200),
        ("http://localhost", 200),
        ("http://localhost/", 200),
        ("http://localhost/other", 404),
        ("http:/mcp", 404),
    ],
)
async def test_a_target_may_be_a_whole_url(target: str, status: int, app: AppFunctionsApp) -> None:
    """Servers must accept that form (RFC 9112, 3.2.2); not every one of them takes it apart."""
    request = asgi_request(app, CALL)
    request.path = target
    assert (await request.run()).status == status


# The protocol version.


@pytest.mark.parametrize("version", [None, "2099-01-01", "x", "2024-11-05"])
async def test_a_handshake_may_come_under_any_version(
    version: str | None, app: AppFunctionsApp
) -> None:
    """F53."""
    answer = await ask(app, INITIALIZE, mcp_protocol_version=version)
    assert answer.status == 200
    assert answer.message["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("version", ["2099-01-01", "x", ""])
async def test_a_version_that_nobody_knows_is_told_with_those_served(
    version: str, app: AppFunctionsApp
) -> None:
    """F53."""
    answer = await ask(app, CALL, mcp_protocol_version=version)
    assert answer.status == 400
    error = answer.message["error"]
    assert error["code"] == -32022
    assert {"2026-07-28", "2025-11-25"} <= set(error["data"]["supported"])
    assert error["data"]["requested"] == version


async def test_a_header_that_comes_twice_is_refused(app: AppFunctionsApp) -> None:
    body, headers = modern_call("add", {"a": 1, "b": 2})
    request = asgi_request(app, body, **{n.lower(): v for n, v in headers.items()})
    scope = request._scope()
    scope["headers"].append((b"mcp-name", b"add"))
    await app(scope, request._receive, request._send)
    error = request.answer().message["error"]
    assert (error["code"], error["message"]) == (-32020, "mcp-name header appears more than once")


# Messages that are answered with nothing, or are none.


async def test_a_notification_has_an_answer_of_no_bytes(server: HttpServer) -> None:
    """F47."""
    answer = server.ask(body={"jsonrpc": "2.0", "method": "notifications/cancelled"})
    assert (answer.status, answer.body, answer.headers["content-length"]) == (202, b"", "0")


@pytest.mark.parametrize("request_id", [None, 1.5, True, [], {}])
async def test_an_id_of_another_kind_is_an_error(request_id: object, app: AppFunctionsApp) -> None:
    """F41."""
    answer = await ask(app, {"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    assert answer.status == 400
    assert (answer.message["id"], answer.message["error"]["code"]) == (None, -32600)


async def test_a_response_is_taken_where_clients_may_send_one(app: AppFunctionsApp) -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (await ask(app, response)).status == 202
    assert (await ask(app, response, mcp_protocol_version="2026-07-28")).status == 400


# The body.


def chunked(app: AppFunctionsApp, *chunks: bytes, **headers: str) -> AsgiRequest:
    return AsgiRequest(app, list(chunks), {n.replace("_", "-"): v for n, v in headers.items()})


@pytest.mark.parametrize(
    ("size", "status"), [(199, 200), (200, 200), (201, 413)], ids=["below", "limit", "above"]
)
@pytest.mark.parametrize("pieces", [1, 200])
@pytest.mark.parametrize("declared", [None, "5"], ids=["undeclared", "declared short"])
async def test_the_limit_counts_what_is_received(
    size: int, status: int, pieces: int, declared: str | None
) -> None:
    """F50."""
    app = app_functions_asgi(served_functions(), max_body_bytes=200)
    body = json.dumps(CALL).encode().ljust(size)
    length = -(-size // pieces)
    chunks = [body[n : n + length] for n in range(0, size, length)]
    headers = {} if declared is None else {"content_length": declared}
    answer = await chunked(app, *chunks, **headers).run()
    assert answer.status == status
    if status == 413:
        assert answer.headers["connection"] == "close"
        assert "more than 200 bytes" in answer.message["error"]["message"]


@pytest.mark.parametrize("declared", ["201", "9" * 5000])
async def test_a_body_that_says_it_is_too_long_is_not_read(
    declared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F50."""
    monkeypatch.setattr(http_messages, "LINGER_SECONDS", 0.01)
    app = app_functions_asgi(served_functions(), max_body_bytes=200)
    request = chunked(app, content_length=declared)
    answer = await request.run()
    assert (answer.status, request.asked) == (413, 1)


def test_a_client_gets_to_the_refusal_of_a_body_that_it_is_still_sending(
    server: HttpServer,
) -> None:
    """F50."""
    answer = server.ask(body=b" " * (12 * 1024 * 1024))
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    chunks = itertools.repeat(b" " * 65536, 100)
    assert server.ask(body=chunks).status == 413


async def test_a_client_that_leaves_before_its_request_is_complete_gets_nothing(
    app: AppFunctionsApp,
) -> None:
    request = chunked(app, b'{"jsonrpc"', b"")
    request.chunks.pop()
    request.leave()

    async def receive() -> Any:
        event = await request._receive()
        return event | {"more_body": True} if event["type"] == "http.request" else event

    await app(request._scope(), receive, request._send)
    assert request.events == []


# A client that leaves, and one that waits.


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize("meta", [{}, {"progressToken": 1}], ids=["json", "stream"])
@pytest.mark.parametrize(("function", "mark"), [("wait", "ended"), ("wait_in_thread", "cancelled")])
async def test_a_client_that_leaves_ends_its_call(
    era: str, meta: dict[str, int], function: str, mark: str, app: AppFunctionsApp, tmp_path: Path
) -> None:
    """F57."""
    marker = tmp_path / "marker"
    arguments = {"seconds": 60, "marker": str(marker)}
    request = sent(era, app, function, arguments, **meta)
    asking = asyncio.create_task(app(request._scope(), request._receive, request._send))
    await request.until_asked(2)
    started = time.monotonic()
    request.leave()
    await asyncio.wait_for(asking, DEADLINE_SECONDS)
    assert asking.exception() is None
    assert await asyncio.to_thread(await_text, marker) == mark
    assert time.monotonic() - started < 1
    if not meta:
        assert request.events == []


async def test_a_quick_call_asks_nobody_whether_its_client_is_there(app: AppFunctionsApp) -> None:
    request = asgi_request(app, CALL)
    await request.run()
    assert request.asked == 1


async def test_a_cancellation_from_outside_is_passed_on(
    app: AppFunctionsApp, tmp_path: Path
) -> None:
    request = sent("modern", app, "wait", {"seconds": 60, "marker": str(tmp_path / "marker")})
    asking = asyncio.create_task(request.run())
    await request.until_asked(2)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_silent_call_keeps_its_stream_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F49."""
    monkeypatch.setattr(client_watch, "WATCH_AFTER_SECONDS", 0.01)
    app = app_functions_asgi(served_functions(), keep_alive_seconds=0.05)
    arguments = {"seconds": 0.5, "marker": str(tmp_path / "marker")}
    answer = await sent("handshake", app, "wait", arguments).run()
    assert answer.body.count(b": ping\r\n\r\n") >= 5
    assert answer.message["result"]["content"][0]["text"] == "waited"
    answer = await asgi_request(app, call("wait", arguments), accept="application/json").run()
    assert answer.headers["content-type"] == "application/json"


# Streams of changes.


async def test_a_stream_of_changes_is_kept_alive_and_told_once_of_many() -> None:
    app = app_functions_asgi(served_functions(), keep_alive_seconds=0.02)
    request = asgi_request(app, LISTEN, **{n.lower(): v for n, v in LISTEN_HEADERS.items()})
    listening = asyncio.create_task(request.run())
    await request.until_events(4)
    await ask(app, call("switch", {"name": "wipe", "on": True}))
    while b"list_changed" not in request.answer().body:
        await request.until_events(len(request.events) + 1)
    request.leave()
    messages = (await listening).messages
    assert [m["method"].rpartition("/")[2] for m in messages] == ["acknowledged", "list_changed"]
    assert b": ping\r\n\r\n" in request.answer().body


async def test_too_many_streams_are_refused(
    app: AppFunctionsApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lean_http, "MAX_SUBSCRIPTIONS", 0)
    answer = await asgi_request(
        app, LISTEN, **{n.lower(): v for n, v in LISTEN_HEADERS.items()}
    ).run()
    assert answer.message["error"]["message"] == "Subscription limit reached"


async def test_a_stream_of_changes_is_no_json(app: AppFunctionsApp) -> None:
    """F42."""
    headers = {n.lower(): v for n, v in LISTEN_HEADERS.items()}
    answer = await asgi_request(app, LISTEN, **headers, accept="application/json").run()
    assert (answer.status, answer.message["id"]) == (406, "l")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_ends_streams_of_changes_with_their_response(tmp_path: Path) -> None:
    with http_server(*PROGRAM, env={"LIFESPAN_MARKER": str(tmp_path / "lifespan")}) as server:
        body = json.dumps(LISTEN).encode()
        with socket.create_connection(("127.0.0.1", server.port), DEADLINE_SECONDS) as client:
            client.sendall(raw_request(body, LISTEN_HEADERS))
            received = client.recv(65536)
            while b"acknowledged" not in received:
                received += client.recv(65536)
            server.process.signal(signal.SIGTERM)
            while chunk := client.recv(65536):
                received += chunk
        assert server.process.wait() == 0
    assert b'"id":"l","result"' in received
    assert received.endswith(b"\r\n0\r\n\r\n")
    assert (tmp_path / "lifespan").read_text() == "closed\n"


# Sockets and processes.


def raw_request(body: bytes, headers: dict[str, str] | None = None) -> bytes:
    """A request as it goes over a socket."""
    named = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **(headers or {}),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body


def test_head_and_body_of_an_answer_leave_together(server: HttpServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), DEADLINE_SECONDS) as client:
        for _ in range(20):
            client.sendall(raw_request(json.dumps(CALL).encode()))
            assert b'"structuredContent":{"result":3}' in client.recv(65536)


def test_requests_that_come_at_once_on_a_connection_are_answered_in_order(
    server: HttpServer,
) -> None:
    bodies = [json.dumps(CALL | {"id": f"no. {n}"}).encode() for n in range(5)]
    with socket.create_connection(("127.0.0.1", server.port), DEADLINE_SECONDS) as client:
        client.sendall(b"".join(map(raw_request, bodies)))
        received = b""
        while received.count(b'"structuredContent"') < 5:
            received += client.recv(65536)
    places = [received.index(b'"no. %d"' % n) for n in range(5)]
    assert places == sorted(places)


def test_an_answer_of_megabytes_is_complete(server: HttpServer) -> None:
    text = "ä" * 400_000
    answer = server.ask(body=call("echo", {"text": text}))
    assert answer.message["result"]["content"][0]["text"] == text


def test_any_of_several_processes_answers_any_request(server: HttpServer) -> None:
    """F46."""
    with http_server(*PROGRAM) as other:
        assert server.ask(body=INITIALIZE).status == 200
        answers = [s.ask(body=CALL) for s in (other, server) * 25]
    assert {answer.status for answer in answers} == {200}
    assert not any("mcp-session-id" in answer.headers for answer in answers)


def test_beside_sessions_the_modern_era_is_the_lean_engines() -> None:
    with http_server(*PROGRAM, "--sessions") as server:
        body, headers = modern_call("nest", {"depth": 300})
        answer = server.ask(body=body, headers=headers)
        assert answer.message["result"]["content"][0]["text"].count("{") == 300
        for method in ("GET", "DELETE"):
            refused = server.ask(method, headers={"MCP-Protocol-Version": "2026-07-28"})
            assert (refused.status, refused.headers["allow"]) == (405, "POST")
        opened: Answer = server.ask(body=INITIALIZE)
        assert "mcp-session-id" in opened.headers


def test_serving_without_sessions_needs_no_mcp_library_and_no_web_framework() -> None:
    script = f"""
import asyncio, sys
from appfunctions_mcp import AppFunctionService
from appfunctions_mcp.server.http import app_functions_asgi

def add(a: int, b: int) -> int:
    "Adds."
    return a + b

service = AppFunctionService.from_functions([add], name="n", description="d")
sent = []

async def receive():
    return {{"type": "http.request", "body": {json.dumps(CALL)!r}.encode()}}

async def send(event):
    sent.append(event)

scope = {{"type": "http", "method": "POST", "path": "/mcp", "headers": [
    (b"host", b"localhost"), (b"content-type", b"application/json")]}}
asyncio.run(app_functions_asgi(service)(scope, receive, send))
assert b'"structuredContent":{{"result":3}}' in sent[1]["body"], sent
print(*sorted(m.partition(".")[0] for m in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "uvicorn" in loaded
    assert not loaded & {"mcp", "mcp_types", "anyio", "starlette", "sse_starlette", "structlog"}


async def test_what_is_written_leaves_at_the_latest_when_the_loop_turns() -> None:
    ours, theirs = socket.socketpair()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_accepted_socket(asyncio.Protocol, ours)
    joined = JoinedTransport(transport, loop)
    with theirs:
        theirs.setblocking(False)
        joined.write(b"head")
        joined.write(b"")
        with pytest.raises(BlockingIOError):
            theirs.recv(100)
        assert await loop.sock_recv(theirs, 100) == b"head"
        joined.write(b"large" * MAX_KEPT_BYTES)
        assert theirs.recv(5) == b"large"
        joined.write(b"last")
        joined.close()
        assert joined.is_closing()
        received = b""
        while chunk := await loop.sock_recv(theirs, 1 << 20):
            received += chunk
        assert received.endswith(b"largelast")
