"""What is told of one execution: to the log, to spans, to metrics and to the audit log.

`Execution` says what is executed for whom; `told` runs one of a resource or a prompt and tells
of it, as the manager does of functions. Also a crash as its author wants it.
"""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionException,
)
from appfunctions_mcp.metadata import AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import CallChannel, ExecuteAppFunctionRequest
from appfunctions_mcp.secret_values import without_secrets
from appfunctions_mcp.telemetry import ExecutionKind, ExecutionLog, ExecutionRecord, Outcome

T = TypeVar("T")


class ExecutionRequest(Protocol):
    """What the requests of functions, resources and prompts have in common."""

    @property
    def caller(self) -> AppFunctionCaller:
        """Who asks."""

    @property
    def request_id(self) -> str | int | None:
        """The id of the request, None outside a server."""

    @property
    def channel(self) -> CallChannel:
        """The way back to the caller."""

    @property
    def trace_context(self) -> Mapping[str, Any] | None:
        """What holds the caller's `traceparent`, if it sends one."""


@record(frozen=True, slots=True)
class Execution:
    """What is executed for whom, as log lines, spans, metrics and audit lines name it."""

    kind: ExecutionKind
    name: str
    """The function's id, the declared address or template of a resource, the prompt's name."""
    label: str
    """What clients call it: the name of the tool, the resource or the prompt; empty where there
    is none of the name that was asked for."""
    request: ExecutionRequest
    arguments: Mapping[str, Any] | None = None
    """The raw arguments."""
    input_schema: Mapping[str, Any] | None = None
    """Tells which of them are sensitive."""


async def told(
    log: ExecutionLog,
    execution: Execution,
    begun: Awaitable[T],
    size_of: Callable[[T], int] | None = None,
    *,
    debug: bool = False,
) -> T:
    """Waits for an execution and tells of it: how long it took and what it ended in.

    Args:
        log: Who is told.
        execution: What is executed.
        begun: The execution itself.
        size_of: How many bytes its value has.
        debug: Whether the caller gets all that is known of a crash.

    Returns:
        What the execution returned.

    Raises:
        AppFunctionException: As the execution.
    """

    async def run() -> T:
        started = time.perf_counter()
        try:
            value = await begun
        except (AppFunctionException, asyncio.CancelledError) as failure:
            tell_end(log, execution, time.perf_counter() - started, failure)
            shown = for_caller(failure, execution, debug=debug)
            if shown is failure:
                raise
            raise shown from failure
        size = None if size_of is None else size_of(value)
        tell_end(log, execution, time.perf_counter() - started, None, size)
        return value

    if log.spans is None or not execution.label:
        return await run()
    return await log.spans.around(execution, run)


def tell_end(
    log: ExecutionLog,
    execution: Execution,
    seconds: float,
    failure: BaseException | None,
    result_bytes: int | None = None,
) -> None:
    """Tells the meter and the log that an execution has ended.

    Args:
        log: Who is told.
        execution: What was executed.
        seconds: How long it took.
        failure: What was raised, if anything was.
        result_bytes: How many bytes its value has.
    """
    refusal = _refusal_of(failure)
    if log.meter is not None:
        if refusal is not None:
            log.meter.count_rejection(refusal)
        if execution.label:
            outcome = outcome_of(failure, execution.request.channel)
            log.meter.count(execution.kind, execution.name, outcome, seconds, result_bytes or 0)
    if failure is not None or log.wants_all:
        record_end(log, execution, seconds, failure, result_bytes)


def record_end(
    log: ExecutionLog,
    execution: Execution,
    seconds: float,
    failure: BaseException | None,
    result_bytes: int | None = None,
) -> None:
    """Tells the log alone that an execution has ended; see `tell_end`."""
    log.record(
        ExecutionRecord(
            function_id=execution.name,
            outcome=outcome_of(failure, execution.request.channel),
            duration_ms=seconds * 1000,
            caller=execution.request.caller.name,
            request_id=execution.request.request_id,
            error_type=getattr(failure, "kind", None),
            error_id=_extras_of(failure).get("error_id"),
            result_bytes=result_bytes,
            crash=(failure.__cause__ or failure) if failure and is_crash(failure) else None,
            arguments=execution.arguments,
            input_schema=execution.input_schema,
            kind=execution.kind,
            refusal=_refusal_of(failure),
        )
    )


def execution_of(
    request: ExecuteAppFunctionRequest, metadata: AppFunctionMetadata | None
) -> Execution:
    """The execution of a function.

    Args:
        request: What was asked for.
        metadata: The function, None where there is none of that name.
    """
    return Execution(
        "function",
        metadata.function_id if metadata else request.function,
        metadata.tool_name if metadata else "",
        request,
        request.parameters,
        metadata.input_schema if metadata else None,
    )


def is_crash(failure: BaseException) -> bool:
    """Whether the function itself failed in a way that nobody anticipated."""
    return "error_id" in _extras_of(failure)


def for_caller(
    failure: BaseException, execution: Execution, *, debug: bool = False
) -> BaseException:
    """What a caller gets of a failure: without secrets, and a crash whole where that is wanted.

    Args:
        failure: What was raised.
        execution: What raised it.
        debug: Whether the author wants to see everything that is known of a crash.

    Returns:
        The failure itself where nothing has to be changed.
    """
    if not isinstance(failure, AppFunctionException):
        return failure
    if debug and is_crash(failure):
        from appfunctions_mcp.redaction import sensitive_values

        text = "".join(traceback.format_exception(failure.__cause__ or failure))
        secrets = sensitive_values(execution.arguments or {}, execution.input_schema)
        shown = without_secrets(f"{failure}\n{text}", secrets)
        return AppFunctionAppUnknownException(shown, extras=_extras_of(failure))
    if without_secrets(failure.text()) == failure.text():
        return failure
    fresh = failure.restated()
    fresh.message = without_secrets(fresh.message)
    fresh.recovery = fresh.recovery and without_secrets(fresh.recovery)
    return fresh


def outcome_of(failure: BaseException | None, channel: CallChannel) -> Outcome:
    """What an execution has ended in.

    Args:
        failure: What was raised, if anything was.
        channel: The way back to the caller, who may have been asked something.
    """
    if failure is None:
        return "success"
    if channel.has_asked:
        return "asked"
    if isinstance(failure, asyncio.CancelledError | AppFunctionCancelledException):
        return "cancelled"
    return "crash" if is_crash(failure) else "error"


def _refusal_of(failure: BaseException | None) -> str | None:
    return failure.refusal if isinstance(failure, AppFunctionException) else None


def _extras_of(failure: BaseException | None) -> Mapping[str, Any]:
    return failure.extras if isinstance(failure, AppFunctionException) else {}
