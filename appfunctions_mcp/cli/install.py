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
    for_each,
    lock_folder,
    note_address,
    read_clients,
    require_closed,
    server_options,
)
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.addresses import (
    Address,
    read_headers,
    read_request,
    require_no_secrets,
    require_url,
)
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
    expand_launch,
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

USAGE = "[FILE] [CLIENT]"
SUMMARY = "Puts a server into an MCP client, after starting it once as the client would."
EXAMPLE = "appfunctions-mcp install metadata/app_metadata.xml claude-desktop"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, CLIENT and the options."""
    add = parser.add_argument
    clients = "|".join(CLIENT_NAMES)
    add("words", nargs="*", metavar=USAGE, help=f"the metadata XML; {clients}")
    add("--all", action="store_true", help="every client that is here, instead of CLIENT")
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
    add(
        "--bearer-env",
        metavar="NAME",
        help="with --url: the variable of the client's environment that holds the server's token",
    )
    add(
        "--header",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="with --url: a header to send (repeatable); '${NAME}' in it is a variable as well",
    )
    add("--force", action="store_true", help="replace another entry; write while the client runs")
    add("--dry-run", action="store_true", help="show the change as a diff, write nothing")
    add("--print", action="store_true", help="print the entry to be copied, write nothing")
    add_service_arguments(parser)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be written, and how it is started to see that it works."""

    installation: Installation
    launch: Launch | None
    environment: CollectedEnvironment | None
    secret_names: frozenset[str]
    hidden: tuple[str, ...] = ()
    """Variables whose values are not in the file."""


@dataclass(frozen=True, slots=True)
class _Order:
    """The words of the command, and what holds for all clients that they name."""

    args: argparse.Namespace
    file: str | None
    machine: Machine
    person: "_Person"
    reached: dict[tuple[str, ...], "ProbeReport"]
    """What each address has answered, so that it is asked only once."""


def run(args: argparse.Namespace) -> int:
    """Writes the entries; exit code 1 where one cannot be written or does not start."""
    machine = Machine.here(os.environ)
    try:
        file, clients = read_clients(args.words, machine, args.scope, everywhere=args.all)
    except InstallError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 1
    if args.all and args.url:
        clients = [client for client in clients if client.takes_addresses]
    order = _Order(args, file, machine, _Person(), {})
    return for_each(clients, lambda client: _install(order, client))


def _install(order: _Order, client: McpClient) -> None:
    args, machine = order.args, order.machine
    scope = require_scope(client, args.scope)
    target = find_target(client, machine, scope, lock_folder())
    plan = _url_plan(order, target) if args.url else _plan(order, target)
    installation, name = plan.installation, plan.installation.name
    if args.print:
        existing = target.entries().get(name)
        print(target.document.snippet(name, installation.entry(existing)))
        return
    _report_places(target)
    diff = installation.diff(plan.secret_names)
    if args.dry_run or not diff:
        print(diff or f"{client.title}: {name!r} is in {target.file.path} already; nothing to do")
        if diff:
            print("nothing was written; leave out --dry-run to write this", file=sys.stderr)
        elif not args.dry_run:
            note_address(target.file.path, name, target.entries().get(name))
        return
    require_closed(client, machine, force=args.force)
    report = _probe(plan, machine)
    done = installation.write()
    note_address(target.file.path, name, target.entries().get(name))
    backup = f" (before: {done.backup})" if done.backup else ""
    print(f"{client.title}: wrote {name!r} into {target.file.path}{backup}")
    _report_success(plan, report or _reach(order, plan))
    said = client.verify(machine, name)
    if said is not None:
        print(f"  {said}")
    print("Next:")
    for step in client.next_steps(machine, scope, name):
        print(f"  {step}")


def _plan(order: _Order, target: Target) -> _Plan:
    """Everything that can be wrong before a file is touched is found here."""
    args, client = order.args, target.client
    given = read_assignments(args.env)
    if args.header or args.bearer_env is not None:
        raise SettingsError("--header and --bearer-env belong to an address: give --url URL")
    options = Settings.from_environment(os.environ).merged(vars(args))
    path = find_file(order.file or options.file)
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
        environ=order.machine.environ,
        expand=partial(client.references.expand, environ=order.machine.environ),
        ask=order.person.ask if sys.stdin.isatty() and sys.stderr.isatty() else None,
        hidden=client.references if client.hides_secrets(args.scope) else None,
        server=name,
        file=str(path),
    )
    environment = collect_environment(metadata.settings, request)
    _warn_of_references(client, environment)
    launch = build_launch(
        path, server_options(options), environment.written, inherited=environment.inherited
    )
    wanted = client.stdio_entry(launch)
    installation = Installation(target, name, wanted, force=args.force)
    return _Plan(installation, launch, environment, _secret_names(metadata), environment.references)


def _url_plan(order: _Order, target: Target) -> _Plan:
    """The plan for a server that runs already."""
    args, client = order.args, target.client
    url = require_url(args.url)
    headers = read_headers(args.header, args.bearer_env)
    if args.env or args.module:
        raise SettingsError("--url names a server that runs already: leave out --env and --module")
    name = args.name or (parse_metadata(find_file(order.file)).name if order.file else "")
    address = Address(url, name, headers)
    entry = client.url_entry(address)
    if not name:
        raise SettingsError("--url needs the entry's name: give --name NAME")
    if client.hides_secrets(args.scope):
        require_no_secrets(address, str(target.file.path))
    installation = Installation(target, require_server_name(name), entry, force=args.force)
    return _Plan(installation, None, None, frozenset(), tuple(address.variables))


def _secret_names(metadata: "AppMetadata") -> frozenset[str]:
    return frozenset(setting.name for setting in metadata.settings if setting.sensitive)


def _warn_of_references(client: McpClient, environment: CollectedEnvironment) -> None:
    """Says that a value is taken for a reference to a variable, which it may not be meant as."""
    for name, value in environment.written.items():
        is_replaced = client.references.expand(value, {}) != value
        if is_replaced and name not in environment.references:
            print(
                f"note: {client.title} replaces references such as "
                f"{client.references.write('NAME', 'NAME', is_optional=False)} in the value of "
                f"{name}",
                file=sys.stderr,
            )


class _Person:
    """Asks at the terminal, and for each setting only once."""

    def __init__(self) -> None:
        self._answers: dict[str, str | None] = {}

    def ask(self, setting: "AppSetting") -> str | None:
        """The answer; None leaves an optional setting out."""
        if setting.name not in self._answers:
            self._answers[setting.name] = _ask(setting)
        return self._answers[setting.name]


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
    launch = expand_launch(
        Launch(plan.launch.command, plan.launch.args, kept), client.references, machine.environ
    )
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


def _reach(order: _Order, plan: _Plan) -> "ProbeReport | None":
    """Connects to an address as the client will; a server may well be started later."""
    target, name = plan.installation.target, plan.installation.name
    client = target.client
    request = read_request(target.entries()[name], client.references, order.machine.environ)
    if request is None:
        return None
    if request.missing:
        print(
            f"note: {request.url} was not connected to: {', '.join(request.missing)} is not set "
            "here; see it with doctor where it is",
            file=sys.stderr,
        )
        return None
    asked = (request.url, *(text for pair in sorted(request.headers.items()) for text in pair))
    if asked not in order.reached:
        from appfunctions_mcp.install.address_probe import probe_address

        order.reached[asked] = probe_address(request.url, request.headers)
    report = order.reached[asked]
    if report.failure is not None:
        print(f"warning: {report.failure}; {report.fix}", file=sys.stderr)
        return None
    return report


def _report_success(plan: _Plan, report: "ProbeReport | None") -> None:
    """What the start, or connecting, has shown, and what is not in the file."""
    client, name = plan.installation.target.client, plan.installation.name
    if report is not None:
        verb = "answers" if plan.launch is None else "starts"
        print(f"  it {verb} in {report.start_seconds:.2f} s; tools: {len(report.tools)}")
        for line in report.noise[:1]:
            print(f"warning: stdout has a line that is no JSON-RPC: {line!r}", file=sys.stderr)
        for what, _ in long_names(name, report.tools):
            print(f"warning: {what}", file=sys.stderr)
    for reference in plan.hidden:
        print(f"  {reference} is not in the file: {_source(client)}")


def _source(client: McpClient) -> str:
    if client.hides_secrets("user"):
        return f"{client.title} asks for it and keeps it"
    return f"it comes from the environment of {client.title}"
