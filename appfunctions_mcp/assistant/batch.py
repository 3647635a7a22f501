"""The calls of one reply while they run: each is owned, limited in time, and ends in one result."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

from appfunctions_mcp.assistant.owned_tasks import CallClock, OwnedTasks, PausableTimer
from appfunctions_mcp.assistant.results import EMPTY_RESULT, error_result, unknown_function
from appfunctions_mcp.assistant.sources import (
    CheckingSource,
    FunctionSource,
    RefusingSource,
    SourceCall,
    SourceError,
)
from appfunctions_mcp.crash_texts import crash_text, without_named_secrets
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionDeniedException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
    AppFunctionSystemUnknownException,
    AppFunctionUnknownException,
)
from appfunctions_mcp.formats.argument_texts import read_arguments
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.functions import crashed
from appfunctions_mcp.json_text import JsonTextError, write_json
from appfunctions_mcp.limits import STILL_RUNNING
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.secret_values import without_secrets

Confirm = Callable[[FunctionCall, AppFunctionMetadata], Awaitable[bool]]
"""Asks the user whether a call may run."""
OnResult = Callable[[FunctionResult], None]

_LOGGER = logging.getLogger(__name__)
_FIND_OUT = "Find out whether it took effect before you call it again."
_NOT_AGAIN = "Do not call again unless the user asks for it."


@record(frozen=True, slots=True)
class DispatchLimits:
    """What the calls of one reply may cost.

    Raises:
        ValueError: One is not accepted.
    """

    max_parallel: int = 20
    """How many calls run at once; others wait."""
    timeout_seconds: float | None = 60.0
    """How long a call may run without a sign of life; None is without end."""
    batch_timeout_seconds: float | None = 300.0
    """How long all calls of a reply may take together; it stands still while a user is asked."""
    max_calls: int = 128
    """How many calls of one reply are run."""

    def __post_init__(self) -> None:
        for name in ("max_parallel", "max_calls"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; accepted is 1 or more")
        for name in ("timeout_seconds", "batch_timeout_seconds"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} is {seconds}; accepted is more than 0, or None")


def is_destructive(function: AppFunctionMetadata) -> bool:
    """Whether the user is asked before a call: nothing says that it does no harm."""
    is_harmless = function.read_only is True or function.destructive is False
    return function.requires_confirmation or not is_harmless


class Batch:
    """The calls of one reply.

    Args:
        source: Where the functions come from.
        limits: What they may cost.
        slots: One for each call that may run now.
        tasks: Owns what runs.
        confirm: Asked before a destructive call; None asks nobody.
        on_result: Told of each result when it is there.
    """

    def __init__(
        self,
        source: FunctionSource,
        limits: DispatchLimits,
        slots: asyncio.Semaphore,
        tasks: OwnedTasks,
        *,
        confirm: Confirm | None,
        on_result: OnResult | None,
    ) -> None:
        self._source = source
        self._limits = limits
        self._slots = slots
        self._owned = tasks
        self._confirm = confirm
        self._on_result = on_result
        self._asking = asyncio.Lock()
        self._timer = PausableTimer(limits.batch_timeout_seconds, self._expire)
        self._answers: list[asyncio.Task[FunctionResult]] = []
        self._begun: set[int] = set()
        self._names: list[str] = []
        self._why = "the call was cancelled"
        self._advice = _NOT_AGAIN

    async def run(
        self,
        calls: Sequence[FunctionCall],
        listed: Callable[[], Coroutine[Any, Any, Sequence[AppFunctionMetadata]]],
    ) -> tuple[FunctionResult, ...]:
        """Runs the calls.

        Args:
            calls: The calls.
            listed: Tells what may be called; where that fails, so does every call.

        Returns:
            One result for each call, in their order.
        """
        if not calls:
            return ()
        listing = asyncio.create_task(listed())
        listing.add_done_callback(_look_at)
        self._answers = [
            asyncio.create_task(self._answer(place, call, listing))
            for place, call in enumerate(calls)
        ]
        self._timer.run()
        try:
            await asyncio.wait(self._answers)
        except asyncio.CancelledError:
            await self._end_all()
            raise
        finally:
            self._timer.stop()
            if listing.cancel():
                await asyncio.wait([listing])
        return tuple(map(self._result_of, self._answers, calls))

    def cancel(self, why: str, advice: str = _NOT_AGAIN) -> None:
        """Ends what has not ended.

        Args:
            why: What the model is told.
            advice: What it should do.
        """
        self._why, self._advice = why, advice
        for answer in self._answers:
            answer.cancel()

    def _expire(self) -> None:
        seconds = f"{self._limits.batch_timeout_seconds:g}"
        self.cancel(
            f"the calls of one reply may take {seconds} s together, which have passed",
            "Ask for fewer calls in one reply.",
        )

    async def _end_all(self) -> None:
        """Cancels all calls and waits for their ends, however often this task is cancelled."""
        self.cancel(self._why)
        while running := [answer for answer in self._answers if not answer.done()]:
            try:
                await asyncio.wait(running)
            except asyncio.CancelledError:
                continue

    def _result_of(
        self, answer: "asyncio.Task[FunctionResult]", call: FunctionCall
    ) -> FunctionResult:
        if not answer.cancelled():
            return answer.result()
        # It was cancelled before its first step.
        return tell_result(error_result(call, self._cancellation(has_begun=False)), self._on_result)

    async def _answer(
        self,
        place: int,
        call: FunctionCall,
        listing: "asyncio.Task[Sequence[AppFunctionMetadata]]",
    ) -> FunctionResult:
        try:
            functions = {each.tool_name: each for each in await asyncio.shield(listing)}
            self._names = list(functions)
            result = _checked(await self._called(place, call, functions.get(call.name)), call)
        except AppFunctionException as failure:
            result = error_result(call, failure)
        except SourceError as fault:
            result = unavailable_result(call, fault)
        except asyncio.CancelledError:
            result = error_result(call, self._cancellation(has_begun=place in self._begun))
        except BaseException as crash:  # noqa: BLE001 - logged, and the model learns its number
            result = error_result(call, logged_crash(crash, f"calling {call.name}"))
        return tell_result(result, self._on_result)

    async def _called(
        self, place: int, call: FunctionCall, function: AppFunctionMetadata | None
    ) -> FunctionResult:
        call = _with_read_arguments(call)
        self._require_runnable(place, call, function)
        if function is None:
            raise self._refusal(call.name)
        made = SourceCall(call.id, function, call.arguments)
        if self._confirm is not None and is_destructive(function):
            if isinstance(self._source, CheckingSource):
                self._source.check(made)
            await self._ask(self._confirm, call, function)
            made = replaced(made, is_confirmed=True)
        async with self._slots:
            self._begun.add(place)
            clock = CallClock(self._limits.timeout_seconds)
            made = replaced(made, on_progress=clock.restart)
            try:
                execute = partial(self._source.execute, made)
                return await self._owned.run(execute, clock, keeps_value=True)
            except TimeoutError as expired:
                if clock.seconds_left != 0:
                    raise
                raise AppFunctionCancelledException(
                    f"timed out after {clock.seconds:g} s ({STILL_RUNNING})", recovery=_FIND_OUT
                ) from expired

    def _require_runnable(
        self, place: int, call: FunctionCall, function: AppFunctionMetadata | None
    ) -> None:
        if place >= self._limits.max_calls:
            raise AppFunctionLimitExceededException(
                f"of one reply {self._limits.max_calls} calls are run, and this one is behind them",
                recovery="Call it in the next reply, where it is still needed.",
            )
        arguments: object = call.arguments
        fault = call.fault
        if not fault and not isinstance(arguments, Mapping):
            fault = f"the arguments are of the kind {type(arguments).__name__}, not one JSON object"
        if fault:
            recovery = self._refusal(call.name).message
            if function is not None:
                recovery = _how_to_call(function)
            raise AppFunctionInvalidArgumentException(fault, recovery=recovery)

    def _refusal(self, name: str) -> AppFunctionException:
        if isinstance(self._source, RefusingSource):
            return self._source.refusal(name)
        return unknown_function(name, self._names)

    async def _ask(
        self, confirm: Confirm, call: FunctionCall, function: AppFunctionMetadata
    ) -> None:
        """Asks the user, one question at a time and in the order of the calls."""
        async with self._asking:
            self._timer.stop()
            try:
                agreed = await self._owned.run(partial(confirm, call, function))
            except asyncio.CancelledError:
                raise
            except BaseException as crash:  # noqa: BLE001 - logged, and the call does not run
                raise AppFunctionDeniedException(
                    "the user could not be asked for a confirmation; nothing has been changed",
                    recovery="Tell the user what you wanted to call, and why it did not run.",
                ) from logged_crash(crash, f"asking whether {call.name} may run")
            finally:
                self._timer.run()
        if agreed is not True:
            raise AppFunctionDeniedException(
                "the user declined; nothing has been changed", recovery=_NOT_AGAIN
            )

    def _cancellation(self, *, has_begun: bool) -> AppFunctionCancelledException:
        how_far = "it had begun, and may have taken effect" if has_begun else "it has not begun"
        advice = f"{self._advice} {_FIND_OUT}" if has_begun else self._advice
        return AppFunctionCancelledException(f"{self._why} ({how_far})", recovery=advice)


def _look_at(listing: "asyncio.Task[Sequence[AppFunctionMetadata]]") -> None:
    """Lets asyncio know that a failure is not lost, where every call ended before it came."""
    if not listing.cancelled():
        listing.exception()


def unavailable_result(call: FunctionCall, fault: SourceError) -> FunctionResult:
    """The result of a call whose source cannot be used."""
    unavailable = AppFunctionSystemUnknownException(
        str(fault), recovery="Go on without functions, or tell the user."
    )
    return error_result(call, unavailable)


def _with_read_arguments(call: FunctionCall) -> FunctionCall:
    """The call; a loop that makes its calls itself may hand on their arguments as JSON text."""
    arguments: object = call.arguments
    if call.fault or not isinstance(arguments, str):
        return call
    read, fault = read_arguments(arguments)
    return replaced(call, arguments=read, fault=fault)


def tell_result(result: FunctionResult, on_result: OnResult | None) -> FunctionResult:
    """Tells a listener of a result, which stays what it is whatever the listener does."""
    if on_result is not None:
        try:
            on_result(result)
        except Exception as crash:  # noqa: BLE001 - logged
            logged_crash(crash, "telling of a result")
    return result


def _how_to_call(function: AppFunctionMetadata) -> str:
    """What a call of a function looks like, in words."""
    named = [
        f"{parameter.name}{' (required)' if parameter.required else ''}"
        for parameter in function.parameters
    ]
    having = f" that may have: {', '.join(named)}" if named else ", which is {}"
    return f"Call {function.tool_name} again with one whole JSON object{having}."


def _checked(result: object, call: FunctionCall) -> FunctionResult:
    """A result as it may be shown: of its call, JSON, and never without a text (F65)."""
    if not isinstance(result, FunctionResult):
        raise AppFunctionAppUnknownException(
            f"the function is at fault: it gave no result but a {type(result).__name__}"
        )
    if result.structured is not None:
        try:
            write_json(result.structured)
        except JsonTextError as fault:
            raise AppFunctionAppUnknownException(
                f"the function is at fault: its result is no JSON: {fault}"
            ) from fault
    text = result.text
    if not text.strip():
        nothing = AppFunctionUnknownException(0).text() if result.is_error else EMPTY_RESULT
        text = nothing
    return replaced(result, call_id=call.id, name=call.name, text=text)


def logged_crash(crash: BaseException, what: str) -> AppFunctionException:
    """Logs what nobody anticipated; what a model may know of it is its number."""
    told = crashed()
    trace = without_named_secrets(without_secrets(crash_text(crash)))
    _LOGGER.error("%s failed (error id %s)\n%s", what, told.extras["error_id"], trace)
    return told
