"""`appfunctions-mcp run`, as a process."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.cli import main
from tests.support.field_functions import serve_field_functions
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT, stdio_server

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")
MODULE = "tests.support.field_functions"
posix_only = pytest.mark.skipif(os.name != "posix", reason="pseudo terminals")


def tool_names(listed: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in listed["result"]["tools"]]


@pytest.mark.parametrize("engine", ["", "sdk"])
def test_the_sample_app_is_served_over_stdio(engine: str, tmp_path: Path) -> None:
    env = {"NOTES_DB": str(tmp_path / "notes.db")} | (
        {"APPFUNCTIONS_ENGINE": "sdk"} if engine else {}
    )
    with stdio_server("-m", "appfunctions_mcp", "run", SAMPLE, env=env) as server:
        assert server.initialize()["serverInfo"]["name"] == "notes"
        assert tool_names(server.request("tools/list"))[0] == "create_note"
        note = server.call("create_note", {"title": "T"})["result"]["structuredContent"]
        assert note["title"] == "T"
        server.close_input()
        assert server.wait() == 0


def test_only_what_a_glob_names_is_served(tmp_path: Path) -> None:
    """F94: a call of an unlisted one is refused, and the order is stable."""
    with serve_field_functions(tmp_path, "--only", "echo", "--only", "*#c*") as server:
        server.initialize()
        names = tool_names(server.request("tools/list"))
        assert names == ["echo", "count", "connect_to_database"]
        assert tool_names(server.request("tools/list")) == names
        assert server.call("slow", {"seconds": 0})["error"]["code"] == -32602


def test_every_option_has_a_variable(tmp_path: Path) -> None:
    env = {"APPFUNCTIONS_ONLY": "echo,count", "APPFUNCTIONS_LOG_LEVEL": "info"}
    with serve_field_functions(tmp_path, env=env) as server:
        server.initialize()
        assert tool_names(server.request("tools/list")) == ["echo", "count"]
        assert server.call("echo", {"t": "x"})["result"]["isError"] is False
        server.close_input()
        assert server.wait() == 0
        assert '"event": "execution"' in server.stderr


def test_a_module_may_be_named_on_the_command_line_alone(tmp_path: Path) -> None:
    file = str(write_metadata(tmp_path))
    words = ("-m", "appfunctions_mcp", "run", file, "--module", f"{MODULE}:my")
    with stdio_server(*words) as server:
        server.initialize()
        assert "my_echo" in tool_names(server.request("tools/list"))


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["more"], "'more' is no metadata file"),
        (["--http", "no-port"], "--http"),
        (["--log-level", "loud"], "loud"),
        (["--http", "0.0.0.0:0"], "--allowed-host"),
        (["--http", "0", "--token-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
    ],
)
def test_an_option_that_is_not_accepted_is_one_line(
    words: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", SAMPLE, *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert fault in captured.err


def test_settings_that_are_missing_are_all_named_at_the_start(tmp_path: Path) -> None:
    content = (
        '<mcp:setting name="CASE_TOKEN" required="true" />\n'
        '<mcp:setting name="CASE_COUNT" type="number" required="true" />\n'
        f'<mcp:functions module="{MODULE}" />\n'
    )
    file = str(write_metadata(tmp_path, content=content))
    with stdio_server("-m", "appfunctions_mcp", "run", file) as server:
        assert server.wait() == 2
        assert server.rest() == []
        assert "CASE_TOKEN" in server.stderr
        assert "CASE_COUNT" in server.stderr


@contextlib.contextmanager
def run_on_terminal(*words: str, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`run` with a terminal for stderr; gives the process and the terminal."""
    import pty

    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "appfunctions_mcp", "run", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=child,
        cwd=PROJECT,
        env={**os.environ, **env},
    ) as process:
        os.close(child)
        try:
            yield process, parent
        finally:
            process.kill()
            os.close(parent)


def read_until(terminal: int, pattern: str) -> re.Match[str]:
    """Waits until the terminal shows the pattern."""
    shown = ""
    while not (found := re.search(pattern, shown)):
        shown += os.read(terminal, 4096).decode()
    return found


@posix_only
def test_a_person_at_a_terminal_is_told_what_is_served_over_stdio(tmp_path: Path) -> None:
    with run_on_terminal(SAMPLE, NOTES_DB=str(tmp_path / "notes.db")) as (process, terminal):
        shown = r"\S+ 1\.0\.0: (.+)\s+serving stdio: .*install claude-desktop"
        assert read_until(terminal, shown)[1].strip() == "8 functions, 1 resource, 1 prompt"
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


@posix_only
def test_a_person_at_a_terminal_is_told_the_address(tmp_path: Path) -> None:
    notes = str(tmp_path / "notes.db")
    with run_on_terminal(SAMPLE, "--http", "0", NOTES_DB=notes) as (process, terminal):
        url = read_until(terminal, r"serving (http://127\.0\.0\.1:[1-9]\d*)/mcp")[1]
        with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:  # noqa: S310 - our own
            assert (answer.status, answer.read()) == (200, b"ok")
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_options_of_http_without_http_are_told_to_have_no_effect(tmp_path: Path) -> None:
    options = ("--sessions", "--token-env", "TOKEN", "--max-body-bytes", "9")
    done = subprocess.run(
        [sys.executable, "-m", "appfunctions_mcp", "run", SAMPLE, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=PROJECT,
        env={**os.environ, "NOTES_DB": str(tmp_path / "notes.db")},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    told = "without --http these have no effect: --sessions, --max-body-bytes, --token-env"
    assert told in done.stderr
