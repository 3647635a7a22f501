"""The SDK's streamable HTTP as one endpoint: for sessions, and as the other engine.

The SDK wants to be told that both forms of answer are accepted, or that JSON is all there is;
which of both a client takes is decided before.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.http_access import ANONYMOUS
from appfunctions_mcp.server.http_messages import (
    EVENT_STREAM,
    JSON,
    Event,
    HttpRequest,
    Receive,
    Scope,
    Send,
)
from appfunctions_mcp.server.sdk.request_contexts import CALLER_SCOPE_KEY
from appfunctions_mcp.server.sdk.service_server import build_server
from appfunctions_mcp.server.sdk.streamable_http import AsgiApp, http_manager
from appfunctions_mcp.service import AppFunctionService

_REPLACED = frozenset({b"accept", b"authorization"})
"""Headers that the SDK gets in another form, or has no use for."""


class SdkEndpoint:
    """Answers the requests of one event loop through the SDK.

    Args:
        service: What is served.
        sessions: Whether clients of the handshake era get sessions.
        max_body_bytes: How long a request's body may be.
    """

    def __init__(self, service: AppFunctionService, *, sessions: bool, max_body_bytes: int) -> None:
        self._sessions = sessions
        self._servers = [build_server(service, has_channel=has) for has in (sessions, False)]
        self._streaming, self._json = (
            http_manager(
                server,
                sessions=sessions and not is_json,
                json_response=is_json,
                max_body_bytes=max_body_bytes,
            )
            for server, is_json in zip(self._servers, (False, True), strict=True)
        )
        self._streams_end = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the service and the SDK's managers running."""
        async with AsyncExitStack() as stack:
            for manager in (self._streaming, self._json):
                await stack.enter_async_context(manager.run())
            yield

    def end_streams(self) -> None:
        """Ends the streams that only wait for news."""
        self._streams_end.set()
        for server in self._servers:
            server.end_subscriptions()

    async def serve(self, request: HttpRequest) -> None:
        """Answers one request, which access has been granted to."""
        scope, receive, send = request.scope, request.receive, request.send
        accept = f"{JSON}, {EVENT_STREAM}" if request.takes_stream else JSON
        headers = [pair for pair in scope["headers"] if pair[0] not in _REPLACED]
        scope = {
            **scope,
            "headers": [*headers, (b"accept", accept.encode())],
            CALLER_SCOPE_KEY: request.caller,
            "user": _user(request.caller or ANONYMOUS),
        }
        manager = self._streaming if request.takes_stream or self._sessions else self._json
        if request.method == "GET":
            receive = self._until_end_of_streams(receive)
            await _serve_stream(manager.asgi_app, scope, receive, send)
        else:
            await manager.asgi_app(scope, receive, send)

    def _until_end_of_streams(self, receive: Receive) -> Receive:
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


def _user(caller: AppFunctionCaller) -> AuthenticatedUser:
    """The caller in the SDK's terms, by which it keeps sessions to those who opened them."""
    principal = caller.connection or caller.name
    return AuthenticatedUser(AccessToken(token="", client_id=principal, scopes=[]))


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
