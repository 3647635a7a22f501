"""A service in this process whose spans are kept."""

from collections.abc import Callable
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from appfunctions_mcp import AppFunctionService
from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.tracing import Spans


class Traced:
    """A service of some functions, and the spans that have ended.

    Args:
        functions: What is served.
    """

    def __init__(self, *functions: Callable[..., Any]) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = provider.get_tracer("test")
        self.service = AppFunctionService.from_functions(functions, name="app", description="D.")
        self.service.manager.use_spans(Spans(self.tracer))

    async def execute(self, name: str, **request: Any) -> str:
        """Executes a function; the text of its value, or the class of what was raised."""
        asked = ExecuteAppFunctionRequest(name, **request)
        try:
            return str((await self.service.manager.execute(asked)).value)
        except AppFunctionException as failure:
            return failure.kind

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """The spans, in the order in which they ended."""
        return self._exporter.get_finished_spans()
