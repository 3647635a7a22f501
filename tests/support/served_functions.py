"""Functions that behave well and badly, served by a process of their own.

Run as `python -m tests.support.served_functions stdio`, or `http PORT [--sessions]`, which
prints the URL on stderr when it is ready.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

if __name__ == "__main__" and sys.argv[1] == "stdio":
    from appfunctions_mcp.server.descriptors import guard_stdout

    guard_stdout()

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionElementNotFoundException,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.media import Image
from appfunctions_mcp.metadata import AppFunctionState, ExecutionLimits
from appfunctions_mcp.service import AppFunctionService
from tests.support.serving import serve

print("printed at import")
_services: list[AppFunctionService] = []


@app_function(read_only=True)
async def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@app_function
async def echo(text: str) -> str:
    """Returns the text that it was given.

    Args:
        text: The text.
    """
    return text


@app_function
def crash() -> int:
    """Fails in a way that nobody foresaw."""
    raise ValueError("secret")


@app_function
def find_note(note_id: str) -> str:
    """Finds a note.

    Args:
        note_id: The id.

    Raises:
        AppFunctionElementNotFoundException: find_notes lists the notes.
    """
    raise AppFunctionElementNotFoundException(f"no note {note_id}")


@app_function
def find_function() -> str:
    """Raises what the server itself raises for an unknown name."""
    raise AppFunctionFunctionNotFoundException("the app knows no such function")


@app_function
async def count(context: AppFunctionContext, steps: int) -> int:
    """Counts, and says how far it is.

    Args:
        context: The call.
        steps: How far to count.
    """
    for step in range(steps):
        context.report_progress(step, steps, f"step {step}")
        context.report_progress(step, steps, "no higher than before")
    return steps


@app_function
def count_in_thread(context: AppFunctionContext, steps: int) -> int:
    """Counts in a thread, and says how far it is.

    Args:
        context: The call.
        steps: How far to count.
    """
    for step in range(steps):
        context.report_progress(step)
    return steps


@app_function
async def write_log(context: AppFunctionContext) -> str:
    """Writes log messages."""
    context.log("to be found", level="debug")
    context.log("to be read", kind="note", path=Path("a"))
    context.log("to be feared", level="error")
    return "written"


@app_function
async def wait(context: AppFunctionContext, seconds: float, marker: str) -> str:
    """Waits, and leaves a mark however it ends.

    Args:
        context: The call.
        seconds: How long.
        marker: The file for the mark.
    """
    context.report_progress(0)
    try:
        await asyncio.sleep(seconds)
    finally:
        await asyncio.to_thread(Path(marker).write_text, "ended", "utf-8")
    return "waited"


@app_function
def wait_in_thread(context: AppFunctionContext, seconds: float, marker: str) -> str:
    """Waits in a thread until the time is over or the call is cancelled.

    Args:
        context: The call.
        seconds: How long.
        marker: The file for the mark.
    """
    context.report_progress(0)
    end = time.monotonic() + seconds
    while time.monotonic() < end and not context.cancelled:
        time.sleep(0.01)
    Path(marker).write_text("cancelled" if context.cancelled else "waited", "utf-8")
    return "waited"


@app_function
def picture() -> Image:
    """Draws a picture."""
    return Image(b"\x89PNG", "image/png")


@app_function
async def nest(depth: int) -> dict[str, Any]:
    """Nests objects.

    Args:
        depth: How deep.
    """
    value: dict[str, Any] = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


@app_function
def half_a_surrogate() -> str:
    """Returns a text that UTF-8 cannot hold."""
    return "a\ud800b\u2028c"


@app_function
def print_everywhere() -> str:
    """Writes to stdout in every way that there is."""
    print("printed")
    os.write(1, b"written to 1\n")
    subprocess.run(["echo", "from a child"], check=True)
    return "printed"


@app_function(enabled=False)
def wipe() -> str:
    """Deletes everything."""
    print("WIPED", file=sys.stderr)
    return "wiped"


@app_function
def switch(name: str, on: bool) -> str:
    """Enables or disables a function.

    Args:
        name: The function.
        on: Whether it is to be enabled.
    """
    state = AppFunctionState.ENABLED if on else AppFunctionState.DISABLED
    _services[0].manager.set_enabled(name, state)
    return "switched"


@contextlib.asynccontextmanager
async def _lifespan() -> AsyncIterator[str]:
    try:
        yield "open"
    finally:
        if marker := os.environ.get("LIFESPAN_MARKER"):
            _append(Path(marker), "closed\n")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


FUNCTIONS = (
    add,
    echo,
    crash,
    find_note,
    find_function,
    count,
    count_in_thread,
    write_log,
    wait,
    wait_in_thread,
    picture,
    nest,
    half_a_surrogate,
    print_everywhere,
    wipe,
    switch,
)


def served_functions(*, loop_guard: bool = True) -> AppFunctionService:
    """A service of all of them."""
    service = AppFunctionService.from_functions(
        FUNCTIONS,
        name="served",
        description="Serves tests.\nAdd before you echo.",
        version="1.2.3",
        lifespan=_lifespan,
        limits=ExecutionLimits(timeout_seconds=60, loop_guard=loop_guard),
    )
    _services[:] = [service]
    return service


if __name__ == "__main__":
    serve(served_functions(), *sys.argv[1:])
