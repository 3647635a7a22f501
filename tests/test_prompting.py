"""The one path by which anybody lists, gets and completes prompts."""

import logging
from enum import Enum
from typing import Any, Literal

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.media import Image
from appfunctions_mcp.metadata import AppFunctionCaller, ExecutionLimits, PromptsChanged
from appfunctions_mcp.prompt_declaration import app_prompt
from appfunctions_mcp.prompt_messages import AssistantMessage, PromptMessage, UserMessage
from appfunctions_mcp.requests import AppPromptResponse, Completion, GetAppPromptRequest
from appfunctions_mcp.service import AppFunctionService
from tests.support.calls import make_service

pytestmark = pytest.mark.anyio

READER = AppFunctionCaller(name="ann", scopes=frozenset({"notes.read"}), connection="ann")
STRANGER = AppFunctionCaller(name="anonymous")


class Tone(Enum):
    """A tone."""

    KIND = "kind"
    STRICT = "strict"


@app_prompt(complete={"subject": ["tea", "Tee"]})
async def review(
    context: AppFunctionContext,
    subject: str,
    tone: Tone = Tone.KIND,
    stars: int | None = None,
    points: list[str] | None = None,
) -> list[UserMessage | AssistantMessage | str]:
    """Reviews something.

    Args:
        subject: What is reviewed.
        tone: How.
        stars: How many.
        points: What is said.
    """
    said = f"{context.caller.name}: {subject} {tone.value} {stars} {points}"
    return [said, UserMessage(Image(b"x")), AssistantMessage("So")]


@app_prompt(access="notes.read")
def secret() -> str:
    """Secret."""
    return "secret"


def service_of(*functions: Any, **options: Any) -> AppFunctionService:
    return make_service(*functions, optional_defaults="declared", **options)


async def get(
    service: AppFunctionService,
    name: str,
    arguments: dict[str, Any] | None = None,
    caller: AppFunctionCaller = READER,
) -> AppPromptResponse:
    return await service.prompts.get(GetAppPromptRequest(name, arguments or {}, caller))


async def failure_of(
    service: AppFunctionService,
    name: str,
    arguments: dict[str, Any] | None = None,
    caller: AppFunctionCaller = READER,
) -> AppFunctionException:
    with pytest.raises(AppFunctionException) as caught:
        await get(service, name, arguments, caller)
    return caught.value


async def test_a_prompt_gives_its_messages_in_order() -> None:
    response = await get(service_of(review), "review", {"subject": "tea"})

    assert response.description == "Reviews something."
    assert response.messages == (
        PromptMessage("user", "ann: tea kind None None"),
        PromptMessage("user", Image(b"x")),
        PromptMessage("assistant", "So"),
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"tone": "STRICT", "stars": "5"}, "strict 5 None"),
        ({"points": '["a", "b"]'}, "kind None ['a', 'b']"),
        ({"tone": "", "stars": "", "points": ""}, "kind None None"),
    ],
)
async def test_texts_of_a_form_become_values_of_their_types(
    arguments: dict[str, str], said: str
) -> None:
    response = await get(service_of(review), "review", {"subject": "tea", **arguments})

    assert response.messages[0].content == f"ann: tea {said}"


async def test_all_faults_of_the_arguments_are_told_at_once() -> None:
    failure = await failure_of(service_of(review), "review", {"stars": "many", "sujet": "tea"})

    assert isinstance(failure, AppFunctionInvalidArgumentException)
    assert all(name in failure.message for name in ("subject", "stars", "sujet"))


async def test_unknown_and_hidden_prompts_have_one_answer_with_the_nearest_names() -> None:
    service = service_of(review, secret)

    unknown = await failure_of(service, "reviews")
    assert isinstance(unknown, AppFunctionFunctionNotFoundException)
    assert unknown.message == "no prompt is called 'reviews'; near it: review"
    hidden = await failure_of(service, "secret", caller=STRANGER)
    gone = await failure_of(service, "secrex", caller=STRANGER)
    assert hidden.message.replace("secret", "") == gone.message.replace("secrex", "")
    assert (await get(service, "secret")).messages == (PromptMessage("user", "secret"),)


async def test_lists_hold_what_the_caller_may_get() -> None:
    service = service_of(review, secret)

    assert [m.name for m in service.prompts.listed(READER)] == ["review", "secret"]
    assert [m.name for m in service.prompts.listed(STRANGER)] == ["review"]
    assert service.has_prompts
    assert not make_service().has_prompts
    assert make_service().prompts.listed() == []


async def test_prompts_come_and_go_at_run_time_and_listeners_hear_of_it() -> None:
    service = service_of(review)
    events: list[object] = []
    service.manager.add_listener(events.append)
    before = service.prompts.revision

    added = service.prompts.add([secret])
    assert (await get(service, "secret")).messages
    with pytest.raises(AppFunctionDeclarationError, match="'review' is taken by"):
        service.prompts.add([review])
    added.unregister()
    added.unregister()

    changed = PromptsChanged(frozenset({"secret"}))
    assert events == [changed, changed]
    assert service.prompts.revision == before + 2
    assert [m.name for m in service.prompts.listed()] == ["review"]


async def test_two_prompts_of_one_name_are_refused() -> None:
    @app_prompt(name="review")
    def another() -> str:
        """Another."""
        return ""

    with pytest.raises(AppFunctionDeclarationError, match="'review' is taken by"):
        service_of(review, another)


async def test_prompts_stand_under_the_limits_of_calls() -> None:
    @app_prompt
    def large() -> list[str | UserMessage]:
        """Large."""
        return ["12345", UserMessage(Image(b"123456"))]

    service = service_of(large, secret, limits=ExecutionLimits(max_result_bytes=12))
    too_large = await failure_of(service, "large")
    assert isinstance(too_large, AppFunctionInvalidArgumentException)
    assert "13 bytes, more than the 12" in too_large.message

    service = service_of(secret, limits=ExecutionLimits(calls_per_minute=1))
    await get(service, "secret")
    assert isinstance(await failure_of(service, "secret"), AppFunctionLimitExceededException)


async def test_crashes_and_results_that_are_no_messages_are_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @app_prompt
    def crashes() -> str:
        """Crashes."""
        raise RuntimeError("secret")

    @app_prompt
    def numbers() -> Any:
        """Returns numbers."""
        return [1]

    @app_prompt
    def refuses() -> str:
        """Refuses."""
        raise AppFunctionElementNotFoundException("no note")

    service = service_of(crashes, numbers, refuses)
    with caplog.at_level(logging.INFO):
        crash = await failure_of(service, "crashes")
    assert isinstance(crash, AppFunctionAppUnknownException)
    assert "secret" not in crash.text()
    assert "kind='prompt' function_id='crashes' outcome='crash'" in caplog.messages[0]
    assert "at fault" in (await failure_of(service, "numbers")).text()
    assert (await failure_of(service, "refuses")).message == "no note"


@pytest.mark.parametrize(
    ("argument", "value", "completion"),
    [
        ("subject", "T", Completion(("tea", "Tee"), 2)),
        ("tone", "s", Completion(("strict",), 1)),
        ("stars", "1", Completion((), 0)),
    ],
)
async def test_arguments_are_completed(argument: str, value: str, completion: Completion) -> None:
    prompts = service_of(review).prompts

    assert await prompts.complete("review", argument, value) == completion


async def test_a_completion_sees_the_other_arguments_and_the_caller() -> None:
    async def cities(
        value: str, arguments: dict[str, str], context: AppFunctionContext
    ) -> list[str]:
        return [value, arguments["country"], context.caller.name]

    @app_prompt(complete={"city": cities})
    def visit(country: Literal["fr", "it"], city: str) -> str:
        """Visits."""
        return country + city

    prompts = service_of(visit).prompts
    completion = await prompts.complete("visit", "city", "ly", {"country": "fr"}, READER)

    assert completion == Completion(("ly", "fr", "ann"), 3)


async def test_completing_what_is_not_there_or_hidden_is_refused() -> None:
    prompts = service_of(review, secret).prompts

    with pytest.raises(AppFunctionInvalidArgumentException, match="has no 'ton'; near it: tone"):
        await prompts.complete("review", "ton", "")
    with pytest.raises(AppFunctionInvalidArgumentException, match="there are none"):
        await prompts.complete("secret", "x", "", None, READER)
    for name in ("secret", "gone"):
        with pytest.raises(AppFunctionFunctionNotFoundException, match="no prompt is called"):
            await prompts.complete(name, "x", "", None, STRANGER)
