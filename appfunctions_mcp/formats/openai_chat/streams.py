"""Streamed replies of Chat Completions; Mistral's have the same form.

The pieces are put together to the body that would have come as a whole, and that is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.call_reading import own_name
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import ModelReply
from appfunctions_mcp.formats.model_format import (
    CallStarted,
    ReplyError,
    ReplyReader,
    StreamPiece,
    TextPiece,
)
from appfunctions_mcp.formats.openai_chat.replies import FORMAT, reply_of
from appfunctions_mcp.formats.reply_faults import (
    foreign_event,
    objects_in,
    refuse_failure,
    require_object,
)

__all__ = ["OpenAiChatReplyReader", "joined", "reply_reader"]

Json = Mapping[str, Any]


def reply_reader(tools: ExportedTools | None = None) -> ReplyReader:
    """Reads a streamed reply; as in `ModelFormat.reply_reader`."""
    return OpenAiChatReplyReader(tools)


class OpenAiChatReplyReader:
    """Puts a streamed reply together; the `ReplyReader` of this format.

    Args:
        tools: What the model could call.
        format_name: Of a format that has the same form.
    """

    def __init__(self, tools: ExportedTools | None = None, format_name: str = FORMAT) -> None:
        self._tools = tools
        self._format_name = format_name
        self._body: dict[str, Any] = {}
        self._ended_by: Any = None
        self._content: list[Any] = []
        self._message: dict[str, Any] = {}
        self._calls: list[dict[str, Any]] = []
        self._call_at: dict[Any, dict[str, Any]] = {}

    def feed(self, event: Json) -> Sequence[StreamPiece]:
        """Takes one event; as in `ReplyReader`.

        Raises:
            ReplyError: The event tells of a failure, or is none of the provider's.
        """
        refuse_failure(event)
        if "choices" not in event and "usage" not in event:
            raise foreign_event(event, "'choices'")
        self._body |= {name: event[name] for name in ("id", "model", "usage") if event.get(name)}
        pieces: list[StreamPiece] = []
        for choice in objects_in(event.get("choices"), "choices"):
            # Only one answer is read where several were asked for.
            if not choice.get("index"):
                self._ended_by = choice.get("finish_reason") or self._ended_by
                pieces += self._added(require_object(choice.get("delta") or {}, "delta"))
        return pieces

    def reply(self) -> ModelReply:
        """The whole reply; as in `ReplyReader`.

        Raises:
            ReplyError: Nothing usable has come; names what did.
        """
        message = {**self._message, "role": "assistant", "content": _joined_content(self._content)}
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"message": message, "finish_reason": self._ended_by}
        is_whole = self._ended_by is not None
        if not is_whole and not (self._content or self._message or self._calls):
            raise ReplyError("the stream ended before anything of the reply came")
        body = {**self._body, "choices": [choice]}
        return reply_of(body, self._tools, self._format_name, is_whole=is_whole)

    def _added(self, delta: Json) -> Iterator[StreamPiece]:
        for name, value in delta.items():
            if value is None or name == "role":
                continue
            if name == "content":
                pieces = [value] if isinstance(value, str) else objects_in(value, "content")
                self._content += pieces
                yield from (TextPiece(text) for text in map(_text_of, pieces) if text)
            elif name == "tool_calls":
                for call in objects_in(value, "tool_calls"):
                    yield from self._call_added(call)
            else:
                if name == "refusal" and value:
                    yield TextPiece(str(value))
                self._message[name] = joined(self._message.get(name), value)

    def _call_added(self, delta: Json) -> Iterator[StreamPiece]:
        function = require_object(delta.get("function") or {}, "function")
        call = self._call_of(delta, function)
        said = call.setdefault("function", {})
        had_name = bool(said.get("name"))
        for name, value in delta.items():
            if name in ("id", "type"):
                call[name] = call.get(name) or value
            elif name not in ("index", "function"):
                call[name] = joined(call.get(name), value)
        for name, value in function.items():
            # Some servers send the name with every piece.
            said[name] = (
                (said.get(name) or value) if name == "name" else joined(said.get(name), value)
            )
        if said.get("name") and not had_name:
            yield CallStarted(own_name(str(said["name"]), self._tools))

    def _call_of(self, delta: Json, function: Json) -> dict[str, Any]:
        """The call that a piece belongs to; servers differ in what they tell of that."""
        own_id, index = delta.get("id"), delta.get("index")
        index = index if isinstance(index, int) else None
        last = self._calls[-1] if self._calls else None
        found = last if index is None else self._call_at.get(index)
        is_other = bool(found and own_id and found.get("id") and found["id"] != own_id)
        is_next = index is None and not own_id and bool(function.get("name"))
        if found is None or is_other or is_next:
            found = {}
            self._calls.append(found)
            self._call_at[index] = found
        return found


def _text_of(piece: Any) -> str:
    if isinstance(piece, str):
        return piece
    text = piece.get("text") if piece.get("type") == "text" else ""
    return text if isinstance(text, str) else ""


def joined(before: Any, value: Any) -> Any:
    """A member of a reply with the next piece of it; what cannot be joined is the last one."""
    if before is None or value is None:
        return value if before is None else before
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    if isinstance(before, list) and isinstance(value, list):
        return before + value
    if isinstance(before, Mapping) and isinstance(value, Mapping):
        names = dict.fromkeys([*before, *value])
        return {name: joined(before.get(name), value.get(name)) for name in names}
    return value


def _joined_content(pieces: Sequence[Any]) -> Any:
    """One text; or a list of parts where some came as parts, neighbours of one kind joined."""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces) if pieces else None
    parts: list[dict[str, Any]] = []
    for piece in pieces:
        part = {"type": "text", "text": piece} if isinstance(piece, str) else dict(piece)
        last = parts[-1] if parts else {}
        kind = str(part.get("type"))
        if set(part) == set(last) == {"type", kind} and last["type"] == kind:
            parts[-1] = {"type": kind, kind: joined(last[kind], part[kind])}
        else:
            parts.append(part)
    return parts
