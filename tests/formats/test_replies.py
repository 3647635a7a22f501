"""Replies of all providers become neutral ones: all calls, texts, stops, tokens, opaque parts."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    ReplyStop,
    ResultsMessage,
    Text,
    Usage,
    UserMessage,
)
from appfunctions_mcp.formats.model_format import ReplyError
from tests.support.corpus import corpus
from tests.support.exported import tool_of
from tests.support.providers.paths import format_of
from tests.support.streamed import events_in
from tests.support.whole_replies import WHOLE

Json = dict[str, Any]
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}


def read(name: str, body: Json) -> ModelReply:
    return format_named(name).read_reply(body)


def replied(name: str) -> Json:
    """A copy of a whole reply, to be changed."""
    return copy.deepcopy(WHOLE[name])


def exchanges() -> Iterator[tuple[str, str, Json]]:
    for path in sorted(corpus("messages").glob("*.json")):
        for number, entry in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            yield f"{path.stem}-{number}", format_of(entry["uri"]) or "", entry


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_texts_calls_tokens_and_the_reason_to_stop_are_read(name: str) -> None:
    reply = read(name, WHOLE[name])
    assert reply.text == "I look."
    assert [call.name for call in reply.calls] == ["weather_of", "weather_of"]
    assert [dict(call.arguments) for call in reply.calls] == [{"city": "Århus", "days": 3}, {}]
    assert reply.stop is ReplyStop.CALLS
    assert reply.model == "model-1"
    cached = 0 if name == "ollama" else 40
    assert reply.usage == Usage(90, 20, cached)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_ids_are_kept_and_made_up_where_there_are_none(name: str) -> None:
    """The same reply has the same ids however often it is read."""
    reply = read(name, WHOLE[name])
    ids = [call.id for call in reply.calls]
    assert all(ids)
    assert len(set(ids)) == 2
    assert ids == [call.id for call in read(name, WHOLE[name]).calls]
    if name not in ("gemini", "ollama"):
        assert all(call_id in json.dumps(WHOLE[name]) for call_id in ids)


def test_another_reply_with_the_same_call_has_another_id() -> None:
    other = replied("gemini") | {"responseId": "r2"}
    assert read("gemini", other).calls[0].id != read("gemini", WHOLE["gemini"]).calls[0].id


def test_equal_ids_are_told_apart_and_go_back_apart() -> None:
    """F78: servers that count from the start, or send one id for all."""
    body = replied("openai-chat")
    for call in body["choices"][0]["message"]["tool_calls"]:
        call["id"] = "call_1"
    calls = read("openai-chat", body).calls
    assert calls[0].id == "call_1" != calls[1].id
    assert calls[1].verbatim is not None
    assert calls[1].verbatim.value["id"] == calls[1].id
    parts = replied("gemini")
    for part in parts["candidates"][0]["content"]["parts"][2:]:
        part["functionCall"]["id"] = "same"
    first, second = read("gemini", parts).calls
    assert first.id == "same" != second.id
    assert second.verbatim is not None
    assert second.verbatim.value["functionCall"]["id"] == second.id


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_names_and_arguments_are_those_of_the_function(name: str) -> None:
    function = tool_of(SCHEMA, name="weather/of")
    tools = format_named(name).export_tools([function])
    (exported,) = tools.tools
    body = json.loads(json.dumps(WHOLE[name]).replace("weather_of", exported.exported_name))
    assert exported.exported_name != "weather/of"
    reply = format_named(name).read_reply(body, tools)
    assert [call.name for call in reply.calls] == ["weather/of"] * 2
    assert dict(reply.calls[0].arguments) == {"city": "Århus", "days": 3}


def test_nulls_that_strict_schemas_ask_for_are_left_out() -> None:
    tools = format_named("openai-chat").export_tools([tool_of(SCHEMA, name="weather_of")])
    body = replied("openai-chat")
    first = body["choices"][0]["message"]["tool_calls"][0]["function"]
    first["arguments"] = '{"city":"Oslo","days":null}'
    call = format_named("openai-chat").read_reply(body, tools).calls[0]
    assert dict(call.arguments) == {"city": "Oslo"}
    assert call.verbatim is not None
    assert call.verbatim.value["function"]["arguments"] == '{"city":"Oslo","days":null}'


ODD: list[tuple[Any, Json | None]] = [
    ("", {}), (None, {}), ("null", {}), ('{"a":1}""', {"a": 1}), ({"a": 1}, {"a": 1}),
    ('"foo"', None), ("[1]", None), ("{oops", None), (7, None),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "wanted"), ODD)
@pytest.mark.parametrize("name", ["openai-chat", "openai-responses"])
def test_arguments_that_are_no_object_are_told_and_never_kept(
    name: str, raw: Any, wanted: Json | None
) -> None:
    """F77: no exception, and what is sent again is an object in any case."""
    body = replied(name)
    if name == "openai-chat":
        body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = raw
    else:
        body["output"][2]["arguments"] = raw
    reply = read(name, body)
    call = reply.calls[0]
    assert dict(call.arguments) == (wanted or {})
    assert bool(call.fault) == (wanted is None)
    assert (call.verbatim is None) == (wanted is None)
    results = ResultsMessage(tuple(FunctionResult(c.id, c.name, "ok") for c in reply.calls))
    history = History((UserMessage(("Go.",)), reply, results))
    assert format_named(name).check_request(format_named(name).request(history)) == []


def test_a_call_that_was_cut_says_so_and_the_calls_before_it_run() -> None:
    """F78."""
    body = replied("openai-chat")
    choice = body["choices"][0]
    choice["finish_reason"] = "length"
    choice["message"]["tool_calls"][1]["function"]["arguments"] = '{"path": "/tmp/re'
    first, second = read("openai-chat", body).calls
    assert not first.fault
    assert "cut" in second.fault
    assert (dict(second.arguments), second.verbatim) == ({}, None)


@pytest.mark.parametrize("name", ["anthropic", "gemini", "ollama"])
def test_an_object_that_came_last_before_the_limit_counts_as_cut(name: str) -> None:
    """What is missing cannot be seen in an object, so that the function does not run."""
    body = replied(name)
    if name == "anthropic":
        body["stop_reason"] = "max_tokens"
    elif name == "gemini":
        body["candidates"][0]["finishReason"] = "MAX_TOKENS"
    else:
        body["done_reason"] = "length"
    reply = read(name, body)
    assert reply.stop is ReplyStop.LENGTH
    assert not reply.calls[0].fault
    assert "limit of tokens" in reply.calls[1].fault


def test_an_incomplete_item_counts_as_cut() -> None:
    body = replied("openai-responses")
    body |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    body["output"][3] |= {"status": "incomplete", "arguments": '{"a'}
    reply = read("openai-responses", body)
    assert reply.stop is ReplyStop.LENGTH
    assert "cut" in reply.calls[1].fault


STOPS: list[tuple[str, str, ReplyStop]] = [
    ("openai-chat", "stop", ReplyStop.END), ("openai-chat", "length", ReplyStop.LENGTH),
    ("openai-chat", "content_filter", ReplyStop.REFUSED), ("openai-chat", "new", ReplyStop.OTHER),
    ("openai-chat", "tool_calls", ReplyStop.OTHER), ("mistral", "model_length", ReplyStop.LENGTH),
    ("anthropic", "end_turn", ReplyStop.END), ("anthropic", "refusal", ReplyStop.REFUSED),
    ("anthropic", "pause_turn", ReplyStop.OTHER), ("anthropic", "stop_sequence", ReplyStop.END),
    ("gemini", "STOP", ReplyStop.END), ("gemini", "SAFETY", ReplyStop.REFUSED),
    ("gemini", "OTHER", ReplyStop.OTHER), ("ollama", "stop", ReplyStop.END),
    ("ollama", "load", ReplyStop.OTHER), ("openai-responses", "completed", ReplyStop.END),
    ("openai-responses", "cancelled", ReplyStop.OTHER),
]  # fmt: skip


@pytest.mark.parametrize(("name", "word", "stop"), STOPS)
def test_the_words_for_why_a_reply_ended(name: str, word: str, stop: ReplyStop) -> None:
    message = {"role": "assistant", "content": "Yes."}
    bodies: dict[str, Json] = {
        "anthropic": {"content": [{"type": "text", "text": "Yes."}], "stop_reason": word},
        "gemini": {
            "candidates": [{"content": {"parts": [{"text": "Yes."}]}, "finishReason": word}]
        },
        "ollama": {"message": message, "done": True, "done_reason": word},
        "openai-responses": {"output": [message], "status": word},
    }
    chat = {"choices": [{"message": message, "finish_reason": word}]}
    reply = read(name, bodies.get(name, chat))
    assert (reply.stop, reply.text, reply.usage) == (stop, "Yes.", Usage())


EMPTY: list[tuple[str, Json, str]] = [
    ("openai-chat", {}, "'choices'"),
    ("openai-chat", {"steps": [], "id": "x"}, "'steps', 'id'"),
    ("openai-chat", {"choices": [{"message": None}]}, "nothing"),
    (
        "mistral",
        {"choices": [{"message": {"reasoning": "hm"}, "finish_reason": "length"}]},
        "'reasoning', and ended by 'length'",
    ),
    ("openai-responses", {"steps": [1]}, "'steps'"),
    ("openai-responses", {"output": [{"type": "reasoning"}], "status": "completed"}, "reasoning"),
    ("anthropic", {"outputs": []}, "'outputs'"),
    ("anthropic", {"content": [], "stop_reason": "end_turn"}, "'end_turn'"),
    ("anthropic", {"content": [{"type": "thinking"}]}, "'thinking'"),
    ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "SAFETY"),
    ("gemini", {"steps": []}, "'steps'"),
    ("gemini", {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "MALFORMED"),
    ("gemini", {"candidates": [{"content": {"parts": [{"text": "a", "thought": True}]}}]}, "thou"),
    ("ollama", {"response": "old"}, "'response'"),
    ("ollama", {"message": {"role": "assistant", "thinking": "hm"}}, "'thinking'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "told"), EMPTY)
def test_a_reply_without_text_and_calls_is_an_error_that_names_what_is_there(
    name: str, body: Json, told: str
) -> None:
    """F82."""
    with pytest.raises(ReplyError, match=told):
        read(name, body)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_failure_in_place_of_a_reply_is_told_in_the_providers_words(name: str) -> None:
    with pytest.raises(ReplyError, match="over quota"):
        read(name, {"error": {"message": "over quota"}})
    with pytest.raises(ReplyError, match="over quota"):
        read(name, {"error": "over quota"})


BROKEN: list[tuple[str, Json, str]] = [
    ("openai-chat", {"choices": 7}, "choices is of the type int; accepted: a list"),
    ("openai-chat", {"choices": ["x"]}, "choices/0 is 'x'; accepted: an object"),
    ("openai-responses", {"output": "x"}, "output is 'x'"),
    ("anthropic", {"content": [None]}, "content/0"),
    ("gemini", {"candidates": [{"content": []}, {"content": "x"}]}, "content is 'x'"),
    ("ollama", {"message": "x"}, "message is 'x'"),
    ("ollama", {"message": {"content": ["x"]}}, "content is of the type list; accepted: text"),
]


@pytest.mark.parametrize(("name", "body", "told"), BROKEN)
def test_a_member_of_another_form_is_named(name: str, body: Json, told: str) -> None:
    with pytest.raises(ReplyError, match=told):
        read(name, body)


def test_calls_are_found_behind_thoughts_and_texts_and_in_other_choices() -> None:
    """F82: never only at the first place."""
    chat = replied("openai-chat")
    chat["choices"].insert(0, {"index": 1, "message": {"role": "assistant", "content": "Hm."}})
    assert len(read("openai-chat", chat).calls) == 2
    gemini = replied("gemini")
    gemini["candidates"].insert(0, {"content": {"parts": [{"text": "Hm."}]}})
    assert len(read("gemini", gemini).calls) == 2


def test_the_older_form_of_a_call_is_read() -> None:
    called = {"name": "weather_of", "arguments": '{"city":"Oslo"}'}
    message = {"role": "assistant", "content": None, "function_call": called}
    body = {"choices": [{"message": message, "finish_reason": "function_call"}]}
    (call,) = read("openai-chat", body).calls
    assert (call.name, dict(call.arguments)) == ("weather_of", {"city": "Oslo"})
    assert call.id.startswith("call_")


def test_a_refusal_and_spoken_words_are_text() -> None:
    refused = {"role": "assistant", "content": None, "refusal": "I cannot."}
    reply = read("openai-chat", {"choices": [{"message": refused, "finish_reason": "stop"}]})
    assert (reply.text, reply.stop) == ("I cannot.", ReplyStop.REFUSED)
    spoken = {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Hi."}}
    assert read("openai-chat", {"choices": [{"message": spoken}]}).text == "Hi."
    item = {"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    reply = read("openai-responses", {"output": [item]})
    assert (reply.text, reply.stop) == ("I cannot.", ReplyStop.REFUSED)


def test_thoughts_of_mistral_keep_their_place_before_the_text() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    content = [thought, {"type": "text", "text": "Yes."}]
    reply = read("mistral", {"choices": [{"message": {"content": content}}]})
    assert reply.parts == (Opaque("mistral", thought), Text("Yes."))


def test_what_only_a_provider_understands_is_kept_whole() -> None:
    anthropic = read("anthropic", WHOLE["anthropic"])
    assert [p.value for p in anthropic.parts if isinstance(p, Opaque)] == (
        WHOLE["anthropic"]["content"][:2]
    )
    chat = read("openai-chat", WHOLE["openai-chat"])
    assert chat.verbatim == Opaque("openai-chat", {"reasoning_content": "Where?"})
    gemini = read("gemini", WHOLE["gemini"])
    parts = WHOLE["gemini"]["candidates"][0]["content"]["parts"]
    assert gemini.parts[0] == Opaque("gemini", parts[0])
    assert [c.verbatim.value for c in gemini.calls if c.verbatim] == parts[2:]


def test_blocks_of_the_providers_own_tools_are_no_calls() -> None:
    own = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    text = {"type": "text", "text": "Found.", "citations": [{"type": "web"}]}
    reply = read("anthropic", {"content": [own, found, text], "stop_reason": "end_turn"})
    assert reply.calls == ()
    assert reply.parts[:2] == (Opaque("anthropic", own), Opaque("anthropic", found))
    assert reply.parts[2] == Text("Found.", Opaque("anthropic", text))


def test_a_name_that_no_provider_takes_back_is_not_kept_as_it_came() -> None:
    body = replied("openai-chat")
    body["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = "look up the weather!"
    call = read("openai-chat", body).calls[0]
    assert call == FunctionCall(call.id, "look up the weather!", call.arguments)


def test_members_in_snake_case_are_read_too() -> None:
    part = {"function_call": {"name": "f", "args": "{}"}, "thought_signature": "c2ln"}
    candidate = {"content": {"parts": [part]}, "finish_reason": "STOP"}
    body = {"candidates": [candidate], "usage_metadata": {"prompt_token_count": 3}}
    reply = read("gemini", body)
    assert reply.usage.input_tokens == 3
    assert reply.calls[0].verbatim is not None
    kept = {"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"}
    assert reply.calls[0].verbatim.value == kept


def test_every_recorded_reply_is_read() -> None:
    seen = 0
    for where, name, entry in exchanges():
        response, form = entry["response"], format_named(name)
        if isinstance(response, str):
            reader = form.reply_reader()
            for event in events_in(response):
                reader.feed(event)
            reply = reader.reply()
        else:
            reply = form.read_reply(response)
        assert reply.text or reply.calls, where
        assert not any(call.fault for call in reply.calls), where
        assert reply.model, where
        seen += 1
    assert seen > 20
