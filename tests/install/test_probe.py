"""A server started once, as a client would."""

import os
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.probe import ProbeReport, probe

posix_only = pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")

SERVER = """
import json, os, sys
def answer(message, result):
    line = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
BEFORE
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        assert message["params"]["protocolVersion"] and message["params"]["clientInfo"]
        answer(message, {"protocolVersion": "2025-06-18", "capabilities": {}})
    elif message["method"] == "tools/list":
        TOOLS
"""
TWO_PAGES = """
        if "cursor" in message["params"]:
            answer(message, {"tools": [{"name": "c"}]})
        else:
            answer(message, {"tools": [{"name": "a"}, {"name": "b"}], "nextCursor": "2"})
"""


def start(
    tmp_path: Path,
    before: str = "",
    tools: str = 'answer(message, {"tools": [{"name": "a"}]})',
    seconds: float = 20.0,
    source: str = SERVER,
) -> ProbeReport:
    server = tmp_path / "server.py"
    server.write_text(source.replace("BEFORE", before).replace("TOOLS", tools))
    here = Machine(sys.platform, {"SECRET": "s"}, tmp_path, tmp_path)
    return probe(Launch(sys.executable, (str(server),), {"GIVEN": "1"}), here, seconds)


def test_a_server_that_answers_is_reported_with_time_and_tools(tmp_path: Path) -> None:
    report = start(tmp_path, tools=TWO_PAGES.strip())
    assert report.failure is None
    assert report.tools == ("a", "b", "c")
    assert report.start_seconds is not None
    assert 0 < report.start_seconds <= report.seconds < 20
    assert report.noise == ()


@posix_only
def test_the_server_gets_the_environment_and_the_folder_of_a_client(tmp_path: Path) -> None:
    """F103: another PATH, another folder, nothing of this shell."""
    before = 'print(os.getcwd(), sorted(os.environ), os.environ["HOME"], file=sys.stderr)'
    report = start(tmp_path, before)
    (line,) = report.stderr
    assert line.startswith("/ ")
    assert "'GIVEN'" in line
    assert "SECRET" not in line
    assert line.endswith(str(tmp_path))


def test_lines_that_are_no_json_rpc_are_noise(tmp_path: Path) -> None:
    report = start(tmp_path, 'print("loading"); print("{}"); print("")')
    assert report.failure is None
    assert report.noise == ("loading", "{}")


def test_requests_of_the_server_are_passed_over(tmp_path: Path) -> None:
    before = 'print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}))'
    report = start(tmp_path, before)
    assert report.failure is None
    assert report.noise == ()


def test_a_server_that_ends_at_once_is_reported_with_its_last_words(tmp_path: Path) -> None:
    """F105."""
    report = start(tmp_path, 'sys.exit("app.xml:3: no module notes")')
    assert report.failure == "the server ended with status 1 before it answered initialize"
    assert report.stderr == ("app.xml:3: no module notes",)
    assert not report.timed_out


def test_a_server_that_refuses_is_reported(tmp_path: Path) -> None:
    refusal = (
        'print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603}}),'
        " flush=True)"
    )
    report = start(tmp_path, tools=refusal)
    assert report.failure == 'tools/list was answered with {"code": -32603}'
    report = start(tmp_path, tools="answer(message, {})")
    assert report.failure == "tools/list was answered without a list of tools"


def test_a_server_that_closes_its_output_is_reported(tmp_path: Path) -> None:
    report = start(tmp_path, "os.close(1); sys.stdin.read(); os._exit(3)")
    assert report.failure is not None
    assert "before it answered initialize" in report.failure


def has_ended(pid: int) -> bool:
    """Whether a process ends soon; one that nobody has waited for yet has ended, too."""
    import psutil

    try:
        process = psutil.Process(pid)
        process.wait(10)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return process.status() == psutil.STATUS_ZOMBIE
    return True


@pytest.mark.skipif(os.name != "posix", reason="a child that outlives its parent")
def test_a_server_that_is_silent_is_ended_with_its_children(tmp_path: Path) -> None:
    before = (
        "import subprocess, time\n"
        'child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])\n'
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)"
    )
    report = start(tmp_path, before, seconds=1.0)
    assert report.timed_out
    assert report.failure == "initialize was not answered within 1 s"
    (pid,) = report.stderr
    assert has_ended(int(pid))


@posix_only
def test_a_command_that_is_not_there_is_reported(tmp_path: Path) -> None:
    here = Machine(sys.platform, {}, tmp_path, tmp_path)
    report = probe(Launch(str(tmp_path / "python"), ()), here)
    assert report.failure == f"{tmp_path / 'python'} cannot be started: No such file or directory"


def test_pages_without_end_are_ended(tmp_path: Path) -> None:
    report = start(tmp_path, tools='answer(message, {"tools": [], "nextCursor": "1"})')
    assert report.failure == "tools/list has more than 100 pages"


@posix_only
@pytest.mark.parametrize(
    ("end", "what"),
    [("os._exit(0)", "ended with status 0"), ("os.kill(os.getpid(), 9)", "ended by the signal 9")],
)
def test_a_server_that_ends_without_a_word_is_told_how_to_be_seen(
    tmp_path: Path, end: str, what: str
) -> None:
    """F105: the client's message is generic, and its log is empty."""
    report = start(tmp_path, end)
    assert what in (report.failure or "")
    assert "it said nothing on stderr; see how it ends in a terminal: " in report.fix
    assert sys.executable in report.fix
