"""Replies of Chat Completions, to neutral ones; Mistral's have the same form."""

from collections.abc import Iterator, Mapping
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
from appfunctions_mcp.formats.reply_faults import (
    no_content,
    no_member,
    objects_in,
    refuse_failure,
    require_object,
)
from appfunctions_mcp.formats.token_counts import token_count

__all__ = ["FORMAT", "message_extras", "message_parts", "read_reply", "reply_of"]

FORMAT = "openai-chat"
_STOPS = {
    "stop": ReplyStop.END,
    "eos": ReplyStop.END,
    "tool_calls": ReplyStop.CALLS,
    "function_call": ReplyStop.CALLS,
    "length": ReplyStop.LENGTH,
    "model_length": ReplyStop.LENGTH,
    "content_filter": ReplyStop.REFUSED,
}
_UNDERSTOOD = frozenset(
    {"role", "content", "tool_calls", "function_call", "refusal", "annotations", "audio", "prefix"}
)
Json = Mapping[str, Any]


def read_reply(body: Json, tools: ExportedTools | None = None) -> ModelReply:
    """A reply out of a response body; as in `ModelFormat.read_reply`.

    Calls are found in any choice and in the older member `function_call` (field case F82).

    Raises:
        ReplyError: There is neither text nor a call in it; names what is.
    """
    return reply_of(body, tools, FORMAT)


def reply_of(
    body: Json, tools: ExportedTools | None, format_name: str, *, is_whole: bool = True
) -> ModelReply:
    """A reply out of a body of the form that OpenAI and Mistral share.

    Args:
        body: Of the response.
        tools: What the model could call.
        format_name: The format's.
        is_whole: Whether the reply came to its end.

    Raises:
        ReplyError: As `read_reply`.
    """
    refuse_failure(body)
    choices = objects_in(body.get("choices"), "choices")
    if not choices:
        raise no_member("choices", body)
    choice = next(filter(_calls_of, choices), None) or next(filter(_has_text, choices), choices[0])
    message = _message_of(choice)
    ended_by = choice.get("finish_reason")
    told = _STOPS.get(str(ended_by), ReplyStop.OTHER)
    reader = CallReader(tools, str(body.get("id") or ""))
    was_cut = ends_early(told) or not is_whole
    parts = tuple(message_parts(message, reader, format_name, was_cut=was_cut))
    if not any(isinstance(part, FunctionCall) or _is_text(part) for part in parts):
        kinds = [name for name, value in message.items() if value not in (None, "", [])]
        raise no_content(kinds, ended_by, has_refused=told is ReplyStop.REFUSED)
    return ModelReply(
        parts,
        ReplyStop.REFUSED if message.get("refusal") else stop_of(told, parts),
        _usage_of(body.get("usage")),
        str(body.get("model") or ""),
        message_extras(message, format_name),
    )


def _message_of(choice: Json) -> Json:
    return require_object(choice.get("message") or {}, "message")


def _calls_of(choice: Json) -> Any:
    message = _message_of(choice)
    return message.get("tool_calls") or message.get("function_call")


def _has_text(choice: Json) -> bool:
    message = _message_of(choice)
    return any(message.get(name) for name in ("content", "refusal", "audio"))


def _is_text(part: ReplyPart) -> bool:
    return isinstance(part, Text) and part.text != ""


def message_parts(
    message: Json, reader: CallReader, format_name: str, *, was_cut: bool = False
) -> Iterator[ReplyPart]:
    """The parts of a message of an assistant: its content, then its calls.

    Args:
        message: Of a reply or a history.
        reader: Reads the calls.
        format_name: The format's.
        was_cut: Whether the message ended too early.

    Raises:
        ReplyError: A member has a form that is not documented.
    """
    yield from _content_parts(message, format_name)
    calls = objects_in(message.get("tool_calls"), "tool_calls")
    if message.get("function_call"):
        calls.append({"function": require_object(message["function_call"], "function_call")})
    for place, call in enumerate(calls):
        is_last = place == len(calls) - 1
        yield _call_of(call, reader, format_name, was_cut=was_cut and is_last)


def _content_parts(message: Json, format_name: str) -> Iterator[ReplyPart]:
    content = message.get("content")
    if isinstance(content, str):
        yield Text(content)
    else:
        for part in objects_in(content, "content"):
            yield _content_part(part, format_name)
    refusal = message.get("refusal")
    if refusal:
        yield Text(str(refusal), Opaque(format_name, {"type": "refusal", "refusal": refusal}))
    audio = message.get("audio")
    # The sound itself expires at the provider, so its words go on.
    if isinstance(audio, Mapping) and audio.get("transcript"):
        yield Text(str(audio["transcript"]))


def _content_part(part: Json, format_name: str) -> ReplyPart:
    whole = Opaque(format_name, dict(part))
    kind = part.get("type")
    if kind in ("text", "refusal") and isinstance(part.get(kind), str):
        is_plain = kind == "text" and set(part) == {"type", "text"}
        return Text(part[kind], None if is_plain else whole)
    return whole


def _call_of(call: Json, reader: CallReader, format_name: str, *, was_cut: bool) -> FunctionCall:
    function = require_object(call.get("function") or {}, "function")

    def verbatim(call_id: str, arguments: dict[str, Any]) -> Opaque:
        text = function.get("arguments")
        is_exact = isinstance(text, str) and text.startswith("{") and text.endswith("}")
        written = text if is_exact else json_text(arguments)
        rest = {name: value for name, value in call.items() if name != "index"}
        said = {**function, "arguments": written}
        return Opaque(format_name, {"type": "function", **rest, "id": call_id, "function": said})

    name, arguments = function.get("name"), function.get("arguments")
    return reader.read(call.get("id"), name, arguments, verbatim, was_cut=was_cut)


def message_extras(message: Json, format_name: str) -> Opaque | None:
    """What only the provider understands beside the content and the calls, such as thoughts."""
    extras = {
        name: value
        for name, value in message.items()
        if name not in _UNDERSTOOD and value not in (None, "", [], {})
    }
    return Opaque(format_name, extras) if extras else None


def _usage_of(usage: Any) -> Usage:
    return Usage(
        token_count(usage, "prompt_tokens"),
        token_count(usage, "completion_tokens"),
        token_count(usage, "prompt_tokens_details", "cached_tokens"),
    )
