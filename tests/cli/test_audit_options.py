"""`--audit-file` and `--audit-arguments`, through processes started as users start them."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.http_server import http_server
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import DEADLINE_SECONDS, PROJECT, stdio_server

APP = """\
from appfunctions_mcp import app_function


@app_function
def add(a: int, b: int) -> int:
    '''Adds.'''
    return a + b
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "audited_app.py").write_text(APP)
    modules = '<mcp:functions module="audited_app"/>'
    return write_metadata(tmp_path, 'appfn:description="Adds." mcp:name="adder"', modules)


def program(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    return subprocess.run(
        [sys.executable, "-m", "appfunctions_mcp", *map(str, words)],
        cwd=PROJECT,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lines_when(path: Path, count: int) -> list[dict[str, Any]]:
    """The lines, once there are so many."""
    end = time.monotonic() + DEADLINE_SECONDS
    while len(lines := lines_of(path)) < count:
        assert time.monotonic() < end, lines
        time.sleep(0.02)
    return lines


@pytest.mark.parametrize("transport", [(), ("--http", "0")], ids=["stdio", "HTTP"])
def test_a_server_that_cannot_write_its_audit_log_does_not_start(
    file: Path, tmp_path: Path, transport: tuple[str, ...]
) -> None:
    (tmp_path / "taken").mkdir()

    done = program("run", file, "--audit-file", tmp_path / "taken", *transport)

    assert (done.returncode, done.stdout) == (2, "")
    assert str(tmp_path / "taken") in done.stderr
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("by_variable", [True, False], ids=["variable", "option"])
def test_an_audited_server_answers_nothing_before_its_log_is_open(
    file: Path, tmp_path: Path, *, by_variable: bool
) -> None:
    """Others answer from a manifest before anything of the app is loaded."""
    with stdio_server("-m", "appfunctions_mcp", "run", str(file)) as server:
        server.initialize()
        assert server.call("add", {"a": 1, "b": 2})["result"]["isError"] is False
    place = str(tmp_path / "nowhere" / "audit.jsonl")
    option = [] if by_variable else ["--audit-file", place]
    variables = {"APPFUNCTIONS_AUDIT_FILE": place} if by_variable else {}

    with stdio_server("-m", "appfunctions_mcp", "run", str(file), *option, env=variables) as server:
        assert server.wait() == 2
        assert server.read_line() == b""


def test_arguments_without_a_file_are_refused(file: Path) -> None:
    done = program("run", file, "--audit-arguments")

    assert done.returncode == 2
    assert "give --audit-file PATH too" in done.stderr


def test_calls_on_stdio_are_written_down(file: Path, tmp_path: Path, engine: str) -> None:
    audit = tmp_path / "audit.jsonl"
    options = ("--audit-file", str(audit), "--audit-arguments")
    with stdio_server("-m", "appfunctions_mcp", "run", str(file), *options) as server:
        server.initialize()
        server.call("add", {"a": 1, "b": 2})
        server.call("add", {"a": "x", "b": 2})

    started, *calls = lines_of(audit)
    assert (started["event"], started["server"], started["command"]) == ("started", "adder", "run")
    assert [(call["outcome"], call["arguments"]) for call in calls] == [
        ("success", {"a": 1, "b": 2}),
        ("error", {"a": "x", "b": 2}),
    ]
    assert {call["caller"] for call in calls} == {"local"}
    if os.name != "nt":
        assert stat.S_IMODE(audit.stat().st_mode) == 0o600


def test_the_other_commands_write_the_same_log(file: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    variables = {"APPFUNCTIONS_AUDIT_FILE": str(audit)}

    assert (
        program("call", file, "add", "--param", "a=1", "--param", "b=2", **variables).returncode
        == 0
    )
    assert program("set-enabled", file, "add", "disable", **variables).returncode == 0
    assert (
        program("call", file, "add", "--param", "a=1", "--param", "b=2", **variables).returncode
        == 1
    )
    assert program("list", file, **variables).returncode == 0

    told = [(line["event"], line.get("command") or line.get("outcome") or line.get("state"))
            for line in lines_of(audit)]  # fmt: skip
    assert told == [
        ("started", "call"),
        ("execution", "success"),
        ("started", "set-enabled"),
        ("state", "disabled"),
        ("started", "call"),
        ("execution", "error"),
    ]


def test_a_running_server_tells_when_it_holds_to_a_change(file: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    options = ("--audit-file", str(audit))
    with stdio_server("-m", "appfunctions_mcp", "run", str(file), *options) as server:
        server.initialize()
        assert program("set-enabled", file, "add", "disable").returncode == 0
        server.call("add", {"a": 1, "b": 2})

        _, state, refused = lines_when(audit, 3)

    assert (state["event"], state["state"], state["is_enabled"]) == ("state", "disabled", False)
    assert state["pid"] == server.process.pid
    assert refused["refusal"] == "disabled"


def test_whoever_is_refused_over_http_is_written_down(file: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    words = ("run", str(file), "--http", "0", "--audit-file", str(audit), "--token-env", "ADDER")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}  # fmt: skip
    with http_server("-m", "appfunctions_mcp", *words, env={"ADDER": "a-good-token"}) as server:
        good = {"Authorization": "Bearer a-good-token"}
        assert server.ask(body=call).status == 401
        assert server.ask(body=call, headers={"Authorization": "Bearer CANARY"}).status == 401
        assert (
            server.ask(body=call, headers={**good, "Origin": "https://evil.example"}).status == 403
        )
        assert server.ask(body=call, headers=good).status == 200
        assert server.ask("GET", "/metrics").status == 401
        lines = lines_when(audit, 6)

    told = [
        (line["event"], line.get("status"), line.get("reason"), line.get("path")) for line in lines
    ]
    assert told == [
        ("started", None, None, None),
        ("denial", 401, "unauthenticated", "/mcp"),
        ("denial", 401, "unauthenticated", "/mcp"),
        ("denial", 403, "forbidden", "/mcp"),
        ("execution", None, None, None),
        ("denial", 401, "unauthenticated", "/metrics"),
    ]
    assert {line["client"] for line in lines if line["event"] == "denial"} == {"127.0.0.1"}
    assert lines[4]["caller"] == "token"
    assert "CANARY" not in audit.read_text()
    assert "a-good-token" not in audit.read_text()


@pytest.mark.skipif(os.name != "posix", reason="workers share a socket")
def test_workers_write_one_log(file: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    words = ("run", str(file), "--http", "0", "--workers", "2", "--audit-file", str(audit))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}  # fmt: skip
    with http_server("-m", "appfunctions_mcp", *words) as server:
        for _ in range(20):
            assert server.ask(body=call).status == 200
        lines = lines_when(audit, 22)
        counted = server.ask("GET", "/metrics").body.decode()

    started = {line["pid"] for line in lines if line["event"] == "started"}
    assert len(started) == 2
    assert {line["pid"] for line in lines} <= started
    assert 'function="audited_app#add",outcome="success"} 20\n' in counted
