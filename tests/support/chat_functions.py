"""An app to talk with: functions that wait, print, delete and say what no terminal should obey."""

import asyncio
import os
import sys

from appfunctions_mcp import app_function

CONTROLS = "\x1b]0;owned\x07\x1b[2Jred\u202etxt"


@app_function(read_only=True)
async def echo(text: str) -> str:
    """Says a text again.

    Args:
        text: The text.
    """
    return text


@app_function(read_only=True, optional_defaults="declared")
async def add(first: int, second: int = 1, *, exact: bool = True) -> int:
    """Adds two numbers.

    Args:
        first: One.
        second: The other.
        exact: Whether nothing is added beside.
    """
    return first + second + (0 if exact else 100)


@app_function(read_only=True)
async def hostile() -> str:
    """Says what would change a terminal."""
    return CONTROLS


@app_function(read_only=True)
async def long_text() -> str:
    """Says very much."""
    return "\n".join(f"line {number}" for number in range(500))


@app_function(read_only=True)
async def noisy() -> str:
    """Prints to both streams."""
    print("PRINTED-OUT")
    print("PRINTED-ERR", file=sys.stderr)
    return "quiet"


@app_function(read_only=True)
async def wait_long() -> str:
    """Waits for a minute."""
    await asyncio.sleep(60)
    return "waited"


@app_function(read_only=True)
async def variable(name: str) -> str:
    """Tells a variable of the environment.

    Args:
        name: Whose.
    """
    return os.environ.get(name, "(not set)")


@app_function(destructive=True, requires_confirmation=True)
async def wipe() -> str:
    """Removes everything."""
    return "wiped"


@app_function(destructive=True)
async def remove(name: str) -> str:
    """Removes something.

    Args:
        name: What.
    """
    return f"removed {name}"
