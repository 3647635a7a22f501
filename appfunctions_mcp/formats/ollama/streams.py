"""Streamed replies of Ollama's `/api/chat`: one object a line, joined to the whole one."""

from collections.abc import Mapping, Sequence
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
from appfunctions_mcp.formats.ollama.replies import read_reply
from appfunctions_mcp.formats.openai_chat.streams import joined
from appfunctions_mcp.formats.reply_faults import (
    foreign_event,
    objects_in,
    refuse_failure,
    require_object,
)

__all__ = ["reply_reader"]


def reply_reader(tools: ExportedTools | None = None) -> ReplyReader:
    """Reads a streamed reply; as in `ModelFormat.reply_reader`."""
    return OllamaReplyReader(tools)


class OllamaReplyReader:
    """Puts a streamed reply together; the `ReplyReader` of this format.

    Args:
        tools: What the model could call.
    """

    def __init__(self, tools: ExportedTools | None = None) -> None:
        self._tools = tools
        self._body: dict[str, Any] = {}
        self._message: dict[str, Any] = {}

    def feed(self, event: Mapping[str, Any]) -> Sequence[StreamPiece]:
        """Takes one line; as in `ReplyReader`.

        Raises:
            ReplyError: It tells of a failure, or is none of the provider's.
        """
        refuse_failure(event)
        if "message" not in event and "done" not in event:
            raise foreign_event(event, "'message' or 'done'")
        # The time of the first line tells the reply from others.
        began = self._body.get("created_at") or event.get("created_at")
        self._body |= {**event, "created_at": began}
        message = require_object(event.get("message") or {}, "message")
        pieces: list[StreamPiece] = []
        for name, value in message.items():
            if name != "role":
                self._message[name] = joined(self._message.get(name), value)
            if name == "content" and isinstance(value, str) and value:
                pieces.append(TextPiece(value))
            elif name == "tool_calls":
                pieces += self._calls_started(objects_in(value, name))
        return pieces

    def _calls_started(self, calls: list[Mapping[str, Any]]) -> list[StreamPiece]:
        functions = [require_object(call.get("function") or {}, "function") for call in calls]
        return [CallStarted(own_name(str(each.get("name")), self._tools)) for each in functions]

    def reply(self) -> ModelReply:
        """The whole reply; as in `ReplyReader`.

        Raises:
            ReplyError: Nothing usable has come; names what did.
        """
        if not self._body:
            raise ReplyError("the stream ended before anything of the reply came")
        return read_reply({**self._body, "message": self._message}, self._tools)
