"""The benchmarks: one scenario runs, and what it prints and writes has its form. No speeds."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

RUN = Path(__file__).resolve().parents[1] / "benchmarks" / "run.py"


def test_one_scenario_prints_figures_and_verdicts_and_writes_tables_and_chart(
    tmp_path: Path,
) -> None:
    document = tmp_path / "performance.md"
    document.write_text(
        "# Kept\n\n<!-- measured: begin -->\nold\n<!-- measured: end -->\n\nKept too.\n",
        encoding="utf-8",
    )
    words = ["--here", "--quick", "--pairs", "1", "--scenario", "stdio-call"]
    words += ["--server", "lowlevel", "--server", "appfunctions-eager"]
    done = subprocess.run(
        [sys.executable, str(RUN), *words, "--markdown", str(document)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "BENCHMARK_HOME": str(tmp_path / "home")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("stdio-call: stdio call `create_note`, CPU, both eras\n")
    for era in ("2025", "2026"):
        assert re.search(rf"CPU us +{era} +median +of the floor\n +lowlevel +[\d,.]+", done.stdout)
    assert len(re.findall(r"^ +appfunctions-eager +[\d,.]+ *$", done.stdout, re.MULTILINE)) == 2
    text = document.read_text(encoding="utf-8")
    assert text.startswith("# Kept\n")
    assert text.endswith("\n\nKept too.\n")
    assert "old" not in text
    assert "| stdio call `create_note`, CPU, both eras; 2025, us | **" in text
    ET.parse(document.with_suffix(".svg"))  # noqa: S314 - the file was written by our own code


def test_a_scenario_that_does_not_exist_is_refused_with_the_names_of_those_that_do() -> None:
    done = subprocess.run(
        [sys.executable, str(RUN), "--scenario", "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "stdio-call" in done.stderr
