"""The threads that plain functions run in, apart from those that transports use.

A thread whose call was given up leaves the pool and is replaced, so a stuck function never
keeps others waiting. All threads are daemons that nobody joins: exit never waits for one.
"""

import asyncio
import contextvars
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar

from appfunctions_mcp.exceptions import AppFunctionLimitExceededException
from appfunctions_mcp.limits import NOT_BEGUN, STILL_RUNNING
from appfunctions_mcp.records import record

T = TypeVar("T")


@record(frozen=True, slots=True)
class WorkerThreadsStatistics:
    """How many threads there are, and what they do."""

    threads: int
    """Those of the pool, without the stuck ones."""
    idle: int
    queued: int
    """Calls that wait for a thread."""
    stuck: Mapping[str, int]
    """Function id to the number of its threads that run on though nobody waits for them."""


class WorkerThreads:
    """A pool of daemon threads that grows when needed and shrinks when idle.

    Args:
        max_threads: How many calls run at once; more wait for a thread.
        max_stuck: How many stuck threads one function may have before it is refused.
        idle_seconds: After how long without work a thread ends.
    """

    def __init__(
        self, max_threads: int = 64, max_stuck: int = 32, *, idle_seconds: float = 60.0
    ) -> None:
        if max_threads < 1 or max_stuck < 1:
            raise ValueError(
                f"max_threads is {max_threads} and max_stuck {max_stuck}; at least 1 is accepted"
            )
        self._max_threads = max_threads
        self._max_stuck = max_stuck
        self._idle_seconds = idle_seconds
        # Guards everything below; a worker waits on it for a job.
        self._work = threading.Condition(threading.Lock())
        self._jobs: deque[_Job[Any]] = deque()
        self._threads = 0
        self._idle = 0
        self._stuck: Counter[str] = Counter()

    async def run(self, function_id: str, call: Callable[[], T]) -> T:
        """Runs a call in a thread, with the context variables of the caller.

        Cancelling gives the call up at once: one that has not begun never begins; the thread of
        one that has runs on outside the pool, and what it returns is dropped.

        Args:
            function_id: Whose stuck threads are counted.
            call: What to run.

        Returns:
            What the call returned.

        Raises:
            AppFunctionLimitExceededException: Too many threads of this function are stuck, or
                the system gives no thread.
        """
        job = _Job(function_id, call, asyncio.get_running_loop())
        self._submit(job)
        try:
            return await job.result
        except asyncio.CancelledError as cancelled:
            cancelled.add_note(self._give_up(job))
            raise

    def statistics(self) -> WorkerThreadsStatistics:
        """The present numbers."""
        with self._work:
            return WorkerThreadsStatistics(
                self._threads, self._idle, len(self._jobs), dict(self._stuck)
            )

    def _submit(self, job: "_Job[Any]") -> None:
        with self._work:
            stuck = self._stuck[job.function_id] if self._stuck else 0
            if stuck >= self._max_stuck:
                raise AppFunctionLimitExceededException(
                    f"{stuck} earlier calls of this function never ended and are still running; "
                    "it is refused until some of them end"
                ).as_refusal("stuck")
            self._jobs.append(job)
            if not self._needs_thread():
                self._work.notify()
                return
            self._threads += 1
        self._start_thread()

    def _give_up(self, job: "_Job[Any]") -> str:
        """Takes a job out of the queue, or its thread out of the pool; which of both it was."""
        with self._work:
            job.given_up = True
            if not job.begun:
                self._jobs.remove(job)
                return NOT_BEGUN
            if job.ended:
                return STILL_RUNNING
            self._stuck[job.function_id] += 1
            self._threads -= 1
            if not self._needs_thread():
                return STILL_RUNNING
            self._threads += 1
        self._start_thread()
        return STILL_RUNNING

    def _needs_thread(self) -> bool:
        return len(self._jobs) > self._idle and self._threads < self._max_threads

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._work_off, name="app-function", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            with self._work:
                self._threads -= 1
                refused = list(self._jobs) if not self._threads else []
                for job in refused:
                    self._jobs.remove(job)
            # Where other threads are left, these take the job when they can.
            for job in refused:
                job.refuse("the system gives no further thread; try again later")

    def _work_off(self) -> None:
        while (job := self._next_job()) is not None:
            settle = job.execute()
            with self._work:
                job.ended = True
                left_the_pool = job.given_up
                if left_the_pool:
                    self._forget_stuck(job.function_id)
            if left_the_pool:
                return
            settle()
            # Nothing of a call may live on in a thread that waits for the next one.
            del job, settle

    def _forget_stuck(self, function_id: str) -> None:
        self._stuck[function_id] -= 1
        if not self._stuck[function_id]:
            del self._stuck[function_id]

    def _next_job(self) -> "_Job[Any] | None":
        """Waits for a job; None after the thread has been idle for long, when it shall end."""
        with self._work:
            self._idle += 1
            try:
                while not self._jobs:
                    if not self._work.wait(self._idle_seconds) and not self._jobs:
                        self._threads -= 1
                        return None
            finally:
                self._idle -= 1
            job = self._jobs.popleft()
            job.begun = True
            return job


class _Job(Generic[T]):
    """One call on its way through a thread and back to its loop."""

    def __init__(
        self, function_id: str, call: Callable[[], T], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.function_id = function_id
        self.result: asyncio.Future[T] = loop.create_future()
        self.begun = False
        self.ended = False
        self.given_up = False
        self._call = call
        self._context = contextvars.copy_context()
        self._loop = loop

    def execute(self) -> Callable[[], None]:
        """Makes the call, in the thread; returns what hands the outcome to the loop."""
        try:
            value = self._context.run(self._call)
        except StopIteration as raised:
            # A future takes none; a coroutine that raised one would end in this error too.
            failure = RuntimeError("the function raised StopIteration")
            failure.__cause__ = raised
            return partial(self._settle, self.result.set_exception, failure)
        except BaseException as raised:  # noqa: BLE001 - whatever it is, it is raised on the loop and no thread dies of it
            return partial(self._settle, self.result.set_exception, raised)
        return partial(self._settle, self.result.set_result, value)

    def refuse(self, message: str) -> None:
        """Ends a job for which there is no thread."""
        self._settle(self.result.set_exception, AppFunctionLimitExceededException(message))

    def _settle(self, settle: Callable[[Any], None], outcome: object) -> None:
        def on_loop() -> None:
            if not self.result.done():
                settle(outcome)

        try:
            self._loop.call_soon_threadsafe(on_loop)
        except RuntimeError:
            # The loop was closed meanwhile: nobody is left who waits.
            return
