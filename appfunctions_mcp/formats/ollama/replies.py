"""Replies of Ollama's `/api/chat`, to neutral ones.

Calls have arguments as objects and mostly no ids, so that ids are made up.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import CallReader, ends_early, stop_of
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    ModelReply,
    Opaque,
    ReplyStop,
    Text,
    Usage,
)
from appfunctions_mcp.formats.model_format import ReplyError
from appfunctions_mcp.formats.reply_faults import (
    kinds_in,
    no_content,
    objects_in,
    other_form,
    refuse_failure,
    require_object,
)
from appfunctions_mcp.formats.token_counts import token_count
from appfunctions_mcp.lazy_regex import regex

__all__ = ["ANY_NAME", "FORMAT", "message_extras", "message_parts", "read_reply"]

FORMAT = "ollama"
ANY_NAME = regex(r"(?s:.+)")
"""Names are free here."""
_STOPS = {"stop": ReplyStop.END, "length": ReplyStop.LENGTH}
_UNDERSTOOD = frozenset({"role", "content", "tool_calls"})
Json = Mapping[str, Any]


def read_reply(body: Json, tools: ExportedTools | None = None) -> ModelReply:
    """A reply out of a response body; as in `ModelFormat.read_reply`.

    Raises:
        ReplyError: There is neither text nor a call in it; names what is.
    """
    refuse_failure(body)
    if "message" not in body:
        raise ReplyError(f"the reply has no 'message'; it has {kinds_in(body)}")
    message = require_object(body["message"], "message")
    is_whole = body.get("done") is not False
    ended_by = body.get("done_reason") or ("stop" if is_whole else None)
    told = _STOPS.get(str(ended_by), ReplyStop.OTHER)
    reader = CallReader(tools, str(body.get("created_at") or ""), accepted_name=ANY_NAME)
    parts = tuple(message_parts(message, reader, was_cut=ends_early(told)))
    if not any(isinstance(part, FunctionCall) or part.text for part in parts):
        raise no_content([name for name, value in message.items() if value], ended_by)
    usage = Usage(token_count(body, "prompt_eval_count"), token_count(body, "eval_count"))
    model = str(body.get("model") or "")
    return ModelReply(parts, stop_of(told, parts), usage, model, message_extras(message))


def message_parts(
    message: Json, reader: CallReader, *, was_cut: bool = False
) -> Iterator[Text | FunctionCall]:
    """The parts of a message of an assistant: its text, then its calls.

    Args:
        message: Of a reply or a history.
        reader: Reads the calls.
        was_cut: Whether the message ended too early.

    Raises:
        ReplyError: A member has a form that is not documented.
    """
    content = message.get("content")
    if content and not isinstance(content, str):
        raise other_form("content", content, "text")
    if content:
        yield Text(content)
    calls = objects_in(message.get("tool_calls"), "tool_calls")
    for place, call in enumerate(calls):
        yield _call_of(call, reader, was_cut=was_cut and place == len(calls) - 1)


def _call_of(call: Json, reader: CallReader, *, was_cut: bool) -> FunctionCall:
    function = require_object(call.get("function") or {}, "function")

    def verbatim(_call_id: str, arguments: dict[str, Any]) -> Opaque:
        return Opaque(FORMAT, {**call, "function": {**function, "arguments": arguments}})

    name, arguments = function.get("name"), function.get("arguments")
    return reader.read(call.get("id"), name, arguments, verbatim, was_cut=was_cut)


def message_extras(message: Json) -> Opaque | None:
    """What stands beside the content and the calls, such as thoughts."""
    extras = {name: v for name, v in message.items() if name not in _UNDERSTOOD and v}
    return Opaque(FORMAT, extras) if extras else None
