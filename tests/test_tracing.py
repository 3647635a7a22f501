"""One span an execution, in its place among others, with nothing of what was said."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from appfunctions_mcp import app_function
from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from tests.support.http_server import http_server
from tests.support.operated_app import run_operated
from tests.support.stdio_server import stdio_server
from tests.support.traced import Traced

OPERATED_APP = "tests.support.operated_app"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
SAMPLED = trace.TraceFlags(trace.TraceFlags.SAMPLED)
CARRIER = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=1"}


def double(number: int) -> int:
    """Doubles."""
    return 2 * number


async def double_later(number: int) -> int:
    """Doubles after a turn of the loop."""
    await asyncio.sleep(0)
    return 2 * number


async def double_at_once(number: int) -> int:
    """Doubles without waiting."""
    return 2 * number


@pytest.mark.anyio
@pytest.mark.parametrize("function", [double, double_later, double_at_once])
async def test_an_execution_is_one_span(function: Callable[[int], int]) -> None:
    traced = Traced(function)

    assert await traced.execute(function.__name__, parameters={"number": 2}, request_id=7) == "4"

    (span,) = traced.spans
    assert span.name == f"execute {__name__}#{function.__name__}"
    assert span.kind is SpanKind.INTERNAL
    assert span.parent is None
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes or {}) == {
        "appfunctions.id": f"{__name__}#{function.__name__}",
        "appfunctions.outcome": "success",
        "mcp.method.name": "tools/call",
        "jsonrpc.request.id": "7",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": function.__name__,
        "gen_ai.tool.type": "function",
    }


@pytest.mark.anyio
@pytest.mark.parametrize("in_thread", [True, False])
async def test_what_a_function_opens_lies_within_its_span(*, in_thread: bool) -> None:
    def work() -> None:
        """Opens a span."""
        with traced.tracer.start_as_current_span("inner"):
            pass

    async def work_async() -> None:
        """Opens a span after it has waited."""
        await asyncio.sleep(0)
        work()

    traced = Traced(app_function(id="m#work")(work if in_thread else work_async))

    await traced.execute("m#work")

    inner, outer = traced.spans
    assert (inner.name, outer.name) == ("inner", "execute m#work")
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    assert trace.get_current_span() is trace.INVALID_SPAN


@pytest.mark.anyio
async def test_calls_at_once_do_not_take_each_others_spans() -> None:
    async def meet(number: int) -> int:
        """Waits for all others."""
        await arrived.wait()
        with traced.tracer.start_as_current_span(f"inner {number}"):
            return number

    arrived = asyncio.Barrier(5)
    traced = Traced(meet)
    requests = [traced.execute("meet", parameters={"number": n}, request_id=n) for n in range(5)]

    await asyncio.gather(*requests)

    outer = {
        s.context.span_id: (s.attributes or {})["jsonrpc.request.id"]
        for s in traced.spans
        if s.name.startswith("execute")
    }
    inner = {
        s.name: outer[s.parent.span_id]
        for s in traced.spans
        if s.name.startswith("inner") and s.parent
    }
    assert inner == {f"inner {n}": str(n) for n in range(5)}


@pytest.mark.anyio
async def test_the_caller_s_span_is_the_parent() -> None:
    traced = Traced(double)

    await traced.execute("double", parameters={"number": 2}, trace_context=CARRIER)

    (span,) = traced.spans
    assert span.parent is not None
    assert trace.format_trace_id(span.parent.trace_id) == TRACE
    assert trace.format_span_id(span.parent.span_id) == PARENT
    assert span.parent.trace_state == {"vendor": "1"}
    assert span.kind is SpanKind.SERVER


@pytest.mark.anyio
@pytest.mark.parametrize(
    "carrier",
    [None, {}, {"traceparent": 5}, {"traceparent": "junk"}, {"tracestate": "vendor=1"}],
)
async def test_a_span_that_is_open_here_is_the_parent(carrier: dict[str, Any] | None) -> None:
    traced = Traced(double)

    with traced.tracer.start_as_current_span("outer"):
        await traced.execute("double", parameters={"number": 2}, trace_context=carrier)

    span, outer = traced.spans
    assert span.parent is not None
    assert span.parent.span_id == outer.context.span_id
    assert (span.kind, span.links) == (SpanKind.INTERNAL, ())


@pytest.mark.anyio
async def test_a_span_of_the_caller_s_trace_that_is_open_here_stays_the_parent() -> None:
    """The SDK has opened one for the request already."""
    traced = Traced(double)
    remote = trace.set_span_in_context(
        trace.NonRecordingSpan(
            trace.SpanContext(int(TRACE, 16), int(PARENT, 16), is_remote=True, trace_flags=SAMPLED)
        )
    )

    with traced.tracer.start_as_current_span("tools/call double", context=remote):
        await traced.execute("double", parameters={"number": 2}, trace_context=CARRIER)

    span, outer = traced.spans
    assert span.parent is not None
    assert span.parent.span_id == outer.context.span_id


@pytest.mark.anyio
async def test_a_span_of_another_trace_that_is_open_here_is_linked() -> None:
    traced = Traced(double)

    with traced.tracer.start_as_current_span("POST /mcp"):
        await traced.execute("double", parameters={"number": 2}, trace_context=CARRIER)

    span, outer = traced.spans
    assert span.parent is not None
    assert trace.format_span_id(span.parent.span_id) == PARENT
    assert [link.context.span_id for link in span.links] == [outer.context.span_id]


def refuse(number: int) -> None:
    """Refuses."""
    raise AppFunctionInvalidArgumentException("CANARY is not accepted")


def crash(number: int) -> None:
    """Crashes."""
    raise ValueError("CANARY")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("function", "outcome", "error_type"),
    [
        (refuse, "error", "AppFunctionInvalidArgumentException"),
        (crash, "crash", "AppFunctionAppUnknownException"),
    ],
)
async def test_a_failure_is_told_by_its_class_alone(
    function: Callable[[int], None], outcome: str, error_type: str
) -> None:
    traced = Traced(function)

    await traced.execute(function.__name__, parameters={"number": 8888})

    (span,) = traced.spans
    attributes = dict(span.attributes or {})
    assert (attributes["appfunctions.outcome"], attributes["error.type"]) == (outcome, error_type)
    assert ("appfunctions.error_id" in attributes) == (outcome == "crash")
    assert span.status.status_code is StatusCode.ERROR
    assert span.events == ()
    assert "CANARY" not in span.to_json()
    assert "8888" not in span.to_json()


@pytest.mark.anyio
async def test_a_call_that_is_cancelled_ends_its_span() -> None:
    async def wait() -> None:
        """Waits for ever."""
        begun.set()
        await asyncio.Event().wait()

    begun = asyncio.Event()
    traced = Traced(wait)
    task = asyncio.create_task(traced.execute("wait"))
    await begun.wait()

    task.cancel()
    await asyncio.wait({task})

    (span,) = traced.spans
    attributes = dict(span.attributes or {})
    assert attributes["appfunctions.outcome"] == "cancelled"
    assert attributes["error.type"] == "CancelledError"
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.anyio
async def test_a_name_that_no_function_has_makes_no_span() -> None:
    traced = Traced(double)

    assert await traced.execute("CANARY") == "AppFunctionFunctionNotFoundException"

    assert traced.spans == ()


@pytest.mark.anyio
async def test_the_log_line_names_the_span(caplog: pytest.LogCaptureFixture) -> None:
    traced = Traced(double)

    with caplog.at_level("INFO"):
        await traced.execute("double", parameters={"number": 2})

    (span,) = traced.spans
    assert f"trace_id='{trace.format_trace_id(span.context.trace_id)}'" in caplog.text
    assert f"span_id='{trace.format_span_id(span.context.span_id)}'" in caplog.text


def test_without_a_provider_nothing_is_opened_and_nothing_imported() -> None:
    code = """if True:
        import asyncio, sys
        from appfunctions_mcp import AppFunctionService

        def f() -> None:
            "Does nothing."

        async def serve():
            service = AppFunctionService.from_functions([f], name="a", description="D.")
            async with service.running():
                assert service.manager.log.spans is None

        asyncio.run(serve())
        assert not [name for name in sys.modules if name.startswith("opentelemetry")]
        import opentelemetry.trace
        asyncio.run(serve())
    """

    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def spans_in(path: Path) -> dict[str, dict[str, Any]]:
    return {span["name"]: span for span in map(json.loads, path.read_text().splitlines())}


@pytest.mark.parametrize("meta", [CARRIER, None], ids=["traced caller", "untraced caller"])
def test_over_stdio_a_call_has_one_span_of_ours_in_the_caller_s_trace(
    tmp_path: Path, engine: str, meta: dict[str, Any] | None
) -> None:
    spans = tmp_path / "spans.jsonl"
    with stdio_server(*run_operated(tmp_path), env={"SPANS_FILE": str(spans)}) as server:
        server.initialize()
        extra = {} if meta is None else {"_meta": meta}
        for name in ("greet", "greet_in_thread"):
            assert not server.call(name, {"name": "Ann"}, **extra)["result"]["isError"]

    told = spans_in(spans)
    for name, inner in (("greet", "inner"), ("greet_in_thread", "inner in a thread")):
        ours = told[f"execute {OPERATED_APP}#{name}"]
        assert told[inner]["parent_id"] == ours["context"]["span_id"]
        if engine == "sdk":
            sdk = told[f"tools/call {name}"]
            assert ours["parent_id"] == sdk["context"]["span_id"]
            assert ours["kind"] == "SpanKind.INTERNAL"
        else:
            assert f"tools/call {name}" not in told
            assert ours["parent_id"] == (None if meta is None else f"0x{PARENT}")
        if meta is not None:
            assert ours["context"]["trace_id"] == f"0x{TRACE}"
    assert "Ann" not in spans.read_text()


def test_over_http_a_call_has_one_span_of_ours_in_the_caller_s_trace(
    tmp_path: Path, engine: str
) -> None:
    spans = tmp_path / "spans.jsonl"
    with http_server(
        *run_operated(tmp_path, "--http", "0"), env={"SPANS_FILE": str(spans)}
    ) as server:
        call = {"name": "greet", "arguments": {"name": "Ann"}, "_meta": CARRIER}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"MCP-Protocol-Version": "2025-11-25"}
        assert not server.ask(body=body, headers=headers).message["result"]["isError"]

    told = spans_in(spans)
    ours = told[f"execute {OPERATED_APP}#greet"]
    assert ours["context"]["trace_id"] == f"0x{TRACE}"
    assert told["inner"]["parent_id"] == ours["context"]["span_id"]
    assert sum(name.startswith("execute ") for name in told) == 1
    assert ("tools/call greet" in told) == (engine == "sdk")
