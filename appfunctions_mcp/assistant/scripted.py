"""A model that answers from a script: for tests of what is built around a model."""

import itertools
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from appfunctions_mcp.assistant.models import ClosingModel, ModelRequest, ProviderError
from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.messages import FunctionCall, ModelReply, ReplyStop, Text, Usage
from appfunctions_mcp.formats.model_format import (
    CallStarted,
    ModelFormat,
    StreamPiece,
    TextPiece,
)
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record, replaced

__all__ = ["ScriptedCall", "ScriptedModel", "ScriptedReply"]


@record(frozen=True, slots=True)
class ScriptedCall:
    """A call that a scripted model makes."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


ScriptedPart = str | ScriptedCall
ScriptedReply = (
    ScriptedPart
    | list[ScriptedPart]
    | ModelReply
    | Callable[[ModelRequest], "ScriptedPart | list[ScriptedPart] | ModelReply"]
)
"""A text, a call, several of them, a whole reply, or a function that makes one of a request."""

_CHARACTERS_PER_TOKEN = 4
_WORDS = regex(r"\S+\s*|\s+")


class ScriptedModel(ClosingModel):
    """Answers each request with the next reply of a script.

    It refuses what a provider would refuse: a history that breaks the rules of its format.

    Example:
        >>> model = ScriptedModel([ScriptedCall("create_note", {"title": "Milk"}), "Done."])

    Args:
        replies: One for each request, in order.
        format: The name of the format whose rules hold, or the format.

    Raises:
        TypeError: The replies are no list but one text.
    """

    def __init__(
        self,
        replies: Iterable[ScriptedReply],
        *,
        format: str | ModelFormat = "openai-chat",  # noqa: A002 - the word for it
    ) -> None:
        if isinstance(replies, str):
            raise TypeError(f"the replies are one text; give them as a list: [{replies!r}]")
        self._format = format_named(format) if isinstance(format, str) else format
        self._replies = iter(replies)
        self._ids = map("call_{}".format, itertools.count(1))
        self.requests: list[ModelRequest] = []
        """What was asked so far."""

    @property
    def format(self) -> ModelFormat:
        """The form of its requests and replies."""
        return self._format

    async def reply(self, request: ModelRequest) -> ModelReply:
        """The next reply of the script.

        Raises:
            ProviderError: The request breaks a rule of the format, or the script is at its end.
        """
        body = self._format.request(request.history, request.tools)
        violations = self._format.check_request(body)
        if violations:
            told = "; ".join(f"{each.path}: {each.text}" for each in violations)
            raise ProviderError(f"the request breaks the rules of {self._format.name}: {told}")
        self.requests.append(request)
        scripted = next(self._replies, None)
        if scripted is None:
            number = len(self.requests)
            raise ProviderError(
                f"the script is at its end: this is request {number}, and it has replies for "
                f"{number - 1}"
            )
        reply = self._reply_of(scripted(request) if callable(scripted) else scripted)
        if reply.usage != Usage():
            return reply
        return replaced(reply, usage=Usage(_tokens_of(body), _tokens_of(reply.text)))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """The next reply of the script, its texts word by word.

        Raises:
            ProviderError: As `reply`.
        """
        reply = await self.reply(request)
        for part in reply.parts:
            if isinstance(part, Text):
                for word in _WORDS.findall(part.text):
                    yield TextPiece(word)
            elif isinstance(part, FunctionCall):
                yield CallStarted(part.name)
        yield reply

    def _reply_of(self, scripted: ScriptedPart | list[ScriptedPart] | ModelReply) -> ModelReply:
        if isinstance(scripted, ModelReply):
            return scripted
        parts = scripted if isinstance(scripted, list) else [scripted]
        made = tuple(
            Text(part)
            if isinstance(part, str)
            else FunctionCall(next(self._ids), part.name, dict(part.arguments))
            for part in parts
        )
        has_calls = any(isinstance(part, FunctionCall) for part in made)
        return ModelReply(made, ReplyStop.CALLS if has_calls else ReplyStop.END, model="scripted")


def _tokens_of(value: Any) -> int:
    """An estimate, so that whoever counts tokens has something to count."""
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return -(-len(text) // _CHARACTERS_PER_TOKEN)
