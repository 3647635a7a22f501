"""Programs that are run to their end, and what is left of those that do not end by themselves."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.android.bridge import programs
from appfunctions_mcp.android.bridge.programs import Output, TooMuchOutputError, run_program

SHELL = Path("/bin/sh")


def ran(script: str, **how: Any) -> Output:
    usual = {"seconds": 20, "most_bytes": 100_000}
    return asyncio.run(run_program(SHELL, ["-c", script], **(usual | how)))


def is_alive(process: int) -> bool:
    """Whether a process still runs; one that nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_what_a_program_writes_comes_back_with_its_code() -> None:
    assert ran("echo out; echo error >&2; exit 3") == Output(3, b"out\n", b"error\n")
    assert ran("read line || echo none") == Output(0, b"none\n", b"")
    assert ran("kill -9 $$").exit_code == -9


def test_what_is_given_is_read_to_its_end() -> None:
    given = b"x" * 90_000
    assert ran("cat", given=given) == Output(0, given, b"")
    assert ran("exec <&-; echo deaf", given=given * 10) == Output(0, b"deaf\n", b"")


@pytest.mark.parametrize("stream", ["yes", "yes >&2", "yes & yes >&2"])
def test_a_program_that_writes_without_end_is_stopped(stream: str, tmp_path: Path) -> None:
    """Its pipes are full then, and nobody reads them any more."""
    with pytest.raises(TooMuchOutputError):
        ran(f"echo $$ > {tmp_path}/pid; {stream}")
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_program_that_takes_too_long_is_stopped_with_all_that_it_has_started(
    tmp_path: Path,
) -> None:
    with pytest.raises(TimeoutError):
        ran(
            f"trap '' TERM; sleep 60 & echo $! > {tmp_path}/pid; mv {tmp_path}/pid "
            f"{tmp_path}/child; sleep 60",
            seconds=1,
        )
    assert not is_alive(int((tmp_path / "child").read_text()))


@pytest.mark.parametrize("how", ["sleep 5 &", "setsid sleep 5 &"])
def test_what_a_program_leaves_running_keeps_nobody_waiting(how: str) -> None:
    """So adb starts its server, which may hold the client's output open."""
    assert ran(f"echo before; {how} echo after", seconds=4) == Output(0, b"before\nafter\n", b"")


def test_a_program_ends_with_the_task_that_waits_for_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)

    async def run() -> int:
        script = f"echo $$ > {started}; exec sleep 60"
        task = asyncio.ensure_future(
            run_program(SHELL, ["-c", script], seconds=60, most_bytes=1000)
        )
        process = int(await asyncio.to_thread(started.read_text))
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        return process

    assert not is_alive(asyncio.run(run()))


def test_a_program_that_cannot_be_killed_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that waits for a disk that is gone."""
    monkeypatch.setattr(programs, "_STOP_SECONDS", 0.01)
    killed: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, _: killed.append(group))
    with pytest.raises(TimeoutError):
        ran("exec sleep 60", seconds=0.3)
    assert len(killed) == 1


def test_a_program_that_has_just_ended_need_not_be_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(_group: int, _signal: int) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(programs, "_STOP_SECONDS", 0.01)
    monkeypatch.setattr(os, "killpg", gone)
    with pytest.raises(TimeoutError):
        ran("exec sleep 60", seconds=0.3)


def test_a_program_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        asyncio.run(run_program(tmp_path / "none", [], seconds=1, most_bytes=1))
