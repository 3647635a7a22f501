"""The loop: rounds, limits, events, cancellation, and the conversation it leaves behind."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest

from appfunctions_mcp import (
    AppFunctionElementNotFoundException,
    AppFunctionsError,
    AppFunctionService,
    AppFunctionState,
    app_function,
)
from appfunctions_mcp.assistant.assistant import Assistant
from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.assistant.events import (
    AssistantEvent,
    CallEvent,
    ResultEvent,
    StopEvent,
    StopReason,
    TextEvent,
)
from appfunctions_mcp.assistant.models import ModelRequest, ProviderError
from appfunctions_mcp.assistant.scripted import ScriptedCall, ScriptedModel
from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    ModelReply,
    ReplyStop,
    ResultsMessage,
    Text,
    Usage,
    UserMessage,
)

pytestmark = pytest.mark.anyio

TURNS: list[str] = []
BEGAN: list[asyncio.Event] = []
_DISABLED = AppFunctionState.DISABLED


@app_function(read_only=True)
def read_page(page: str) -> str:
    """Reads a page.

    Args:
        page: Its name.
    """
    if page == "none":
        raise AppFunctionElementNotFoundException("There is no such page.")
    return f"text of {page}"


@app_function(destructive=True)
def wipe(page: str) -> str:
    """Wipes a page.

    Args:
        page: Its name.
    """
    TURNS.append(page)
    return "wiped"


@app_function(read_only=True)
async def wait_for_ever() -> str:
    """Waits."""
    TURNS.append("began")
    BEGAN[-1].set()
    try:
        await asyncio.sleep(3600)
    finally:
        TURNS.append("ended")
    return ""


@pytest.fixture(autouse=True)
def _no_turns() -> None:
    TURNS.clear()
    BEGAN.append(asyncio.Event())


def service() -> AppFunctionService:
    return AppFunctionService.from_functions(
        [read_page, wipe, wait_for_ever], name="pages", description="Pages."
    )


def is_valid(conversation: Conversation) -> bool:
    """Whether every provider takes what is left, with a next question behind it."""
    copy = Conversation.from_json(conversation.to_json())
    copy.add_user("And now?")
    for name in FORMAT_NAMES:
        form = format_named(name)
        assert form.check_request(copy.render(form)) == [], name
    return True


def always(*reply: Any) -> ScriptedModel:
    """A model that replies the same to everything; without tools it answers."""

    def answer(request: ModelRequest) -> Any:
        return list(reply) if request.tools is not None else "That is all I found."

    return ScriptedModel([answer] * 50)


async def test_what_is_no_model_is_refused_at_once() -> None:
    word: Any = "anthropic:claude-sonnet-5-5"
    with pytest.raises(TypeError, match=r"the model is of the type str; make one as model_named"):
        Assistant(word, service())
    with pytest.raises(TypeError, match=r"give them as a list: \['Hello\.'\]"):
        ScriptedModel("Hello.")


async def test_a_call_is_run_and_its_result_answered_from() -> None:
    model = ScriptedModel([ScriptedCall("read_page", {"page": "p"}), "It says: text of p."])
    async with Assistant(model, service(), system="Be short.") as assistant:
        answer = await assistant.ask("What is on page p?")
    assert answer.text == "It says: text of p."
    assert (answer.stop, answer.rounds) == (StopReason.ANSWERED, 1)
    history = model.requests[1].history
    assert history.system == "Be short."
    assert isinstance(history.messages[2], ResultsMessage)
    assert history.messages[2].results[0].text == "text of p"
    assert is_valid(assistant.conversation)


async def test_the_tokens_of_all_requests_are_counted() -> None:
    call = FunctionCall("1", "read_page", {"page": "p"})
    model = ScriptedModel(
        [
            ModelReply((call,), ReplyStop.CALLS, Usage(100, 10, 50)),
            ModelReply((Text("Done."),), ReplyStop.END, Usage(120, 5, 100)),
        ]
    )
    async with Assistant(model, service()) as assistant:
        assert (await assistant.ask("?")).usage == Usage(220, 15, 150)


async def test_a_model_that_always_calls_is_asked_once_more_without_functions() -> None:
    """F81: the limit counts rounds; then one final request without tools."""
    pages = (ScriptedCall("read_page", {"page": f"p{number}"}) for number in range(100))

    def answer(request: ModelRequest) -> Any:
        return next(pages) if request.tools is not None else "That is all I found."

    model = ScriptedModel([answer] * 20)
    async with Assistant(model, service(), max_iterations=2) as assistant:
        result = await assistant.ask("Read everything.")
    assert (result.stop, result.rounds) == (StopReason.MAX_ITERATIONS, 2)
    assert result.text == "That is all I found."
    assert [request.tools is None for request in model.requests] == [False, False, True]
    assert is_valid(assistant.conversation)


@pytest.mark.parametrize("name", FORMAT_NAMES)
async def test_the_final_request_names_neither_tools_nor_a_choice_of_them(name: str) -> None:
    form = format_named(name)
    model = ScriptedModel([ScriptedCall("read_page", {"page": "p"}), "Done."], format=name)
    async with Assistant(model, service(), max_iterations=1) as assistant:
        await assistant.ask("Read.")
    final = model.requests[-1]
    body = form.request(final.history, final.tools)
    assert final.tools is None
    assert not {"tool_choice", "parallel_tool_calls", "toolConfig"} & set(body)


async def test_with_no_rounds_the_model_is_asked_once_without_functions() -> None:
    model = always("Hello.")
    async with Assistant(model, service(), max_iterations=0) as assistant:
        answer = await assistant.ask("Hello?")
    assert (answer.stop, answer.rounds) == (StopReason.ANSWERED, 0)
    assert [request.tools for request in model.requests] == [None]


async def test_calls_in_the_final_reply_are_ignored() -> None:
    call = ScriptedCall("wipe", {"page": "p"})
    model = ScriptedModel([call, ["Let me see.", call], "Yes."])
    async with Assistant(model, service(), max_iterations=1) as assistant:
        answer = await assistant.ask("Wipe it.")
        assert TURNS == ["p"]
        assert answer.text == "Let me see."
        assert is_valid(assistant.conversation)
        assert (await assistant.ask("Is it gone?")).text == "Yes."


async def test_a_final_reply_of_nothing_but_calls_is_an_empty_answer() -> None:
    call = ScriptedCall("wipe", {"page": "p"})
    model = ScriptedModel([call, call, "Yes."])
    async with Assistant(model, service(), max_iterations=1) as assistant:
        assert (await assistant.ask("Wipe it.")).text == ""
        assert is_valid(assistant.conversation)
        assert (await assistant.ask("Is it gone?")).text == "Yes."


async def test_the_same_failing_call_again_and_again_ends_the_loop() -> None:
    """F64: the third result says so; at a second limit the loop stops with a reason."""
    model = always(ScriptedCall("read_page", {"page": "none"}))
    async with Assistant(model, service()) as assistant:
        answer = await assistant.ask("Read.")
    assert (answer.stop, answer.rounds) == (StopReason.REPEATED_CALL, 5)
    assert answer.text == "That is all I found."
    results = [
        message.results[0].text
        for message in model.requests[-1].history.messages
        if isinstance(message, ResultsMessage)
    ]
    assert "3 times" in results[2]
    assert "times" not in results[1]
    assert is_valid(assistant.conversation)


async def test_a_reply_that_was_cut_or_refused_is_told_as_such() -> None:
    cut = ModelReply((Text("It"),), ReplyStop.LENGTH)
    refused = ModelReply((Text("No."),), ReplyStop.REFUSED)
    async with Assistant(ScriptedModel([cut, refused]), service()) as assistant:
        assert (await assistant.ask("?")).stop is StopReason.LENGTH
        assert (await assistant.ask("?")).stop is StopReason.REFUSED


async def test_listeners_see_texts_calls_results_and_the_stop() -> None:
    model = ScriptedModel([["I look.", ScriptedCall("read_page", {"page": "p"})], "Done."])
    seen: list[AssistantEvent] = []
    async with Assistant(model, service()) as assistant:
        remove = assistant.subscribe(seen.append)
        await assistant.ask("?")
        kinds = [type(event) for event in seen]
        assert kinds == [TextEvent, CallEvent, ResultEvent, TextEvent, StopEvent]
        remove()
        remove()
    result = seen[2]
    assert isinstance(result, ResultEvent)
    assert (result.call.name, result.result.text) == ("read_page", "text of p")


async def test_a_stream_gives_the_text_in_pieces() -> None:
    model = ScriptedModel([ScriptedCall("read_page", {"page": "p"}), "It says a few words."])
    async with Assistant(model, service()) as assistant:
        events = [event async for event in assistant.stream("?")]
    texts = [event.text for event in events if isinstance(event, TextEvent)]
    assert len(texts) > 1
    assert "".join(texts) == "It says a few words."
    last = events[-1]
    assert isinstance(last, StopEvent)
    assert last.answer.text == "It says a few words."


async def test_cancelled_in_a_call_it_stops_the_call_and_leaves_a_valid_conversation() -> None:
    model = ScriptedModel(
        [[ScriptedCall("wait_for_ever"), ScriptedCall("read_page", {"page": "p"})], "I see."]
    )
    async with Assistant(model, service()) as assistant:
        answering = asyncio.ensure_future(assistant.ask("Wait."))
        await BEGAN[-1].wait()
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering
        assert TURNS == ["began", "ended"]
        assert is_valid(assistant.conversation)
        assert (await assistant.ask("What happened?")).text == "I see."
    results = model.requests[-1].history.messages[2]
    assert isinstance(results, ResultsMessage)
    assert [each.call_id for each in results.results] == ["call_1", "call_2"]
    assert results.results[0].is_error


async def test_who_stops_listening_stops_the_calls() -> None:
    model = ScriptedModel([ScriptedCall("wait_for_ever"), "I see."])
    async with Assistant(model, service()) as assistant:
        async with aclosing(assistant.stream("Wait.")) as events:
            async for event in events:
                if isinstance(event, CallEvent):
                    break
        assert TURNS in ([], ["began", "ended"])
        assert is_valid(assistant.conversation)
        assert (await assistant.ask("What happened?")).text == "I see."


class _Failing:
    """A model that cannot be reached at some requests."""

    def __init__(self, model: ScriptedModel, fails_at: set[int]) -> None:
        self.format = model.format
        self._model = model
        self._fails_at = fails_at
        self._number = 0

    async def reply(self, request: ModelRequest) -> ModelReply:
        self._number += 1
        if self._number in self._fails_at:
            raise ProviderError("no route to the provider")
        return await self._model.reply(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        yield await self.reply(request)


async def test_a_question_that_never_reached_the_model_can_be_asked_again() -> None:
    model = ScriptedModel(["Hello."])
    async with Assistant(_Failing(model, {1}), service()) as assistant:
        with pytest.raises(ProviderError, match="no route"):
            await assistant.ask("Hello?")
        assert assistant.conversation.exchanges == ()
        await assistant.ask("Hello?")
    asked = model.requests[0].history.messages
    assert [message.text for message in asked if isinstance(message, UserMessage)] == ["Hello?"]


async def test_what_was_done_before_a_failure_is_kept() -> None:
    model = ScriptedModel([ScriptedCall("wipe", {"page": "p"}), "It is gone already."])
    async with Assistant(_Failing(model, {2}), service()) as assistant:
        with pytest.raises(ProviderError):
            await assistant.ask("Wipe p.")
        assert is_valid(assistant.conversation)
        await assistant.ask("Well?")
    assert any(isinstance(each, ResultsMessage) for each in model.requests[-1].history.messages)
    assert TURNS == ["p"]


async def test_one_question_is_answered_at_a_time() -> None:
    model = ScriptedModel([ScriptedCall("wait_for_ever"), "Done."])
    async with Assistant(model, service()) as assistant:
        answering = asyncio.ensure_future(assistant.ask("Wait."))
        await BEGAN[-1].wait()
        with pytest.raises(AppFunctionsError, match="is answering"):
            await assistant.ask("And this?")
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering


async def test_destructive_calls_are_confirmed_and_a_refusal_reaches_the_model() -> None:
    model = ScriptedModel([ScriptedCall("wipe", {"page": "p"}), "Then not."])
    asked: list[tuple[str, Any]] = []

    async def refuse(call: FunctionCall, _function: Any) -> bool:
        asked.append((call.name, call.arguments))
        return False

    async with Assistant(model, service(), confirm=refuse) as assistant:
        await assistant.ask("Wipe p.")
    assert asked == [("wipe", {"page": "p"})]
    assert TURNS == []
    results = model.requests[1].history.messages[2]
    assert isinstance(results, ResultsMessage)
    assert results.results[0].is_error
    assert "declined" in results.results[0].text


async def test_what_is_too_old_is_dropped_and_the_question_kept() -> None:
    model = always("Yes.")
    async with Assistant(model, service(), max_history_tokens=200) as assistant:
        for number in range(10):
            await assistant.ask(f"Question {number}: " + "word " * 50)
    last = model.requests[-1].history.messages
    assert len(last) < 10
    assert isinstance(last[0], UserMessage)
    assert "Question 9" in [m.text for m in last if isinstance(m, UserMessage)][-1]


async def test_a_function_that_appears_between_rounds_is_offered() -> None:
    app = service()
    model = ScriptedModel([ScriptedCall("read_page", {"page": "p"}), "Done."])
    async with Assistant(model, app) as assistant:

        def add(event: AssistantEvent) -> None:
            if isinstance(event, ResultEvent):
                app.manager.set_enabled("wipe", _DISABLED)

        assistant.subscribe(add)
        await assistant.ask("?")
    offered = [sorted(request.tools.by_name) if request.tools else [] for request in model.requests]
    assert offered == [["read_page", "wait_for_ever", "wipe"], ["read_page", "wait_for_ever"]]


async def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="max_iterations is -1"):
        Assistant(always("Yes."), service(), max_iterations=-1)
    with pytest.raises(ValueError, match="max_history_tokens is -1"):
        Assistant(always("Yes."), service(), max_history_tokens=-1)
