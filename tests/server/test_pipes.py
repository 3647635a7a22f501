"""Readers and writers of descriptors; whole servers on them are in test_stdio."""

import asyncio
import errno
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from appfunctions_mcp.server.pipes import (
    LoopReader,
    LoopWriter,
    ThreadReader,
    ThreadWriter,
    is_client_gone,
    open_reader,
    open_writer,
)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX"),
]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe's reading and writing end."""
    ends = os.pipe()
    yield ends
    _close(ends[1])
    # A thread that is late would read from the next test's pipe, which gets the same number.
    for thread in threading.enumerate():
        if thread.name == "stdin":
            thread.join(5)
            assert not thread.is_alive()
    _close(ends[0])


def _close(end: int) -> None:
    """Closes what the test itself may have closed."""
    with suppress(OSError):
        os.close(end)


class Chunks:
    """What a reader gave."""

    def __init__(self) -> None:
        self.data = b""
        self.ended = asyncio.Event()
        self.changed = asyncio.Event()

    def take(self, chunk: bytes | None) -> None:
        if chunk is None:
            self.ended.set()
        else:
            self.data += chunk
        self.changed.set()


@pytest.mark.parametrize("threads", [False, True])
async def test_a_pipe_is_read_to_its_end(threads: bool, pipe: tuple[int, int]) -> None:
    chunks = Chunks()
    reader = open_reader(pipe[0], chunks.take, threads=threads)
    assert isinstance(reader, ThreadReader if threads else LoopReader)
    os.write(pipe[1], b"abc")
    await asyncio.wait_for(chunks.changed.wait(), 5)
    os.close(pipe[1])
    await asyncio.wait_for(chunks.ended.wait(), 5)
    assert chunks.data == b"abc"
    reader.close()


@pytest.mark.parametrize("threads", [False, True])
async def test_a_paused_reader_takes_no_more_until_it_is_resumed(
    threads: bool, pipe: tuple[int, int]
) -> None:
    chunks = Chunks()
    reader = open_reader(pipe[0], chunks.take, threads=threads)
    os.write(pipe[1], b"a")
    await asyncio.wait_for(chunks.changed.wait(), 5)
    reader.pause()
    await asyncio.sleep(0.05)
    chunks.changed.clear()
    before = chunks.data
    reader.resume()
    os.write(pipe[1], b"b")
    await asyncio.wait_for(chunks.changed.wait(), 5)
    assert (before, chunks.data) == (b"a", b"ab")
    reader.close()


@pytest.mark.parametrize("threads", [False, True])
async def test_more_than_a_pipe_holds_is_written_without_loss(
    threads: bool, pipe: tuple[int, int]
) -> None:
    broken: list[OSError] = []
    writer = open_writer(pipe[1], broken.append, threads=threads)
    assert isinstance(writer, ThreadWriter if threads else LoopWriter)
    parts = [bytes([n % 256]) * 10_000 for n in range(300)]
    for part in parts:
        writer.write(part)
    assert writer.unsent_bytes > 0
    chunks = Chunks()
    reader = open_reader(pipe[0], chunks.take)
    await asyncio.wait_for(writer.drain(0), 10)
    os.close(pipe[1])
    await asyncio.wait_for(chunks.ended.wait(), 10)
    assert chunks.data == b"".join(parts)
    assert broken == []
    reader.close()
    writer.close()


@pytest.mark.parametrize("threads", [False, True])
async def test_a_reader_that_is_gone_breaks_the_writer_once(
    threads: bool, pipe: tuple[int, int]
) -> None:
    """F38."""
    broken: asyncio.Queue[OSError] = asyncio.Queue()
    writer = open_writer(pipe[1], broken.put_nowait, threads=threads)
    os.close(pipe[0])
    writer.write(b"a")
    assert is_client_gone(await asyncio.wait_for(broken.get(), 5))
    writer.write(b"b")
    await writer.drain(0)
    assert broken.empty()


async def test_a_closed_writer_gives_up_what_nobody_reads(pipe: tuple[int, int]) -> None:
    writer = open_writer(pipe[1], lambda _: None)
    writer.write(b"x" * 1_000_000)
    draining = asyncio.create_task(writer.drain(0))
    await asyncio.sleep(0)
    writer.close()
    await asyncio.wait_for(draining, 5)
    assert os.get_blocking(pipe[1])
    writer.close()


async def test_sockets_are_waited_for_by_the_loop() -> None:
    """Node gives its children sockets, not pipes."""
    mine, theirs = socket.socketpair()
    with mine, theirs:
        chunks = Chunks()
        reader = open_reader(theirs.fileno(), chunks.take)
        writer = open_writer(mine.fileno(), lambda _: None)
        assert isinstance(reader, LoopReader)
        assert isinstance(writer, LoopWriter)
        writer.write(b"abc")
        mine.shutdown(socket.SHUT_WR)
        await asyncio.wait_for(chunks.ended.wait(), 5)
        assert chunks.data == b"abc"
        reader.close()
        writer.close()


async def test_a_file_is_read_by_a_thread(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 200_000)
    chunks = Chunks()
    with path.open("rb") as file:
        reader = open_reader(file.fileno(), chunks.take)
        assert isinstance(reader, ThreadReader)
        await asyncio.wait_for(chunks.ended.wait(), 5)
    assert len(chunks.data) == 200_000
    reader.close()


@pytest.mark.parametrize(
    ("number", "gone"),
    [(errno.EPIPE, True), (errno.ECONNRESET, True), (errno.EINVAL, True), (errno.ENOSPC, False)],
)
def test_errors_tell_a_client_that_is_gone_from_a_full_disk(number: int, gone: bool) -> None:
    """F38."""
    assert is_client_gone(OSError(number, "text")) is gone
