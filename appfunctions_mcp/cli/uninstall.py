"""`appfunctions-mcp uninstall`: takes a server out of an MCP client."""

import argparse
import os
import sys
from pathlib import Path

from appfunctions_mcp.cli.arguments import DEFAULT_FILES, find_file
from appfunctions_mcp.cli.client_arguments import (
    for_each,
    lock_folder,
    note_address,
    read_clients,
    remembered_addresses,
    require_closed,
)
from appfunctions_mcp.exceptions import SettingsError, StateFileError
from appfunctions_mcp.install.clients import CLIENT_NAMES, McpClient, require_scope
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.installation import (
    Removal,
    Target,
    find_targets,
    remove_entry,
)
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.metadata_xml import parse_metadata

USAGE = "[FILE] [CLIENT]"
SUMMARY = "Takes a server out of an MCP client: back to the file from before, or the entry alone."
EXAMPLE = "appfunctions-mcp uninstall claude-desktop --name notes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, CLIENT and the options."""
    add = parser.add_argument
    clients = "|".join(CLIENT_NAMES)
    add("words", nargs="*", metavar=USAGE, help=f"the metadata XML; {clients}")
    add("--all", action="store_true", help="every client here that has it, instead of CLIENT")
    add("--name", help="the entry's name (default: the server's, or the only one of ours)")
    add("--scope", default="user", metavar="user|project", help="whose entry (default: user)")
    add("--force", action="store_true", help="another program's entry; while the client runs")


def run(args: argparse.Namespace) -> int:
    """Removes the entry; exit code 1 where there is none or it cannot be removed."""
    machine = Machine.here(os.environ)
    try:
        file, clients = read_clients(args.words, machine, args.scope, everywhere=args.all)
        if args.all:
            clients = [each for each in clients if _has_entry(args, file, each, machine)]
    except InstallError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 1
    if not clients:
        print("no client here has a server of this program; nothing to do")

    def remove(client: McpClient) -> None:
        # Two clients may share a project's file; what is gone already needs nothing more.
        if not args.all or _has_entry(args, file, client, machine):
            _uninstall(args, file, client, machine)

    return for_each(clients, remove)


def _has_entry(
    args: argparse.Namespace, file: str | None, client: McpClient, machine: Machine
) -> bool:
    """Whether a client has the entry that is meant; a file that cannot be read may have it."""
    targets = find_targets(client, machine, require_scope(client, args.scope), lock_folder())
    name = args.name or (parse_metadata(find_file(file)).name if file else None)
    try:
        return any(name in target.entries() if name else _ours(target) for target in targets)
    except InstallError:
        return True


def _uninstall(
    args: argparse.Namespace, file: str | None, client: McpClient, machine: Machine
) -> None:
    targets = find_targets(client, machine, require_scope(client, args.scope), lock_folder())
    name = args.name or _find_name(args, file, targets)
    require_closed(client, machine, force=args.force)
    # An entry may stand in a file that the client has stopped reading, too.
    twins = [target for target in targets[1:] if name in _ours(target)]
    used = targets[:1] if name in targets[0].entries() or not twins else []
    for target in (*used, *twins):
        _report(target, name, remove_entry(target, name, force=args.force))
        note_address(target.file.path, name, None)


def _report(target: Target, name: str, done: Removal) -> None:
    title, path = target.client.title, target.file.path
    if done.restored is not None:
        print(f"{title}: {path} is as it was before {name!r} was installed")
    elif done.file_removed:
        print(f"{title}: removed {path}, which had nothing but {name!r}")
    else:
        print(f"{title}: removed {name!r} from {path} (before: {done.backup})")


def _ours(target: Target) -> list[str]:
    """The entries of a file that this program has written."""
    try:
        return remembered_addresses().ours(target.file.path, target.entries())
    except StateFileError as fault:
        raise InstallError(f"{fault}; or name the entry with --name") from fault


def _find_name(args: argparse.Namespace, file: str | None, targets: list[Target]) -> str:
    """The entry that is meant: FILE's, else the only one of ours."""
    if file is not None:
        return parse_metadata(find_file(file)).name
    ours = list(dict.fromkeys(name for target in targets for name in _ours(target)))
    if len(ours) == 1:
        return ours[0]
    path = targets[0].file.path
    if len(ours) > 1:
        for place in filter(lambda place: Path(place).is_file(), DEFAULT_FILES):
            name = parse_metadata(Path(place)).name
            if name in ours:
                return name
        # With --all the words are right for the other clients, which go on.
        kind = InstallError if args.all else SettingsError
        raise kind(f"{path} has {', '.join(ours)}; choose one with --name")
    raise InstallError(f"{path}: no server of this program; give one with --name")
