"""Serving over HTTP: the ASGI app of `asgi.py` on uvicorn, from the socket to the last answer."""

import asyncio
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.server.asgi import (
    DEFAULT_MAX_BODY_BYTES,
    AppFunctionsApp,
    HttpEngine,
    app_functions_asgi,
)
from appfunctions_mcp.server.event_loop import run_to_end
from appfunctions_mcp.server.http_access import require_safe_binding
from appfunctions_mcp.server.joined_writes import JoiningProtocol
from appfunctions_mcp.service import AppFunctionService

__all__ = ["app_functions_asgi", "serve_http"]

DRAIN_SECONDS = 10
"""How long calls may still run after a signal has asked for the end."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


def serve_http(
    service: AppFunctionService,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
    token: str | None = None,
    allow_anonymous: bool = False,
    sessions: bool = False,
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES,
    engine: HttpEngine = "lean",
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serves a service over streamable HTTP until a signal comes, and answers what runs then.

    Args:
        service: What is served.
        host: Where to listen; anywhere but loopback needs allowed hosts, and a token or
            `allow_anonymous`.
        port: 0 takes any that is free.
        allowed_hosts: Names by which clients reach the server, beside those of loopback.
        allowed_origins: Origins of web pages that may send requests, beside those of loopback.
        token: What callers have to show as `Authorization: Bearer …`.
        allow_anonymous: Whether other machines may call without a token.
        sessions: Whether clients of the handshake era get sessions.
        max_body_bytes: How long a request's body may be.
        engine: What speaks the protocol: our own engine, or the MCP SDK.
        on_ready: Gets the URL of `/mcp` once requests are served.

    Raises:
        SettingsError: The address is not safe, or it cannot be listened on.
    """
    require_safe_binding(
        host, allowed_hosts=allowed_hosts, token=token, allow_anonymous=allow_anonymous
    )
    app = app_functions_asgi(
        service,
        allowed_hosts=allowed_hosts,
        allowed_origins=allowed_origins,
        token=token,
        sessions=sessions,
        max_body_bytes=max_body_bytes,
        engine=engine,
    )
    listening = _listen(host, port)
    server = _HttpServer(app, on_ready, _url_of(host, listening))
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
        self, app: AppFunctionsApp, on_ready: Callable[[str], None] | None, url: str
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
            )
        )
        self._app = app
        self._on_ready = on_ready
        self._url = url

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serves, on a loop that no function's own task ends."""
        run_to_end(self.serve(sockets=sockets), self.config.get_loop_factory())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, then says so."""
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()  # a full collection would go through everything that was imported
            gc.enable()
            if self._on_ready is not None:
                self._on_ready(self._url)

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
            self.force_exit = self.should_exit
            self.should_exit = True
            loop.call_soon_threadsafe(self._app.end_streams)
            if not self.started and serving is not None:
                # The lifespan that is being opened may never be.
                loop.call_soon_threadsafe(serving.cancel)

        numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        before = {number: signal.signal(number, stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=2048)
    except (OSError, OverflowError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else fault
        raise SettingsError(f"cannot listen on {host}:{port}: {reason}") from fault


def _url_of(host: str, listening: socket.socket) -> str:
    name = f"[{host.strip('[]')}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}/mcp"
