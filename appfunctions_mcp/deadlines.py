"""The deadline of a call.

Most calls have the same few lengths and end long before, so that the deadlines of one length
share one timer of the event loop: those that begin later end later.
"""

import asyncio
from types import TracebackType
from typing import Self

from appfunctions_mcp.exceptions import AppFunctionCancelledException
from appfunctions_mcp.limits import NOT_BEGUN, STILL_RUNNING


class deadline:  # noqa: N801 - reads as a statement: `with deadline(30):`
    """Ends its block after some seconds with an `AppFunctionCancelledException`.

    Only its own expiry is turned into that exception: a cancellation from outside and a
    `TimeoutError` of the body pass as they are. A body that goes on after it was cancelled has
    its late value, or its late exception, dropped.

    Args:
        seconds: How long the block may take; None is without end.
        message: What follows `timed out after N s` in the exception's text. Left out, it says
            whether the call may still be running, or never began.
    """

    __slots__ = (
        "_clock",
        "_has_expired",
        "_left",
        "_message",
        "_pending",
        "_reason",
        "_seconds",
        "_task",
        "_timer",
    )

    def __init__(self, seconds: float | None, message: str | None = None) -> None:
        self._seconds = seconds
        self._message = message
        self._has_expired = False
        self._reason: str | None = None
        self._left: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        """Starts the clock."""
        if self._seconds is not None:
            loop = asyncio.get_running_loop()
            task = asyncio.current_task(loop)
            if task is None:
                raise RuntimeError("a deadline needs a task that it can cancel")
            self._task = task
            self._pending = task.cancelling()
            clock = _clocks.get(self._seconds)
            if clock is None or clock.loop is not loop:
                clock = _clocks[self._seconds] = _Clock(loop, self._seconds)
            self._clock = clock
            clock.add(self)
        return self

    def pause(self) -> None:
        """Stops the clock until `resume`; it may have been stopped, or have run out, already."""
        if self._seconds is None or self._has_expired or self._left is not None:
            return
        now = asyncio.get_running_loop().time()
        if self._timer is None:
            self._left = self._clock.set_aside(self) - now
        else:
            self._left = self._timer.when() - now
            self._timer.cancel()

    def resume(self) -> None:
        """Lets the clock go on with what is left."""
        if self._left is None or self._has_expired:
            return
        # It ends before others of its length that began later, so that it needs a timer of its own.
        self._timer = asyncio.get_running_loop().call_later(self._left, self.expire)
        self._left = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stops the clock.

        Raises:
            AppFunctionCancelledException: The time had run out.
        """
        if self._seconds is None:
            return
        self._clock.remove(self)
        self._left = None
        if self._timer is not None:
            self._timer.cancel()
        if not self._has_expired:
            return
        is_its_own = self._task.uncancel() <= self._pending
        if isinstance(failure, asyncio.CancelledError):
            if is_its_own:
                raise self._expiry(failure) from failure
        elif failure is None or isinstance(failure, Exception):
            raise self._expiry(failure) from failure

    def expire(self, reason: str | None = None) -> None:
        """Ends the block; its clock calls it, or who has a reason to do so before."""
        self._has_expired = True
        self._reason = reason
        self._task.cancel()

    def _expiry(self, failure: BaseException | None) -> AppFunctionCancelledException:
        if self._reason is not None:
            return AppFunctionCancelledException(self._reason)
        seconds = self._seconds or 0
        number = int(seconds) if seconds == int(seconds) else seconds
        message = self._message
        if message is None:
            notes = getattr(failure, "__notes__", ())
            known = [note for note in (STILL_RUNNING, NOT_BEGUN) if note in notes]
            message = f" ({known[0]})" if known else ""
        return AppFunctionCancelledException(f"timed out after {number} s{message}")


def expire_all(reason: str) -> None:
    """Ends every call that has a deadline on the running loop, so that it is still answered.

    Args:
        reason: What their callers are told.
    """
    loop = asyncio.get_running_loop()
    for clock in _clocks.values():
        if clock.loop is loop:
            clock.expire_all(reason)


class _Clock:
    """The deadlines of one length on one loop, in the order in which they expire."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self.loop = loop
        self._seconds = seconds
        self._ends: dict[deadline, float] = {}
        self._aside: set[deadline] = set()
        """Those that stand still, or go on by a timer of their own."""
        self._is_set = False

    def add(self, started: deadline) -> None:
        """Starts a deadline."""
        self._ends[started] = end = self.loop.time() + self._seconds
        if not self._is_set:
            self._is_set = True
            self.loop.call_at(end, self._ring)

    def remove(self, stopped: deadline) -> float:
        """Stops a deadline and returns its end; the timer stays as it is, for the next one."""
        self._aside.discard(stopped)
        return self._ends.pop(stopped, self.loop.time())

    def set_aside(self, paused: deadline) -> float:
        """Leaves a deadline to itself, and returns its end; `expire_all` still ends it."""
        end = self.remove(paused)
        self._aside.add(paused)
        return end

    def expire_all(self, reason: str) -> None:
        """Ends what has not ended, and what waits for a user."""
        begun = (*self._ends, *self._aside)
        self._ends, self._aside = {}, set()
        for each in begun:
            each.expire(reason)

    def _ring(self) -> None:
        """Ends what is due and waits for what is not; where nothing is left, for nothing."""
        self._is_set = False
        now = self.loop.time()
        while self._ends:
            first, end = next(iter(self._ends.items()))
            if end > now:
                self._is_set = True
                self.loop.call_at(end, self._ring)
                return
            del self._ends[first]
            first.expire()


_clocks: dict[float, _Clock] = {}
"""The newest clock of each length; one of another loop goes on ringing for those that it has."""
