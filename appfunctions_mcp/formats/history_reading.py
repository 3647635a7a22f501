"""What readers of histories do alike. Knows no provider."""

from collections.abc import Iterable
from typing import Any

from appfunctions_mcp.formats.call_reading import json_text
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    Opaque,
    ReplyPart,
    ReplyStop,
    ResultsMessage,
)
from appfunctions_mcp.formats.reply_faults import objects_in

__all__ = ["ReadMessages", "past_reply", "text_in"]


class ReadMessages:
    """The messages that were read so far; results find their calls."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._systems: list[str] = []
        self._name_of: dict[str, str] = {}
        self._waiting: list[FunctionCall] = []

    @property
    def has_begun(self) -> bool:
        """Whether anybody has said something."""
        return bool(self._messages)

    def add_system(self, text: str) -> None:
        """Takes what holds for the whole conversation."""
        self._systems.append(text)

    def add(self, message: Message) -> None:
        """Takes a message of the user or the model."""
        self._messages.append(message)
        if isinstance(message, ModelReply):
            self._waiting = list(message.calls)
            self._name_of |= {call.id: call.name for call in message.calls}

    def add_result(self, result: FunctionResult) -> None:
        """Takes a result; it joins those directly before it, and gets the name of its call."""
        self._waiting = [call for call in self._waiting if call.id != result.call_id]
        name = self._name_of.get(result.call_id) or result.name
        named = FunctionResult(
            result.call_id, name, result.text, result.is_error, result.structured, result.media
        )
        last = self._messages[-1] if self._messages else None
        if isinstance(last, ResultsMessage):
            self._messages[-1] = ResultsMessage((*last.results, named))
        else:
            self._messages.append(ResultsMessage((named,)))

    def waiting_id(self, name: str = "") -> str:
        """The id of the first call without a result, of one name where it is given; or nothing."""
        waiting = (call.id for call in self._waiting if not name or call.name == name)
        return next(waiting, "")

    def history(self) -> History:
        """All that was read."""
        return History(tuple(self._messages), "\n\n".join(filter(None, self._systems)))


def past_reply(parts: Iterable[ReplyPart], verbatim: Opaque | None = None) -> ModelReply:
    """A reply in a history, which does not tell why it ended.

    Args:
        parts: In their order.
        verbatim: What stands beside them.
    """
    listed = tuple(parts)
    has_calls = any(isinstance(part, FunctionCall) for part in listed)
    return ModelReply(listed, ReplyStop.CALLS if has_calls else ReplyStop.END, verbatim=verbatim)


def text_in(content: Any, where: str = "content") -> str:
    """The text of a content that is text or a list of parts; parts that are none as JSON.

    Raises:
        ReplyError: It is neither.
    """
    if content is None or isinstance(content, str):
        return content or ""
    parts = objects_in(content, where)
    return "\n".join(str(p["text"]) if "text" in p else json_text(p) for p in parts)
