"""Histories as items of OpenAI's Responses, both ways.

All items of the history are sent, so that nothing has to be stored at the provider. A thought
stays directly before what the model made of it, or is left out.
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
    ReplyPart,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.openai_responses.replies import FORMAT, item_parts, kind_of
from appfunctions_mcp.formats.reply_faults import objects_in, other_form
from appfunctions_mcp.formats.turns import sent_turns
from appfunctions_mcp.formats.user_media import data_address, media_of_address, told_media
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.media import Audio, Image

__all__ = ["history_of", "request_of"]

_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_ID = regex(r"[^\x00-\x1f\ud800-\udfff]{1,64}")
_LONGEST = 64
_PREFIX_OF_ID = {"function_call": "fc", "reasoning": "rs"}
"""How the ids of items begin; others are of other servers, and not needed for calls."""
Json = dict[str, Any]


def request_of(history: History, tools: ExportedTools | None = None) -> Json:
    """The members of a request that hold the history; as in `ModelFormat.request`."""
    ids = CallIds(_ID, lambda digits: f"call_{digits[:24]}")
    seen: set[str] = set()
    items: list[Json] = []
    for turn in sent_turns(history, FORMAT, joins_users=False):
        if isinstance(turn, UserMessage):
            items += _user_items(turn)
        elif isinstance(turn, ModelReply):
            written = (
                _model_item(each, ids, tools) for each in _with_thoughts_in_place(turn.parts)
            )
            items += filter(None, (_with_own_id(item, seen) for item in written))
        else:
            items += [_output_item(each, ids) for each in turn.results]
    body: Json = {"instructions": history.system} if history.system else {}
    declared = {"tools": tools.value} if tools and tools.value else {}
    return {**body, "input": items, **declared}


def _with_own_id(item: Json, seen: set[Any]) -> Json | None:
    """An item under its id, without it, or None for a thought that cannot be sent.

    Args:
        item: As it came or as it was made.
        seen: The ids of the request so far; each may stand in it once.
    """
    own = item.get("id")
    kind = str(item.get("type"))
    prefix = _PREFIX_OF_ID.get(kind, "")
    is_documented = isinstance(own, str) and own.startswith(prefix) and len(own) <= _LONGEST
    if own is None or (is_documented and own not in seen):
        seen.add(own)
        return item
    if kind == "reasoning":
        return None
    return {name: value for name, value in item.items() if name != "id"}


def _user_items(message: UserMessage) -> Iterator[Json]:
    parts: list[Json] = []
    for part in message.parts:
        # Whole items, such as what an operator says in between.
        if isinstance(part, Opaque) and not str(part.value.get("type")).startswith("input_"):
            if parts:
                yield {"role": "user", "content": _content(parts)}
            parts = []
            yield dict(part.value)
        else:
            parts.append(_user_part(part))
    if parts:
        yield {"role": "user", "content": _content(parts)}


def _user_part(part: UserPart) -> Json:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    if isinstance(part, Opaque):
        return dict(part.value)
    return _picture_part(part) or {"type": "input_text", "text": told_media(part)}


def _picture_part(media: Image | Audio) -> Json | None:
    if media.mime_type not in _PICTURES:
        return None
    return {"type": "input_image", "image_url": data_address(media), "detail": "auto"}


def _content(parts: list[Json]) -> str | list[Json]:
    is_text = len(parts) == 1 and set(parts[0]) == {"type", "text"}
    return str(parts[0]["text"]) if is_text else parts


def _with_thoughts_in_place(parts: tuple[ReplyPart, ...]) -> Iterator[ReplyPart]:
    """Without thoughts that nothing follows, or a call whose arguments were left out (F78)."""
    for place, part in enumerate(parts):
        if _is_thought(part):
            behind = (other for other in parts[place + 1 :] if not _is_thought(other))
            following = next(behind, None)
            if following is None or (isinstance(following, FunctionCall) and following.fault):
                continue
        yield part


def _is_thought(part: ReplyPart) -> bool:
    return isinstance(part, Opaque) and part.value.get("type") == "reasoning"


def _model_item(part: ReplyPart, ids: CallIds, tools: ExportedTools | None) -> Json:
    if isinstance(part, Opaque):
        return dict(part.value)
    if isinstance(part, Text):
        said = {"role": "assistant", "content": part.text}
        return dict(part.verbatim.value) if part.verbatim else said
    if part.verbatim is not None:
        return {**part.verbatim.value, "call_id": ids.written(part.id)}
    return {
        "type": "function_call",
        "call_id": ids.written(part.id),
        "name": written_name(part.name, tools),
        "arguments": json_text(written_arguments(part, tools)),
    }


def _output_item(result: FunctionResult, ids: CallIds) -> Json:
    text = result_text(result)
    # What has no picture here is told in the text of the result.
    pictures = [part for part in map(_picture_part, result.media) if part]
    said: list[Json] = [{"type": "input_text", "text": text}] if text else []
    return {
        "type": "function_call_output",
        "call_id": ids.written(result.call_id),
        "output": [*said, *pictures] if pictures else text,
    }


def history_of(body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
    """The history that a request body holds; as in `ModelFormat.read_history`.

    What `previous_response_id` refers to is not in the body and so not in the history.

    Raises:
        ReplyError: A member has a form that is not documented; names it.
    """
    reader = CallReader(tools, "history", keeps_ids=True)
    read = ReadMessages()
    read.add_system(text_in(body.get("instructions"), "instructions"))
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    said: list[Mapping[str, Any]] = []
    for place, item in enumerate(objects_in(items, "input")):
        if _is_of_model(item, place):
            said.append(item)
            continue
        if said:
            read.add(past_reply(item_parts(said, reader)))
            said = []
        _read_other_item(read, item)
    if said:
        read.add(past_reply(item_parts(said, reader)))
    return read.history()


def _is_of_model(item: Mapping[str, Any], place: int) -> bool:
    kind, role = kind_of(item), item.get("role")
    if kind != "message":
        return not kind.endswith(("_output", "_response"))
    if role not in ("user", "assistant", "system", "developer"):
        accepted = "'user', 'assistant', 'system' or 'developer'"
        raise other_form(f"input/{place}/role", role, accepted)
    return bool(role == "assistant")


def _read_other_item(read: ReadMessages, item: Mapping[str, Any]) -> None:
    if kind_of(item) == "function_call_output":
        read.add_result(_result(item))
    elif item.get("role") == "user":
        content = item.get("content")
        parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
        listed = objects_in(parts, "content")
        read.add(UserMessage(tuple(_read_user_part(part) for part in listed)))
    elif "role" in item and not read.has_begun:
        read.add_system(text_in(item.get("content")))
    else:
        read.add(UserMessage((Opaque(FORMAT, dict(item)),)))


def _read_user_part(part: Mapping[str, Any]) -> UserPart:
    if part.get("type") == "input_text" and isinstance(part.get("text"), str):
        return str(part["text"])
    held = part.get("image_url") if part.get("type") == "input_image" else None
    return media_of_address(held) or Opaque(FORMAT, dict(part))


def _result(item: Mapping[str, Any]) -> FunctionResult:
    output = item.get("output")
    call_id = str(item.get("call_id") or "")
    if isinstance(output, str):
        return FunctionResult(call_id, "", output)
    parts = [_read_user_part(part) for part in objects_in(output, "output")]
    media = tuple(part for part in parts if isinstance(part, Image | Audio))
    others = (part for part in parts if not isinstance(part, Image | Audio))
    texts = (part if isinstance(part, str) else json_text(part.value) for part in others)
    return FunctionResult(call_id, "", "\n".join(texts), media=media)
