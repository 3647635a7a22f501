"""Streamed replies of Gemini's streamGenerateContent, put together to one that is read whole.

Texts of one kind are joined; a part with a signature stays as it came, as the provider asks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.call_reading import own_name
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.gemini.replies import read_reply, spelled
from appfunctions_mcp.formats.messages import ModelReply
from appfunctions_mcp.formats.model_format import (
    CallStarted,
    ReplyError,
    ReplyReader,
    StreamPiece,
    TextPiece,
)
from appfunctions_mcp.formats.reply_faults import (
    foreign_event,
    objects_in,
    refuse_failure,
    require_object,
)

__all__ = ["reply_reader"]

_MEMBERS = ("candidates", "usageMetadata", "promptFeedback")
Json = Mapping[str, Any]


def reply_reader(tools: ExportedTools | None = None) -> ReplyReader:
    """Reads a streamed reply; as in `ModelFormat.reply_reader`."""
    return GeminiReplyReader(tools)


class GeminiReplyReader:
    """Puts a streamed reply together; the `ReplyReader` of this format.

    Args:
        tools: What the model could call.
    """

    def __init__(self, tools: ExportedTools | None = None) -> None:
        self._tools = tools
        self._body: dict[str, Any] = {}
        self._candidate: dict[str, Any] = {}
        self._parts: list[dict[str, Any]] = []

    def feed(self, event: Json) -> Sequence[StreamPiece]:
        """Takes one event; as in `ReplyReader`.

        Raises:
            ReplyError: The event tells of a failure, or is none of the provider's.
        """
        refuse_failure(event)
        if all(spelled(event, name) is None for name in _MEMBERS):
            raise foreign_event(event, "'candidates' or 'usageMetadata'")
        self._body |= {name: value for name, value in event.items() if name != "candidates"}
        pieces: list[StreamPiece] = []
        for candidate in objects_in(event.get("candidates"), "candidates"):
            # Only one answer is read where several were asked for.
            if not candidate.get("index"):
                self._candidate |= candidate
                content = require_object(candidate.get("content") or {}, "content")
                for part in objects_in(content.get("parts"), "parts"):
                    self._add(dict(part))
                    pieces += self._seen_of(part)
        return pieces

    def reply(self) -> ModelReply:
        """The whole reply; as in `ReplyReader`.

        Raises:
            ReplyError: Nothing usable has come; names what did.
        """
        if not self._body and not self._candidate:
            raise ReplyError("the stream ended before anything of the reply came")
        is_whole = spelled(self._candidate, "finishReason") is not None
        candidate = {**self._candidate, "content": {"role": "model", "parts": self._parts}}
        listed = [candidate] if self._candidate else []
        return read_reply({**self._body, "candidates": listed}, self._tools, is_whole=is_whole)

    def _add(self, part: dict[str, Any]) -> None:
        last = self._parts[-1] if self._parts else {}
        has_text = isinstance(part.get("text"), str) and isinstance(last.get("text"), str)
        if has_text and set(part) == set(last) <= {"text", "thought"}:
            self._parts[-1] = {**last, "text": last["text"] + part["text"]}
        elif part != {"text": ""}:
            self._parts.append(part)

    def _seen_of(self, part: Json) -> Sequence[StreamPiece]:
        call = spelled(part, "functionCall")
        if isinstance(call, Mapping):
            return (CallStarted(own_name(str(call.get("name")), self._tools)),)
        text = part.get("text")
        return (TextPiece(str(text)),) if text and not part.get("thought") else ()
