"""Functions of the field cases that need a real process; served by `appfunctions-mcp run`.

Prints, logs and writes to stdout while it is imported, as modules do.
"""

import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from asyncio import sleep
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from appfunctions_mcp import AppFunctionContext, AppFunctionElementNotFoundException, app_function
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import StdioServer, stdio_server

if os.environ.get("PRINT_AT_IMPORT"):
    print("printed at import")
    logging.basicConfig(stream=sys.stdout, level=logging.INFO)
    logging.getLogger("theirs").warning("logged at import")


@app_function
async def echo(t: str) -> str:
    """Returns the text that it was given."""
    return t


@app_function
def print_everywhere() -> str:
    """Writes to stdout in every way that there is."""
    print("Fetching 1 of 3")
    print("without an end", end="")
    sys.stdout.write("written\n")
    sys.stdout.flush()
    print("to the first stdout", file=sys.__stdout__, flush=True)
    os.write(1, b"to descriptor 1\n")
    subprocess.run(["echo", "from a child"], check=True)
    logging.getLogger("theirs").warning("logged in a call")
    return "printed"


@app_function
def read_stdin_in_child() -> str:
    """Starts a child that reads its stdin to the end."""
    code = "import sys; print(len(sys.stdin.read()))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=10, text=True
    )
    return ran.stdout.strip()


@app_function
def keep_object(x: dict[str, Any]) -> dict[str, Any]:
    """Returns the object that it was given."""
    return x


@app_function
async def split_lines() -> str:
    """Returns text with the separators that are no line feeds."""
    return "before\u2028after\u2029and\u0085more\r\nend"


@app_function
async def half_a_surrogate() -> str:
    """Returns text that UTF-8 cannot hold."""
    return "a\ud800b"


@app_function
def slow(seconds: float) -> str:
    """Sleeps in a worker thread.

    Args:
        seconds: How long.
    """
    time.sleep(seconds)
    return threading.current_thread().name


@app_function(timeout_seconds=1)
def stuck() -> str:
    """Sleeps far beyond its deadline."""
    time.sleep(30)
    return "a late value"


@app_function
async def wait(context: AppFunctionContext, marker: str) -> str:
    """Waits for a minute, and leaves a mark however it ends.

    Args:
        marker: The file for the mark.
    """
    context.report_progress(0)
    try:
        await sleep(60)
    finally:
        Path(marker).write_text("ended", encoding="utf-8")  # noqa: ASYNC240 - a few bytes
    return "waited"


@app_function
def wait_in_thread(context: AppFunctionContext, marker: str) -> str:
    """Waits in a thread until nobody waits for it.

    Args:
        marker: The file for the mark.
    """
    context.report_progress(0)
    end = time.monotonic() + 20
    while time.monotonic() < end and not context.cancelled:
        time.sleep(0.01)
    Path(marker).write_text("cancelled" if context.cancelled else "waited", encoding="utf-8")
    return "waited"


@app_function
async def count(context: AppFunctionContext, steps: int) -> int:
    """Counts, and says how far it is.

    Args:
        steps: How far to count.
    """
    for step in range(1, steps + 1):
        context.report_progress(step, steps)
    return steps


@app_function
def find_note(note_id: str) -> str:
    """Finds a note that is never there.

    Args:
        note_id: The id.
    """
    raise AppFunctionElementNotFoundException(f"no note {note_id}")


@app_function
def connect_to_database() -> str:
    """Fails with a message that holds a password."""
    raise RuntimeError("connect failed: db://app:PASS-CANARY@host/x")


@app_function(enabled=False)
def wipe() -> str:
    """Deletes everything."""
    print("WIPED", file=sys.stderr, flush=True)
    return "wiped"


@contextlib.asynccontextmanager
async def open_marker() -> AsyncIterator[None]:
    """Writes to the file of `LIFESPAN_MARKER` when it is closed."""
    try:
        yield
    finally:
        if marker := os.environ.get("LIFESPAN_MARKER"):
            with Path(marker).open("a", encoding="utf-8") as file:  # noqa: ASYNC230 - at the end
                file.write("closed\n")


def serve_field_functions(
    folder: Path, *options: str, env: Mapping[str, str] | None = None, **process: Any
) -> AbstractContextManager[StdioServer]:
    """A process of the command `run` that serves this module on stdio."""
    target = f"{__name__}:open_marker"
    file = write_metadata(
        folder,
        'appfn:description="Serves tests." mcp:name="cases"',
        f'<mcp:functions module="{__name__}" />\n<mcp:lifespan target="{target}" />\n',
    )
    words = ("-m", "appfunctions_mcp", "run", str(file), *options)
    return stdio_server(*words, env=env, **process)
