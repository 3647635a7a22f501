"""Histories go to every provider by its rules and come back; opaque parts only to their own."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.gemini.histories import SKIPPED_SIGNATURE
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    Opaque,
    ReplyPart,
    ResultsMessage,
    Text,
    UserMessage,
)
from appfunctions_mcp.formats.mistral.histories import AFTER_RESULTS
from appfunctions_mcp.formats.model_format import ReplyError
from appfunctions_mcp.formats.turns import BEGINNING
from appfunctions_mcp.media import Audio, Image
from tests.support.corpus import corpus
from tests.support.exported import tool_of
from tests.support.histories import whole_histories
from tests.support.providers.paths import format_of
from tests.support.streamed import events_in
from tests.support.whole_replies import WHOLE

Json = dict[str, Any]
PNG = Image(b"\x89PNG\r\n\x1a\n")
SVG = Image(b"<svg/>", "image/svg+xml")
WAV = Audio(b"RIFF")
OGG = Audio(b"OggS", "audio/ogg")
FEW = settings(max_examples=25, deadline=None)


def tools_of(name: str) -> ExportedTools:
    schema = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["title"],
    }
    return format_named(name).export_tools([tool_of(schema, name="create_note")])


def called(*parts: ReplyPart, error: bool = False, then: Sequence[Message] = ()) -> History:
    """A question, a reply with calls, their results, and what follows."""
    reply = ModelReply(parts)
    results = [FunctionResult(c.id, c.name, f"of {c.id}", error) for c in reply.calls]
    return History((UserMessage(("Go.",)), reply, ResultsMessage(tuple(results)), *then))


def sound(name: str, history: History, tools: ExportedTools | None = None) -> Json:
    """The request, which breaks no rule."""
    body = format_named(name).request(history, tools)
    assert format_named(name).check_request(body) == []
    return body


def objects(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from objects(each)


TWO = (FunctionCall("call_1", "a", {"x": 1}), FunctionCall("call_2", "b"))


@pytest.mark.parametrize("has_tools", [True, False])
@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(st.sampled_from(FORMAT_NAMES).flatmap(whole_histories))
@FEW
def test_every_history_goes_to_every_provider_by_its_rules(
    name: str, has_tools: bool, history: History
) -> None:
    body = sound(name, history, tools_of(name) if has_tools else None)
    json.dumps(body, allow_nan=False)


@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(st.sampled_from(FORMAT_NAMES).flatmap(whole_histories))
@FEW
def test_what_goes_out_comes_back(name: str, history: History) -> None:
    """Texts, calls, results and their order; errors where the format marks them."""
    tools = tools_of(name)
    body = format_named(name).request(history, tools)
    again = format_named(name).read_history(body, tools)
    assert again.system == history.system
    assert len(again.messages) == len(history.messages)
    for before, after in zip(history.messages, again.messages, strict=True):
        match before, after:
            case UserMessage(), UserMessage():
                assert all(part in after.text for part in before.parts if isinstance(part, str))
            case ModelReply(), ModelReply():
                assert after.text == before.text
                assert [given_in(call) for call in after.calls] == [
                    given_in(c) for c in before.calls
                ]
            case ResultsMessage(), ResultsMessage():
                compare_results(name, before, after)
            case _:
                pytest.fail(f"{before} came back as {after}")
    assert format_named(name).request(again, tools) == body


def given_in(call: FunctionCall) -> tuple[str, Json]:
    """A call without nulls, which strict schemas have in place of what is left out."""
    return call.name, {name: value for name, value in call.arguments.items() if value is not None}


def compare_results(name: str, before: ResultsMessage, after: ResultsMessage) -> None:
    for first, second in zip(before.results, after.results, strict=True):
        assert (second.name, second.text.strip()) == (first.name, first.text.strip())
        if name in ("anthropic", "gemini"):
            assert second.is_error == first.is_error


@pytest.mark.parametrize("origin", ["anthropic", "gemini", "openai-responses"])
@given(st.data())
@FEW
def test_opaque_parts_go_back_unchanged_and_nowhere_else(origin: str, data: st.DataObject) -> None:
    """F80: as whole units."""
    history = data.draw(whole_histories(origin))
    kept = [
        part if isinstance(part, Opaque) else part.verbatim
        for message in history.messages
        if isinstance(message, ModelReply)
        for part in message.parts
    ]
    values = [opaque.value for opaque in kept if opaque is not None]
    sent = list(objects(sound(origin, history, tools_of(origin))))
    assert all(value in sent for value in values)
    for other in set(FORMAT_NAMES) - {origin}:
        elsewhere = list(objects(sound(other, history, tools_of(other))))
        assert not any(value in elsewhere for value in values if "name" not in value)


def recorded() -> Iterator[tuple[str, str, Json]]:
    for path in sorted(corpus("messages").glob("*.json")):
        for number, entry in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            yield f"{path.stem}-{number}", format_of(entry["uri"]) or "", entry


def plain(value: Any) -> Any:
    """A body without nulls, and a list of one plain text as that text."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        is_text = len(value) == 1 and isinstance(value[0], dict) and len(value[0]) == 2
        return value[0]["text"] if is_text and "text" in value[0] else [plain(v) for v in value]
    return value


def test_recorded_histories_go_back_as_they_were() -> None:
    """Every byte of what is opaque, too."""
    seen = 0
    for where, name, entry in recorded():
        body, form = entry["request"], format_named(name)
        tools = ExportedTools(name, (), body.get("tools"), rename=str)
        again = form.request(form.read_history(body), tools)
        member = next(m for m in ("messages", "contents", "input") if m in body)
        assert plain(again[member]) == plain(body[member]), where
        assert form.check_request(again) == [], where
        seen += 1
    assert seen > 20


def test_a_streamed_signature_goes_back_in_the_part_in_which_it_came() -> None:
    """F80: the same name, arguments and signature as in the recorded stream."""
    path = corpus("messages", "gemini.thought_signature_stream.json")
    events = events_in(json.loads(path.read_text(encoding="utf-8"))[0]["response"])
    reader = format_named("gemini").reply_reader()
    for event in events:
        reader.feed(event)
    reply = reader.reply()
    results = tuple(FunctionResult(c.id, c.name, "Mexico") for c in reply.calls)
    history = History((UserMessage(("Where?",)), reply, ResultsMessage(results)))
    contents = sound("gemini", history)["contents"]
    assert contents[1]["parts"] == events[0]["candidates"][0]["content"]["parts"]
    response = {"name": "get_country", "response": {"output": "Mexico"}}
    assert contents[2]["parts"] == [{"functionResponse": response}]
    assert "ignature" not in json.dumps(sound("openai-chat", history))


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_whole_replies_go_back_to_their_provider(name: str) -> None:
    reply = format_named(name).read_reply(WHOLE[name])
    history = called(*reply.parts)
    messages = (history.messages[0], reply, *history.messages[2:])
    sent = list(objects(sound(name, History(messages), tools_of(name))))
    kept = [p if isinstance(p, Opaque) else p.verbatim for p in reply.parts]
    assert all(opaque.value in sent for opaque in kept if opaque is not None)
    if reply.verbatim is not None:
        assert any(reply.verbatim.value.items() <= each.items() for each in sent)


def test_anthropic_has_all_results_first_and_the_users_words_behind_them() -> None:
    """F76."""
    history = called(*TWO, then=[UserMessage(("And then?", PNG))])
    messages = sound("anthropic", history, tools_of("anthropic"))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    kinds = [block["type"] for block in messages[2]["content"]]
    assert kinds == ["tool_result", "tool_result", "text", "image"]


def test_a_request_of_anthropic_without_tools_tells_of_calls_in_words() -> None:
    """F81: the last request has no tools, and then neither calls nor results stand as blocks."""
    thought = Opaque("anthropic", {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
    history = called(thought, Text("I look."), *TWO, then=[UserMessage(("Well?",))])
    body = sound("anthropic", history)
    assert set(body) == {"messages"}
    told = body["messages"][2]["content"][0]["text"]
    assert 'a({"x":1}) gave:\nof call_1' in told
    assert "b({}) gave:\nof call_2" in told
    assert body["messages"][1]["content"] == [{"type": "text", "text": "I look."}]
    silent = sound("anthropic", called(*TWO, error=True))["messages"]
    assert [message["role"] for message in silent] == ["user"]
    assert "b({}) failed:" in silent[0]["content"][1]["text"]


def test_thoughts_of_anthropic_stand_first_or_are_left_out() -> None:
    thought = Opaque("anthropic", {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
    sealed = Opaque("anthropic", {"type": "redacted_thinking", "data": "c2ln"})
    unsigned = Opaque("anthropic", {"type": "thinking", "thinking": "hm", "signature": ""})
    cases: list[tuple[list[ReplyPart], list[str]]] = [
        ([thought, sealed, Text("a")], ["thinking", "redacted_thinking", "text"]),
        ([thought, Text("a"), sealed], ["thinking", "text"]),
        ([Text("a"), thought, Text("b")], ["text", "text"]),
        ([unsigned, Text("a"), thought, Text("b")], ["text", "text"]),
        ([thought, TWO[0], thought, Text("b")], ["thinking", "tool_use", "text"]),
    ]
    for parts, kinds in cases:
        body = sound("anthropic", called(*parts), tools_of("anthropic"))
        assert [block["type"] for block in body["messages"][1]["content"]] == kinds
    alone = sound("anthropic", called(thought, then=[UserMessage(("Well?",))]))
    assert [message["role"] for message in alone["messages"]] == ["user"]


def test_anthropic_gets_no_blank_text_and_no_space_behind_a_begun_reply() -> None:
    history = History((UserMessage(("Go.", " ")), ModelReply((Text("\n"), Text("It is \n")))))
    messages = sound("anthropic", history)["messages"]
    assert messages[0]["content"] == [{"type": "text", "text": "Go."}]
    assert messages[1]["content"] == [{"type": "text", "text": "It is"}]


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_errors_are_marked_where_there_is_a_mark_and_never_empty(name: str) -> None:
    """F65."""
    reply = ModelReply((FunctionCall("call_1", "a"),))
    results = ResultsMessage((FunctionResult("call_1", "a", "", is_error=True),))
    history = History((UserMessage(("Go.",)), reply, results))
    sent = list(objects(sound(name, history, tools_of(name))))
    text = "The call failed without saying why."
    assert any(text in each.values() for each in sent)
    assert any(each.get("is_error") for each in sent) == (name == "anthropic")
    assert any(each.get("error") == text for each in sent) == (name == "gemini")


def test_mistral_gets_ids_of_nine_letters_and_digits() -> None:
    history = called(FunctionCall("aB3dE6gH9", "a"), FunctionCall("functions.b:0", "b"))
    messages = sound("mistral", history)["messages"]
    ids = [call["id"] for call in messages[1]["tool_calls"]]
    assert ids[0] == "aB3dE6gH9"
    assert [message["tool_call_id"] for message in messages[2:]] == ids
    assert [message["name"] for message in messages[2:]] == ["a", "b"]
    assert sound("mistral", history)["messages"] == messages


def test_the_model_speaks_between_results_and_the_user_at_mistral() -> None:
    history = called(TWO[0], then=[UserMessage(("And then?",))])
    messages = sound("mistral", history)["messages"]
    between = {"role": "assistant", "content": AFTER_RESULTS}
    assert messages[3:] == [between, {"role": "user", "content": "And then?"}]
    assert len(format_named("mistral").read_history({"messages": messages}).messages) == 4


def test_a_reply_that_mistral_goes_on_with_is_marked() -> None:
    history = History((UserMessage(("Go.",)), ModelReply((Text("It is"),))))
    last = sound("mistral", history)["messages"][-1]
    assert last == {"role": "assistant", "content": "It is", "prefix": True}
    again = format_named("mistral").read_history({"messages": [last]})
    assert again.messages == (ModelReply((Text("It is"),)),)


def test_ids_of_other_providers_fit() -> None:
    strange = "ü" * 70
    history = called(FunctionCall(strange, "a"), FunctionCall("srvtoolu_1", "b"))
    for name in FORMAT_NAMES:
        sound(name, history, tools_of(name))


def test_gemini_gets_a_word_for_each_signature_that_is_missing() -> None:
    foreign = sound("gemini", called(*TWO))["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in foreign] == [SKIPPED_SIGNATURE, None]
    own = {"functionCall": {"name": "a", "args": {}}}
    unsigned = FunctionCall("call_1", "a", {}, verbatim=Opaque("gemini", own))
    assert sound("gemini", called(unsigned))["contents"][1]["parts"] == [own]
    signed = Opaque("gemini", {**own, "thoughtSignature": "c2ln"})
    later = called(FunctionCall("call_3", "a", {}, verbatim=signed)).messages[1:]
    mixed = sound("gemini", called(unsigned, then=later))["contents"]
    assert mixed[1]["parts"] == [{**own, "thoughtSignature": SKIPPED_SIGNATURE}]
    assert mixed[3]["parts"] == [signed.value]
    assert unsigned.verbatim is not None
    assert unsigned.verbatim.value == own


def test_responses_of_gemini_stand_alone_and_hold_values() -> None:
    reply = ModelReply(TWO)
    value = {"n": 1}
    results = ResultsMessage(
        (
            FunctionResult("call_1", "a", '{"n": 1}', structured=value),
            FunctionResult("call_2", "b", "[1]", structured=[1]),
        )
    )
    history = History((UserMessage(("Go.",)), reply, results, UserMessage(("And?",))))
    contents = sound("gemini", history)["contents"]
    found = [part["functionResponse"]["response"] for part in contents[2]["parts"]]
    assert found == [value, {"output": [1]}]
    assert contents[3] == {"role": "user", "parts": [{"text": "And?"}]}
    noted = FunctionResult("call_1", "a", "Called before.", structured=value)
    named = FunctionResult("call_2", "b", '{"error":1}', structured={"error": 1})
    again = History((UserMessage(("Go.",)), reply, ResultsMessage((noted, named))))
    parts = sound("gemini", again)["contents"][2]["parts"]
    found = [part["functionResponse"]["response"] for part in parts]
    assert found == [{"output": "Called before."}, {"output": {"error": 1}}]


def test_calls_of_gemini_without_ids_find_their_results_by_name() -> None:
    def call(name: str) -> Json:
        return {"functionCall": {"name": name, "args": {}}}

    def response(name: str, value: Json) -> Json:
        return {"functionResponse": {"name": name, "response": value}}

    answers = [
        response("a", {"output": "1"}),
        response("b", {"error": "2"}),
        response("a", {"x": 3}),
    ]
    contents = [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [call("a"), call("a"), call("b")]},
        {"role": "function", "parts": answers},
    ]
    history = format_named("gemini").read_history({"contents": contents})
    reply, results = history.messages[1:]
    assert isinstance(reply, ModelReply)
    assert isinstance(results, ResultsMessage)
    first, second, third = reply.calls
    assert [result.call_id for result in results.results] == [first.id, third.id, second.id]
    assert [result.text for result in results.results] == ["1", "2", '{"x":3}']
    assert [result.is_error for result in results.results] == [False, True, False]


def test_a_thought_of_responses_stays_with_what_followed_it_or_is_left_out() -> None:
    thought = Opaque("openai-responses", {"type": "reasoning", "id": "rs_1", "summary": []})
    faulty = FunctionCall("call_1", "a", {}, "it was cut")
    cases: list[tuple[list[ReplyPart], list[str]]] = [
        ([thought, TWO[0]], ["reasoning", "function_call"]),
        ([thought, faulty], ["function_call"]),
        ([Text("a"), thought], ["message"]),
        ([thought, thought, Text("a")], ["reasoning", "message"]),
    ]
    for parts, kinds in cases:
        items = sound("openai-responses", called(*parts))["input"]
        assert [item.get("type", "message") for item in items[1 : len(kinds) + 1]] == kinds


def test_ids_of_items_stand_once_in_a_request_and_in_their_documented_form() -> None:
    def own(item_id: str, call_id: str) -> FunctionCall:
        item = {
            "type": "function_call",
            "id": item_id,
            "call_id": call_id,
            "name": "a",
            "arguments": "{}",
        }
        return FunctionCall(call_id, "a", {}, verbatim=Opaque("openai-responses", item))

    history = called(own("fc_1", "1"), own("fc_1", "2"), own("other", "3"))
    items = sound("openai-responses", history)["input"][1:4]
    assert [item.get("id") for item in items] == ["fc_1", None, None]


def test_results_of_ollama_stand_in_order_with_names() -> None:
    messages = sound("ollama", called(Text("I look."), *TWO))["messages"]
    function = {"name": "a", "arguments": {"x": 1}}
    assert messages[1]["tool_calls"][0] == {"function": function}
    assert messages[2] == {"role": "tool", "tool_name": "a", "content": "of call_1"}


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_media_go_where_they_are_taken_and_are_told_elsewhere(name: str) -> None:
    taken = {
        "openai-chat": [PNG, WAV],
        "mistral": [PNG],
        "gemini": [PNG, WAV, OGG],
    }.get(name, [PNG])
    body = sound(name, History((UserMessage(("See:", PNG, SVG, WAV, OGG)),)))
    (message,) = format_named(name).read_history(body).messages
    assert isinstance(message, UserMessage)
    assert [part for part in message.parts if isinstance(part, Image | Audio)] == taken
    told = json.dumps(body)
    assert "[picture: image/svg+xml, 6 bytes]" in told
    assert ("[sound: audio/ogg, 4 bytes]" in told) == (name != "gemini")


@pytest.mark.parametrize("name", ["anthropic", "openai-responses"])
def test_pictures_in_results_go_where_they_are_taken(name: str) -> None:
    reply = ModelReply((TWO[0],))
    results = ResultsMessage((FunctionResult("call_1", "a", "A chart.", media=(PNG, SVG)),))
    history = History((UserMessage(("Go.",)), reply, results))
    again = format_named(name).read_history(sound(name, history, tools_of(name)))
    (result,) = again.messages[2].results if isinstance(again.messages[2], ResultsMessage) else ()
    assert (result.text, result.media) == ("A chart.", (PNG,))


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_who_speaks_first_is_the_user(name: str) -> None:
    thought = Opaque("elsewhere", {"type": "secret"})
    history = History((UserMessage((thought,)), ModelReply((Text("Hello."),))))
    sent = json.dumps(sound(name, history))
    assert BEGINNING in sent
    assert "secret" not in sent


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_neighbours_of_one_role_become_one_message_where_they_have_to(name: str) -> None:
    replies = (ModelReply((Text("a"),)), ModelReply((Text("b"),)))
    empty = ResultsMessage(())
    users = (UserMessage(("Go.",)), UserMessage(("",)), UserMessage(("On.",)))
    again = format_named(name).read_history(sound(name, History((*users, empty, *replies))))
    takes_neighbours = name in ("openai-chat", "openai-responses", "ollama")
    kinds = [UserMessage, *[UserMessage] * takes_neighbours, ModelReply]
    assert [type(message) for message in again.messages] == kinds


OPERATOR: dict[str, Json] = {
    "openai-chat": {"role": "developer", "content": "Be brief."},
    "mistral": {"role": "system", "content": "Be brief."},
    "ollama": {"role": "system", "content": "Be brief."},
    "openai-responses": {"role": "developer", "content": "Be brief."},
    "anthropic": {"role": "system", "content": "Be brief."},
}


@pytest.mark.parametrize("name", OPERATOR)
def test_what_an_operator_says_in_between_keeps_its_place(name: str) -> None:
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "I do."}]
    later = [OPERATOR[name], {"role": "user", "content": "On."}]
    member = "input" if name == "openai-responses" else "messages"
    form = format_named(name)
    again = form.request(form.read_history({member: [*said, *later]}))
    assert plain(again[member]) == [*said, *later]


def test_what_holds_for_the_whole_conversation_is_its_system_text() -> None:
    system = [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}]
    turn = {"role": "user", "content": "Go."}
    bodies: dict[str, Json] = {
        "openai-chat": {"messages": [{"role": "developer", "content": system}, turn]},
        "ollama": {"messages": [{"role": "system", "content": "Be brief.\nBe kind."}, turn]},
        "anthropic": {"system": system, "messages": [turn]},
        "gemini": {
            "systemInstruction": {"parts": [{"text": part["text"]} for part in system]},
            "contents": {"parts": [{"text": "Go."}]},
        },
        "openai-responses": {"instructions": "Be brief.\nBe kind.", "input": "Go."},
    }
    for name, body in bodies.items():
        history = format_named(name).read_history(body)
        assert history == History((UserMessage(("Go.",)),), "Be brief.\nBe kind."), name
        assert format_named(name).read_history(format_named(name).request(history)) == history
    first = {"role": "system", "content": "Be brief."}
    body = {"instructions": "Be kind.", "input": [first, turn]}
    assert format_named("openai-responses").read_history(body).system == "Be kind.\n\nBe brief."


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_role_that_is_not_documented_is_an_error_that_names_it(name: str) -> None:
    member = {"gemini": "contents", "openai-responses": "input"}.get(name, "messages")
    body = {member: [{"role": "narrator", "content": "x", "parts": []}]}
    with pytest.raises(ReplyError, match=f"{member}/0/role is 'narrator'; accepted: 'user'|system"):
        format_named(name).read_history(body)


FOREIGN_PARTS: dict[str, Json] = {
    "openai-chat": {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    "mistral": {"type": "document_url", "document_url": "https://example.org/a.pdf"},
    "openai-responses": {"type": "input_file", "file_id": "file_1"},
    "anthropic": {"type": "image", "source": {"type": "url", "url": "https://example.org/a"}},
    "gemini": {"fileData": {"fileUri": "https://example.org/a.pdf"}},
}


@pytest.mark.parametrize("name", FOREIGN_PARTS)
def test_what_a_user_sent_in_a_providers_own_form_goes_back_to_it_alone(name: str) -> None:
    part = FOREIGN_PARTS[name]
    member = {"gemini": "contents", "openai-responses": "input"}.get(name, "messages")
    message = {"role": "user", "parts" if name == "gemini" else "content": [part]}
    history = format_named(name).read_history({member: [message]})
    assert part in list(objects(sound(name, history)))
    other = History((*history.messages, UserMessage(("Go.",))))
    for elsewhere in set(FORMAT_NAMES) - {name}:
        assert "example.org" not in json.dumps(sound(elsewhere, other))


def test_items_of_the_providers_own_tools_keep_their_place() -> None:
    items: list[Json] = [
        {"role": "user", "content": "Go."},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "role": "assistant", "content": "Found.", "id": "msg_1"},
        {"type": "mcp_approval_response", "approval_request_id": "x", "approve": True},
        {"role": "user", "content": [{"type": "input_text", "text": "And?"}]},
    ]
    form = format_named("openai-responses")
    assert plain(form.request(form.read_history({"input": items}))["input"]) == plain(items)


def test_parts_of_results_that_are_no_text_are_told_as_json() -> None:
    call: Json = {"type": "function_call", "call_id": "1", "name": "a", "arguments": "{}"}
    file = {"type": "input_file", "file_id": "file_1"}
    output = [{"type": "input_text", "text": "See"}, file]
    answer: Json = {"type": "function_call_output", "call_id": "1", "output": output}
    history = format_named("openai-responses").read_history({"input": [call, answer]})
    wanted = FunctionResult("1", "a", 'See\n{"type":"input_file","file_id":"file_1"}')
    assert history.messages[1] == ResultsMessage((wanted,))
    used: Json = {"type": "tool_use", "id": "1", "name": "a", "input": {}}
    reference = {"type": "tool_reference", "tool_name": "b"}
    blocks = [{"type": "text", "text": "See"}, reference]
    result: Json = {"type": "tool_result", "tool_use_id": "1", "content": blocks}
    body = {
        "messages": [
            {"role": "assistant", "content": [used]},
            {"role": "user", "content": [result]},
        ]
    }
    found = format_named("anthropic").read_history(body).messages[1]
    told = 'See\n{"type":"tool_reference","tool_name":"b"}'
    assert found == ResultsMessage((FunctionResult("1", "a", told),))


def test_refusals_and_thoughts_go_back_as_parts_beside_the_text() -> None:
    refused = {"role": "assistant", "content": None, "refusal": "I cannot."}
    reply = format_named("openai-chat").read_reply({"choices": [{"message": refused}]})
    message = sound("openai-chat", called(*reply.parts, TWO[0]))["messages"][1]
    assert message["content"] == [{"type": "refusal", "refusal": "I cannot."}]
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    history = called(Opaque("mistral", thought), Text("Yes."), TWO[0])
    message = sound("mistral", history)["messages"][1]
    assert message["content"] == [thought, {"type": "text", "text": "Yes."}]
    assert sound("openai-chat", history)["messages"][1]["content"] == "Yes."


def test_words_of_an_operator_stand_between_those_of_the_user() -> None:
    """Also where both came to stand in one message of a neutral history."""
    for name, operator in OPERATOR.items():
        said = UserMessage(("Go.", Opaque(name, operator), "On."))
        body = format_named(name).request(History((said,)))
        messages = body["input" if name == "openai-responses" else "messages"]
        roles = [message["role"] for message in messages]
        assert roles == ["user", operator["role"], "user"]


def test_a_picture_of_ollama_of_an_unknown_kind_goes_back_as_it_came() -> None:
    message = {"role": "user", "content": "See", "images": ["AAAA"]}
    form = format_named("ollama")
    assert form.request(form.read_history({"messages": [message]}))["messages"] == [message]


def test_a_format_that_does_not_exist_is_an_error_that_names_those_that_do() -> None:
    with pytest.raises(ValueError, match="'claude'; accepted are openai-chat, openai-responses"):
        format_named("claude")


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_the_name_of_a_format_finds_it(name: str) -> None:
    form = format_named(name)
    assert form.name == name
    assert form.check_tools(tools_of(name).value) == []
