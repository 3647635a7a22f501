"""What doctor finds, each with its fix."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from appfunctions_mcp.install.app_checks import check_app, check_states
from appfunctions_mcp.install.checks import (
    Finding,
    InstalledEntry,
    check_command,
    check_entry,
    check_probe,
    has_errors,
)
from appfunctions_mcp.install.claude_code import ClaudeCode
from appfunctions_mcp.install.claude_desktop import ClaudeDesktop
from appfunctions_mcp.install.clients import CLIENT_NAMES, ConfigPlace, find_client
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.probe import ProbeReport
from appfunctions_mcp.install.running import RunningApp
from tests.support.answering_server import answering, as_mcp

REPAIR = "appfunctions-mcp install app.xml claude-code --force"
posix_only = pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")


def kinds(findings: Any) -> list[tuple[str, str]]:
    return [(finding.check, finding.severity) for finding in findings]


def environment(tmp_path: Path, home: str) -> Path:
    """A virtual environment's folders with a program that stands for its Python."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {home}\nversion = 3.11\n")
    return python


def test_a_command_that_is_there_has_no_finding(tmp_path: Path) -> None:
    assert list(check_command(sys.executable, REPAIR)) == []
    assert list(check_command(str(environment(tmp_path, str(tmp_path))), REPAIR)) == []


def test_a_relative_command_is_a_fault() -> None:
    """F103: spawn uv ENOENT."""
    (finding,) = check_command("uv", REPAIR)
    assert (finding.check, finding.severity) == ("command-relative", "error")
    assert finding.fix.endswith(REPAIR)


def test_a_moved_virtual_environment_is_recognised(tmp_path: Path) -> None:
    (finding,) = check_command(str(tmp_path / "venv" / "bin" / "python"), REPAIR)
    assert finding.check == "command-missing"
    assert f"{tmp_path / 'venv'} with it: moved or removed" in finding.what


def test_a_virtual_environment_without_its_python_is_recognised(tmp_path: Path) -> None:
    (finding,) = check_command(str(environment(tmp_path, str(tmp_path / "gone"))), REPAIR)
    assert finding.check == "environment-broken"


@posix_only
def test_a_removed_python_is_recognised_by_the_link_to_it(tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(tmp_path / "python3.9")
    (finding,) = check_command(str(link), REPAIR)
    assert "python3.9, which is gone" in finding.what


@posix_only
def test_a_command_that_is_no_program_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "python"
    file.write_text("")
    assert kinds(check_command(str(file), REPAIR)) == [("command-not-executable", "error")]
    file.unlink()
    assert kinds(check_command(str(file), REPAIR)) == [("command-missing", "error")]


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (ProbeReport(None, 0.2, 0.3, ("a",)), []),
        (ProbeReport(None, 12.0, 12.1, ("a",)), [("start-slow", "warning")]),
        (ProbeReport(None, 0.2, 0.3, ("a",), ("loading",)), [("stdout-noise", "error")]),
        (ProbeReport(None, 0.2, 0.3, ()), [("no-tools", "warning")]),
        (ProbeReport(None, 0.2, 0.3, ("t" * 60,)), [("name-length", "error")]),
        (ProbeReport("no answer", timed_out=True), [("start", "error")]),
    ],
)
def test_a_start_is_judged(report: ProbeReport, expected: list[tuple[str, str]]) -> None:
    assert kinds(check_probe(report, "notes", REPAIR)) == expected


def test_a_client_that_takes_fewer_tools_is_told() -> None:
    """F94: what is over the limit is hidden, or every prompt fails."""
    tools = tuple(f"tool_{number}" for number in range(101))
    few = {"cursor": 40, "windsurf": 100}
    for name in CLIENT_NAMES:
        found = list(
            check_probe(ProbeReport(None, 0.2, 0.3, tools), "n", REPAIR, find_client(name))
        )
        assert kinds(found) == ([("too-many-tools", "warning")] if name in few else [])
        if found:
            assert f"takes {few[name]} of all servers" in found[0].what


def test_a_python_without_the_package_is_recognised() -> None:
    log = ("/venv/bin/python: No module named appfunctions_mcp",)
    (finding,) = check_probe(ProbeReport("ended", stderr=log), "notes", REPAIR)
    assert log[0] in finding.what
    assert finding.fix.startswith("install the package into that Python")


def installed(
    tmp_path: Path,
    entry: dict[str, Any],
    client: ClaudeDesktop | ClaudeCode | None = None,
    name: str = "notes",
    *,
    is_read: bool = True,
) -> InstalledEntry:
    config = tmp_path / "config.json"
    config.write_text("{}")
    place = ConfigPlace(config, (tmp_path,), "classic installer", is_read)
    return InstalledEntry(client or ClaudeCode(), "user", place, name, entry)


def here(tmp_path: Path, **environ: str) -> Machine:
    return Machine(sys.platform, environ, tmp_path, tmp_path)


def entry_of(*args: str, command: str = sys.executable) -> dict[str, Any]:
    return {"command": command, "args": ["-m", "appfunctions_mcp", "run", *args]}


@posix_only
@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(entry_of("/gone/app.xml"), "file-missing", id="file-gone"),
        pytest.param(entry_of("app.xml"), "file-relative", id="file-relative"),
        pytest.param(entry_of("--locale", "ru"), "file-missing", id="no-file"),
        pytest.param(entry_of("/", command="python"), "command-relative", id="command-relative"),
    ],
)
def test_what_an_entry_names_is_looked_at_before_it_is_started(
    tmp_path: Path, entry: dict[str, Any], expected: str
) -> None:
    report = check_entry(installed(tmp_path, entry), here(tmp_path))
    assert kinds(report.findings) == [(expected, "error")]
    assert report.probe is None


def test_an_entry_that_cannot_start_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "app.xml").write_text("")
    entry = entry_of(str(tmp_path / "app.xml"))
    entry["args"][1] = "no_such_package_at_all"
    report = check_entry(installed(tmp_path, entry), here(tmp_path))
    assert kinds(report.findings) == [("start", "error")]
    assert report.probe is not None


def test_an_address_is_connected_to_with_what_its_client_would_send(tmp_path: Path) -> None:
    with answering(as_mcp("t" * 60, token="t-1")) as served:
        entry = {"url": served.url, "headers": {"Authorization": "Bearer ${T}"}}
        found = installed(tmp_path, entry)
        report = check_entry(found, here(tmp_path, T="t-1"))
        assert kinds(report.findings) == [("name-length", "error")]
        assert report.probe is not None
        assert report.probe.tools == ("t" * 60,)
        (finding,) = check_entry(found, here(tmp_path, T="other")).findings
        assert (finding.check, finding.severity) == ("start", "error")
        report = check_entry(found, here(tmp_path))
        assert (kinds(report.findings), report.probe) == ([("not-started", "warning")], None)
    assert f"--url {served.url} --name notes --force" in found.repair


def test_a_file_that_the_client_does_not_read_is_a_fault(tmp_path: Path) -> None:
    """The Store app of Claude Desktop ignores the classic file that users edit."""
    (tmp_path / "L" / "Packages" / "Claude_x").mkdir(parents=True)
    machine = Machine("win32", {"LOCALAPPDATA": str(tmp_path / "L")}, tmp_path, tmp_path)
    found = installed(tmp_path, {"note": "x"}, ClaudeDesktop(), is_read=False)
    (finding,) = check_entry(found, machine).findings
    assert finding.check == "config-not-read"
    assert "LocalCache" in finding.what
    assert finding.fix.endswith("install claude-desktop --name notes --force")


def test_a_name_that_clients_refuse_is_a_fault(tmp_path: Path) -> None:
    found = installed(tmp_path, {"note": "x"}, name="my notes")
    assert kinds(check_entry(found, here(tmp_path)).findings) == [("server-name", "error")]


class RunningDesktop(ClaudeDesktop):
    """Claude Desktop, running since a given time."""

    def __init__(self, started: float) -> None:
        self.started = started

    @override
    def running(self, machine: Machine) -> tuple[RunningApp, ...]:
        return (RunningApp(1, "Claude", None, self.started),)


@pytest.mark.parametrize(
    ("started", "expected"),
    [(0.0, ("restart", "warning")), (4e9, ("running", "note"))],
)
def test_a_client_that_runs_since_before_the_change_has_to_be_restarted(
    tmp_path: Path, started: float, expected: tuple[str, str]
) -> None:
    found = installed(tmp_path, {"note": "x"}, RunningDesktop(started))
    findings = check_entry(found, here(tmp_path)).findings
    assert kinds(findings) == [expected]
    assert not has_errors(findings)


def test_a_kept_state_of_no_function_is_found_with_the_nearest_name(tmp_path: Path) -> None:
    """A function that was renamed is on again, though somebody has switched it off."""
    path = tmp_path / "state.json"
    assert list(check_states(path, ["app#a"])) == []
    path.write_text('{"version": 1, "states": {"app#delete_note": "disabled"}}')
    assert list(check_states(path, ["app#delete_note"])) == []
    (finding,) = check_states(path, ["app#delete_notes"])
    assert finding.check == "state-left-over"
    assert "was it renamed to app#delete_notes?" in finding.what


def test_a_state_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text('{"version": 99}')
    assert kinds(check_states(path, [])) == [("state-file", "error")]


LISTING = """#!/bin/sh
[ "$1 $2 $3 $5 $6" = "-m appfunctions_mcp list --all --json" ] || exit 3
echo "a module prints this"
cat <<'END'
{
  "app": {"name": "notes", "skipped_modules": {"labels": "labels.py:1: no module x"}},
  "functions": [{"function_id": "notes#create_note"}]
}
END
"""


@posix_only
def test_a_module_that_was_left_out_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(LISTING)
    python.chmod(0o755)
    launch = Launch(str(python), ("-m", "appfunctions_mcp", "run", "/app.xml"))
    (finding,) = check_app(Path("/app.xml"), launch, here(tmp_path))
    assert finding.check == "module-skipped"
    assert "labels.py:1: no module x" in finding.what
    findings = check_app(Path("/app.xml"), launch, here(tmp_path, XDG_STATE_HOME="/x"))
    assert kinds(findings)[-1] == ("state-elsewhere", "warning")


@posix_only
def test_an_app_that_does_not_load_is_told_in_its_own_words(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "app.xml:3: no module notes" >&2\nexit 2\n')
    python.chmod(0o755)
    launch = Launch(str(python), ("-m", "appfunctions_mcp", "run", "/app.xml"))
    (finding,) = check_app(tmp_path / "app.xml", launch, here(tmp_path))
    assert finding == Finding("app", "error", "app.xml:3: no module notes")
    python.unlink()
    (finding,) = check_app(tmp_path / "app.xml", launch, here(tmp_path))
    assert "cannot be listed" in finding.what
