"""`appfunctions-mcp install`: puts a server into an MCP client."""

import argparse
import getpass
import os
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from appfunctions_mcp.cli.arguments import add_service_arguments, find_file
from appfunctions_mcp.cli.client_arguments import (
    lock_folder,
    read_words,
    require_closed,
    server_options,
)
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.app_settings import (
    CollectedEnvironment,
    SettingsRequest,
    collect_environment,
    read_assignments,
)
from appfunctions_mcp.install.clients import CLIENT_NAMES, McpClient, require_scope
from appfunctions_mcp.install.entry import (
    Launch,
    build_launch,
    expand_text,
    expand_variables,
    kept_environment,
    long_names,
    require_server_name,
)
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.installation import Installation, Target, find_target
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.settings import Settings

if TYPE_CHECKING:
    from appfunctions_mcp.install.probe import ProbeReport
    from appfunctions_mcp.metadata import AppMetadata, AppSetting

USAGE = "[FILE] CLIENT"
SUMMARY = "Puts a server into an MCP client, after starting it once as the client would."
EXAMPLE = "appfunctions-mcp install metadata/app_metadata.xml claude-desktop"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, CLIENT and the options."""
    add = parser.add_argument
    clients = "|".join(CLIENT_NAMES)
    add("words", nargs="*", metavar=USAGE, help=f"the metadata XML; {clients}")
    add("--name", help="the entry's name (default: the server's)")
    add(
        "--env",
        action="append",
        default=[],
        metavar="K=V",
        help="a variable for the server (repeatable); settings of the app are asked for otherwise",
    )
    add("--scope", default="user", metavar="user|project", help="whose entry (default: user)")
    add("--url", help="the address of a server that runs already, instead of FILE")
    add("--force", action="store_true", help="replace another entry; write while the client runs")
    add("--dry-run", action="store_true", help="show the change as a diff, write nothing")
    add("--print", action="store_true", help="print the entry as JSON to be copied, write nothing")
    add_service_arguments(parser)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be written, and how it is started to see that it works."""

    installation: Installation
    launch: Launch | None
    environment: CollectedEnvironment | None
    secret_names: frozenset[str]


def run(args: argparse.Namespace) -> int:
    """Writes the entry; exit code 1 where it cannot be written or does not start."""
    try:
        return _install(args, Machine.here(os.environ))
    except InstallError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 1


def _install(args: argparse.Namespace, machine: Machine) -> int:
    file, client = read_words(args.words)
    scope = require_scope(client, args.scope)
    target = find_target(client, machine, scope, lock_folder())
    plan = _plan(args, file, target, machine)
    installation, name = plan.installation, plan.installation.name
    if args.print:
        existing = target.entries().get(name)
        print(target.document.snippet(name, installation.entry(existing)))
        return 0
    _report_places(target)
    diff = installation.diff(plan.secret_names)
    if args.dry_run or not diff:
        print(diff or f"{client.title}: {name!r} is in {target.file.path} already; nothing to do")
        if diff:
            print("nothing was written; leave out --dry-run to write this", file=sys.stderr)
        return 0
    require_closed(client, machine, force=args.force)
    report = _probe(plan, machine)
    done = installation.write()
    backup = f" (before: {done.backup})" if done.backup else ""
    print(f"{client.title}: wrote {name!r} into {target.file.path}{backup}")
    _report_success(plan, machine, report)
    print("Next:")
    for step in client.next_steps(machine, scope, name):
        print(f"  {step}")
    return 0


def _plan(args: argparse.Namespace, file: str | None, target: Target, machine: Machine) -> _Plan:
    """Everything that can be wrong before a file is touched is found here."""
    given = read_assignments(args.env)
    if args.url:
        return _url_plan(args, file, target)
    options = Settings.from_environment(os.environ).merged(vars(args))
    path = find_file(file or options.file)
    metadata = parse_metadata(
        path, modules=options.module, locale=options.locale, resources=options.resources
    )
    if not metadata.modules:
        raise SettingsError(
            f"{path}:1: names no module; add <mcp:functions module=.../> or give --module NAME"
        )
    name = require_server_name(args.name or metadata.name)
    request = SettingsRequest(
        given=given,
        kept=kept_environment(target.entries().get(name)),
        environ=machine.environ,
        expand=partial(expand_text, environ=machine.environ)
        if target.client.expands_variables
        else str,
        ask=_ask if sys.stdin.isatty() and sys.stderr.isatty() else None,
        by_reference=args.scope == "project",
        file=str(path),
    )
    environment = collect_environment(metadata.settings, request)
    _warn_of_references(target.client, environment)
    launch = build_launch(path, server_options(options), environment.written)
    wanted = target.client.stdio_entry(launch)
    installation = Installation(target, name, wanted, force=args.force)
    return _Plan(installation, launch, environment, _secret_names(metadata))


def _url_plan(args: argparse.Namespace, file: str | None, target: Target) -> _Plan:
    """The plan for a server that runs already."""
    entry = target.client.url_entry(args.url)
    if args.env or args.module:
        raise SettingsError("--url names a server that runs already: leave out --env and --module")
    if not args.name and file is None:
        raise SettingsError("--url needs the entry's name: give --name NAME")
    name = args.name or parse_metadata(find_file(file)).name
    installation = Installation(target, require_server_name(name), entry, force=args.force)
    return _Plan(installation, None, None, frozenset())


def _secret_names(metadata: "AppMetadata") -> frozenset[str]:
    return frozenset(setting.name for setting in metadata.settings if setting.sensitive)


def _warn_of_references(client: McpClient, environment: CollectedEnvironment) -> None:
    """Says that a value is taken for a reference to a variable, which it may not be meant as."""
    if not client.expands_variables:
        return
    for name, value in environment.written.items():
        if "${" in value and name not in environment.references:
            print(
                f"note: {client.title} replaces '${{...}}' in the value of {name}", file=sys.stderr
            )


def _ask(setting: "AppSetting") -> str | None:
    """Asks at the terminal; an empty answer leaves an optional setting out."""
    text = setting.title or setting.name
    default = f", default {setting.default}" if setting.default else ""
    optional = "" if setting.required or default else ", Enter leaves it out"
    described = f"{text} ({setting.name}{default}{optional}): "
    if setting.description:
        print(setting.description, file=sys.stderr)
    if setting.sensitive:
        return getpass.getpass(described, stream=sys.stderr).strip() or None
    print(described, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() or None


def _report_places(target: Target) -> None:
    """Names every file that the client might read, where there are several."""
    folder = target.file.path.parent
    if not folder.is_dir():
        title = target.client.title
        print(f"warning: {folder} does not exist; is {title} installed?", file=sys.stderr)
    if len(target.places) == 1:
        return
    for place in target.places:
        there = "exists" if place.path.exists() else "does not exist"
        used = "used" if place.path == target.file.path else "not used"
        print(f"{place.label}: {place.path} ({there}, {used})", file=sys.stderr)


def _probe(plan: _Plan, machine: Machine) -> "ProbeReport | None":
    """Starts what would be written, and raises if it would be of no use."""
    if plan.launch is None or plan.environment is None:
        return None
    from appfunctions_mcp.install.probe import probe

    target = plan.installation.target
    client = target.client
    kept = kept_environment(target.entries().get(plan.installation.name))
    launch = Launch(plan.launch.command, plan.launch.args, kept)
    if client.expands_variables:
        launch = expand_variables(launch, machine.environ)
    env = {**launch.env, **plan.environment.effective}
    launch = Launch(plan.launch.command, plan.launch.args, env)
    report = probe(launch, machine)
    if report.timed_out:
        # The first start of all compiles every module; the second shows what clients will see.
        report = probe(launch, machine)
    if report.failure is not None:
        from appfunctions_mcp.install.checks import check_probe

        (finding,) = check_probe(report, plan.installation.name, "the same command again")
        log = "".join(f"\n    {line}" for line in report.stderr)
        what = f"{report.failure}; {finding.fix}"
        raise InstallError(f"{client.title}: nothing was written: {what}{':' if log else ''}{log}")
    return report


def _report_success(plan: _Plan, machine: Machine, report: "ProbeReport | None") -> None:
    """What the start has shown, and what the client's own program says."""
    client, name = plan.installation.target.client, plan.installation.name
    if report is not None:
        print(f"  it starts in {report.start_seconds:.2f} s; tools: {len(report.tools)}")
        for line in report.noise[:1]:
            print(f"warning: stdout has a line that is no JSON-RPC: {line!r}", file=sys.stderr)
        for what, _ in long_names(name, report.tools):
            print(f"warning: {what}", file=sys.stderr)
    for reference in plan.environment.references if plan.environment else ():
        print(f"  {reference} is not in the file: it comes from the environment of {client.title}")
    said = client.verify(machine, name)
    if said is not None:
        print(f"  {said}")
