"""Functions that raise what nobody should, end what is not theirs, or never end."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionDeniedException,
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.metadata import AppFunctionCaller, ExecutionLimits
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.testing import connect
from tests.support.calls import make_service, refusal, returned
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import stdio_server

CONNECTED = AppFunctionCaller(connection="stdio", local_user=True)


class Ends(BaseException):
    """No Exception, and none of Python's own either."""


FAILURES: list[Callable[[], BaseException]] = [
    lambda: SystemExit(3),
    KeyboardInterrupt,
    GeneratorExit,
    lambda: StopIteration(1),
    lambda: StopAsyncIteration(1),
    asyncio.CancelledError,
    lambda: Ends("secret"),
    lambda: BaseExceptionGroup("secret", [Ends("secret"), KeyboardInterrupt()]),
]


@pytest.mark.anyio
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("kind", ["plain", "main", "async", "awaitable"])
async def test_whatever_a_function_raises_is_an_answer(
    failure: Callable[[], BaseException], kind: str
) -> None:
    def plain() -> int:
        """Fails."""
        raise failure()

    async def in_the_loop() -> int:
        """Fails."""
        raise failure()

    def awaitable() -> int:
        """Fails later."""
        return in_the_loop()  # type: ignore[return-value] # what an author may do

    functions: dict[str, Callable[..., Any]] = {
        "plain": plain,
        "main": app_function(thread="main")(plain),
        "async": in_the_loop,
        "awaitable": awaitable,
    }
    function = functions[kind]
    async with connect(make_service(function)) as client:
        for _ in range(2):
            text = refusal(await client.call_tool(function.__name__, {}))
            assert text.startswith("AppFunctionAppUnknownException: ")
            assert "secret" not in text


@pytest.mark.anyio
async def test_a_cancelled_task_of_the_functions_own_is_a_crash_and_no_cancellation() -> None:
    async def wait_in_vain() -> int:
        """Waits for a task that it has cancelled."""
        task = asyncio.create_task(asyncio.sleep(1))
        task.cancel()
        await task
        return 1

    async with connect(make_service(wait_in_vain)) as client:
        text = refusal(await client.call_tool("wait_in_vain", {}))
    assert text.startswith("AppFunctionAppUnknownException: ")


@pytest.mark.anyio
async def test_a_body_that_does_not_end_is_answered_on_time() -> None:
    released = asyncio.Event()

    @app_function(timeout_seconds=0.1)
    async def swallow() -> int:
        """Swallows its cancellation."""
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        return 1

    @app_function(timeout_seconds=0.1)
    async def clean_up() -> int:
        """Takes long to clean up."""
        try:
            await asyncio.sleep(60)
        finally:
            await released.wait()
        return 1

    manager = make_service(swallow, clean_up).manager
    for name in ("swallow", "clean_up"):
        started = time.monotonic()
        with pytest.raises(AppFunctionCancelledException) as late:
            await manager.execute(ExecuteAppFunctionRequest(name))
        assert time.monotonic() - started < 1
        assert late.value.message == "timed out after 0.1 s (it may still be running)"
    released.set()
    await asyncio.sleep(0.01)


EXITING = """
import asyncio
from appfunctions_mcp import app_function

async def run_a_program() -> None:
    raise SystemExit(9)

@app_function
async def start() -> int:
    \"\"\"Starts a program in a task, and goes on.\"\"\"
    task = asyncio.create_task(run_a_program())
    await asyncio.sleep(0.05)
    return 1

@app_function
async def wait() -> int:
    \"\"\"Starts a program in a task, and waits for it.\"\"\"
    await asyncio.gather(run_a_program())
    return 1
"""


@pytest.mark.usefixtures("engine")
def test_a_task_of_a_function_that_exits_does_not_end_the_server(tmp_path: Path) -> None:
    (tmp_path / "programs.py").write_text(EXITING, encoding="utf-8")
    content = '<mcp:functions module="programs" />\n'
    file = write_metadata(tmp_path, 'appfn:description="Runs."', content)
    with stdio_server("-m", "appfunctions_mcp", "run", str(file)) as server:
        server.initialize()
        assert server.call("start")["result"]["structuredContent"] == {"result": 1}
        assert server.call("wait")["result"]["isError"] is True
        assert server.call("start")["result"]["isError"] is False
        server.close_input()
        assert server.wait() == 0


async def execute_as_text(
    manager: Any, function: str, /, **parameters: Any
) -> AppFunctionException:
    request = ExecuteAppFunctionRequest(function, parameters, caller=CONNECTED)
    with pytest.raises(AppFunctionException) as failed:
        await manager.execute(request)
    return failed.value


@pytest.mark.anyio
async def test_the_loop_guard_knows_a_call_again_whatever_the_order_and_the_token() -> None:
    @app_function(requires_confirmation=True)
    def wipe(name: str, folder: str) -> str:
        """Wipes a file."""
        raise AppFunctionElementNotFoundException(f"there is no {name} in {folder}")

    manager = make_service(wipe).manager
    texts = []
    for attempt in range(5):
        names = {"name": "a", "folder": "b"} if attempt % 2 else {"folder": "b", "name": "a"}
        token = (await execute_as_text(manager, "wipe", **names)).extras["confirmation"]
        texts.append((await execute_as_text(manager, "wipe", **names, confirmation=token)).text())
    assert [text.count("times running") for text in texts] == [0, 0, 1, 1, 1]
    refused = await execute_as_text(manager, "wipe", name="a", folder="b")
    assert isinstance(refused, AppFunctionLimitExceededException)


@pytest.mark.anyio
async def test_invisible_characters_are_shown_to_the_one_who_confirms() -> None:
    @app_function(requires_confirmation=True)
    def wipe(name: str) -> str:
        """Wipes a file."""
        return name

    denied = await execute_as_text(make_service(wipe).manager, "wipe", name="день\u202etxt.exe")
    assert 'name = "день\\u202etxt.exe"' in denied.message


@pytest.mark.anyio
async def test_an_access_predicate_that_is_async_or_exits_lets_nobody_in() -> None:
    async def allow(caller: AppFunctionCaller) -> bool:
        return caller.local_user

    declare = [
        app_function(access=allow),  # type: ignore[arg-type] # what an author may do
        app_function(access=lambda _: sys.exit(1)),
    ]
    for each in declare:

        @each
        def wipe() -> str:
            """Wipes everything."""
            return "wiped"

        manager = make_service(wipe).manager
        assert manager.listed(CONNECTED) == []
        denied = await execute_as_text(manager, "wipe")
        assert isinstance(denied, AppFunctionDeniedException)


@pytest.mark.anyio
async def test_functions_that_end_by_themselves_go_on_as_before() -> None:
    async def add(a: int, b: int) -> int:
        """Adds."""
        await asyncio.sleep(0)
        return a + b

    async with connect(make_service(add)) as client:
        assert returned(await client.call_tool("add", {"a": 1, "b": 2})) == 3


@pytest.mark.anyio
async def test_a_full_queue_is_no_fault_of_the_call_and_never_makes_it_refused() -> None:
    end = asyncio.Event()

    @app_function
    async def wait() -> str:
        """Waits."""
        await end.wait()
        return "waited"

    limits = ExecutionLimits(max_concurrent=1, max_waiting=0)
    service = AppFunctionService.from_functions([wait], name="w", description="W.", limits=limits)
    running = asyncio.ensure_future(
        service.manager.execute(ExecuteAppFunctionRequest("wait", caller=CONNECTED))
    )
    await asyncio.sleep(0)
    texts = [(await execute_as_text(service.manager, "wait")).text() for _ in range(10)]
    end.set()

    assert (await running).text == "waited"
    assert all("too many calls at once" in t and "times running" not in t for t in texts)
