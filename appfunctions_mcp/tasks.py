"""The tasks that async functions run in, so that nobody waits for one that does not end.

A body that goes on after it was cancelled, since it swallows the cancellation or takes long to
clean up, is left to itself; the caller has its answer on time.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Any

from appfunctions_mcp.eager_tasks import begin_task
from appfunctions_mcp.exceptions import AppFunctionLimitExceededException
from appfunctions_mcp.limits import STILL_RUNNING
from appfunctions_mcp.outcomes import Outcome

CLEAN_UP_SECONDS = 0.1
"""How long a cancelled body may clean up before it is left to itself."""


class CallTasks:
    """Runs the bodies of async functions.

    Args:
        max_stuck: How many bodies of one function may go on unattended before it is refused.
    """

    def __init__(self, max_stuck: int = 32) -> None:
        self._max_stuck = max_stuck
        self._stuck: Counter[str] = Counter()
        # The loop itself holds tasks weakly.
        self._left_alone: set[asyncio.Task[Outcome]] = set()

    def begin(self, function_id: str, awaitable: Awaitable[Any]) -> "asyncio.Task[Outcome]":
        """Starts to wait for an awaitable in a task of its own, which may be done at once.

        Args:
            function_id: Whose stuck bodies are counted.
            awaitable: What to wait for.

        Returns:
            The task of what it returns, or of whatever it raises, a cancellation of its own too.

        Raises:
            AppFunctionLimitExceededException: Too many bodies of this function never ended.
        """
        self._require_few_stuck(function_id, awaitable)
        return begin_task(_outcome_of(awaitable))

    async def end(self, function_id: str, task: "asyncio.Task[Outcome]") -> Outcome:
        """Waits for a task that `begin` has started.

        Cancelling cancels that task, and waits for it no longer than for a short clean-up.
        """
        if not task.done():
            await self._end_of(task, function_id)
        return task.result()

    async def _end_of(self, task: asyncio.Task[Outcome], function_id: str) -> None:
        # Not the task itself is waited for: cancelling would then wait for its end.
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task.add_done_callback(lambda _: None if ended.done() else ended.set_result(None))
        try:
            await ended
        except asyncio.CancelledError as cancelled:
            task.cancel()
            try:
                await asyncio.wait({task}, timeout=CLEAN_UP_SECONDS)
            finally:
                if not task.done():
                    self._leave_alone(function_id, task)
                    cancelled.add_note(STILL_RUNNING)
            raise

    def _require_few_stuck(self, function_id: str, awaitable: Awaitable[Any]) -> None:
        stuck = self._stuck[function_id] if self._stuck else 0
        if stuck < self._max_stuck:
            return
        if asyncio.iscoroutine(awaitable):
            awaitable.close()
        raise AppFunctionLimitExceededException(
            f"{stuck} earlier calls of this function never ended and are still running; "
            "it is refused until some of them end"
        ).as_refusal("stuck")

    def _leave_alone(self, function_id: str, task: asyncio.Task[Outcome]) -> None:
        def forget(ended: asyncio.Task[Outcome]) -> None:
            self._left_alone.discard(ended)
            self._stuck[function_id] -= 1
            if not self._stuck[function_id]:
                del self._stuck[function_id]

        self._stuck[function_id] += 1
        self._left_alone.add(task)
        task.add_done_callback(forget)


async def _outcome_of(awaitable: Awaitable[Any]) -> Outcome:
    """Waits; nothing is raised, since a task that raises SystemExit ends the event loop."""
    try:
        return await awaitable, None
    except BaseException as raised:  # noqa: BLE001 - told to the one who waits, who raises it
        return None, raised
