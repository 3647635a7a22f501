"""The lean engine over HTTP: every request stands alone, in both protocol eras.

An answer is JSON, or an event stream as soon as something is told while the call runs and the
client takes a stream. `methods.py` says what is answered; here is in which form, with which
status, and what a client's leaving ends. Needs no MCP library and no web framework.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.server.announcer import Announcer, Changes
from appfunctions_mcp.server.client_watch import ClientWatch, WatchClock
from appfunctions_mcp.server.envelopes import (
    BadMessage,
    Message,
    error_response,
    is_response,
    read_message,
)
from appfunctions_mcp.server.eras import (
    ClientSession,
    Era,
    Params,
    require_envelope,
    require_served_version,
)
from appfunctions_mcp.server.http_access import ANONYMOUS, HttpRefusal
from appfunctions_mcp.server.http_messages import (
    EVENT_STREAM,
    EventStream,
    HttpRequest,
    accepted_body,
    refuse,
    respond,
    written,
)
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.param_headers import ParamHeaders
from appfunctions_mcp.server.pending_request import PendingRequest
from appfunctions_mcp.server.protocol_errors import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
)
from appfunctions_mcp.server.routing_headers import (
    check_routing_headers,
    era_of,
    is_handshake_version,
    require_served_version_header,
)
from appfunctions_mcp.server.subscriptions import MAX_SUBSCRIPTIONS, Subscription
from appfunctions_mcp.service import AppFunctionService

UNASKED_LOG_LEVEL = "info"
"""From which level clients with a handshake get log messages: without a session none can ask."""

_STATUS_OF = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""The HTTP status of errors in the modern era; all others, and all of the other era, are 200."""


class LeanEndpoint:
    """Answers the requests of one event loop.

    Args:
        service: What is served.
        max_body_bytes: How long a request's body may be.
        keep_alive_seconds: How long a stream is silent before a comment is sent.
    """

    def __init__(
        self, service: AppFunctionService, *, max_body_bytes: int, keep_alive_seconds: float
    ) -> None:
        self._service = service
        self._max_body_bytes = max_body_bytes
        self._methods = Methods(service, has_channel=False)
        self._params = ParamHeaders(self._metadata_of)
        self._announcer = Announcer()
        self._clock = WatchClock(keep_alive_seconds)
        self._streams: set[_ChangeStream] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the service running, and hears of its changes."""
        async with self._service.running():
            with self._announcer.announcing(self._service):
                yield

    def end_streams(self) -> None:
        """Ends every stream of changes, each with its response."""
        for stream in tuple(self._streams):
            stream.end()

    async def serve(self, request: HttpRequest) -> None:
        """Answers one request, which access has been granted to."""
        if request.method != "POST":
            allow = ("Allow", "POST")
            await refuse(
                request.send, HttpRefusal(405, f"{request.method} is not served here", (allow,))
            )
            return
        body = await accepted_body(request, self._max_body_bytes)
        if body is None:
            return
        message = read_message(body)
        if isinstance(message, dict) and "method" in message:
            if "id" in message:
                await self._answer(request, message)
            else:
                await _acknowledge(request)
        elif (
            isinstance(message, dict)
            and is_response(message)
            and is_handshake_version(request.headers)
        ):
            await respond(request.send, 202)  # a response, though nothing was asked of the client
        else:
            await respond(request.send, 400, written(_refused_message(message, body)))

    async def _answer(self, request: HttpRequest, message: Message) -> None:
        era = era_of(request.headers, message["method"])
        if era == "modern" and (refused := self._refused_headers(request, message)) is not None:
            await _send_response(request, refused, era)
            return
        session = _SingleRequest(
            request.caller or ANONYMOUS, era=era, is_accepted=era == "handshake"
        )
        if request.takes_stream:
            session.log_level = UNASKED_LOG_LEVEL
        prepared = self._methods.prepare(message, session)
        if isinstance(prepared, PendingRequest):
            await self._run(request, prepared, era)
        elif isinstance(prepared, Subscription):
            await self._stream_changes(request, prepared)
        else:
            await _send_response(request, prepared, era)

    async def _run(self, request: HttpRequest, pending: PendingRequest, era: Era) -> None:
        stream = EventStream(request.send) if request.takes_stream else None
        begun = pending.begin(_drop if stream is None else stream.send)
        if isinstance(begun, bytes | dict):
            answer = begun
        else:
            with ClientWatch(request, stream, self._clock) as watch:
                answer = await begun
            if watch.client_has_left:
                return
        if stream is not None and stream.is_open:
            await stream.end(answer if isinstance(answer, bytes) else written(answer))
        else:
            await _send_response(request, answer, era)

    def _refused_headers(self, request: HttpRequest, message: Message) -> Message | None:
        """The error response where the headers do not say what the body says."""
        headers, raw = request.headers, request.scope["headers"]
        try:
            check_routing_headers(headers, raw, message)
            if message["method"] == "tools/call":
                caller = request.caller or ANONYMOUS
                self._params.check(headers, raw, message["params"], caller)
        except ProtocolError as error:
            return error_response(message["id"], error.code, error.message, error.data)
        return None

    async def _stream_changes(self, request: HttpRequest, subscription: Subscription) -> None:
        if not request.takes_stream:
            refusal = HttpRefusal(406, f"accepted must be {EVENT_STREAM}")
            await refuse(request.send, refusal, subscription.request_id)
            return
        if len(self._streams) >= MAX_SUBSCRIPTIONS:
            await _send_response(request, subscription.refused(), "modern")
            return
        stream = _ChangeStream(request, subscription, self._clock.keep_alive_seconds)
        forget = self._announcer.add(stream.change)
        self._streams.add(stream)
        try:
            await stream.run()
        finally:
            self._streams.discard(stream)
            forget()

    def _metadata_of(self, tool_name: str) -> AppFunctionMetadata | None:
        function = self._service.registry.find(tool_name)
        return None if function is None else function.metadata


class _SingleRequest(ClientSession):
    """What is known of the client of one request, whose headers have decided the era."""

    __slots__ = ()

    def decide_era(self, _method: str, params: Params) -> Era:
        """The era that was decided; no earlier request has opened a connection of the other."""
        if self.era != "modern":
            return "handshake"
        require_envelope(params)
        require_served_version(params)
        return "modern"


class _ChangeStream:
    """One client that listens to changes, until it leaves or the server ends."""

    def __init__(
        self, request: HttpRequest, subscription: Subscription, keep_alive_seconds: float
    ) -> None:
        self._request = request
        self._subscription = subscription
        self._keep_alive_seconds = keep_alive_seconds
        self._stream = EventStream(request.send)
        self._news = asyncio.Event()
        self._changes = Changes()
        self._ends = False

    def change(self, changes: Changes) -> None:
        """Tells the client of changes; the same one twice before it has read the first is one."""
        wanted = self._subscription.wanted_of(changes)
        if wanted:
            self._changes.merge(wanted)
            self._news.set()

    def end(self) -> None:
        """Ends the stream with its response."""
        self._ends = True
        self._news.set()

    async def run(self) -> None:
        """Serves the stream to its end."""
        leaving = asyncio.ensure_future(self._request.until_gone())
        leaving.add_done_callback(lambda _: self._news.set())
        try:
            await self._stream.send(self._subscription.acknowledged())
            while not leaving.done():
                await self._tell()
                if self._ends:
                    await self._stream.end(written(self._subscription.ended()))
                    return
        finally:
            leaving.cancel()

    async def _tell(self) -> None:
        try:
            async with asyncio.timeout(self._keep_alive_seconds):
                await self._news.wait()
        except TimeoutError:
            await self._stream.keep_alive()
            return
        self._news.clear()
        changes, self._changes = self._changes, Changes()
        for message in self._subscription.changed(changes):
            await self._stream.send(message)


async def _drop(_notification: Message) -> None:
    """Where the client takes no stream, there is no way for it."""


async def _send_response(request: HttpRequest, response: Message | bytes, era: Era) -> None:
    """Sends a response that comes alone, in a form that the client takes."""
    status = 200
    if era == "modern" and isinstance(response, dict) and "error" in response:
        status = _STATUS_OF.get(response["error"]["code"], 200)
    body = response if isinstance(response, bytes) else written(response)
    if request.takes_json or status != 200:
        await respond(request.send, status, body)
    else:
        await EventStream(request.send).end(body)


async def _acknowledge(request: HttpRequest) -> None:
    """Takes a notification: none has a meaning where every request stands alone."""
    if not is_handshake_version(request.headers):
        try:
            require_served_version_header(request.headers)
        except ProtocolError as error:
            refused = error_response(None, error.code, error.message, error.data)
            await respond(request.send, 400, written(refused))
            return
    await respond(request.send, 202)


def _refused_message(message: Message | BadMessage | None, body: bytes) -> Message:
    if isinstance(message, BadMessage):
        return message.answer()
    if not body.strip():
        return error_response(None, PARSE_ERROR, "Parse error: the body is empty")
    text = "Invalid request: the body must be one JSON-RPC request or notification"
    return error_response(None, INVALID_REQUEST, text)
