"""Spans of OpenTelemetry around executions; used only where the process has configured it.

One span an execution, `execute <id>`: below the span that is open, or else below the one that
the caller names in `traceparent`. It holds no argument, no result and no message of an error.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Link, Span, SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.execution_records import Execution, outcome_of

R = TypeVar("R")

_PROPAGATOR = TraceContextTextMapPropagator()
_METHODS = {"function": "tools/call", "resource": "resources/read", "prompt": "prompts/get"}
_CARRIED = ("traceparent", "tracestate")


def configured_spans(version: str) -> "Spans | None":
    """Makes spans with the process's tracer provider; None where none was set.

    Args:
        version: This package's version.
    """
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider):
        return None
    return Spans(provider.get_tracer("appfunctions_mcp", version))


class Spans:
    """Opens a span around each execution.

    Args:
        tracer: Makes the spans.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def around(self, execution: Execution, begin: Callable[[], R]) -> R:
        """Begins an execution within a span that ends with it.

        Args:
            execution: What is executed.
            begin: Begins it; returns its value, or what has to be awaited for that.

        Returns:
            What `begin` returned, or what has to be awaited in its place.
        """
        span = self._started(execution)
        token = attach(trace.set_span_in_context(span))
        try:
            begun = begin()
        except BaseException as failure:
            _end(span, execution, failure)
            raise
        finally:
            detach(token)
        if inspect.isawaitable(begun):
            return cast("R", _awaited(span, execution, begun))
        _end(span, execution, None)
        return begun

    def current_ids(self) -> dict[str, str]:
        """The ids of the trace and the span that are open, for a log line."""
        context = trace.get_current_span().get_span_context()
        if not context.is_valid:
            return {}
        return {
            "trace_id": trace.format_trace_id(context.trace_id),
            "span_id": trace.format_span_id(context.span_id),
        }

    def _started(self, execution: Execution) -> Span:
        parent, link = _parent_of(execution.request.trace_context)
        is_remote = parent is not None
        return self._tracer.start_span(
            f"execute {execution.name}",
            context=parent,
            kind=SpanKind.SERVER if is_remote else SpanKind.INTERNAL,
            attributes=_attributes_of(execution),
            links=[link] if link is not None else None,
            record_exception=False,
            set_status_on_exception=False,
        )


async def _awaited(span: Span, execution: Execution, begun: Any) -> Any:
    token = attach(trace.set_span_in_context(span))
    try:
        value = await begun
    except BaseException as failure:
        _end(span, execution, failure)
        raise
    else:
        _end(span, execution, None)
        return value
    finally:
        detach(token)


def _parent_of(carrier: Mapping[str, Any] | None) -> tuple[Context | None, Link | None]:
    """The caller's span where none of its trace is open here, and a link to one that is."""
    if not carrier:
        return None, None
    given = {name: carrier[name] for name in _CARRIED if isinstance(carrier.get(name), str)}
    remote = _PROPAGATOR.extract(given) if "traceparent" in given else None
    if remote is None:
        return None, None
    named = trace.get_current_span(remote).get_span_context()
    here = trace.get_current_span().get_span_context()
    if not named.is_valid or here.trace_id == named.trace_id:
        return None, None
    return remote, Link(here) if here.is_valid else None


def _attributes_of(execution: Execution) -> dict[str, str]:
    attributes = {"appfunctions.id": execution.name}
    if execution.request.request_id is not None:
        attributes["mcp.method.name"] = _METHODS[execution.kind]
        attributes["jsonrpc.request.id"] = str(execution.request.request_id)
    if execution.kind == "function":
        attributes["gen_ai.operation.name"] = "execute_tool"
        attributes["gen_ai.tool.name"] = execution.label
        attributes["gen_ai.tool.type"] = "function"
    elif execution.kind == "prompt":
        attributes["gen_ai.prompt.name"] = execution.label
    else:
        attributes["mcp.resource.uri"] = execution.name
    return attributes


def _end(span: Span, execution: Execution, failure: BaseException | None) -> None:
    outcome = outcome_of(failure, execution.request.channel)
    span.set_attribute("appfunctions.outcome", outcome)
    if failure is not None and outcome != "asked":
        span.set_attribute("error.type", getattr(failure, "kind", type(failure).__qualname__))
        if outcome != "cancelled" or isinstance(failure, AppFunctionException):
            span.set_status(StatusCode.ERROR)
        if isinstance(failure, AppFunctionException) and "error_id" in failure.extras:
            span.set_attribute("appfunctions.error_id", str(failure.extras["error_id"]))
    span.end()
