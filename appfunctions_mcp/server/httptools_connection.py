"""uvicorn's protocol over httptools, for requests that offer to go on in another protocol.

Java's HTTP client offers HTTP/2 so with each request. httptools takes all that follows such a head
for the other protocol, and the body is lost. Here the head is read again without the offer, which
any server may ignore (RFC 9110, 7.8). httptools has no limit for a head, and tells fields that
follow a body like those of the head; here there is one, and they are dropped. Imported only where
httptools is installed.
"""

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from appfunctions_mcp.server.h11_connection import MAX_HEAD_BYTES

_CODING = b"transfer-encoding"


class HttpToolsConnection(HttpToolsProtocol):
    """A connection that keeps to HTTP/1.1, and knows which request is being answered."""

    _running: RequestResponseCycle | None = None
    _head = b""
    _is_in_body = False
    _field_bytes = 0
    """How long the fields of this request are, before and after its body."""
    _went_on = False
    _silent_bytes = 0
    """How much was read without anything that could be told."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells the request that is being answered; those that wait behind it never begin."""
        self.pipeline.clear()
        self.cycle = self._running  # type: ignore[assignment] # None before the first request
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads what has come."""
        self._unset_keepalive_if_required()
        self._went_on = False
        self._feed(data)
        self._silent_bytes = 0 if self._went_on else self._silent_bytes + len(data)
        if self._silent_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("Invalid HTTP request received.")

    def _feed(self, data: bytes) -> None:
        unread = data
        while unread:
            try:
                self.parser.feed_data(unread)
            except httptools.HttpParserUpgrade as offer:
                if not self._head:
                    self.send_400_response("Invalid HTTP request received.")
                    return
                unread = self._head + unread[offer.args[0] :]
                self.parser = _new_parser(self)
            except httptools.HttpParserError:
                self.send_400_response("Invalid HTTP request received.")
                return
            else:
                return

    def on_message_begin(self) -> None:
        """Begins the head of a request."""
        self._is_in_body, self._field_bytes = False, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Takes a field of the head; one that follows the body is dropped (RFC 9110, 6.5.1).

        Blanks around a value are no part of it, but httptools leaves some.
        """
        self._went_on = True
        self._field_bytes += len(name) + len(value)
        if self._field_bytes > MAX_HEAD_BYTES:
            raise ValueError("the head is too long")
        if self._is_in_body:
            return
        value = value.strip(b" \t")
        if len(name) == len(_CODING) and name.lower() == _CODING and value.lower() != b"chunked":
            raise ValueError("the body is in a form that is not read here")
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Takes a piece of the body."""
        self._went_on = True
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """Begins a request, unless its head is to be read again."""
        self._is_in_body = True
        if not self.parser.should_upgrade():
            super().on_headers_complete()
            return
        method = self.parser.get_method()
        if method == b"CONNECT":  # there is no other way to read it
            self._head = b""
            return
        version = self.parser.get_http_version().encode()
        kept = (b"%b: %b\r\n" % pair for pair in self.headers if pair[0] != b"upgrade")
        self._head = b"%b %b HTTP/%b\r\n%b\r\n" % (method, self.url, version, b"".join(kept))

    def on_message_complete(self) -> None:
        """Ends a request."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: object) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)  # type: ignore[arg-type] # uvicorn's own name for an app


def _new_parser(connection: HttpToolsConnection) -> httptools.HttpRequestParser:
    parser = httptools.HttpRequestParser(connection)
    if hasattr(parser, "set_dangerous_leniencies"):  # since 0.6.3; as uvicorn sets it
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser
