"""Where the bodies of functions run: in a slot, under a deadline, on the loop or in a thread.

A body that never waits is over when `begin` returns; only for others is there something to
wait for. Knows nothing of callers, states or results.
"""

import inspect
from collections.abc import Coroutine
from typing import Any, Self

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.deadlines import deadline
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.limits import Slots
from appfunctions_mcp.metadata import ExecutionLimits
from appfunctions_mcp.outcomes import BoundCall, Outcome
from appfunctions_mcp.tasks import CallTasks
from appfunctions_mcp.threads import WorkerThreads


class CallRunner:
    """Runs the bodies of functions.

    Args:
        limits: How many run and wait, and for how long.
    """

    def __init__(self, limits: ExecutionLimits) -> None:
        self._limits = limits
        self.slots = Slots(limits.max_concurrent, limits.max_waiting)
        self.threads = WorkerThreads(limits.max_threads, limits.max_stuck_threads)
        self._tasks = CallTasks(limits.max_stuck_threads)

    def begin(
        self, function: AppFunction, arguments: dict[str, Any], context: AppFunctionContext
    ) -> Outcome | Coroutine[Any, Any, Outcome]:
        """Runs a body up to where it first waits.

        Args:
            function: What is called.
            arguments: What its `validate` returned.
            context: The call's context.

        Returns:
            What it ended in, or what has to be awaited for that. Cancelling that cancels the
            body; past the deadline it raises an AppFunctionCancelledException.

        Raises:
            AppFunctionLimitExceededException: Too many earlier calls never ended.
        """
        call = function.bound(arguments, context)
        if function.runs_in_thread or not self.slots.take():
            return self._queued(function, call, context)
        is_over = True
        try:
            value, raised = outcome = call()
            if raised is not None or not inspect.isawaitable(value):
                return outcome
            task = self._tasks.begin(function.metadata.function_id, value)
            if task.done():
                return task.result()
            is_over = False
        finally:
            if is_over:
                self.slots.release()
        return self._ended(function, task, context)

    async def run(
        self, function: AppFunction, arguments: dict[str, Any], context: AppFunctionContext
    ) -> object:
        """Runs a body to its end and returns what the function returned.

        Raises:
            AppFunctionException: As `begin`, and as the function's `result_of`.
        """
        begun = self.begin(function, arguments, context)
        return function.result_of(begun if isinstance(begun, tuple) else await begun)

    async def _ended(
        self, function: AppFunction, task: Any, context: AppFunctionContext
    ) -> Outcome:
        """The end of a body that waits and has a slot."""
        function_id = function.metadata.function_id
        if not function.takes_context:
            try:
                with deadline(self._seconds_of(function)):
                    return await self._tasks.end(function_id, task)
            finally:
                self.slots.release()
        with deadline(self._seconds_of(function)) as limit, _HeldSlot(self.slots, limit) as held:
            context.limit_by(held)
            return await self._tasks.end(function_id, task)

    async def _queued(
        self, function: AppFunction, call: BoundCall, context: AppFunctionContext
    ) -> Outcome:
        """A call in a thread, or one that has to wait for its slot."""
        function_id = function.metadata.function_id
        with deadline(self._seconds_of(function)) as limit:
            await self.slots.acquire()
            with _HeldSlot(self.slots, limit) as held:
                if function.takes_context:
                    context.limit_by(held)
                if function.runs_in_thread:
                    value, raised = await self.threads.run(function_id, call)
                else:
                    value, raised = call()
                if raised is not None or not inspect.isawaitable(value):
                    return value, raised
                return await self._tasks.end(function_id, self._tasks.begin(function_id, value))

    def _seconds_of(self, function: AppFunction) -> float:
        return function.metadata.timeout_seconds or self._limits.timeout_seconds


class _HeldSlot:
    """The slot and the deadline of a running call, of which it has neither while a user is asked.

    Args:
        slots: Of which the call has one.
        limit: Its deadline.
    """

    __slots__ = ("_has_slot", "_is_over", "_limit", "_slots")

    def __init__(self, slots: Slots, limit: deadline) -> None:
        self._slots = slots
        self._limit = limit
        self._has_slot = True
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        if self._has_slot:
            self._slots.release()
        else:
            self._slots.abandon()

    def pause(self) -> None:
        """Lets others run, and the clock stand still."""
        if not self._is_over:
            self._limit.pause()
            self._has_slot = not self._slots.set_aside()

    def resume(self) -> None:
        """Goes on, with what was left of the time."""
        if self._is_over:
            return
        if not self._has_slot:
            self._slots.take_up()
            self._has_slot = True
        self._limit.resume()
