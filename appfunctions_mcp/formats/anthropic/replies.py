"""Replies of Anthropic's Messages, to neutral ones.

Thoughts with their signatures and what the provider's own tools did are kept as whole blocks.
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
from appfunctions_mcp.formats.reply_faults import kinds_in, no_content, objects_in, refuse_failure
from appfunctions_mcp.formats.token_counts import token_count
from appfunctions_mcp.lazy_regex import regex

__all__ = ["ACCEPTED_NAME", "FORMAT", "block_parts", "read_reply"]

FORMAT = "anthropic"
ACCEPTED_NAME = regex(r"[a-zA-Z0-9_-]{1,128}\Z")
_STOPS = {
    "end_turn": ReplyStop.END,
    "stop_sequence": ReplyStop.END,
    "tool_use": ReplyStop.CALLS,
    "max_tokens": ReplyStop.LENGTH,
    "model_context_window_exceeded": ReplyStop.LENGTH,
    "refusal": ReplyStop.REFUSED,
}
Json = Mapping[str, Any]


def read_reply(
    body: Json, tools: ExportedTools | None = None, *, is_whole: bool = True
) -> ModelReply:
    """A reply out of a response body, or out of what came of it; as in `ModelFormat.read_reply`.

    Args:
        body: Of the response; the input of a call may be the text that came of it.
        tools: What the model could call.
        is_whole: Whether the reply came to its end.

    Raises:
        ReplyError: There is neither text nor a call in it; names what is.
    """
    refuse_failure(body)
    if "content" not in body:
        raise ReplyError(f"the reply has no 'content'; it has {kinds_in(body)}")
    blocks = objects_in(body["content"], "content")
    told = _STOPS.get(str(body.get("stop_reason")), ReplyStop.OTHER)
    reader = CallReader(tools, str(body.get("id") or ""), accepted_name=ACCEPTED_NAME)
    was_cut = ends_early(told) or not is_whole
    said = (block for block in blocks if block.get("type") != "text" or block.get("text"))
    parts = tuple(block_parts(said, reader, was_cut=was_cut))
    if not any(isinstance(part, Text | FunctionCall) for part in parts):
        kinds = (block.get("type") for block in blocks)
        raise no_content(kinds, body.get("stop_reason"), has_refused=told is ReplyStop.REFUSED)
    model = str(body.get("model") or "")
    return ModelReply(parts, stop_of(told, parts), _usage_of(body.get("usage")), model)


def block_parts(
    blocks: Iterable[Json], reader: CallReader, *, was_cut: bool = False
) -> Iterator[ReplyPart]:
    """The parts of a message of an assistant.

    Args:
        blocks: Of a reply or a history.
        reader: Reads the calls.
        was_cut: Whether the message ended too early.
    """
    listed = list(blocks)
    for place, block in enumerate(listed):
        is_last = place == len(listed) - 1
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            says_more = any(v for name, v in block.items() if name not in ("type", "text"))
            yield Text(block["text"], Opaque(FORMAT, dict(block)) if says_more else None)
        elif kind == "tool_use":
            yield _call_of(block, reader, was_cut=was_cut and is_last)
        else:
            yield Opaque(FORMAT, dict(block))


def _call_of(block: Json, reader: CallReader, *, was_cut: bool) -> FunctionCall:
    def verbatim(call_id: str, arguments: dict[str, Any]) -> Opaque:
        return Opaque(FORMAT, {**block, "id": call_id, "input": arguments})

    name, arguments = block.get("name"), block.get("input")
    return reader.read(block.get("id"), name, arguments, verbatim, was_cut=was_cut)


def _usage_of(usage: Any) -> Usage:
    cached = token_count(usage, "cache_read_input_tokens")
    # What is read from the cache or put into it is not in the count of the input.
    kept = token_count(usage, "cache_creation_input_tokens")
    whole_input = token_count(usage, "input_tokens") + cached + kept
    return Usage(whole_input, token_count(usage, "output_tokens"), cached)
