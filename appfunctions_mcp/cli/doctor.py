"""`appfunctions-mcp doctor`: checks every installed server and says how to mend it."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appfunctions_mcp.cli.arguments import add_service_arguments, find_file, split_file
from appfunctions_mcp.cli.client_arguments import (
    lock_folder,
    remembered_addresses,
    server_options,
)
from appfunctions_mcp.exceptions import SettingsError, StateFileError
from appfunctions_mcp.install.addresses import read_url
from appfunctions_mcp.install.app_checks import check_app
from appfunctions_mcp.install.checks import (
    EntryReport,
    Finding,
    InstalledEntry,
    Severity,
    check_entry,
    has_errors,
)
from appfunctions_mcp.install.clients import CLIENT_NAMES, McpClient, find_client
from appfunctions_mcp.install.entry import (
    Launch,
    absolute_path,
    build_launch,
    expand_launch,
)
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.installation import config_file
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.settings import Settings

USAGE = "[FILE] [CLIENT]"
SUMMARY = "Checks the servers that are installed in clients, and says how to mend each fault."
EXAMPLE = "appfunctions-mcp doctor claude-desktop"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, CLIENT and the options."""
    add = parser.add_argument
    clients = "|".join(CLIENT_NAMES)
    add(
        "words",
        nargs="*",
        metavar=USAGE,
        help=f"check only this app, or only this client ({clients})",
    )
    add("--name", help="check only the entries of this name, another program's as well")
    add("--json", action="store_true", help="print JSON")
    add_service_arguments(parser)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What was checked, and what was found."""

    title: str
    record: dict[str, Any]
    findings: tuple[Finding, ...]
    place: Path | None = None
    """The client's file, where several may be meant."""


def run(args: argparse.Namespace) -> int:
    """Prints the findings; exit code 1 where something is wrong."""
    file, client = _read_words(args.words)
    machine = Machine.here(os.environ)
    subjects = []
    for subject in _examine(args, file, client, machine):
        # Each as soon as it is known: a server that hangs takes a minute.
        if not args.json:
            _show(subject)
        subjects.append(subject)
    findings = [finding for subject in subjects for finding in subject.findings]
    if args.json:
        listing = [{**subject.record, "findings": _listed(subject)} for subject in subjects]
        print(json.dumps({"ok": not has_errors(findings), "checked": listing}, indent=2))
    return 1 if has_errors(findings) else 0


def _read_words(words: list[str]) -> tuple[str | None, McpClient | None]:
    file, rest = (None, words) if words in [[name] for name in CLIENT_NAMES] else split_file(words)
    if len(rest) > 1:
        raise SettingsError(f"{rest[1]!r} is too much; give [FILE] [CLIENT], FILE first")
    return file, find_client(rest[0]) if rest else None


def _examine(
    args: argparse.Namespace, file: str | None, client: McpClient | None, machine: Machine
) -> Iterator[_Subject]:
    """Checks the entries, then each app that they start or that was given."""
    path = _metadata_file(args, file)
    wanted = path if file is not None else None
    clients = [client] if client else [find_client(name) for name in CLIENT_NAMES]
    apps: dict[Path, Launch] = {}
    count = 0
    for each in clients:
        for installed in _find_entries(each, machine, args.name):
            if isinstance(installed, _Subject):
                yield installed
                continue
            if wanted is not None and not _is_same(installed.file, wanted):
                continue
            count += 1
            report = check_entry(installed, machine)
            if installed.file and installed.launch and report.probe is not None:
                apps.setdefault(installed.file, _expanded(installed, machine))
            yield _entry_subject(installed, report)
    if not count:
        yield _nothing_installed(client, wanted, args.name)
    is_meant = wanted is not None or (client is None and args.name is None)
    if path is not None and path not in apps and is_meant:
        options = server_options(Settings.from_environment(os.environ).merged(vars(args)))
        apps[path] = build_launch(path, options, dict(machine.environ))
    for app, launch in apps.items():
        yield _Subject(str(app), {"file": str(app)}, tuple(check_app(app, launch, machine)))


def _metadata_file(args: argparse.Namespace, file: str | None) -> Path | None:
    """The app that was given, or the one that lies here; None where there is none."""
    if file is not None:
        return absolute_path(find_file(file))
    options = Settings.from_environment(os.environ).merged(vars(args))
    try:
        return absolute_path(find_file(options.file))
    except SettingsError:
        return None


def _is_same(file: Path | None, wanted: Path) -> bool:
    return file is not None and file.resolve() == wanted.resolve()


def _find_entries(
    client: McpClient, machine: Machine, name: str | None
) -> Iterator["InstalledEntry | _Subject"]:
    """Every entry of ours, or of this name, in every file that the client may have."""
    seen: set[Path] = set()
    for scope in client.scopes:
        for place in client.config_places(machine, scope):
            if place.path in seen:  # in the home, the user's file is the project's as well
                continue
            seen.add(place.path)
            file = config_file(place, lock_folder())
            try:
                entries = client.document.read_entries(file.read(), place.path)
                ours = remembered_addresses().ours(place.path, entries)
            except (InstallError, StateFileError) as fault:
                record = {"client": client.name, "config": str(place.path)}
                findings = (Finding("config", "error", str(fault)),)
                yield _Subject(f"{client.title}, {place.path}", record, findings)
                continue
            for each in ours if name is None else filter(name.__eq__, entries):
                yield InstalledEntry(client, scope, place, each, entries[each])


def _expanded(installed: InstalledEntry, machine: Machine) -> Launch:
    launch = installed.launch
    assert launch is not None  # noqa: S101 - only asked of entries that start a program
    return expand_launch(launch, installed.client.references, machine.environ)


def _entry_subject(installed: InstalledEntry, report: EntryReport) -> _Subject:
    probe, launch = report.probe, installed.launch
    record = {
        "client": installed.client.name,
        "scope": installed.scope,
        "config": str(installed.place.path),
        "name": installed.name,
        "command": [launch.command, *launch.args] if launch else None,
        "url": read_url(installed.entry),
        "start_seconds": round(probe.start_seconds, 3) if probe and probe.start_seconds else None,
        "tools": list(probe.tools) if probe else None,
    }
    title = f"{installed.client.title}, {installed.name}"
    return _Subject(title, record, report.findings, installed.place.path)


def _nothing_installed(client: McpClient | None, file: Path | None, name: str | None) -> _Subject:
    """A fault only where somebody asked for something that is not there."""
    where = client.title if client else "any client"
    install = f"appfunctions-mcp install {file or 'FILE'} {client.name if client else 'CLIENT'}"
    severity: Severity = "error" if client or file or name else "note"
    server = f"server {name!r}" if name else f"server of {file or 'this program'}"
    what = f"no {server} is installed in {where}"
    finding = Finding("not-installed", severity, what, f"install it: {install}")
    return _Subject(where, {"client": client.name if client else None}, (finding,))


def _listed(subject: _Subject) -> list[dict[str, str]]:
    return [
        {
            "check": finding.check,
            "severity": finding.severity,
            "what": finding.what,
            "fix": finding.fix,
        }
        for finding in subject.findings
    ]


def _show(subject: _Subject) -> None:
    """The subject on stdout; its findings on stderr, each line complete by itself."""
    is_missing = any(finding.check == "not-installed" for finding in subject.findings)
    verdict = "WRONG" if has_errors(subject.findings) else "none" if is_missing else "ok"
    started = subject.record.get("start_seconds")
    tools = subject.record.get("tools")
    verb = "answers" if subject.record.get("url") else "starts"
    detail = f": {verb} in {started:.2f} s, tools: {len(tools)}" if started and tools else ""
    where = f" ({subject.place})" if subject.place else ""
    _print_verdict(verdict, f"  {subject.title}{detail}{where}")
    is_seen_together = sys.stdout.isatty() and sys.stderr.isatty()
    for finding in subject.findings:
        if is_seen_together:
            _draw_finding(finding)
        else:
            what = f"{subject.title}{where}: {finding.severity}: {finding}"
            print(what, file=sys.stderr, flush=True)


def _print_verdict(verdict: str, text: str) -> None:
    if not sys.stdout.isatty():
        print(f"{verdict}{text}", flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    style = {"WRONG": "bold red", "ok": "green"}.get(verdict, "yellow")
    line = Text.assemble((verdict, style), text)
    Console().print(line, soft_wrap=True)


def _draw_finding(finding: Finding) -> None:
    """A finding below its subject, and its fix below it, to be copied as a whole."""
    from rich.console import Console
    from rich.text import Text

    style = {"error": "red", "warning": "yellow"}.get(finding.severity, "dim")
    lines = [Text.assemble(("  ", ""), (f"{finding.severity}: ", style), finding.what)]
    lines += [Text(f"    {finding.fix}")] if finding.fix else []
    for line in lines:
        Console(stderr=True).print(line, soft_wrap=True)
