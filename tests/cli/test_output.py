"""Stdout holds a command's answer alone, whatever an app prints and whatever it can encode."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.metadata_files import write_metadata

PROJECT = Path(__file__).resolve().parents[2]
NOISY = """
import os, subprocess, sys
from appfunctions_mcp import app_function

print("printed at import", flush=True)
os.write(1, b"written at import\\n")

@app_function
def greet(name: str) -> str:
    \"\"\"Greets.\"\"\"
    print("printed in a call")
    sys.__stdout__.write("written in a call\\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    return f"Привет, {name} 😀"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An app that prints wherever it can."""
    (tmp_path / "noisy_greetings.py").write_text(NOISY, encoding="utf-8")
    content = '<mcp:functions module="noisy_greetings" />\n'
    write_metadata(tmp_path, 'appfn:description="Greets."', content)
    return tmp_path


def run(folder: Path, *words: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "appfunctions_mcp", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_what_a_module_prints_at_import_does_not_spoil_a_listing(folder: Path) -> None:
    done = run(folder, "list", "--json")
    assert [f["tool_name"] for f in json.loads(done.stdout)["functions"]] == ["greet"]
    assert b"printed at import" in done.stderr
    assert b"written at import" in done.stderr


def test_what_a_function_prints_does_not_spoil_its_answer(folder: Path) -> None:
    done = run(folder, "call", "--json", "greet", "--param", "name=Ann")
    assert json.loads(done.stdout) == "Привет, Ann 😀"
    for text in (b"printed in a call", b"written in a call", b"printed by a child"):
        assert text in done.stderr


def test_an_answer_can_be_printed_where_only_ascii_is(folder: Path) -> None:
    done = run(folder, "call", "--json", "greet", "--param", "name=Ann", encoding="ascii")
    assert json.loads(done.stdout.decode("ascii")) == "Привет, Ann 😀"
    done = run(folder, "call", "greet", "--param", "name=Ann", encoding="ascii")
    assert done.returncode == 0
    assert b"\\u041f" in done.stdout
    assert b"Traceback" not in done.stderr


def test_a_users_file_does_not_stand_before_the_standard_library(folder: Path) -> None:
    for name in ("random", "secrets", "argparse"):
        (folder / f"{name}.py").write_text("raise ValueError('shadowed')\n", encoding="utf-8")
    done = run(folder, "list")
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"greet\ton\tGreets.\n"
