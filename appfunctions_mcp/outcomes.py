"""What a call ends in: the seam between functions and what executes them.

Whatever a function raises is told as a value until it is back in the task that waits: a thread,
or an event loop, may not end of it.
"""

from collections.abc import Callable
from typing import Any

Outcome = tuple[Any, BaseException | None]
"""What a call returned, or what it raised."""
BoundCall = Callable[[], Outcome]
"""A call that only has to be made; it raises nothing."""


def outcome_of(call: Callable[[], Any]) -> Outcome:
    """Makes a call; nothing that it raises gets out."""
    try:
        return call(), None
    except BaseException as raised:  # noqa: BLE001 - the one who waits for the outcome raises it
        return None, raised
