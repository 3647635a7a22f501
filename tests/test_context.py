"""What a function may ask of the call that it serves."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionNotSupportedException,
)
from appfunctions_mcp.requests import LogLevel, SilentChannel

pytestmark = pytest.mark.anyio


class Reports(SilentChannel):
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, ...]] = []

    def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Keeps the report."""
        self.sent.append((progress, total, message))

    def log(self, level: LogLevel, message: str, fields: Mapping[str, Any]) -> None:
        """Keeps the message."""
        self.sent.append((level, message, dict(fields)))


def test_a_context_of_a_test_needs_nothing() -> None:
    context = AppFunctionContext()
    assert (context.caller.name, context.request_id, context.lifespan) == ("local", None, None)
    assert dict(context.settings) == {}
    context.report_progress(1)
    context.log("said")
    assert not context.cancelled
    context.raise_if_cancelled()


def test_nothing_is_sent_after_the_call_has_ended() -> None:
    """F58."""
    channel = Reports()
    context = AppFunctionContext(channel=channel)
    context.report_progress(1, 2, "half")
    context.log("said", level="warning", path="a")
    context.end()
    context.report_progress(2, 2)
    context.log("too late")
    assert channel.sent == [(1, 2, "half"), ("warning", "said", {"path": "a"})]


def test_a_call_that_is_over_tells_its_function() -> None:
    """F57."""
    context = AppFunctionContext()
    context.end()
    assert context.cancelled
    with pytest.raises(AppFunctionCancelledException, match="cancelled"):
        context.raise_if_cancelled()


def test_a_capability_that_the_client_lacks_is_named() -> None:
    context = AppFunctionContext(client_capabilities={"roots": {}})
    context.require_client_capability("roots")
    with pytest.raises(AppFunctionNotSupportedException, match="sampling") as caught:
        context.require_client_capability("sampling")
    assert caught.value.kind == "AppFunctionNotSupportedException"
    assert "Recovery: " in caught.value.text()


async def test_a_plain_function_waits_for_what_only_the_loop_can_do() -> None:
    context = AppFunctionContext()
    context.begin(asyncio.get_running_loop())

    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    assert await asyncio.to_thread(context.wait, answer()) == 42


async def test_waiting_on_the_loops_own_thread_is_an_error() -> None:
    context = AppFunctionContext()
    context.begin(asyncio.get_running_loop())
    never = asyncio.get_running_loop().create_future()
    with pytest.raises(RuntimeError, match="use await here"):
        context.wait(never)


def test_waiting_without_a_loop_is_an_error() -> None:
    context = AppFunctionContext()
    loop = asyncio.new_event_loop()
    never = loop.create_future()
    with pytest.raises(RuntimeError, match="while a call runs"):
        context.wait(never)
    context.begin(loop)
    loop.close()
    with pytest.raises(RuntimeError, match="while a call runs"):
        context.wait(never)
