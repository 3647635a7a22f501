"""A program that is run to its end: what it writes is collected, its time and output are limited.

It is started with an argument vector, and nothing of it is left when its time is over. What it
has started itself and leaves running, as adb does its server, keeps nobody waiting.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Output", "TooMuchOutputError", "run_program"]

_STOP_SECONDS = 1.0
"""How long a program that was killed is waited for."""
_GRACE_SECONDS = 0.3
"""How long output is waited for whose writer has ended, but whose end somebody holds open."""
_STDIN, _STDOUT, _STDERR = range(3)


class TooMuchOutputError(Exception):
    """The program has written more than is accepted."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a program has written, and how it ended."""

    exit_code: int
    stdout: bytes
    stderr: bytes


async def run_program(
    program: Path,
    words: Sequence[str],
    *,
    seconds: float,
    most_bytes: int,
    given: bytes = b"",
) -> Output:
    """Runs a program until it ends.

    Args:
        program: What is run.
        words: Its arguments.
        seconds: How long it may take.
        most_bytes: How much each of its streams may hold.
        given: What it reads from its stdin; nothing stands there when left out.

    Raises:
        OSError: It cannot be started.
        TimeoutError: It takes longer; it is stopped.
        TooMuchOutputError: It writes more; it is stopped.
    """
    pipe = asyncio.subprocess.PIPE
    transport, conversation = await asyncio.get_running_loop().subprocess_exec(
        lambda: _Conversation(most_bytes),
        program,
        *words,
        stdin=pipe if given else asyncio.subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        start_new_session=os.name == "posix",
    )
    try:
        if given:
            _give(transport, given)
        async with asyncio.timeout(seconds):
            await conversation.over
    finally:
        await _end(transport, conversation)
    written = conversation.written
    code = transport.get_returncode()
    return Output(code if code is not None else 1, bytes(written[1]), bytes(written[2]))


def _give(transport: asyncio.SubprocessTransport, given: bytes) -> None:
    stdin = transport.get_pipe_transport(_STDIN)
    assert isinstance(stdin, asyncio.WriteTransport)  # noqa: S101 - it is a pipe
    stdin.write(given)
    stdin.close()


async def _end(transport: asyncio.SubprocessTransport, conversation: "_Conversation") -> None:
    """Ends the program, should it still run, and whatever it has started in its session."""
    try:
        if not conversation.exited.done():
            with suppress(ProcessLookupError):
                if os.name == "posix":
                    os.killpg(transport.get_pid(), signal.SIGKILL)
                else:
                    transport.kill()
            await asyncio.wait([conversation.exited], timeout=_STOP_SECONDS)
    finally:
        transport.close()
    await asyncio.wait([conversation.closed], timeout=_STOP_SECONDS)


class _Conversation(asyncio.SubprocessProtocol):
    """Collects what one program writes; `over` is done when nothing more is to come."""

    def __init__(self, most_bytes: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._most_bytes = most_bytes
        self._open = {_STDOUT, _STDERR}
        self.written = {_STDOUT: bytearray(), _STDERR: bytearray()}
        self.over: asyncio.Future[None] = self._loop.create_future()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self.closed: asyncio.Future[None] = self._loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.over.done():
            return
        self.written[fd] += data
        if len(self.written[fd]) > self._most_bytes:
            self.over.set_exception(TooMuchOutputError())

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's
        self._open.discard(fd)
        if self.exited.done() and not self._open:
            self._finish()

    def process_exited(self) -> None:
        self.exited.set_result(None)
        if self._open:
            self._loop.call_later(_GRACE_SECONDS, self._finish)
        else:
            self._finish()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's
        self.closed.set_result(None)

    def _finish(self) -> None:
        if not self.over.done():
            self.over.set_result(None)
