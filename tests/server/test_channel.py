"""What a call reports on its way, in order and from any thread."""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.questions import Question, RootsRequest
from appfunctions_mcp.server.channel import (
    MAX_QUEUED,
    LogMessage,
    ProgressReport,
    QueuedChannel,
    Report,
)
from tests.support.questions import AnsweringChannel

pytestmark = pytest.mark.anyio


async def reports_of(
    body: Callable[[QueuedChannel], Any], *, progress: bool = True, levels: str = ""
) -> list[Report]:
    """What is sent while the body runs in a thread, or on the loop if it is async."""
    sent: list[Report] = []

    async def send(report: Report) -> None:
        await asyncio.sleep(0)
        sent.append(report)

    channel = QueuedChannel(send, wants_progress=progress, log_levels=frozenset(levels.split()))
    async with channel.sending():
        await asyncio.to_thread(body, channel)
    channel.report_progress(10**9, None, "too late")
    await asyncio.sleep(0.01)
    return sent


async def test_all_that_was_reported_goes_out_before_the_end_and_nothing_after() -> None:
    """F58."""

    def body(channel: QueuedChannel) -> None:
        for n in range(100):
            channel.report_progress(n, 100, f"step {n}")

    assert await reports_of(body) == [ProgressReport(n, 100, f"step {n}") for n in range(100)]


async def test_progress_rises_and_is_a_finite_number() -> None:
    """F58."""

    def body(channel: QueuedChannel) -> None:
        for progress in (1, 1, 0, math.nan, 2.5, math.inf, True, "3", 10**400, 2, 3):
            channel.report_progress(progress, math.inf, None)  # type: ignore[arg-type] # authors do

    assert await reports_of(body) == [ProgressReport(p, None, None) for p in (1, 2.5, 3)]


async def test_nothing_is_sent_that_nobody_asked_for() -> None:
    def body(channel: QueuedChannel) -> None:
        channel.report_progress(1, None, None)
        channel.log("info", "to nobody", {})

    assert await reports_of(body, progress=False) == []


async def test_a_log_message_has_fields_that_are_json() -> None:
    def body(channel: QueuedChannel) -> None:
        channel.log("debug", "below the level", {})
        channel.log("info", "plain", {})
        channel.log("error", "full", {"path": Path("a"), "nan": math.nan, "n": 1})

    assert await reports_of(body, levels="info error") == [
        LogMessage("info", "plain"),
        LogMessage("error", {"message": "full", "path": "a", "nan": None, "n": 1}),
    ]


async def test_a_text_that_utf_8_cannot_hold_does_no_harm() -> None:
    def body(channel: QueuedChannel) -> None:
        channel.log("info", "a\ud800b", {})
        channel.log("info", "full", {"half": "\ud800", "raw": b"\xff", "n": 1})
        channel.report_progress(1, None, "c\ud800")

    assert await reports_of(body, levels="info") == [
        LogMessage("info", "a\ufffdb"),
        LogMessage("info", {"message": "full", "half": "\ufffd", "raw": "b'\\xff'", "n": "1"}),
        ProgressReport(1, None, "c\ufffd"),
    ]


async def test_a_flood_of_reports_keeps_the_newest() -> None:
    sent: list[Report] = []

    async def send(report: Report) -> None:
        sent.append(report)

    channel = QueuedChannel(send, wants_progress=True)
    async with channel.sending():
        for n in range(10_000):
            channel.report_progress(n, None, None)
    assert sent == [ProgressReport(n, None, None) for n in range(10_000 - MAX_QUEUED, 10_000)]


async def test_a_failing_call_still_sends_what_it_reported() -> None:
    sent: list[Report] = []

    async def send(report: Report) -> None:
        sent.append(report)

    channel = QueuedChannel(send, wants_progress=True)

    async def call() -> None:
        async with channel.sending():
            channel.report_progress(1, None, None)
            raise ValueError("failed")

    with pytest.raises(ValueError, match="failed"):
        await call()
    assert sent == [ProgressReport(1, None, None)]


async def test_a_cancelled_call_sends_nothing_more() -> None:
    """F57."""
    sent: list[Report] = []
    first = asyncio.Event()

    async def send(report: Report) -> None:
        sent.append(report)
        first.set()

    channel = QueuedChannel(send, wants_progress=True)

    async def call() -> None:
        async with channel.sending():
            channel.report_progress(1, None, None)
            await asyncio.Event().wait()

    calling = asyncio.create_task(call())
    await first.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    channel.report_progress(2, None, None)
    await asyncio.sleep(0.01)
    assert sent == [ProgressReport(1, None, None)]


async def test_a_client_that_is_gone_is_the_senders_error() -> None:
    async def send(_report: Report) -> None:
        raise ConnectionError("gone")

    async def call() -> None:
        async with QueuedChannel(send, wants_progress=True).sending() as channel:
            channel.report_progress(1, None, None)

    with pytest.raises(ConnectionError):
        await call()


async def test_what_was_reported_before_a_question_goes_out_before_it() -> None:
    said: list[object] = []

    class Asking(AnsweringChannel):
        """Notes when it is asked."""

        async def ask(self, question: Question) -> dict[str, Any]:
            said.append(question)
            return await super().ask(question)

    async def send(report: Report) -> None:
        await asyncio.sleep(0)
        said.append(report)

    question = RootsRequest()
    asking = Asking({"roots": []})
    channel = QueuedChannel(send, wants_progress=True, questions=asking)
    async with channel.sending():
        channel.report_progress(1, None, None)
        channel.report_progress(2, None, None)
        await channel.ask(question)
        channel.report_progress(3, None, None)
    reports = [ProgressReport(n, None, None) for n in (1, 2, 3)]
    assert said == [*reports[:2], question, reports[2]]
