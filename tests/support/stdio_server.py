"""A server process of our own on pipes: bytes go in, bytes come out, each with a deadline."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

PROJECT = Path(__file__).resolve().parents[2]
DEADLINE_SECONDS = 20.0
"""Far more than anything here takes; the machine may be busy."""
POLITE_SECONDS = 3.0
"""How long a server may take to end by itself after a test."""


class StdioServer:
    """One server process; what it writes is collected by threads, so that no pipe fills up.

    Args:
        process: Started with pipes for stdin and stderr, and for stdout unless it is not read.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.notifications: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        """Every line of stdout that was read, as it came."""
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._errors: list[bytes] = []
        self._next_id = 1000
        assert process.stderr is not None
        self._collectors = [_collect(process.stderr, self._errors.append)]
        if process.stdout is not None:
            self._collectors.append(
                _collect(process.stdout, self._lines.put, at_end=lambda: self._lines.put(None))
            )

    def send(self, *messages: Mapping[str, Any] | bytes) -> None:
        """Writes messages, or raw bytes, each as one line."""
        lines = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
        self.send_bytes(b"".join(line + b"\n" for line in lines))

    def send_bytes(self, data: bytes) -> None:
        """Writes bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read_line(self, timeout: float = DEADLINE_SECONDS) -> bytes:
        """The next line of stdout with its line feed; empty at the end of output."""
        line = self._lines.get(timeout=timeout)
        if line is None:
            self._lines.put(None)
            return b""
        self.raw.append(line)
        return line

    def read(self, timeout: float = DEADLINE_SECONDS) -> dict[str, Any]:
        """The next message; notifications too."""
        line = self.read_line(timeout)
        assert line, f"the server has ended: {self.stderr}"
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert isinstance(message, dict)
        return message

    def answer(self, request_id: object, timeout: float = DEADLINE_SECONDS) -> dict[str, Any]:
        """The response with this id; notifications on the way go to `notifications`."""
        end = time.monotonic() + timeout
        while True:
            message = self.read(max(0.01, end - time.monotonic()))
            if "method" in message:
                self.notifications.append(message)
                continue
            got = message.get("id")
            assert (type(got), got) == (type(request_id), request_id), message
            return message

    def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        timeout: float = DEADLINE_SECONDS,
    ) -> dict[str, Any]:
        """Sends a request and returns its response."""
        request_id = self._next_id
        self._next_id += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.answer(request_id, timeout)

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Sends a notification."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else message | {"params": params})

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Makes the handshake and returns its result."""
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        result = self.request("initialize", params)["result"]
        self.notify("notifications/initialized")
        assert isinstance(result, dict)
        return result

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, **params: Any
    ) -> dict[str, Any]:
        """Calls a tool and returns the whole response."""
        return self.request("tools/call", {"name": name, "arguments": arguments or {}, **params})

    def close_input(self) -> None:
        """Ends the server's stdin."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def signal(self, number: int) -> None:
        """Sends a signal."""
        self.process.send_signal(number)

    def wait(self, timeout: float = DEADLINE_SECONDS) -> int:
        """The exit status, once the process has ended and its stderr is read to the end."""
        status = self.process.wait(timeout)
        self.join()
        return status

    def join(self) -> None:
        """Waits until everything that the server has written is collected."""
        for collector in self._collectors:
            collector.join(2)

    def rest(self, timeout: float = DEADLINE_SECONDS) -> list[dict[str, Any]]:
        """All messages up to the end of output."""
        messages = []
        while line := self.read_line(timeout):
            messages.append(json.loads(line))
        return messages

    @property
    def stderr(self) -> str:
        """What the server has written to stderr so far."""
        return b"".join(self._errors).decode("utf-8", "replace")


@contextmanager
def stdio_server(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    cwd: Path = PROJECT,
    stdin: int | IO[bytes] = subprocess.PIPE,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> Iterator[StdioServer]:
    """Starts a Python program as a server and ends it with the block, whatever it does.

    Args:
        arguments: What follows the interpreter's name.
        env: Variables beside those of this process.
        cwd: Where it is started.
        stdin: Another descriptor instead of a pipe.
        stdout: Another descriptor instead of a pipe.
    """
    path = os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **(env or {})},
    )
    server = StdioServer(process)
    try:
        yield server
    finally:
        if process.stdin is not None:
            _close_quietly(process.stdin)
        _end(process)
        server.join()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Lets a process whose input has ended leave by itself, and ends it if it does not."""
    try:
        process.wait(POLITE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(DEADLINE_SECONDS)


def _close_quietly(stream: IO[bytes]) -> None:
    """Closes a pipe whose other end is gone; what was buffered is lost, as it should be."""
    try:
        stream.close()
    except BrokenPipeError:
        return


def _collect(stream: IO[bytes], take: Any, at_end: Any = None) -> threading.Thread:
    def collect() -> None:
        with stream:
            for line in stream:
                take(line)
        if at_end is not None:
            at_end()

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    return thread
