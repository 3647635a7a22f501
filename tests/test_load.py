"""The load test of the benchmarks, short and with few connections; its own claims are asserted."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

LOAD = Path(__file__).resolve().parents[1] / "benchmarks" / "load.py"


@pytest.mark.skipif(os.name != "posix", reason="processes share no socket on Windows")
def test_no_answer_is_lost_under_load_and_nothing_is_left_behind() -> None:
    words = ["--seconds", "4", "--warm-up", "2", "--connections", "12", "--growth", "50"]
    done = subprocess.run(
        [sys.executable, str(LOAD), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("2 workers, 12 connections, 4 s\n")
    kinds = dict(re.findall(r"([a-z/][a-z /]*) ([\d,]+)[,)]", done.stdout.splitlines()[1]))
    for kind in ("add", "echo", "pause", "count", "find", "tools/list", "nothing"):
        assert int(kinds[kind].replace(",", "")) > 0
    for kind in ("reset", "cancelled", "too large"):
        assert int(kinds[kind].replace(",", "")) > 0
    assert "answers lost or wrong: 0" in done.stdout
