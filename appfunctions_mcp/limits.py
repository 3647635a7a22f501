"""How many calls there may be: slots among the running ones, and a rate.

Each limit is entered or taken by the manager and ends in an exception that says when the call
may be made again. Deadlines, threads and the loop guard have modules of their own.
"""

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from appfunctions_mcp.exceptions import AppFunctionLimitExceededException
from appfunctions_mcp.records import record

Clock = Callable[[], float]
"""Seconds that only rise, as `time.monotonic` gives them."""

NOT_BEGUN = "it waited for other calls and has not begun"
"""The note on the cancellation of a call that had no slot yet."""
STILL_RUNNING = "it may still be running"
"""The note on the cancellation of a call whose thread goes on."""

_WINDOW_SECONDS = 60.0
_MOST_CALLERS = 4096


class ServerBusyException(AppFunctionLimitExceededException):
    """Too many calls wait already: no fault of the call, which may be repeated as it is."""


@record(frozen=True, slots=True)
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
        self._set_aside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def take(self) -> bool:
        """Takes a slot if one is free; who has one calls `release` in the end."""
        if self._running >= self._max_concurrent:
            return False
        self._running += 1
        return True

    def release(self) -> None:
        """Gives a slot back: to the first that waits, if any does."""
        while self._waiting and self._running <= self._max_concurrent:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._running -= 1

    def set_aside(self) -> bool:
        """Gives a slot back for as long as its call waits for a user.

        Returns:
            Whether it did; where as many calls do so as may wait, a further one keeps its slot.
        """
        if self._set_aside >= self._max_waiting:
            return False
        self._set_aside += 1
        self.release()
        return True

    def take_up(self) -> None:
        """Takes a slot again after `set_aside`, at once: who has begun does not queue up anew."""
        self._set_aside -= 1
        self._running += 1

    def abandon(self) -> None:
        """Ends, after `set_aside`, a call that takes no slot again."""
        self._set_aside -= 1

    async def acquire(self) -> None:
        """Takes a slot, waiting for it in the queue if need be; cancelling the wait leaves that.

        Raises:
            AppFunctionLimitExceededException: The queue is full.
        """
        if not self.take():
            await self._wait_for_slot()

    def statistics(self) -> SlotsStatistics:
        """The present numbers."""
        return SlotsStatistics(
            self._running, len(self._waiting), self._max_concurrent, self._max_waiting
        )

    async def _wait_for_slot(self) -> None:
        if len(self._waiting) >= self._max_waiting:
            raise ServerBusyException(
                f"too many calls at once: {self._running} are running and {len(self._waiting)} "
                "are waiting; try again when some of them have ended"
            ).as_refusal("queue")
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
                self.release()
            raise


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
            ).as_refusal("rate")
        calls.append(now)
