"""Conversations as JSON and as files; nothing of them is lost on the way.

The form has a `version`. What is not known in it is refused, with its place as a JSON pointer,
instead of being dropped: a conversation that was read and saved again is whole.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from appfunctions_mcp.assistant.exchanges import ConversationError, Exchange, Step
from appfunctions_mcp.assistant.json_values import NotJsonError, copied
from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    ModelReply,
    Opaque,
    ReplyPart,
    ReplyStop,
    Text,
    Usage,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.kept_files import KeptFile
from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.quoting import quoted

__all__ = [
    "VERSION",
    "conversation_from_json",
    "conversation_to_json",
    "load_conversation",
    "save_conversation",
]

VERSION = 1
"""The newest form that is read, and the one that is written."""

Json = dict[str, Any]
T = TypeVar("T")
D = TypeVar("D")
Read = Callable[[Any, str], T]


def save_conversation(path: Path, value: Json) -> None:
    """Writes the JSON object of a conversation to a file; see `Conversation.save`."""

    def change(content: Json) -> bool:
        if content and "exchanges" not in content:
            raise file.fault("holds something else")
        content.clear()
        content.update(value)
        return True

    file = _file(path)
    try:
        file.update(change)
    except StateFileError as exc:
        raise ConversationError(str(exc)) from exc


def load_conversation(path: Path) -> Json:
    """Reads the JSON object of a conversation from a file; see `Conversation.load`."""
    file = _file(path)
    try:
        stamp, content = file.read()
        if stamp is not None and "exchanges" not in content:
            raise file.fault("holds something else")
    except StateFileError as exc:
        raise ConversationError(str(exc)) from exc
    if stamp is None:
        raise FileNotFoundError(f"{path}: there is no such file")
    return content


def _file(path: Path) -> KeptFile:
    return KeptFile(path, kind="conversation", version=VERSION, sort_members=False)


def conversation_to_json(system: str, exchanges: Iterable[Exchange]) -> Json:
    """The JSON object of a conversation."""
    written = [_exchange_to_json(each) for each in exchanges]
    return {"version": VERSION, "system": system, "exchanges": written}


def _exchange_to_json(exchange: Exchange) -> Json:
    return {
        "user": [{"parts": list(map(_user_part_to_json, each.parts))} for each in exchange.user],
        "steps": list(map(_step_to_json, exchange.steps)),
        "answer": None if exchange.answer is None else _reply_to_json(exchange.answer),
    }


def _step_to_json(step: Step) -> Json:
    results = list(map(_result_to_json, step.results))
    return {"reply": _reply_to_json(step.reply), "results": results}


def _user_part_to_json(part: UserPart) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return _typed_opaque(part) if isinstance(part, Opaque) else _media_to_json(part)


def _media_to_json(media: Image | Audio) -> Json:
    kind = "image" if isinstance(media, Image) else "audio"
    data = base64.b64encode(media.data).decode()
    return {"type": kind, "mime_type": media.mime_type, "data": data}


def _reply_to_json(reply: ModelReply) -> Json:
    usage = reply.usage
    return {
        "parts": list(map(_reply_part_to_json, reply.parts)),
        "stop": reply.stop.value,
        "usage": {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        },
        "model": reply.model,
        **_verbatim_to_json(reply.verbatim),
    }


def _reply_part_to_json(part: ReplyPart) -> Json:
    if isinstance(part, Opaque):
        return _typed_opaque(part)
    if isinstance(part, Text):
        return {"type": "text", "text": part.text, **_verbatim_to_json(part.verbatim)}
    return {
        "type": "call",
        "id": part.id,
        "name": part.name,
        "arguments": copied(part.arguments),
        **({"fault": part.fault} if part.fault else {}),
        **_verbatim_to_json(part.verbatim),
    }


def _result_to_json(result: FunctionResult) -> Json:
    return {
        "call_id": result.call_id,
        "name": result.name,
        "text": result.text,
        "is_error": result.is_error,
        **({} if result.structured is None else {"structured": copied(result.structured)}),
        **({"media": list(map(_media_to_json, result.media))} if result.media else {}),
    }


def _typed_opaque(opaque: Opaque) -> Json:
    return {"type": "opaque", **_opaque_to_json(opaque)}


def _verbatim_to_json(opaque: Opaque | None) -> Json:
    return {} if opaque is None else {"verbatim": _opaque_to_json(opaque)}


def _opaque_to_json(opaque: Opaque) -> Json:
    return {"format": opaque.format, "value": copied(opaque.value)}


class _Members:
    """The members of one object, taken one after another; what is left in the end is unknown."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, Mapping):
            raise _fault(path, "an object", value)
        self._left = dict(value)
        self._path = path

    def take(self, name: str, read: Read[T]) -> T:
        """A member that has to be there."""
        if name not in self._left:
            raise ConversationError(f"{self._path or '/'}: the member {name!r} is missing")
        return read(self._left.pop(name), f"{self._path}/{name}")

    def take_or(self, name: str, read: Read[T], default: D) -> T | D:
        """A member that may be left out."""
        return self.take(name, read) if name in self._left else default

    def end(self, made: T) -> T:
        """What was made of the members, now that all of them are taken."""
        for name in self._left:
            raise ConversationError(f"{self._path}/{name}: this member is not known here")
        return made


def conversation_from_json(value: Any) -> tuple[str, tuple[Exchange, ...]]:
    """Reads the JSON object of a conversation: its system text and its exchanges.

    Raises:
        ConversationError: A newer version wrote it, or a member is unknown, missing or of
            another kind; names the place.
    """
    members = _Members(value, "")
    members.take("version", _require_version)
    system = members.take("system", _text)
    return members.end((system, members.take("exchanges", _list_of(_exchange))))


def _require_version(value: Any, path: str) -> None:
    if _count(value, path) > VERSION:
        raise ConversationError(
            f"{path}: the conversation has version {value}, which a newer appfunctions-mcp "
            f"wrote; this one reads up to {VERSION}: upgrade it"
        )
    if not value:
        raise _fault(path, "a version from 1", value)


def _exchange(value: Any, path: str) -> Exchange:
    members = _Members(value, path)
    return members.end(
        Exchange(
            members.take("user", _list_of(_user_message)),
            members.take_or("steps", _list_of(_step), ()),
            members.take_or("answer", _optional(_reply), None),
        )
    )


def _user_message(value: Any, path: str) -> UserMessage:
    members = _Members(value, path)
    return members.end(UserMessage(members.take("parts", _list_of(_user_part))))


def _step(value: Any, path: str) -> Step:
    members = _Members(value, path)
    reply = members.take("reply", _reply)
    return members.end(Step(reply, members.take_or("results", _list_of(_result), ())))


def _user_part(value: Any, path: str) -> UserPart:
    members = _Members(value, path)
    kind = members.take("type", _one_of("text", "image", "audio", "opaque"))
    if kind == "text":
        return members.end(members.take("text", _text))
    return members.end(_opaque_of(members) if kind == "opaque" else _media_of(members, kind, path))


def _media(value: Any, path: str) -> Image | Audio:
    members = _Members(value, path)
    return members.end(_media_of(members, members.take("type", _one_of("image", "audio")), path))


def _media_of(members: _Members, kind: str, path: str) -> Image | Audio:
    data, mime_type = members.take("data", _bytes), members.take("mime_type", _text)
    try:
        return Image(data, mime_type) if kind == "image" else Audio(data, mime_type)
    except ValueError as exc:
        raise ConversationError(f"{path}/mime_type: {exc}") from exc


def _reply(value: Any, path: str) -> ModelReply:
    members = _Members(value, path)
    return members.end(
        ModelReply(
            members.take("parts", _list_of(_reply_part)),
            ReplyStop(members.take("stop", _one_of(*(each.value for each in ReplyStop)))),
            members.take_or("usage", _usage, Usage()),
            members.take_or("model", _text, ""),
            members.take_or("verbatim", _opaque, None),
        )
    )


def _reply_part(value: Any, path: str) -> ReplyPart:
    members = _Members(value, path)
    kind = members.take("type", _one_of("text", "call", "opaque"))
    if kind == "opaque":
        return members.end(_opaque_of(members))
    if kind == "text":
        text = members.take("text", _text)
        return members.end(Text(text, members.take_or("verbatim", _opaque, None)))
    return members.end(
        FunctionCall(
            members.take("id", _text),
            members.take("name", _text),
            members.take("arguments", _object),
            members.take_or("fault", _text, ""),
            members.take_or("verbatim", _opaque, None),
        )
    )


def _usage(value: Any, path: str) -> Usage:
    members = _Members(value, path)
    names = ("input_tokens", "output_tokens", "cached_tokens")
    return members.end(Usage(*(members.take_or(name, _count, 0) for name in names)))


def _result(value: Any, path: str) -> FunctionResult:
    members = _Members(value, path)
    return members.end(
        FunctionResult(
            members.take("call_id", _text),
            members.take("name", _text),
            members.take("text", _text),
            members.take_or("is_error", _boolean, default=False),
            members.take_or("structured", _json, None),
            members.take_or("media", _list_of(_media), ()),
        )
    )


def _opaque(value: Any, path: str) -> Opaque:
    members = _Members(value, path)
    return members.end(_opaque_of(members))


def _opaque_of(members: _Members) -> Opaque:
    return Opaque(members.take("format", _text), members.take("value", _json))


def _list_of(read: Read[T]) -> Read[tuple[T, ...]]:
    def read_list(value: Any, path: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _fault(path, "an array", value)
        return tuple(read(each, f"{path}/{place}") for place, each in enumerate(value))

    return read_list


def _optional(read: Read[T]) -> Read[T | None]:
    return lambda value, path: None if value is None else read(value, path)


def _one_of(*accepted: str) -> Read[str]:
    def read_one(value: Any, path: str) -> str:
        if _text(value, path) not in accepted:
            raise ConversationError(
                f"{path}: {quoted(value)} is not known here; accepted are {', '.join(accepted)}"
            )
        return str(value)

    return read_one


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise _fault(path, "text", value)
    return value


def _boolean(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise _fault(path, "true or false", value)
    return value


def _count(value: Any, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _fault(path, "a whole number from 0", value)
    return value


def _bytes(value: Any, path: str) -> bytes:
    try:
        return base64.b64decode(_text(value, path), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise ConversationError(f"{path}: this is no base64 ({exc})") from exc


def _object(value: Any, path: str) -> Json:
    if not isinstance(value, Mapping):
        raise _fault(path, "an object", value)
    return dict(_json(value, path))


def _json(value: Any, path: str) -> Any:
    try:
        return copied(value, path)
    except NotJsonError as exc:
        raise ConversationError(str(exc)) from exc


def _fault(path: str, accepted: str, value: Any) -> ConversationError:
    shown = value if isinstance(value, str) else repr(value)
    return ConversationError(f"{path or '/'}: {accepted} is accepted here, not {quoted(shown)}")
