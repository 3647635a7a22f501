"""A person at a terminal, who types to the program and reads what it shows."""

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping

from tests.support.stdio_server import PROJECT

DEADLINE_SECONDS = 30.0
CTRL_C, CTRL_D = "\x03", "\x04"


class ChatTerminal:
    """A running program with a terminal of its own.

    Args:
        process: The program.
        parent: The terminal's other end.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", parent: int) -> None:
        self.process = process
        self._parent = parent
        self._shown = b""
        self._read_until = 0

    @property
    def shown(self) -> str:
        """Everything that has been shown so far."""
        return self._shown.decode("utf-8", "replace")

    def type(self, text: str) -> None:
        """Presses keys."""
        os.write(self._parent, text.encode())

    def wait_for(self, text: str) -> str:
        """Waits until a text is shown, behind the one that was waited for before.

        Returns:
            What was shown up to its end.
        """
        end = time.monotonic() + DEADLINE_SECONDS
        sought = text.encode()
        while (place := self._shown.find(sought, self._read_until)) < 0:
            assert self._read(end), f"{text!r} is not shown in {self.shown[self._read_until :]!r}"
        seen = self._shown[self._read_until : place + len(sought)]
        self._read_until = place + len(sought)
        return seen.decode("utf-8", "replace")

    def wait_for_end(self) -> int:
        """Waits until the program has ended; its exit code."""
        end = time.monotonic() + DEADLINE_SECONDS
        while self._read(end):
            pass
        return self.process.wait(DEADLINE_SECONDS)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._parent], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return False
        try:
            part = os.read(self._parent, 65536)
        except OSError:  # Linux says so at the end of a terminal
            return False
        self._shown += part
        return bool(part)


@contextlib.contextmanager
def at_a_terminal(
    *words: str, environ: Mapping[str, str] | None = None, **options: object
) -> Iterator[ChatTerminal]:
    """Starts `appfunctions-mcp WORDS` on a terminal of 100 columns.

    Args:
        words: The command line.
        environ: Variables beside those of this process.
        options: `stdout` or `stderr`, where they are not the terminal.
    """
    import pty

    parent, child = pty.openpty()
    streams = {"stdout": child, "stderr": child} | options
    process = subprocess.Popen(  # type: ignore[call-overload] # options are chosen by the test
        [sys.executable, "-m", "appfunctions_mcp", *words],
        stdin=child,
        cwd=PROJECT,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **(environ or {})},
        preexec_fn=_own_terminal,  # noqa: PLW1509 - the program is to get this terminal's signals
        **streams,
    )
    os.close(child)
    try:
        yield ChatTerminal(process, parent)
    finally:
        if process.poll() is None:
            process.terminate()  # and not killed, so that its coverage is counted
            try:
                process.wait(DEADLINE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        os.close(parent)


def _own_terminal() -> None:
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
