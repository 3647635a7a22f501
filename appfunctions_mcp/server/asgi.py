"""The service as a plain ASGI app: `/mcp` over streamable HTTP, and `/healthz`.

It starts with the lifespan that its host gives it, or with the first request where the host
gives none, as frameworks do to apps that are mounted. Access, paths and what a client accepts are
decided here; the protocol is an endpoint's matter: the lean engine's, or the SDK's for sessions.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, Protocol

from appfunctions_mcp.server.http_access import HttpAccess, HttpRefusal
from appfunctions_mcp.server.http_messages import (
    EVENT_STREAM,
    JSON,
    HttpRequest,
    Receive,
    Scope,
    Send,
    refuse,
    respond,
)
from appfunctions_mcp.server.lean_http import LeanEndpoint
from appfunctions_mcp.server.routing_headers import is_handshake_version
from appfunctions_mcp.service import AppFunctionService

HttpEngine = Literal["lean", "sdk"]

DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
_MCP_PATHS = frozenset({"", "/", "/mcp", "/mcp/"})


class Endpoint(Protocol):
    """What answers the requests of one event loop."""

    def running(self) -> AbstractAsyncContextManager[object]:
        """Keeps open what the endpoint needs."""

    async def serve(self, request: HttpRequest) -> None:
        """Answers one request, which access has been granted to."""

    def end_streams(self) -> None:
        """Ends the streams that only wait for news."""


def app_functions_asgi(
    service: AppFunctionService,
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    token: str | None = None,
    sessions: bool = False,
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES,
    engine: HttpEngine = "lean",
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
        engine: What speaks the protocol: our own engine, or the MCP SDK.
    """
    access = HttpAccess(allowed_hosts, allowed_origins, token)

    def make_endpoint() -> Endpoint:
        if engine == "lean" and not sessions:
            return LeanEndpoint(service, max_body_bytes=max_body_bytes)
        from appfunctions_mcp.server.sdk.http_endpoint import SdkEndpoint

        sdk = SdkEndpoint(service, sessions=sessions, max_body_bytes=max_body_bytes)
        if engine == "sdk":
            return sdk
        return _ByEra(sdk, LeanEndpoint(service, max_body_bytes=max_body_bytes))

    methods = ("DELETE", "GET", "POST") if sessions else ("POST",)
    return AppFunctionsApp(make_endpoint, access, methods=methods)


class AppFunctionsApp:
    """The ASGI app; made by `app_functions_asgi`.

    Args:
        make_endpoint: Makes what answers, for each event loop one.
        access: Who may send requests.
        methods: Which HTTP methods are served, in alphabetical order.
    """

    def __init__(
        self, make_endpoint: Callable[[], Endpoint], access: HttpAccess, *, methods: tuple[str, ...]
    ) -> None:
        self.start_error: BaseException | None = None
        self._make_endpoint = make_endpoint
        self._access = access
        self._methods = methods
        self._running: dict[asyncio.AbstractEventLoop, _Running] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one ASGI connection."""
        if scope["type"] == "http":
            await self._serve_http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._serve_lifespan(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1003})

    def end_streams(self) -> None:
        """Ends the streams that only wait for news, so that a server can stop."""
        for running in self._running.values():
            running.endpoint.end_streams()

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
            await respond(send, 200, b"ok", media_type="text/plain; charset=utf-8")
            return
        if path not in _MCP_PATHS:
            await refuse(send, HttpRefusal(404, "nothing is served here; MCP is at /mcp"))
            return
        request = HttpRequest(scope, receive, send)
        caller = self._access.check(request.headers)
        refusal = caller if isinstance(caller, HttpRefusal) else self._refusal_of(request)
        if refusal is not None:
            await refuse(send, refusal)
            return
        if not isinstance(caller, HttpRefusal):
            request.caller = caller
        running = self._running.get(asyncio.get_running_loop())
        if running is None or not running.is_open:
            running = await self._start()
        await running.endpoint.serve(request)

    def _refusal_of(self, request: HttpRequest) -> HttpRefusal | None:
        if request.method not in self._methods:
            allow = ("Allow", ", ".join(self._methods))
            return HttpRefusal(405, f"{request.method} is not served here", (allow,))
        if request.takes == (False, False):
            return HttpRefusal(406, f"accepted must be {JSON} or {EVENT_STREAM}")
        if request.method == "POST" and not _is_json(request.headers.get("content-type", "")):
            return HttpRefusal(415, f"the Content-Type must be {JSON}")
        return None

    async def _start(self) -> "_Running":
        """What runs on this event loop, started now if it was not."""
        loop = asyncio.get_running_loop()
        running = self._running.get(loop)
        if running is None or running.has_ended:
            self._running = {k: v for k, v in self._running.items() if not k.is_closed()}
            running = _Running(self._make_endpoint())
            self._running[loop] = running
        await running.opened()
        return running


class _Running:
    """An endpoint on one event loop, in a task that opens and closes it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.is_open = False
        self._opened = asyncio.Event()
        self._stopping = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    @property
    def has_ended(self) -> bool:
        """Whether it was stopped or has failed to open."""
        return self._task.done()

    async def opened(self) -> None:
        """Waits until requests can be served; raises what kept it from opening."""
        waiting = asyncio.ensure_future(self._opened.wait())
        try:
            await asyncio.wait({waiting, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if self._task.done():
            self._task.result()

    async def stop(self) -> None:
        """Ends what is open and closes the lifespan."""
        self.endpoint.end_streams()
        self._stopping.set()
        await asyncio.wait({self._task})

    async def _run(self) -> None:
        async with self.endpoint.running():
            self.is_open = True
            self._opened.set()
            await self._stopping.wait()
            self.is_open = False


class _ByEra:
    """Sessions of the SDK for clients with a handshake, the lean engine for all others."""

    def __init__(self, sessions: Endpoint, lean: Endpoint) -> None:
        self._sessions = sessions
        self._lean = lean

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._sessions.running(), self._lean.running():
            yield

    async def serve(self, request: HttpRequest) -> None:
        endpoint = self._sessions if is_handshake_version(request.headers) else self._lean
        await endpoint.serve(request)

    def end_streams(self) -> None:
        self._sessions.end_streams()
        self._lean.end_streams()


def _path_of(scope: Scope) -> str:
    """The path below the place where the app is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    if path.startswith(("http://", "https://")):  # a whole URL, as to a proxy
        path = "/" + path.split("/", 3)[3] if path.count("/") > 2 else "/"
    below = path.removeprefix(root)
    return below if below == "" or below.startswith("/") else path


def _is_json(content_type: str) -> bool:
    return content_type == JSON or content_type.partition(";")[0].strip().lower() == JSON
