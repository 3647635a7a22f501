"""One HTTP request as ASGI brings it, and the ways to answer it: at once, or as an event stream.

Knows JSON-RPC's messages, and nothing of methods.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from appfunctions_mcp.json_text import JsonTextError, write_json
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.envelopes import Message, RequestId, error_response
from appfunctions_mcp.server.http_access import Headers, HttpRefusal
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR, INVALID_REQUEST

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
RawHeaders = list[tuple[bytes, bytes]]

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
PING = b": ping\r\n\r\n"
"""A comment of an event stream, which nobody reads."""
LINGER_SECONDS = 2.0
"""How long the rest of a refused body is read, so that its sender gets to the answer."""

_STREAM_HEADERS: RawHeaders = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]

_JOINED = frozenset({"accept", "authorization", "host", "origin"})
"""Headers of which every line counts: two of those that access depends on are none."""

log = logging.getLogger("appfunctions_mcp.server")


class BodyTooLargeError(Exception):
    """A request's body is longer than accepted."""


class ClientGoneError(Exception):
    """The client has left before its request was complete."""


class HttpRequest:
    """A request: its headers, who sent it, and which forms of answer it takes.

    Args:
        scope: ASGI's description of it.
        receive: Brings its body, and then the news that the client has left.
        send: Takes the answer.
    """

    __slots__ = (
        "_send",
        "caller",
        "extra_headers",
        "has_answer",
        "headers",
        "method",
        "receive",
        "scope",
        "takes",
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.receive = receive
        self._send = send
        self.method: str = scope["method"]
        self.headers = _headers_of(scope["headers"])
        self.takes = accepted_forms(self.headers.get("accept", ""))
        self.caller: AppFunctionCaller | None = None
        """Set by the check of access."""
        self.extra_headers: RawHeaders = []
        """What every answer has, whoever gives it."""
        self.has_answer = False
        """Whether an answer has begun."""

    @property
    def takes_json(self) -> bool:
        """Whether the client takes an answer as JSON."""
        return self.takes[0]

    @property
    def takes_stream(self) -> bool:
        """Whether the client takes an answer as an event stream."""
        return self.takes[1]

    def send(self, event: Event) -> Awaitable[None]:
        """Sends a part of the answer."""
        if event["type"] == "http.response.start":
            self.has_answer = True
            if self.extra_headers:
                event = {**event, "headers": [*event.get("headers", ()), *self.extra_headers]}
        return self._send(event)

    async def body(self, limit: int) -> bytes:
        """Reads the body; the limit counts what is received, whatever was declared.

        Raises:
            BodyTooLargeError: It is longer than the limit, or says that it is.
            ClientGoneError: The client left before it was complete.
        """
        declared = self.headers.get("content-length", "")
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > limit):
            raise BodyTooLargeError
        event = await self.receive()
        if event["type"] == "http.request" and not event.get("more_body"):
            body: bytes = event.get("body", b"")
            if len(body) > limit:
                raise BodyTooLargeError
            return body
        return await self._rest_of_body(event, limit)

    async def _rest_of_body(self, event: Event, limit: int) -> bytes:
        body = bytearray()
        while True:
            if event["type"] != "http.request":
                raise ClientGoneError
            body += event.get("body", b"")
            if len(body) > limit:
                raise BodyTooLargeError
            if not event.get("more_body"):
                return bytes(body)
            event = await self.receive()

    def put_back(self, body: bytes) -> None:
        """Lets the next reader have a body that was read whole."""
        receive, is_read = self.receive, False

        async def receive_again() -> Event:
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            return {"type": "http.request", "body": body, "more_body": False}

        self.receive = receive_again

    async def until_gone(self) -> None:
        """Waits until the client leaves."""
        while (await self.receive())["type"] != "http.disconnect":
            pass


@lru_cache(maxsize=64)
def accepted_forms(accept: str) -> tuple[bool, bool]:
    """Whether a client takes JSON, and an event stream; without an Accept header it takes any."""
    return _accepts(accept, JSON), _accepts(accept, EVENT_STREAM)


async def respond(
    send: Send,
    status: int,
    body: bytes = b"",
    headers: RawHeaders | None = None,
    *,
    media_type: str = JSON,
) -> None:
    """Sends a complete answer; one without a body has no type either."""
    await _start_response(send, status, body, headers, media_type)
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, refusal: HttpRefusal, request_id: RequestId | None = None) -> None:
    """Sends a refusal, as a JSON-RPC error too."""
    body = write_json(error_response(request_id, INVALID_REQUEST, refusal.message))
    await respond(send, refusal.status, body, _encoded(refusal))


async def accepted_body(request: HttpRequest, limit: int) -> bytes | None:
    """The body of a request; None where it was refused for its length, or the client has left."""
    try:
        return await request.body(limit)
    except BodyTooLargeError:
        text = f"the body has more than {limit:,} bytes, the most accepted"
        await refuse_body(request, HttpRefusal(413, text))
    except ClientGoneError:
        log.debug("a client left before its request was complete")
    return None


async def refuse_body(request: HttpRequest, refusal: HttpRefusal) -> None:
    """Refuses a body before it was read, and then ends the connection.

    What the client still sends is read and dropped for a while: were the connection closed at
    once, the client's system would drop the answer together with it.
    """
    body = write_json(error_response(None, INVALID_REQUEST, refusal.message))
    headers = [*_encoded(refusal), (b"connection", b"close")]
    await _start_response(request.send, refusal.status, body, headers, JSON)
    await request.send({"type": "http.response.body", "body": body, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while (await request.receive()).get("more_body"):
                pass
    await request.send({"type": "http.response.body", "body": b""})


class EventStream:
    """An answer of several messages; it begins with the first of them.

    Args:
        send: Takes the answer.
    """

    __slots__ = ("_is_lost", "_lock", "_send", "is_open")

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = asyncio.Lock()
        self._is_lost = False
        self.is_open = False

    async def send(self, message: Message) -> None:
        """Sends one message; waits while the client leaves too much unread."""
        await self._write(_event_of(write_json(message)))

    async def keep_alive(self) -> None:
        """Sends a comment, so that nobody between takes the silence for the end."""
        await self._write(PING)

    async def end(self, response: bytes) -> None:
        """Sends the response, which is the last message."""
        await self._write(_event_of(response), more_body=False)

    async def _write(self, body: bytes, *, more_body: bool = True) -> None:
        async with self._lock:
            if self._is_lost:
                return
            try:
                await self._begin()
                event = {"type": "http.response.body", "body": body, "more_body": more_body}
                await self._send(event)
            except OSError as left:  # what some servers raise; `receive` tells it too
                self._is_lost = True
                log.debug("a client left before its stream was complete: %s", left)

    async def _begin(self) -> None:
        if not self.is_open:
            start = {"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS}
            await self._send(start)
            self.is_open = True  # not before: who waits to send it may be cancelled


def written(response: Message) -> bytes:
    """The JSON of a response; of one that has none, that of an error which says so."""
    try:
        return write_json(response)
    except JsonTextError as fault:
        log.error("a message could not be written: %s", fault)  # noqa: TRY400 - its text says all
        text = f"Internal error: the answer has {fault}"
        return write_json(error_response(response["id"], INTERNAL_ERROR, text))


async def _start_response(
    send: Send, status: int, body: bytes, headers: RawHeaders | None, media_type: str
) -> None:
    all_headers: RawHeaders = []
    if status != 204:  # an answer that can have no body must not tell its length
        all_headers.append((b"content-length", b"%d" % len(body)))
    if body:
        all_headers.append((b"content-type", media_type.encode()))
    if headers:
        all_headers += headers
    await send({"type": "http.response.start", "status": status, "headers": all_headers})


def _event_of(message: bytes) -> bytes:
    return b"event: message\r\ndata: %b\r\n\r\n" % message


def _encoded(refusal: HttpRefusal) -> RawHeaders:
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in refusal.headers]


def _headers_of(raw: RawHeaders) -> Headers:
    """The headers by name; of one that comes twice the last value, or all where it matters."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw}
    if len(headers) < len(raw):
        for joined in _JOINED & headers.keys():
            values = [value for name, value in raw if name == joined.encode()]
            headers[joined] = b", ".join(values).decode("latin-1")
    return headers


def _accepts(accept: str, media_type: str) -> bool:
    if not accept.strip():
        return True
    family = media_type.split("/", maxsplit=1)[0] + "/*"
    for entry in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in entry.split(";"))
        is_refused = any(_is_zero_quality(parameter) for parameter in parameters)
        if kind in {media_type, family, "*/*"} and not is_refused:
            return True
    return False


def _is_zero_quality(parameter: str) -> bool:
    name, _, value = parameter.replace(" ", "").partition("=")
    return name == "q" and value.strip("0") in {"", "."} and value != ""
