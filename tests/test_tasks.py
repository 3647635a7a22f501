"""Tasks of async bodies: what comes back of them, and that nobody waits for one that goes on."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from appfunctions_mcp.exceptions import AppFunctionLimitExceededException
from appfunctions_mcp.limits import STILL_RUNNING
from appfunctions_mcp.outcomes import Outcome
from appfunctions_mcp.tasks import CallTasks

pytestmark = pytest.mark.anyio


async def cancel_itself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(1)


async def cancel_a_task_of_its_own() -> None:
    task = asyncio.create_task(asyncio.sleep(1))
    task.cancel()
    await task


async def run(tasks: CallTasks, function_id: str, awaitable: Awaitable[Any]) -> Outcome:
    return await tasks.end(function_id, tasks.begin(function_id, awaitable))


async def raise_(failure: BaseException) -> None:
    raise failure


async def test_a_body_that_returns_is_told_with_its_value() -> None:
    async def later() -> int:
        await asyncio.sleep(0)
        return 5

    assert await run(CallTasks(), "f", later()) == (5, None)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (lambda: raise_(ValueError("no")), ValueError),
        (lambda: raise_(SystemExit(3)), SystemExit),
        (lambda: raise_(KeyboardInterrupt()), KeyboardInterrupt),
        (lambda: raise_(BaseExceptionGroup("two", [SystemExit(3)])), BaseExceptionGroup),
        (lambda: raise_(asyncio.CancelledError()), asyncio.CancelledError),
        (cancel_itself, asyncio.CancelledError),
        (cancel_a_task_of_its_own, asyncio.CancelledError),
    ],
)
async def test_whatever_a_body_raises_is_told_and_not_raised(
    body: Callable[[], Awaitable[Any]], kind: type[BaseException]
) -> None:
    value, raised = await run(CallTasks(), "f", body())
    assert value is None
    assert type(raised) is kind


async def swallow_cancellations(released: asyncio.Event) -> None:
    while not released.is_set():
        with contextlib.suppress(asyncio.CancelledError):
            await released.wait()


async def test_a_body_that_swallows_its_cancellation_is_left_alone_and_then_refused() -> None:
    tasks, released = CallTasks(max_stuck=1), asyncio.Event()
    waiting = asyncio.create_task(run(tasks, "f", swallow_cancellations(released)))
    await asyncio.sleep(0.01)
    started = time.monotonic()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await waiting
    assert time.monotonic() - started < 1
    assert cancelled.value.__notes__ == [STILL_RUNNING]
    with pytest.raises(AppFunctionLimitExceededException, match="1 earlier calls"):
        await run(tasks, "f", asyncio.sleep(0))
    assert await run(tasks, "another", asyncio.sleep(0, 1)) == (1, None)
    released.set()
    await asyncio.sleep(0.01)
    assert await run(tasks, "f", asyncio.sleep(0, 2)) == (2, None)


async def test_a_short_clean_up_ends_before_the_cancellation_is_passed_on() -> None:
    steps = []

    async def clean_up() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            steps.append("clean")

    waiting = asyncio.create_task(run(CallTasks(), "f", clean_up()))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await waiting
    assert steps == ["clean"]
    assert not hasattr(cancelled.value, "__notes__")
