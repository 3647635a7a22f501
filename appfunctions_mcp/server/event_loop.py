"""The event loop of a server process, which a function's own tasks neither end nor keep open.

asyncio lets a `SystemExit` out of any task through the whole loop, and in the end waits for
every task and every thread of its executor. A function that calls a program's `main` in a task
would so end the server for everybody, and one that swallows its cancellation would never let
it end.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_CANCEL_SECONDS = 0.5
"""How long tasks that are left in the end may take to clean up."""

log = logging.getLogger("appfunctions_mcp.server")


def run_to_end(
    body: Coroutine[Any, Any, T],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Runs a server, or one call, to its end, past the exits of other tasks.

    Args:
        body: What is run; what it raises itself is raised.
        loop_factory: Makes the event loop.

    Returns:
        What the body returned.
    """
    loop = (loop_factory or asyncio.new_event_loop)()
    try:
        serving = loop.create_task(body)
        while not serving.done():
            try:
                loop.run_until_complete(serving)
            except SystemExit:
                if not serving.done():
                    log.exception("a task that a function has started asked for the end")
        return serving.result()
    finally:
        _cancel_all(loop)
        loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=_CANCEL_SECONDS))
        # What is pending still is given up on purpose, which is nothing to report.
        loop.set_exception_handler(lambda _loop, _context: None)
    loop.run_until_complete(loop.shutdown_asyncgens())
