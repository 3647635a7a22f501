"""Copilot CLI: `~/.copilot/mcp-config.json` for the user, `.mcp.json` for a project.

With `COPILOT_HOME` the user's file is in that folder. A project's `.mcp.json` is Claude Code's
file as well, so an entry is written that both read; `.github/mcp.json` is read where there is no
`.mcp.json` (seen with version 1.0.102).
"""

from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.asking import ask_program
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.json_comments import JSONC
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import BRACES

_ALL_TOOLS = ["*"]


class CopilotCli(McpClient):
    """The command line program of GitHub."""

    name = "copilot-cli"
    title = "Copilot CLI"
    scopes: tuple[Scope, ...] = ("user", "project")
    references = BRACES
    document = JsonDocument("mcpServers", JSONC)
    program = "copilot"
    max_tools = 128

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The user's file; or the project's, the one that is read first."""
        if scope == "user":
            folder = machine.folder("COPILOT_HOME", machine.home / ".copilot")
            roots = (machine.home, folder)
            return (ConfigPlace(folder / "mcp-config.json", roots, "every project"),)
        shared = ConfigPlace(machine.cwd / ".mcp.json", (machine.cwd,), "this project")
        hosted_path = machine.cwd / ".github" / "mcp.json"
        if not hosted_path.is_file():
            return (shared,)
        is_read = not shared.path.is_file()
        hosted = ConfigPlace(hosted_path, (machine.cwd,), "this project's .github", is_read)
        return (hosted,) if is_read else (shared, hosted)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the program starts; `local` is another word for `stdio`."""
        return {
            "type": "stdio",
            "command": launch.command,
            "args": list(launch.args),
            "env": dict(launch.env),
            "tools": _ALL_TOOLS,
        }

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere."""
        headers = address.written(self.references)
        return {"type": "http", "url": address.url, **headers, "tools": _ALL_TOOLS}

    @override
    def faults(self, content: bytes | None, name: str, entry: Any) -> tuple[tuple[str, str], ...]:
        """Whether the entry lets no tool through."""
        if isinstance(entry, dict) and entry.get("tools") == []:
            return ((f"{name!r} has an empty list of tools", 'write "tools": ["*"]'),)
        return ()

    @override
    def verify(self, machine: Machine, name: str) -> str | None:
        """What `copilot mcp get` says of the entry."""
        return ask_program(machine, "copilot", "mcp", "get", name)

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the program takes the entry up."""
        steps = ["start copilot again (or type /mcp in a running one)"]
        if scope == "project":
            steps.append("trust this folder when copilot asks; else its file is not read")
        return *steps, f"if the server does not appear, type /mcp show {name}"
