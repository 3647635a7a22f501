"""The service as a plain ASGI app: `/mcp` over streamable HTTP, and `/healthz`.

It starts with the lifespan that its host gives it, or with the first request where the host
gives none, as frameworks do to apps that are mounted. The protocol is the SDK's; access, paths
and what a client accepts are decided here.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.server.envelopes import INVALID_REQUEST, error_response
from appfunctions_mcp.server.http_access import Headers, HttpAccess, HttpRefusal
from appfunctions_mcp.server.sdk import CALLER_SCOPE_KEY, ServiceServer, build_server, http_manager
from appfunctions_mcp.service import AppFunctionService

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
_MCP_PATHS = frozenset({"", "/", "/mcp", "/mcp/"})
_JSON = "application/json"
_EVENT_STREAM = "text/event-stream"

log = logging.getLogger("appfunctions_mcp.server")


def app_functions_asgi(
    service: AppFunctionService,
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    token: str | None = None,
    sessions: bool = False,
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES,
) -> "AppFunctionsApp":
    """Makes an ASGI app of a service, to be served or to be mounted in any other app.

    Args:
        service: What is served.
        allowed_hosts: Names by which clients reach it, beside those of loopback.
        allowed_origins: Origins of web pages that may send requests, beside those of loopback.
        token: What callers have to show as `Authorization: Bearer …`; None admits everybody.
        sessions: Whether clients of the handshake era get sessions, and with them progress of
            their own and changes of the list of tools; a session lives in one process.
        max_body_bytes: How long a request's body may be.
    """
    access = HttpAccess(allowed_hosts, allowed_origins, token)
    return AppFunctionsApp(service, access, sessions=sessions, max_body_bytes=max_body_bytes)


class AppFunctionsApp:
    """The ASGI app; made by `app_functions_asgi`.

    Args:
        service: What is served.
        access: Who may send requests.
        sessions: Whether clients of the handshake era get sessions.
        max_body_bytes: How long a request's body may be.
    """

    def __init__(
        self,
        service: AppFunctionService,
        access: HttpAccess,
        *,
        sessions: bool,
        max_body_bytes: int,
    ) -> None:
        self.start_error: BaseException | None = None
        self._service = service
        self._access = access
        self._sessions = sessions
        self._max_body_bytes = max_body_bytes
        self._running: dict[asyncio.AbstractEventLoop, _Running] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one ASGI connection."""
        if scope["type"] == "lifespan":
            await self._serve_lifespan(receive, send)
        elif scope["type"] == "http":
            await self._serve_http(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1003})

    def end_streams(self) -> None:
        """Ends the streams that only wait for news, so that a server can stop."""
        for running in self._running.values():
            running.end_streams()

    async def _serve_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            running = await self._start()
        except Exception as error:  # noqa: BLE001 - the host is told, and serve_http raises it again
            self.start_error = error
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await running.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _path_of(scope)
        if path == "/healthz":
            await _respond(send, 200, b"ok", "text/plain; charset=utf-8")
            return
        if path not in _MCP_PATHS:
            await _refuse(send, HttpRefusal(404, "nothing is served here; MCP is at /mcp"))
            return
        headers = _headers_of(scope)
        caller = self._access.check(headers)
        refusal = caller if isinstance(caller, HttpRefusal) else self._refusal_of(scope, headers)
        if refusal is not None:
            await _refuse(send, refusal)
            return
        running = await self._start()
        takes_stream = _accepts(headers, _EVENT_STREAM)
        accept = f"{_JSON}, {_EVENT_STREAM}" if takes_stream else _JSON
        scope = {
            **scope,
            "headers": [*_without_accept(scope), (b"accept", accept.encode())],
            CALLER_SCOPE_KEY: caller,
        }
        app = running.app(takes_stream=takes_stream)
        if scope["method"] == "GET":
            await _serve_stream(app, scope, running.until_end_of_streams(receive), send)
        else:
            await app(scope, receive, send)

    def _refusal_of(self, scope: Scope, headers: Headers) -> HttpRefusal | None:
        methods = {"GET", "POST", "DELETE"} if self._sessions else {"POST"}
        if scope["method"] not in methods:
            allow = ("Allow", ", ".join(sorted(methods)))
            return HttpRefusal(405, f"{scope['method']} is not served here", (allow,))
        if not _accepts(headers, _JSON) and not _accepts(headers, _EVENT_STREAM):
            return HttpRefusal(406, f"accepted must be {_JSON} or {_EVENT_STREAM}")
        return None

    async def _start(self) -> "_Running":
        """What runs on this event loop, started now if it was not."""
        loop = asyncio.get_running_loop()
        running = self._running.get(loop)
        if running is None or running.has_ended:
            self._running = {k: v for k, v in self._running.items() if not k.is_closed()}
            running = _Running(
                self._service, sessions=self._sessions, max_body_bytes=self._max_body_bytes
            )
            self._running[loop] = running
        await running.started()
        return running


class _Running:
    """The SDK's HTTP parts on one event loop, in a task that opens and closes them."""

    def __init__(self, service: AppFunctionService, *, sessions: bool, max_body_bytes: int) -> None:
        self._servers: list[ServiceServer] = [build_server(service) for _ in range(2)]
        self._streaming, self._json = (
            http_manager(
                server,
                sessions=sessions and not is_json,
                json_response=is_json,
                max_body_bytes=max_body_bytes,
            )
            for server, is_json in zip(self._servers, (False, True), strict=True)
        )
        self._sessions = sessions
        self._started = asyncio.Event()
        self._stopping = asyncio.Event()
        self._streams_end = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    @property
    def has_ended(self) -> bool:
        """Whether it was stopped or has failed to start."""
        return self._task.done()

    async def started(self) -> None:
        """Waits until requests can be served; raises what kept it from starting."""
        waiting = asyncio.ensure_future(self._started.wait())
        try:
            await asyncio.wait({waiting, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if self._task.done():
            self._task.result()

    async def stop(self) -> None:
        """Ends what is open and closes the lifespan."""
        self.end_streams()
        self._stopping.set()
        await asyncio.wait({self._task})

    def app(self, *, takes_stream: bool) -> AsgiApp:
        """What serves a request of a client that does or does not take an event stream."""
        manager = self._streaming if takes_stream or self._sessions else self._json
        return manager.asgi_app

    def end_streams(self) -> None:
        """Ends the streams that only wait for news."""
        self._streams_end.set()
        for server in self._servers:
            server.end_subscriptions()

    def until_end_of_streams(self, receive: Receive) -> Receive:
        """A `receive` that says, too, that the client has left when streams shall end."""

        async def receive_or_leave() -> Event:
            leaving = asyncio.ensure_future(self._streams_end.wait())
            receiving = asyncio.ensure_future(receive())
            try:
                await asyncio.wait({leaving, receiving}, return_when=asyncio.FIRST_COMPLETED)
                if receiving.done():
                    return receiving.result()
                return {"type": "http.disconnect"}
            finally:
                leaving.cancel()
                receiving.cancel()

        return receive_or_leave

    async def _run(self) -> None:
        async with AsyncExitStack() as stack:
            for manager in (self._streaming, self._json):
                await stack.enter_async_context(manager.run())
            self._started.set()
            await self._stopping.wait()


def _path_of(scope: Scope) -> str:
    """The path below the place where the app is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    below = path.removeprefix(root)
    return below if below == "" or below.startswith("/") else path


def _headers_of(scope: Scope) -> Headers:
    return {name.decode("latin-1").lower(): v.decode("latin-1") for name, v in scope["headers"]}


def _without_accept(scope: Scope) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in scope["headers"] if name.lower() != b"accept"]


def _accepts(headers: Headers, media_type: str) -> bool:
    """Whether a client takes answers of a type; without an Accept header it takes any."""
    accept = headers.get("accept", "").strip()
    if not accept:
        return True
    family = media_type.split("/", maxsplit=1)[0] + "/*"
    for entry in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in entry.split(";"))
        is_refused = any(p.replace(" ", "") in {"q=0", "q=0.0"} for p in parameters)
        if kind in {media_type, family, "*/*"} and not is_refused:
            return True
    return False


async def _serve_stream(app: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Serves a stream that may be ended from here, and ends it as HTTP has it."""
    is_open = False

    async def send_noting(event: Event) -> None:
        nonlocal is_open
        is_open = event["type"] == "http.response.start" or event.get("more_body", False)
        await send(event)

    await app(scope, receive, send_noting)
    if is_open:
        await send({"type": "http.response.body", "body": b""})


async def _refuse(send: Send, refusal: HttpRefusal) -> None:
    body = write_json(error_response(None, INVALID_REQUEST, refusal.message))
    await _respond(send, refusal.status, body, _JSON, refusal.headers)


async def _respond(
    send: Send,
    status: int,
    body: bytes,
    media_type: str,
    headers: Sequence[tuple[str, str]] = (),
) -> None:
    all_headers = [("Content-Type", media_type), ("Content-Length", str(len(body))), *headers]
    encoded = [(name.lower().encode(), value.encode("latin-1")) for name, value in all_headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
