"""Destructive calls are asked about first: one at a time, in their order."""

import asyncio
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant.dispatcher import ToolDispatcher, is_destructive
from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.metadata import AppFunctionMetadata
from tests.support.function_sources import Blocked, ScriptedSource, calls, done

pytestmark = pytest.mark.anyio

DESCRIBED: dict[str, dict[str, Any]] = {
    "read": {"read_only": True},
    "add": {"destructive": False},
    "delete": {"destructive": True},
    "unsaid": {},
}


def source() -> ScriptedSource:
    return ScriptedSource(dict.fromkeys(DESCRIBED, done), DESCRIBED)


class User:
    """A user who is asked, and what they were asked."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, call: FunctionCall, function: AppFunctionMetadata) -> bool:
        assert call.name == function.tool_name
        self.asked.append(call.id)
        await asyncio.sleep(0)
        return self.answers.pop(0)


@pytest.mark.parametrize(
    ("fields", "is_asked"),
    [
        ({}, True),
        ({"destructive": True}, True),
        ({"destructive": False}, False),
        ({"read_only": True}, False),
        ({"read_only": True, "destructive": True}, False),
        ({"read_only": False}, True),
        ({"read_only": True, "requires_confirmation": True}, True),
        ({"destructive": False, "requires_confirmation": True}, True),
    ],
    ids=str,
)
def test_what_does_no_harm_is_not_asked_about(fields: Any, is_asked: bool) -> None:
    function = AppFunctionMetadata(function_id="f", tool_name="f", **fields)
    assert is_destructive(function) is is_asked


async def test_users_are_asked_about_destructive_calls_in_their_order() -> None:
    user, functions = User(True, False, True), source()
    async with ToolDispatcher(functions) as dispatcher:
        results = await dispatcher.dispatch(
            calls("delete", "read", "unsaid", "add", "delete"), confirm=user
        )

    assert user.asked == ["c0", "c2", "c4"]
    assert [each.is_error for each in results] == [False, False, True, False, False]
    assert results[2].text == (
        "AppFunctionDeniedException: the user declined; nothing has been changed\n"
        "Recovery: Do not call again unless the user asks for it."
    )
    assert {call.id: call.is_confirmed for call in functions.calls} == {
        "c0": True,
        "c1": False,
        "c3": False,
        "c4": True,
    }


async def test_only_one_question_is_open_at_a_time() -> None:
    open_now = most = 0

    async def ask(_: FunctionCall, __: AppFunctionMetadata) -> bool:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await asyncio.sleep(0.001)
        open_now -= 1
        return True

    async with ToolDispatcher(source()) as dispatcher:
        await dispatcher.dispatch(calls(*["delete"] * 5), confirm=ask)
    assert most == 1


async def test_without_a_callback_nobody_is_asked() -> None:
    functions = source()
    async with ToolDispatcher(functions) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("delete"))
    assert not answer.is_error
    assert not functions.calls[0].is_confirmed


async def test_only_true_is_a_yes() -> None:
    async def ask(_: FunctionCall, __: AppFunctionMetadata) -> Any:
        return "yes"

    functions = source()
    async with ToolDispatcher(functions) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("delete"), confirm=ask)
    assert "the user declined" in answer.text
    assert functions.calls == []


async def test_where_the_callback_fails_the_call_does_not_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def ask(_: FunctionCall, __: AppFunctionMetadata) -> bool:
        raise EOFError("no terminal")

    functions = source()
    async with ToolDispatcher(functions) as dispatcher:
        denied, read = await dispatcher.dispatch(calls("delete", "read"), confirm=ask)

    assert denied.text.startswith(
        "AppFunctionDeniedException: the user could not be asked for a confirmation; nothing has"
    )
    assert "no terminal" not in denied.text
    assert "no terminal" in caplog.text
    assert read.text == "done"
    assert [call.id for call in functions.calls] == ["c1"]


async def test_cancel_while_the_user_is_asked_ends_the_question_and_runs_nothing() -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def ask(_: FunctionCall, __: AppFunctionMetadata) -> bool:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return True

    functions = source()
    async with ToolDispatcher(functions) as dispatcher:
        running = asyncio.create_task(dispatcher.dispatch(calls("delete", "delete"), confirm=ask))
        await asked.wait()
        dispatcher.cancel()
        results = await running
        assert ended.is_set()

        asked.clear()
        running = asyncio.create_task(dispatcher.dispatch(calls("delete"), confirm=ask))
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    assert all("(it has not begun)" in each.text for each in results)
    assert functions.calls == []


async def test_a_yes_that_comes_with_the_cancellation_runs_nothing() -> None:
    functions = source()
    dispatcher = ToolDispatcher(functions)

    async def ask(_: FunctionCall, __: AppFunctionMetadata) -> bool:
        dispatcher.cancel()
        return True

    async with dispatcher:
        (answer,) = await dispatcher.dispatch(calls("delete"), confirm=ask)
    assert answer.is_error
    assert functions.calls == []


async def test_the_time_that_a_user_takes_is_not_the_time_of_the_calls() -> None:
    async def ask(_: FunctionCall, __: AppFunctionMetadata) -> bool:
        await asyncio.sleep(0.4)
        return True

    async with ToolDispatcher(
        source(), timeout_seconds=0.3, batch_timeout_seconds=0.35
    ) as dispatcher:
        results = await dispatcher.dispatch(calls("delete", "delete"), confirm=ask)
    assert [each.text for each in results] == ["done", "done"]


async def test_a_question_waits_for_no_slot() -> None:
    blocked, user = Blocked(), User(True)
    functions = ScriptedSource(
        {"blocked": blocked, "delete": done}, {"blocked": {"read_only": True}}
    )

    async def ask(call: FunctionCall, function: AppFunctionMetadata) -> bool:
        answer = await user(call, function)
        blocked.released.set()
        return answer

    async with ToolDispatcher(functions, max_parallel=1) as dispatcher:
        results = await dispatcher.dispatch(calls("blocked", "delete"), confirm=ask)
    assert [each.text for each in results] == ["done", "done"]


deleted: list[str] = []


@app_function(requires_confirmation=True)
def delete_note(note_id: str) -> str:
    """Deletes a note.

    Args:
        note_id: The note.
    """
    deleted.append(note_id)
    return f"deleted {note_id}"


@app_function(destructive=True)
async def empty_folder(context: AppFunctionContext, folder: str) -> str:
    """Empties a folder.

    Args:
        context: The call.
        folder: The folder.
    """
    await context.confirm(f"Delete 3 notes of {folder}?")
    deleted.append(folder)
    return f"emptied {folder}"


def service() -> AppFunctionService:
    deleted.clear()
    return AppFunctionService.from_functions(
        [delete_note, empty_folder], name="notes", description="Keeps notes."
    )


def named(name: str, **arguments: Any) -> list[FunctionCall]:
    return [FunctionCall("a", name, arguments)]


async def test_a_function_that_wants_a_confirmation_has_it_by_the_users_yes() -> None:
    async with ToolDispatcher(service()) as dispatcher:
        (answer,) = await dispatcher.dispatch(
            named("delete_note", note_id="n1"), confirm=User(True)
        )
        assert answer.text == "deleted n1"
        (answer,) = await dispatcher.dispatch(
            named("delete_note", note_id="n2"), confirm=User(False)
        )
        assert "the user declined" in answer.text
    assert deleted == ["n1"]


async def test_without_a_callback_such_a_function_takes_two_calls() -> None:
    async with ToolDispatcher(service()) as dispatcher:
        (first,) = await dispatcher.dispatch(named("delete_note", note_id="n1"))
        assert first.text.startswith("AppFunctionDeniedException: confirmation needed")
        assert deleted == []
        token = first.text.partition('"confirmation": "')[2].partition('"')[0]
        (second,) = await dispatcher.dispatch(
            named("delete_note", note_id="n1", confirmation=token)
        )
    assert second.text == "deleted n1"


async def test_the_yes_to_a_call_is_none_to_what_the_running_function_asks() -> None:
    async with ToolDispatcher(service()) as dispatcher:
        (answer,) = await dispatcher.dispatch(
            named("empty_folder", folder="work"), confirm=User(True)
        )
    assert "Delete 3 notes of work?" in answer.text
    assert deleted == []


async def test_nobody_is_asked_about_arguments_that_do_not_fit() -> None:
    user = User()
    async with ToolDispatcher(service()) as dispatcher:
        missing, token = await dispatcher.dispatch(
            [
                *named("delete_note", note=7),
                FunctionCall("b", "delete_note", {"confirmation": "x", "note_id": 7}),
            ],
            confirm=user,
        )
    async with ToolDispatcher.from_sources({"my": service()}) as dispatcher:
        (prefixed,) = await dispatcher.dispatch(named("my_delete_note"), confirm=user)
    assert user.asked == []
    assert "note_id: missing" in missing.text
    assert token.text.startswith("AppFunctionInvalidArgumentException: note_id: ")
    assert "note_id: missing" in prefixed.text


async def test_an_unknown_name_is_answered_without_a_question() -> None:
    user = User()
    async with ToolDispatcher(source()) as dispatcher:
        (answer,) = await dispatcher.dispatch(calls("nope"), confirm=user)
    assert answer.is_error
    assert user.asked == []


async def test_calls_that_are_put_off_are_not_asked_about() -> None:
    user = User(True)
    async with ToolDispatcher(source(), max_calls=1) as dispatcher:
        await dispatcher.dispatch(calls("delete", "delete"), confirm=user)
    assert user.asked == ["c0"]


async def test_a_source_gets_what_the_call_says() -> None:
    functions = source()
    async with ToolDispatcher(functions) as dispatcher:
        await dispatcher.dispatch([FunctionCall("id", "read", {"a": 1})])
    (call,) = functions.calls
    assert (call.id, call.function.tool_name, call.arguments) == ("id", "read", {"a": 1})


async def test_a_result_of_a_confirmed_call_is_told_like_any_other() -> None:
    heard: list[FunctionResult] = []
    async with ToolDispatcher(source()) as dispatcher:
        results = await dispatcher.dispatch(
            calls("delete", "delete"), confirm=User(True, False), on_result=heard.append
        )
    assert sorted(heard, key=lambda each: each.call_id) == list(results)
