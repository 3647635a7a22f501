"""Gemini CLI: `~/.gemini/settings.json` for the user, `.gemini/settings.json` for a project.

The file may have comments, no trailing commas and no byte order mark. With `GEMINI_CLI_HOME` the
folder `.gemini` is in that folder instead of the home.
"""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.asking import ask_program
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope, without_empty
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.json_comments import COMMENTED
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import DOLLAR

_LISTS = JsonDocument("mcp", COMMENTED)


class GeminiCli(McpClient):
    """The command line program of Google."""

    name = "gemini-cli"
    title = "Gemini CLI"
    scopes: tuple[Scope, ...] = ("user", "project")
    references = DOLLAR
    document = JsonDocument("mcpServers", COMMENTED)
    program = "gemini"

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The user's file, or the project's."""
        if scope == "project":
            path = machine.cwd / ".gemini" / "settings.json"
            return (ConfigPlace(path, (machine.cwd,), "this project"),)
        home = machine.folder("GEMINI_CLI_HOME", machine.home)
        path = home / ".gemini" / "settings.json"
        return (ConfigPlace(path, (machine.home, home), "every project"),)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the program starts, as `gemini mcp add` writes it."""
        return without_empty(
            {"command": launch.command, "args": list(launch.args), "env": dict(launch.env)}
        )

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere, as `gemini mcp add` writes it."""
        return {"url": address.url, "type": "http", **address.written(self.references)}

    @override
    def faults(self, content: bytes | None, name: str, entry: Any) -> tuple[tuple[str, str], ...]:
        """Whether the program reads the file, and whether its lists let the entry through."""
        return tuple(_faults(content, name))

    @override
    def verify(self, machine: Machine, name: str) -> str | None:
        """Whether `gemini mcp list` names the entry."""
        return ask_program(machine, "gemini", "mcp", "list", says=f"{name}: ")

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the program takes the entry up."""
        return (
            "start gemini again (or type /mcp refresh in a running one)",
            "in a folder that you have not trusted, gemini starts no server at all",
            f"if the server does not appear, type /mcp in gemini and look for {name}",
        )


def _faults(content: bytes | None, name: str) -> Iterator[tuple[str, str]]:
    if content is not None and content.startswith(codecs.BOM_UTF8):
        yield (
            "the file begins with a byte order mark, and Gemini CLI cannot read it",
            "save it as UTF-8 without one",
        )
    lists = _LISTS.read_entries(content, Path("settings.json"))
    if name in _names(lists.get("excluded")):
        yield f"mcp.excluded names {name!r}", "take the name out of that list"
    allowed = _names(lists.get("allowed"))
    if "allowed" in lists and name not in allowed:
        yield f"mcp.allowed does not name {name!r}", "add the name to that list"


def _names(listed: Any) -> list[Any]:
    return listed if isinstance(listed, list) else []
