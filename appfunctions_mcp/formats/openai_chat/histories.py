"""Histories as messages of Chat Completions, both ways; Mistral's have the same form.

The results of a reply's calls stand right behind it, one message for each. Errors have no mark
of their own here: their text tells of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import CallReader, json_text
from appfunctions_mcp.formats.call_writing import (
    CallIds,
    result_text,
    written_arguments,
    written_name,
)
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.history_reading import ReadMessages, past_reply, text_in
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.openai_chat.message_form import OPENAI_CHAT, MessageForm
from appfunctions_mcp.formats.openai_chat.replies import message_extras, message_parts
from appfunctions_mcp.formats.reply_faults import objects_in, other_form
from appfunctions_mcp.formats.turns import sent_turns
from appfunctions_mcp.formats.user_media import media_of, media_of_address, told_media

__all__ = ["history_in", "history_of", "request_in", "request_of"]

_ROLES = "'system', 'developer', 'user', 'assistant' or 'tool'"
Json = dict[str, Any]


def request_of(history: History, tools: ExportedTools | None = None) -> Json:
    """The members of a request that hold the history; as in `ModelFormat.request`."""
    return request_in(OPENAI_CHAT, history, tools)


def history_of(body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
    """The history that a request body holds; as in `ModelFormat.read_history`.

    Raises:
        ReplyError: A member has a form that is not documented; names it.
    """
    return history_in(OPENAI_CHAT, body, tools)


def request_in(form: MessageForm, history: History, tools: ExportedTools | None) -> Json:
    """A request of a form.

    Args:
        form: The provider's.
        history: Every call has its result right behind its reply.
        tools: What the model may call.
    """
    ids = form.call_ids()
    messages: list[Json] = []
    if history.system:
        messages.append({"role": "system", "content": history.system})
    for turn in sent_turns(history, form.format_name, joins_users=form.joins_users):
        if isinstance(turn, UserMessage):
            if form.after_results and messages and messages[-1]["role"] == "tool":
                messages.append({"role": "assistant", "content": form.after_results})
            messages += _user_messages(turn, form)
        elif isinstance(turn, ModelReply):
            messages.append(_reply_message(turn, ids, tools))
        else:
            messages += [_result_message(each, form, ids, tools) for each in turn.results]
    last = messages[-1] if messages else {}
    if form.marks_begun_reply and last.get("role") == "assistant" and "tool_calls" not in last:
        last["prefix"] = True
    declared = {"tools": tools.value} if tools and tools.value else {}
    return {"messages": messages, **declared}


def _user_messages(message: UserMessage, form: MessageForm) -> Iterator[Json]:
    parts: list[Json] = []
    for part in message.parts:
        # What an operator says in between is kept as a whole message.
        if isinstance(part, Opaque) and "role" in part.value:
            if parts:
                yield {"role": "user", "content": _content(parts)}
            parts = []
            yield dict(part.value)
        else:
            parts.append(_user_part(part, form))
    if parts:
        yield {"role": "user", "content": _content(parts)}


def _user_part(part: UserPart, form: MessageForm) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Opaque):
        return dict(part.value)
    return form.media_part(part) or {"type": "text", "text": told_media(part)}


def _content(parts: list[Json]) -> str | list[Json]:
    if len(parts) == 1 and set(parts[0]) == {"type", "text"}:
        return str(parts[0]["text"])
    return parts


def _reply_message(reply: ModelReply, ids: CallIds, tools: ExportedTools | None) -> Json:
    extras = reply.verbatim.value if reply.verbatim else {}
    message: Json = {"role": "assistant", **extras}
    said = [part for part in reply.parts if not isinstance(part, FunctionCall)]
    if all(isinstance(part, Text) and part.verbatim is None for part in said):
        if reply.text:
            message["content"] = reply.text
    else:
        message["content"] = [_said_part(part) for part in said]
    if reply.calls:
        message["tool_calls"] = [_call(call, ids, tools) for call in reply.calls]
    return message


def _said_part(part: Text | Opaque) -> Json:
    if isinstance(part, Opaque):
        return dict(part.value)
    return dict(part.verbatim.value) if part.verbatim else {"type": "text", "text": part.text}


def _call(call: FunctionCall, ids: CallIds, tools: ExportedTools | None) -> Json:
    if call.verbatim is not None:
        return {**call.verbatim.value, "id": ids.written(call.id)}
    arguments = json_text(written_arguments(call, tools))
    function = {"name": written_name(call.name, tools), "arguments": arguments}
    return {"type": "function", "id": ids.written(call.id), "function": function}


def _result_message(
    result: FunctionResult, form: MessageForm, ids: CallIds, tools: ExportedTools | None
) -> Json:
    named = {"name": written_name(result.name, tools)} if form.names_results else {}
    call_id = ids.written(result.call_id)
    return {"role": "tool", "tool_call_id": call_id, **named, "content": result_text(result)}


def history_in(form: MessageForm, body: Mapping[str, Any], tools: ExportedTools | None) -> History:
    """The history in a request of a form.

    Args:
        form: The provider's.
        body: Of the request.
        tools: What the model could call.

    Raises:
        ReplyError: As `history_of`.
    """
    reader = CallReader(tools, "history", keeps_ids=True)
    read = ReadMessages()
    for place, message in enumerate(objects_in(body.get("messages"), "messages")):
        role = message.get("role")
        if role in ("system", "developer") and not read.has_begun:
            read.add_system(text_in(message.get("content")))
        elif role in ("system", "developer"):
            read.add(UserMessage((Opaque(form.format_name, dict(message)),)))
        elif role == "user":
            read.add(_user_message(message, form.format_name))
        elif role == "assistant":
            if not form.after_results or message.get("content") != form.after_results:
                extras = message_extras(message, form.format_name)
                read.add(past_reply(message_parts(message, reader, form.format_name), extras))
        elif role == "tool":
            call_id, name = str(message.get("tool_call_id") or ""), str(message.get("name") or "")
            read.add_result(FunctionResult(call_id, name, text_in(message.get("content"))))
        else:
            raise other_form(f"messages/{place}/role", role, _ROLES)
    return read.history()


def _user_message(message: Mapping[str, Any], format_name: str) -> UserMessage:
    content = message.get("content")
    if isinstance(content, str):
        return UserMessage((content,))
    parts = objects_in(content, "content")
    return UserMessage(tuple(_read_user_part(part, format_name) for part in parts))


def _read_user_part(part: Mapping[str, Any], format_name: str) -> UserPart:
    kind = part.get("type")
    value = part.get(str(kind))
    media = None
    if kind == "text" and isinstance(value, str) and len(part) == len(("type", "text")):
        return value
    if kind == "image_url":
        media = media_of_address(value.get("url") if isinstance(value, Mapping) else value)
    elif kind == "input_audio" and isinstance(value, Mapping):
        mime_type = {"wav": "audio/wav", "mp3": "audio/mpeg"}.get(str(value.get("format")))
        media = media_of(value.get("data"), mime_type)
    return media or Opaque(format_name, dict(part))
