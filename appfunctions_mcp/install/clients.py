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
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.running import RunningApp

Scope = Literal["user", "project"]

_CLIENT_CLASSES = {
    "claude-desktop": ("appfunctions_mcp.install.claude_desktop", "ClaudeDesktop"),
    "claude-code": ("appfunctions_mcp.install.claude_code", "ClaudeCode"),
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
    expands_variables: bool
    """Whether the client replaces `${NAME}` in an entry."""
    document: ConfigDocument

    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """Every file that may hold its servers; the first is the one that is written."""

    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the client starts."""

    def url_entry(self, url: str) -> dict[str, Any]:
        """The entry of a server that runs elsewhere; SettingsError where there is none."""

    def running(self, machine: Machine) -> tuple[RunningApp, ...]:
        """Running processes that would overwrite an edited file."""

    def shadows(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """Entries of the same name that the client prefers, in words."""

    def verify(self, machine: Machine, name: str) -> str | None:
        """What the client's own program says of the entry; None where it cannot be asked."""

    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """What the user has to do now, and where the client keeps its log."""


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
