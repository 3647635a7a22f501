"""The watch on the client of a running call: it ends the call when the client has left.

Most calls are over before it has begun. Knows nothing of MCP.
"""

import asyncio
from types import TracebackType
from typing import Self

from appfunctions_mcp.server.http_messages import EventStream, HttpRequest

WATCH_AFTER_SECONDS = 0.1
"""How long a call runs before anybody asks whether its client is still there."""
FIRST_COMMENT_SECONDS = 0.4
"""How long a watched call is silent before its stream is begun: proxies wait for a first byte."""
KEEP_ALIVE_SECONDS = 15.0
"""How long an event stream is silent before a comment is sent, unless a server is told another."""


class ClientWatch:
    """Watches a client while the block runs, and ends the block's task when it leaves.

    A cancellation that it has caused is not seen outside of the block.

    Args:
        request: The client's request; its body has been read.
        stream: Kept alive, and begun if the call is silent for long; None where there is none.
        clock: Tells when a call has run for long enough to be watched.
    """

    __slots__ = ("_clock", "_request", "_stream", "_task", "_watching", "client_has_left")

    def __init__(
        self, request: HttpRequest, stream: EventStream | None, clock: "WatchClock"
    ) -> None:
        self._request = request
        self._stream = stream
        self._clock = clock
        self._task: asyncio.Task[object] | None = None
        self._watching: asyncio.Task[None] | None = None
        self.client_has_left = False

    def __enter__(self) -> Self:
        """Starts the clock."""
        self._task = asyncio.current_task()
        self._clock.add(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Stops watching."""
        self._clock.remove(self)
        if self._watching is None:
            return False
        self._watching.cancel()
        if not self.client_has_left or self._task is None:
            return False
        return self._task.uncancel() == 0 and kind is asyncio.CancelledError

    def begin(self) -> None:
        """Begins to watch; the clock calls it."""
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        leaving = asyncio.ensure_future(self._request.until_gone())
        silence = min(FIRST_COMMENT_SECONDS, self._clock.keep_alive_seconds)
        try:
            while not (await asyncio.wait({leaving}, timeout=silence))[0]:
                if self._stream is not None:
                    await self._stream.keep_alive()
                silence = self._clock.keep_alive_seconds
        finally:
            leaving.cancel()
        self.client_has_left = True
        if self._task is not None:
            self._task.cancel()


class WatchClock:
    """Begins the watches of one event loop, all of them with one timer.

    Args:
        keep_alive_seconds: How long a stream is silent before a comment is sent.
    """

    def __init__(self, keep_alive_seconds: float) -> None:
        self.keep_alive_seconds = keep_alive_seconds
        self._due: dict[ClientWatch, float] = {}
        """When each shall begin; the first is the first that was added."""
        self._loop = asyncio.get_running_loop()
        self._is_set = False

    def add(self, watch: ClientWatch) -> None:
        """Lets a watch begin after a while."""
        self._due[watch] = due = self._loop.time() + WATCH_AFTER_SECONDS
        if not self._is_set:
            self._is_set = True
            self._loop.call_at(due, self._ring)

    def remove(self, watch: ClientWatch) -> None:
        """Lets a watch begin no more; the timer stays as it is, for the next one."""
        self._due.pop(watch, None)

    def _ring(self) -> None:
        self._is_set = False
        now = self._loop.time()
        while self._due:
            first, due = next(iter(self._due.items()))
            if due > now:
                self._is_set = True
                self._loop.call_at(due, self._ring)
                return
            del self._due[first]
            first.begin()
