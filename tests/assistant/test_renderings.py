"""Every rendering of every conversation keeps the rules of its provider."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant.conversation import Conversation, Exchange
from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    Text,
    UserMessage,
)
from tests.support.corpus import corpus
from tests.support.histories import FORMATS, exchanges, histories, replies

QUESTION = "And now?"


@app_function
def create_note(title: str, limit: int | None = None) -> str:
    """Creates a note.

    Args:
        title: What it is called.
        limit: How long it may be.
    """
    return title


SERVICE = AppFunctionService.from_functions([create_note], name="notes", description="Notes.")


@cache
def tools_of(name: str) -> ExportedTools:
    """One of the functions that histories call; the others are there no longer."""
    return format_named(name).export_tools([each.metadata for each in SERVICE.registry])


def rendered(conversation: Conversation, name: str) -> Mapping[str, Any]:
    return conversation.render(format_named(name), tools_of(name))


def violations(conversation: Conversation, name: str) -> list[str]:
    """Where a request with a further question breaks a rule of a provider.

    With tools, and without them as in the last request of a loop.
    """
    asking = Conversation.from_json(conversation.to_json())
    asking.repair()
    asking.add_user(QUESTION)
    form = format_named(name)
    bodies = [rendered(asking, name), asking.render(form)]
    json.dumps(bodies, allow_nan=False).encode()
    found = [each for body in bodies for each in form.check_request(body)]
    return [f"{name} {each.path} {each.rule}: {each.text}" for each in found]


def test_every_format_has_histories_that_look_like_its_own() -> None:
    assert set(FORMATS) == set(FORMAT_NAMES)


@pytest.mark.parametrize("name", FORMATS)
def test_the_rules_refuse_what_is_not_repaired(name: str) -> None:
    """Else the tests below would say nothing."""
    asked = ModelReply((FunctionCall("call_1", "read"), FunctionCall("call_2", "read")))
    broken = History((UserMessage(("Go.",)), asked, UserMessage((QUESTION,))))
    form = format_named(name)
    assert form.check_request(form.request(broken, tools_of(name))) != []


@pytest.mark.parametrize("name", FORMATS)
@given(histories())
@settings(max_examples=40, deadline=None)
def test_a_history_in_any_state_is_rendered_by_the_rules(name: str, history: History) -> None:
    """F71 and F74: cut at any place, broken off anywhere, replies of several providers mixed."""
    assert violations(Conversation.from_history(history), name) == []


@pytest.mark.parametrize("name", FORMATS)
@given(st.lists(st.sampled_from(FORMATS).flatmap(exchanges), min_size=2, max_size=4), st.data())
@settings(max_examples=20, deadline=None)
def test_a_conversation_trimmed_at_any_point_is_rendered_by_the_rules(
    name: str, said: list[Exchange], data: st.DataObject
) -> None:
    for count in range(1, len(said) + 1):
        conversation = Conversation("The rules.")
        conversation.exchanges = tuple(said)
        conversation.trim(max_exchanges=count)
        assert violations(conversation, name) == []
    conversation.trim(max_tokens=data.draw(st.integers(0, 300)))
    assert violations(conversation, name) == []


@pytest.mark.parametrize("name", FORMATS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_crash_at_any_point_of_a_step_is_rendered_by_the_rules(
    name: str, data: st.DataObject
) -> None:
    """The history that goes out as it is, without a further question, too."""
    conversation = Conversation()
    conversation.add_user("Go.")
    asked = data.draw(st.sampled_from(FORMATS).flatmap(replies).filter(lambda each: each.calls))
    conversation.add_reply(asked)
    for call in data.draw(st.permutations(conversation.open_calls)):
        form = format_named(name)
        assert form.check_request(rendered(conversation, name)) == []
        assert violations(conversation, name) == []
        conversation.add_results([FunctionResult(call.id, call.name, "found")])
    assert violations(conversation, name) == []


@pytest.mark.parametrize("first", FORMATS)
@pytest.mark.parametrize("second", FORMATS)
@given(st.data())
@settings(max_examples=6, deadline=None)
def test_after_a_switch_of_provider_nothing_of_the_first_is_sent_to_the_second(
    first: str, second: str, data: st.DataObject
) -> None:
    """F80."""
    conversation = Conversation()
    conversation.exchanges = tuple(data.draw(st.lists(exchanges(first), min_size=1, max_size=2)))
    assert violations(conversation, second) == []
    if first == second:
        return
    sent = json.dumps(rendered(conversation, second))
    for word in ("thinking", "c2VhbGVk", "encrypted_content", "c2lnbmVk"):
        assert word not in sent


@pytest.mark.parametrize("origin", ["anthropic", "gemini", "openai-responses"])
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_what_a_provider_sent_goes_back_to_it_unchanged(origin: str, data: st.DataObject) -> None:
    conversation = Conversation()
    conversation.exchanges = (data.draw(exchanges(origin)),)
    kept = Conversation.from_json(conversation.to_json())
    sent = list(_objects(rendered(kept, origin)))
    for value in _opaque_values(conversation):
        assert value in sent


def _opaque_values(conversation: Conversation) -> Iterator[Any]:
    for exchange in conversation.exchanges:
        for reply in [step.reply for step in exchange.steps] + [exchange.answer]:
            for part in reply.parts if reply is not None else ():
                kept = part if isinstance(part, Opaque) else part.verbatim
                if kept is not None:
                    yield kept.value


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _objects(each)


@pytest.mark.parametrize("name", FORMATS)
@given(st.lists(exchanges(ids=st.just("call_1")), min_size=1, max_size=3))
@settings(max_examples=20, deadline=None)
def test_ids_that_every_reply_counts_anew_are_told_apart(name: str, said: list[Exchange]) -> None:
    conversation = Conversation()
    conversation.exchanges = tuple(said)
    assert violations(conversation, name) == []


def _requests() -> Iterator[Any]:
    for path in sorted(corpus("messages").glob("*.json")):
        for number, recorded in enumerate(json.loads(path.read_text())):
            yield path.name, number, recorded


def _format_of(uri: str, body: Mapping[str, Any]) -> str:
    if "contents" in body:
        return "gemini"
    if "input" in body:
        return "openai-responses"
    return "anthropic" if "anthropic" in uri else "openai-chat"


def test_every_recorded_request_survives_a_conversation_and_goes_to_every_provider() -> None:
    """Loaded, written as JSON, read, and rendered for its own provider and all others."""
    seen = 0
    for file, number, recorded in _requests():
        body, name = recorded["request"], _format_of(recorded["uri"], recorded["request"])
        form = format_named(name)
        conversation = Conversation.from_request(form, body)
        again = Conversation.from_json(json.loads(json.dumps(conversation.to_json())))
        assert again.exchanges == conversation.exchanges
        assert again.exchanges, (file, number)
        assert again.repair() == (), (file, number)
        for other in FORMATS:
            other_form = format_named(other)
            found = other_form.check_request(rendered(again, other))
            found += other_form.check_request(again.render(other_form))
            assert found == [], (file, number, other)
        seen += 1
    assert seen


def test_what_was_recorded_is_rendered_as_it_was() -> None:
    """The same calls, results and texts, in the same order."""
    for file, number, recorded in _requests():
        body, name = recorded["request"], _format_of(recorded["uri"], recorded["request"])
        form = format_named(name)
        conversation = Conversation.from_request(form, body)
        read = form.read_history(rendered(conversation, name), tools_of(name))
        again = Conversation.from_history(read)
        assert again.exchanges == conversation.exchanges, (file, number)
        assert again.system == conversation.system


def test_a_user_who_speaks_right_behind_results_is_rendered_by_the_rules() -> None:
    """An assistant that broke off after its calls; Mistral takes only the model there."""
    conversation = Conversation()
    conversation.add_user("Go.")
    conversation.add_reply(ModelReply((FunctionCall("a", "read"),)))
    conversation.add_results([FunctionResult("a", "read", "found")])
    for name in FORMATS:
        assert violations(conversation, name) == []


def test_thoughts_behind_text_and_thoughts_alone_are_rendered_by_the_rules() -> None:
    """Replies that follow each other become one, and a reply may be cut right behind a thought."""
    thoughts = [
        Opaque("anthropic", {"type": "thinking", "thinking": "hm", "signature": "c2ln"}),
        Opaque("openai-responses", {"type": "reasoning", "id": "rs_1", "summary": []}),
        Opaque("gemini", {"text": "hm", "thought": True}),
    ]
    for thought in thoughts:
        alone = ModelReply((thought,))
        behind = ModelReply((thought, Text("Then.")))
        for replied in ([alone], [ModelReply((Text("First."),)), behind], [alone, alone]):
            history = History((UserMessage(("Go.",)), *replied))
            for name in FORMATS:
                assert violations(Conversation.from_history(history), name) == []
