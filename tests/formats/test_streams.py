"""Streamed replies: in pieces of any size they are the whole reply, and broken off what came."""

import json
from typing import Any

import pytest

from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.messages import ModelReply, Opaque, ReplyStop, Text
from appfunctions_mcp.formats.model_format import (
    CallStarted,
    ReplyError,
    StreamPiece,
    TextPiece,
)
from tests.support.corpus import corpus
from tests.support.exported import tool_of
from tests.support.streamed import events_in, events_of
from tests.support.whole_replies import WHOLE

Json = dict[str, Any]


def streamed(name: str, events: list[Json]) -> tuple[ModelReply, list[StreamPiece]]:
    reader = format_named(name).reply_reader()
    pieces = [piece for event in events for piece in reader.feed(event)]
    return reader.reply(), pieces


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_stream_in_pieces_of_any_size_is_the_whole_reply(name: str, size: int) -> None:
    reply, pieces = streamed(name, events_of(name, WHOLE[name], size))
    assert reply == format_named(name).read_reply(WHOLE[name])
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == "I look."
    assert [p for p in pieces if isinstance(p, CallStarted)] == [CallStarted("weather_of")] * 2


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_wherever_a_stream_breaks_off_nothing_half_is_run(name: str) -> None:
    whole = format_named(name).read_reply(WHOLE[name])
    events = events_of(name, WHOLE[name], 4)
    for count in range(len(events)):
        try:
            reply, _ = streamed(name, events[:count])
        except ReplyError:
            continue
        for call, finished in zip(reply.calls, whole.calls, strict=False):
            assert call.fault or call.arguments == finished.arguments
        assert whole.text.startswith(reply.text)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_call_is_announced_by_the_functions_own_name(name: str) -> None:
    schema = {"type": "object", "properties": {}}
    tools = format_named(name).export_tools([tool_of(schema, name="weather/of")])
    exported = tools.tools[0].exported_name
    body = json.loads(json.dumps(WHOLE[name]).replace("weather_of", exported))
    reader = format_named(name).reply_reader(tools)
    pieces = [piece for event in events_of(name, body, 5) for piece in reader.feed(event)]
    assert [p for p in pieces if isinstance(p, CallStarted)] == [CallStarted("weather/of")] * 2


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_stream_of_nothing_is_an_error(name: str) -> None:
    with pytest.raises(ReplyError, match="before anything"):
        format_named(name).reply_reader().reply()


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_an_event_that_tells_of_a_failure_is_an_error(name: str) -> None:
    failures: list[Json] = [{"error": {"message": "overloaded"}}]
    if name in ("anthropic", "openai-responses"):
        failures = [{"type": "error", "error": {"message": "overloaded"}}]
    if name == "openai-responses":
        failed = {"error": {"code": "server_error", "message": "overloaded"}, "output": []}
        failures += [
            {"type": "response.failed", "response": failed},
            {"type": "error", "code": "x", "message": "overloaded"},
            {"error": {"message": "overloaded"}},
        ]
    for failure in failures:
        with pytest.raises(ReplyError, match="overloaded"):
            format_named(name).reply_reader().feed(failure)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_an_event_of_somebody_else_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(ReplyError, match="'steps'"):
        format_named(name).reply_reader().feed({"steps": []})


@pytest.mark.parametrize("name", ["anthropic", "openai-responses"])
def test_events_of_new_kinds_are_passed_over(name: str) -> None:
    first: Json = {"type": "keepalive"}
    events = [first, *events_of(name, WHOLE[name], 9), {"type": "response.new"}]
    assert streamed(name, events)[0] == format_named(name).read_reply(WHOLE[name])


def test_events_without_their_place_are_errors() -> None:
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}}
    with pytest.raises(ReplyError, match="'index'"):
        format_named("anthropic").reply_reader().feed(delta)
    with pytest.raises(ReplyError, match="'output_index'"):
        format_named("openai-responses").reply_reader().feed(
            {"type": "response.output_text.delta", "delta": "a"}
        )


def chat_call(**more: Any) -> Json:
    return {"choices": [{"delta": {"tool_calls": [more]}}]}


def test_calls_are_told_apart_where_servers_number_them_badly() -> None:
    """One index for all calls, or none at all; the name with every piece."""
    one, two = {"name": "a", "arguments": '{"x":'}, {"name": "b", "arguments": "{}"}
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    rest = {"name": "a", "arguments": "1}"}
    same_index = [
        chat_call(index=0, id="1", function=one),
        chat_call(index=0, id="1", function=rest),
        chat_call(index=0, id="2", function=two),
    ]
    no_index = [
        chat_call(id="1", function=one),
        chat_call(function={"arguments": "1}"}),
        chat_call(id="2", function=two),
    ]
    no_ids = [
        chat_call(function=one),
        chat_call(function={"arguments": "1}"}),
        chat_call(function=two),
    ]
    for events in (same_index, no_index, no_ids):
        reply, pieces = streamed("openai-chat", [*events, end])
        assert [(c.name, dict(c.arguments)) for c in reply.calls] == [("a", {"x": 1}), ("b", {})]
        assert pieces == [CallStarted("a"), CallStarted("b")]


def test_what_stands_beside_a_streamed_call_is_kept() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    function = {"name": "a", "arguments": "{}"}
    events = [
        chat_call(index=0, id="1", type="function", function=function, **extra),
        {"choices": [{"delta": {"reasoning_details": [{"n": 1}]}}]},
        {"choices": [{"delta": {"reasoning_details": [{"n": 2}]}}]},
        {"choices": [{"delta": {"seal": {"a": "x", "b": 1}}}]},
        {"choices": [{"delta": {"seal": {"a": "y", "b": 2}}, "finish_reason": "stop"}]},
        {"choices": [{"index": 1, "delta": {"content": "another answer"}}]},
    ]
    reply, _ = streamed("openai-chat", events)
    assert reply.stop is ReplyStop.CALLS
    assert reply.text == ""
    assert reply.calls[0].verbatim is not None
    assert reply.calls[0].verbatim.value["extra_content"] == extra["extra_content"]
    seal = {"reasoning_details": [{"n": 1}, {"n": 2}], "seal": {"a": "xy", "b": 2}}
    assert reply.verbatim == Opaque("openai-chat", seal)


def test_a_streamed_refusal_is_seen_and_is_text() -> None:
    events: list[Json] = [{"choices": [{"delta": {"refusal": "I can"}}]}]
    events += [{"choices": [{"delta": {"refusal": "not."}, "finish_reason": "stop"}]}]
    reply, pieces = streamed("openai-chat", events)
    assert (reply.text, reply.stop) == ("I cannot.", ReplyStop.REFUSED)
    assert pieces == [TextPiece("I can"), TextPiece("not.")]


def test_streamed_thoughts_of_mistral_are_joined() -> None:
    def thought(text: str) -> Json:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    deltas: list[Any] = [[thought("H")], [thought("m.")], "Yes", [{"type": "text", "text": "."}]]
    events: list[Json] = [{"choices": [{"delta": {"content": each}}]} for each in deltas]
    reply, pieces = streamed("mistral", events)
    both = [{"type": "text", "text": "H"}, {"type": "text", "text": "m."}]
    thoughts = Opaque("mistral", {"type": "thinking", "thinking": both})
    assert reply.parts == (thoughts, Text("Yes."))
    assert pieces == [TextPiece("Yes"), TextPiece(".")]


def test_a_streamed_citation_and_the_input_of_the_providers_own_tool_are_kept() -> None:
    own: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    deltas: list[tuple[int, Json]] = [
        (0, {"type": "input_json_delta", "partial_json": '{"query":'}),
        (0, {"type": "input_json_delta", "partial_json": '"x"}'}),
        (1, {"type": "citations_delta", "citation": {"url": "u"}}),
        (1, {"type": "text_delta", "text": "y"}),
        (1, {"type": "new_delta"}),
    ]
    events: list[Json] = [
        {"type": "content_block_start", "index": 0, "content_block": own},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "text", "text": "x"},
        },
        *({"type": "content_block_delta", "index": i, "delta": delta} for i, delta in deltas),
    ]
    reply, pieces = streamed("anthropic", events)
    whole = {"type": "text", "text": "xy", "citations": [{"url": "u"}]}
    assert reply.parts == (
        Opaque("anthropic", {**own, "input": {"query": "x"}}),
        Text("xy", Opaque("anthropic", whole)),
    )
    assert pieces == [TextPiece("x"), TextPiece("y")]


def test_a_part_with_a_signature_is_not_joined_with_its_neighbours() -> None:
    parts: list[Json] = [
        {"text": "a"}, {"text": "b"}, {"text": "", "thoughtSignature": "c2ln"}, {"text": "c"},
    ]  # fmt: skip
    events: list[Json] = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    reply, _ = streamed("gemini", events)
    signed = Text("", Opaque("gemini", parts[2]))
    assert reply.parts == (Text("ab"), signed, Text("c"))


def test_a_last_event_without_items_is_filled_from_those_that_came() -> None:
    events = events_of("openai-responses", WHOLE["openai-responses"], 9)
    events[-1] = {**events[-1], "response": {**WHOLE["openai-responses"], "output": []}}
    reply, _ = streamed("openai-responses", events)
    assert reply == format_named("openai-responses").read_reply(WHOLE["openai-responses"])


def test_recorded_streams_are_the_replies_that_they_end_with() -> None:
    path = corpus("messages", "openai.tool_request_reject.json")
    for entry in json.loads(path.read_text(encoding="utf-8")):
        events = events_in(entry["response"])
        reply, _ = streamed("openai-responses", events)
        whole = events[-1]["response"]
        assert reply == format_named("openai-responses").read_reply(whole)
