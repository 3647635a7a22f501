"""The terminal or the pipes of a conversation, apart from what modules and servers print.

On a terminal everything that is not the conversation goes to a file that ends with it and can be
shown; elsewhere it goes to stderr.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from appfunctions_mcp.cli.output import modules_print_on_stderr
from appfunctions_mcp.lazy_regex import regex

_COLOUR = regex(r"\x1b\[[0-9;]*m")
_LONGEST_LOG_SHOWN = 4_000


class ChatStreams:
    """What a conversation reads and writes.

    Args:
        out: Where answers go.
        err: Where everything else goes that a person may want to see.
        log: What modules and servers have printed, where that is kept from the terminal.
        is_terminal: Whether a person types at a terminal and reads there.
        has_colours: Whether the terminal may get colours.
    """

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        log: Path | None,
        *,
        is_terminal: bool,
        has_colours: bool,
    ) -> None:
        self.out = out
        self.err = err
        self.is_terminal = is_terminal
        self.has_colours = has_colours
        self.can_ask = _is_terminal(sys.stdin) and _is_terminal(err)
        """Whether there is a person who can answer a question."""
        self._log = log
        self._has_line_editing = is_terminal and _has_readline()

    def read_line(self, prompt: str) -> str | None:
        """Reads a line of input without its end; None at the end of input.

        Args:
            prompt: Shown before, on a terminal; never in the answers' stream.

        Raises:
            EOFError: The end of input, at a terminal.
        """
        if self._has_line_editing:
            with _terminal_as_stdout(self.out):
                return input(_unmeasured(prompt) if self.has_colours else prompt)
        if prompt and (self.is_terminal or self.can_ask):
            print(prompt, end="", file=self.out if self.is_terminal else self.err, flush=True)
        line = sys.stdin.readline()
        return line.rstrip("\r\n") if line else None

    def remember(self, line: str) -> None:
        """Lets a line come back by the arrow keys."""
        if self._has_line_editing:
            import readline

            readline.add_history(line)

    def complete_with(self, words: Sequence[str]) -> None:
        """Lets the tab key complete these words, where lines can be edited."""
        if not self._has_line_editing:
            return
        import readline

        def completed(beginning: str, place: int) -> str | None:
            return [*(word for word in words if word.startswith(beginning)), None][place]

        readline.set_completer(completed)
        readline.set_completer_delims(" \t\n;")
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")

    def logged(self) -> str | None:
        """The end of what modules and servers have printed; None where it went to stderr."""
        if self._log is None:
            return None
        with self._log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_LOG_SHOWN))
            return file.read().decode("utf-8", "replace")


@contextlib.contextmanager
def chat_streams(*, is_plain: bool, no_color: bool) -> Iterator[ChatStreams]:
    """Keeps the streams of this process for a conversation alone, while the block runs.

    Args:
        is_plain: Whether a program reads the answers, even at a terminal.
        no_color: Whether colours are not wanted.
    """
    is_terminal = not is_plain and all(map(_is_terminal, (sys.stdin, sys.stdout)))
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(_copy_of(sys.stdout))
        err = stack.enter_context(_copy_of(sys.stderr))
        log = None
        if is_terminal and _is_terminal(sys.stderr):
            folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            log = Path(stack.enter_context(folder), "log")
            stack.enter_context(_stderr_goes_to(log))
        stack.enter_context(modules_print_on_stderr())
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        has_colours = is_terminal and not no_color and os.environ.get("TERM") != "dumb"
        yield ChatStreams(out, err, log, is_terminal=is_terminal, has_colours=has_colours)


@contextlib.contextmanager
def _copy_of(stream: Any) -> Iterator[TextIO]:
    """A stream to the same place, wherever the descriptor goes later."""
    try:
        descriptor = os.dup(stream.fileno())
    except (OSError, ValueError, AttributeError):  # a stream of a test, or none
        yield stream
        return
    stream.flush()
    with open(  # noqa: PTH123 - a descriptor
        descriptor, "w", encoding=stream.encoding, errors="backslashreplace"
    ) as copy:
        try:
            yield copy
        finally:
            with contextlib.suppress(BrokenPipeError):  # whoever read it has gone
                copy.flush()


@contextlib.contextmanager
def _stderr_goes_to(log: Path) -> Iterator[None]:
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


@contextlib.contextmanager
def _terminal_as_stdout(out: TextIO) -> Iterator[None]:
    """Line editing writes to the process's own stdout, which must be the terminal meanwhile."""
    out.flush()
    kept = os.dup(1)
    os.dup2(out.fileno(), 1)
    try:
        with contextlib.redirect_stdout(sys.__stdout__):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _has_readline() -> bool:
    try:
        import readline
    except ImportError:
        return False
    readline.set_auto_history(False)
    return True


def _unmeasured(prompt: str) -> str:
    """A prompt whose colours do not count for its width."""
    return _COLOUR.sub("\x01\\g<0>\x02", prompt)


def _is_terminal(stream: Any) -> bool:
    return bool(stream is not None and not stream.closed and stream.isatty())
