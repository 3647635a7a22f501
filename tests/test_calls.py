"""Bodies of functions: over at once where they never wait, else in a slot under a deadline."""

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from appfunctions_mcp.calls import CallRunner
from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import AppFunctionCancelledException
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.limits import ServerBusyException
from appfunctions_mcp.metadata import ExecutionLimits

pytestmark = pytest.mark.anyio


def begin(runner: CallRunner, function: Any) -> Any:
    """What a call without arguments begins as."""
    return runner.begin(AppFunction.from_function(function), {}, AppFunctionContext())


async def ready() -> int:
    """Never waits."""
    return 5


@app_function(thread="main")
def on_the_loop() -> str:
    """Says in which thread it runs."""
    return threading.current_thread().name


def in_a_thread() -> str:
    """Says in which thread it runs."""
    return threading.current_thread().name


async def test_a_body_that_never_waits_is_over_at_once_and_has_given_its_slot_back() -> None:
    runner = CallRunner(ExecutionLimits())
    assert begin(runner, ready) == (5, None)
    assert begin(runner, on_the_loop) == (threading.current_thread().name, None)
    assert runner.slots.statistics().running == 0


async def test_a_body_that_waits_keeps_its_slot_until_its_end() -> None:
    runner, gate = CallRunner(ExecutionLimits()), asyncio.Event()

    async def wait() -> int:
        await gate.wait()
        return 7

    begun = begin(runner, wait)
    assert runner.slots.statistics().running == 1
    gate.set()
    assert await begun == (7, None)
    assert runner.slots.statistics().running == 0


async def test_a_plain_function_runs_in_a_thread_of_its_own() -> None:
    value, raised = await begin(CallRunner(ExecutionLimits()), in_a_thread)
    assert raised is None
    assert value != threading.current_thread().name


async def test_what_a_body_raises_in_its_first_step_is_told_and_its_slot_is_free() -> None:
    runner = CallRunner(ExecutionLimits())

    async def fail() -> None:
        raise SystemExit(3)

    value, raised = begin(runner, fail)
    assert value is None
    assert isinstance(raised, SystemExit)
    assert runner.slots.statistics().running == 0


async def test_a_body_sees_a_task_of_its_own_and_keeps_its_variables_to_itself() -> None:
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable", default=0)

    async def change() -> bool:
        variable.set(1)
        return asyncio.current_task() not in {None, outside}

    outside = asyncio.current_task()
    assert begin(CallRunner(ExecutionLimits()), change) == (True, None)
    assert asyncio.current_task() is outside
    assert variable.get() == 0


async def test_the_deadline_holds_for_a_body_that_waits_and_for_one_without_a_slot() -> None:
    runner = CallRunner(ExecutionLimits(timeout_seconds=0.05, max_concurrent=1))
    first = begin(runner, asyncio.Event().wait)
    second = begin(runner, ready)
    with pytest.raises(AppFunctionCancelledException, match="not begun"):
        await second
    with pytest.raises(AppFunctionCancelledException, match=r"timed out after 0\.05 s"):
        await first
    assert runner.slots.statistics().running == 0


async def test_a_body_that_would_never_wait_has_its_turn_behind_those_that_wait() -> None:
    runner, gate = CallRunner(ExecutionLimits(max_concurrent=1, max_waiting=1)), asyncio.Event()
    first = asyncio.create_task(begin(runner, gate.wait))
    second = asyncio.create_task(begin(runner, ready))
    await asyncio.sleep(0)
    with pytest.raises(ServerBusyException):
        await begin(runner, ready)
    gate.set()
    assert await first == (True, None)
    assert await second == (5, None)


async def test_cancelling_ends_the_body_and_frees_the_slot() -> None:
    runner, ended = CallRunner(ExecutionLimits()), []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    task = asyncio.create_task(begin(runner, wait))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]
    assert runner.slots.statistics().running == 0
