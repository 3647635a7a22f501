"""What `doctor` looks at: one entry of one client, and the app that it starts.

Every check gives findings, each with its fix. Knows nothing of how findings are shown.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from appfunctions_mcp.install.address_probe import probe_address
from appfunctions_mcp.install.addresses import read_request, read_url
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope
from appfunctions_mcp.install.entry import (
    SERVER_NAME,
    Launch,
    expand_launch,
    launched_file,
    long_names,
    missing_references,
    read_launch,
)
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.probe import (
    CLIENT_START_SECONDS,
    INSTALL_PROBE_SECONDS,
    ProbeReport,
    probe,
)

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found, and what to do about it."""

    check: str
    """A short name of the check, for programs."""
    severity: Severity
    """An error keeps something from working; a note is no fault."""
    what: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.what}; {self.fix}" if self.fix else self.what


@dataclass(frozen=True, slots=True)
class InstalledEntry:
    """An entry of ours in a client's file."""

    client: McpClient
    scope: Scope
    place: ConfigPlace
    name: str
    entry: Any

    @property
    def launch(self) -> Launch | None:
        """What the entry starts; None for an address."""
        return read_launch(self.entry)

    @property
    def file(self) -> Path | None:
        """The metadata file that it starts."""
        return launched_file(self.launch) if self.launch else None

    @property
    def repair(self) -> str:
        """The command that writes the entry anew."""
        file = [str(self.file)] if self.file else []
        scope = ["--scope", self.scope] if self.scope != "user" else []
        url = read_url(self.entry)
        address = [] if url is None else ["--url", url]
        words = [*file, self.client.name, *address, "--name", self.name, *scope, "--force"]
        as_typed = subprocess.list2cmdline if os.name == "nt" else shlex.join
        return as_typed(["appfunctions-mcp", "install", *words])


@dataclass(frozen=True, slots=True)
class EntryReport:
    """The findings of one entry, and what its start has shown."""

    findings: tuple[Finding, ...]
    probe: ProbeReport | None


def check_entry(installed: InstalledEntry, machine: Machine) -> EntryReport:
    """Checks one entry: where it stands, what it names, and whether it starts."""
    findings = [
        *_check_place(installed, machine),
        *_check_running(installed, machine),
        *_check_client(installed),
    ]
    launch = installed.launch
    if launch is None:
        return _check_address(installed, machine, findings)
    references = installed.client.references
    missing = missing_references(launch, references, machine.environ)
    launch = expand_launch(launch, references, machine.environ)
    broken = [*check_command(launch.command, installed.repair), *_check_file(installed)]
    findings += broken
    if any(finding.severity == "error" for finding in broken):
        return EntryReport(tuple(findings), None)
    if missing:
        findings.append(_not_tried("started", installed.client, missing))
        return EntryReport(tuple(findings), None)
    report = probe(launch, machine, CLIENT_START_SECONDS)
    findings += check_probe(report, installed.name, installed.repair, installed.client)
    return EntryReport(tuple(findings), report)


def _check_address(
    installed: InstalledEntry, machine: Machine, findings: Sequence[Finding]
) -> EntryReport:
    """Connects to the address of an entry as its client would, and adds what that has shown."""
    client = installed.client
    request = read_request(installed.entry, client.references, machine.environ)
    if request is None:
        return EntryReport(tuple(findings), None)
    if request.missing:
        missing = _not_tried("connected to", client, request.missing)
        return EntryReport((*findings, missing), None)
    report = probe_address(request.url, request.headers)
    shown = check_probe(report, installed.name, installed.repair, client)
    return EntryReport((*findings, *shown), report)


def _not_tried(what: str, client: McpClient, missing: Sequence[str]) -> Finding:
    """Says that an entry needs what only the client has."""
    # A client that asks for secrets in every scope will ask for this one.
    severity: Severity = "note" if client.hides_secrets("user") else "warning"
    return Finding(
        "not-started",
        severity,
        f"it was not {what}: {client.title} supplies {', '.join(missing)}, which is not set here",
        "set it in this shell and repeat, to see whether the server answers",
    )


def check_command(command: str, repair: str) -> Iterator[Finding]:
    """Checks that a command is there for a client whose PATH and folder are its own."""
    path = Path(command)
    if not path.is_absolute():
        found = shutil.which(command)
        where = f"this shell finds {found}, " if found else ""
        yield Finding(
            "command-relative",
            "error",
            f"the command {command!r} is no absolute path: {where}a client has another PATH",
            f"write it anew: {repair}",
        )
        return
    if not path.exists():
        yield _missing_command(path, repair)
        return
    if not path.is_file() or not os.access(path, os.X_OK):
        yield Finding(
            "command-not-executable",
            "error",
            f"the command {path} is no executable file",
            f"write it anew: {repair}",
        )
        return
    yield from _check_environment(path, repair)


def _missing_command(path: Path, repair: str) -> Finding:
    """Says whether the interpreter alone is gone, or its virtual environment with it."""
    if path.is_symlink():
        what = f"{path} points to {path.readlink()}, which is gone: Python was removed"
        fix = f"make the virtual environment anew, install the package into it, then: {repair}"
    elif not path.parent.parent.exists():
        what = f"the command {path} is gone, and {path.parent.parent} with it: moved or removed"
        fix = f"from where it is now: {repair}"
    else:
        what = f"the command {path} is gone"
        fix = f"from an environment that has the package: {repair}"
    return Finding("command-missing", "error", what, fix)


def _check_environment(path: Path, repair: str) -> Iterator[Finding]:
    """Checks that the Python that a virtual environment was made from is still there."""
    configuration = path.parent.parent / "pyvenv.cfg"
    if not configuration.is_file():
        return
    text = configuration.read_text(encoding="utf-8", errors="replace")
    pairs = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    homes = [value.strip() for key, value in pairs.items() if key.strip() == "home"]
    if homes and not Path(homes[0]).is_dir():
        yield Finding(
            "environment-broken",
            "error",
            f"{configuration} names the Python in {homes[0]}, which is gone",
            f"make the virtual environment anew, install the package into it, then: {repair}",
        )


def check_probe(
    report: ProbeReport, server: str, repair: str, client: McpClient | None = None
) -> Iterator[Finding]:
    """What a start has shown, and whether a client waits that long for it."""
    patience = client.start_seconds if client else CLIENT_START_SECONDS
    title = client.title if client else "Claude Desktop"
    if report.failure is not None:
        # An indented line belongs to the fault above it.
        lines = [line for line in report.stderr if line[:1].strip()]
        said = f" ({lines[-1]})" if lines else ""
        yield Finding("start", "error", f"{report.failure}{said}", _start_fix(report, repair))
        return
    seconds = report.start_seconds or 0.0
    if seconds > INSTALL_PROBE_SECONDS:
        yield Finding(
            "start-slow",
            "error" if seconds > patience else "warning",
            f"the start took {seconds:.1f} s; {title} gives up at {patience:.0f} s",
            "import heavy libraries inside the functions that use them",
        )
    if report.noise:
        yield Finding(
            "stdout-noise",
            "error",
            f"stdout has lines that are no JSON-RPC: {report.noise[0]!r}",
            "write to stderr; strict clients end the connection",
        )
    yield from _check_tools(report.tools, server, client)


def _check_tools(tools: Sequence[str], server: str, client: McpClient | None) -> Iterator[Finding]:
    """Whether there are tools, not too many, and none whose name is too long."""
    if not tools:
        yield Finding(
            "no-tools",
            "warning",
            "the server lists no function",
            "see which are off, where it runs: appfunctions-mcp list --all",
        )
    if client and client.max_tools is not None and len(tools) > client.max_tools:
        most = f"{client.title} takes {client.max_tools} of all servers together"
        yield Finding(
            "too-many-tools",
            "warning",
            f"the server lists {len(tools)} tools; {most}",
            "switch off what is not needed: appfunctions-mcp set-enabled FUNCTION disable",
        )
    for what, is_error in long_names(server, tools):
        yield Finding("name-length", "error" if is_error else "warning", what)


def _start_fix(report: ProbeReport, repair: str) -> str:
    """What helps a server that does not start."""
    log = "\n".join(report.stderr)
    if report.fix:
        return report.fix
    if "No module named appfunctions_mcp" in log:
        return f"install the package into that Python, then: {repair}"
    if report.timed_out:
        return "import heavy libraries inside the functions that use them, and try again"
    return "correct what it says"


def _check_place(installed: InstalledEntry, machine: Machine) -> Iterator[Finding]:
    """Where the entry stands: the file, the name, and entries that win over it."""
    client, place = installed.client, installed.place
    if not place.is_read:
        used = client.config_places(machine, installed.scope)[0].path
        yield Finding(
            "config-not-read",
            "error",
            f"{place.path} ({place.label}) is not read here: {client.title} reads {used}",
            f"write it there: {installed.repair}",
        )
    if not SERVER_NAME.fullmatch(installed.name):
        yield Finding(
            "server-name",
            "error",
            f"the name {installed.name!r} has characters that clients refuse, or over 64",
            "install it under another --name",
        )
    for what in client.shadows(machine, installed.scope, installed.name):
        yield Finding("shadowed", "warning", what)


def _check_client(installed: InstalledEntry) -> Iterator[Finding]:
    """What else the client's file says that keeps the entry from being used."""
    content = installed.place.path.read_bytes()
    for what, fix in installed.client.faults(content, installed.name, installed.entry):
        yield Finding("client-refuses", "error", what, fix)


def _check_running(installed: InstalledEntry, machine: Machine) -> Iterator[Finding]:
    """Whether the client runs, and since before the entry was written."""
    apps = installed.client.running(machine)
    if not apps:
        return
    title = installed.client.title
    if installed.place.path.stat().st_mtime > min(app.started for app in apps):
        yield Finding(
            "restart",
            "warning",
            f"{title} has been running since before its file was changed",
            "quit it completely and start it again, then see that the entry is still there",
        )
    else:
        yield Finding("running", "note", f"{title} is running", "quit it before you install")


def _check_file(installed: InstalledEntry) -> Iterator[Finding]:
    """Whether the metadata file that the entry names is there."""
    file = installed.file
    if file is None:
        yield Finding("file-missing", "error", "the entry names no metadata file", installed.repair)
    elif not file.is_absolute():
        yield Finding(
            "file-relative",
            "error",
            f"the metadata file {file} is no absolute path: a client starts it in another folder",
            f"write it anew: {installed.repair}",
        )
    elif not file.exists():
        yield Finding(
            "file-missing",
            "error",
            f"the metadata file {file} is gone",
            f"install it from where it is now, or: appfunctions-mcp uninstall "
            f"{installed.client.name} --name {installed.name}",
        )


def has_errors(findings: Sequence[Finding]) -> bool:
    """Whether something is wrong."""
    return any(finding.severity == "error" for finding in findings)
