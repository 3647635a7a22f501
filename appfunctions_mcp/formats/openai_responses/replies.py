"""Replies of OpenAI's Responses, to neutral ones.

Messages and calls are kept as whole items beside their text, thoughts and what the provider's own
tools did as whole items alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import CallReader, ends_early, json_text, stop_of
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
from appfunctions_mcp.formats.reply_faults import kinds_in, no_content, objects_in, refuse_failure
from appfunctions_mcp.formats.token_counts import token_count

__all__ = ["FORMAT", "item_parts", "kind_of", "read_reply"]

FORMAT = "openai-responses"
_STOPS = {
    "completed": ReplyStop.END,
    "max_output_tokens": ReplyStop.LENGTH,
    "content_filter": ReplyStop.REFUSED,
}
_NOT_DONE = ("incomplete", "in_progress", "queued", "cancelled")
"""What the status of a response or an item says where it did not come to its end."""
Json = Mapping[str, Any]


def read_reply(
    body: Json, tools: ExportedTools | None = None, *, is_whole: bool = True
) -> ModelReply:
    """A reply out of a response body, or out of what came of it; as in `ModelFormat.read_reply`.

    Args:
        body: Of the response.
        tools: What the model could call.
        is_whole: Whether the reply came to its end.

    Raises:
        ReplyError: There is neither text nor a call in it; names what is.
    """
    refuse_failure(body)
    if body.get("status") == "failed":
        raise ReplyError("the provider tells of a failure: the response has failed")
    if "output" not in body:
        raise ReplyError(f"the reply has no 'output'; it has {kinds_in(body)}")
    items = objects_in(body["output"], "output")
    ended_by = _ended_by(body)
    told = _STOPS.get(ended_by, ReplyStop.OTHER)
    reader = CallReader(tools, str(body.get("id") or ""))
    was_cut = ends_early(told) or not is_whole or ended_by in _NOT_DONE
    parts = tuple(item_parts(items, reader, was_cut=was_cut))
    if not any(isinstance(p, FunctionCall) or (isinstance(p, Text) and p.text) for p in parts):
        raise no_content(map(kind_of, items), ended_by, has_refused=told is ReplyStop.REFUSED)
    has_refused = any(_refusal_in(item) for item in items)
    stop = ReplyStop.REFUSED if has_refused else stop_of(told, parts)
    return ModelReply(parts, stop, _usage_of(body.get("usage")), str(body.get("model") or ""))


def _ended_by(body: Json) -> str:
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return str(reason or body.get("status") or "completed")


def kind_of(item: Json) -> str:
    """The type of an item, which messages need not name."""
    return str(item.get("type") or ("message" if "role" in item else "item_reference"))


def item_parts(
    items: Iterable[Json], reader: CallReader, *, was_cut: bool = False
) -> Iterator[ReplyPart]:
    """The parts of what a model said, one for each item.

    Args:
        items: Of a reply or a history, all of the model.
        reader: Reads the calls.
        was_cut: Whether the last one ended too early.
    """
    listed = list(items)
    for place, item in enumerate(listed):
        is_last = place == len(listed) - 1
        kind = kind_of(item)
        if kind == "message":
            yield Text(_text_of(item), Opaque(FORMAT, dict(item)))
        elif kind == "function_call":
            is_cut = (was_cut and is_last) or item.get("status") in _NOT_DONE
            yield _call_of(item, reader, was_cut=is_cut)
        else:
            yield Opaque(FORMAT, dict(item))


def _text_of(item: Json) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = objects_in(content, "content")
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in parts)


def _refusal_in(item: Json) -> bool:
    content = item.get("content") if kind_of(item) == "message" else None
    parts = content if isinstance(content, list) else []
    return any(isinstance(part, Mapping) and part.get("refusal") for part in parts)


def _call_of(item: Json, reader: CallReader, *, was_cut: bool) -> FunctionCall:
    def verbatim(call_id: str, arguments: dict[str, Any]) -> Opaque:
        text = item.get("arguments")
        is_exact = isinstance(text, str) and text.startswith("{") and text.endswith("}")
        written = text if is_exact else json_text(arguments)
        return Opaque(FORMAT, {**item, "call_id": call_id, "arguments": written})

    name, arguments = item.get("name"), item.get("arguments")
    return reader.read(item.get("call_id"), name, arguments, verbatim, was_cut=was_cut)


def _usage_of(usage: Any) -> Usage:
    return Usage(
        token_count(usage, "input_tokens"),
        token_count(usage, "output_tokens"),
        token_count(usage, "input_tokens_details", "cached_tokens"),
    )
