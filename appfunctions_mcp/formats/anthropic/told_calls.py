"""Histories with calls for a request that declares no tools: the calls told in words.

Anthropic takes no blocks of calls and results where no tools are declared. The user's side tells
of them, and not the model's, so that the model does not take to writing calls as text.
"""

from collections.abc import Iterable, Iterator

from appfunctions_mcp.formats.call_reading import json_text
from appfunctions_mcp.formats.call_writing import result_text
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    ResultsMessage,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.media import Image
from appfunctions_mcp.records import replaced

__all__ = ["has_calls", "with_calls_told"]


def has_calls(history: History) -> bool:
    """Whether there is a call or a result."""
    return any(
        message.calls if isinstance(message, ModelReply) else isinstance(message, ResultsMessage)
        for message in history.messages
    )


def with_calls_told(history: History) -> History:
    """The same history without calls and results; messages of the user tell of them.

    Thoughts go, since they are signed for what stood before them.
    """
    return replaced(history, messages=tuple(_told(history.messages)))


def _told(messages: Iterable[Message]) -> Iterator[Message]:
    calls: dict[str, FunctionCall] = {}
    for message in messages:
        if isinstance(message, ModelReply):
            calls = {call.id: call for call in message.calls}
            said = (Text(part.text) for part in message.parts if isinstance(part, Text))
            yield replaced(message, parts=tuple(said), verbatim=None)
        elif isinstance(message, ResultsMessage):
            results = [_result(each, calls.get(each.call_id)) for each in message.results]
            heading = "[Functions that were called, and what they gave]"
            media: list[UserPart] = [
                each for r in message.results for each in r.media if isinstance(each, Image)
            ]
            yield UserMessage(("\n\n".join([heading, *results]), *media))
        else:
            yield message


def _result(result: FunctionResult, call: FunctionCall | None) -> str:
    arguments = json_text(dict(call.arguments)) if call else ""
    outcome = "failed" if result.is_error else "gave"
    return f"{result.name}({arguments}) {outcome}:\n{result_text(result)}"
