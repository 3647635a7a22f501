"""The service over HTTP: the ASGI app itself and a server process, with both engines."""

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from appfunctions_mcp.exceptions import AppFunctionDeclarationError, SettingsError
from appfunctions_mcp.server.asgi import AppFunctionsApp, HttpEngine
from appfunctions_mcp.server.http import app_functions_asgi, serve_http
from appfunctions_mcp.service import AppFunctionService
from tests.server.test_engine import MODERN, await_text
from tests.server.test_sdk import use
from tests.support.asgi_client import asgi_request
from tests.support.http_server import Answer, HttpServer, http_server
from tests.support.raw_http import INITIALIZE
from tests.support.served_functions import add, served_functions

pytestmark = pytest.mark.anyio

ADD = {"name": "add", "arguments": {"a": 1, "b": 2}}
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ADD}
PROGRAM = ("-m", "tests.support.served_functions", "http", "0")


@pytest.fixture(scope="module", params=["lean", "sdk"])
def http_engine(request: pytest.FixtureRequest) -> HttpEngine:
    """What speaks the protocol."""
    name: HttpEngine = request.param
    return name


@pytest.fixture(scope="module")
def server(http_engine: HttpEngine) -> Iterator[HttpServer]:
    """A stateless server process."""
    with http_server(*PROGRAM, env={"APPFUNCTIONS_ENGINE": http_engine}) as running:
        yield running


@pytest.fixture(scope="module")
def session_server(http_engine: HttpEngine) -> Iterator[HttpServer]:
    """A server process with sessions."""
    engine = {"APPFUNCTIONS_ENGINE": http_engine}
    with http_server(*PROGRAM, "--sessions", env=engine) as running:
        yield running


def modern_call(name: str, arguments: dict[str, Any], **meta: Any) -> tuple[dict[str, Any], Any]:
    """Body and headers of a call of the newest revision."""
    params = {"name": name, "arguments": arguments, "_meta": {**MODERN, **meta}}
    headers = {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}, headers


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_call_is_answered_without_a_handshake_on_both_spellings(
    path: str, server: HttpServer
) -> None:
    """F46."""
    answer = server.ask(path=path, body=CALL)
    assert answer.status == 200
    assert answer.message["result"]["structuredContent"] == {"result": 3}
    assert "mcp-session-id" not in answer.headers


def test_a_call_of_the_newest_revision_is_answered_with_json(server: HttpServer) -> None:
    body, headers = modern_call("add", {"a": 1, "b": 2})
    answer = server.ask(body=body, headers=headers)
    assert answer.headers["content-type"] == "application/json"
    assert answer.message["result"]["structuredContent"] == {"result": 3}
    assert answer.message["result"]["resultType"] == "complete"


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, None),
        ("*/*", None),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("text/event-stream", "text/event-stream"),
        ("text/event-stream;q=0.5, application/json;q=0.9", None),
        ("application/json, text/event-stream;q=0", "application/json"),
    ],
)
def test_a_client_gets_a_form_that_it_accepts(
    accept: str | None, media_type: str | None, server: HttpServer, http_engine: HttpEngine
) -> None:
    """F42; where both are accepted, the SDK streams and the lean engine does not need to."""
    if media_type is None:
        media_type = "application/json" if http_engine == "lean" else "text/event-stream"
    answer = server.ask(body=CALL, headers={"Accept": accept})
    assert answer.status == 200
    assert answer.headers["content-type"].startswith(media_type)
    assert answer.message["result"]["structuredContent"] == {"result": 3}


def test_a_client_that_accepts_neither_is_told(server: HttpServer) -> None:
    """F42."""
    answer = server.ask(body=CALL, headers={"Accept": "text/html"})
    assert answer.status == 406
    assert answer.message["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:5173"}, 200),
    ],
)
def test_dns_rebinding_is_refused(headers: dict[str, str], status: int, server: HttpServer) -> None:
    """F43."""
    assert server.ask(body=CALL, headers=headers).status == status


def test_health_is_told_to_anyone(server: HttpServer) -> None:
    answer = server.ask("GET", "/healthz", headers={"Host": "evil.example"})
    assert (answer.status, answer.body) == (200, b"ok")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_without_sessions_only_post_is_served(method: str, server: HttpServer) -> None:
    """F47."""
    answer = server.ask(method)
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"


def test_a_notification_is_accepted_without_a_body(server: HttpServer) -> None:
    """F47."""
    answer = server.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("media_type", [None, "text/plain", "application/jsonx", "text/json"])
def test_a_body_of_another_type_is_refused(media_type: str | None, server: HttpServer) -> None:
    answer = server.ask(body=CALL, headers={"Content-Type": media_type})
    assert answer.status == 415
    assert answer.message["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (b"{bad", {-32700}),
        (b"", {-32700}),
        (b"[" * 100_000, {-32700}),
        (b"[]", {-32600, -32602}),
    ],
)
def test_a_bad_body_is_a_protocol_error(body: bytes, codes: set[int], server: HttpServer) -> None:
    answer = server.ask(body=body)
    assert answer.status == 400
    assert answer.message["error"]["code"] in codes


def test_a_body_above_the_limit_is_refused(server: HttpServer) -> None:
    """F50."""
    assert server.ask(body=b" " * (4 * 1024 * 1024 + 1)).status == 413


def test_nothing_else_is_served(server: HttpServer) -> None:
    assert server.ask("GET", "/favicon.ico").status == 404


def test_an_unknown_function_and_a_failing_one_are_told_apart(server: HttpServer) -> None:
    """F61."""
    unknown = server.ask(body=CALL | {"params": {"name": "nope"}}).message
    assert unknown["error"]["code"] == -32602
    assert unknown["error"]["data"]["code"] == 1003
    params = {"name": "find_note", "arguments": {"note_id": "x"}}
    assert server.ask(body=CALL | {"params": params}).message["result"]["isError"] is True


def test_progress_comes_before_the_result_on_the_same_stream(server: HttpServer) -> None:
    """F58."""
    params = {"name": "count", "arguments": {"steps": 3}, "_meta": {"progressToken": 0}}
    *reports, response = server.ask(body=CALL | {"params": params}).messages
    assert [r["params"]["progress"] for r in reports] == [0, 1, 2]
    assert response["result"]["structuredContent"] == {"result": 3}
    body, headers = modern_call("count", {"steps": 3}, progressToken="t")
    *reports, response = server.ask(body=body, headers=headers).messages
    assert [r["params"]["progress"] for r in reports] == [0, 1, 2]
    assert response["result"]["structuredContent"] == {"result": 3}


@pytest.mark.parametrize("era", ["handshake", "modern"])
@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_what_the_transport_cannot_write_is_still_answered(
    era: str, accept: str, server: HttpServer, http_engine: HttpEngine
) -> None:
    """F33, F102; the SDK's transport writes no results deeper than 200."""

    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        body, headers = modern_call(name, arguments)
        if era == "handshake":
            headers = {}
        answer = server.ask(body=body, headers={**headers, "Accept": accept})
        result = answer.message["result"]
        assert isinstance(result, dict)
        return result

    if era == "modern" and "stream" not in accept:
        accept = "application/json"
    assert call("half_a_surrogate", {})["content"][0]["text"] == "a\ufffdb\u2028c"
    assert call("nest", {"depth": 150})["isError"] is False
    deep = call("nest", {"depth": 480})
    if http_engine == "lean":
        assert deep["content"][0]["text"].count("{") == 480
    else:
        assert deep["_meta"]["appfunctions/error"]["code"] == 1001


def test_a_session_lives_until_it_is_deleted(session_server: HttpServer) -> None:
    """F45."""
    opened = session_server.ask(body=INITIALIZE)
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    assert opened.message["result"]["capabilities"]["tools"] == {"listChanged": True}
    assert session_server.ask(body=CALL).status == 400
    assert session_server.ask(body=CALL, headers={"Mcp-Session-Id": "dead"}).status == 404
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert session_server.ask(body=initialized, headers=session).status == 202
    assert session_server.ask(body=CALL, headers=session).message["result"]["isError"] is False
    assert session_server.ask("DELETE", headers=session).status == 200
    assert session_server.ask(body=CALL, headers=session).status == 404


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
async def test_the_sdks_own_client_is_served(mode: str, server: HttpServer) -> None:
    async with Client(server.url, mode=mode) as client:
        await use(client)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_sdks_own_client_is_served_with_sessions(
    mode: str, session_server: HttpServer
) -> None:
    async with Client(session_server.url, mode=mode) as client:
        await use(client)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("options", [(), ("--sessions",)])
def test_a_signal_lets_calls_end_and_closes_the_lifespan(
    options: tuple[str, ...], engine: str, tmp_path: Path
) -> None:
    lifespan, marker = tmp_path / "lifespan", tmp_path / "marker"
    with http_server(*PROGRAM, *options, env={"LIFESPAN_MARKER": str(lifespan)}) as server:
        session = {}
        if options:
            opened = server.ask(body=INITIALIZE)
            session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
            stream = threading.Thread(target=server.ask, args=("GET",), kwargs={"headers": session})
            stream.start()
        answers: list[Answer] = []
        params = {"name": "wait", "arguments": {"seconds": 1.5, "marker": str(marker)}}
        body = CALL | {"params": params}
        calling = threading.Thread(
            target=lambda: answers.append(server.ask(body=body, headers=session))
        )
        calling.start()
        time.sleep(0.4)
        server.process.signal(signal.SIGTERM)
        calling.join(10)
        assert answers[0].message["result"]["content"][0]["text"] == "waited"
        assert server.process.wait() == 0
        if options:
            stream.join(5)
            assert not stream.is_alive()
    assert "Traceback" not in server.process.stderr
    assert await_text(lifespan) == "closed\n"


def test_a_port_that_is_taken_is_a_settings_error(server: HttpServer) -> None:
    with pytest.raises(SettingsError, match=rf"cannot listen on 127\.0\.0\.1:{server.port}: "):
        serve_http(served_functions(), port=server.port)


def test_an_address_that_others_reach_is_refused() -> None:
    with pytest.raises(SettingsError, match="--allowed-host"):
        serve_http(served_functions(), host="192.0.2.7", port=0)


def test_a_request_is_not_logged(server: HttpServer) -> None:
    server.ask(body=CALL)
    assert "session" not in server.process.stderr
    assert "INFO" not in server.process.stderr


async def ask_app(
    app: AppFunctionsApp, body: object, path: str = "/mcp", root_path: str = "", **headers: str
) -> dict[str, Any]:
    """One request to the app, in this process and without a lifespan."""
    encoded = [(n.replace("_", "-").encode(), v.encode()) for n, v in headers.items()]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "root_path": root_path,
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", b"application/json"),
            (b"accept", b"application/json"),
            *encoded,
        ],
    }
    sent: list[Any] = []
    events = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

    async def receive() -> Any:
        if not events:
            await asyncio.Event().wait()
        return events.pop()

    async def send(event: Any) -> None:
        sent.append(event)

    await app(scope, receive, send)
    text = b"".join(e.get("body", b"") for e in sent)
    return {"status": sent[0]["status"], **(json.loads(text) if text else {})}


@pytest.mark.parametrize(
    ("path", "root_path"), [("/mcp", ""), ("/mcp/", ""), ("/tools/mcp", "/tools"), ("/x/", "/x")]
)
def test_a_mounted_app_starts_with_its_first_request_on_every_loop(
    path: str, root_path: str, http_engine: HttpEngine
) -> None:
    """F52."""
    app = app_functions_asgi(served_functions(), engine=http_engine)

    async def twice() -> None:
        for _ in range(2):
            answer = await ask_app(app, CALL, path, root_path)
            assert answer["status"] == 200
            assert answer["result"]["structuredContent"] == {"result": 3}

    for _ in range(2):
        asyncio.run(twice())


async def test_a_host_that_gives_a_lifespan_opens_and_closes_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, http_engine: HttpEngine
) -> None:
    monkeypatch.setenv("LIFESPAN_MARKER", str(tmp_path / "lifespan"))
    app = app_functions_asgi(served_functions(), engine=http_engine)
    incoming: asyncio.Queue[Any] = asyncio.Queue()
    outgoing: asyncio.Queue[Any] = asyncio.Queue()
    serving = asyncio.create_task(app({"type": "lifespan"}, incoming.get, outgoing.put))
    await incoming.put({"type": "lifespan.startup"})
    assert await outgoing.get() == {"type": "lifespan.startup.complete"}
    assert (await ask_app(app, CALL))["status"] == 200
    await incoming.put({"type": "lifespan.shutdown"})
    assert await outgoing.get() == {"type": "lifespan.shutdown.complete"}
    await serving
    assert (tmp_path / "lifespan").read_text() == "closed\n"


async def test_a_lifespan_that_cannot_be_opened_is_told_to_the_host(
    http_engine: HttpEngine,
) -> None:
    @asynccontextmanager
    async def broken() -> AsyncIterator[None]:
        raise OSError("no database")
        yield

    service = AppFunctionService.from_functions(
        [add], name="broken", description="Breaks.", lifespan=broken
    )
    app = app_functions_asgi(service, engine=http_engine)
    events = [{"type": "lifespan.startup"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return events.pop()

    async def send(event: Any) -> None:
        sent.append(event)

    await app({"type": "lifespan"}, receive, send)
    assert [event["type"] for event in sent] == ["lifespan.startup.failed"]
    assert "no database" in sent[0]["message"]
    with pytest.raises(AppFunctionDeclarationError, match="no database"):
        await ask_app(app, CALL)
    with pytest.raises(AppFunctionDeclarationError, match="no database"):
        await asyncio.to_thread(serve_http, service, port=0, engine=http_engine)


async def test_a_web_socket_is_closed() -> None:
    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    await app_functions_asgi(served_functions())({"type": "websocket"}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 1003}]


async def test_a_token_is_needed_where_one_is_set() -> None:
    """F51."""
    app = app_functions_asgi(served_functions(), token="s3cret")
    assert (await ask_app(app, CALL))["status"] == 401
    assert (await ask_app(app, CALL, authorization="Bearer s3cret"))["status"] == 200


def test_sessions_are_said_to_live_in_one_process(caplog: pytest.LogCaptureFixture) -> None:
    """F46."""
    caplog.set_level("INFO", logger="appfunctions_mcp.server")
    app_functions_asgi(served_functions())
    assert caplog.messages == []
    app_functions_asgi(served_functions(), sessions=True)
    assert "this process alone" in caplog.text


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_stream_cannot_be_kept_alive_all_the_time(seconds: float) -> None:
    with pytest.raises(SettingsError, match=r"keep_alive_seconds is .*; it must be above 0"):
        app_functions_asgi(served_functions(), keep_alive_seconds=seconds)


@pytest.mark.parametrize("name", ["add", "count"])
async def test_a_server_that_says_it_by_an_error_may_have_lost_its_client(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """ASGI lets `send` fail with an OSError once the client has left."""
    arguments = {"a": 1, "b": 2} if name == "add" else {"steps": 3}
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": 1}}
    request = asgi_request(app_functions_asgi(served_functions()), CALL | {"params": params})

    async def send(event: Any) -> None:
        raise BrokenPipeError(event["type"])

    await request.app(request._scope(), request._receive, send)
    assert caplog.records == []
