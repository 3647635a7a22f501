"""The calls of one reply: one result each, in order, whatever happens."""

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant.dispatcher import ToolDispatcher
from appfunctions_mcp.assistant.results import EMPTY_RESULT
from appfunctions_mcp.assistant.sources import SourceCall, SourceError
from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import AppFunctionElementNotFoundException
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.media import Image, ResourceLink
from appfunctions_mcp.metadata import AppFunctionMetadata, ExecutionLimits
from tests.support.function_sources import Blocked, ScriptedSource, calls, done, result

pytestmark = pytest.mark.anyio

LONG = 30.0


def add(first: int, second: int) -> int:
    """Adds two numbers.

    Args:
        first: The first number.
        second: The second number.
    """
    return first + second


def divide(dividend: int, divisor: int) -> float:
    """Divides one number by another.

    Args:
        dividend: What is divided.
        divisor: By what.

    Raises:
        AppFunctionElementNotFoundException: No such quotient; choose another divisor.
    """
    if divisor == 0:
        raise AppFunctionElementNotFoundException("there is no quotient for 0")
    return dividend / divisor


def crash() -> None:
    """Crashes."""
    raise TimeoutError


async def pause() -> str:
    """Waits for a tenth of a second."""
    await asyncio.sleep(0.1)
    return "waited"


@app_function(enabled=False)
def wipe() -> None:
    """Deletes everything."""
    raise AssertionError


def greeting() -> str:
    """Says nothing."""
    return ""


@app_function(thread="main")
def thread_name() -> str:
    """Names the thread it runs in."""
    return threading.current_thread().name


def picture() -> Image:
    """Paints."""
    return Image(b"GIF89a", "image/gif")


def note_link() -> ResourceLink:
    """Links a note."""
    return ResourceLink("file:///notes/7.md", "note 7")


def service(*functions: Any, **options: Any) -> AppFunctionService:
    return AppFunctionService.from_functions(
        functions or (add, divide, crash, pause, wipe, greeting, thread_name, picture, note_link),
        name="numbers",
        description="Computes.",
        **options,
    )


def texts(results: tuple[FunctionResult, ...]) -> list[str]:
    return [each.text for each in results]


async def test_calls_that_fail_stay_with_themselves_and_results_keep_the_order_of_calls() -> None:
    """F59."""
    asked = [
        FunctionCall("a", "add", {"first": 1, "second": 2}),
        FunctionCall("b", "divide", {"dividend": 1, "divisor": 0}),
        FunctionCall("c", "multiply", {}),
        FunctionCall("d", "pause", {}),
    ]
    async with ToolDispatcher(service()) as dispatcher:
        results = await dispatcher.dispatch(asked)

    assert [each.call_id for each in results] == ["a", "b", "c", "d"]
    assert [each.name for each in results] == ["add", "divide", "multiply", "pause"]
    assert [each.is_error for each in results] == [False, True, True, False]
    assert results[0].text == '{"result":3}'
    assert results[0].structured == {"result": 3}
    assert results[1].text == (
        "AppFunctionElementNotFoundException: there is no quotient for 0\n"
        "Recovery: No such quotient; choose another divisor."
    )
    assert results[2].text.startswith(
        "AppFunctionFunctionNotFoundException: no function is called 'multiply'"
    )
    assert results[3].text == "waited"


async def test_twenty_calls_run_in_parallel_and_keep_their_order() -> None:
    asked = [FunctionCall(str(number), "pause") for number in range(20)]
    async with ToolDispatcher(service()) as dispatcher:
        await dispatcher.dispatch(asked[:1])
        started = time.perf_counter()
        results = await dispatcher.dispatch(asked)
        seconds = time.perf_counter() - started

    assert [each.call_id for each in results] == [call.id for call in asked]
    assert set(texts(results)) == {"waited"}
    assert seconds < 0.3


async def test_no_more_calls_run_at_once_than_the_limit_allows() -> None:
    running = most = 0

    async def count(call: SourceCall) -> FunctionResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return result(call)

    async with ToolDispatcher(ScriptedSource({"count": count}), max_parallel=4) as dispatcher:
        one, other = await asyncio.gather(
            dispatcher.dispatch(calls(*["count"] * 100)),
            dispatcher.dispatch(calls(*["count"] * 20)),
        )

    assert most == 4
    assert not any(each.is_error for each in (*one, *other))
    assert (len(one), len(other)) == (100, 20)


async def test_an_unknown_name_is_answered_with_near_ones_or_with_what_there_is() -> None:
    async with ToolDispatcher(service(add, divide)) as dispatcher:
        near, far, prefixed = await dispatcher.dispatch(
            calls("ad", "send_letter", "calculator.divide")
        )

    assert "near it: add" in near.text
    assert far.text.endswith("Recovery: There are: add, divide.")
    assert "near it: divide" in prefixed.text


async def test_a_function_is_called_by_its_tool_name_alone() -> None:
    """Its id would go round the question to the user."""
    function_id = next(iter(service(add).registry)).metadata.function_id
    async with ToolDispatcher(service(add)) as dispatcher:
        (answer,) = await dispatcher.dispatch([FunctionCall("a", function_id, {})])
    assert "no function is called" in answer.text


async def test_without_functions_the_model_is_told_to_answer() -> None:
    async with ToolDispatcher(ScriptedSource({})) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("anything"))
    assert "There is no function to call now" in answer.text


async def test_many_names_are_not_all_told() -> None:
    many = ScriptedSource({f"function_{number}x": done for number in range(30)})
    async with ToolDispatcher(many) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("zzz"))
    assert answer.text.endswith("and 10 more.")


async def test_a_disabled_function_is_named_as_switched_off() -> None:
    async with ToolDispatcher(service()) as dispatcher:
        assert "wipe" not in {each.tool_name for each in await dispatcher.functions()}
        (answer,) = await dispatcher.dispatch(calls("wipe"))
    assert answer.text.startswith("AppFunctionDisabledException: wipe is switched off\nRecovery: ")


async def test_a_crash_is_told_by_its_number_alone() -> None:
    """F62 and F65."""
    async with ToolDispatcher(service()) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("crash"))
    assert answer.is_error
    assert answer.text.startswith("AppFunctionAppUnknownException: the function failed unexpected")
    assert answer.call_id == "c0"


async def test_the_crash_of_a_source_is_logged_and_told_by_its_number(
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret = "hunter" + str(2)

    async def fail(_: SourceCall) -> FunctionResult:
        raise RuntimeError(f"password={secret}")

    async def leave(_: SourceCall) -> FunctionResult:
        raise SystemExit(3)

    async def late(_: SourceCall) -> FunctionResult:
        raise TimeoutError

    source = ScriptedSource({"fail": fail, "leave": leave, "late": late, "done": done})
    with caplog.at_level(logging.ERROR):
        async with ToolDispatcher(source) as dispatcher:
            failed, left, was_late, fine = await dispatcher.dispatch(
                calls("fail", "leave", "late", "done")
            )

    assert "failed unexpectedly (error id" in failed.text
    assert secret not in failed.text
    assert "failed unexpectedly (error id" in left.text
    assert "failed unexpectedly (error id" in was_late.text
    assert fine.text == "done"
    assert "RuntimeError" in caplog.text
    assert "SystemExit" in caplog.text
    assert secret not in caplog.text


async def test_arguments_that_could_not_be_read_are_answered_and_nothing_runs() -> None:
    """F77 and F78."""
    source = ScriptedSource({"done": done})
    unreadable: Any = ["not", "an", "object"]
    asked = [
        FunctionCall("a", "done", fault="the arguments were cut off at 17 characters"),
        FunctionCall("b", "done", unreadable),
        FunctionCall("c", "nope", fault="the arguments are no JSON"),
    ]
    async with ToolDispatcher(source) as dispatcher:
        results = await dispatcher.dispatch(asked)

    assert source.calls == []
    assert all(each.is_error for each in results)
    assert results[0].text == (
        "AppFunctionInvalidArgumentException: the arguments were cut off at 17 characters\n"
        "Recovery: Call done again with one whole JSON object, which is {}."
    )
    assert "of the kind list" in results[1].text
    assert "no function is called 'nope'" in results[2].text


async def test_arguments_that_are_still_json_text_are_read() -> None:
    """A loop with messages of its own hands them on as the provider's client gives them."""
    source = ScriptedSource({"done": done})
    whole: Any = '{"note": "Мёд"}'
    cut: Any = '{"note": "Мё'
    async with ToolDispatcher(source) as dispatcher:
        read, refused = await dispatcher.dispatch(
            [FunctionCall("a", "done", whole), FunctionCall("b", "done", cut)]
        )

    assert [call.arguments for call in source.calls] == [{"note": "Мёд"}]
    assert (read.is_error, refused.is_error) == (False, True)
    assert "cut off" in refused.text


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("python -m server", "'python -m server' is no URL of an MCP server"),
        ("", "'' is no URL of an MCP server"),
        ([], "a list of one or more words"),
        ([""], "a list of one or more words"),
        ([add], "a list of one or more words"),
        (add, "functions come from no function; accepted are a service, such as load_service"),
        ({"": None}, "functions come from no dict"),
    ],
)
def test_what_has_no_functions_is_refused_at_once(source: Any, told: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refusal:
        ToolDispatcher(source)
    assert told in str(refusal.value)


async def test_how_to_call_names_the_parameters() -> None:
    async with ToolDispatcher(service(add)) as dispatcher:
        (answer,) = await dispatcher.dispatch([FunctionCall("a", "add", fault="cut")])
    assert answer.text.endswith("may have: first (required), second (required).")


async def test_a_call_without_a_sign_of_life_times_out_and_others_go_on() -> None:
    """F60."""
    blocked = Blocked()
    source = ScriptedSource({"blocked": blocked, "done": done})
    async with ToolDispatcher(source, timeout_seconds=0.05) as dispatcher:
        late, fine = await dispatcher.dispatch(calls("blocked", "done"))

    assert late.text.startswith(
        "AppFunctionCancelledException: timed out after 0.05 s (it may still be running)\nRecovery"
    )
    assert fine.text == "done"
    assert blocked.was_cancelled


async def test_progress_lets_the_time_of_a_call_begin_anew() -> None:
    """F58."""

    async def work(call: SourceCall) -> FunctionResult:
        for _ in range(12):
            await asyncio.sleep(0.05)
            call.on_progress()
        return result(call)

    async with ToolDispatcher(ScriptedSource({"work": work}), timeout_seconds=0.5) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("work"))
    assert answer.text == "done"


async def test_progress_of_a_function_in_process_lets_its_time_begin_anew() -> None:
    def work(context: AppFunctionContext) -> str:
        """Works for a while.

        Args:
            context: The call.
        """
        for step in range(12):
            time.sleep(0.05)
            context.report_progress(step)
        return "worked"

    async with ToolDispatcher(service(work), timeout_seconds=0.5) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("work"))
    assert answer.text == "worked"


async def test_a_function_that_hangs_in_a_thread_does_not_hold_the_others() -> None:
    """F60."""
    released = threading.Event()

    def hang() -> None:
        """Hangs."""
        released.wait(LONG)

    try:
        async with ToolDispatcher(service(hang, add), timeout_seconds=0.5) as dispatcher:
            started = time.perf_counter()
            hung, added = await dispatcher.dispatch(
                [FunctionCall("a", "hang"), FunctionCall("b", "add", {"first": 1, "second": 1})]
            )
            assert time.perf_counter() - started < 1.5
            assert "timed out" in hung.text
            assert added.text == '{"result":2}'
            (again,) = await dispatcher.dispatch(
                [FunctionCall("c", "add", {"first": 2, "second": 2})]
            )
            assert again.text == '{"result":4}'
    finally:
        released.set()


async def test_the_own_deadline_of_a_function_holds_too() -> None:
    limits = ExecutionLimits(timeout_seconds=0.05)

    async def wait() -> None:
        """Waits for long."""
        await asyncio.sleep(LONG)

    async with ToolDispatcher(service(wait, limits=limits)) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("wait"))
    assert "timed out after 0.05 s" in answer.text


async def test_a_body_that_does_not_end_when_cancelled_is_left_alone_and_still_owned() -> None:
    released = asyncio.Event()
    ended = asyncio.Event()

    async def stubborn(call: SourceCall) -> FunctionResult:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        ended.set()
        return result(call)

    async with ToolDispatcher(
        ScriptedSource({"stubborn": stubborn}), timeout_seconds=0.05
    ) as dispatcher:
        started = time.perf_counter()
        (answer,) = await dispatcher.dispatch(calls("stubborn"))
        assert time.perf_counter() - started < 2
        assert "timed out" in answer.text
        released.set()
    assert ended.is_set()


async def test_all_calls_of_a_reply_share_a_deadline() -> None:
    blocked = Blocked()
    source = ScriptedSource({"blocked": blocked, "done": done})
    async with ToolDispatcher(source, max_parallel=1, batch_timeout_seconds=0.3) as dispatcher:
        first, begun, waiting = await dispatcher.dispatch(calls("done", "blocked", "done"))

    assert first.text == "done"
    assert begun.text.startswith(
        "AppFunctionCancelledException: the calls of one reply may take 0.3 s together, "
        "which have passed (it had begun, and may have taken effect)\nRecovery: Ask for fewer"
    )
    assert "(it has not begun)" in waiting.text
    assert blocked.was_cancelled


async def test_cancelling_the_dispatch_cancels_all_calls_and_waits_for_them() -> None:
    """F59."""
    ended: list[str] = []
    blocked = Blocked()

    async def slow_to_end(call: SourceCall) -> FunctionResult:
        try:
            return await blocked(call)
        finally:
            await asyncio.sleep(0)
            ended.append(call.id)

    async with ToolDispatcher(ScriptedSource({"wait": slow_to_end})) as dispatcher:
        before = asyncio.all_tasks()
        running = asyncio.create_task(dispatcher.dispatch(calls(*["wait"] * 3)))
        await blocked.begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert sorted(ended) == ["c0", "c1", "c2"]
        assert asyncio.all_tasks() == before


async def test_cancelling_twice_still_waits_for_the_calls() -> None:
    blocked = Blocked()
    ended = asyncio.Event()

    async def slow_to_end(call: SourceCall) -> FunctionResult:
        try:
            return await blocked(call)
        finally:
            await asyncio.sleep(0.05)
            ended.set()

    async with ToolDispatcher(ScriptedSource({"wait": slow_to_end})) as dispatcher:
        running = asyncio.create_task(dispatcher.dispatch(calls("wait")))
        await blocked.begun.wait()
        running.cancel()
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert ended.is_set()


async def test_cancelling_at_once_lets_nothing_begin() -> None:
    source = ScriptedSource({"done": done})
    async with ToolDispatcher(source) as dispatcher:
        running = asyncio.create_task(dispatcher.dispatch(calls("done", "done")))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert source.calls == []


async def test_cancel_lets_dispatch_return_results_that_say_so() -> None:
    blocked = Blocked()
    source = ScriptedSource({"blocked": blocked, "done": done})
    async with ToolDispatcher(source, max_parallel=2) as dispatcher:
        asked = calls("done", "blocked", "blocked", "done")
        running = asyncio.create_task(dispatcher.dispatch(asked))
        await blocked.begun.wait()
        dispatcher.cancel()
        results = await running

    assert [each.call_id for each in results] == ["c0", "c1", "c2", "c3"]
    assert results[0].text == "done"
    assert results[1].text == (
        "AppFunctionCancelledException: the user cancelled the call "
        "(it had begun, and may have taken effect)\n"
        "Recovery: Do not call again unless the user asks for it. "
        "Find out whether it took effect before you call it again."
    )
    assert "the user cancelled the call" in results[2].text
    assert blocked.was_cancelled


async def test_cancel_before_the_first_step_of_a_call_gives_its_result_too() -> None:
    heard: list[str] = []
    source = ScriptedSource({"first": done})
    dispatcher = ToolDispatcher(source)

    async def cancel_soon(call: SourceCall) -> FunctionResult:
        dispatcher.cancel("it was enough")
        return result(call)

    source.bodies["cancel"] = cancel_soon
    async with dispatcher:
        results = await dispatcher.dispatch(
            calls("cancel", *["first"] * 3), on_result=lambda each: heard.append(each.call_id)
        )
    assert len(results) == 4
    assert sorted(heard) == ["c0", "c1", "c2", "c3"]


async def test_closing_the_dispatcher_ends_what_runs() -> None:
    blocked = Blocked()
    source = ScriptedSource({"blocked": blocked})
    async with ToolDispatcher(source) as dispatcher:
        running = asyncio.create_task(dispatcher.dispatch(calls("blocked")))
        await blocked.begun.wait()
    assert blocked.was_cancelled
    assert not source.is_open
    (answer,) = await running
    assert "the program has ended the conversation" in answer.text


async def test_the_same_id_twice_gives_two_results() -> None:
    """Some servers take a function's name for the id of every call."""
    asked = [FunctionCall("add", "add", {"first": n, "second": n}) for n in (1, 2)]
    async with ToolDispatcher(service()) as dispatcher:
        results = await dispatcher.dispatch(asked)
    assert texts(results) == ['{"result":2}', '{"result":4}']
    assert [each.call_id for each in results] == ["add", "add"]


async def test_calls_behind_the_limit_of_one_reply_are_put_off() -> None:
    source = ScriptedSource({"done": done})
    async with ToolDispatcher(source, max_calls=2) as dispatcher:
        results = await dispatcher.dispatch(calls("done", "done", "done"))
    assert len(source.calls) == 2
    assert results[2].text == (
        "AppFunctionLimitExceededException: of one reply 2 calls are run, and this one is behind "
        "them\nRecovery: Call it in the next reply, where it is still needed."
    )


async def test_no_calls_give_no_results() -> None:
    async with ToolDispatcher(ScriptedSource({})) as dispatcher:
        assert await dispatcher.dispatch([]) == ()


async def test_a_result_is_of_its_call_json_and_never_without_a_text() -> None:
    """F65."""

    def giving(*fields: Any, **named: Any) -> Any:
        async def body(_: SourceCall) -> Any:
            return FunctionResult(*fields, **named) if fields else "no result"

        return body

    circle: list[Any] = []
    circle.append(circle)
    source = ScriptedSource(
        {
            "other": giving("other id", "other name", "text"),
            "silent": giving("", "", "  ", is_error=True),
            "empty": giving("", "", ""),
            "object": giving("", "", "text", structured={"a": object()}),
            "circle": giving("", "", "text", structured=circle),
            "nan": giving("", "", "text", structured=float("nan")),
            "nothing": giving(),
        }
    )
    async with ToolDispatcher(source) as dispatcher:
        results = await dispatcher.dispatch(calls(*source.bodies))

    assert [each.call_id for each in results] == [f"c{n}" for n in range(7)]
    assert [each.name for each in results] == list(source.bodies)
    assert texts(results)[:3] == ["text", "AppFunctionUnknownException", EMPTY_RESULT]
    assert all("its result is no JSON" in text for text in texts(results)[3:6])
    assert "gave no result but a str" in results[6].text
    assert [each.is_error for each in results] == [False, True, False, True, True, True, True]


async def test_what_functions_return_is_text_structure_and_media() -> None:
    async with ToolDispatcher(service()) as dispatcher:
        empty, thread, painted, linked = await dispatcher.dispatch(
            calls("greeting", "thread_name", "picture", "note_link")
        )
    assert empty.text == EMPTY_RESULT
    assert thread.text == threading.current_thread().name
    assert painted.media == (Image(b"GIF89a", "image/gif"),)
    assert painted.text == "[picture: image/gif, 6 bytes]"
    assert linked.text == "[note 7: file:///notes/7.md]"


async def test_a_listener_hears_each_result_once_and_cannot_break_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[str] = []

    def listen(each: FunctionResult) -> None:
        heard.append(each.call_id)
        raise RuntimeError("the listener is broken")

    async with ToolDispatcher(ScriptedSource({"done": done})) as dispatcher:
        results = await dispatcher.dispatch(calls("done", "nope"), on_result=listen)
    assert sorted(heard) == ["c0", "c1"]
    assert len(results) == 2
    assert "the listener is broken" in caplog.text


async def test_a_dispatcher_that_is_not_open_opens_for_one_use() -> None:
    source = ScriptedSource({"done": done})
    dispatcher = ToolDispatcher(source)
    assert [each.tool_name for each in await dispatcher.functions()] == ["done"]
    assert texts(await dispatcher.dispatch(calls("done"))) == ["done"]
    assert not source.is_open


async def test_entered_twice_it_is_open_until_it_is_left_twice() -> None:
    source = ScriptedSource({"done": done})
    async with ToolDispatcher(source) as dispatcher:
        async with dispatcher:
            assert source.is_open
        assert source.is_open
    assert not source.is_open


def test_it_may_be_used_on_one_event_loop_after_another() -> None:
    dispatcher = ToolDispatcher(ScriptedSource({"done": done}), max_parallel=1)
    for _ in range(2):
        results = asyncio.run(dispatcher.dispatch(calls(*["done"] * 5)))
        assert texts(results) == ["done"] * 5


class Broken:
    """A source that cannot be opened, or listed."""

    def __init__(self, fault: Exception, *, opens: bool = False) -> None:
        self.fault = fault
        self._opens = opens

    async def __aenter__(self) -> Self:
        if not self._opens:
            raise self.fault
        return self

    async def __aexit__(self, *raised: object) -> None:
        raise self.fault

    async def functions(self) -> list[AppFunctionMetadata]:
        raise self.fault

    async def execute(self, _: SourceCall, /) -> FunctionResult:
        raise AssertionError


@pytest.mark.parametrize("opens", [False, True], ids=["not opened", "not listed"])
async def test_where_the_source_fails_each_call_says_so(
    opens: bool, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []
    for fault, told in [(SourceError("it is down"), "it is down"), (KeyError("x"), "error id")]:
        dispatcher = ToolDispatcher(Broken(fault, opens=opens))
        results = await dispatcher.dispatch(
            calls("one", "two"), on_result=lambda each: heard.append(each.call_id)
        )
        assert [each.call_id for each in results] == ["c0", "c1"]
        for each in results:
            assert each.text.startswith("AppFunctionSystemUnknownException: ")
            assert told in each.text
    assert heard == ["c0", "c1"] * 2
    assert "KeyError" in caplog.text


async def test_functions_that_are_never_listed_hold_nobody() -> None:
    class Silent(ScriptedSource):
        async def functions(self) -> Any:
            await asyncio.Event().wait()

    async with ToolDispatcher(Silent({}), timeout_seconds=0.05) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("done"))
        assert "could not be listed within 0.05 s" in answer.text
        with pytest.raises(SourceError, match="within"):
            await dispatcher.functions()


async def test_cancel_ends_a_listing_that_takes_long() -> None:
    listing = asyncio.Event()

    class Silent(ScriptedSource):
        async def functions(self) -> Any:
            listing.set()
            await asyncio.Event().wait()

    async with ToolDispatcher(Silent({})) as dispatcher:
        running = asyncio.create_task(dispatcher.dispatch(calls("done")))
        await listing.wait()
        dispatcher.cancel()
        (answer,) = await running
    assert "the user cancelled the call (it has not begun)" in answer.text


async def test_uses_of_a_dispatcher_that_is_not_open_do_not_end_each_other() -> None:
    blocked = Blocked()
    source = ScriptedSource({"blocked": blocked, "done": done})
    dispatcher = ToolDispatcher(source)
    long = asyncio.create_task(dispatcher.dispatch(calls("blocked")))
    await blocked.begun.wait()
    assert texts(await dispatcher.dispatch(calls("done"))) == ["done"]
    short = asyncio.create_task(dispatcher.functions())
    assert len(await short) == 2
    assert source.is_open
    blocked.released.set()
    assert texts(await long) == ["done"]
    assert not source.is_open


async def test_who_opened_it_for_one_use_waits_for_other_uses() -> None:
    first, second = Blocked(), Blocked()
    source = ScriptedSource({"first": first, "second": second})
    dispatcher = ToolDispatcher(source)
    opener = asyncio.create_task(dispatcher.dispatch(calls("first")))
    await first.begun.wait()
    other = asyncio.create_task(dispatcher.dispatch(calls("second")))
    await second.begun.wait()
    first.released.set()
    await asyncio.wait([opener], timeout=0.05)
    assert source.is_open
    second.released.set()
    assert texts(await other) == ["done"]
    assert texts(await opener) == ["done"]
    assert not source.is_open


@pytest.mark.parametrize(
    "limits",
    [
        {"max_parallel": 0},
        {"max_calls": 0},
        {"timeout_seconds": 0},
        {"batch_timeout_seconds": -1},
    ],
    ids=str,
)
def test_limits_are_checked(limits: Any) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(limits))} is .*; accepted is"):
        ToolDispatcher(ScriptedSource({}), **limits)


ENDS = ["ok", "raises", "crashes", "hangs", "cancelled", "no json", "unknown", "fault", "slow"]


def bodies() -> dict[str, Any]:
    async def raises(_: SourceCall) -> FunctionResult:
        raise AppFunctionElementNotFoundException("gone")

    async def crashes(_: SourceCall) -> FunctionResult:
        raise ZeroDivisionError

    async def hangs(_: SourceCall) -> FunctionResult:
        await asyncio.Event().wait()
        raise AssertionError

    async def cancelled(_: SourceCall) -> FunctionResult:
        raise asyncio.CancelledError

    async def no_json(call: SourceCall) -> FunctionResult:
        return result(call, structured=object())

    async def slow(call: SourceCall) -> FunctionResult:
        await asyncio.sleep(0.001)
        return result(call)

    return {
        "ok": done,
        "raises": raises,
        "crashes": crashes,
        "hangs": hangs,
        "cancelled": cancelled,
        "no json": no_json,
        "fault": done,
        "slow": slow,
    }


@pytest.fixture
def _quiet() -> Iterator[None]:
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("_quiet")
@given(
    ends=st.lists(st.sampled_from(ENDS), max_size=12),
    parallel=st.integers(1, 5),
    cancel_after=st.none() | st.integers(0, 6),
)
def test_whatever_calls_end_in_there_is_one_result_for_each(
    ends: list[str], parallel: int, cancel_after: int | None
) -> None:
    async def run() -> tuple[FunctionResult, ...]:
        dispatcher = ToolDispatcher(
            ScriptedSource(bodies()),
            max_parallel=parallel,
            timeout_seconds=0.02,
            batch_timeout_seconds=0.1,
        )
        asked = [
            FunctionCall(str(place), end, fault="unreadable" if end == "fault" else "")
            for place, end in enumerate(ends)
        ]
        async with dispatcher:
            running = asyncio.ensure_future(dispatcher.dispatch(asked))
            if cancel_after is not None:
                for _ in range(cancel_after):
                    await asyncio.sleep(0)
                dispatcher.cancel()
            results = await running
            assert asyncio.all_tasks() == {asyncio.current_task()}
        return results

    results = asyncio.run(run())
    assert [each.call_id for each in results] == [str(place) for place in range(len(ends))]
    assert [each.name for each in results] == ends
    for end, each in zip(ends, results, strict=True):
        assert each.text
        if cancel_after is None and end not in {"ok", "slow"}:
            assert each.is_error, end
