"""What a running call reports, in order, from any thread, to whoever sends it on.

Progress and log messages queue up on the event loop and leave one after the other; all that was
reported before the result goes out before it, and nothing after. Knows nothing of MCP.
"""

import asyncio
import math
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pydantic_core import from_json, to_json

from appfunctions_mcp.json_text import without_half_surrogates
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import LogLevel, QuestionChannel, SilentChannel

if TYPE_CHECKING:
    from appfunctions_mcp.questions import Question

MAX_QUEUED = 256
"""Reports that wait to be sent; beyond them the oldest are dropped, as newer ones say more."""


@record(frozen=True, slots=True)
class ProgressReport:
    """How far a call is."""

    progress: float
    total: float | None
    message: str | None


@record(frozen=True, slots=True)
class LogMessage:
    """One log message: its level, and its text or an object with text and fields."""

    level: LogLevel
    body: Any


Report = ProgressReport | LogMessage


class QueuedChannel:
    """A call's way back to its caller.

    Args:
        send: Sends one report on; awaited for one at a time.
        wants_progress: Whether the caller asked for progress.
        log_levels: The levels of log messages that the caller asked for.
        questions: How the caller is asked something; without it, nobody can be asked.
    """

    def __init__(
        self,
        send: Callable[[Report], Awaitable[None]],
        *,
        wants_progress: bool,
        log_levels: frozenset[str] = frozenset(),
        questions: QuestionChannel | None = None,
    ) -> None:
        self._send = send
        self._wants_progress = wants_progress
        self._log_levels = log_levels
        self._questions: QuestionChannel = questions or SilentChannel()
        self._queue: deque[Report] = deque(maxlen=MAX_QUEUED)
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._sender: asyncio.Task[None] | None = None
        """Sends what is queued, and is over when nothing is; most calls report nothing."""
        self._ends = False
        self._highest = -math.inf

    @property
    def has_asked(self) -> bool:
        """Whether the call ends without an answer of its own, as its questions come first."""
        return self._questions.has_asked

    def can_ask(self, capability: str, /) -> bool:
        """Whether a question of that kind can be put."""
        return self._questions.can_ask(capability)

    async def ask(self, question: "Question") -> dict[str, Any]:
        """Puts a question, after what was reported before it, and waits for the answer."""
        if self._sender is not None and not self._sender.done():
            await asyncio.wait({self._sender})
        return await self._questions.ask(question)

    def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Queues a report; one that does not rise, or is no finite number, is dropped."""
        if not self._wants_progress or not _is_finite(progress):
            return
        known_total = total if total is not None and _is_finite(total) else None
        text = None if message is None else without_half_surrogates(str(message))
        self._enqueue(ProgressReport(progress, known_total, text))

    def log(self, level: LogLevel, message: str, fields: Mapping[str, Any]) -> None:
        """Queues a log message; fields that are no JSON are sent as their text."""
        if level not in self._log_levels:
            return
        body = {"message": message, **fields} if fields else message
        self._enqueue(LogMessage(level, _as_json(body)))

    def sending(self) -> "QueuedChannel":
        """An async context manager: reports are sent while its block runs, and none after."""
        return self

    async def __aenter__(self) -> Self:
        """Begins; nothing is sent before something is reported."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Sends the rest of the reports, unless the block was cancelled."""
        self._ends = True
        sender = self._sender
        if sender is None:
            return
        try:
            if not isinstance(failure, asyncio.CancelledError):
                await sender
        finally:
            sender.cancel()

    async def _send_all(self) -> None:
        while self._queue:
            await self._send(self._queue.popleft())

    def _enqueue(self, report: Report) -> None:
        if threading.get_ident() == self._thread:
            self._add(report)
            return
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._add, report)

    def _add(self, report: Report) -> None:
        if self._ends:
            return
        if isinstance(report, ProgressReport):
            if report.progress <= self._highest:
                return
            self._highest = report.progress
        self._queue.append(report)
        if self._sender is None or (self._sender.done() and not self._sender.cancelled()):
            self._sender = self._loop.create_task(self._send_all())


def _is_finite(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False  # an int that no client could read as a number


def _as_json(body: object) -> Any:
    """A log message as JSON: each field that cannot be any as its text."""
    try:
        return from_json(to_json(body, serialize_unknown=True, inf_nan_mode="null"))
    except (ValueError, RecursionError):
        if isinstance(body, dict):
            return {_text_of(name): _text_of(value) for name, value in body.items()}
        return _text_of(body)


def _text_of(value: object) -> str:
    return without_half_surrogates(str(value))
