"""What install, uninstall and doctor have in common: a client, its files, a server's options."""

import sys
from pathlib import Path
from typing import Any

from appfunctions_mcp.cli.arguments import split_file
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.clients import CLIENT_NAMES, McpClient, find_client
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.machine import Machine
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
        raise SettingsError(f"give CLIENT, one of {', '.join(CLIENT_NAMES)}")
    client = find_client(rest[0])
    if len(rest) > 1:
        raise SettingsError(f"{rest[1]!r} is too much; give [FILE] CLIENT, FILE first")
    return file, client


def lock_folder() -> Path:
    """The folder of lock files, one for each configuration file that was ever edited."""
    return state_folder() / "locks"


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
