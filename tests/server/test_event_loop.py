"""The loop of a server: neither ended nor kept open by the tasks of functions."""

import asyncio
import time
from typing import Never

import pytest

from appfunctions_mcp.server.event_loop import run_to_end


async def ask_for_the_end() -> Never:
    raise SystemExit(9)


def test_the_exit_of_another_task_does_not_end_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def serve() -> str:
        program = asyncio.create_task(ask_for_the_end())
        await asyncio.wait({program})
        assert isinstance(program.exception(), SystemExit)
        return "served"

    assert run_to_end(serve()) == "served"
    assert "a task that a function has started asked for the end" in caplog.text


def test_what_the_server_raises_itself_is_raised() -> None:
    with pytest.raises(SystemExit) as exited:
        run_to_end(ask_for_the_end())
    assert exited.value.code == 9


def test_a_task_that_never_ends_does_not_keep_the_server() -> None:
    async def go_on() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                continue

    async def serve() -> list[asyncio.Task[None]]:
        left = asyncio.create_task(go_on())
        await asyncio.sleep(0)
        return [left]

    started = time.monotonic()
    (left,) = run_to_end(serve())
    assert time.monotonic() - started < 5
    assert not left.done()
