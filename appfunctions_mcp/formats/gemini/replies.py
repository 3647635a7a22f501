"""Replies of Gemini's generateContent, to neutral ones.

Signatures stay in the parts in which they came, thoughts and what the provider's own tools did
are kept as whole parts (field case F80). Calls mostly have no ids, so that ids are made up.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import CallReader, ends_early, stop_of
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    ModelReply,
    Opaque,
    ReplyPart,
    ReplyStop,
    Text,
    Usage,
)
from appfunctions_mcp.formats.model_format import ReplyError
from appfunctions_mcp.formats.reply_faults import (
    no_content,
    no_member,
    objects_in,
    refuse_failure,
    require_object,
)
from appfunctions_mcp.formats.token_counts import token_count
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["ACCEPTED_NAME", "FORMAT", "model_parts", "read_reply", "spelled"]

FORMAT = "gemini"
ACCEPTED_NAME = regex(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}\Z")
_STOPS = {
    "STOP": ReplyStop.END,
    "MAX_TOKENS": ReplyStop.LENGTH,
    "SAFETY": ReplyStop.REFUSED,
    "RECITATION": ReplyStop.REFUSED,
    "BLOCKLIST": ReplyStop.REFUSED,
    "PROHIBITED_CONTENT": ReplyStop.REFUSED,
    "SPII": ReplyStop.REFUSED,
    "IMAGE_SAFETY": ReplyStop.REFUSED,
    "IMAGE_PROHIBITED_CONTENT": ReplyStop.REFUSED,
    "IMAGE_RECITATION": ReplyStop.REFUSED,
}
_CAPITAL = regex(r"(?=[A-Z])")
Json = Mapping[str, Any]


def spelled(value: Json, name: str) -> Any:
    """A member in either of its spellings, `functionCall` or `function_call`.

    Args:
        value: An object.
        name: In the first spelling.
    """
    found = value.get(name)
    return found if found is not None else value.get(_CAPITAL.sub("_", name).lower())


def read_reply(
    body: Json, tools: ExportedTools | None = None, *, is_whole: bool = True
) -> ModelReply:
    """A reply out of a response body, or out of what came of it; as in `ModelFormat.read_reply`.

    Calls are found in any candidate and any part (field case F82).

    Args:
        body: Of the response.
        tools: What the model could call.
        is_whole: Whether the reply came to its end.

    Raises:
        ReplyError: There is neither text nor a call in it; names what is.
    """
    refuse_failure(body)
    candidates = objects_in(body.get("candidates"), "candidates")
    if not candidates:
        raise _no_candidate(body)
    with_calls = (c for c in candidates if any(spelled(p, "functionCall") for p in _parts_of(c)))
    with_text = (c for c in candidates if any(p.get("text") for p in _parts_of(c)))
    candidate = next(with_calls, None) or next(with_text, candidates[0])
    blocked = _blocked_by(body)
    ended_by = spelled(candidate, "finishReason") or blocked
    told = ReplyStop.REFUSED if blocked else _STOPS.get(str(ended_by), ReplyStop.OTHER)
    reader = CallReader(tools, str(spelled(body, "responseId") or ""), accepted_name=ACCEPTED_NAME)
    found = _parts_of(candidate)
    said = (part for part in found if dict(part) != {"text": ""})
    was_cut = ends_early(told) or not is_whole
    parts = tuple(model_parts(said, reader, was_cut=was_cut))
    if not any(isinstance(p, FunctionCall) or (isinstance(p, Text) and p.text) for p in parts):
        kinds = ["thought" if p.get("thought") else name for p in found for name in p]
        words = filter(None, (ended_by, spelled(candidate, "finishMessage")))
        raise no_content(kinds, ": ".join(map(str, words)), has_refused=told is ReplyStop.REFUSED)
    usage = _usage_of(spelled(body, "usageMetadata"))
    model = str(spelled(body, "modelVersion") or "")
    return ModelReply(parts, stop_of(told, parts), usage, model)


def _no_candidate(body: Json) -> ReplyError:
    if reason := _blocked_by(body):
        return ReplyError(f"the provider refused the conversation: {quoted(reason)}")
    return no_member("candidates", body)


def _blocked_by(body: Json) -> str:
    """The provider's word for why it refused what was asked, with its explanation."""
    feedback = spelled(body, "promptFeedback")
    told = feedback if isinstance(feedback, Mapping) else {}
    words = (spelled(told, "blockReason"), spelled(told, "blockReasonMessage"))
    return ": ".join(str(word) for word in words if word)


def _parts_of(candidate: Json) -> list[Json]:
    content = require_object(candidate.get("content") or {}, "content")
    return objects_in(content.get("parts"), "parts")


def model_parts(
    parts: Iterable[Json], reader: CallReader, *, was_cut: bool = False
) -> Iterator[ReplyPart]:
    """The parts of a content of a model.

    Args:
        parts: Of a reply or a history.
        reader: Reads the calls.
        was_cut: Whether the content ended too early.
    """
    listed = list(parts)
    for place, part in enumerate(listed):
        is_last = place == len(listed) - 1
        call = spelled(part, "functionCall")
        whole = Opaque(FORMAT, dict(part))
        if isinstance(call, Mapping):
            yield _call_of(part, call, reader, was_cut=was_cut and is_last)
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            yield Text(part["text"], whole if set(part) != {"text"} else None)
        else:
            yield whole


def _call_of(part: Json, call: Json, reader: CallReader, *, was_cut: bool) -> FunctionCall:
    own_id, given = call.get("id"), call.get("args")

    def verbatim(call_id: str, arguments: dict[str, Any]) -> Opaque:
        changed: dict[str, Any] = {"id": call_id} if own_id and own_id != call_id else {}
        if given is not None and not isinstance(given, Mapping):
            changed = {**changed, "args": arguments}
        if not changed:
            return Opaque(FORMAT, dict(part))
        member = "functionCall" if part.get("functionCall") else "function_call"
        return Opaque(FORMAT, {**part, member: {**call, **changed}})

    # Where arguments were asked for in pieces, each piece is a part of its own, and none is whole.
    is_piece = spelled(call, "partialArgs") is not None or spelled(call, "willContinue")
    return reader.read(own_id, call.get("name"), given, verbatim, was_cut=was_cut or bool(is_piece))


def _usage_of(usage: Any) -> Usage:
    counted = usage if isinstance(usage, Mapping) else {}

    def count(name: str) -> int:
        return token_count(spelled(counted, name))

    return Usage(
        count("promptTokenCount") + count("toolUsePromptTokenCount"),
        count("candidatesTokenCount") + count("thoughtsTokenCount"),
        count("cachedContentTokenCount"),
    )
