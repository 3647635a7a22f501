"""What a command prints: its own answer on stdout, and nothing of what an app's modules print."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any


def print_json(value: Any) -> None:
    """Prints a JSON value, which stays JSON where the terminal or the pipe takes ASCII only."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    print(json.dumps(value, ensure_ascii=not encoding.startswith("utf"), indent=2))


def print_any_text() -> None:
    """From now on a character that the encoding of a stream lacks is printed as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextlib.contextmanager
def modules_print_on_stderr() -> Iterator[None]:
    """While the block runs, what modules, functions and child processes print goes to stderr.

    A program that reads a command's stdout gets the command's answer and nothing else.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ValueError):  # a stream is closed: nothing to move
            _move_descriptor(stack)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


def _move_descriptor(stack: contextlib.ExitStack) -> None:
    stdout, stderr = sys.__stdout__, sys.__stderr__
    if stdout is None or stderr is None:
        return
    number = stdout.fileno()
    stdout.flush()
    kept = os.dup(number)
    stack.callback(os.close, kept)
    os.dup2(stderr.fileno(), number)

    def put_back() -> None:
        with contextlib.suppress(OSError, ValueError):  # a function may have closed it
            stdout.flush()
        os.dup2(kept, number)

    stack.callback(put_back)
