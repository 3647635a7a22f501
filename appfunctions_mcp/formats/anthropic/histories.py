"""Histories as messages of Anthropic's Messages, both ways.

The results of a reply's calls begin the user's next message, and what the user says follows in
it (field case F76). Thoughts come first in their turn, or not at all.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.anthropic.replies import ACCEPTED_NAME, FORMAT, block_parts
from appfunctions_mcp.formats.anthropic.result_blocks import (
    picture_block,
    picture_of,
    read_result,
    result_block,
)
from appfunctions_mcp.formats.anthropic.told_calls import has_calls, with_calls_told
from appfunctions_mcp.formats.call_reading import CallReader
from appfunctions_mcp.formats.call_writing import CallIds, written_arguments, written_name
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.history_reading import ReadMessages, past_reply, text_in
from appfunctions_mcp.formats.messages import (
    History,
    ModelReply,
    Opaque,
    ReplyPart,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.reply_faults import objects_in, other_form
from appfunctions_mcp.formats.turns import sent_turns
from appfunctions_mcp.formats.user_media import told_media
from appfunctions_mcp.lazy_regex import regex

__all__ = ["history_of", "request_of"]

_ID = regex(r"(?!srvtoolu_)[a-zA-Z0-9_-]{1,64}")
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
Json = dict[str, Any]


def request_of(history: History, tools: ExportedTools | None = None) -> Json:
    """The members of a request that hold the history; as in `ModelFormat.request`.

    Where the history has calls and no tools are given, such as in a last request for an answer,
    Anthropic takes neither blocks of calls nor a request that declares nothing (field case F81
    asks for one): the calls and their results are then told in words.
    """
    declared = tools.value if tools else None
    if not declared and has_calls(history):
        history = with_calls_told(history)
    ids = CallIds(_ID, lambda digits: f"toolu_{digits[:24]}")
    messages: list[Json] = []
    for turn in sent_turns(history, FORMAT, lambda text: bool(text.strip())):
        if isinstance(turn, UserMessage):
            for part in turn.parts:
                _add_user_part(messages, part)
        elif isinstance(turn, ModelReply):
            blocks = _with_thoughts_first([_block(part, ids, tools) for part in turn.parts])
            if blocks:
                messages.append({"role": "assistant", "content": blocks})
        else:
            _add(messages, "user", [result_block(each, ids) for each in turn.results])
    _end_without_space(messages)
    body: Json = {"system": history.system} if history.system.strip() else {}
    return {**body, "messages": messages, **({"tools": declared} if declared else {})}


def _add(messages: list[Json], role: str, blocks: list[Json]) -> None:
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += blocks
    else:
        messages.append({"role": role, "content": blocks})


def _add_user_part(messages: list[Json], part: UserPart) -> None:
    # What an operator says in between is kept as a whole message.
    if isinstance(part, Opaque) and "role" in part.value:
        messages.append(dict(part.value))
    elif isinstance(part, Opaque):
        _add(messages, "user", [dict(part.value)])
    elif isinstance(part, str):
        _add(messages, "user", [{"type": "text", "text": part}])
    else:
        block = picture_block(part) or {"type": "text", "text": told_media(part)}
        _add(messages, "user", [block])


def _block(part: ReplyPart, ids: CallIds, tools: ExportedTools | None) -> Json:
    if isinstance(part, Opaque):
        return dict(part.value)
    if isinstance(part, Text):
        return dict(part.verbatim.value) if part.verbatim else {"type": "text", "text": part.text}
    if part.verbatim is not None:
        return {**part.verbatim.value, "id": ids.written(part.id)}
    return {
        "type": "tool_use",
        "id": ids.written(part.id),
        "name": written_name(part.name, tools),
        "input": written_arguments(part, tools),
    }


def _with_thoughts_first(blocks: list[Json]) -> list[Json]:
    """Without thoughts that stand where none may: unsigned, not first, behind a call, or last."""
    kept: list[Json] = []
    begins_with_thought = bool(blocks) and blocks[0].get("type") in _THOUGHTS
    has_called = False
    for block in blocks:
        has_called = has_called or block.get("type") == "tool_use"
        is_signed = bool(block.get("signature") or block.get("data"))
        may_stay = begins_with_thought and is_signed and not has_called
        if block.get("type") not in _THOUGHTS or may_stay:
            kept.append(block)
    while kept and kept[-1].get("type") in _THOUGHTS:
        kept.pop()
    if any(block.get("type") in _THOUGHTS for block in kept):
        is_first = kept[0].get("type") in _THOUGHTS
        return kept if is_first else [b for b in kept if b.get("type") not in _THOUGHTS]
    return kept


def _end_without_space(messages: list[Json]) -> None:
    """A reply that the model goes on with ends in no white space, which is refused."""
    last = messages[-1] if messages else {}
    if last.get("role") == "assistant" and last["content"][-1].get("type") == "text":
        text = last["content"][-1]["text"].rstrip()
        last["content"][-1] = {**last["content"][-1], "text": text}


def history_of(body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
    """The history that a request body holds; as in `ModelFormat.read_history`.

    Raises:
        ReplyError: A member has a form that is not documented; names it.
    """
    reader = CallReader(tools, "history", keeps_ids=True, accepted_name=ACCEPTED_NAME)
    read = ReadMessages()
    read.add_system(text_in(body.get("system"), "system"))
    for place, message in enumerate(objects_in(body.get("messages"), "messages")):
        role, content = message.get("role"), message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if role == "user":
            _read_user_message(read, objects_in(blocks, "content"))
        elif role == "assistant":
            read.add(past_reply(block_parts(objects_in(blocks, "content"), reader)))
        elif role == "system":
            read.add(UserMessage((Opaque(FORMAT, dict(message)),)))
        else:
            raise other_form(f"messages/{place}/role", role, "'user', 'assistant' or 'system'")
    return read.history()


def _read_user_message(read: ReadMessages, blocks: list[Mapping[str, Any]]) -> None:
    parts: list[UserPart] = []
    for block in blocks:
        if block.get("type") == "tool_result":
            read.add_result(read_result(block))
        elif block.get("type") == "text" and isinstance(block.get("text"), str):
            parts.append(block["text"])
        else:
            parts.append(picture_of(block) or Opaque(FORMAT, dict(block)))
    if parts or not blocks:
        read.add(UserMessage(tuple(parts)))
