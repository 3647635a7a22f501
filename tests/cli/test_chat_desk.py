"""The one who reads for a conversation: Ctrl+C, whenever it comes."""

import asyncio
import os
import select
import signal

import pytest

from appfunctions_mcp.cli.chat_desk import Desk, Interrupted

READ_SECONDS = 10.0

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a process cannot press Ctrl+C there")


def test_ctrl_c_between_the_question_and_the_reading_is_not_lost() -> None:
    """It comes when a line is wanted, and the main thread may be reading already or not yet."""
    reader, writer = os.pipe()
    interrupted: list[type] = []

    def read_line(_prompt: str) -> str | None:
        came, _, _ = select.select([reader], [], [], READ_SECONDS)
        return str(came)

    async def asked() -> int:
        for _ in range(30):
            asking = asyncio.ensure_future(desk.ask(""))
            await asyncio.sleep(0)  # lets it ask
            os.kill(os.getpid(), signal.SIGINT)
            (answer,) = await asyncio.gather(asking, return_exceptions=True)
            interrupted.append(type(answer))
        return 0

    desk = Desk(read_line)
    try:
        assert desk.run(asked) == 0
    finally:
        os.close(reader)
        os.close(writer)
    assert interrupted == [Interrupted] * 30


def test_a_line_that_nobody_wants_any_more_is_not_waited_for() -> None:
    reader, writer = os.pipe()

    def read_line(_prompt: str) -> str | None:
        came, _, _ = select.select([reader], [], [], READ_SECONDS)
        raise AssertionError(came)

    async def left() -> int:
        asking = asyncio.ensure_future(desk.ask(""))
        await asyncio.sleep(0)  # lets it ask
        asking.cancel()
        return 7

    try:
        for _ in range(20):
            desk = Desk(read_line)
            assert desk.run(left) == 7
    finally:
        os.close(reader)
        os.close(writer)
