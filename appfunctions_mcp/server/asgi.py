"""The service as a plain ASGI app: `/mcp` over streamable HTTP, and a few routes beside it.

It starts with the lifespan that its host gives it, or with the first request where the host
gives none, as frameworks do to apps that are mounted. Access, paths and what a client accepts are
decided here; the protocol is an endpoint's matter: the lean engine's, or the SDK's for sessions.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Literal

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.oauth_settings import OAuthSettings
from appfunctions_mcp.secret_values import keep_secret
from appfunctions_mcp.server.client_watch import KEEP_ALIVE_SECONDS
from appfunctions_mcp.server.cors import answer_options, headers_for_page
from appfunctions_mcp.server.endpoints import Endpoint, EndpointByEra
from appfunctions_mcp.server.envelopes import error_response
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
    written,
)
from appfunctions_mcp.server.lean_http import LeanEndpoint
from appfunctions_mcp.server.metrics import Metrics
from appfunctions_mcp.server.operating import operate
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR
from appfunctions_mcp.server.routes import HEALTH, Route
from appfunctions_mcp.service import AppFunctionService

HttpEngine = Literal["lean", "sdk"]

DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
_MCP_PATHS = frozenset({"", "/mcp"})

_ENDING = HttpRefusal(503, "the server is ending; ask again", (("Retry-After", "1"),))
"""What a call is told that has not ended in the time that a server leaves to those that run."""

log = logging.getLogger("appfunctions_mcp.server")


def app_functions_asgi(
    service: AppFunctionService,
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    token: str | None = None,
    oauth: OAuthSettings | None = None,
    sessions: bool = False,
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES,
    keep_alive_seconds: float = KEEP_ALIVE_SECONDS,
    engine: HttpEngine = "lean",
) -> "AppFunctionsApp":
    """Makes an ASGI app of a service, to be served or to be mounted in any other app.

    Args:
        service: What is served.
        allowed_hosts: Names by which clients reach it, beside those of loopback.
        allowed_origins: Origins of web pages that may send requests, beside those of loopback.
        token: What callers have to show as `Authorization: Bearer …`; without it and `oauth`
            everybody is admitted.
        oauth: The authorization server whose tokens are accepted instead.
        sessions: Whether clients of the handshake era get sessions, and with them progress of
            their own and changes of the list of tools; a session lives in one process.
        max_body_bytes: How long a request's body may be.
        keep_alive_seconds: How long an event stream is silent before a comment is sent, so that
            no proxy takes it for dead.
        engine: What speaks the protocol: our own engine, or the MCP SDK.

    Raises:
        SettingsError: The seconds are none.
    """
    if not keep_alive_seconds > 0:
        raise SettingsError(f"keep_alive_seconds is {keep_alive_seconds}; it must be above 0")
    keep_secret(token)
    access = HttpAccess(allowed_hosts, allowed_origins, token)
    make_endpoint = _endpoint_maker(
        service,
        engine=engine,
        sessions=sessions,
        max_body_bytes=max_body_bytes,
        keep_alive_seconds=keep_alive_seconds,
    )
    if sessions:
        log.info("sessions live in this process alone: a client must reach the same one each time")
    methods = ("DELETE", "GET", "POST") if sessions else ("POST",)
    routes = {"/healthz": HEALTH}
    if oauth is not None:
        from appfunctions_mcp.server.protected_resource import protected

        access, documents = protected(access, oauth)
        routes |= documents
    app = AppFunctionsApp(make_endpoint, access, methods=methods, routes=routes)
    app.metrics = operate(app, service)
    return app


class AppFunctionsApp:
    """The ASGI app; made by `app_functions_asgi`.

    Args:
        make_endpoint: Makes what answers, for each event loop one.
        access: Who may send requests.
        methods: Which HTTP methods are served at `/mcp`, in alphabetical order.
        routes: What is served beside it, by path.
    """

    def __init__(
        self,
        make_endpoint: Callable[[], Endpoint],
        access: HttpAccess,
        *,
        methods: tuple[str, ...],
        routes: Mapping[str, Route],
    ) -> None:
        self.start_error: BaseException | None = None
        self.is_draining = False
        """Whether the server is about to end: `/readyz` tells it, so that nobody new comes."""
        self.metrics: Metrics | None = None
        """What is counted; None where nobody asked for it."""
        self.on_refusal: Callable[[HttpRequest, HttpRefusal], None] = lambda _request, _refusal: (
            None
        )
        """Is told of each request that access was not granted to."""
        self._make_endpoint = make_endpoint
        self._access = access
        mcp = Route(self._serve_mcp, methods=methods)
        self._routes = {**routes, **dict.fromkeys(_MCP_PATHS, mcp)}
        self._running: dict[asyncio.AbstractEventLoop, _Running] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one ASGI connection."""
        if scope["type"] == "http":
            await self._serve_http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._serve_lifespan(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1003})

    def add_routes(self, routes: Mapping[str, Route]) -> None:
        """Serves further paths beside `/mcp`."""
        self._routes = {**routes, **self._routes}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the service running while the block runs.

        For hosts that pass no lifespan on to what they mount: theirs may have this in it.
        """
        running = await self.open_here()
        try:
            yield
        finally:
            await running.stop()

    def drain(self) -> None:
        """Begins the end of the server: what runs is answered, what only waits for news ends."""
        self.is_draining = True
        self.end_streams()

    def end_streams(self) -> None:
        """Ends the streams that only wait for news, so that a server can stop."""
        for running in self._running.values():
            running.endpoint.end_streams()

    async def _serve_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            running = await self.open_here()
        except Exception as error:  # noqa: BLE001 - the host is told, and serve_http raises it again
            self.start_error = error
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await running.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = HttpRequest(scope, receive, send)
        self._admit_page(request)
        try:
            await self._answer(request)
        except asyncio.CancelledError:
            if self.is_draining and not request.has_answer:
                await refuse(request.send, _ENDING)
            raise
        except Exception as fault:
            if not request.has_answer:
                failed = error_response(None, INTERNAL_ERROR, "Internal error")
                await respond(request.send, 500, written(failed))
            elif isinstance(fault, OSError):  # what some servers raise where a client has left
                log.debug("a client left before its answer was complete: %s", fault)
                return
            raise

    def _admit_page(self, request: HttpRequest) -> None:
        """Lets a web page of an allowed origin read whatever the answer is."""
        origin, host = request.headers.get("origin"), request.headers.get("host", "")
        if (
            origin is not None
            and self._access.is_allowed_host(host)
            and self._access.is_allowed_origin(origin, host)
        ):
            request.extra_headers += headers_for_page(origin)

    async def _answer(self, request: HttpRequest) -> None:
        """Answers a request, or refuses it."""
        route = self._routes.get(_path_of(request.scope))
        if route is None:
            await refuse(request.send, HttpRefusal(404, "nothing is served here; MCP is at /mcp"))
            return
        if not route.is_public and request.method != "OPTIONS":
            caller = self._access.check(request.headers, request.scope)
            if not isinstance(caller, AppFunctionCaller | HttpRefusal):
                caller = await caller
            # Nothing that comes after has a use for the token.
            request.headers.pop("authorization", None)
            if isinstance(caller, HttpRefusal):
                self.on_refusal(request, caller)
                await refuse(request.send, caller)
                return
            request.caller = caller
        if request.method in route.methods:
            await route.serve(request)
        elif request.method == "OPTIONS":
            await self._answer_options(request, route)
        else:
            allow = ("Allow", ", ".join(route.methods))
            await refuse(
                request.send, HttpRefusal(405, f"{request.method} is not served here", (allow,))
            )

    async def _answer_options(self, request: HttpRequest, route: Route) -> None:
        """Answers before a token is asked for: a browser shows none in its preflight."""
        refusal = None if route.is_public else self._access.check_names(request.headers)
        if refusal is None:
            await answer_options(request, route.methods)
        else:
            await refuse(request.send, refusal)

    async def _serve_mcp(self, request: HttpRequest) -> None:
        if request.takes == (False, False):
            refusal = HttpRefusal(406, f"accepted must be {JSON} or {EVENT_STREAM}")
            await refuse(request.send, refusal)
            return
        if request.method == "POST" and not _is_json(request.headers.get("content-type", "")):
            await refuse(request.send, HttpRefusal(415, f"the Content-Type must be {JSON}"))
            return
        running = self._running.get(asyncio.get_running_loop())
        if running is None or not running.is_open:
            running = await self.open_here()
        await running.endpoint.serve(request)

    async def open_here(self) -> "_Running":
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


def _endpoint_maker(
    service: AppFunctionService,
    *,
    engine: HttpEngine,
    sessions: bool,
    max_body_bytes: int,
    keep_alive_seconds: float,
) -> Callable[[], Endpoint]:
    """What makes the endpoint of an event loop."""

    def make_lean() -> Endpoint:
        return LeanEndpoint(
            service, max_body_bytes=max_body_bytes, keep_alive_seconds=keep_alive_seconds
        )

    def make_sdk() -> Endpoint:
        from appfunctions_mcp.server.sdk.http_endpoint import SdkEndpoint
        from appfunctions_mcp.server.sdk_front import SdkFront

        sdk = SdkEndpoint(service, sessions=sessions, max_body_bytes=max_body_bytes)
        return SdkFront(sdk, max_body_bytes=max_body_bytes, keep_alive_seconds=keep_alive_seconds)

    if engine == "sdk":
        return make_sdk
    if not sessions:
        return make_lean
    return lambda: EndpointByEra(make_sdk(), make_lean(), max_body_bytes=max_body_bytes)


def _path_of(scope: Scope) -> str:
    """The path below the place where the app is mounted, in its spelling without a last slash."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    if path.startswith(("http://", "https://")):  # a whole URL, as to a proxy
        path = "/" + path.split("/", 3)[3] if path.count("/") > 2 else "/"
    below = path.removeprefix(root)
    if below and not below.startswith("/"):
        below = path
    return below.removesuffix("/")


def _is_json(content_type: str) -> bool:
    return content_type == JSON or content_type.partition(";")[0].strip().lower() == JSON
