"""Random histories: in order, cut anywhere, broken off, mixed from several providers."""

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from appfunctions_mcp.assistant.exchanges import Exchange, Step, messages_of
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    Opaque,
    ReplyPart,
    ReplyStop,
    ResultsMessage,
    Text,
    Usage,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.media import Audio, Image

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini", "mistral", "ollama")
NAMES = ("create_note", "search_notes", "notes-create", "Service_send", "a" * 90, "поиск")

_LETTERS = st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Z"])
texts = st.text(_LETTERS, min_size=1, max_size=12).filter(str.strip)
any_texts = st.one_of(texts, st.sampled_from(["", " ", "\n", "half \ud83d of a sign"]))
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-9, 9), texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)
    ),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from(["title", "limit", "due", "Größe"]), json_values)
_not_arguments = st.one_of(
    st.sampled_from([None, [], "text", 7, {"a": float("nan")}, {1: 2}]), json_values
)
media = st.sampled_from([Image(b"GIF89a", "image/gif"), Audio(b"RIFF", "audio/wav")])
FILES = (
    Opaque(
        "anthropic",
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "page"},
        },
    ),
    Opaque(
        "gemini",
        {"fileData": {"fileUri": "https://example.org/x", "mimeType": "application/pdf"}},
    ),
    Opaque("openai-responses", {"type": "input_file", "file_id": "file-1"}),
)
"""What users send that is neither text nor picture nor sound, in the forms of providers."""


def opaque_parts(origin: str) -> st.SearchStrategy[Opaque]:
    """What only one provider understands, as it sends it."""
    signed = st.sampled_from(["c2lnbmVk", "c2VhbGVk"])
    values: dict[str, st.SearchStrategy[dict[str, Any]]] = {
        "anthropic": st.one_of(
            st.fixed_dictionaries(
                {"type": st.just("thinking"), "thinking": texts, "signature": signed}
            ),
            st.fixed_dictionaries({"type": st.just("redacted_thinking"), "data": signed}),
        ),
        "gemini": st.fixed_dictionaries({"text": texts, "thought": st.just(value=True)}),
        "openai-responses": st.fixed_dictionaries(
            {
                "type": st.just("reasoning"),
                "id": st.uuids().map(lambda each: f"rs_{each.hex}"),
                "summary": st.just([]),
                "encrypted_content": signed,
            }
        ),
    }
    return st.builds(Opaque, st.just(origin), values[origin])


def verbatim_call(origin: str, call_id: str, name: str, arguments: Any) -> Opaque | None:
    """A call as a provider sends it, with something in it that has to go back."""
    values: dict[str, dict[str, Any]] = {
        "openai-responses": {
            "type": "function_call",
            "id": f"fc_{call_id}",
            "call_id": call_id,
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
        },
        "anthropic": {
            "type": "tool_use",
            "id": call_id,
            "name": name,
            "input": arguments,
            "caller": {"type": "direct"},
        },
        "gemini": {
            "functionCall": {"id": call_id, "name": name, "args": arguments},
            "thoughtSignature": "c2lnbmVk",
        },
    }
    return Opaque(origin, values[origin]) if origin in values else None


def calls(
    origin: str = "", ids: st.SearchStrategy[str] | None = None
) -> st.SearchStrategy[FunctionCall]:
    """Calls of a provider, or of none: then nothing is kept verbatim."""

    def made(call_id: str, name: str, arguments: Any, has_verbatim: bool) -> FunctionCall:
        kept = verbatim_call(origin, call_id, name, arguments) if has_verbatim else None
        return FunctionCall(call_id, name, arguments, verbatim=kept)

    some_ids = st.uuids().map(lambda each: f"call_{each.hex[:24]}") if ids is None else ids
    return st.builds(made, some_ids, st.sampled_from(NAMES[:4]), arguments, st.booleans())


def replies(
    origin: str = "", *, most_calls: int = 3, ids: st.SearchStrategy[str] | None = None
) -> st.SearchStrategy[ModelReply]:
    """Replies as a provider sends them: thoughts first, then text, then calls."""
    thoughts: st.SearchStrategy[list[ReplyPart]] = (
        st.lists(opaque_parts(origin), max_size=1)
        if origin in {"anthropic", "gemini", "openai-responses"}
        else st.just([])
    )
    said: st.SearchStrategy[list[ReplyPart]] = st.lists(st.builds(Text, texts), max_size=1)
    called: st.SearchStrategy[list[ReplyPart]] = st.lists(calls(origin, ids), max_size=most_calls)

    def made(first: list[ReplyPart], then: list[ReplyPart], last: list[ReplyPart]) -> ModelReply:
        parts = (*first, *then, *last) if then or last else (*first, Text("Done."))
        stop = ReplyStop.CALLS if last else ReplyStop.END
        return ModelReply(parts, stop, Usage(7, 3, 2), model="some-model")

    return st.builds(made, thoughts, said, called)


def result_of(call: FunctionCall) -> st.SearchStrategy[FunctionResult]:
    """Results of a call, good and bad."""
    return st.one_of(
        st.builds(
            FunctionResult,
            st.just(call.id),
            st.just(call.name),
            texts,
            structured=json_values,
            media=st.lists(media, max_size=1).map(tuple),
        ),
        st.builds(
            FunctionResult,
            st.just(call.id),
            st.just(call.name),
            texts,
            is_error=st.just(value=True),
        ),
    )


user_parts: st.SearchStrategy[UserPart] = st.one_of(texts, texts, media)
user_messages = st.lists(user_parts, min_size=1, max_size=2).map(
    lambda parts: UserMessage(tuple(parts))
)


@st.composite
def exchanges(draw: st.DrawFn, origin: str = "", ids: Any = None) -> Exchange:
    """Whole exchanges: every call has its result, and there is an answer."""
    user = tuple(draw(st.lists(user_messages, min_size=1, max_size=2)))
    steps = []
    for reply in draw(st.lists(replies(origin, ids=ids).filter(lambda r: r.calls), max_size=3)):
        results = tuple(draw(result_of(call)) for call in reply.calls)
        steps.append(Step(reply, results))
    return Exchange(user, tuple(steps), draw(replies(origin, most_calls=0)))


@st.composite
def whole_histories(draw: st.DrawFn, origin: str = "") -> History:
    """Histories that need no repair, with what one provider has sent."""
    said = draw(st.lists(exchanges(origin), min_size=1, max_size=3))
    question = Exchange((draw(user_messages),))
    messages = tuple(messages_of([*said, question]))
    system = draw(st.one_of(st.just(""), texts))
    return History(_each_user_once(messages), system)


def _each_user_once(messages: Iterable[Message]) -> tuple[Message, ...]:
    kept: list[Message] = []
    for message in messages:
        last = kept[-1] if kept else None
        if isinstance(message, UserMessage) and isinstance(last, UserMessage):
            kept[-1] = UserMessage(last.parts + message.parts)
        else:
            kept.append(message)
    return tuple(kept)


few_ids = st.sampled_from(["call_1", "call_2", "toolu_1", "functions.search:0", "", "ü" * 70])


@st.composite
def broken_messages(draw: st.DrawFn) -> Message:
    """Single messages without any order, as hand-edited or foreign histories have them."""
    kind = draw(st.sampled_from(["user", "reply", "results", "reply", "results"]))
    if kind == "user":
        part: st.SearchStrategy[UserPart] = st.one_of(any_texts, media, st.sampled_from(FILES))
        return UserMessage(tuple(draw(st.lists(part, max_size=2))))
    if kind == "results":
        results = st.builds(
            FunctionResult,
            few_ids,
            st.sampled_from(NAMES),
            any_texts,
            is_error=st.booleans(),
            structured=st.one_of(st.none(), json_values, st.just(float("inf"))),
        )
        return ResultsMessage(tuple(draw(st.lists(results, max_size=3))))
    origin = draw(st.sampled_from(FORMATS))
    reply = draw(replies(origin, ids=few_ids))
    return ModelReply(tuple(draw(_broken(part)) for part in reply.parts[: draw(st.integers(0, 4))]))


def _broken(part: ReplyPart) -> st.SearchStrategy[ReplyPart]:
    if isinstance(part, Text):
        return st.builds(Text, any_texts)
    if isinstance(part, Opaque):
        return st.just(part)
    bad = st.builds(
        FunctionCall,
        few_ids,
        st.sampled_from([*NAMES, ""]),
        _not_arguments,
        st.sampled_from(["", "The arguments were cut."]),
        st.just(part.verbatim),
    )
    return st.one_of(st.just(part), bad)


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Histories in any state: in order and cut at any place, or without any order at all."""
    if draw(st.booleans()):
        messages = draw(st.lists(broken_messages(), max_size=8))
    else:
        formats = draw(st.lists(st.sampled_from(FORMATS), min_size=1, max_size=3))
        said = [draw(exchanges(origin)) for origin in formats]
        messages = list(messages_of(said))
        first = draw(st.integers(0, len(messages)))
        messages = messages[first : draw(st.integers(first, len(messages)))]
    return History(tuple(messages), draw(any_texts))
