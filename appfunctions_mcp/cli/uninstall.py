"""`appfunctions-mcp uninstall`: takes a server out of an MCP client."""

import argparse
import os
import sys
from pathlib import Path

from appfunctions_mcp.cli.arguments import DEFAULT_FILES, find_file
from appfunctions_mcp.cli.client_arguments import lock_folder, read_words, require_closed
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.clients import CLIENT_NAMES, require_scope
from appfunctions_mcp.install.entry import is_ours
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.installation import (
    Removal,
    Target,
    find_targets,
    remove_entry,
)
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.metadata_xml import parse_metadata

USAGE = "[FILE] CLIENT"
SUMMARY = "Takes a server out of an MCP client: back to the file from before, or the entry alone."
EXAMPLE = "appfunctions-mcp uninstall claude-desktop --name notes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, CLIENT and the options."""
    add = parser.add_argument
    clients = "|".join(CLIENT_NAMES)
    add("words", nargs="*", metavar=USAGE, help=f"the metadata XML; {clients}")
    add("--name", help="the entry's name (default: the server's, or the only one of ours)")
    add("--scope", default="user", metavar="user|project", help="whose entry (default: user)")
    add("--force", action="store_true", help="another program's entry; while the client runs")


def run(args: argparse.Namespace) -> int:
    """Removes the entry; exit code 1 where there is none or it cannot be removed."""
    try:
        return _uninstall(args, Machine.here(os.environ))
    except InstallError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 1


def _uninstall(args: argparse.Namespace, machine: Machine) -> int:
    file, client = read_words(args.words)
    scope = require_scope(client, args.scope)
    targets = find_targets(client, machine, scope, lock_folder())
    name = args.name or _find_name(file, targets[0])
    require_closed(client, machine, force=args.force)
    # An entry may stand in a file that the client has stopped reading, too.
    twins = [target for target in targets[1:] if is_ours(target.entries().get(name))]
    used = targets[:1] if name in targets[0].entries() or not twins else []
    for target in (*used, *twins):
        _report(target, name, remove_entry(target, name, force=args.force))
    return 0


def _report(target: Target, name: str, done: Removal) -> None:
    title, path = target.client.title, target.file.path
    if done.restored is not None:
        print(f"{title}: {path} is as it was before {name!r} was installed")
    elif done.file_removed:
        print(f"{title}: removed {path}, which had nothing but {name!r}")
    else:
        print(f"{title}: removed {name!r} from {path} (before: {done.backup})")


def _find_name(file: str | None, target: Target) -> str:
    """The entry that is meant: FILE's, else the only one of ours."""
    entries = target.entries()
    if file is not None:
        return parse_metadata(find_file(file)).name
    ours = [name for name, entry in entries.items() if is_ours(entry)]
    if len(ours) == 1:
        return ours[0]
    if len(ours) > 1:
        for place in filter(lambda place: Path(place).is_file(), DEFAULT_FILES):
            name = parse_metadata(Path(place)).name
            if name in ours:
                return name
        raise SettingsError(f"{target.file.path} has {', '.join(ours)}; choose one with --name")
    raise InstallError(f"{target.file.path}: no server of this program; give one with --name")
