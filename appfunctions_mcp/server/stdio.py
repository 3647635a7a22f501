"""The stdio transport: JSON-RPC messages as lines of bytes on two descriptors.

Lines become checked messages for a `receive` callable, `send` takes messages to be written, one
write a turn of the loop. What is no valid message is answered here, so an engine sees valid ones
only. It knows which requests wait for an answer, and at the end of input gives them a short time.
Knows nothing of methods.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import groupby

from appfunctions_mcp.json_text import JsonTextError, write_json
from appfunctions_mcp.server.descriptors import ProtocolDescriptors
from appfunctions_mcp.server.envelopes import (
    BadMessage,
    Message,
    RequestId,
    error_response,
    is_request_id,
    read_message,
)
from appfunctions_mcp.server.framing import MAX_LINE_BYTES, LineSplitter, LineTooLongError
from appfunctions_mcp.server.pipes import CHUNK_BYTES, is_client_gone, open_reader, open_writer
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR, INVALID_REQUEST

GRACE_SECONDS = 1.5
"""How long, after the end of input, requests that were read may still be answered."""
MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""Nothing more is read while the client leaves this much unread."""

log = logging.getLogger("appfunctions_mcp.server")


def _is_large(part: bytes) -> bool:
    return len(part) > CHUNK_BYTES


class StdioTransport:
    """One connection over a pair of descriptors.

    Args:
        descriptors: Where to read and write.
        threads: Reads and writes in threads though the platform could do without.
        max_line_bytes: How long one message may be.
        unread: What somebody else has read from the input already.
        unsent: The end of what somebody else has begun to write.
    """

    def __init__(
        self,
        descriptors: ProtocolDescriptors,
        *,
        threads: bool = False,
        max_line_bytes: int = MAX_LINE_BYTES,
        unread: bytes = b"",
        unsent: bytes = b"",
    ) -> None:
        self.descriptors = descriptors
        self.together: Callable[[], AbstractContextManager[None]] = nullcontext
        """Makes the context in which messages that were read at once are received."""
        self._threads = threads
        self._lines = LineSplitter(max_line_bytes)
        self._unread, self._unsent = unread, unsent
        self._unanswered: dict[RequestId, int] = {}
        self._outgoing: list[bytes] = []
        self._ended = asyncio.Event()
        self._progress = asyncio.Event()
        self._grace_seconds = GRACE_SECONDS
        self._takes_chunk = self._flush_scheduled = self._closed = self._has_large = False

    async def run(self, receive: Callable[[Message], None], on_end: Callable[[], None]) -> None:
        """Serves until the input ends, the client is gone or `stop` is called.

        When it returns, what was read is answered or its time is over, and nothing more is
        written.

        Args:
            receive: Gets each valid message, on the loop's thread; it must not wait.
            on_end: Called when nothing more will be received, before requests get their time.
        """
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._writer = open_writer(self.descriptors.output, self._on_broken, threads=self._threads)
        self._reader = open_reader(self.descriptors.input, self._on_chunk, threads=self._threads)
        try:
            self._writer.write(self._unsent)
            self._on_chunk(self._unread)
            self._unread = self._unsent = b""
            await self._ended.wait()
            self._reader.pause()
            on_end()
            await self._settle()
        finally:
            self._closed = True
            self._reader.close()
            self._writer.close()

    def stop(self) -> None:
        """Ends the connection now: what is written already goes out, nothing else is awaited."""
        self._grace_seconds = 0
        self._ended.set()
        self._progress.set()

    def send(self, message: Message) -> None:
        """Writes a message: at once, or in one go with others while more is waited for.

        What has no JSON form becomes an error under the same id, never silence.
        """
        if self._closed:
            return
        if "method" not in message:
            self._settled(message.get("id"))
        try:
            line = write_json(message)
        except JsonTextError as error:
            line = write_json(self._unwritable(message, error))
        self._put(line)

    def send_line(self, request_id: RequestId, line: bytes) -> None:
        """Writes a response that is JSON already, without its line feed."""
        if not self._closed:
            self._settled(request_id)
            self._put(line)

    def is_unanswered(self, request_id: object) -> bool:
        """Whether a request with exactly this id waits for its answer; `"7"` is not `7`."""
        return is_request_id(request_id) and request_id in self._unanswered

    def forget(self, request_id: RequestId) -> None:
        """Takes a request as settled though nothing was sent: the client has cancelled it."""
        self._settled(request_id)

    @property
    def unsent_bytes(self) -> int:
        """How much the client has left unread."""
        return self._writer.unsent_bytes

    async def drain(self, limit: int | None = None) -> None:
        """Waits while the client leaves too much unread, or more than that many bytes."""
        await self._writer.drain(MAX_UNSENT_BYTES if limit is None else limit)

    def _on_chunk(self, chunk: bytes | None) -> None:
        if chunk is None:
            last = self._lines.end()
            if last is not None:
                self._on_line(last)
            self._ended.set()
            return
        self._takes_chunk = True
        if chunk.count(b"\n") > 1:
            with self.together():
                self._take(chunk)
        else:
            self._take(chunk)
        self._takes_chunk = False
        self._flush()
        if self._writer.unsent_bytes > MAX_UNSENT_BYTES:
            self._reader.pause()
            self._resuming = self._loop.create_task(self._resume_when_drained())

    def _take(self, chunk: bytes) -> None:
        for line in self._lines.feed(chunk):
            self._on_line(line)

    async def _resume_when_drained(self) -> None:
        await self.drain()
        if not self._ended.is_set():
            self._reader.resume()

    def _on_line(self, line: bytes | LineTooLongError) -> None:
        message = (
            BadMessage(INVALID_REQUEST, f"Invalid request: {line}")
            if isinstance(line, LineTooLongError)
            else read_message(line)
        )
        if isinstance(message, BadMessage):
            self.send(message.answer())
        elif message is not None:
            if "method" in message and "id" in message:
                request_id = message["id"]
                self._unanswered[request_id] = self._unanswered.get(request_id, 0) + 1
            self._receive(message)

    def _on_broken(self, error: OSError) -> None:
        if not is_client_gone(error):
            log.error("the client cannot be written to: %s", error)
        self._closed = True
        self.stop()

    def _put(self, line: bytes) -> None:
        self._outgoing += (line, b"\n")
        if len(line) > CHUNK_BYTES:
            self._has_large = True
        if self._takes_chunk or self._flush_scheduled:
            return
        if not self._unanswered:
            self._flush()
            return
        self._flush_scheduled = True
        self._loop.call_soon(self._flush_as_scheduled)

    def _flush_as_scheduled(self) -> None:
        self._flush_scheduled = False
        self._flush()

    def _flush(self) -> None:
        parts, self._outgoing = self._outgoing, []
        if not self._has_large:
            self._writer.write(b"".join(parts))
            return
        self._has_large = False
        # What is large goes out by itself: a copy of it would cost more than a write saves.
        for _, group in groupby(parts, _is_large):
            self._writer.write(b"".join(group))

    def _settled(self, request_id: RequestId | None) -> None:
        if request_id is None:
            return
        left = self._unanswered.pop(request_id, 0) - 1
        if left > 0:
            self._unanswered[request_id] = left
        if not self._unanswered:
            self._progress.set()

    async def _settle(self) -> None:
        """Gives what was read its time, then what was answered its way out."""
        deadline = time.monotonic() + self._grace_seconds
        while self._unanswered and (left := deadline - time.monotonic()) > 0:
            self._progress.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._progress.wait(), left)
        deadline = max(deadline, time.monotonic() + 0.1)
        await asyncio.sleep(0)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._writer.drain(0), deadline - time.monotonic())

    def _unwritable(self, message: Message, error: JsonTextError) -> Message:
        log.error("a message could not be written: %s", error)
        request_id = message.get("id")
        return error_response(request_id, INTERNAL_ERROR, f"Internal error: the answer has {error}")
