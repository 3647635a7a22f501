"""What one call may cost: its deadline, its slot among the running calls, its rate.

Each limit is entered or taken by the manager and ends in an exception that says when the call
may be made again. Threads have a module of their own, and so has the loop guard.
"""

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionLimitExceededException,
)

Clock = Callable[[], float]
"""Seconds that only rise, as `time.monotonic` gives them."""

NOT_BEGUN = "it waited for other calls and has not begun"
"""The note on the cancellation of a call that had no slot yet."""
STILL_RUNNING = "it may still be running"
"""The note on the cancellation of a call whose thread goes on."""

_WINDOW_SECONDS = 60.0
_MOST_CALLERS = 4096


class deadline:  # noqa: N801 - reads as a statement: `async with deadline(30):`
    """Ends its block after some seconds with an `AppFunctionCancelledException`.

    Only its own expiry is turned into that exception: a cancellation from outside and a
    `TimeoutError` of the body pass as they are. A body that goes on after it was cancelled has
    its late value, or its late exception, dropped.

    Args:
        seconds: How long the block may take; None is without end.
        message: What follows `timed out after N s` in the exception's text. Left out, it says
            whether the call may still be running, or never began.
    """

    def __init__(self, seconds: float | None, message: str | None = None) -> None:
        self._seconds = seconds
        self._message = message
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        """Starts the clock."""
        await self._timeout.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stops the clock.

        Raises:
            AppFunctionCancelledException: The time had run out.
        """
        try:
            await self._timeout.__aexit__(kind, failure, traceback)
        except TimeoutError:
            raise self._expiry(failure) from failure
        if self._timeout.expired() and (failure is None or isinstance(failure, Exception)):
            raise self._expiry(failure) from failure

    def _expiry(self, failure: BaseException | None) -> AppFunctionCancelledException:
        seconds = self._seconds or 0
        number = int(seconds) if seconds == int(seconds) else seconds
        message = self._message
        if message is None:
            notes = getattr(failure, "__notes__", ())
            known = [note for note in (STILL_RUNNING, NOT_BEGUN) if note in notes]
            message = f" ({known[0]})" if known else ""
        return AppFunctionCancelledException(f"timed out after {number} s{message}")


@dataclass(frozen=True, slots=True)
class SlotsStatistics:
    """How many calls run and wait, and how many may."""

    running: int
    waiting: int
    max_concurrent: int
    max_waiting: int


class Slots:
    """A number of calls that run at once, and a queue, first come first served, before them.

    Args:
        max_concurrent: How many run at once, at least 1.
        max_waiting: How many more may wait for one of these to end.
    """

    def __init__(self, max_concurrent: int, max_waiting: int) -> None:
        if max_concurrent < 1 or max_waiting < 0:
            raise ValueError(
                f"max_concurrent is {max_concurrent} and max_waiting {max_waiting}; at least 1 "
                "and at least 0 are accepted"
            )
        self._max_concurrent = max_concurrent
        self._max_waiting = max_waiting
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._slot = _Slot(self._acquire, self._release)

    def enter(self) -> "_Slot":
        """An async context manager that holds a slot; cancelling the wait leaves the queue.

        Entering raises `AppFunctionLimitExceededException` where the queue is full.
        """
        return self._slot

    def statistics(self) -> SlotsStatistics:
        """The present numbers."""
        return SlotsStatistics(
            self._running, len(self._waiting), self._max_concurrent, self._max_waiting
        )

    async def _acquire(self) -> None:
        if self._running < self._max_concurrent:
            self._running += 1
            return
        if len(self._waiting) >= self._max_waiting:
            raise AppFunctionLimitExceededException(
                f"too many calls at once: {self._running} are running and {len(self._waiting)} "
                "are waiting; try again when some of them have ended"
            )
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError as cancelled:
            cancelled.add_note(NOT_BEGUN)
            if turn in self._waiting:
                self._waiting.remove(turn)
            elif not turn.cancelled():
                # The slot was handed over in the same moment; the next in the queue gets it.
                self._release()
            raise

    def _release(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._running -= 1


class _Slot:
    """Takes a slot on entering and gives it back on leaving; has no state of its own."""

    def __init__(
        self, acquire: Callable[[], Coroutine[Any, Any, None]], release: Callable[[], None]
    ) -> None:
        self._acquire = acquire
        self._release = release

    async def __aenter__(self) -> None:
        await self._acquire()

    async def __aexit__(self, *_: object) -> None:
        self._release()


class RateLimit:
    """At most so many calls in any 60 seconds, counted for each caller.

    Args:
        calls_per_minute: How many; 0 is without limit.
        clock: What time it is, in seconds.
    """

    def __init__(self, calls_per_minute: int, clock: Clock = time.monotonic) -> None:
        if calls_per_minute < 0:
            raise ValueError(f"calls_per_minute is {calls_per_minute}; 0 or more is accepted")
        self._calls_per_minute = calls_per_minute
        self._clock = clock
        # The least recent callers are forgotten first, so that many callers cost no memory.
        self._calls: OrderedDict[str | None, deque[float]] = OrderedDict()

    def take(self, caller_key: str | None) -> None:
        """Counts one call; a refused call does not count.

        Args:
            caller_key: Who calls; callers that cannot be told apart (None) share one count.

        Raises:
            AppFunctionLimitExceededException: The caller has used its calls; the message says
                in how many seconds one is free.
        """
        if not self._calls_per_minute:
            return
        now = self._clock()
        calls = self._calls.setdefault(caller_key, deque())
        self._calls.move_to_end(caller_key)
        if len(self._calls) > _MOST_CALLERS:
            self._calls.popitem(last=False)
        while calls and calls[0] <= now - _WINDOW_SECONDS:
            calls.popleft()
        if len(calls) >= self._calls_per_minute:
            seconds = max(1, math.ceil(calls[0] + _WINDOW_SECONDS - now))
            raise AppFunctionLimitExceededException(
                f"at most {self._calls_per_minute} calls a minute are accepted; "
                f"try again in {seconds} s"
            )
        calls.append(now)
