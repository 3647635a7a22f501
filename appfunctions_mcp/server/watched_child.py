"""One process that serves an app to the process that watches the app's files."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.worker_place import WATCHED, WORKER_VARIABLE


class WatchedChild:
    """A child on pipes.

    Args:
        command: What starts it: the command that started this process.
        environ: Variables beside those of this process.
        on_line: Gets each line that it writes, in a thread; empty at its end.
    """

    def __init__(
        self,
        command: Sequence[str],
        environ: dict[str, str],
        on_line: Callable[["WatchedChild", bytes], None],
    ) -> None:
        self.capabilities: dict[str, Any] = {}
        """What it has answered to the handshake that was said again."""
        self.unacknowledged = 0
        """How many streams of changes were asked for again and are not opened yet."""
        self.has_answered = False
        self._on_line = on_line
        self._process = subprocess.Popen(  # noqa: S603 - the command of this very process
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, WORKER_VARIABLE: WATCHED, **environ},
        )
        threading.Thread(target=self._read, name="child", daemon=True).start()

    def write(self, line: bytes) -> None:
        """Sends a line; one for a child that has gone is lost, and its end is told."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        with suppress(OSError, ValueError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def tell(self, message: Message) -> None:
        """Sends a message."""
        self.write(json.dumps(message).encode() + b"\n")

    def end_input(self) -> None:
        """Lets it answer what it has, and end."""
        assert self._process.stdin is not None  # noqa: S101 - as above
        with suppress(OSError):
            self._process.stdin.close()

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    def status(self, seconds: float) -> int:
        """The exit status, once it has ended; it is killed when that takes too long."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - as above
        with self._process.stdout as lines:
            for line in lines:
                self._on_line(self, line)
        self._on_line(self, b"")
