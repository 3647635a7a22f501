"""uvicorn's HTTP protocol, reading on while a request is answered, but not for ever.

uvicorn stops reading as soon as a second request comes before the first is answered, and learns
only with the answer that the client has left. Here what comes too early is kept, unread. A
request that never becomes complete ends its connection, and so does one connection too many.
"""

import asyncio
import logging
import math
from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import RequestResponseCycle

from appfunctions_mcp.server.h11_connection import H11Connection
from appfunctions_mcp.server.open_files import most_connections

MAX_KEPT_BYTES = 256 * 1024
"""How much is kept of what comes too early; with more, reading stops until the answer is out."""
REQUEST_SECONDS = 30.0
"""How long a request may take to become complete, and a new connection to begin one."""
LEAST_BYTES_PER_SECOND = 500
"""As many more bytes give a request one more second."""
LAST_REQUEST_SECONDS = 1.0
"""How long a server that ends waits for the first request of a connection that it has accepted."""

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

log = logging.getLogger("appfunctions_mcp.server")

if TYPE_CHECKING:
    _Protocol = H11Connection
else:
    try:
        from appfunctions_mcp.server.httptools_connection import HttpToolsConnection as _Protocol
    except ImportError:  # httptools is not installed
        _Protocol = H11Connection


class HttpConnection(_Protocol):
    """One client's connection: its requests are answered one at a time."""

    _told_full_at = -math.inf
    """When it was told last that there are too many; of all connections."""
    _kept = b""
    _patience: asyncio.TimerHandle | None = None
    """Runs while a request is waited for, or for the rest of one."""
    _begun_at = 0.0
    _received = 0
    """How much has come since."""
    _is_last = False
    """Whether the server ends, so that no request follows the one that is waited for."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Begins a connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            self._tell_full()
            transport.abort()
        else:
            self._be_patient()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends a connection."""
        self._lose_patience()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads what has come, or keeps it until the answer is out."""
        if self._is_answering():
            self._kept += data
            if len(self._kept) > MAX_KEPT_BYTES:
                self.flow.pause_reading()
            return
        super().data_received(data)
        self._read_on()
        if self._is_last and self.cycle is not None:
            self.cycle.keep_alive = False
        if self._is_answering():
            self._lose_patience()
            return
        if self._patience is None:
            self._be_patient()
        self._received += len(data)

    def on_response_complete(self) -> None:
        """Goes on with the next request."""
        super().on_response_complete()
        kept, self._kept = self._kept, b""
        if kept and not self.transport.is_closing():
            self.data_received(kept)
        else:
            self._read_on()

    def shutdown(self) -> None:
        """Begins the end of a connection; the first request of a new one may be on its way."""
        if self.cycle is None and not self.transport.is_closing():
            self._is_last = True
            self.loop.call_later(LAST_REQUEST_SECONDS, self._end_unused)
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Refuses what cannot be read; a request whose body it is is over."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        super().send_400_response(msg)

    def _end_unused(self) -> None:
        if self.cycle is None:
            self.transport.close()

    def _is_answering(self) -> bool:
        """Whether the body of a request is complete, and its answer is not."""
        if getattr(self, "pipeline", None):  # httptools' queue of what came in one piece
            return True
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not (cycle.more_body or cycle.response_complete)

    def _read_on(self) -> None:
        if self._is_answering():
            self.flow.resume_reading()

    def _tell_full(self) -> None:
        now = self.loop.time()
        if now - HttpConnection._told_full_at >= REQUEST_SECONDS:
            HttpConnection._told_full_at = now
            log.warning("%d connections are open; no more are accepted", len(self.connections) - 1)

    def _be_patient(self) -> None:
        self._begun_at, self._received = self.loop.time(), 0
        self._patience = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _lose_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        """Ends a connection whose request takes too long, unless we are the slow ones."""
        allowed = REQUEST_SECONDS + self._received / LEAST_BYTES_PER_SECOND
        left = self._begun_at + allowed - self.loop.time()
        if self.flow.read_paused or left > 0:
            self._patience = self.loop.call_later(max(left, 1), self._give_up)
            return
        self._patience = None
        if self._received and not self._has_begun_answer():
            self.transport.write(_TOO_SLOW)
        self.transport.close()

    def _has_begun_answer(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and cycle.response_started and not cycle.response_complete

    def _unsupported_upgrade_warning(self) -> None:
        """Says nothing: an offer to change the protocol may be ignored, and most clients' is."""
