"""Keeps an event stream alive that somebody else writes, by a comment wherever it is silent."""

import asyncio
import logging
from typing import Self

from appfunctions_mcp.server.http_messages import EVENT_STREAM, PING, Event, Send

FIRST_COMMENT_SECONDS = 0.5
"""How long a stream is silent at most before its first byte, which proxies wait for."""

log = logging.getLogger("appfunctions_mcp.server")


class StreamKeeper:
    """Takes the parts of an answer, while its block runs, and puts comments between them.

    Args:
        send: Takes parts and comments.
        seconds: How long a stream may be silent.
    """

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self._seconds = seconds
        self._lock = asyncio.Lock()
        self._news = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begins; what is no event stream is passed on as it comes."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Sends no comment any more."""
        self._end()

    async def send(self, event: Event) -> None:
        """Sends a part of the answer."""
        async with self._lock:
            if event["type"] == "http.response.body" and not event.get("more_body"):
                self._end()
            await self._send(event)
        self._news.set()
        if event["type"] == "http.response.start" and _is_stream(event):
            self._keeping = asyncio.create_task(self._keep())

    def _end(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            self._keeping = None

    async def _keep(self) -> None:
        silence = min(FIRST_COMMENT_SECONDS, self._seconds)
        try:
            while True:
                await self._fill(silence)
                silence = self._seconds
        except OSError as left:  # what some servers raise on the writer to a client that has left
            log.debug("a client cannot be written to: %s", left)

    async def _fill(self, silence: float) -> None:
        """Waits for the next part of the answer, and sends a comment where none comes."""
        self._news.clear()
        try:
            async with asyncio.timeout(silence):
                await self._news.wait()
        except TimeoutError:
            async with self._lock:
                await self._send({"type": "http.response.body", "body": PING, "more_body": True})


def _is_stream(start: Event) -> bool:
    kinds = [value for name, value in start.get("headers", ()) if name == b"content-type"]
    return bool(kinds) and kinds[0].startswith(EVENT_STREAM.encode())
