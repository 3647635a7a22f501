"""Visual Studio Code: `mcp.json` of the user's default profile, `.vscode/mcp.json` of a project.

Its servers are under `servers`, and a secret is an entry of `inputs`: the editor asks for it once
and keeps it where it keeps secrets. The Insiders edition has a folder of its own.
"""

from pathlib import Path
from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope, without_empty
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import INPUT
from appfunctions_mcp.install.vscode_document import VisualStudioCodeDocument

_EDITIONS = {"Code": "Visual Studio Code", "Code - Insiders": "the Insiders edition"}


class VisualStudioCode(McpClient):
    """The editor of Microsoft, whose agent is Copilot."""

    name = "vscode"
    title = "Visual Studio Code"
    scopes: tuple[Scope, ...] = ("user", "project")
    references = INPUT
    document = VisualStudioCodeDocument()
    max_tools = 128

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The project's file; or those of the editions, the ones that are here first."""
        if scope == "project":
            path = machine.cwd / ".vscode" / "mcp.json"
            return (ConfigPlace(path, (machine.cwd,), "this project"),)
        folder = _settings_folder(machine)
        places = [
            ConfigPlace(folder / edition / "User" / "mcp.json", (machine.home, folder), label)
            for edition, label in _EDITIONS.items()
        ]
        here = [place for place in places if (folder / place.path.parts[-3]).is_dir()]
        return tuple(here or places[:1])

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the editor starts."""
        entry = {"command": launch.command, "args": list(launch.args), "env": dict(launch.env)}
        return without_empty({"type": "stdio", **entry})

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere."""
        return {"type": "http", "url": address.url, **address.written(self.references)}

    @override
    def hides_secrets(self, scope: Scope) -> bool:
        """Always: the editor asks for them and keeps them itself."""
        return True

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the editor takes the entry up, and where its log is."""
        steps = ["run the command 'MCP: List Servers' and start the server there, trusting it"]
        if scope == "user":
            steps.append("another profile than the default one has a file of its own: use --print")
        steps.append(
            "an agent of Copilot that runs outside the editor gets no server that asks for a "
            "secret: install it into copilot-cli as well"
        )
        return *steps, f"if it does not start, choose Show Output for {name} in that list"


def _settings_folder(machine: Machine) -> Path:
    """The folder that each edition has its own folder in."""
    if machine.platform == "darwin":
        return machine.home / "Library" / "Application Support"
    if machine.is_windows:
        return machine.folder("APPDATA", machine.home / "AppData" / "Roaming")
    return machine.folder("XDG_CONFIG_HOME", machine.home / ".config")
