"""What answers the requests to `/mcp`, and the choice between two of them."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from appfunctions_mcp.server.envelopes import BadMessage, Message, read_message
from appfunctions_mcp.server.eras import MODERN_VERSIONS
from appfunctions_mcp.server.http_messages import HttpRequest, accepted_body
from appfunctions_mcp.server.routing_headers import VERSION_HEADER, is_handshake_version


class Endpoint(Protocol):
    """What answers the requests of one event loop."""

    def running(self) -> AbstractAsyncContextManager[object]:
        """Keeps open what the endpoint needs."""

    async def serve(self, request: HttpRequest) -> None:
        """Answers one request, which access has been granted to."""

    def end_streams(self) -> None:
        """Ends the streams that only wait for news."""


class EndpointByEra:
    """One endpoint for clients with a handshake, another for all others.

    Args:
        handshake: Has the sessions.
        modern: Answers requests that stand alone.
        max_body_bytes: How long a request's body may be.
    """

    def __init__(self, handshake: Endpoint, modern: Endpoint, *, max_body_bytes: int) -> None:
        self._handshake = handshake
        self._modern = modern
        self._max_body_bytes = max_body_bytes

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps open what both need."""
        async with self._handshake.running(), self._modern.running():
            yield

    async def serve(self, request: HttpRequest) -> None:
        """Answers one request, which access has been granted to."""
        if is_handshake_version(request.headers):
            await self._handshake.serve(request)
            return
        if request.method == "POST" and is_unknown_version(request):
            body = await accepted_body(request, self._max_body_bytes)
            if body is None:
                return
            request.put_back(body)
            if is_initialize(read_message(body)):
                await self._handshake.serve(request)
                return
        await self._modern.serve(request)

    def end_streams(self) -> None:
        """Ends the streams that only wait for news."""
        self._handshake.end_streams()
        self._modern.end_streams()


def is_unknown_version(request: HttpRequest) -> bool:
    """Whether a request names a version that nobody knows; a handshake may come under any."""
    headers = request.headers
    return not is_handshake_version(headers) and headers[VERSION_HEADER] not in MODERN_VERSIONS


def is_initialize(message: Message | BadMessage | None) -> bool:
    """Whether a message asks for a handshake."""
    return isinstance(message, dict) and message.get("method") == "initialize" and "id" in message
