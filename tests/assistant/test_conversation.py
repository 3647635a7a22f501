"""A conversation: exchanges, what may come when, and what misuse is told."""

from typing import Any

import pytest

from appfunctions_mcp.assistant.conversation import Conversation, ConversationError, Exchange, Step
from appfunctions_mcp.assistant.repairing import INTERRUPTED, NOT_AN_OBJECT
from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    ResultsMessage,
    Text,
    UserMessage,
)
from appfunctions_mcp.media import Image

PICTURE = Image(b"GIF89a", "image/gif")


def calling(*call_ids: str, name: str = "read") -> ModelReply:
    return ModelReply(tuple(FunctionCall(call_id, name) for call_id in call_ids))


def saying(text: str) -> ModelReply:
    return ModelReply((Text(text),))


def result(call_id: str, text: str = "found", name: str = "read") -> FunctionResult:
    return FunctionResult(call_id, name, text)


def asked(*call_ids: str) -> Conversation:
    """A conversation in which a model has called functions."""
    conversation = Conversation("Be short.")
    conversation.add_user("What is new?")
    conversation.add_reply(calling(*call_ids))
    return conversation


def test_tools_of_another_format_are_not_sent() -> None:
    tools = format_named("anthropic").export_tools([])
    with pytest.raises(ValueError, match="exported for anthropic, and the request is for gemini"):
        asked().render(format_named("gemini"), tools)


def test_an_exchange_is_what_the_user_said_and_all_that_was_done_about_it() -> None:
    conversation = asked("a", "b")
    conversation.add_results([result("a"), result("b")])
    conversation.add_reply(calling("c"))
    conversation.add_results([result("c")])
    conversation.add_reply(saying("Nothing."))
    conversation.add_user("And", PICTURE)
    conversation.add_user("now?")
    first, second = conversation.exchanges
    assert first == Exchange(
        (UserMessage(("What is new?",)),),
        (Step(calling("a", "b"), (result("a"), result("b"))), Step(calling("c"), (result("c"),))),
        saying("Nothing."),
    )
    assert second == Exchange((UserMessage(("And", PICTURE)), UserMessage(("now?",))))
    history = conversation.history()
    assert history.system == "Be short."
    assert [type(each) for each in history.messages] == [
        *(UserMessage, ModelReply, ResultsMessage, ModelReply, ResultsMessage, ModelReply),
        UserMessage,
    ]


def test_results_are_kept_in_the_order_of_their_calls_however_they_come() -> None:
    conversation = asked("a", "b", "c")
    conversation.add_results([result("c")])
    assert [call.id for call in conversation.open_calls] == ["a", "b"]
    conversation.add_results([result("b"), result("a")])
    assert not conversation.open_calls
    kept = conversation.exchanges[0].steps[0].results
    assert [each.call_id for each in kept] == ["a", "b", "c"]


def test_equal_ids_of_one_reply_each_have_their_result() -> None:
    conversation = asked("x", "x")
    conversation.add_results([result("x", "1")])
    assert len(conversation.open_calls) == 1
    conversation.add_results([result("x", "2")])
    last = conversation.history().messages[-1]
    assert isinstance(last, ResultsMessage)
    assert [each.text for each in last.results] == ["1", "2"]
    assert len({each.call_id for each in last.results}) == 2


@pytest.mark.parametrize(
    ("misuse", "told"),
    [
        (lambda c: c.add_user("Hello?"), "a message of the user came, and the result of call 'a'"),
        (lambda c: c.add_reply(saying("Hm.")), "a reply of the model came, and the result of call"),
        (
            lambda c: c.add_results([result("z")]),
            "for call 'z' came, and the result of call 'a' of",
        ),
        (lambda c: c.add_results([result("a"), result("a")]), "and the result of call 'a' of"),
    ],
    ids=["user", "reply", "another result", "a second result"],
)
def test_while_results_are_awaited_nothing_else_is_taken(misuse: Any, told: str) -> None:
    conversation = asked("a", "b")
    before = conversation.exchanges
    with pytest.raises(ConversationError) as raised:
        misuse(conversation)
    assert told in str(raised.value)
    assert "and of call 'b' of 'read' was awaited" in str(raised.value)
    assert conversation.exchanges == before


def test_a_reply_needs_something_to_reply_to() -> None:
    conversation = Conversation()
    with pytest.raises(ConversationError, match="and a message of the user was awaited"):
        conversation.add_reply(saying("Hello!"))
    conversation.add_user("Hello?")
    conversation.add_reply(saying("Hello!"))
    with pytest.raises(ConversationError, match="and a message of the user was awaited"):
        conversation.add_reply(saying("Anybody there?"))
    assert conversation.exchanges[0].answer == saying("Hello!")


def test_a_result_without_a_call_is_told_what_was_awaited() -> None:
    conversation = Conversation()
    with pytest.raises(ConversationError, match="'a' came, and a message of the user was awaited"):
        conversation.add_results([result("a")])
    conversation.add_user("Hello?")
    with pytest.raises(ConversationError, match="a reply of the model or a message of the user"):
        conversation.add_results([result("a")])
    conversation.add_results([])
    assert conversation.exchanges == (Exchange((UserMessage(("Hello?",)),)),)


@pytest.mark.parametrize("parts", [(), ("",), (" ", "\n")])
def test_a_message_of_the_user_says_something(parts: tuple[str, ...]) -> None:
    conversation = Conversation()
    with pytest.raises(ConversationError, match="nothing in it"):
        conversation.add_user(*parts)
    assert conversation.exchanges == ()


def test_what_is_no_part_of_a_message_is_named() -> None:
    conversation = Conversation()
    with pytest.raises(ConversationError, match="came with bytes"):
        conversation.add_user(b"GIF89a")  # type: ignore[arg-type] # what people try
    with pytest.raises(ConversationError, match="what gemini sent came with /a: set"):
        conversation.add_user(Opaque("gemini", {"a": {1}}))
    assert conversation.exchanges == ()


def test_a_reply_that_is_no_json_is_refused_as_a_whole() -> None:
    conversation = Conversation()
    conversation.add_user("Hello?")
    before = conversation.exchanges
    bad = Opaque("anthropic", {"signature": b"bytes"})
    for reply in (
        ModelReply((Text("a"), bad)),
        ModelReply((Text("a", bad),)),
        ModelReply((Text("a"),), verbatim=bad),
    ):
        with pytest.raises(ConversationError, match="/signature: bytes is no JSON value"):
            conversation.add_reply(reply)
    assert conversation.exchanges == before


def test_results_that_are_no_json_are_refused_as_a_whole() -> None:
    conversation = asked("a", "b")
    with pytest.raises(ConversationError, match="the result of 'read' for call 'b' came with /t"):
        conversation.add_results(
            [result("a"), FunctionResult("b", "read", "t", structured={"t": float("nan")})]
        )
    assert [call.id for call in conversation.open_calls] == ["a", "b"]


@pytest.mark.parametrize("arguments", [None, ["a"], "text", {"a": float("inf")}])
def test_arguments_that_are_no_object_are_never_stored(arguments: Any) -> None:
    conversation = Conversation()
    conversation.add_user("Hello?")
    kept = Opaque("openai-chat", {"function": {"arguments": "["}})
    conversation.add_reply(ModelReply((FunctionCall("a", "read", arguments, verbatim=kept),)))
    assert conversation.open_calls == (FunctionCall("a", "read", {}, NOT_AN_OBJECT),)


def test_a_fault_of_a_call_is_kept_as_it_is_and_the_fragment_is_not() -> None:
    conversation = Conversation()
    conversation.add_user("Hello?")
    cut = FunctionCall("a", "read", {}, "cut off", Opaque("openai-chat", {"arguments": "{"}))
    conversation.add_reply(ModelReply((cut,)))
    assert conversation.open_calls == (FunctionCall("a", "read", {}, "cut off"),)


def test_what_was_given_may_change_without_changing_the_conversation() -> None:
    arguments, value, structured = {"a": [1]}, {"b": [2]}, [3]
    conversation = Conversation()
    conversation.add_user("Hello?", Opaque("gemini", value))
    conversation.add_reply(
        ModelReply((Opaque("gemini", value), FunctionCall("a", "read", arguments)))
    )
    conversation.add_results([FunctionResult("a", "read", "t", structured=structured)])
    before = repr(conversation.exchanges)
    arguments["a"].append(9)
    value["b"].append(9)
    structured.append(9)
    assert repr(conversation.exchanges) == before


def test_a_crash_between_call_and_result_is_repaired_and_told() -> None:
    conversation = asked("a", "b")
    conversation.add_results([result("b")])
    sent = conversation.history().messages[-1]
    assert isinstance(sent, ResultsMessage)
    assert [each.text for each in sent.results] == [INTERRUPTED, "found"]
    assert len(conversation.open_calls) == 1, "what is sent is a copy"
    notes = conversation.repair()
    assert notes == ("call 'a' of 'read' had no result; it got one",)
    assert not conversation.open_calls
    assert conversation.repair() == ()
    conversation.add_user("Go on.")
    assert len(conversation.exchanges) == 2


def test_a_repair_of_a_whole_conversation_changes_nothing() -> None:
    conversation = asked("a")
    conversation.add_results([result("a")])
    conversation.add_reply(ModelReply((Opaque("gemini", {"thought": True}), Text("Done."))))
    before = conversation.exchanges
    assert conversation.repair() == ()
    assert conversation.exchanges is before


def test_a_question_that_got_an_empty_reply_is_asked_again_with_the_next() -> None:
    conversation = Conversation()
    conversation.add_user("Hello?")
    conversation.add_reply(ModelReply(()))
    conversation.add_user("Are you there?")
    assert conversation.history().messages == (UserMessage(("Hello?", "Are you there?")),)


def test_a_history_in_any_state_becomes_exchanges() -> None:
    history = History(
        (
            ResultsMessage((result("gone"),)),
            saying("Where were we?"),
            UserMessage(("Read.",)),
            saying("I will look."),
            calling("a"),
            UserMessage(("Well?",)),
        ),
        "Be short.",
    )
    conversation = Conversation.from_history(history)
    assert conversation.system == "Be short."
    opening, reading, last = conversation.exchanges
    assert opening.answer == saying("Where were we?")
    assert reading.steps[0].results[0].text == INTERRUPTED
    assert reading.answer is None
    assert last == Exchange((UserMessage(("Well?",)),))
    again = Conversation.from_history(conversation.history())
    assert again.exchanges == conversation.exchanges


def test_an_earlier_state_can_be_set_again() -> None:
    conversation = asked("a")
    before = conversation.exchanges
    conversation.add_results([result("a")])
    conversation.exchanges = before
    assert [call.id for call in conversation.open_calls] == ["a"]
