"""The end of the parent process, and signals outside the main thread; the rest is in test_stdio."""

import asyncio
import logging
import subprocess
import sys
import threading

import pytest

from appfunctions_mcp.server import shutdown
from appfunctions_mcp.server.shutdown import ExitDeadline, stop_signals

pytestmark = pytest.mark.anyio


def start(program: str) -> subprocess.Popen[bytes]:
    """A process that runs the program."""
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)


@pytest.mark.parametrize("has_pidfd", [True, False])
async def test_the_end_of_a_process_is_noticed(
    has_pidfd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_pidfd:
        monkeypatch.delattr("os.pidfd_open", raising=False)
        monkeypatch.setattr(shutdown, "_PARENT_SECONDS", 0.01)
    with start("input()") as process:
        monkeypatch.setattr("os.getppid", lambda: process.pid)
        ended = asyncio.Event()
        shutdown.watch_parent(ended.set)
        await asyncio.sleep(0.05)
        assert not ended.is_set()
        process.kill()
        await asyncio.wait_for(ended.wait(), 10)


@pytest.mark.parametrize("has_pidfd", [True, False])
async def test_a_parent_that_has_ended_already_is_noticed(
    has_pidfd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_pidfd:
        monkeypatch.delattr("os.pidfd_open", raising=False)
    with start("") as process:
        process.wait()
    monkeypatch.setattr("os.getppid", lambda: process.pid)
    ended = asyncio.Event()
    shutdown.watch_parent(ended.set)
    await asyncio.wait_for(ended.wait(), 10)


async def test_without_a_parent_there_is_nothing_to_watch(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("os.getppid", lambda: 1)
    with caplog.at_level(logging.WARNING):
        shutdown.watch_parent(lambda: None)
    assert "no parent process" in caplog.text


async def test_in_another_thread_no_signal_is_taken() -> None:
    async def run() -> str:
        with stop_signals(lambda: None, ExitDeadline()):
            return "ran"

    got: list[str] = []
    thread = threading.Thread(target=lambda: got.append(asyncio.run(run())))
    thread.start()
    await asyncio.to_thread(thread.join)
    assert got == ["ran"]
