"""Deadlines, slots and rates."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from appfunctions_mcp.deadlines import deadline
from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.limits import RateLimit, Slots, SlotsStatistics

pytestmark = pytest.mark.anyio


async def passes_of_the_loop(condition: Callable[[], bool]) -> None:
    """Lets the loop run until a condition holds that needs no time but only turns."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0)
    pytest.fail("the loop turned a thousand times and the condition still does not hold")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.05, "timed out after 0.05 s"), (0.0, "timed out after 0 s")],
)
async def test_a_block_past_its_deadline_is_cancelled_and_says_so(
    seconds: float, text: str
) -> None:
    """F60: a tool past its time limit is answered."""
    with pytest.raises(AppFunctionCancelledException) as raised, deadline(seconds):
        await asyncio.Event().wait()

    assert raised.value.message == text


async def test_a_whole_number_of_seconds_is_printed_without_a_fraction() -> None:
    assert deadline(1.0)._expiry(None).message == "timed out after 1 s"


async def test_a_deadline_may_have_words_of_its_own() -> None:
    told = pytest.raises(AppFunctionCancelledException, match=r"^timed out after 0 s, as agreed$")
    with told, deadline(0, ", as agreed"):
        await asyncio.Event().wait()


async def test_a_block_within_its_deadline_or_without_one_ends_as_it_will() -> None:
    for seconds in (30, None):
        with deadline(seconds):
            await asyncio.sleep(0)
        with pytest.raises(KeyError), deadline(seconds):
            raise KeyError


async def test_a_cancellation_from_outside_is_no_expiry() -> None:
    """F57: what the client cancelled did not time out."""
    entered = asyncio.Event()

    async def call() -> None:
        with deadline(30):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(call())
    await entered.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_timeout_that_the_body_raised_itself_passes() -> None:
    with pytest.raises(TimeoutError, match="the database"), deadline(30):
        raise TimeoutError("the database")


@pytest.mark.parametrize("late", [None, ValueError("late")], ids=["value", "exception"])
async def test_what_a_body_does_after_its_deadline_is_dropped(late: ValueError | None) -> None:
    """F60: the late value is dropped."""

    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if late:
                raise late from None
        return "late"

    with pytest.raises(AppFunctionCancelledException, match="timed out"), deadline(0):
        await stubborn()


@asynccontextmanager
async def held(slots: Slots) -> AsyncIterator[None]:
    """Has a slot while the block runs."""
    await slots.acquire()
    try:
        yield
    finally:
        slots.release()


async def test_a_hundred_calls_with_four_slots_never_run_more_than_four_at_once() -> None:
    """F59: concurrency is bounded."""
    slots = Slots(4, 100)
    running: list[int] = []

    async def call() -> None:
        async with held(slots):
            running.append(slots.statistics().running)
            await asyncio.sleep(0)

    await asyncio.gather(*(call() for _ in range(100)))

    assert len(running) == 100
    assert max(running) == 4
    assert slots.statistics() == SlotsStatistics(0, 0, 4, 100)


async def test_calls_get_their_slots_in_the_order_they_came() -> None:
    slots = Slots(1, 10)
    order: list[int] = []

    async def call(number: int) -> None:
        async with held(slots):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(call(number) for number in range(10)))

    assert order == list(range(10))


async def test_a_full_queue_is_refused_with_the_numbers() -> None:
    slots = Slots(1, 1)
    async with held(slots):
        waiting = asyncio.create_task(_enter_and_leave(slots))
        await passes_of_the_loop(lambda: slots.statistics().waiting == 1)

        with pytest.raises(AppFunctionLimitExceededException) as raised:
            async with held(slots):
                pytest.fail("there was no slot")

    await waiting
    assert "1 are running and 1 are waiting; try again" in raised.value.message
    assert raised.value.retryable


async def test_cancelling_frees_a_slot_and_a_place_in_the_queue() -> None:
    """F57: the slot leaked."""
    slots = Slots(1, 2)
    holder = asyncio.create_task(_hold(slots))
    await passes_of_the_loop(lambda: slots.statistics().running == 1)
    waiting = [asyncio.create_task(_hold(slots)) for _ in range(2)]
    await passes_of_the_loop(lambda: slots.statistics().waiting == 2)

    waiting[0].cancel()
    await asyncio.wait([waiting[0]])
    assert slots.statistics() == SlotsStatistics(1, 1, 1, 2)

    holder.cancel()
    await asyncio.wait([holder])
    assert slots.statistics() == SlotsStatistics(1, 0, 1, 2)

    waiting[1].cancel()
    await asyncio.wait([waiting[1]])
    assert slots.statistics() == SlotsStatistics(0, 0, 1, 2)


async def test_a_slot_handed_to_a_call_that_is_cancelled_in_the_same_moment_is_not_lost() -> None:
    slots = Slots(1, 2)
    async with held(slots):
        first = asyncio.create_task(_hold(slots))
        second = asyncio.create_task(_enter_and_leave(slots))
        await passes_of_the_loop(lambda: slots.statistics().waiting == 2)
    first.cancel()

    await second
    assert slots.statistics() == SlotsStatistics(0, 0, 1, 2)


async def test_slots_that_are_released_while_a_waiter_is_being_cancelled_pass_it_over() -> None:
    slots = Slots(1, 2)
    async with held(slots):
        first = asyncio.create_task(_hold(slots))
        second = asyncio.create_task(_enter_and_leave(slots))
        await passes_of_the_loop(lambda: slots.statistics().waiting == 2)
        first.cancel()

    await second
    with pytest.raises(asyncio.CancelledError):
        await first
    assert slots.statistics() == SlotsStatistics(0, 0, 1, 2)


async def test_waiting_for_a_slot_counts_against_the_deadline_and_the_text_says_so() -> None:
    slots = Slots(1, 1)
    async with held(slots):
        with pytest.raises(AppFunctionCancelledException) as raised, deadline(0.01):
            await _hold(slots)

    assert raised.value.message == (
        "timed out after 0.01 s (it waited for other calls and has not begun)"
    )
    assert slots.statistics() == SlotsStatistics(0, 0, 1, 1)


@pytest.mark.parametrize(("running", "waiting"), [(0, 1), (1, -1)])
async def test_slots_that_let_nothing_through_are_refused(running: int, waiting: int) -> None:
    with pytest.raises(ValueError, match="at least 1 and at least 0 are accepted"):
        Slots(running, waiting)


async def _hold(slots: Slots) -> None:
    async with held(slots):
        await asyncio.Event().wait()


async def _enter_and_leave(slots: Slots) -> None:
    async with held(slots):
        pass


class Watch:
    """A clock that only moves when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_rate_is_kept_in_any_sixty_seconds_and_says_when_to_try_again() -> None:
    watch = Watch()
    rate = RateLimit(3, watch)
    rate.take("ann")
    watch.now += 20.5
    rate.take("ann")
    rate.take("ann")

    with pytest.raises(AppFunctionLimitExceededException) as raised:
        rate.take("ann")
    assert raised.value.message == "at most 3 calls a minute are accepted; try again in 40 s"

    watch.now += 39.5
    rate.take("ann")
    with pytest.raises(AppFunctionLimitExceededException, match="try again in 21 s"):
        rate.take("ann")


def test_each_caller_has_a_rate_of_its_own_and_the_unknown_share_one() -> None:
    rate = RateLimit(1, Watch())
    for caller in ("ann", "bob", None):
        rate.take(caller)

    for caller in ("ann", "bob", None):
        with pytest.raises(AppFunctionLimitExceededException):
            rate.take(caller)


def test_no_rate_is_no_limit() -> None:
    rate = RateLimit(0)

    for _ in range(1000):
        rate.take("ann")
    assert not rate._calls


def test_many_callers_cost_no_memory() -> None:
    rate = RateLimit(1, Watch())

    for number in range(10_000):
        rate.take(str(number))
    assert len(rate._calls) == 4096


def test_a_negative_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="-1; 0 or more is accepted"):
        RateLimit(-1)


async def test_a_deadline_stands_still_while_it_is_paused() -> None:
    with deadline(0.05) as limit:
        limit.pause()
        limit.pause()
        await asyncio.sleep(0.15)
        limit.resume()
        limit.resume()


async def test_a_deadline_that_goes_on_has_what_was_left() -> None:
    async def pause_twice_and_wait() -> None:
        with deadline(0.05) as limit:
            for _ in range(2):
                limit.pause()
                limit.resume()
            await asyncio.sleep(10)

    with pytest.raises(AppFunctionCancelledException, match=r"timed out after 0\.05 s"):
        await pause_twice_and_wait()


async def test_a_deadline_that_is_paused_at_its_end_does_nothing_later() -> None:
    with deadline(0.01) as limit:
        limit.pause()
    await asyncio.sleep(0.05)
    with deadline(0.01) as limit:
        limit.pause()
        limit.resume()
    await asyncio.sleep(0.05)


def test_a_block_without_a_deadline_may_be_paused() -> None:
    with deadline(None) as limit:
        limit.pause()
        limit.resume()


async def test_a_slot_that_is_set_aside_goes_to_the_next() -> None:
    slots = Slots(1, 2)
    assert slots.take()
    waiting = asyncio.ensure_future(slots.acquire())
    await asyncio.sleep(0)
    assert slots.set_aside()
    await waiting
    assert slots.statistics().running == 1
    slots.take_up()
    assert slots.statistics().running == 2
    queued = asyncio.ensure_future(slots.acquire())
    await asyncio.sleep(0)
    slots.release()
    await asyncio.sleep(0)
    assert not queued.done()
    slots.release()
    await queued
    slots.release()
    assert slots.statistics().running == 0


async def test_not_every_call_may_set_its_slot_aside() -> None:
    slots = Slots(2, 1)
    assert slots.take()
    assert slots.take()
    assert slots.set_aside()
    assert not slots.set_aside()
    slots.abandon()
    assert slots.set_aside()
