"""Trimming: whole exchanges, the oldest first, never what the next answer needs."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.assistant.conversation import Conversation, Exchange
from appfunctions_mcp.assistant.exchanges import messages_of
from appfunctions_mcp.assistant.trimming import Trimmed, estimated_tokens
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
from appfunctions_mcp.media import Audio, Image
from tests.support.histories import exchanges


def count_messages(history: History) -> int:
    """A counter by which every message is one token."""
    return len(history.messages)


def conversation_of(*said: Exchange) -> Conversation:
    conversation = Conversation("The rules.")
    conversation.exchanges = said
    return conversation


def exchange(number: int, steps: int = 0) -> Exchange:
    conversation = Conversation()
    conversation.add_user(f"question {number}")
    for step in range(steps):
        call = FunctionCall(f"call_{number}_{step}", "read")
        conversation.add_reply(ModelReply((call,)))
        conversation.add_results([FunctionResult(call.id, "read", f"page {step}")])
    conversation.add_reply(ModelReply((Text(f"answer {number}"),)))
    return conversation.exchanges[0]


def test_the_oldest_exchanges_go_and_are_returned() -> None:
    said = [exchange(number, steps=1) for number in range(4)]
    conversation = conversation_of(*said)
    dropped = conversation.trim(max_exchanges=2)
    assert conversation.exchanges == tuple(said[2:])
    assert dropped == Trimmed(tuple(said[:2]))
    assert not conversation.trim(max_exchanges=2)
    assert not conversation.trim(max_exchanges=9)


def test_as_few_exchanges_go_as_the_limit_of_tokens_needs() -> None:
    said = [exchange(number, steps=1) for number in range(4)]
    conversation = conversation_of(*said)
    dropped = conversation.trim(max_tokens=11, count_tokens=count_messages)
    assert len(dropped.exchanges) == 2
    assert count_messages(conversation.history()) == 8
    assert conversation.system == "The rules."
    assert not conversation.trim(max_tokens=11, count_tokens=count_messages)


def test_both_limits_hold_together() -> None:
    conversation = conversation_of(*(exchange(number) for number in range(6)))
    conversation.trim(max_exchanges=4, max_tokens=100, count_tokens=count_messages)
    assert len(conversation.exchanges) == 4
    conversation.trim(max_exchanges=4, max_tokens=5, count_tokens=count_messages)
    assert len(conversation.exchanges) == 2


def test_of_a_last_exchange_that_alone_is_too_large_the_oldest_steps_go() -> None:
    said = [exchange(0), exchange(1, steps=5)]
    conversation = conversation_of(*said)
    dropped = conversation.trim(max_tokens=6, count_tokens=count_messages)
    assert dropped == Trimmed((said[0],), said[1].steps[:3])
    last = conversation.exchanges[-1]
    assert last.user == said[1].user
    assert last.steps == said[1].steps[3:]
    assert last.answer == said[1].answer
    assert not conversation.trim(max_tokens=6, count_tokens=count_messages)


def test_the_question_the_last_step_and_the_answer_stay_even_above_the_limit() -> None:
    conversation = conversation_of(exchange(0), exchange(1, steps=3))
    assert conversation.trim(max_tokens=0, count_tokens=count_messages)
    assert count_messages(conversation.history()) == 4
    assert not conversation.trim(max_tokens=0, count_tokens=count_messages)


def test_a_step_whose_calls_still_run_stays() -> None:
    conversation = conversation_of(exchange(0))
    conversation.add_user("Next.")
    conversation.add_reply(ModelReply((FunctionCall("a", "read"),)))
    conversation.trim(max_tokens=1, count_tokens=count_messages)
    assert [call.id for call in conversation.open_calls] == ["a"]


def test_an_empty_conversation_has_nothing_to_trim() -> None:
    assert not Conversation().trim(max_tokens=0, max_exchanges=1)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({}, "accepted are max_tokens and max_exchanges"),
        ({"max_tokens": -1}, "max_tokens is -1; accepted is 0 or more"),
        ({"max_exchanges": 0}, "max_exchanges is 0; accepted is 1 or more"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused(limits: dict[str, int], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        conversation_of(exchange(0)).trim(**limits)  # type: ignore[arg-type] # by name


@given(st.lists(exchanges(), min_size=1, max_size=4), st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_what_stays_fits_or_is_the_least_that_can_stay(said: list[Exchange], limit: int) -> None:
    conversation = conversation_of(*said)
    dropped = conversation.trim(max_tokens=limit)
    kept = conversation.exchanges
    assert dropped.exchanges == tuple(said[: len(said) - len(kept)])
    assert kept[-1].user == said[-1].user
    assert dropped.steps + kept[-1].steps == said[-1].steps
    least = len(kept) == 1 and len(kept[0].steps) <= 1
    assert estimated_tokens(conversation.history()) <= limit or least
    assert not conversation.trim(max_tokens=limit)
    left = {call.id for each in kept for step in each.steps for call in step.reply.calls}
    given_ids = {r.call_id for each in kept for step in each.steps for r in step.results}
    assert left == given_ids


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 180, 260),
        ("Съешь же ещё этих мягких французских булок. " * 20, 180, 520),
        ("素早い茶色の狐がのろまな犬を飛び越える。" * 20, 250, 450),
    ],
    ids=["English", "Russian", "Japanese"],
)
def test_the_estimate_is_of_the_size_that_providers_count(text: str, low: int, high: int) -> None:
    """Between the counts of the common tokenizers for these texts, roughly."""
    assert low <= estimated_tokens(History((UserMessage((text,)),))) <= high


def test_everything_that_is_sent_counts() -> None:
    call = FunctionCall("a", "read", {"page": "x" * 30})
    kept = Opaque("gemini", {"thoughtSignature": "x" * 300})
    messages: list[Any] = [
        UserMessage(("x" * 40,)),
        UserMessage((Image(b"GIF89a", "image/gif"),)),
        UserMessage((Audio(b"x" * 5000, "audio/wav"),)),
        UserMessage((kept,)),
        ModelReply((Text("x"), call, kept)),
        ModelReply((FunctionCall("a", "read", verbatim=kept),)),
        ModelReply((Text("x"),), verbatim=kept),
        ResultsMessage((FunctionResult("a", "read", "x" * 40, media=(Image(b"GIF89a"),)),)),
    ]
    counts = [estimated_tokens(History((each,))) for each in messages]
    assert counts == [18, 1600, 18, 116, 148, 116, 125, 1627]
    assert estimated_tokens(History(tuple(messages), "x" * 4)) == sum(counts) + 9
    assert estimated_tokens(History(())) == 0
    assert estimated_tokens(History((UserMessage(("\ud83d",)),))) == 9


def test_the_messages_of_what_was_dropped_can_be_kept_elsewhere() -> None:
    conversation = conversation_of(exchange(0, steps=1), exchange(1))
    dropped = conversation.trim(max_exchanges=1)
    assert len(list(messages_of(dropped.exchanges))) == 4
