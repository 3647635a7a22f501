"""Streamed replies of OpenAI's Responses.

The last event holds the whole reply; where it is missing, what came of the items is read.
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
from appfunctions_mcp.formats.openai_responses.replies import kind_of, read_reply
from appfunctions_mcp.formats.reply_faults import foreign_event, refuse_failure, require_object

__all__ = ["reply_reader"]

_TEXTS = ("response.output_text.delta", "response.refusal.delta")
_ARGUMENTS = "response.function_call_arguments.delta"
_WHOLE = {
    "response.output_text.done": "text",
    "response.refusal.done": "refusal",
    "response.function_call_arguments.done": "arguments",
}
"""Events with the whole of what came in pieces, each with its member."""
_LAST = ("response.completed", "response.incomplete", "response.failed")
Json = Mapping[str, Any]


def reply_reader(tools: ExportedTools | None = None) -> ReplyReader:
    """Reads a streamed reply; as in `ModelFormat.reply_reader`."""
    return OpenAiResponsesReplyReader(tools)


class OpenAiResponsesReplyReader:
    """Puts a streamed reply together; the `ReplyReader` of this format.

    Args:
        tools: What the model could call.
    """

    def __init__(self, tools: ExportedTools | None = None) -> None:
        self._tools = tools
        self._body: dict[str, Any] = {}
        self._is_whole = False
        self._items: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, str] = {}
        self._done: set[int] = set()

    def feed(self, event: Json) -> Sequence[StreamPiece]:
        """Takes one event; as in `ReplyReader`. Events of new kinds are passed over.

        Raises:
            ReplyError: The event tells of a failure, or is none of the provider's.
        """
        kind = require_object(event, "an event of the stream").get("type")
        if not isinstance(kind, str):
            refuse_failure(event)
            raise foreign_event(event, "'type'")
        if kind == "error":
            refuse_failure({"error": event.get("error") or event})
        if isinstance(event.get("response"), Mapping):
            refuse_failure(event["response"])
            self._body = dict(event["response"])
            self._is_whole = kind in _LAST
        elif kind == "response.output_item.added":
            item = dict(require_object(event.get("item"), "item"))
            self._items[_index(event)] = item
            if kind_of(item) == "function_call":
                return (CallStarted(own_name(str(item.get("name")), self._tools)),)
        elif kind == "response.output_item.done":
            self._items[_index(event)] = dict(require_object(event.get("item"), "item"))
            self._done.add(_index(event))
        elif kind in _TEXTS or kind == _ARGUMENTS:
            piece, index = str(event.get("delta") or ""), _index(event)
            self._pieces[index] = self._pieces.get(index, "") + piece
            return (TextPiece(piece),) if piece and kind in _TEXTS else ()
        elif kind in _WHOLE:
            return self._told_whole(kind, event)
        return ()

    def _told_whole(self, kind: str, event: Json) -> Sequence[StreamPiece]:
        """What some servers send at once instead of in pieces."""
        whole, index = str(event.get(_WHOLE[kind]) or ""), _index(event)
        if not whole or self._pieces.get(index):
            return ()
        self._pieces[index] = whole
        return () if _WHOLE[kind] == "arguments" else (TextPiece(whole),)

    def reply(self) -> ModelReply:
        """The whole reply; as in `ReplyReader`.

        Raises:
            ReplyError: Nothing usable has come; names what did.
        """
        if not self._body and not self._items:
            raise ReplyError("the stream ended before anything of the reply came")
        # Some servers send the items of the last event empty.
        output = self._body.get("output") if self._is_whole else None
        body = {**self._body, "output": output or list(self._whole_items())}
        if not self._is_whole:
            body["status"] = "in_progress"
        return read_reply(body, self._tools, is_whole=self._is_whole)

    def _whole_items(self) -> Iterator[dict[str, Any]]:
        for index in sorted(self._items):
            item, piece = self._items[index], self._pieces.get(index, "")
            kind = kind_of(item)
            if index in self._done:
                yield item
            elif kind == "function_call":
                # Never finished, so that no text is not the same as no arguments.
                yield {**item, "arguments": piece, "status": "incomplete"}
            elif kind == "message" and piece:
                # Without its id, since the item that has it was never finished.
                part = {"type": "output_text", "text": piece, "annotations": []}
                yield {"type": "message", "role": "assistant", "content": [part]}


def _index(event: Json) -> int:
    index = event.get("output_index")
    if not isinstance(index, int):
        raise foreign_event(event, "the number of its item as 'output_index'")
    return index
