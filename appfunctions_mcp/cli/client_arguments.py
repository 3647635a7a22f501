"""What install, uninstall and doctor have in common: a client, its files, a server's options."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from appfunctions_mcp.cli.arguments import split_file
from appfunctions_mcp.exceptions import SettingsError, StateFileError
from appfunctions_mcp.install.clients import (
    CLIENT_NAMES,
    McpClient,
    find_client,
    find_installed,
    require_scope,
)
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.remembered import RememberedAddresses
from appfunctions_mcp.places import state_folder
from appfunctions_mcp.settings import Settings


def read_words(words: list[str]) -> tuple[str | None, McpClient]:
    """FILE, if it was given, and the client.

    Raises:
        SettingsError: There is no client, an unknown one, or more words than that.
    """
    # A folder may have a client's name; alone it is the client that is meant.
    file, rest = (None, words) if len(words) == 1 else split_file(words)
    if not rest:
        raise SettingsError(f"give CLIENT, one of {', '.join(CLIENT_NAMES)}, or --all")
    client = find_client(rest[0])
    if len(rest) > 1:
        raise SettingsError(f"{rest[1]!r} is too much; give [FILE] CLIENT, FILE first")
    return file, client


def read_clients(
    words: list[str], machine: Machine, scope: str, *, everywhere: bool
) -> tuple[str | None, list[McpClient]]:
    """FILE, if it was given, and the clients: the one that is named, or all that are here.

    Raises:
        SettingsError: A client is named and `everywhere` is given, or neither.
        InstallError: No client is here.
    """
    if not everywhere:
        file, client = read_words(words)
        require_scope(client, scope)
        return file, [client]
    if len(words) > 1 or words in [[name] for name in CLIENT_NAMES]:
        raise SettingsError("--all stands for every client that is here: leave CLIENT out")
    clients = find_installed(machine, scope)
    if not clients:
        raise InstallError(
            f"no client with the scope {scope!r} is found here; name one of "
            f"{', '.join(CLIENT_NAMES)}"
        )
    return (words[0] if words else None), clients


def for_each(clients: list[McpClient], act: Callable[[McpClient], None]) -> int:
    """Does the same for every client, of which one that refuses does not hinder the others.

    Returns:
        The exit code: 1 where one refuses, 2 where the words are wrong for all of them.

    Raises:
        SettingsError: The words are wrong for the only client.
    """
    refused: list[str] = []
    told: set[str] = set()
    misused = 0
    for number, client in enumerate(clients):
        if number and sys.stdout.isatty():
            print()
        try:
            act(client)
        except (InstallError, SettingsError) as fault:
            if len(clients) == 1 and isinstance(fault, SettingsError):
                raise
            refused.append(client.title)
            misused += isinstance(fault, SettingsError)
            for line in filter(lambda line: line not in told, fault.faults):
                print(line, file=sys.stderr)
            told.update(fault.faults)
    if refused and misused == len(clients):
        return 2
    if refused and len(clients) > 1:
        what = f"{len(refused)} of {len(clients)} clients refused"
        print(f"{what}: {', '.join(refused)}; see above", file=sys.stderr)
    return 1 if refused else 0


def lock_folder() -> Path:
    """The folder of lock files, one for each configuration file that was ever edited."""
    return state_folder() / "locks"


def remembered_addresses() -> RememberedAddresses:
    """The addresses that were installed, for this user."""
    return RememberedAddresses(state_folder() / "installed-addresses.json")


def note_address(config: Path, name: str, entry: Any) -> None:
    """Remembers what has become of an entry; where that cannot be kept, says what is lost."""
    try:
        remembered_addresses().note(config, name, entry)
    except (StateFileError, OSError) as fault:
        what = "doctor and uninstall will need --name for it"
        print(f"warning: {name!r} cannot be remembered ({fault}); {what}", file=sys.stderr)


def server_options(options: Settings) -> list[str]:
    """The options of `run` that the entry carries, files absolute."""
    pairs: list[tuple[str, Any]] = [("--module", module) for module in options.module]
    pairs += [
        ("--locale", options.locale),
        ("--resources", options.resources),
        ("--state-file", options.state_file),
    ]
    return [word for name, value in pairs if value is not None for word in (name, str(value))]


def require_closed(client: McpClient, machine: Machine, *, force: bool) -> None:
    """Refuses while the client runs, which would drop the entry when it writes its file."""
    apps = client.running(machine)
    if not apps:
        return
    what = f"{client.title} is running (process {apps[0].pid}) and overwrites its file"
    if not force:
        raise InstallError(f"{what}; quit it completely and repeat, or write now with --force")
    print(f"warning: {what}: quit it now, then check with doctor", file=sys.stderr)
