"""A conversation while it lasts: questions are read, answered, shown and kept."""

import asyncio
from contextlib import aclosing
from typing import Any

from appfunctions_mcp.assistant.assistant import Assistant
from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.assistant.dispatcher import ToolDispatcher
from appfunctions_mcp.assistant.events import Answer, StopEvent, StopReason
from appfunctions_mcp.assistant.models import Model
from appfunctions_mcp.cli.chat_commands import COMMAND, run_command
from appfunctions_mcp.cli.chat_desk import Desk, Interrupted
from appfunctions_mcp.cli.chat_history import KeptConversation
from appfunctions_mcp.cli.chat_screen import Screen, whole_arguments
from appfunctions_mcp.cli.chat_streams import ChatStreams
from appfunctions_mcp.cli.chat_trace import TracedModel
from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.messages import FunctionCall
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted, with_escapes

INTERRUPTED = 130
_UNFINISHED = {StopReason.LENGTH, StopReason.REFUSED}
"""Stops by which a question has no whole answer."""


class ChatSession:
    """A person, a model and its functions.

    Args:
        model: Who answers.
        dispatcher: What it may call; open.
        kept: What has been said, and where it is kept.
        streams: What is read and written.
        screen: How it is shown.
        desk: Who reads.
        confirms_all: Whether destructive calls run without a question.
        max_iterations: As of `Assistant`.
        max_history_tokens: As of `Assistant`.
    """

    def __init__(
        self,
        model: Model,
        dispatcher: ToolDispatcher,
        kept: KeptConversation,
        *,
        streams: ChatStreams,
        screen: Screen,
        desk: Desk,
        confirms_all: bool,
        max_iterations: int,
        max_history_tokens: int | None,
    ) -> None:
        self.dispatcher = dispatcher
        self.kept = kept
        self.screen = screen
        self.streams = streams
        self.traced = TracedModel(model, screen.note)
        self.assistant = Assistant(
            self.traced,
            dispatcher,
            conversation=kept.conversation,
            confirm=self._confirm,
            max_iterations=max_iterations,
            max_history_tokens=max_history_tokens,
        )
        self.is_over = False
        """Whether the person wants to leave."""
        self._desk = desk
        self._confirms_all = confirms_all
        self._running: asyncio.Task[Any] | None = None
        self._was_interrupted = False

    async def converse(self) -> int:
        """Answers what is typed, or each line of a pipe, to the end.

        Returns:
            The exit code: at a terminal 0; else 1 where a question has no whole answer.
        """
        code, is_leaving = 0, False
        if self.streams.is_terminal:
            self._desk.on_interrupt = _pass_over
        while not self.is_over:
            try:
                line = await self._desk.ask(self.screen.prompt)
            except Interrupted:
                if not self.streams.is_terminal:
                    return INTERRUPTED
                if is_leaving:
                    break
                is_leaving = True
                self._end_prompt()
                self.screen.note("Ctrl+C again, or Ctrl+D, ends the conversation")
                continue
            if line is None:
                self._end_prompt()
                break
            is_leaving = False
            code = await self._take(line) or code
            if self._was_interrupted and not self.streams.is_terminal:
                return INTERRUPTED
        return 0 if self.streams.is_terminal else code

    async def answer(self, question: str) -> int:
        """Answers one question.

        Returns:
            0, or 1 where there is no whole answer, or 130 where Ctrl+C has cancelled it.
        """
        self.screen.begin(question)
        task = asyncio.create_task(self._show_answer(question))
        try:
            await self._finished(task)
        finally:
            self.screen.end()
            self.keep()
        if task.cancelled():
            return self._cancelled()
        fault = task.exception()
        if isinstance(fault, AppFunctionsError):
            self.fail(fault)
            return 1
        return 1 if task.result().stop in _UNFINISHED else 0

    def keep(self) -> None:
        """Writes the conversation down where it is kept."""
        warning = self.kept.keep()
        if warning:
            self.screen.note(warning)

    def fail(self, fault: AppFunctionsError) -> None:
        """Shows what has failed."""
        for line in fault.faults:
            self.screen.fail(line)

    def replace_conversation(self, conversation: Conversation) -> None:
        """Goes on with another conversation."""
        self.assistant.conversation = self.kept.conversation = conversation

    async def _take(self, line: str) -> int:
        if not line.strip():
            return 0
        self.streams.remember(line)
        if COMMAND.match(line):
            task = asyncio.create_task(run_command(self, line))
            await self._finished(task)
            return self._cancelled() if task.cancelled() else task.result()
        return await self.answer(line)

    async def _finished(self, task: "asyncio.Task[Any]") -> None:
        """Waits until something is done, or cancelled by Ctrl+C."""
        before, self._desk.on_interrupt = self._desk.on_interrupt, self._interrupt
        self._running, self._was_interrupted = task, False
        try:
            await asyncio.wait([task])
        finally:
            self._desk.on_interrupt = before
            task.cancel()
            await asyncio.wait([task])

    def _interrupt(self) -> None:
        self._was_interrupted = True
        if self._running is not None:
            self._running.cancel()

    def _cancelled(self) -> int:
        self.screen.note("cancelled")
        return INTERRUPTED

    async def _show_answer(self, question: str) -> Answer:
        async with aclosing(self.assistant.stream(question)) as events:
            async for event in events:
                self.screen.show(event)
                if isinstance(event, StopEvent):
                    return event.answer
        raise AssertionError  # pragma: no cover - a StopEvent is always last

    async def _confirm(self, call: FunctionCall, function: AppFunctionMetadata) -> bool:  # noqa: ARG002 - called so
        if self._confirms_all:
            return True
        name = quoted(call.name)
        if not self.streams.can_ask:
            self.screen.note(f"{name} was not run, as nobody can be asked; --yes runs it unasked")
            return False
        self.screen.ask(
            f"{with_escapes(call.name)} may change or delete something. Its arguments:\n"
            f"{whole_arguments(call)}"
        )
        try:
            answer = await self._desk.ask("Run it? [y/N] ")
        except Interrupted:
            self._end_prompt()
            self._interrupt()
            return False
        return (answer or "").strip().lower() in {"y", "yes"}

    def _end_prompt(self) -> None:
        """Leaves the line of a prompt that was not answered."""
        if self.streams.is_terminal:
            print(file=self.streams.out, flush=True)


def _pass_over() -> None:
    """Nothing is running that Ctrl+C could cancel."""
