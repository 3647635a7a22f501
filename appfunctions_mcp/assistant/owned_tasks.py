"""Tasks that somebody owns to their end, though nobody waits for one that does not end.

What goes on after it was cancelled is left to itself after a short time, known to its owner.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from appfunctions_mcp.outcomes import Outcome

T = TypeVar("T")

CLEAN_UP_SECONDS = 0.5
"""How long what was cancelled may clean up before it is left to itself."""


class CallClock:
    """The time of one call, which begins anew with each sign of life (F58).

    Args:
        seconds: How long nothing may be heard; None is without end.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._ends_at = 0.0
        self.restart()

    def restart(self) -> None:
        """Lets the time begin anew; may be called in any thread."""
        self._ends_at = self._loop.time() + (self.seconds or 0.0)

    @property
    def seconds_left(self) -> float | None:
        """How much is left; None is without end."""
        return None if self.seconds is None else max(0.0, self._ends_at - self._loop.time())


class PausableTimer:
    """Rings once, after some time that can stand still.

    Args:
        seconds: How long it runs; None never rings.
        ring: Called on the event loop.
    """

    def __init__(self, seconds: float | None, ring: Callable[[], None]) -> None:
        self._left = seconds
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None

    def run(self) -> None:
        """Starts, or goes on with what is left."""
        if self._left is not None and self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(self._left, self._ring)

    def stop(self) -> None:
        """Stands still until `run`."""
        if self._handle is not None:
            self._left = max(0.0, self._handle.when() - asyncio.get_running_loop().time())
            self._handle.cancel()
            self._handle = None


class OwnedTasks:
    """Runs work in tasks of its own, and keeps those that do not end."""

    def __init__(self) -> None:
        self._left_alone: set[asyncio.Task[Outcome]] = set()

    async def run(
        self,
        work: Callable[[], Awaitable[T]],
        clock: CallClock | None = None,
        *,
        keeps_value: bool = False,
    ) -> T:
        """Runs some work to its end.

        Cancelling cancels it, and waits for it no longer than for a short clean-up.

        Args:
            work: Begins it.
            clock: Its time.
            keeps_value: Whether a cancellation that comes too late is none: what is done is done,
                and its value is returned.

        Raises:
            TimeoutError: The time has run out; the work is cancelled.
        """
        task = asyncio.create_task(_outcome_of(work))
        try:
            is_in_time = await _wait(task, clock)
        except asyncio.CancelledError:
            await self._end(task)
            if not keeps_value or not _has_value(task):
                raise
            is_in_time = True
        if not is_in_time:
            await self._end(task)
            raise TimeoutError
        value, raised = task.result()
        if raised is not None:
            raise raised
        return value  # type: ignore[no-any-return] # an outcome does not know its type

    async def end_all(self) -> None:
        """Cancels once more what was left to itself."""
        left = set(self._left_alone)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=CLEAN_UP_SECONDS)

    async def _end(self, task: asyncio.Task[Outcome]) -> None:
        if task.done():
            return
        task.cancel()
        try:
            await asyncio.wait({task}, timeout=CLEAN_UP_SECONDS)
        finally:
            if not task.done():
                self._left_alone.add(task)
                task.add_done_callback(self._left_alone.discard)


async def _wait(task: "asyncio.Task[Outcome]", clock: CallClock | None) -> bool:
    """Waits for a task; whether it is done before its time has run out."""
    while not task.done():
        left = None if clock is None else clock.seconds_left
        if left == 0:
            return False
        await asyncio.wait({task}, timeout=left)
    return True


def _has_value(task: "asyncio.Task[Outcome]") -> bool:
    return task.done() and not task.cancelled() and task.result()[1] is None


async def _outcome_of(work: Callable[[], Awaitable[Any]]) -> Outcome:
    """Waits; nothing is raised, since a task that raises SystemExit ends the event loop."""
    try:
        return await work(), None
    except BaseException as raised:  # noqa: BLE001 - told to the one who waits, who raises it
        return None, raised
