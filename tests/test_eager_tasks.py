"""Tasks that begin at once are tasks to everybody who asks."""

import asyncio
import contextvars
from typing import Any

import anyio
import pytest

from appfunctions_mcp.eager_tasks import begin_task

pytestmark = pytest.mark.anyio

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


async def test_it_runs_to_its_end_at_once_where_it_never_waits() -> None:
    async def body() -> int:
        return 5

    task = begin_task(body())
    assert task.done()
    assert task.result() == 5


async def test_it_waits_like_any_task() -> None:
    async def body() -> int:
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return await asyncio.create_task(asyncio.sleep(0, 5))

    task = begin_task(body())
    assert not task.done()
    assert task in asyncio.all_tasks()
    assert await task == 5


async def test_it_is_the_current_task_and_the_outer_one_is_again_afterwards() -> None:
    seen: list[Any] = []

    async def inner() -> None:
        seen.append(asyncio.current_task())
        await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    async def outer() -> None:
        task = begin_task(inner())
        seen.append(asyncio.current_task())
        await task
        assert seen[0] is seen[2] is task
        assert seen[1] is asyncio.current_task()

    before = asyncio.current_task()
    task = begin_task(outer())
    assert asyncio.current_task() is before
    await task
    assert seen[1] is task


@pytest.mark.parametrize("waits", [False, True])
async def test_what_it_raises_is_raised_where_it_is_awaited(waits: bool) -> None:
    async def body() -> None:
        if waits:
            await asyncio.sleep(0)
        raise KeyError("k")

    with pytest.raises(KeyError):
        await begin_task(body())


async def test_cancelling_raises_where_it_waits() -> None:
    steps: list[str] = []

    async def body() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            steps.append("cancelled")
            await asyncio.sleep(0)
            steps.append("clean")
            raise
        return "late"

    task = begin_task(body())
    assert task.cancel()
    assert task.cancelling() == 1
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert not task.cancel()
    assert steps == ["cancelled", "clean"]


async def test_it_may_cancel_itself_and_may_go_on_after_a_cancellation() -> None:
    async def stubborn() -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(60)
        assert task.uncancel() == 0
        return "went on"

    assert await begin_task(stubborn()) == "went on"


async def test_cancelling_what_it_waits_for_cancels_it_in_its_place() -> None:
    inner = asyncio.create_task(asyncio.sleep(60))

    async def body() -> None:
        await inner

    task = begin_task(body())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert inner.cancelled()


async def test_context_variables_stay_within() -> None:
    async def body() -> str:
        before = variable.get()
        variable.set("inner")
        await asyncio.sleep(0)
        return before + variable.get()

    variable.set("outer")
    assert await begin_task(body()) == "outerinner"
    assert variable.get() == "outer"


async def test_timeouts_and_task_groups_work_within() -> None:
    async def body() -> list[int]:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await asyncio.sleep(60)
        async with asyncio.TaskGroup() as group:
            made = [group.create_task(asyncio.sleep(0, n)) for n in range(3)]
        with pytest.raises(ExceptionGroup):
            await _fail_in_a_task_group()
        return [task.result() for task in made]

    assert await begin_task(body()) == [0, 1, 2]


async def test_anyio_works_within() -> None:
    async def body() -> bool:
        with anyio.move_on_after(0.001) as scope:
            await anyio.sleep(60)
        with pytest.raises(ExceptionGroup):
            await _fail_in_anyios_task_group()
        assert await anyio.to_thread.run_sync(lambda: 5) == 5
        return scope.cancelled_caught

    assert await begin_task(body())


async def _fail() -> None:
    await asyncio.sleep(0)
    raise ValueError("no")


async def _fail_in_a_task_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(_fail())
        await asyncio.sleep(60)


async def _fail_in_anyios_task_group() -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(_fail)
        await anyio.sleep(60)


async def test_it_has_a_name_that_may_be_changed() -> None:
    async def rename() -> tuple[str, str]:
        task = asyncio.current_task()
        assert task is not None
        before = task.get_name()
        task.set_name("mine")
        return before, task.get_name()

    before, after = await begin_task(rename())

    assert before
    assert after == "mine"


async def test_a_cancellation_keeps_its_text_by_which_a_scope_knows_its_own() -> None:
    """Else anyio takes it for somebody else's, and ends all that is around the scope."""
    for body in (asyncio.Event().wait, anyio.Event().wait, lambda: asyncio.sleep(60)):
        task = begin_task(_awaiting(body))
        task.cancel(msg="mine")
        with pytest.raises(asyncio.CancelledError, match="mine"):
            await task
    with anyio.CancelScope() as scope:
        task = begin_task(_awaiting(asyncio.Event().wait))
        asyncio.get_running_loop().call_soon(scope.cancel)
        await task
    assert scope.cancelled_caught


async def _awaiting(body: Any) -> None:
    await body()
