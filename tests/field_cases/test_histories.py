"""Field cases about histories and replies: one broken message had every further request refused."""

import base64
import json
from typing import Any

import pytest

from appfunctions_mcp.assistant.assistant import Assistant
from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.assistant.dispatcher import ToolDispatcher
from appfunctions_mcp.assistant.events import StopReason
from appfunctions_mcp.assistant.models import ModelRequest
from appfunctions_mcp.assistant.scripted import ScriptedCall, ScriptedModel
from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    ReplyStop,
    ResultsMessage,
    Text,
    UserMessage,
)
from appfunctions_mcp.formats.model_format import ReplyError
from tests.support.calls import make_service
from tests.support.corpus import corpus
from tests.support.streamed import events_in

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
every_format = pytest.mark.parametrize("name", FORMAT_NAMES)
ran: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def read_file(path: str | None = None) -> str:
    """Reads a file."""
    ran.append(path or "none")
    return f"text of {path}"


def calls_of(*ids: str) -> ModelReply:
    calls = tuple(FunctionCall(each, "read_file", {"path": each}) for each in ids)
    return ModelReply(calls, ReplyStop.CALLS)


def results_of(*ids: str) -> ResultsMessage:
    return ResultsMessage(tuple(FunctionResult(each, "read_file", f"of {each}") for each in ids))


def said(text: str) -> UserMessage:
    return UserMessage((text,))


def answered(text: str) -> ModelReply:
    return ModelReply((Text(text),))


def rendered(name: str, conversation: Conversation) -> Json:
    """The body for a provider, which breaks none of its rules."""
    form = format_named(name)
    functions = [each.metadata for each in make_service(read_file).registry]
    body = conversation.render(form, form.export_tools(functions))
    assert form.check_request(body) == []
    return body


WINDOW = (said("a"), calls_of("a", "b"), results_of("a", "b"), answered("c"), said("d"))


@every_format
def test_a_window_is_never_cut_between_a_call_and_its_result(name: str) -> None:
    """F71 and F73: 400 from then on; the session could not recover."""
    form = format_named(name)
    for kept in range(1, len(WINDOW) + 1):
        cut = History(WINDOW[-kept:], "Be brief.")
        conversation = Conversation.from_history(cut)
        rendered(name, conversation)
        whole = Conversation.from_history(History(WINDOW, "Be brief."))
        whole.trim(max_exchanges=min(kept, 2))
        body = rendered(name, whole)
        before = whole.to_json()
        assert whole.repair() == ()
        assert not whole.trim(max_exchanges=min(kept, 2))
        assert whole.to_json() == before
        assert rendered(name, whole) == body
        first = form.read_history(body).messages[0]
        assert isinstance(first, UserMessage)


@every_format
def test_a_call_that_was_interrupted_gets_a_result_before_the_next_question(name: str) -> None:
    """F74: `[user, assistant(t1, t2), result t1]`, then a new text: 400 for the whole session."""
    broken = History((said("a"), calls_of("t1", "t2"), results_of("t1"), said("And now?")))
    conversation = Conversation.from_history(broken)
    history = format_named(name).read_history(rendered(name, conversation))
    _, _, results, question = history.messages
    assert isinstance(results, ResultsMessage)
    assert [bool(result.text) for result in results.results] == [True, True]
    assert isinstance(question, UserMessage)
    assert question.text == "And now?"


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("more", ["", "And now?"])
def test_anthropic_gets_all_results_first_in_one_message(count: int, more: str) -> None:
    """F76: one message for each result, or text before results, was 400."""
    ids = [f"t{number}" for number in range(count)]
    messages = (said("a"), calls_of(*ids), results_of(*ids))
    history = History((*messages, said(more)) if more else messages)
    body = rendered("anthropic", Conversation.from_history(history))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    content = body["messages"][2]["content"]
    assert [block["tool_use_id"] for block in content[:count]] == ids
    assert [block["type"] for block in content] == ["tool_result"] * count + ["text"] * bool(more)


def chat_reply(arguments: Any, ended_by: str = "tool_calls") -> ModelReply:
    """What a server that speaks OpenAI's format sent as the arguments of a call."""
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "read_file", "arguments": arguments},
    }
    choice = {"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": ended_by}
    return format_named("openai-chat").read_reply({"choices": [choice]})


async def answer_to(reply: ModelReply) -> tuple[StopReason, ModelRequest]:
    """How a conversation ends in which a model replies so, and its second request."""
    model = ScriptedModel([reply, "Done."])
    async with Assistant(model, make_service(read_file)) as assistant:
        answer = await assistant.ask("Read it.")
    form = format_named("openai-chat")
    body = form.request(model.requests[1].history, model.requests[1].tools)
    calls = [call for each in body["messages"] for call in each.get("tool_calls", ())]
    assert [type(json.loads(call["function"]["arguments"])) for call in calls] == [dict]
    return answer.stop, model.requests[1]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ("", "none"),
        (None, "none"),
        ('{}""', "none"),
        ('{"path": "p"}" \n', "p"),
        ({"path": "p"}, "p"),
        ('"foo"', None),
        ("[1]", None),
        ('"{\\"path\\": \\"p\\"}"', None),
        ("{'path': 'p'}", None),
    ],
)
async def test_arguments_that_are_no_object_end_no_conversation(
    arguments: Any, path: str | None
) -> None:
    """F77: JSONDecodeError or AttributeError ended the whole chat."""
    reply = chat_reply(arguments)
    async with ToolDispatcher(make_service(read_file)) as dispatcher:
        (result,) = await dispatcher.dispatch(reply.calls)
    assert result.is_error is (path is None)
    assert ran == ([] if path is None else [path])
    stop, _ = await answer_to(reply)
    assert stop is StopReason.ANSWERED


async def test_a_call_that_was_cut_is_neither_run_nor_sent_again() -> None:
    """F78: the fragment was stored, and the provider refused the history for ever."""
    stop, request = await answer_to(chat_reply('{"path": "/tmp/re', "length"))
    assert ran == []
    assert stop is StopReason.ANSWERED
    results = request.history.messages[-1]
    assert isinstance(results, ResultsMessage)
    assert results.results[0].is_error
    assert "cut off" in results.results[0].text
    assert "/tmp/re" not in json.dumps(format_named("openai-chat").request(request.history))


def signature_of(part: Json) -> bytes:
    text = str(part["thoughtSignature"]).replace("-", "+").replace("_", "/")
    return base64.b64decode(text + "=" * (-len(text) % 4))


def test_a_signature_goes_back_with_its_call_and_to_no_other_provider() -> None:
    """F80: 400 on the second step of every run."""
    recorded = json.loads(corpus("messages", "gemini.thought_signature_stream.json").read_text())
    events = events_in(recorded[0]["response"])
    reader = format_named("gemini").reply_reader()
    for event in events:
        reader.feed(event)
    conversation = Conversation()
    conversation.add_user("Where?")
    conversation.add_reply(reader.reply())
    conversation.add_results(
        [FunctionResult(call.id, call.name, "Mexico") for call in reader.reply().calls]
    )
    received = [
        part
        for event in events
        for part in event["candidates"][0]["content"]["parts"]
        if "functionCall" in part
    ]
    parts = rendered("gemini", conversation)["contents"][1]["parts"]
    (sent,) = [part for part in parts if "functionCall" in part]
    assert sent["functionCall"]["name"] == received[0]["functionCall"]["name"]
    assert sent["functionCall"]["args"] == received[0]["functionCall"]["args"]
    assert signature_of(sent) == signature_of(received[0])
    for name in FORMAT_NAMES:
        has_one = "signature" in json.dumps(rendered(name, conversation)).lower()
        assert has_one is (name == "gemini")


@every_format
def test_a_thought_before_a_call_keeps_its_place_at_its_own_provider(name: str) -> None:
    """F80."""
    thought = {"text": "Where?", "thought": True}
    call = {"functionCall": {"name": "read_file", "args": {}}, "thoughtSignature": "c2ln"}
    body = {"candidates": [{"content": {"parts": [thought, call]}, "finishReason": "STOP"}]}
    reply = format_named("gemini").read_reply(body)
    conversation = Conversation()
    conversation.add_user("Go.")
    conversation.add_reply(reply)
    conversation.add_results([FunctionResult(each.id, each.name, "x") for each in reply.calls])
    sent = rendered(name, conversation)
    if name == "gemini":
        assert sent["contents"][1]["parts"] == [thought, call]
    else:
        assert "Where?" not in json.dumps(sent)


@every_format
@pytest.mark.parametrize(("limit", "requests"), [(0, 1), (1, 2), (2, 3)])
async def test_the_last_request_has_no_tools_and_says_nothing_of_them(
    name: str, limit: int, requests: int
) -> None:
    """F81: off by one, or a `tool_choice` without tools; what was fetched was never told."""
    paths = iter(range(9))

    def always_calls(request: ModelRequest) -> Any:
        call = ScriptedCall("read_file", {"path": str(next(paths))})
        return call if request.tools else ["That is all.", call]

    model = ScriptedModel([always_calls] * 9, format=name)
    async with Assistant(model, make_service(read_file), max_iterations=limit) as assistant:
        answer = await assistant.ask("Read all.")
    assert answer.text == "That is all."
    assert len(ran) == limit
    assert [request.tools is None for request in model.requests] == [False] * limit + [True]
    assert len(model.requests) == requests
    final = format_named(name).request(model.requests[-1].history, model.requests[-1].tools)
    assert {"tools", "tool_choice", "parallel_tool_calls", "toolConfig"}.isdisjoint(final)
    assistant.conversation.add_user("And now?")
    rendered(name, assistant.conversation)


def test_a_call_is_found_behind_a_thought_and_a_text() -> None:
    """F82: "thinking…", then nothing."""
    parts = [
        {"text": "Where?", "thought": True},
        {"text": "I look."},
        {"functionCall": {"name": "read_file", "args": {"path": "p"}}},
    ]
    reply = format_named("gemini").read_reply({"candidates": [{"content": {"parts": parts}}]})
    assert [dict(call.arguments) for call in reply.calls] == [{"path": "p"}]
    assert reply.text == "I look."


@every_format
def test_a_reply_of_another_shape_is_an_error_that_names_what_is_there(name: str) -> None:
    """F82: newer models answered with `steps`, and no line said so."""
    form = format_named(name)
    with pytest.raises(ReplyError, match="it has nothing"):
        form.read_reply({})
    with pytest.raises(ReplyError, match="'steps'"):
        form.read_reply({"steps": [{"requires_action": {}}]})
