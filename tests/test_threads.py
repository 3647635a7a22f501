"""The threads of plain functions."""

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from appfunctions_mcp.deadlines import deadline
from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.limits import Slots
from appfunctions_mcp.threads import WorkerThreads, _Job

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[1]
SOME_SECONDS = 30
"""How long a test waits for what happens at once, on however slow a machine."""


def wait_for(event: threading.Event) -> None:
    assert event.wait(SOME_SECONDS)


async def becomes(condition: Callable[[], bool]) -> None:
    """Waits for what another thread is about to do."""
    async with asyncio.timeout(SOME_SECONDS):
        while not condition():  # noqa: ASYNC110 - the other thread has no event to set
            await asyncio.sleep(0)


async def test_three_plain_calls_run_in_parallel_and_the_loop_answers_meanwhile() -> None:
    """F55: three calls ran one after another and a ping was not answered."""
    threads = WorkerThreads()
    together = threading.Barrier(4)

    def slow() -> int:
        together.wait(SOME_SECONDS)
        return threading.get_ident()

    calls = [asyncio.create_task(threads.run("f", slow)) for _ in range(3)]
    # Only a loop that still turns gets here while none of the three can go on without it.
    await becomes(lambda: together.n_waiting == 3)
    together.wait(SOME_SECONDS)

    assert len(set(await asyncio.gather(*calls))) == 3
    assert threading.get_ident() not in await asyncio.gather(*calls)


async def test_three_slow_calls_take_the_time_of_one() -> None:
    """F55: 3 calls of one second in less than 1.8 s; here a tenth of that."""
    threads = WorkerThreads()
    started = time.perf_counter()

    await asyncio.gather(*(threads.run("f", lambda: time.sleep(0.2)) for _ in range(3)))

    assert time.perf_counter() - started < 0.6


async def test_the_context_variables_of_the_caller_are_seen_and_not_changed() -> None:
    """F55: a ContextVar set by the server is visible in the body."""
    threads = WorkerThreads()
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("of the caller")

    def read_and_set() -> str:
        seen = variable.get()
        variable.set("of the body")
        return seen

    assert await threads.run("f", read_and_set) == "of the caller"
    assert variable.get() == "of the caller"


async def test_what_a_call_raises_is_raised_where_it_is_awaited() -> None:
    threads = WorkerThreads()

    def fail() -> None:
        raise KeyError("x")

    def end() -> None:
        raise StopIteration

    with pytest.raises(KeyError, match="x"):
        await threads.run("f", fail)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await threads.run("f", end)
    assert await threads.run("f", lambda: 5) == 5


async def test_a_thread_is_used_again() -> None:
    threads = WorkerThreads()

    first = await threads.run("f", threading.get_ident)
    await becomes(lambda: threads.statistics().idle == 1)

    assert await threads.run("f", threading.get_ident) == first
    assert threads.statistics().threads == 1


async def test_an_idle_thread_ends_by_itself() -> None:
    threads = WorkerThreads(idle_seconds=0.001)
    thread = await threads.run("f", threading.current_thread)

    thread.join(SOME_SECONDS)

    assert not thread.is_alive()
    assert threads.statistics().threads == 0
    assert await threads.run("f", lambda: "again") == "again"


async def test_more_calls_than_threads_wait_for_one() -> None:
    threads = WorkerThreads(2)
    names = await asyncio.gather(*(threads.run("f", threading.get_ident) for _ in range(50)))

    assert len(names) == 50
    assert len(set(names)) <= 2


async def test_a_stuck_call_is_answered_on_time_and_leaves_its_place_to_others() -> None:
    """F60: no answer came, since the clean-up waited on the same stuck pipe."""
    threads = WorkerThreads(1)
    free = threading.Event()
    started = time.perf_counter()

    with pytest.raises(AppFunctionCancelledException) as raised, deadline(0.1):
        await threads.run("stuck", lambda: wait_for(free))

    assert time.perf_counter() - started < 0.3
    assert raised.value.message == "timed out after 0.1 s (it may still be running)"
    assert threads.statistics().stuck == {"stuck": 1}
    assert await threads.run("other", lambda: "served") == "served"
    free.set()
    await becomes(lambda: not threads.statistics().stuck)


async def test_a_call_that_waits_for_the_stuck_one_gets_a_new_thread() -> None:
    threads = WorkerThreads(1)
    free, begun = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        wait_for(free)

    stuck = asyncio.create_task(threads.run("stuck", hang))
    await becomes(begun.is_set)
    waiting = asyncio.create_task(threads.run("other", lambda: "served"))
    await becomes(lambda: threads.statistics().queued == 1)
    stuck.cancel()

    assert await waiting == "served"
    free.set()
    await becomes(lambda: not threads.statistics().stuck)


async def test_a_function_with_too_many_stuck_threads_is_refused_until_one_ends() -> None:
    """F60: a stuck thread is replaced, but not without end."""
    threads = WorkerThreads(4, max_stuck=2)
    free = threading.Event()
    for _ in range(2):
        with pytest.raises(AppFunctionCancelledException), deadline(0.01):
            await threads.run("stuck", lambda: wait_for(free))
    await becomes(lambda: threads.statistics().stuck == {"stuck": 2})

    with pytest.raises(AppFunctionLimitExceededException, match="2 earlier calls"):
        await threads.run("stuck", lambda: None)
    assert await threads.run("other", lambda: "served") == "served"

    free.set()
    await becomes(lambda: not threads.statistics().stuck)
    assert await threads.run("stuck", lambda: "well again") == "well again"


async def test_a_call_that_is_cancelled_before_it_begins_never_begins() -> None:
    threads = WorkerThreads(1)
    free, begun, made = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        wait_for(free)

    holder = asyncio.create_task(threads.run("f", hold))
    await becomes(begun.is_set)
    with pytest.raises(AppFunctionCancelledException, match="has not begun"), deadline(0.01):
        await threads.run("f", made.set)
    free.set()
    await holder

    assert await threads.run("f", made.is_set) is False
    assert threads.statistics().stuck == {}


async def test_cancelling_a_plain_call_frees_its_slot_at_once() -> None:
    """F57: a slot leaked."""
    threads, slots = WorkerThreads(), Slots(1, 0)
    free, begun = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        wait_for(free)

    async def call() -> None:
        await slots.acquire()
        try:
            await threads.run("stuck", hang)
        finally:
            slots.release()

    task = asyncio.create_task(call())
    await becomes(begun.is_set)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert slots.statistics().running == 0
    free.set()
    await becomes(lambda: not threads.statistics().stuck)


async def test_a_call_that_ended_just_before_it_was_cancelled_leaves_no_stuck_thread() -> None:
    threads = WorkerThreads()
    task = asyncio.create_task(threads.run("f", lambda: 1 // 0))
    await becomes(lambda: threads.statistics().threads == 1)
    # The loop does not turn here, so the outcome cannot reach it before the cancellation.
    while not threads.statistics().idle:
        pass
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert threads.statistics().stuck == {}
    assert threads.statistics().threads == 1


async def test_where_the_system_gives_no_thread_the_call_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = WorkerThreads()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(AppFunctionLimitExceededException, match="no further thread"):
            await threads.run("f", lambda: None)

    assert await threads.run("f", lambda: "served") == "served"


@pytest.mark.parametrize(("most", "stuck"), [(0, 1), (1, 0)])
async def test_a_pool_without_threads_is_refused(most: int, stuck: int) -> None:
    with pytest.raises(ValueError, match="at least 1 is accepted"):
        WorkerThreads(most, stuck)


def test_a_stuck_thread_keeps_no_interpreter_from_ending() -> None:
    """F60, and the design: exit never waits for a thread."""
    program = textwrap.dedent("""
        import asyncio, threading
        from appfunctions_mcp.exceptions import AppFunctionCancelledException
        from appfunctions_mcp.deadlines import deadline
        from appfunctions_mcp.threads import WorkerThreads, _Job

        async def main():
            threads = WorkerThreads()
            try:
                with deadline(0.01):
                    await threads.run("stuck", threading.Event().wait)
            except AppFunctionCancelledException as expired:
                print(expired.message)

        asyncio.run(main())
    """)

    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ended.stdout == "timed out after 0.01 s (it may still be running)\n"
    assert ended.stderr == ""


def test_a_call_that_outlives_its_loop_harms_nothing() -> None:
    threads = WorkerThreads()
    free, begun = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        wait_for(free)

    async def begin() -> None:
        task = asyncio.create_task(threads.run("stuck", hang))
        await becomes(begun.is_set)
        task.cancel()

    asyncio.run(begin())
    free.set()

    async def again() -> str:
        await becomes(lambda: not threads.statistics().stuck)
        return await threads.run("f", lambda: "served")

    assert asyncio.run(again()) == "served"


def test_an_outcome_for_a_loop_that_was_closed_is_dropped() -> None:
    loop = asyncio.new_event_loop()
    job = _Job("f", lambda: "late", loop)
    loop.close()

    job.execute()()

    assert not job.result.done()
