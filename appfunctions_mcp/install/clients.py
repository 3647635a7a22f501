"""The clients that a server can be put into, by name.

A client is one module with one class; what differs between clients is behind `McpClient`, so
that installing, removing and checking are written once.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.config_file import ConfigFile
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import ReferenceStyle
from appfunctions_mcp.install.running import RunningApp

Scope = Literal["user", "project"]

_CLIENT_CLASSES = {
    "claude-desktop": ("appfunctions_mcp.install.claude_desktop", "ClaudeDesktop"),
    "claude-code": ("appfunctions_mcp.install.claude_code", "ClaudeCode"),
    "codex": ("appfunctions_mcp.install.codex", "Codex"),
    "gemini-cli": ("appfunctions_mcp.install.gemini_cli", "GeminiCli"),
    "vscode": ("appfunctions_mcp.install.vscode", "VisualStudioCode"),
    "cursor": ("appfunctions_mcp.install.cursor", "Cursor"),
    "windsurf": ("appfunctions_mcp.install.windsurf", "Windsurf"),
    "copilot-cli": ("appfunctions_mcp.install.copilot_cli", "CopilotCli"),
}
CLIENT_NAMES = tuple(_CLIENT_CLASSES)


class ConfigDocument(Protocol):
    """The format of a configuration file; edits one entry and leaves every other byte."""

    def read_entries(self, content: bytes | None, path: Path) -> dict[str, Any]:
        """The server entries by name."""

    def with_entry(self, content: bytes | None, path: Path, name: str, entry: Any) -> bytes:
        """The document with this entry put in or replaced."""

    def without_entry(self, content: bytes | None, path: Path, name: str) -> bytes:
        """The document without this entry."""

    def snippet(self, name: str, entry: Any) -> str:
        """A document of this entry alone, to be copied by hand."""


@dataclass(frozen=True, slots=True)
class ConfigPlace:
    """A file that a client may keep its servers in."""

    path: Path
    roots: tuple[Path, ...]
    """The folders that a symbolic link may lead to."""
    label: str = ""
    """Whose file it is, where there are several."""
    is_read: bool = True
    """Whether the client that is installed here reads it."""


class McpClient(Protocol):
    """One MCP client: where its files are, and what an entry looks like."""

    name: str
    title: str
    scopes: tuple[Scope, ...]
    references: ReferenceStyle
    """How an entry refers to what is not in the file."""
    document: ConfigDocument
    program: str | None = None
    """The client's own command, where it has one that lies on PATH."""
    takes_addresses: bool = True
    """Whether an entry may be the address of a server that runs elsewhere."""
    max_tools: int | None = None
    """How many tools of all servers together it takes, where it has a limit."""
    start_seconds: float = 60.0
    """How long it waits for a server that starts."""

    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """Every file that may hold its servers; the first is the one that is written."""

    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the client starts."""

    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere; an error where the client takes none."""

    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """What the user has to do now, and where the client keeps its log."""

    def hides_secrets(self, scope: Scope) -> bool:
        """Whether secrets stay out of the file, so that an entry only refers to them."""
        return scope == "project"

    def is_installed(self, machine: Machine) -> bool:
        """Whether the client has left a trace on this machine."""
        if self.program is not None and machine.find_program(self.program) is not None:
            return True
        places = self.config_places(machine, "user")
        own_folders = [place.path.parent for place in places if place.path.parent != machine.home]
        return any(place.path.is_file() for place in places) or any(map(Path.is_dir, own_folders))

    def running(self, machine: Machine) -> tuple[RunningApp, ...]:  # noqa: ARG002 - what most clients say
        """Running processes that would overwrite an edited file; most clients read it again."""
        return ()

    def shadows(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """Entries of the same name that the client prefers, in words: a project's over yours."""
        if scope == "project" or "project" not in self.scopes:
            return ()
        shared = self.config_places(machine, "project")[0]
        if shared.path == self.config_places(machine, "user")[0].path:
            return ()
        try:
            content = ConfigFile(shared.path, shared.roots, machine.home).read()
            entries = self.document.read_entries(content, shared.path)
        except InstallError as fault:
            return (f"whether another entry wins over it cannot be told: {fault}",)
        if name not in entries:
            return ()
        what = f"the entry {name!r} in {shared.path} wins over it in this folder"
        remove = f"appfunctions-mcp uninstall {self.name} --scope project --name {name}"
        return (f"{what}; remove that with: {remove}",)

    def faults(self, content: bytes | None, name: str, entry: Any) -> tuple[tuple[str, str], ...]:  # noqa: ARG002 - what most clients say
        """What in the client's file keeps an entry from being used: what it is, and its fix."""
        return ()

    def verify(self, machine: Machine, name: str) -> str | None:  # noqa: ARG002 - what most clients say
        """What the client's own program says of the entry; None where it cannot be asked."""
        return None


def find_client(name: str) -> McpClient:
    """The client of this name.

    Raises:
        SettingsError: There is none; the message lists them.
    """
    if name not in _CLIENT_CLASSES:
        raise SettingsError(f"unknown client {name!r}; clients are {', '.join(CLIENT_NAMES)}")
    module, class_name = _CLIENT_CLASSES[name]
    client: McpClient = getattr(importlib.import_module(module), class_name)()
    return client


def find_installed(machine: Machine, scope: str) -> list[McpClient]:
    """The clients that are on this machine and have the scope."""
    clients = map(find_client, CLIENT_NAMES)
    return [each for each in clients if scope in each.scopes and each.is_installed(machine)]


def require_scope(client: McpClient, scope: str) -> Scope:
    """The scope, if the client has it.

    Raises:
        SettingsError: It has not.
    """
    for known in client.scopes:
        if known == scope:
            return known
    raise SettingsError(
        f"{client.title} has no scope {scope!r}; use --scope {' or --scope '.join(client.scopes)}"
    )


def without_empty(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry without an empty environment, as clients themselves write it."""
    return {key: value for key, value in entry.items() if key != "env" or value}
