"""A client on a server's two pipes: bytes in, lines out, nothing between them and the clock."""

import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import kernel
import messages
from commands import Command
from environments import cache

PATIENCE_SECONDS = 120


class ServerEndedError(Exception):
    """A server ended, or fell silent, before it had answered."""


def start(command: Command, *, pipes: bool) -> tuple[subprocess.Popen[bytes], Path]:
    """Starts a server; what it says on stderr goes to a file.

    Args:
        command: What starts it.
        pipes: Whether it speaks on stdin and stdout.
    """
    log = cache() / "logs" / f"{command.server}.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            command.words,
            bufsize=0,
            stdin=subprocess.PIPE if pipes else subprocess.DEVNULL,
            stdout=subprocess.PIPE if pipes else subprocess.DEVNULL,
            stderr=stderr,
            env=dict(command.environment),
            cwd=cache(),
        )
    return process, log


class StdioServer:
    """A started server and the connection to it."""

    def __init__(self, command: Command) -> None:
        self.begun = time.perf_counter()
        self._process, self._log = start(command, pipes=True)
        self._command = command
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._rest = b""
        self._next = 0
        self.pid = self._process.pid

    def next_number(self) -> int:
        """An id that was not used yet."""
        self._next += 1
        return self._next

    def exchange(self, data: bytes, answers: int = 1) -> list[bytes]:
        """Sends bytes and waits for lines.

        Args:
            data: One or more requests, each with its newline.
            answers: How many lines to wait for.

        Raises:
            ServerEndedError: They did not come.
        """
        os.write(self._in, data)
        parts, lines = [self._rest], self._rest.count(b"\n")
        while lines < answers:
            part = b""
            if self._poll.poll(PATIENCE_SECONDS * 1000):
                part = os.read(self._out, 1 << 20)
            if not part:
                raise self._silence()
            lines += part.count(b"\n")
            parts.append(part)
        found = b"".join(parts).split(b"\n", answers)
        self._rest = found.pop()
        return found

    def notify(self, method: str) -> None:
        """Sends a notification of the handshake era.

        Args:
            method: Which.
        """
        os.write(self._in, messages.request(messages.HANDSHAKE, None, method) + b"\n")

    def ask(
        self, method: str, params: dict[str, Any] | None = None, era: str = messages.HANDSHAKE
    ) -> dict[str, Any]:
        """One request and its result.

        Args:
            method: What is asked.
            params: The rest.
            era: The protocol version.
        """
        number = self.next_number()
        (line,) = self.exchange(messages.request(era, number, method, params) + b"\n")
        return messages.result_of(line, number)

    def initialize(self) -> None:
        """The first half of the handshake: the request and its answer."""
        number = self.next_number()
        (line,) = self.exchange(messages.initialize(number) + b"\n")
        messages.result_of(line, number)

    def open(self, era: str) -> None:
        """What a client does before its first call.

        Args:
            era: The protocol version.
        """
        if era == messages.HANDSHAKE:
            self.initialize()
            self.notify("notifications/initialized")
        self.ask("tools/list", era=era)

    def requests(self, era: str, call: messages.Call, count: int) -> list[bytes]:
        """Requests for the same call, each a line with an id of its own.

        Args:
            era: The protocol version.
            call: What is called.
            count: How many.
        """
        return [messages.tool_call(era, self.next_number(), call) + b"\n" for _ in range(count)]

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        return kernel.cpu_of(self.pid)

    def peak_memory(self) -> float:
        """The peak of resident memory so far, in MB."""
        return kernel.peak_memory_of(self.pid)

    def end_input(self) -> None:
        """Closes the server's stdin."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def wait(self, seconds: float) -> float | None:
        """Waits for the server's end.

        Args:
            seconds: How long.

        Returns:
            When it ended, None if it did not.
        """
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return time.perf_counter()

    def close(self) -> None:
        """Ends the server, gently at first."""
        self.end_input()
        if self.wait(10) is None:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _silence(self) -> ServerEndedError:
        said = self._log.read_text(errors="replace")[-1000:]
        return ServerEndedError(f"no answer from {' '.join(self._command.words)}\n{said}")


def timed_in_turn(
    server: StdioServer, requests: Sequence[bytes]
) -> tuple[list[bytes], list[float]]:
    """Sends requests, each when the one before is answered.

    Args:
        server: Who answers.
        requests: What is sent.

    Returns:
        The answers and how long each took, in seconds.
    """
    answers, times = [], []
    for each in requests:
        begun = time.perf_counter()
        answers += server.exchange(each)
        times.append(time.perf_counter() - begun)
    return answers, times
