"""What `/metrics` says: every execution once, nothing of what its reader may not execute."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from appfunctions_mcp import (
    AppFunctionService,
    AppFunctionState,
    ExecutionLimits,
    PendingIntent,
    app_function,
    app_prompt,
    app_resource,
)
from appfunctions_mcp.exceptions import AppFunctionException, AppFunctionInvalidArgumentException
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.records import replaced
from appfunctions_mcp.requests import (
    ExecuteAppFunctionRequest,
    GetAppPromptRequest,
    ReadAppResourceRequest,
)
from appfunctions_mcp.server.asgi import AppFunctionsApp, app_functions_asgi
from appfunctions_mcp.server.metrics import DURATION_BOUNDS, Metrics, counting
from appfunctions_mcp.server.worker_metrics import MetricsText
from tests.support.asgi_client import AsgiRequest, ask
from tests.support.http_server import Answer

ANN = AppFunctionCaller("ann", connection="ann")
ADMIN = AppFunctionCaller("root", frozenset({"admin"}))
_SAMPLE = re.compile(r'^(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)$')


def double(number: int) -> int:
    """Doubles."""
    if number < 0:
        raise AppFunctionInvalidArgumentException("negative")
    return 2 * (number or 1 // number)


@app_function(access="admin")
def wipe() -> None:
    """Removes everything."""


def make_service(*functions: Callable[..., Any], **limits: int) -> AppFunctionService:
    return AppFunctionService.from_functions(
        functions, name="app", description="D.", limits=replaced(ExecutionLimits(), **limits)
    )


async def execute(service: AppFunctionService, name: str, /, **arguments: Any) -> None:
    """Executes a function, whatever comes of it."""
    request = ExecuteAppFunctionRequest(name, arguments, ANN)
    await asyncio.gather(service.manager.execute(request), return_exceptions=True)


def samples(text: str) -> dict[str, float]:
    """Every line of the text by its name and labels; each has the form that Prometheus reads."""
    found: dict[str, float] = {}
    kinds: set[str] = set()
    for line in text.splitlines():
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            assert word in {"HELP", "TYPE"}
            assert rest
            kinds.add(name)
            continue
        match = _SAMPLE.match(line)
        assert match is not None, line
        family = re.sub(r"_(bucket|sum|count)$", "", match[1])
        assert match[1] in kinds or family in kinds, line
        key = line.rpartition(" ")[0]
        assert key not in found, line
        found[key] = float(match[3])
    assert text.endswith("\n")
    return found


def calls(
    service: AppFunctionService, name: str, caller: AppFunctionCaller = ADMIN
) -> dict[str, float]:
    """How often a function was called, by outcome."""
    metrics = counting(service)
    shown = samples(metrics.visible(metrics.text(), caller))
    start = f'appfunctions_calls_total{{kind="function",function="{__name__}#{name}",outcome="'
    return {k.removeprefix(start)[:-2]: v for k, v in shown.items() if k.startswith(start)}


def rejections(service: AppFunctionService) -> dict[str, float]:
    start = 'appfunctions_rejections_total{reason="'
    shown = samples(counting(service).text())
    return {k.removeprefix(start)[:-2]: v for k, v in shown.items() if k.startswith(start)}


@pytest.mark.anyio
async def test_calls_are_counted_by_function_and_outcome() -> None:
    service = make_service(double)
    counting(service)
    assert calls(service, "double") == {"success": 0}

    for number in (1, 2, -1, 0, "x"):
        await execute(service, "double", number=number)
    await execute(service, f"{__name__}#double", number=1)

    assert calls(service, "double") == {"success": 3, "error": 2, "crash": 1}


@pytest.mark.anyio
async def test_durations_and_result_bytes_are_summed() -> None:
    service = make_service(double)
    metrics = counting(service)
    for number in (1, 50):
        await execute(service, "double", number=number)

    shown = samples(metrics.text())

    labels = f'{{kind="function",function="{__name__}#double"'
    name = "appfunctions_call_duration_seconds"
    buckets = [shown[f'{name}_bucket{labels},le="{b}"}}'] for b in (*DURATION_BOUNDS, "+Inf")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == shown[f"{name}_count{labels}}}"] == 2
    assert 0 < shown[f"{name}_sum{labels}}}"] < 10
    assert shown[f"appfunctions_result_bytes_total{labels}}}"] == len('{"result":2}{"result":100}')


@pytest.mark.anyio
async def test_what_runs_and_what_waits_is_shown() -> None:
    async def wait() -> None:
        """Waits."""
        begun.set()
        await end.wait()

    begun, end = asyncio.Event(), asyncio.Event()
    service = make_service(wait, max_concurrent=1, max_waiting=1)
    metrics = counting(service)
    running = [asyncio.create_task(execute(service, "wait")) for _ in range(2)]
    await begun.wait()
    slots = service.manager.executor.runner.slots
    while not slots.statistics().waiting:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0)

    shown = samples(metrics.text())
    assert shown["appfunctions_calls_in_flight"] == 1
    assert shown["appfunctions_calls_queued"] == 1
    assert shown["appfunctions_calls_in_flight_limit"] == 1

    await execute(service, "wait")
    assert rejections(service) == {"queue": 1}
    end.set()
    await asyncio.gather(*running)
    assert samples(metrics.text())["appfunctions_calls_in_flight"] == 0


@pytest.mark.anyio
async def test_what_was_refused_is_counted_by_reason() -> None:
    service = make_service(double, wipe, calls_per_minute=8)
    counting(service)
    for _ in range(6):
        await execute(service, "double", number=-1)
    await execute(service, "wipe")
    await execute(service, "made_up")
    await execute(service, 'hostile"\n\\name')
    service.manager.set_enabled("double", AppFunctionState.DISABLED)
    await execute(service, "double", number=1)
    service.manager.set_enabled("double", AppFunctionState.DEFAULT)
    for _ in range(3):
        await execute(service, "double", number=1)

    assert rejections(service) == {
        "repeated": 1, "denied": 1, "unknown": 2, "disabled": 1, "rate": 1,
    }  # fmt: skip
    assert "hostile" not in counting(service).text()
    assert "made_up" not in counting(service).text()


@pytest.mark.anyio
async def test_a_reader_sees_nothing_of_what_it_may_not_execute() -> None:
    service = make_service(double, wipe)
    metrics = counting(service)
    await execute(service, "wipe")

    assert "wipe" in metrics.visible(metrics.text(), ADMIN)
    assert "wipe" not in metrics.visible(metrics.text(), ANN)
    assert calls(service, "wipe", ADMIN) == {"success": 0, "error": 1}
    assert calls(service, "double", ANN) == {"success": 0}


@pytest.mark.anyio
async def test_a_function_that_was_taken_away_is_no_longer_shown() -> None:
    service = make_service(double)
    metrics = counting(service)
    (metadata,) = service.manager.listed()
    added = replaced(metadata, function_id='m#odd"name', tool_name="odd")
    registration = service.register(added, lambda _arguments, _context: 1)
    await execute(service, "odd", number=1)
    assert 'function="m#odd\\"name",outcome="success"} 1' in metrics.visible(metrics.text(), ANN)

    registration.unregister()

    assert "odd" not in metrics.visible(metrics.text(), ANN)


@pytest.mark.anyio
async def test_resources_and_prompts_are_counted_beside_functions() -> None:
    @app_resource("notes://{note_id}")
    def note(note_id: str) -> str:
        """A note."""
        return "text"

    @app_resource("vault://all", access="admin")
    def vault() -> str:
        """Everything."""
        return "all"

    @app_prompt
    def review() -> str:
        """Reviews."""
        return "Review."

    service = make_service(double)
    service.resources.add([note, vault])
    service.prompts.add([review])
    metrics = counting(service)

    for uri in ("notes://1", "notes://2", "vault://all", "nowhere://1"):
        request = ReadAppResourceRequest(uri, ANN)
        await asyncio.gather(service.resources.read(request), return_exceptions=True)
    await service.prompts.get(GetAppPromptRequest("review", {}, ANN))

    shown = samples(metrics.visible(metrics.text(), ANN))
    name = "appfunctions_calls_total"
    assert shown[f'{name}{{kind="resource",function="notes://{{note_id}}",outcome="success"}}'] == 2
    assert shown[f'{name}{{kind="prompt",function="review",outcome="success"}}'] == 1
    assert "vault" in metrics.text()
    assert not any("vault" in line or "nowhere" in line for line in shown)
    assert rejections(service) == {"denied": 1, "unknown": 1}


@pytest.mark.anyio
async def test_steps_are_counted_together_without_their_addresses() -> None:
    @app_function
    def pay() -> PendingIntent:
        """Pays."""
        return PendingIntent(action=lambda: "paid")

    service = make_service(pay)
    metrics = counting(service)
    for _ in range(2):
        response = await service.manager.execute(ExecuteAppFunctionRequest("pay", {}, ANN))
        step = response.handed_out[0]
        await service.resources.read(ReadAppResourceRequest(step.uri, ANN))

    shown = samples(metrics.visible(metrics.text(), ANN))
    name = 'appfunctions_calls_total{kind="resource",function="pending-intent",outcome="success"}'
    assert shown[name] == 2
    assert "pending-intent://" not in metrics.text()


def test_the_metrics_of_a_service_are_counted_once() -> None:
    service = make_service(double)

    app_functions_asgi(service)
    first = counting(service)
    app_functions_asgi(service)

    assert counting(service) is first


@pytest.mark.anyio
async def test_the_metrics_of_several_processes_add_up() -> None:
    service = make_service(double, wipe)
    metrics = counting(service)
    await execute(service, "double", number=1)

    both = str(MetricsText(metrics.text(), metrics.text()))

    shown = samples(metrics.visible(both, ANN))
    labels = f'kind="function",function="{__name__}#double"'
    assert shown[f'appfunctions_calls_total{{{labels},outcome="success"}}'] == 2
    assert shown[f'appfunctions_call_duration_seconds_bucket{{{labels},le="+Inf"}}'] == 2
    assert "wipe" not in metrics.visible(both, ANN)


async def get(app: AppFunctionsApp, path: str, **headers: str | None) -> Answer:
    return await AsgiRequest(app, [b""], headers, "GET", path).run()


@pytest.mark.anyio
async def test_metrics_are_served_under_the_access_of_mcp() -> None:
    service = make_service(double)
    app = app_functions_asgi(service, token="secret")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "double", "arguments": {"number": 2}}}  # fmt: skip
    assert (await ask(app, call, authorization="Bearer secret")).status == 200

    refused = [await get(app, "/metrics"), await get(app, "/metrics", authorization="Bearer x")]
    foreign = await get(app, "/metrics", authorization="Bearer secret", host="evil.example")
    page = await get(app, "/metrics", authorization="Bearer secret", origin="https://evil.example")
    answer = await get(app, "/metrics", authorization="Bearer secret")

    assert [each.status for each in (*refused, foreign, page)] == [401, 401, 421, 403]
    assert "appfunctions" not in "".join(each.body.decode() for each in (*refused, foreign, page))
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    shown = samples(answer.body.decode())
    assert (
        shown[
            f'appfunctions_calls_total{{kind="function",function="{__name__}#double",outcome="success"}}'
        ]
        == 1
    )
    assert rejections(service) == {"forbidden": 1, "host": 1, "unauthenticated": 2}


@pytest.mark.anyio
async def test_a_server_of_several_processes_answers_for_all_of_them() -> None:
    service = make_service(double)
    app = app_functions_asgi(service)
    metrics = app.metrics
    assert isinstance(metrics, Metrics)

    async def collect() -> str:
        return str(MetricsText(metrics.text(), metrics.text(), metrics.text()))

    metrics.collect = collect
    await execute(service, "double", number=1)

    answer = await get(app, "/metrics")

    assert 'outcome="success"} 3' in answer.body.decode()


@pytest.mark.anyio
async def test_on_stdio_nothing_is_counted() -> None:
    service = make_service(double)

    assert service.manager.log.meter is None
    with pytest.raises(AppFunctionException):
        await service.manager.execute(ExecuteAppFunctionRequest("double", {"number": -1}))
