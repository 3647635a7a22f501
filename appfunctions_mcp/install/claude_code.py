"""Claude Code: `~/.claude.json` for the user, `./.mcp.json` for a project.

With `CLAUDE_CONFIG_DIR` the user's file is in that folder (anthropics/claude-code#48448). It
holds much other state, which stays as it is. The program `claude` only verifies.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.asking import ask_program
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope
from appfunctions_mcp.install.config_file import ConfigFile
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import SHELL


class ClaudeCode(McpClient):
    """The command line program of Anthropic."""

    name = "claude-code"
    title = "Claude Code"
    scopes: tuple[Scope, ...] = ("user", "project")
    references = SHELL
    program = "claude"
    document = JsonDocument("mcpServers")

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The user's file, or the project's."""
        if scope == "project":
            return (ConfigPlace(machine.cwd / ".mcp.json", (machine.cwd,), "this project"),)
        usual = ConfigPlace(machine.home / ".claude.json", (machine.home,), "every project")
        folder = machine.folder("CLAUDE_CONFIG_DIR", machine.home)
        if folder == machine.home:
            return (usual,)
        moved = ConfigPlace(folder / ".claude.json", (machine.home, folder), "CLAUDE_CONFIG_DIR")
        return moved, replace(usual, is_read=False)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the program starts, as `claude mcp add` writes it."""
        return {
            "type": "stdio",
            "command": launch.command,
            "args": list(launch.args),
            "env": dict(launch.env),
        }

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere."""
        return {"type": "http", "url": address.url, **address.written(self.references)}

    @override
    def shadows(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """Entries of this name that win over one of this scope: local, then project."""
        try:
            local = tuple(self._find_local(machine, name))
        except InstallError as fault:
            return (f"whether another entry wins over it cannot be told: {fault}",)
        return local + super().shadows(machine, scope, name)

    def _find_local(self, machine: Machine, name: str) -> Iterator[str]:
        """An entry that this folder alone has, in the user's file."""
        place = self.config_places(machine, "user")[0]
        content = ConfigFile(place.path, place.roots, machine.home).read()
        projects = JsonDocument("projects").read_entries(content, place.path)
        project = projects.get(str(machine.cwd))
        servers = project.get("mcpServers") if isinstance(project, dict) else None
        if isinstance(servers, dict) and name in servers:
            yield (
                f"an entry {name!r} of this folder alone wins over it; remove that with: "
                f"claude mcp remove -s local {name}"
            )

    @override
    def verify(self, machine: Machine, name: str) -> str | None:
        """What `claude mcp get` says of the entry; None where the program is not on PATH."""
        return ask_program(machine, "claude", "mcp", "get", name)

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the program takes the entry up, and where its log is."""
        steps = ["start claude again (or type /mcp in a running one and reconnect)"]
        if scope == "project":
            steps.append("approve the project's server when claude asks; everybody has to, once")
        steps.append(f"if the server does not appear, start: claude --debug, or read /mcp, {name}")
        return tuple(steps)
