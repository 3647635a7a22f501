"""What a call ends in, and where it runs: the seam between functions and what executes them.

Whatever a function raises is told as a value until it is back in the task that waits: a thread,
or an event loop, may not end of it.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

Outcome = tuple[Any, BaseException | None]
"""What a call returned, or what it raised."""


class CallThreads(Protocol):
    """Where plain functions run."""

    async def run(self, function_id: str, call: Callable[[], Outcome]) -> Outcome:
        """Runs the call in a worker thread and returns what it returned."""


class CallTasks(Protocol):
    """Where the bodies of async functions run."""

    async def run(self, function_id: str, awaitable: Awaitable[Any]) -> Outcome:
        """Waits for the awaitable in a task of its own."""


def outcome_of(call: Callable[[], Any]) -> Outcome:
    """Makes a call; nothing that it raises gets out."""
    try:
        return call(), None
    except BaseException as raised:  # noqa: BLE001 - the one who waits for the outcome raises it
        return None, raised
