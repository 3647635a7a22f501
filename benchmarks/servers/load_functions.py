"""The functions of the load test: quick and slow ones, in the loop and in threads, and a tally."""

import asyncio
import os
import time

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    app_function,
)

_waits = {"begun": 0, "ended": 0}


@app_function
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
def pause(milliseconds: int) -> int:
    """Blocks a thread for a while.

    Args:
        milliseconds: How long.
    """
    time.sleep(milliseconds / 1000)
    return milliseconds


@app_function
async def count(context: AppFunctionContext, steps: int) -> int:
    """Counts, and says how far it is.

    Args:
        context: The call.
        steps: How far to count.
    """
    for step in range(steps):
        context.report_progress(step, steps)
        await asyncio.sleep(0.001)
    return steps


@app_function
def find(name: str) -> str:
    """Finds nothing.

    Args:
        name: What to look for.
    """
    raise AppFunctionElementNotFoundException(f"there is no {name}")


@app_function
async def wait(seconds: float) -> str:
    """Waits; for clients that do not.

    Args:
        seconds: How long.
    """
    _waits["begun"] += 1
    try:
        await asyncio.sleep(seconds)
    finally:
        _waits["ended"] += 1
    return "waited"


@app_function(read_only=True)
async def tally() -> dict[str, int]:
    """Tells how many waits have begun and ended in this process."""
    return {"process": os.getpid(), **_waits}
