"""Reading and writing descriptors beside an event loop, bytes only.

Pipes, sockets and terminals are waited for by the loop itself; regular files, and every
descriptor on Windows, by a thread. Both have the same face: chunks arrive in a callback, and
writing never waits. Knows nothing of lines or messages.
"""

import asyncio
import errno
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

CHUNK_BYTES = 65_536
GROWN_PIPE_BYTES = 1_048_576
"""What Linux gives every user; a pipe has 64 KiB at first."""
_CLIENT_GONE = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ESHUTDOWN, errno.EINVAL, errno.EIO})

OnChunk = Callable[[bytes | None], None]
"""Gets bytes on the loop's thread, and None once at the end."""
OnBroken = Callable[[OSError], None]
"""Called once, on the loop's thread, when writing has failed for good."""


def is_client_gone(error: OSError) -> bool:
    """Whether an error of writing says that nobody reads any more; Windows says EINVAL then."""
    return isinstance(error, ConnectionError) or error.errno in _CLIENT_GONE


class PipeReader(Protocol):
    """Reads a descriptor; `on_chunk` gets bytes, and None once at the end."""

    def pause(self) -> None:
        """Stops reading for now."""

    def resume(self) -> None:
        """Reads on."""

    def close(self) -> None:
        """Stops reading for good."""


class PipeWriter(Protocol):
    """Writes a descriptor in order, without loss and without waiting."""

    @property
    def unsent_bytes(self) -> int:
        """How much was taken and is not written yet."""

    def write(self, data: bytes) -> None:
        """Takes bytes to be written."""

    async def drain(self, limit: int) -> None:
        """Waits until no more than so many bytes are unsent."""

    def close(self) -> None:
        """Gives up what is not written yet."""


class LoopReader:
    """Reads when the loop says that there is something."""

    def __init__(self, descriptor: int, on_chunk: OnChunk) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._on_chunk = on_chunk
        self._was_blocking = os.get_blocking(descriptor)
        self._reads = False
        os.set_blocking(descriptor, False)
        try:
            self.resume()
        except (OSError, NotImplementedError):
            os.set_blocking(descriptor, self._was_blocking)
            raise

    def pause(self) -> None:
        """Stops reading for now."""
        if self._reads:
            self._loop.remove_reader(self._descriptor)
            self._reads = False

    def resume(self) -> None:
        """Reads on."""
        if not self._reads:
            self._loop.add_reader(self._descriptor, self._read)
            self._reads = True

    def close(self) -> None:
        """Stops reading for good; others may share the pipe, so its mode is put back."""
        self.pause()
        with suppress(OSError):
            os.set_blocking(self._descriptor, self._was_blocking)

    def _read(self) -> None:
        try:
            chunk = os.read(self._descriptor, CHUNK_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.pause()
        self._on_chunk(chunk or None)


class ThreadReader:
    """Reads in a thread of its own, one chunk ahead of the loop."""

    def __init__(self, descriptor: int, on_chunk: OnChunk) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._on_chunk = on_chunk
        self._may_read = threading.Event()
        self._may_read.set()
        self._paused = self._closed = False
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def pause(self) -> None:
        """Stops reading for now."""
        self._paused = True
        self._may_read.clear()

    def resume(self) -> None:
        """Reads on."""
        self._paused = False
        self._may_read.set()

    def close(self) -> None:
        """Stops reading for good; a thread that waits for bytes ends with the process."""
        self._closed = True
        self._may_read.set()

    def _read(self) -> None:
        while self._may_read.wait() and not self._closed:
            try:
                chunk = os.read(self._descriptor, CHUNK_BYTES)
            except OSError:
                chunk = b""
            self._may_read.clear()
            try:
                self._loop.call_soon_threadsafe(self._deliver, chunk)
            except RuntimeError:
                return
            if not chunk:
                return

    def _deliver(self, chunk: bytes) -> None:
        if self._closed:
            return
        if chunk and not self._paused:
            self._may_read.set()
        self._on_chunk(chunk or None)


class LoopWriter:
    """Writes at once what the descriptor takes, and the rest when the loop says that it may."""

    def __init__(self, descriptor: int, on_broken: OnBroken) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._rest = memoryview(b"")
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._waits = self._closed = False
        self._may_grow = True
        self._written = asyncio.Event()
        self._was_blocking = os.get_blocking(descriptor)
        os.set_blocking(descriptor, False)

    @property
    def unsent_bytes(self) -> int:
        """How much was taken and is not written yet."""
        return len(self._rest) + self._waiting_bytes

    def write(self, data: bytes) -> None:
        """Takes bytes to be written."""
        if self._closed:
            return
        if self._waits:
            self._waiting.append(data)
            self._waiting_bytes += len(data)
        else:
            self._rest = memoryview(data)
            self._write()

    async def drain(self, limit: int) -> None:
        """Waits until no more than so many bytes are unsent."""
        while self.unsent_bytes > limit:
            self._written.clear()
            await self._written.wait()

    def close(self) -> None:
        """Gives up what is not written yet; others may share the pipe, so its mode is put back."""
        if self._closed:
            return
        self._closed = True
        self._stop_waiting()
        self._take_waiting()
        self._rest = memoryview(b"")
        self._written.set()
        with suppress(OSError):
            os.set_blocking(self._descriptor, self._was_blocking)

    def _write(self) -> None:
        while self._rest:
            try:
                written = os.write(self._descriptor, self._rest)
            except (BlockingIOError, InterruptedError):
                if self._may_grow:
                    self._may_grow = False
                    _grow_pipe(self._descriptor)
                    continue
                self._wait()
                return
            except OSError as error:
                self.close()
                self._on_broken(error)
                return
            self._rest = self._rest[written:] or memoryview(self._take_waiting())
            self._written.set()
        self._stop_waiting()

    def _take_waiting(self) -> bytes:
        if not self._waiting:
            return b""
        taken = b"".join(self._waiting)
        self._waiting.clear()
        self._waiting_bytes = 0
        return taken

    def _wait(self) -> None:
        if not self._waits:
            self._loop.add_writer(self._descriptor, self._write)
            self._waits = True

    def _stop_waiting(self) -> None:
        if self._waits:
            self._loop.remove_writer(self._descriptor)
            self._waits = False


class ThreadWriter:
    """Writes in a thread of its own, so that a full pipe never holds up the loop."""

    def __init__(self, descriptor: int, on_broken: OnBroken) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._on_broken = on_broken
        import queue

        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._lock = threading.Lock()
        self._closed = False
        self._written = asyncio.Event()
        threading.Thread(target=self._run, name="stdout", daemon=True).start()

    @property
    def unsent_bytes(self) -> int:
        """How much was taken and is not written yet."""
        return self._unsent

    def write(self, data: bytes) -> None:
        """Takes bytes to be written."""
        if self._closed:
            return
        with self._lock:
            self._unsent += len(data)
        self._queue.put(data)

    async def drain(self, limit: int) -> None:
        """Waits until no more than so many bytes are unsent."""
        while self.unsent_bytes > limit:
            self._written.clear()
            await self._written.wait()

    def close(self) -> None:
        """Gives up what is not written; a thread stuck in a full pipe ends with the process."""
        self._closed = True
        self._unsent = 0
        self._written.set()
        self._queue.put(None)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._write_whole(data)
            except OSError as error:
                self._tell(self._break, error)
                return
            with self._lock:
                self._unsent = max(0, self._unsent - len(data))
            self._tell(self._written.set)

    def _write_whole(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and not self._closed:
            rest = rest[os.write(self._descriptor, rest) :]

    def _break(self, error: OSError) -> None:
        self.close()
        self._on_broken(error)

    def _tell(self, callback: Callable[..., object], *arguments: object) -> None:
        """Calls back on the loop's thread; a loop that is closed needs to know nothing."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *arguments)


def open_reader(descriptor: int, on_chunk: OnChunk, *, threads: bool = False) -> PipeReader:
    """Reads a descriptor by the loop where the platform can, else by a thread.

    Args:
        descriptor: What is read.
        on_chunk: Gets what was read.
        threads: Takes a thread in any case.
    """
    if not threads and _can_be_polled(descriptor):
        try:
            return LoopReader(_own_terminal(descriptor), on_chunk)
        except (OSError, NotImplementedError):
            return ThreadReader(descriptor, on_chunk)
    return ThreadReader(descriptor, on_chunk)


def open_writer(descriptor: int, on_broken: OnBroken, *, threads: bool = False) -> PipeWriter:
    """Writes a descriptor by the loop where the platform can, else by a thread.

    Args:
        descriptor: What is written.
        on_broken: Called when writing has failed.
        threads: Takes a thread in any case.
    """
    if not threads and _can_be_polled(descriptor) and not _shared_with_stderr(descriptor):
        return LoopWriter(_own_terminal(descriptor), on_broken)
    return ThreadWriter(descriptor, on_broken)


def _can_be_polled(descriptor: int) -> bool:
    if os.name != "posix":
        return False
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


def _grow_pipe(descriptor: int) -> None:
    """Makes room for long answers, which else leave in 64 KiB pieces, a turn of the loop each."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, GROWN_PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        return  # not Linux, no pipe, or more than this user may have


def _own_terminal(descriptor: int) -> int:
    """The terminal opened anew: its mode is shared with the shell and with stderr otherwise."""
    if not os.isatty(descriptor):
        return descriptor
    return os.open(os.ttyname(descriptor), os.O_RDWR | os.O_NOCTTY)


def _shared_with_stderr(descriptor: int) -> bool:
    """Whether stderr is the same pipe, whose writers do not expect that it may be full."""
    if os.isatty(descriptor):
        return False
    mine, stderr = os.fstat(descriptor), os.fstat(2)
    return (mine.st_dev, mine.st_ino) == (stderr.st_dev, stderr.st_ino)
