"""uvicorn's protocol with head and body of an answer in one write.

uvicorn writes the head of an answer and its body one after the other, which costs a system call
and wakes the client up twice. Here they leave together; what a stream writes leaves at the latest
when the event loop turns.
"""

import asyncio
from typing import Any, cast

from appfunctions_mcp.server.http_connection import HttpConnection

MAX_KEPT_BYTES = 64 * 1024
"""How much is kept back for what follows; more leaves at once."""


class JoiningProtocol(HttpConnection):
    """uvicorn's HTTP protocol, over a transport that joins writes."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Begins a connection."""
        self._joined = JoinedTransport(transport, self.loop)
        super().connection_made(cast("asyncio.Transport", self._joined))

    def on_response_complete(self) -> None:
        """Sends what was kept, before a client's next request is looked at."""
        self._joined.flush()
        super().on_response_complete()


class JoinedTransport:
    """A transport that keeps what is written until `flush`, or until the event loop turns.

    Args:
        transport: Where it goes; whatever else is asked for is asked of it.
        loop: The event loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._turn: asyncio.Handle | None = None
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Keeps bytes to be written."""
        if not data:
            return
        self._kept.append(data)
        self._kept_bytes += len(data)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self.flush()
        elif self._turn is None:
            self._turn = self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Writes what was kept."""
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
        if self._kept:
            kept, self._kept, self._kept_bytes = self._kept, [], 0
            if self.is_closing():  # the client has left: uvloop fails on it, asyncio warns
                return
            self._transport.write(kept[0] if len(kept) == 1 else b"".join(kept))

    def close(self) -> None:
        """Writes what was kept and ends the connection."""
        self.flush()
        self._transport.close()
