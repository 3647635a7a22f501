"""Repairing: whatever state a history is in, what is sent keeps the rules that providers share."""

import copy
import itertools
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings

from appfunctions_mcp.assistant.json_values import NotJsonError, copied, mentions, sendable
from appfunctions_mcp.assistant.repairing import (
    INTERRUPTED,
    NOT_AN_OBJECT,
    interrupted_result,
    repair_of,
    repaired,
)
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    Opaque,
    ResultsMessage,
    Text,
    Usage,
    UserMessage,
)
from tests.support.histories import histories, whole_histories

THOUGHT = Opaque("anthropic", {"type": "thinking", "thinking": "hm", "signature": "c2ln"})


def user(text: str) -> UserMessage:
    return UserMessage((text,))


def reply(*parts: Any) -> ModelReply:
    return ModelReply(tuple(Text(part) if isinstance(part, str) else part for part in parts))


def call(call_id: str, name: str = "read", **arguments: Any) -> FunctionCall:
    return FunctionCall(call_id, name, arguments)


def result(call_id: str, name: str = "read", text: str = "found") -> FunctionResult:
    return FunctionResult(call_id, name, text)


def results(*call_ids: str) -> ResultsMessage:
    return ResultsMessage(tuple(map(result, call_ids)))


def mended(*messages: Message) -> tuple[Message, ...]:
    return repaired(History(messages)).messages


def ids_of(message: Message) -> list[str]:
    assert isinstance(message, ResultsMessage)
    return [each.call_id for each in message.results]


def broken_rules(history: History) -> list[str]:
    """Which of the rules that all providers share a history breaks."""
    rules = []
    messages = [None, *history.messages, None]
    ids = [each.id for m in history.messages if isinstance(m, ModelReply) for each in m.calls]
    if len(set(ids)) < len(ids) or "" in ids:
        rules.append("distinct ids")
    if history.messages and not isinstance(history.messages[0], UserMessage):
        rules.append("a user first")
    for message, following in itertools.pairwise(messages):
        if isinstance(message, ModelReply) and message.calls:
            asked = [(each.id, each.name) for each in message.calls]
            given = following.results if isinstance(following, ResultsMessage) else ()
            if asked != [(each.call_id, each.name) for each in given]:
                rules.append("a result for each call")
            if not all(isinstance(each.arguments, dict) for each in message.calls):
                rules.append("arguments are objects")
        elif isinstance(following, ResultsMessage):
            rules.append("no result without a call")
        elif message is not None and type(message) is type(following):
            rules.append("nobody twice in a row")
        if isinstance(message, (ModelReply, UserMessage)) and not message.parts:
            rules.append("nothing empty")
    json.dumps([each.arguments for m in messages if isinstance(m, ModelReply) for each in m.calls])
    return rules


@given(histories())
@settings(max_examples=300, deadline=None)
def test_a_history_in_any_state_keeps_the_shared_rules_once_repaired(history: History) -> None:
    before = copy.deepcopy(history)
    whole = repaired(history)
    assert broken_rules(whole) == []
    assert repair_of(whole).history == whole, "a second repair changes nothing"
    assert repair_of(whole).notes == ()
    # nan differs from itself, so that the texts are compared.
    assert repr(history) == repr(before), "what was given stays as it was"


@given(whole_histories("anthropic"))
@settings(max_examples=50, deadline=None)
def test_a_history_in_order_stays_as_it_is(history: History) -> None:
    repair = repair_of(history)
    assert repair.history == history
    assert repair.notes == ()


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    """F74: `[user, assistant(t1, t2), result t1]`, then a new text of the user."""
    messages = mended(user("a"), reply(call("t1"), call("t2")), results("t1"), user("b"))
    assert messages[2] == ResultsMessage(
        (result("t1"), FunctionResult("t2", "read", INTERRUPTED, is_error=True))
    )
    assert messages[3] == user("b")


def test_a_call_at_the_end_gets_a_result_too() -> None:
    assert ids_of(mended(user("a"), reply(call("t1")))[-1]) == ["t1"]


def test_the_missing_result_of_a_faulty_call_tells_the_fault() -> None:
    faulty = FunctionCall("t1", "read", {}, "The arguments were cut off.")
    assert interrupted_result(faulty).text == "The arguments were cut off."


def test_results_stand_right_behind_their_call_in_its_order_and_in_one_message() -> None:
    """F76: one message for each result, and text before them."""
    asked = reply(call("t1"), call("t2"), call("t3"))
    messages = mended(
        user("a"), asked, user("wait"), results("t3"), results("t1"), user("b"), results("t2")
    )
    assert messages == (
        user("a"),
        asked,
        results("t1", "t2", "t3"),
        UserMessage(("wait", "b")),
    )


def test_calls_of_several_replies_in_a_row_get_their_results_apart() -> None:
    messages = mended(user("a"), reply(call("t1")), reply(call("t2")), results("t1", "t2"))
    first, second = reply(call("t1")), reply(call("t2"))
    assert messages == (user("a"), first, results("t1"), second, results("t2"))


@pytest.mark.parametrize(
    "messages",
    [
        [results("t1"), user("a")],
        [user("a"), results("t1")],
        [results("t1"), user("a"), reply("Done."), results("t2")],
    ],
    ids=["cut before", "without a call", "both ends"],
)
def test_a_result_without_a_call_is_dropped(messages: list[Message]) -> None:
    repair = repair_of(History(tuple(messages)))
    assert not any(isinstance(each, ResultsMessage) for each in repair.history.messages)
    assert "'t1' has no call before it; it was dropped" in repair.notes[0]


def test_a_result_is_never_given_to_a_later_call_of_the_same_id() -> None:
    """Some providers count their ids anew in every reply, so an old result may look like one."""
    messages = mended(results("call_1"), user("a"), reply(call("call_1")))
    last = messages[-1]
    assert isinstance(last, ResultsMessage)
    assert last.results[0].text == INTERRUPTED


def test_a_second_result_of_one_call_is_dropped() -> None:
    twice = ResultsMessage((result("t1"), result("t1", text="again")))
    assert mended(user("a"), reply(call("t1")), twice)[2] == results("t1")


def test_ids_that_occur_again_are_made_distinct_with_their_results() -> None:
    turn = (reply(call("call_1", page=1)), results("call_1"))
    messages = mended(user("a"), *turn, *turn)
    second, answered = messages[3], messages[4]
    assert isinstance(second, ModelReply)
    assert messages[1:3] == turn
    assert second.calls[0].id.startswith("call_")
    assert second.calls[0].id != "call_1"
    assert ids_of(answered) == [second.calls[0].id]


def test_equal_ids_in_one_reply_are_told_apart_by_name_and_then_by_order() -> None:
    asked = reply(call("", "read", page=1), call("", "write"), call("", "read", page=2))
    given = ResultsMessage(
        (result("", "write", "w"), result("", "read", "r1"), result("", "read", "r2"))
    )
    last = mended(user("a"), asked, given)[-1]
    assert isinstance(last, ResultsMessage)
    assert [each.text for each in last.results] == ["r1", "w", "r2"]
    assert len(set(ids_of(last))) == 3


def test_what_was_kept_of_a_renamed_call_goes_only_where_it_holds_the_old_id() -> None:
    with_id = Opaque("gemini", {"functionCall": {"id": "c", "name": "read"}, "thoughtSignature": 1})
    without = Opaque("gemini", {"functionCall": {"name": "read"}, "thoughtSignature": "c2ln"})
    calls = [FunctionCall("c", "read", {}, verbatim=each) for each in (with_id, with_id, without)]
    asked = mended(user("a"), reply(*calls))[1]
    assert isinstance(asked, ModelReply)
    assert [each.verbatim for each in asked.calls] == [with_id, None, without]


@pytest.mark.parametrize("arguments", [None, [], "", "text", 7, {1: 2}, {"a": float("inf")}])
def test_arguments_that_are_no_object_become_empty_and_the_call_says_so(arguments: Any) -> None:
    """F77; a number that overflowed cannot be written as JSON either."""
    kept = Opaque("openai-chat", {"id": "t1", "function": {"arguments": "["}})
    asked = mended(user("a"), reply(FunctionCall("t1", "read", arguments, verbatim=kept)))
    assert isinstance(asked[1], ModelReply)
    assert asked[1].calls[0] == FunctionCall("t1", "read", {}, NOT_AN_OBJECT)
    assert isinstance(asked[2], ResultsMessage)
    assert asked[2].results[0].text == NOT_AN_OBJECT


def test_what_was_kept_of_a_faulty_call_is_not_sent_again() -> None:
    """F78: a fragment that is sent again is refused for ever."""
    cut = FunctionCall("t1", "read", {}, "cut", Opaque("openai-chat", {"arguments": '{"a'}))
    asked = mended(user("a"), reply(cut))[1]
    assert isinstance(asked, ModelReply)
    assert asked.calls[0].verbatim is None


def test_neighbours_of_one_role_become_one_message() -> None:
    first = ModelReply((Text("x"),), usage=Usage(1, 1), verbatim=THOUGHT)
    second = ModelReply((call("t1"),), usage=Usage(2, 2), model="m")
    messages = mended(user("a"), user("b"), first, second, results("t1"))
    merged = ModelReply((Text("x"), call("t1")), usage=Usage(3, 3), model="m", verbatim=THOUGHT)
    assert messages == (UserMessage(("a", "b")), merged, results("t1"))


@pytest.mark.parametrize("empty", [reply(), reply(""), reply(" \n")])
def test_an_empty_reply_is_dropped(empty: ModelReply) -> None:
    assert mended(user("a"), empty, user("b")) == (UserMessage(("a", "b")),)


def test_empty_texts_are_dropped_but_not_what_a_provider_hangs_on_one() -> None:
    signed = Text("", Opaque("gemini", {"text": "", "thoughtSignature": "c2ln"}))
    messages = (user("a"), reply("", signed, call("t1")), results("t1"))
    assert mended(*messages)[1] == reply(signed, call("t1"))
    elsewhere = repaired(History(messages), format="anthropic").messages[1]
    assert elsewhere == reply(call("t1"))


def test_a_user_speaks_first() -> None:
    messages = mended(reply("Hello, what can I do?"), user("a"))
    assert isinstance(messages[0], UserMessage)
    assert messages[0].text
    assert messages[1:] == (reply("Hello, what can I do?"), user("a"))


def test_what_one_provider_understands_is_sent_to_it_alone() -> None:
    """F80: kept in its place for its own provider, no trace of it elsewhere."""
    asked = FunctionCall("t1", "read", {}, verbatim=THOUGHT)
    history = History((user("a"), reply(THOUGHT, asked), results("t1"), reply(THOUGHT), user("b")))
    assert repaired(history, format="anthropic").messages == repaired(history).messages
    assert repaired(history).messages == history.messages
    elsewhere = repaired(history, format="gemini").messages
    assert elsewhere == (user("a"), reply(call("t1")), results("t1"), user("b"))
    assert history.messages[1] == reply(THOUGHT, asked)


def test_a_result_gets_the_name_of_its_call_and_an_error_says_something() -> None:
    silent = FunctionResult("t1", "other", " ", is_error=True, structured=float("nan"))
    last = mended(user("a"), reply(call("t1")), ResultsMessage((silent,)))[-1]
    assert isinstance(last, ResultsMessage)
    only = last.results[0]
    assert (only.name, only.structured) == ("read", None)
    assert only.text.strip()


def test_a_call_without_a_name_gets_one_and_is_not_sent_as_it_came() -> None:
    asked = mended(user("a"), reply(FunctionCall("t1", "", {}, verbatim=THOUGHT)))[1]
    assert isinstance(asked, ModelReply)
    assert asked.calls[0].name
    assert asked.calls[0].verbatim is None


def test_half_a_surrogate_never_leaves() -> None:
    half = "\ud83d"
    kept = Opaque("gemini", {"text": half})
    history = History(
        (
            user(half),
            reply(half, kept, call("t1", title=half)),
            ResultsMessage((result("t1", text=half),)),
        ),
        half,
    )
    repr(repaired(history)).encode()
    assert half not in str(repaired(history).messages)
    assert repaired(history).system == "\ufffd"


def test_what_no_text_of_json_holds_is_left_out() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for value in (deep, {"a": float("nan")}, {"a": b""}):
        history = History((UserMessage(("a", Opaque("gemini", value))),))
        assert repaired(history).messages == (user("a"),)


def test_a_long_history_without_any_order_is_repaired_in_a_moment() -> None:
    asked, answered = reply(call(""), call("x")), results("x", "x", "y")
    history = History((user("a"), *(asked, answered) * 3000, *[results("x", "z")] * 3000))
    began = time.perf_counter()
    assert broken_rules(repaired(history)) == []
    assert time.perf_counter() - began < 10


def test_notes_say_what_was_mended_in_words() -> None:
    notes = repair_of(History((reply(call("t1")), user("a"), results("t1"), user("")))).notes
    assert any("put behind its call" in note for note in notes)
    assert any("a model spoke first" in note for note in notes)
    assert any("of the user, was left out" in note for note in notes)


def test_an_empty_history_stays_empty() -> None:
    assert repair_of(History((), "s")).history == History((), "s")


def test_a_copy_shares_nothing_changeable() -> None:
    value = {"a": [1, {"b": (2.5, None, True)}]}
    made = copied(value)
    value["a"].append(3)
    assert made == {"a": [1, {"b": [2.5, None, True]}]}


def test_a_value_that_is_no_json_is_named_with_its_place() -> None:
    with pytest.raises(NotJsonError, match="/a/1: bytes is no JSON value"):
        copied({"a": [1, b""]})
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(NotJsonError, match="nested deeper than 100"):
        copied(deep)


def test_a_text_is_found_as_a_value_only() -> None:
    assert mentions({"a": [{"b": "x"}]}, "x")
    assert not mentions({"x": ["xx", 1]}, "x")


def test_what_can_be_sent_is_sent_as_it_is() -> None:
    value = {"ключ": ["значение", 1, None, {"emoji": "🎉"}]}
    assert sendable(value) == value
