"""What a server has counted, as Prometheus' text: executions, and what was refused.

Counting costs a look-up and some additions; the text is made when somebody asks. What a caller
may not execute does not stand in the text that it gets.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator

from appfunctions_mcp.access import has_access
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.prompts import AppPrompt
from appfunctions_mcp.reading import STEP_NAME, may_read
from appfunctions_mcp.server.http_access import ANONYMOUS, HttpRefusal
from appfunctions_mcp.server.http_messages import HttpRequest, respond
from appfunctions_mcp.server.routes import Route
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.telemetry import ExecutionKind, Outcome

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DURATION_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Seconds up to which executions are counted together."""

_REFUSED = {401: "unauthenticated", 403: "forbidden", 421: "host"}
_FUNCTION = re.compile(r'\{kind="(\w+)",function="((?:[^"\\]|\\.)*)"')
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Metrics:
    """Counts what one process executes.

    Args:
        service: Whose executions are counted; it must be told of them by `counting`.
    """

    def __init__(self, service: AppFunctionService) -> None:
        self.collect: Callable[[], Awaitable[str]] | None = None
        """Collects the text of all processes of the server; None where this is the only one."""
        self._service = service
        self._series: dict[tuple[ExecutionKind, str], _Series] = {}
        self._by_name: dict[str, _Series] = {}
        self._rejections: Counter[str] = Counter()
        service.manager.add_listener(lambda _: self._by_name.clear())

    def count(
        self, kind: ExecutionKind, name: str, outcome: Outcome, seconds: float, result_bytes: int
    ) -> None:
        """Counts an execution.

        Args:
            kind: What was executed.
            name: A function's id or tool name, a resource's declared address, a prompt's name.
            outcome: How it ended.
            seconds: How long it took.
            result_bytes: How long its result is.
        """
        series = self._by_name.get(name) if kind == "function" else self._series.get((kind, name))
        if series is None:
            series = self._new_series(kind, name)
        series.outcomes[outcome] = series.outcomes.get(outcome, 0) + 1
        series.buckets[bisect_left(DURATION_BOUNDS, seconds)] += 1
        series.seconds += seconds
        series.result_bytes += result_bytes

    def count_rejection(self, reason: str) -> None:
        """Counts what was refused before anything ran."""
        self._rejections[reason] += 1

    def text(self) -> str:
        """All that this process has counted."""
        return "".join(f"{line}\n" for line in self._lines())

    def visible(self, text: str, caller: AppFunctionCaller) -> str:
        """A text without what the caller may not execute.

        Args:
            text: What one or several processes of this server have counted.
            caller: Who asks.
        """
        visible: dict[tuple[str, str], bool] = {}
        shown = []
        for line in text.splitlines(keepends=True):
            found = _FUNCTION.search(line)
            if found is not None and found.groups() not in visible:
                kind, name = found.groups()
                visible[kind, name] = self._may_see(kind, _unescaped(name), caller)
            if found is None or visible[found[1], found[2]]:
                shown.append(line)
        return "".join(shown)

    def _new_series(self, kind: ExecutionKind, name: str) -> "_Series":
        identity = name
        if kind == "function":
            function = self._service.registry.find(name)
            identity = name if function is None else function.metadata.function_id
        series = self._series.setdefault((kind, identity), _Series())
        if kind == "function":
            self._by_name[name] = series
        return series

    def _may_see(self, kind: str, name: str, caller: AppFunctionCaller) -> bool:
        """Whether a caller may execute what a series counts; what is gone nobody may."""
        service = self._service
        executed: AppFunction | AppPrompt | None
        if kind == "function":
            executed = service.registry.find(name)
        elif kind == "resource":
            resource = service.resources.registry.declared(name)
            return name == STEP_NAME or (resource is not None and may_read(resource, caller))
        else:
            executed = next((p for p in service.prompts.all if p.name == name), None)
        if executed is None:
            return False
        function = executed if isinstance(executed, AppFunction) else executed.function
        return has_access(function.metadata, caller)

    def _lines(self) -> Iterator[str]:
        for function in self._service.registry:
            self._series.setdefault(("function", function.metadata.function_id), _Series())
        labelled = [
            (f'kind="{kind}",function="{name.translate(_ESCAPES)}"', series)
            for (kind, name), series in self._series.items()
        ]
        yield from _head("appfunctions_calls_total", "counter", "Calls by how they ended.")
        for labels, series in labelled:
            for outcome, count in ({"success": 0} | series.outcomes).items():
                yield f'appfunctions_calls_total{{{labels},outcome="{outcome}"}} {count}'
        yield from _head("appfunctions_call_duration_seconds", "histogram", "How long calls took.")
        for labels, series in labelled:
            yield from series.duration_lines(labels)
        yield from _head("appfunctions_result_bytes_total", "counter", "Bytes of results.")
        for labels, series in labelled:
            yield f"appfunctions_result_bytes_total{{{labels}}} {series.result_bytes}"
        yield from _head("appfunctions_rejections_total", "counter", "What was refused unrun.")
        for reason, count in sorted(self._rejections.items()):
            yield f'appfunctions_rejections_total{{reason="{reason}"}} {count}'
        yield from self._present_lines()

    def _present_lines(self) -> Iterable[str]:
        runner = self._service.manager.executor.runner
        slots, audit = runner.slots.statistics(), self._service.manager.log.audit
        yield from _gauge("appfunctions_calls_in_flight", "Calls that run now.", slots.running)
        yield from _gauge("appfunctions_calls_queued", "Calls that wait for one.", slots.waiting)
        yield from _gauge(
            "appfunctions_calls_in_flight_limit", "How many may run.", slots.max_concurrent
        )
        yield from _gauge(
            "appfunctions_calls_queued_limit", "How many may wait.", slots.max_waiting
        )
        stuck = sum(runner.threads.statistics().stuck.values())
        yield from _gauge("appfunctions_threads_stuck", "Threads that never came back.", stuck)
        if audit is not None:
            name, text = "appfunctions_audit_failures_total", "Audit lines that were lost."
            yield from _head(name, "counter", text)
            yield f"{name} {audit.failures}"


class _Series:
    """What is counted of one function, resource or prompt."""

    __slots__ = ("buckets", "outcomes", "result_bytes", "seconds")

    def __init__(self) -> None:
        self.outcomes: dict[Outcome, int] = {}
        self.buckets = [0] * (len(DURATION_BOUNDS) + 1)
        self.seconds = 0.0
        self.result_bytes = 0

    def duration_lines(self, labels: str) -> Iterator[str]:
        """The histogram of durations; none before the first call."""
        if not self.outcomes:
            return
        name, total = "appfunctions_call_duration_seconds", 0
        for bound, count in zip((*DURATION_BOUNDS, "+Inf"), self.buckets, strict=True):
            total += count
            yield f'{name}_bucket{{{labels},le="{bound}"}} {total}'
        yield f"{name}_sum{{{labels}}} {self.seconds:.9f}"
        yield f"{name}_count{{{labels}}} {total}"


def counting(service: AppFunctionService) -> Metrics:
    """Counts a service's executions from now on, in the metrics that it has already if any."""
    if not isinstance(service.manager.log.meter, Metrics):
        service.manager.log.meter = Metrics(service)
    return service.manager.log.meter


def metrics_route(metrics: Metrics) -> Route:
    """Makes the route that answers with the metrics that its caller may see."""

    async def serve(request: HttpRequest) -> None:
        text = metrics.text() if metrics.collect is None else await metrics.collect()
        shown = metrics.visible(text, request.caller or ANONYMOUS)
        await respond(request.send, 200, shown.encode(), media_type=MEDIA_TYPE)

    return Route(serve)


def refusal_reason(refusal: HttpRefusal) -> str:
    """The word by which a refusal of access is counted."""
    return _REFUSED.get(refusal.status, str(refusal.status))


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def _gauge(name: str, text: str, value: int) -> Iterator[str]:
    yield from _head(name, "gauge", text)
    yield f"{name} {value}"


def _unescaped(label: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label)
