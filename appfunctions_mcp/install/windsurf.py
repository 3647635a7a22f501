"""Windsurf: one file of the user, `~/.codeium/windsurf/mcp_config.json`; strict JSON."""

from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope, without_empty
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import ENV


class Windsurf(McpClient):
    """The editor that was made by Codeium."""

    name = "windsurf"
    title = "Windsurf"
    scopes: tuple[Scope, ...] = ("user",)
    references = ENV
    document = JsonDocument("mcpServers")
    max_tools = 100

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The user's file."""
        path = machine.home / ".codeium" / "windsurf" / "mcp_config.json"
        return (ConfigPlace(path, (machine.home,)),)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the editor starts."""
        return without_empty(
            {"command": launch.command, "args": list(launch.args), "env": dict(launch.env)}
        )

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere."""
        return {"serverUrl": address.url, **address.written(self.references)}

    @override
    def faults(self, content: bytes | None, name: str, entry: Any) -> tuple[tuple[str, str], ...]:
        """Whether the entry is switched off."""
        if isinstance(entry, dict) and entry.get("disabled") is True:
            return ((f'{name!r} has "disabled": true', "switch it on in Windsurf's list"),)
        return ()

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the editor takes the entry up."""
        return (
            f"open Cascade's list of MCP servers, press refresh and look for {name}",
            "Windsurf takes at most 100 tools of all servers together",
        )
