"""A function asks: its user, the model of its caller's program, its folders."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from appfunctions_mcp import context as context_module
from appfunctions_mcp.context import AppFunctionContext, MissingClientCapabilityException
from appfunctions_mcp.deadlines import expire_all
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionDeniedException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionNotSupportedException,
)
from appfunctions_mcp.metadata import (
    AppFunctionCaller,
    ExecutionLimits,
    ResourcesChanged,
    ResourceUpdated,
)
from appfunctions_mcp.questions import Question, Root, RootsRequest, SampleRequest, UserQuestion
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, SilentChannel
from appfunctions_mcp.service import AppFunctionService
from tests.support.calls import make_service
from tests.support.questions import (
    ACCEPTED,
    DECLINED,
    DISMISSED,
    AnsweringChannel,
    PatientChannel,
    accepted,
    until,
)

pytestmark = pytest.mark.anyio

ANN = AppFunctionCaller(name="ann", connection="ann")


class Name(BaseModel):
    """Somebody's name."""

    name: str
    age: int = 30


async def execute(
    service: AppFunctionService, name: str, channel: SilentChannel, **parameters: Any
) -> Any:
    request = ExecuteAppFunctionRequest(
        name, parameters, caller=ANN, channel=channel, client_capabilities={"sampling": {}}
    )
    return (await service.manager.execute(request)).value


@pytest.mark.parametrize(
    ("answer", "expected"), [(ACCEPTED, True), (DECLINED, False), (DISMISSED, False)]
)
async def test_a_user_confirms_or_does_not(answer: dict[str, Any], *, expected: bool) -> None:
    channel = AnsweringChannel(answer)
    assert await AppFunctionContext(channel=channel).confirm("Delete 3 notes?") is expected
    (asked,) = channel.asked
    assert asked == UserQuestion("Delete 3 notes?", {"type": "object", "properties": {}})


async def test_a_filled_in_form_is_an_instance_of_its_type() -> None:
    channel = AnsweringChannel(accepted(name="Ann", age="41"))
    answer = await AppFunctionContext(channel=channel).ask("Who?", Name, key="user_name")
    assert answer == Name(name="Ann", age=41)
    assert [question.key for question in channel.asked] == ["user_name"]


@pytest.mark.parametrize("answer", [DECLINED, DISMISSED])
async def test_a_form_that_nobody_fills_in_is_none(answer: dict[str, Any]) -> None:
    context = AppFunctionContext(channel=AnsweringChannel(answer))
    assert await context.ask("Who?", Name) is None


async def test_a_ready_schema_gives_a_dictionary() -> None:
    context = AppFunctionContext(channel=AnsweringChannel(accepted(n=1)))
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert await context.ask("How many?", schema) == {"n": 1}


async def test_a_wrong_answer_is_asked_again_with_what_was_wrong() -> None:
    channel = AnsweringChannel(accepted(name=5), accepted(name="Ann"))
    assert await AppFunctionContext(channel=channel).ask("Who?", Name) == Name(name="Ann")
    first, second = channel.asked
    assert isinstance(first, UserQuestion)
    assert isinstance(second, UserQuestion)
    assert first.message == "Who?"
    assert second.message == (
        "Who?\n\nThe answer did not fit: "
        "name: got a whole number, send it in quotes as text; accepted: text"
    )


async def test_a_third_wrong_answer_ends_the_question() -> None:
    context = AppFunctionContext(channel=AnsweringChannel(*[accepted()] * 3))
    with pytest.raises(AppFunctionInvalidArgumentException, match="answers do not fit: name"):
        await context.ask("Who?", Name)


async def test_a_model_writes_something() -> None:
    answer = {
        "role": "assistant",
        "content": {"type": "text", "text": "Paris"},
        "model": "m-1",
        "stopReason": "endTurn",
    }
    channel = AnsweringChannel(answer)
    sample = await AppFunctionContext(channel=channel).sample(
        "The capital of France?", max_tokens=9, system="Be brief.", hints=["m"], temperature=0
    )
    assert (sample.text, sample.model, sample.stop_reason) == ("Paris", "m-1", "endTurn")
    (asked,) = channel.asked
    assert isinstance(asked, SampleRequest)
    assert (asked.max_tokens, asked.system, asked.hints) == (9, "Be brief.", ("m",))


async def test_the_folders_of_a_client() -> None:
    channel = AnsweringChannel({"roots": [{"uri": "file:///work", "name": "Work"}]})
    assert await AppFunctionContext(channel=channel).roots() == [Root("file:///work", "Work")]
    assert channel.asked == [RootsRequest()]


@pytest.mark.parametrize("capability", ["elicitation", "sampling", "roots"])
async def test_whoever_cannot_be_asked_is_told_of_by_name(capability: str) -> None:
    asks: dict[str, Callable[[AppFunctionContext], Any]] = {
        "elicitation": lambda context: context.ask("Who?", Name),
        "sampling": lambda context: context.sample("Hello"),
        "roots": lambda context: context.roots(),
    }
    context = AppFunctionContext()
    assert not context.can_ask(capability)
    with pytest.raises(MissingClientCapabilityException, match=f"supports {capability}") as caught:
        await asks[capability](context)
    assert caught.value.capability == capability
    declared = AppFunctionContext(client_capabilities={capability: {}})
    with pytest.raises(AppFunctionNotSupportedException, match="a connection over which"):
        await asks[capability](declared)
    assert AppFunctionContext(channel=AnsweringChannel()).can_ask(capability)


async def test_a_channel_that_nobody_answers_on_says_so() -> None:
    with pytest.raises(AppFunctionNotSupportedException, match="nobody can be asked for roots"):
        await SilentChannel().ask(RootsRequest())


async def test_nothing_is_asked_after_the_call_has_ended() -> None:
    channel = AnsweringChannel(ACCEPTED)
    context = AppFunctionContext(channel=channel)
    context.end()
    with pytest.raises(AppFunctionCancelledException):
        await context.confirm("Still?")
    assert channel.asked == []


async def test_a_question_has_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "QUESTION_SECONDS", 0.01)
    channel = PatientChannel()
    with pytest.raises(AppFunctionCancelledException, match=r"nobody has answered within 0\.01 s"):
        await AppFunctionContext(channel=channel).confirm("Anybody?")
    assert channel.was_taken_back


async def test_a_time_out_of_the_channel_itself_stays_one() -> None:
    def late(_question: object) -> dict[str, Any]:
        raise TimeoutError("the wire")

    with pytest.raises(TimeoutError, match="the wire"):
        await AppFunctionContext(channel=AnsweringChannel(late)).roots()


def test_a_resource_that_changed_is_announced() -> None:
    told: list[object] = []
    context = AppFunctionContext(announce=told.append)
    context.resource_updated("notes://1")
    context.resources_changed("notes://2", "notes://3")
    AppFunctionContext().resource_updated("notes://4")
    AppFunctionContext().resources_changed()
    assert told == [
        ResourceUpdated("notes://1"),
        ResourcesChanged(frozenset({"notes://2", "notes://3"})),
    ]


@app_function
async def greet(context: AppFunctionContext) -> str:
    """Greets a user."""
    answer = await context.ask("Who?", Name)
    await asyncio.sleep(0)
    return f"Hello, {answer.name if answer else 'nobody'}"


@app_function
def greet_in_a_thread(context: AppFunctionContext) -> str:
    """Greets a user, from a plain function."""
    answer = context.wait(context.ask("Who?", Name))
    return f"Hello, {answer.name if answer else 'nobody'}"


@app_function
async def ask_forever(context: AppFunctionContext) -> str:
    """Asks, and then takes its time."""
    await context.confirm("Go on?")
    await asyncio.sleep(60)
    return "late"


SHORT = ExecutionLimits(timeout_seconds=0.05)


@pytest.mark.parametrize("name", ["greet", "greet_in_a_thread"])
async def test_the_time_that_a_user_takes_does_not_count(name: str) -> None:
    service = make_service(greet, greet_in_a_thread, limits=SHORT)
    channel = PatientChannel()
    begun = asyncio.ensure_future(execute(service, name, channel))
    await until(lambda: channel.asked)
    assert await asyncio.wait({begun}, timeout=0.2) == (set(), {begun})
    channel.answer(accepted(name="Ann"))
    assert await begun == "Hello, Ann"


async def test_the_deadline_goes_on_once_the_user_has_answered() -> None:
    service = make_service(ask_forever, limits=SHORT)
    channel = PatientChannel()
    begun = asyncio.ensure_future(execute(service, "ask_forever", channel))
    await until(lambda: channel.asked)
    assert await asyncio.wait({begun}, timeout=0.2) == (set(), {begun})
    channel.answer(ACCEPTED)
    async with asyncio.timeout(10):
        with pytest.raises(AppFunctionCancelledException, match=r"timed out after 0\.05 s"):
            await begun


@pytest.mark.parametrize("name", ["greet", "greet_in_a_thread"])
async def test_cancelling_a_call_takes_its_question_back(name: str) -> None:
    service = make_service(greet, greet_in_a_thread)
    channel = PatientChannel()
    begun = asyncio.ensure_future(execute(service, name, channel))
    await until(lambda: channel.asked)
    begun.cancel()
    await asyncio.wait({begun}, timeout=10)
    assert begun.cancelled()
    await until(lambda: channel.was_taken_back)
    await until(lambda: not service.manager.executor.runner.threads.statistics().stuck)
    assert service.manager.executor.runner.slots.statistics().running == 0


async def test_a_thread_that_waits_for_nobody_any_more_unwinds_past_except_exception() -> None:
    ended: list[BaseException] = []

    @app_function
    def stubborn(context: AppFunctionContext) -> str:
        """Swallows what it can."""
        try:
            context.wait(context.confirm("Go on?"))
        except Exception:  # noqa: BLE001 - what is tested
            return "swallowed"
        except BaseException as end:
            ended.append(end)
            raise
        return "done"

    service = make_service(stubborn)
    channel = PatientChannel()
    begun = asyncio.ensure_future(execute(service, "stubborn", channel))
    await until(lambda: channel.asked)
    begun.cancel()
    await asyncio.wait({begun}, timeout=10)
    await until(lambda: ended)
    assert isinstance(ended[0], asyncio.CancelledError)


async def test_a_wrong_form_is_the_authors_fault() -> None:
    @app_function
    async def asks_wrongly(context: AppFunctionContext) -> str:
        """Asks for what no form has."""
        return str(await context.ask("What?", dict[str, int]))

    service = make_service(asks_wrongly)
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await execute(service, "asks_wrongly", AnsweringChannel())
    assert isinstance(caught.value.__cause__, TypeError)


@app_function
async def wipe(folder: str, context: AppFunctionContext) -> str:
    """Wipes a folder once the user agrees twice."""
    if not await context.confirm(f"Wipe {folder}?"):
        return "kept"
    if not await context.confirm("Really?"):
        return "kept after all"
    return "wiped"


async def denied(service: AppFunctionService, name: str, **parameters: Any) -> Any:
    with pytest.raises(AppFunctionDeniedException, match="confirmation needed") as caught:
        await execute(service, name, SilentChannel(), **parameters)
    assert caught.value.retryable
    return caught.value


async def test_where_nobody_can_be_asked_a_confirmation_takes_two_calls() -> None:
    service = make_service(wipe)
    first = await denied(service, "wipe", folder="a")
    assert "wipe has stopped to ask the user: Wipe a?" in first.message
    assert first.extras["confirmation"] in first.text()
    second = await denied(service, "wipe", folder="a", confirmation=first.extras["confirmation"])
    assert "Really?" in second.message
    both = second.extras["confirmation"]
    assert both.count(".") == 1
    await denied(service, "wipe", folder="b", confirmation=both)
    result = await execute(service, "wipe", SilentChannel(), folder="a", confirmation=f" {both}\n")
    assert result == "wiped"
    await denied(service, "wipe", folder="a", confirmation=both)


async def test_a_token_is_for_one_question_only() -> None:
    @app_function
    async def two_doors(left: bool, context: AppFunctionContext) -> str:
        """Opens a door."""
        await context.confirm("The left one?" if left else "The right one?")
        return "open"

    service = make_service(two_doors)
    token = (await denied(service, "two_doors", left=True)).extras["confirmation"]
    await denied(service, "two_doors", left=False, confirmation=token)
    assert (
        await execute(service, "two_doors", SilentChannel(), left=True, confirmation=token)
        == "open"
    )


async def test_a_question_that_a_body_passes_over_gets_no_token_later() -> None:
    @app_function
    async def sly(context: AppFunctionContext) -> str:
        """Goes on without a yes."""
        try:
            await context.confirm("The harmless thing?")
        except AppFunctionException:
            await context.confirm("The other thing?")
        return "done"

    first = await denied(make_service(sly), "sly")
    assert "." not in first.extras["confirmation"]


@pytest.mark.parametrize("sent", ["no token", "a" * 35, 5, None, "a" * 36 + "."])
async def test_what_is_no_token_is_an_unknown_argument_as_ever(sent: object) -> None:
    with pytest.raises(AppFunctionInvalidArgumentException, match="confirmation"):
        await execute(make_service(wipe), "wipe", SilentChannel(), folder="a", confirmation=sent)


async def test_a_function_that_asks_nothing_takes_no_token() -> None:
    @app_function
    async def plain() -> str:
        """Does something."""
        return "done"

    with pytest.raises(AppFunctionInvalidArgumentException, match="confirmation"):
        await execute(make_service(plain), "plain", SilentChannel(), confirmation="a" * 36)


async def test_a_parameter_of_that_name_is_the_functions_own() -> None:
    @app_function
    async def order(confirmation: str, context: AppFunctionContext) -> str:
        """Orders something."""
        context.log("ordered")
        return confirmation

    assert await execute(make_service(order), "order", SilentChannel(), confirmation="a" * 36) == (
        "a" * 36
    )


async def test_a_published_schema_says_nothing_of_a_question_within() -> None:
    (function,) = make_service(wipe).registry
    assert set(function.metadata.input_schema["properties"]) == {"folder"}


async def test_waiting_for_a_yes_is_no_failure_that_the_loop_guard_counts() -> None:
    service = make_service(wipe)
    for _ in range(8):
        assert (await denied(service, "wipe", folder="a")).note is None


@app_function(requires_confirmation=True, title="Delete a note")
async def delete(note_id: str) -> str:
    """Deletes a note."""
    return f"deleted {note_id}"


async def test_a_function_that_needs_a_confirmation_asks_the_user_where_that_is_possible() -> None:
    service = make_service(delete)
    channel = AnsweringChannel(ACCEPTED)
    assert await execute(service, "delete", channel, note_id="n1") == "deleted n1"
    (asked,) = channel.asked
    assert isinstance(asked, UserQuestion)
    assert asked.message == 'Run Delete a note with note_id = "n1"?'


@pytest.mark.parametrize(
    ("answer", "did"), [(DECLINED, "the user declined"), (DISMISSED, "the user dismissed")]
)
async def test_a_user_who_declines_is_told_of_and_gives_no_token(
    answer: dict[str, Any], did: str
) -> None:
    service = make_service(delete)
    with pytest.raises(AppFunctionDeniedException, match=did) as caught:
        await execute(service, "delete", AnsweringChannel(answer), note_id="n1")
    assert dict(caught.value.extras) == {}
    assert not caught.value.retryable


async def test_a_user_is_asked_before_slot_and_deadline() -> None:
    service = make_service(delete, limits=ExecutionLimits(timeout_seconds=0.05))
    channel = PatientChannel()
    begun = asyncio.ensure_future(execute(service, "delete", channel, note_id="n1"))
    await until(lambda: channel.asked)
    assert service.manager.executor.runner.slots.statistics().running == 0
    assert await asyncio.wait({begun}, timeout=0.2) == (set(), {begun})
    channel.answer(ACCEPTED)
    assert await begun == "deleted n1"


@pytest.mark.parametrize("name", ["greet", "greet_in_a_thread", "delete"])
async def test_a_server_that_ends_answers_a_call_whose_user_thinks(name: str) -> None:
    service = make_service(greet, greet_in_a_thread, delete)
    channel = PatientChannel()
    given = {"note_id": "n1"} if name == "delete" else {}
    begun = asyncio.ensure_future(execute(service, name, channel, **given))
    await until(lambda: channel.asked)
    expire_all("the server is ending")
    with pytest.raises(AppFunctionCancelledException, match="the server is ending"):
        await begun
    await until(lambda: channel.was_taken_back)


async def test_arguments_are_checked_before_anybody_is_asked() -> None:
    channel = AnsweringChannel(ACCEPTED)
    with pytest.raises(AppFunctionInvalidArgumentException):
        await execute(make_service(delete), "delete", channel, note_id=5)
    assert channel.asked == []


def _refuse(question: Question) -> dict[str, Any]:
    raise MissingClientCapabilityException(question.capability)


@pytest.mark.parametrize("name", ["delete", "wipe"])
async def test_a_client_that_declares_what_it_refuses_gets_the_two_calls(name: str) -> None:
    service = make_service(delete, wipe)
    given = {"delete": {"note_id": "n1"}, "wipe": {"folder": "a"}}[name]
    with pytest.raises(AppFunctionDeniedException, match="confirmation needed") as caught:
        await execute(service, name, AnsweringChannel(_refuse), **given)
    token = caught.value.extras["confirmation"]
    channel = AnsweringChannel(_refuse, ACCEPTED)
    assert await execute(service, name, channel, **given, confirmation=token)


@pytest.mark.parametrize("name", ["greet", "greet_in_a_thread"])
async def test_a_call_whose_user_thinks_keeps_no_other_waiting(name: str) -> None:
    limits = ExecutionLimits(max_concurrent=1, timeout_seconds=5)
    service = make_service(greet, greet_in_a_thread, limits=limits)
    slots = service.manager.executor.runner.slots
    patient = PatientChannel()
    begun = asyncio.ensure_future(execute(service, name, patient))
    await until(lambda: patient.asked)
    assert slots.statistics().running == 0
    quick = AnsweringChannel(accepted(name="Bob"))
    assert await execute(service, name, quick) == "Hello, Bob"
    patient.answer(accepted(name="Ann"))
    assert await begun == "Hello, Ann"
    assert slots.statistics().running == 0


async def test_ending_a_call_takes_back_what_a_task_of_its_own_asks() -> None:
    channel = PatientChannel()
    begun: list[asyncio.Task[bool]] = []

    @app_function
    async def leave(context: AppFunctionContext) -> str:
        """Asks, and does not wait for the answer."""
        begun.append(asyncio.create_task(context.confirm("Anybody?")))
        await until(lambda: channel.asked)
        return "left"

    assert await execute(make_service(leave), "leave", channel) == "left"
    await asyncio.wait(begun, timeout=10)
    assert begun[0].cancelled()
    assert channel.was_taken_back
