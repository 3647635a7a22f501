"""Shows what goes to a model and what comes back, in the neutral form and as it is sent."""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from appfunctions_mcp.assistant.models import Model, ModelRequest
from appfunctions_mcp.assistant.trimming import estimated_tokens
from appfunctions_mcp.cli.chat_screen import compact, usage_in_words
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    ModelReply,
    Opaque,
    ResultsMessage,
    Text,
    UserMessage,
)
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece

_NAMES = {UserMessage: "user", ModelReply: "reply", ResultsMessage: "results"}


class TracedModel:
    """A model whose requests and replies are shown while tracing is on.

    Args:
        model: The model.
        tell: Shows a text.
    """

    def __init__(self, model: Model, tell: Callable[[str], None]) -> None:
        self.is_on = False
        """Whether they are shown."""
        self._model = model
        self._tell = tell

    @property
    def format(self) -> ModelFormat:
        """The form of the model's requests and replies."""
        return self._model.format

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Answers as the model does."""
        self._show_request(request)
        reply = await self._model.reply(request)
        self._show_reply(reply)
        return reply

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """Answers as the model does."""
        self._show_request(request)
        async with aclosing(self._model.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, ModelReply):
                    self._show_reply(piece)
                yield piece

    def _show_request(self, request: ModelRequest) -> None:
        if not self.is_on:
            return
        messages = request.history.messages
        kinds = Counter(_NAMES[type(message)] for message in messages)
        counted = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        body = self.format.request(request.history, request.tools)
        tools = body.pop("tools", None)
        size = f"{len(compact(tools)):,} characters" if tools else "none"
        number = len(request.tools.tools) if request.tools is not None else 0
        plural = "" if len(messages) == 1 else "s"
        self._tell(
            f"request ({self.format.name}): {len(messages)} message{plural} ({counted}), about "
            f"{estimated_tokens(request.history):,} tokens without tools; tools: {number}, {size} "
            "(/tools NAME shows one)"
        )
        self._tell(json.dumps(body, ensure_ascii=False, indent=2, default=repr))

    def _show_reply(self, reply: ModelReply) -> None:
        if not self.is_on:
            return
        by = f" by {reply.model}" if reply.model else ""
        self._tell(f"reply{by}: {reply.stop.value}; {usage_in_words(reply.usage)}")
        for part in (*reply.parts, *filter(None, [reply.verbatim])):
            self._tell(f"  {_in_words(part)}")


def _in_words(part: Any) -> str:
    if isinstance(part, Opaque):
        return f"opaque ({part.format}): {compact(part.value)}"
    verbatim = f"; as it came: {compact(part.verbatim.value)}" if part.verbatim else ""
    if isinstance(part, FunctionCall):
        fault = f"; fault: {part.fault}" if part.fault else ""
        return f"call {part.id}: {part.name} {compact(part.arguments)}{fault}{verbatim}"
    assert isinstance(part, Text)  # noqa: S101 - the third kind of part
    return f"text: {compact(part.text)}{verbatim}"
