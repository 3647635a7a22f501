"""Serving over HTTP: the ASGI app of `asgi.py` on uvicorn, from the socket to the last answer."""

import asyncio
import gc
import logging
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from appfunctions_mcp.deadlines import expire_all
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.oauth_settings import OAuthSettings
from appfunctions_mcp.server.asgi import (
    DEFAULT_MAX_BODY_BYTES,
    AppFunctionsApp,
    HttpEngine,
    app_functions_asgi,
)
from appfunctions_mcp.server.client_watch import KEEP_ALIVE_SECONDS
from appfunctions_mcp.server.event_loop import run_to_end
from appfunctions_mcp.server.http_access import require_safe_binding
from appfunctions_mcp.server.joined_writes import JoiningProtocol
from appfunctions_mcp.server.open_files import raise_limit
from appfunctions_mcp.server.shutdown import END_SIGNALS, take_signals
from appfunctions_mcp.server.worker_place import BACKLOG, ListeningSocket, WorkerPlace
from appfunctions_mcp.service import AppFunctionService

__all__ = ["app_functions_asgi", "serve_http"]

DRAIN_SECONDS = 10
"""How long a server may take to answer what runs, once a signal has asked for its end."""
_LAST_SECONDS = 1
"""What of this is left to tell the callers of calls that have not ended that they are cancelled."""
ACCEPTED_IN_A_ROW = 16
"""After how many new connections those that are there get a turn."""


def serve_http(
    service: AppFunctionService,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    token: str | None = None,
    oauth: OAuthSettings | None = None,
    allow_anonymous: bool = False,
    sessions: bool = False,
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES,
    keep_alive_seconds: float = KEEP_ALIVE_SECONDS,
    engine: HttpEngine = "lean",
    on_ready: Callable[[str], None] | None = None,
    worker: WorkerPlace | None = None,
) -> None:
    """Serves a service over streamable HTTP until a signal comes, and answers what runs then.

    Args:
        service: What is served.
        host: Where to listen; anywhere but loopback needs allowed hosts, and a token, `oauth`
            or `allow_anonymous`.
        port: 0 takes any that is free.
        allowed_hosts: Names by which clients reach the server, beside those of loopback.
        allowed_origins: Origins of web pages that may send requests, beside those of loopback.
        token: What callers have to show as `Authorization: Bearer …`.
        oauth: The authorization server whose tokens are accepted instead.
        allow_anonymous: Whether other machines may call without a token.
        sessions: Whether clients of the handshake era get sessions.
        max_body_bytes: How long a request's body may be.
        keep_alive_seconds: How long an event stream is silent before a comment is sent.
        engine: What speaks the protocol: our own engine, or the MCP SDK.
        on_ready: Gets the URL of `/mcp` once requests are served.
        worker: The place of this process among several that serve one socket.

    Raises:
        SettingsError: The address is not safe, or it cannot be listened on.
    """
    require_safe_binding(
        host,
        allowed_hosts=allowed_hosts,
        token=token,
        allow_anonymous=allow_anonymous,
        has_oauth=oauth is not None,
    )
    raise_limit()
    app = app_functions_asgi(
        service,
        allowed_hosts=allowed_hosts,
        allowed_origins=allowed_origins,
        token=token,
        oauth=oauth,
        sessions=sessions,
        max_body_bytes=max_body_bytes,
        keep_alive_seconds=keep_alive_seconds,
        engine=engine,
    )
    if worker is not None and app.metrics is not None:
        worker.metrics, app.metrics.collect = app.metrics.text, worker.all_metrics
    listening = listen(host, port) if worker is None else worker.listening
    _serve(_HttpServer(app, on_ready, url_of(host, listening), worker), app, listening)


def _serve(server: "_HttpServer", app: AppFunctionsApp, listening: socket.socket) -> None:
    """Serves to the end; raises what kept the app from starting."""

    def is_news(record: logging.LogRecord) -> bool:
        # What a second signal or the end of the time to answer cuts off was cut off on purpose.
        fault = record.exc_info[1] if record.exc_info else None
        return not (app.is_draining and isinstance(fault, asyncio.CancelledError))

    logging.getLogger("uvicorn.error").addFilter(is_news)
    with listening:
        try:
            server.run(sockets=[listening])
        except SystemExit:  # uvicorn's word for a lifespan that cannot be opened
            if app.start_error is None:
                raise
        except asyncio.CancelledError:  # a signal came before the lifespan was open
            return
    if app.start_error is not None:
        raise app.start_error


class _HttpServer(uvicorn.Server):
    """uvicorn that ends calls before it ends, and ends with status 0 when a signal asks for it."""

    def __init__(
        self,
        app: AppFunctionsApp,
        on_ready: Callable[[str], None] | None,
        url: str,
        worker: WorkerPlace | None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=JoiningProtocol,
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                lifespan="on",
                timeout_graceful_shutdown=DRAIN_SECONDS,
                backlog=BACKLOG,
            )
        )
        self._app = app
        self._on_ready = on_ready
        self._url = url
        self._worker = worker
        self._linked: asyncio.Task[None] | None = None

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serves, on a loop that no function's own task ends."""
        run_to_end(self.serve(sockets=sockets), self.config.get_loop_factory())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, then says so."""
        if isinstance(asyncio.get_running_loop(), asyncio.BaseEventLoop):
            # How many it accepts in a row: the other workers get theirs.
            self.config.backlog = ACCEPTED_IN_A_ROW if self._worker is None else 1
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()  # a full collection would go through everything that was imported
            gc.enable()
            if self._on_ready is not None:
                self._on_ready(self._url)
            if self._worker is not None:
                self._linked = asyncio.create_task(self._worker.serve(self.end, self.hurry))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answers what runs, then leaves what this worker has counted to its supervisor."""
        if self._worker is not None:
            for server in self.servers:
                server.close()
            self._worker.tell_closed()
        await super().shutdown(sockets)
        if self._worker is not None:
            await self._worker.leave()

    def hurry(self) -> None:
        """Ends without waiting for what runs."""
        self.force_exit = True

    def end(self) -> None:
        """Begins the end: no new connection is taken, and what runs is answered."""
        self.should_exit = True
        if not self._app.is_draining:
            asyncio.get_running_loop().call_later(
                DRAIN_SECONDS - _LAST_SECONDS, expire_all, "the server is ending; call again"
            )
        self._app.drain()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Takes signals while the server runs; a second one ends it without waiting.

        uvicorn's own way raises the signal again in the end, which would kill the process. The
        handler is no method of the server, since sse-starlette cuts every stream when it finds
        one whose server is about to end.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        loop, serving = asyncio.get_running_loop(), asyncio.current_task()

        def stop(_signal: int, _frame: FrameType | None) -> None:
            # To a worker the second signal may be what its supervisor says to all, after a
            # service manager has said it to each process.
            self.force_exit = self.should_exit and self._worker is None
            self.should_exit = True
            loop.call_soon_threadsafe(self.end)
            if not self.started and serving is not None:
                # The lifespan that is being opened may never be.
                loop.call_soon_threadsafe(serving.cancel)

        restore = take_signals(END_SIGNALS, stop)
        try:
            yield
        finally:
            restore()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        SettingsError: The address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
        return ListeningSocket(fileno=made.detach())
    except (OSError, OverflowError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
        raise SettingsError(f"cannot listen on {host}:{port}: {reason}") from fault


def url_of(host: str, listening: socket.socket) -> str:
    """The URL of `/mcp` on a socket that listens."""
    name = f"[{host.strip('[]')}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}/mcp"
