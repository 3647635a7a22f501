"""The loop: a model is asked, its calls are run, it gets the results, until it answers.

Limited in rounds, watched for repetition, and left with a valid conversation wherever it ends.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Self

from appfunctions_mcp.assistant.batch import logged_crash
from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.assistant.dispatcher import AnySource, Confirm, ToolDispatcher
from appfunctions_mcp.assistant.events import (
    Answer,
    AssistantEvent,
    CallEvent,
    ResultEvent,
    StopEvent,
    StopReason,
    TextEvent,
)
from appfunctions_mcp.assistant.models import Model, ModelRequest
from appfunctions_mcp.assistant.repairing import interrupted_result
from appfunctions_mcp.assistant.repetition import RepetitionGuard
from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    ReplyStop,
    Text,
    Usage,
    UserPart,
)
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece, TextPiece
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import replaced

__all__ = ["Assistant"]

MAX_ITERATIONS = 8

Listener = Callable[[AssistantEvent], None]
_STOPS = {ReplyStop.LENGTH: StopReason.LENGTH, ReplyStop.REFUSED: StopReason.REFUSED}


class Assistant:
    """A model with functions: asks it, runs what it calls, and brings back its answer.

    Example:
        async with Assistant(AnthropicModel("claude-sonnet-5-5"), service) as assistant:
            answer = await assistant.ask("Which notes speak of milk?")
            print(answer.text)

    Args:
        model: Who is asked.
        functions: What it may call: a service, an MCP server (its URL, or its command as a list of
            words), another source, or a dispatcher with limits of its own.
        conversation: What has been said before; a new one when left out.
        system: What holds for the whole of a new conversation.
        max_iterations: How often functions are called for one question; then the model is asked
            once more, without functions, so that what was found is answered from (F81).
        confirm: Asked before a destructive function is called; whatever is called without it.
        max_history_tokens: Before each request the oldest exchanges are dropped beyond it, by an
            estimate; see `Conversation.trim`. Nothing is dropped when left out.

    Raises:
        TypeError: The model, or what has the functions, is none.
        ValueError: A limit is negative, or a URL or a command is not accepted.
    """

    def __init__(
        self,
        model: Model,
        functions: ToolDispatcher | AnySource,
        *,
        conversation: Conversation | None = None,
        system: str = "",
        max_iterations: int = MAX_ITERATIONS,
        confirm: Confirm | None = None,
        max_history_tokens: int | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise TypeError(
                f"the model is of the type {type(model).__name__}; make one as "
                "model_named('anthropic:claude-sonnet-5-5') of appfunctions_mcp.assistant.providers"
            )
        if max_iterations < 0:
            raise ValueError(f"max_iterations is {max_iterations}; accepted is 0 or more")
        if max_history_tokens is not None and max_history_tokens < 0:
            raise ValueError(f"max_history_tokens is {max_history_tokens}; accepted is 0 or more")
        self.conversation = conversation if conversation is not None else Conversation(system)
        self.model = model
        self.dispatcher = (
            functions if isinstance(functions, ToolDispatcher) else ToolDispatcher(functions)
        )
        self._max_iterations = max_iterations
        self._confirm = confirm
        self._max_history_tokens = max_history_tokens
        self._listeners: list[Listener] = []
        self._is_answering = False
        self._exported_of: tuple[str, tuple[AppFunctionMetadata, ...]] = ("", ())
        self._exported: ExportedTools | None = None

    async def __aenter__(self) -> Self:
        """Opens what the functions come from."""
        await self.dispatcher.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Closes what the functions come from."""
        await self.dispatcher.__aexit__(*raised)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Lets a function see every event from now on.

        Args:
            listener: Called on the event loop with each event; what it raises is logged.

        Returns:
            Call it to see no more.
        """
        self._listeners.append(listener)

        def remove() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return remove

    async def ask(self, *parts: UserPart) -> Answer:
        """Asks, and waits for the answer.

        Cancelled, it leaves a valid conversation: calls that had not ended are told to the model
        as interrupted.

        Args:
            parts: What the user says: texts, pictures, sound.

        Raises:
            AppFunctionsError: A question is being answered already.
            ConversationError: Nothing is said.
            ProviderError: The model cannot be reached. Where it was the first request, the
                conversation is as before, so that asking again is safe.
            ReplyError: What the model answered cannot be used.
            SourceError: The functions cannot be listed.
        """
        return await self._answered(parts, self._tell, is_streamed=False)

    async def stream(self, *parts: UserPart) -> AsyncGenerator[AssistantEvent, None]:
        """Asks, and gives what happens as it happens; the answer is in the last event.

        Whoever stops listening before the end closes the generator (`contextlib.aclosing`), which
        is as cancelling `ask`.

        Args:
            parts: As `ask`.

        Raises:
            AppFunctionsError: As `ask`, and whatever else `ask` raises.
        """
        events: asyncio.Queue[AssistantEvent | None] = asyncio.Queue()

        def tell(event: AssistantEvent) -> None:
            self._tell(event)
            events.put_nowait(event)

        answering = asyncio.ensure_future(self._answered(parts, tell, is_streamed=True))
        answering.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            await answering
        finally:
            await _ended(answering)

    def _tell(self, event: AssistantEvent) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as crash:  # noqa: BLE001 - logged; an answer does not end by it
                logged_crash(crash, "telling of an event")

    async def _answered(
        self, parts: tuple[UserPart, ...], tell: Listener, *, is_streamed: bool
    ) -> Answer:
        if self._is_answering:
            raise AppFunctionsError(
                "this assistant is answering; wait for its answer, or close its stream"
            )
        conversation = self.conversation
        conversation.repair()
        before = conversation.exchanges
        conversation.add_user(*parts)
        self._is_answering = True
        try:
            return await self._rounds(tell, is_streamed=is_streamed)
        finally:
            self._is_answering = False
            last = conversation.exchanges[-1]
            if not last.steps and last.answer is None:
                conversation.exchanges = before
            conversation.repair()

    async def _rounds(self, tell: Listener, *, is_streamed: bool) -> Answer:
        guard, usage, rounds = RepetitionGuard(), Usage(), 0
        while True:
            is_last = rounds >= self._max_iterations or guard.has_had_enough
            model = self.model  # another one may be set between two rounds
            tools = None if is_last else await self._tools(model.format)
            request = ModelRequest(self._history(model.format), tools)
            reply = await _replied(_pieces(model, request, is_streamed=is_streamed), tell)
            usage += reply.usage
            if is_last:
                reply = _without_calls(reply)
            self.conversation.add_reply(reply)
            if not reply.calls:
                break
            # As they are kept: what is no JSON object there must not run.
            await self._called(self.conversation.open_calls, guard, tell)
            rounds += 1
        stop = _STOPS.get(reply.stop, StopReason.ANSWERED)
        if is_last and rounds:
            repeated = guard.has_had_enough
            stop = StopReason.REPEATED_CALL if repeated else StopReason.MAX_ITERATIONS
        answer = Answer(reply.text, stop, usage, rounds)
        tell(StopEvent(answer))
        return answer

    def _history(self, form: ModelFormat) -> History:
        if self._max_history_tokens is not None:
            self.conversation.trim(max_tokens=self._max_history_tokens)
        return self.conversation.history(form.name)

    async def _tools(self, form: ModelFormat) -> ExportedTools | None:
        """What the model may call now, exported anew only where it has changed."""
        functions = await self.dispatcher.functions()
        if (form.name, functions) != self._exported_of:
            self._exported = form.export_tools(functions) if functions else None
            self._exported_of = (form.name, functions)
        return self._exported

    async def _called(
        self, calls: Sequence[FunctionCall], guard: RepetitionGuard, tell: Listener
    ) -> None:
        """Runs the calls of a reply; what has ended is in the conversation, however this ends."""
        sent = _told_apart(calls)
        places = {call.id: place for place, call in enumerate(sent)}
        finished: dict[int, FunctionResult] = {}

        def on_result(result: FunctionResult) -> None:
            place = places[result.call_id]
            finished[place] = replaced(result, call_id=calls[place].id)
            tell(ResultEvent(calls[place], finished[place]))

        for call in calls:
            tell(CallEvent(call))
        try:
            await self.dispatcher.dispatch(sent, confirm=self._confirm, on_result=on_result)
        finally:
            results = [
                finished.get(place) or interrupted_result(call) for place, call in enumerate(calls)
            ]
            self.conversation.add_results(guard.noted(calls, results))


async def _pieces(
    model: Model, request: ModelRequest, *, is_streamed: bool
) -> AsyncGenerator[StreamPiece | ModelReply, None]:
    """What a model answers, in pieces or as one."""
    if is_streamed:
        async with aclosing(model.stream(request)) as pieces:
            async for piece in pieces:
                yield piece
        return
    reply = await model.reply(request)
    if reply.text:
        yield TextPiece(reply.text)
    yield reply


async def _replied(
    answer: AsyncGenerator[StreamPiece | ModelReply, None], tell: Listener
) -> ModelReply:
    """The whole reply; its text is told as it comes."""
    reply = ModelReply(())
    async with aclosing(answer) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelReply):
                reply = piece
            elif isinstance(piece, TextPiece):
                tell(TextEvent(piece.text))
    return reply


async def _ended(task: "asyncio.Task[Answer]") -> None:
    """Cancels a task and waits for its end, however often this task is cancelled meanwhile."""
    task.cancel()
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as again:
            cancelled = again
    if not task.cancelled():
        task.exception()  # told already, or given up together with the answer
    if cancelled is not None:
        raise cancelled


def _told_apart(calls: Sequence[FunctionCall]) -> list[FunctionCall]:
    """The calls with ids of which none occurs twice, so that each result finds its call."""
    taken: set[str] = set()
    apart: list[FunctionCall] = []
    for call in calls:
        made = call.id
        while made in taken:
            made += "'"
        taken.add(made)
        apart.append(replaced(call, id=made))
    return apart


def _without_calls(reply: ModelReply) -> ModelReply:
    """A reply whose calls are ignored, as none were offered."""
    if not reply.calls:
        return reply
    parts = tuple(part for part in reply.parts if not isinstance(part, FunctionCall))
    return replaced(reply, parts=parts or (Text(""),), stop=ReplyStop.OTHER)
