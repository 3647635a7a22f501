"""uvicorn's protocol over h11, which reads nothing that somebody before it may read otherwise.

A request with both a length and pieces, or with pieces in HTTP/1.0, has an end that depends on
who reads it (RFC 9112, 6.1): what one takes for a body another takes for the next request.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD_BYTES = 64 * 1024
"""How long a head may be."""


class H11Connection(H11Protocol):
    """A connection that refuses requests whose end is not clear."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Begins a connection."""
        self.conn = _ClearConnection(h11.SERVER, MAX_HEAD_BYTES)
        super().connection_made(transport)

    def send_400_response(self, msg: str) -> None:
        """Refuses what cannot be read; after an answer there is nothing more to say."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()


class _ClearConnection(h11.Connection):
    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        event = super().next_event()
        if isinstance(event, h11.Request) and not _has_clear_end(event):
            raise h11.RemoteProtocolError("the end of the request is not clear")
        return event


def _has_clear_end(request: h11.Request) -> bool:
    names = {name for name, _ in request.headers}
    if b"transfer-encoding" not in names:
        return True
    return b"content-length" not in names and request.http_version >= b"1.1"
