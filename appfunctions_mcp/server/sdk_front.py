"""What stands before the SDK's transport: the body's limit, and the edges of sessions.

A request is read here, whole, and handed on. Knows nothing of the SDK itself.
"""

from contextlib import AbstractAsyncContextManager

from appfunctions_mcp.server.endpoints import Endpoint, is_initialize, is_unknown_version
from appfunctions_mcp.server.envelopes import BadMessage, Message, RequestId, read_message
from appfunctions_mcp.server.http_access import HttpRefusal
from appfunctions_mcp.server.http_messages import Event, HttpRequest, accepted_body, refuse
from appfunctions_mcp.server.routing_headers import VERSION_HEADER
from appfunctions_mcp.server.stream_keeping import StreamKeeper

SESSION_HEADER = "mcp-session-id"


class SdkFront:
    """Answers through the SDK, and corrects what it says of sessions.

    Args:
        sdk: The SDK's transport.
        max_body_bytes: How long a request's body may be.
        keep_alive_seconds: How long a stream is silent before a comment is sent.
    """

    def __init__(self, sdk: Endpoint, *, max_body_bytes: int, keep_alive_seconds: float) -> None:
        self._sdk = sdk
        self._max_body_bytes = max_body_bytes
        self._keep_alive_seconds = keep_alive_seconds

    def running(self) -> AbstractAsyncContextManager[object]:
        """Keeps the SDK's transport running."""
        return self._sdk.running()

    def end_streams(self) -> None:
        """Ends the streams that only wait for news."""
        self._sdk.end_streams()

    async def serve(self, request: HttpRequest) -> None:
        """Answers one request, which access has been granted to."""
        request_id: RequestId | None = None
        if request.method == "POST":
            body = await accepted_body(request, self._max_body_bytes)
            if body is None:
                return
            message = read_message(body)
            request.put_back(body)
            if is_initialize(message):
                _forget_past(request)
            request_id = _id_of(message)
        answer = _Answer(request)
        async with StreamKeeper(answer.send, self._keep_alive_seconds) as keeper:
            inner = HttpRequest(request.scope, request.receive, keeper.send)
            inner.caller, inner.takes = request.caller, request.takes
            await self._sdk.serve(inner)
        if answer.session_is_gone:
            text = "the session is not known here; open another with initialize"
            await refuse(request.send, HttpRefusal(404, text), request_id)


class _Answer:
    """Passes the SDK's answer on, unless it says that there is no such session."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self._is_about_session = SESSION_HEADER in request.headers
        self.session_is_gone = False

    async def send(self, event: Event) -> None:
        if event["type"] == "http.response.start" and event["status"] >= 400:
            self.session_is_gone = self._is_about_session and event["status"] == 404
            # The SDK names a session here that it has just dropped, and clients would keep to it.
            kept = [pair for pair in event["headers"] if pair[0] != SESSION_HEADER.encode()]
            event = {**event, "headers": kept}
        if not self.session_is_gone:
            await self._request.send(event)


def _forget_past(request: HttpRequest) -> None:
    """Leaves out what `initialize` need not have: an old session, and a version not known here."""
    dropped = {SESSION_HEADER.encode()}
    if is_unknown_version(request):
        dropped.add(VERSION_HEADER.encode())
    kept = [pair for pair in request.scope["headers"] if pair[0] not in dropped]
    request.scope = {**request.scope, "headers": kept}


def _id_of(message: Message | BadMessage | None) -> RequestId | None:
    """The id of a request; responses and notifications are answered without one."""
    if isinstance(message, BadMessage):
        return message.request_id
    return message.get("id") if message is not None and "method" in message else None
