"""Replies that were stopped, refused or lost on the way: said clearly, and nothing half is run."""

from typing import Any

import pytest

from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.messages import ModelReply, ReplyStop
from appfunctions_mcp.formats.model_format import ReplyError, TextPiece

Json = dict[str, Any]
CHAT_CALL: Json = {"id": "a", "type": "function", "function": {"name": "wipe", "arguments": ""}}
ITEM: Json = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "wipe"}
TOOL_USE: Json = {"type": "tool_use", "id": "a", "name": "wipe", "input": {}}
GEMINI_CALL: Json = {"functionCall": {"name": "wipe", "args": {"all": True}}}


def streamed(name: str, *events: Any) -> ModelReply:
    reader = format_named(name).reply_reader()
    for event in events:
        reader.feed(event)
    return reader.reply()


def chat(delta: Json, ended_by: str | None = None) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": ended_by}]}


def chat_body(message: Json, ended_by: str) -> Json:
    return {"choices": [{"message": message, "finish_reason": ended_by}]}


def gemini(*parts: Json, ended_by: str | None = None) -> Json:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": ended_by}]}


def response(status: str, *output: Json, **more: Any) -> Json:
    return {"id": "resp_1", "status": status, "output": list(output), **more}


FILTERED = {"incomplete_details": {"reason": "content_filter"}}
REFUSED_IN_A_CALL: list[tuple[str, Json]] = [
    ("openai-chat", chat_body({"tool_calls": [CHAT_CALL]}, "content_filter")),
    ("openai-responses", response("incomplete", {**ITEM, "arguments": ""}, **FILTERED)),
    ("anthropic", {"content": [TOOL_USE], "stop_reason": "refusal"}),
    ("gemini", gemini(GEMINI_CALL, ended_by="SAFETY")),
    ("gemini", gemini(GEMINI_CALL, ended_by="PROHIBITED_CONTENT")),
]


@pytest.mark.parametrize(("name", "body"), REFUSED_IN_A_CALL)
def test_a_call_in_which_a_filter_stopped_the_reply_does_not_run(name: str, body: Json) -> None:
    """Its arguments may be half of what was meant, also where none at all came."""
    reply = format_named(name).read_reply(body)
    assert reply.stop is ReplyStop.REFUSED
    (call,) = reply.calls
    assert (dict(call.arguments), call.verbatim) == ({}, None)
    assert "did not run" in call.fault


@pytest.mark.parametrize("status", ["in_progress", "queued", "cancelled"])
def test_a_response_that_did_not_come_to_its_end_has_no_whole_last_call(status: str) -> None:
    (call,) = (
        format_named("openai-responses")
        .read_reply(response(status, {**ITEM, "arguments": ""}))
        .calls
    )
    assert "did not run" in call.fault
    done = response("completed", {**ITEM, "arguments": "", "status": status})
    (call,) = format_named("openai-responses").read_reply(done).calls
    assert "did not run" in call.fault


def test_a_failed_response_is_an_error_though_it_names_none() -> None:
    body = response("failed", {**ITEM, "arguments": "{}"}, error=None)
    with pytest.raises(ReplyError, match="has failed"):
        format_named("openai-responses").read_reply(body)
    last = {"type": "response.failed", "response": body}
    with pytest.raises(ReplyError, match="has failed"):
        streamed("openai-responses", last)


REFUSED_WITHOUT_A_WORD: list[tuple[str, Json, str]] = [
    ("openai-chat", chat_body({"content": ""}, "content_filter"), "'content_filter'"),
    ("openai-responses", response("incomplete", **FILTERED), "'content_filter'"),
    ("anthropic", {"content": [], "stop_reason": "refusal"}, "'refusal'"),
    ("gemini", gemini(ended_by="SAFETY"), "'SAFETY'"),
    ("gemini", gemini(ended_by="IMAGE_PROHIBITED_CONTENT"), "'IMAGE_PROHIBITED_CONTENT'"),
    (
        "gemini",
        {"promptFeedback": {"blockReason": "OTHER", "blockReasonMessage": "not here"}},
        "'OTHER: not here'",
    ),
]


@pytest.mark.parametrize(("name", "body", "word"), REFUSED_WITHOUT_A_WORD)
def test_a_refusal_without_a_word_is_told_as_one(name: str, body: Json, word: str) -> None:
    with pytest.raises(ReplyError, match="refused") as raised:
        format_named(name).read_reply(body)
    assert word in str(raised.value)


@pytest.mark.parametrize(
    "word", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]
)
def test_a_call_that_gemini_itself_could_not_read_is_told_with_its_word(word: str) -> None:
    body = gemini(ended_by=word)
    body["candidates"][0]["finishMessage"] = "print(default_api.wipe())"
    with pytest.raises(ReplyError, match=rf"ended by '{word}: print\(default_api.wipe\(\)\)'"):
        format_named("gemini").read_reply(body)


@pytest.mark.parametrize(("name", "member"), [("openai-chat", "choices"), ("gemini", "candidates")])
def test_a_reply_that_is_empty_is_told_apart_from_another_body(name: str, member: str) -> None:
    with pytest.raises(ReplyError, match=rf"^the '{member}' of the reply are empty$"):
        format_named(name).read_reply({member: []})
    with pytest.raises(ReplyError, match=rf"^the reply has no '{member}'; it has 'page'$"):
        format_named(name).read_reply({"page": "Welcome"})


def test_text_before_a_block_of_the_prompt_is_a_refused_reply() -> None:
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    reply = streamed("gemini", gemini({"text": "I"}), blocked)
    assert (reply.text, reply.stop) == ("I", ReplyStop.REFUSED)


def test_arguments_that_gemini_sends_in_pieces_are_never_taken_for_none() -> None:
    """Nobody asks for them here; a program may."""
    pieces = [{"jsonPath": "$.id", "stringValue": "n"}]
    for call in (
        {"name": "wipe", "willContinue": True},
        {"name": "wipe", "partialArgs": pieces},
        {"name": "wipe", "will_continue": True},
    ):
        reply = streamed("gemini", gemini({"functionCall": call}), gemini(ended_by="STOP"))
        assert "did not run" in reply.calls[0].fault


@pytest.mark.parametrize("name", FORMAT_NAMES)
@pytest.mark.parametrize("body", [None, 7, "overloaded", [], [{"error": {"message": "busy"}}]])
def test_what_is_no_object_is_neither_a_reply_nor_an_event(name: str, body: Any) -> None:
    with pytest.raises(ReplyError, match="accepted: an object"):
        format_named(name).read_reply(body)
    with pytest.raises(ReplyError, match="accepted: an object"):
        format_named(name).reply_reader().feed(body)


@pytest.mark.parametrize("name", ["openai-chat", "mistral", "anthropic"])
def test_a_body_that_is_itself_the_failure_is_told_in_its_words(name: str) -> None:
    """Mistral sends such bodies, and servers between send such events."""
    kind = "type" if name == "anthropic" else "object"
    failure = {kind: "error", "message": "no such model"}
    with pytest.raises(ReplyError, match="no such model"):
        format_named(name).read_reply(failure)
    with pytest.raises(ReplyError, match="no such model"):
        streamed(name, failure)


def test_a_failure_in_the_middle_of_a_call_ends_the_stream_with_its_words() -> None:
    begun = {"index": 0, **CHAT_CALL, "function": {"name": "wipe", "arguments": '{"id":'}}
    failures: list[tuple[str, list[Json], Json]] = [
        ("openai-chat", [chat({"tool_calls": [begun]})], {"error": {"message": "x"}}),
        (
            "anthropic",
            [{"type": "content_block_start", "index": 0, "content_block": TOOL_USE}],
            {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
        ),
        ("gemini", [gemini(GEMINI_CALL)], {"error": {"code": 503, "message": "x"}}),
        (
            "openai-responses",
            [{"type": "response.output_item.added", "output_index": 0, "item": ITEM}],
            {"type": "error", "code": "server_error", "message": "x", "param": None},
        ),
        ("ollama", [{"message": {"content": "a"}, "done": False}], {"error": "x"}),
    ]  # fmt: skip
    for name, events, failure in failures:
        with pytest.raises(ReplyError, match="the provider tells of a failure instead of a reply"):
            streamed(name, *events, failure)


def block(index: int, text: str) -> Json:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def test_a_message_of_anthropic_that_begins_anew_replaces_what_came_before() -> None:
    begun = {"type": "message_start", "message": {"id": "m", "content": []}}
    called = {"type": "content_block_start", "index": 0, "content_block": TOOL_USE}
    ended = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    for first in ([begun, called, block(0, '{"id":')], [begun, called, block(0, '{"id":"1"}')]):
        whole = [called, block(0, '{"id":"2"}'), ended]
        for events in ([*first, begun, *whole], [*first, *whole]):
            (call,) = streamed("anthropic", *events).calls
            assert (dict(call.arguments), call.fault) == ({"id": "2"}, "")


def test_events_that_came_twice_never_make_other_arguments() -> None:
    """Doubled pieces are no JSON any more, which is told; a doubled whole is the whole."""
    begun = {"index": 0, **CHAT_CALL}
    piece = {"index": 0, "function": {"arguments": '{"id":"1"}'}}
    deltas = [{"tool_calls": [each]} for each in (begun, piece, piece)]
    (call,) = streamed("openai-chat", *map(chat, deltas), chat({}, "tool_calls")).calls
    assert "not JSON" in call.fault
    item = {**ITEM, "arguments": '{"id":"1"}', "status": "completed"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    last = {"type": "response.completed", "response": response("completed", item)}
    (call,) = streamed("openai-responses", done, done, last, last).calls
    assert dict(call.arguments) == {"id": "1"}


def test_what_responses_sends_at_once_instead_of_in_pieces_is_read() -> None:
    added = {"type": "response.output_item.added", "output_index": 0, "item": ITEM}
    told = {"type": "response.function_call_arguments.done", "output_index": 0}
    last = {"type": "response.completed", "response": response("completed")}
    whole = {**told, "arguments": '{"id":"1"}'}
    (call,) = streamed("openai-responses", added, whole, last).calls
    assert (dict(call.arguments), call.fault) == ({"id": "1"}, "")
    piece = {"type": "response.function_call_arguments.delta", "output_index": 0}
    (call,) = streamed("openai-responses", added, {**piece, "delta": '{"id":"1"}'}, whole).calls
    assert dict(call.arguments) == {"id": "1"}
    (call,) = streamed("openai-responses", added, last).calls
    assert "did not run" in call.fault
    reader = format_named("openai-responses").reply_reader()
    message = {"type": "message", "role": "assistant", "content": []}
    reader.feed({**added, "item": message})
    said = {"type": "response.output_text.done", "output_index": 0, "text": "Hello."}
    assert reader.feed(said) == (TextPiece("Hello."),)
    assert reader.reply().text == "Hello."


def test_a_call_under_another_spelling_of_a_name_is_nobody_elses_call() -> None:
    """The name is told to the model as it wrote it; nothing near it is run instead."""
    for name in ("Wipe", "WIPE", "functions.wipe", "wipe ", ""):
        called = {**CHAT_CALL, "function": {"name": name, "arguments": "{}"}}
        reply = format_named("openai-chat").read_reply(
            chat_body({"tool_calls": [called]}, "tool_calls")
        )
        assert reply.calls[0].name == name
