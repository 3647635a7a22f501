"""Cursor: `~/.cursor/mcp.json` for the user, `.cursor/mcp.json` for a project."""

from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope, without_empty
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.json_comments import JSONC
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import ENV


class Cursor(McpClient):
    """The editor of Anysphere."""

    name = "cursor"
    title = "Cursor"
    scopes: tuple[Scope, ...] = ("user", "project")
    references = ENV
    document = JsonDocument("mcpServers", JSONC)
    max_tools = 40

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The user's file, or the project's."""
        root = machine.cwd if scope == "project" else machine.home
        label = "this project" if scope == "project" else "every project"
        return (ConfigPlace(root / ".cursor" / "mcp.json", (root,), label),)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the editor starts."""
        return without_empty(
            {"command": launch.command, "args": list(launch.args), "env": dict(launch.env)}
        )

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere."""
        return {"url": address.url, **address.written(self.references)}

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the editor takes the entry up, and where its log is."""
        return (
            f"open Cursor's settings, MCP, and switch {name} on",
            "if it does not start, read the output panel under MCP Logs",
        )
