"""What is told of one execution: the record for the log, and a crash as its author wants it."""

import asyncio
import traceback
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionException,
)
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.telemetry import ExecutionRecord, Outcome


def execution_record(
    request: ExecuteAppFunctionRequest,
    metadata: AppFunctionMetadata | None,
    seconds: float,
    outcome: ExecuteAppFunctionResponse | BaseException,
) -> ExecutionRecord:
    """Makes the record of an execution.

    Args:
        request: What was asked for.
        metadata: The function, None where there is none of that name.
        seconds: How long it took.
        outcome: The response, or what was raised.
    """
    failure = outcome if isinstance(outcome, BaseException) else None
    return ExecutionRecord(
        function_id=metadata.function_id if metadata else request.function,
        outcome=_outcome_of(failure),
        duration_ms=seconds * 1000,
        caller=request.caller.name,
        request_id=request.request_id,
        error_type=getattr(failure, "kind", None),
        error_id=_extras_of(failure).get("error_id"),
        result_bytes=None if isinstance(outcome, BaseException) else outcome.size,
        crash=(failure.__cause__ or failure) if failure and is_crash(failure) else None,
        arguments=request.parameters,
        input_schema=metadata.input_schema if metadata else None,
    )


def is_crash(failure: BaseException) -> bool:
    """Whether the function itself failed in a way that nobody anticipated."""
    return "error_id" in _extras_of(failure)


def with_traceback(failure: BaseException) -> AppFunctionException:
    """A crash as its author wants to see it: with everything that is known of it."""
    text = "".join(traceback.format_exception(failure.__cause__ or failure))
    return AppFunctionAppUnknownException(f"{failure}\n{text}", extras=_extras_of(failure))


def _outcome_of(failure: BaseException | None) -> Outcome:
    if failure is None:
        return "success"
    if isinstance(failure, asyncio.CancelledError | AppFunctionCancelledException):
        return "cancelled"
    return "crash" if is_crash(failure) else "error"


def _extras_of(failure: BaseException | None) -> Mapping[str, Any]:
    return failure.extras if isinstance(failure, AppFunctionException) else {}
