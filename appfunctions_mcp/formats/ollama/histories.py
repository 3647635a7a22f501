"""Histories as messages of Ollama's `/api/chat`, both ways.

Results are found by their order and their names, contents are text, pictures stand beside them.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import CallReader, own_name
from appfunctions_mcp.formats.call_writing import result_text, written_arguments, written_name
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.history_reading import ReadMessages, past_reply
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.ollama.replies import (
    ANY_NAME,
    FORMAT,
    message_extras,
    message_parts,
)
from appfunctions_mcp.formats.reply_faults import objects_in, other_form
from appfunctions_mcp.formats.turns import sent_turns
from appfunctions_mcp.formats.user_media import base64_of, media_of, told_media
from appfunctions_mcp.media import Image

__all__ = ["history_of", "request_of"]

_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp"})
_BEGINNINGS = {"iVBOR": "image/png", "/9j/": "image/jpeg", "UklGR": "image/webp"}
"""How base64 of a kind of picture begins."""
Json = dict[str, Any]


def request_of(history: History, tools: ExportedTools | None = None) -> Json:
    """The members of a request that hold the history; as in `ModelFormat.request`."""
    messages: list[Json] = []
    if history.system:
        messages.append({"role": "system", "content": history.system})
    name_of: dict[str, str] = {}
    for turn in sent_turns(history, FORMAT, joins_users=False):
        if isinstance(turn, UserMessage):
            messages += _user_messages(turn)
        elif isinstance(turn, ModelReply):
            calls = [_call(call, tools) for call in turn.calls]
            names = [call["function"]["name"] for call in calls]
            name_of |= dict(zip((call.id for call in turn.calls), names, strict=True))
            extras = turn.verbatim.value if turn.verbatim else {}
            message = {"role": "assistant", "content": turn.text, **extras}
            messages.append({**message, "tool_calls": calls} if calls else message)
        else:
            messages += [_result_message(each, name_of, tools) for each in turn.results]
    declared = {"tools": tools.value} if tools and tools.value else {}
    return {"messages": messages, **declared}


def _user_messages(message: UserMessage) -> list[Json]:
    written: list[Json] = []
    texts: list[str] = []
    images: list[str] = []

    def end_message() -> None:
        if texts or images:
            beside = {"images": [*images]} if images else {}
            written.append({"role": "user", "content": "\n".join(texts), **beside})
            texts.clear()
            images.clear()

    for part in message.parts:
        if isinstance(part, Opaque):
            end_message()
            written.append(dict(part.value))
        elif isinstance(part, Image) and part.mime_type in _PICTURES:
            images.append(base64_of(part))
        else:
            texts.append(part if isinstance(part, str) else told_media(part))
    end_message()
    return written


def _call(call: FunctionCall, tools: ExportedTools | None) -> Json:
    if call.verbatim is not None:
        return dict(call.verbatim.value)
    name = written_name(call.name, tools)
    return {"function": {"name": name, "arguments": written_arguments(call, tools)}}


def _result_message(
    result: FunctionResult, name_of: Mapping[str, str], tools: ExportedTools | None
) -> Json:
    name = name_of.get(result.call_id) or written_name(result.name, tools)
    return {"role": "tool", "tool_name": name, "content": result_text(result)}


def history_of(body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
    """The history that a request body holds; as in `ModelFormat.read_history`.

    Raises:
        ReplyError: A member has a form that is not documented; names it.
    """
    reader = CallReader(tools, "history", keeps_ids=True, accepted_name=ANY_NAME)
    read = ReadMessages()
    for place, message in enumerate(objects_in(body.get("messages"), "messages")):
        role, content = message.get("role"), str(message.get("content") or "")
        if role == "system" and not read.has_begun:
            read.add_system(content)
        elif role == "system":
            read.add(UserMessage((Opaque(FORMAT, dict(message)),)))
        elif role == "user":
            read.add(UserMessage(_user_parts(message)))
        elif role == "assistant":
            read.add(past_reply(message_parts(message, reader), message_extras(message)))
        elif role == "tool":
            name = own_name(str(message.get("tool_name") or message.get("name") or ""), tools)
            read.add_result(FunctionResult(read.waiting_id(), name, content))
        else:
            accepted = "'system', 'user', 'assistant' or 'tool'"
            raise other_form(f"messages/{place}/role", role, accepted)
    return read.history()


def _user_parts(message: Mapping[str, Any]) -> tuple[UserPart, ...]:
    text = str(message.get("content") or "")
    pictures = [(_kind_of(each), each) for each in message.get("images") or ()]
    media = [media_of(each, kind) for kind, each in pictures]
    if not all(media):
        return (Opaque(FORMAT, dict(message)),)
    return (*([text] if text or not media else []), *(each for each in media if each))


def _kind_of(content: Any) -> str:
    kinds = (kind for start, kind in _BEGINNINGS.items() if str(content).startswith(start))
    return next(kinds, "")
