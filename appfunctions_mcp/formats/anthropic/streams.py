"""Streamed replies of Anthropic's Messages, put together to the body that is read as a whole."""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.anthropic.replies import read_reply
from appfunctions_mcp.formats.argument_texts import read_arguments
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
from appfunctions_mcp.formats.reply_faults import foreign_event, refuse_failure, require_object

__all__ = ["reply_reader"]

_MEMBERS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
Json = Mapping[str, Any]


def reply_reader(tools: ExportedTools | None = None) -> ReplyReader:
    """Reads a streamed reply; as in `ModelFormat.reply_reader`."""
    return AnthropicReplyReader(tools)


class AnthropicReplyReader:
    """Puts a streamed reply together; the `ReplyReader` of this format.

    Args:
        tools: What the model could call.
    """

    def __init__(self, tools: ExportedTools | None = None) -> None:
        self._tools = tools
        self._body: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}

    def feed(self, event: Json) -> Sequence[StreamPiece]:
        """Takes one event; as in `ReplyReader`. Events of new kinds are passed over.

        Raises:
            ReplyError: The event tells of a failure, or is none of the provider's.
        """
        refuse_failure(event)
        match event.get("type"):
            case "message_start":
                self._body = dict(require_object(event.get("message"), "message"))
                # What is in a message that begins is sent once more as blocks.
                self._body.pop("content", None)
                # A server that begins anew sends everything once more.
                self._blocks, self._inputs = {}, {}
            case "content_block_start":
                block = dict(require_object(event.get("content_block"), "content_block"))
                return self._begun(_index(event), block)
            case "content_block_delta":
                delta = require_object(event.get("delta"), "delta")
                return self._added(_index(event), delta)
            case "message_delta":
                self._body |= require_object(event.get("delta") or {}, "delta")
                counted = require_object(event.get("usage") or {}, "usage")
                known = {name: value for name, value in counted.items() if value is not None}
                earlier = self._body.get("usage")
                self._body["usage"] = {**(earlier if isinstance(earlier, dict) else {}), **known}
            case str():
                return ()
            case _:
                raise foreign_event(event, "'type'")
        return ()

    def reply(self) -> ModelReply:
        """The whole reply; as in `ReplyReader`.

        Raises:
            ReplyError: Nothing usable has come; names what did.
        """
        if not self._body and not self._blocks:
            raise ReplyError("the stream ended before anything of the reply came")
        content = [self._whole(index) for index in sorted(self._blocks)]
        is_whole = bool(self._body.get("stop_reason"))
        return read_reply({**self._body, "content": content}, self._tools, is_whole=is_whole)

    def _begun(self, index: int, block: dict[str, Any]) -> Sequence[StreamPiece]:
        if self._blocks.get(index):
            self._inputs.pop(index, None)
        self._blocks[index] = block
        if block.get("type") == "tool_use":
            return (CallStarted(own_name(str(block.get("name")), self._tools)),)
        return (TextPiece(block["text"]),) if block.get("text") else ()

    def _added(self, index: int, delta: Json) -> Sequence[StreamPiece]:
        block = self._blocks.setdefault(index, {})
        kind = str(delta.get("type"))
        if kind in _MEMBERS:
            member = _MEMBERS[kind]
            text = str(delta.get(member) or "")
            block[member] = str(block.get(member) or "") + text
            return (TextPiece(text),) if member == "text" and text else ()
        if kind == "input_json_delta":
            piece = str(delta.get("partial_json") or "")
            self._inputs[index] = self._inputs.get(index, "") + piece
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
        return ()

    def _whole(self, index: int) -> dict[str, Any]:
        block, text = self._blocks[index], self._inputs.get(index, "")
        if not text:
            return block
        is_call = block.get("type") == "tool_use"
        return {**block, "input": text if is_call else read_arguments(text)[0]}


def _index(event: Json) -> int:
    index = event.get("index")
    if not isinstance(index, int):
        raise foreign_event(event, "the number of its block as 'index'")
    return index
