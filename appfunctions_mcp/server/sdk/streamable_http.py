"""The SDK's streamable HTTP, without the checks that `server/http.py` makes itself."""

import logging
from collections.abc import Awaitable, Callable

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from appfunctions_mcp.server.http_messages import Receive, Scope, Send
from appfunctions_mcp.server.sdk.service_server import ServiceServer

AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


def http_manager(
    server: ServiceServer, *, sessions: bool, json_response: bool, max_body_bytes: int
) -> StreamableHTTPSessionManager:
    """The SDK's streamable HTTP application for a server; `run()` works once.

    Host and Origin are for the caller to check.

    Args:
        server: Made by `build_server`.
        sessions: Whether clients of the handshake era get sessions.
        json_response: Whether answers are JSON, for clients that take no event stream.
        max_body_bytes: How long a request's body may be.
    """
    for name in ("mcp.server.streamable_http", "mcp.server.streamable_http_manager"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return StreamableHTTPSessionManager(
        server,
        json_response=json_response,
        stateless=not sessions,
        max_request_body_size=max_body_bytes,
    )
