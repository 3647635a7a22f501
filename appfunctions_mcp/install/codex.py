"""Codex: `~/.codex/config.toml` for the user, `.codex/config.toml` for a trusted project.

The command line program, its extension for editors and ChatGPT's desktop app read the same file.
With `CODEX_HOME` the user's file is in that folder. An entry has no references: `env_vars` names
what Codex passes on from its own environment.
"""

from typing import Any

from typing_extensions import override

from appfunctions_mcp.install.addresses import (
    Address,
    bearer_variable,
    has_variables,
    whole_variable,
)
from appfunctions_mcp.install.asking import ask_program
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope, without_empty
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import NOTHING
from appfunctions_mcp.install.toml_document import TomlDocument


class Codex(McpClient):
    """The coding agent of OpenAI."""

    name = "codex"
    title = "Codex"
    scopes: tuple[Scope, ...] = ("user", "project")
    references = NOTHING
    document = TomlDocument("mcp_servers")
    program = "codex"
    start_seconds = 10.0

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """The user's file, or the project's."""
        if scope == "project":
            path = machine.cwd / ".codex" / "config.toml"
            return (ConfigPlace(path, (machine.cwd,), "this project"),)
        folder = machine.folder("CODEX_HOME", machine.home / ".codex")
        return (ConfigPlace(folder / "config.toml", (machine.home, folder), "every project"),)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the program starts, as `codex mcp add` writes it."""
        entry = {"command": launch.command, "args": list(launch.args), "env": dict(launch.env)}
        if launch.inherited:
            entry["env_vars"] = list(launch.inherited)
        return without_empty(entry)

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """The entry of a server that runs elsewhere; variables are named, never referred to.

        Raises:
            InstallError: A header has a variable among other text, which Codex cannot put there.
        """
        entry: dict[str, Any] = {"url": address.url}
        for name, value in address.headers.items():
            if bearer := bearer_variable(name, value):
                entry["bearer_token_env_var"] = bearer
            elif variable := whole_variable(value):
                entry.setdefault("env_http_headers", {})[name] = variable
            elif has_variables(value):
                raise InstallError(
                    f"Codex takes a variable as the whole value of a header, or after 'Bearer '; "
                    f"the header {name} has more: keep all of it in one variable"
                )
            else:
                entry.setdefault("http_headers", {})[name] = value
        return entry

    @override
    def faults(self, content: bytes | None, name: str, entry: Any) -> tuple[tuple[str, str], ...]:
        """Whether the entry is switched off."""
        if isinstance(entry, dict) and entry.get("enabled") is False:
            return ((f"{name!r} has enabled = false", "remove that line from the entry"),)
        return ()

    @override
    def verify(self, machine: Machine, name: str) -> str | None:
        """What `codex mcp get` says of the entry."""
        return ask_program(machine, "codex", "mcp", "get", name)

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the program takes the entry up."""
        steps = ["start codex again, or restart the editor's extension"]
        if scope == "project":
            steps.append("start codex in this folder and trust it; else its file is not read")
        return *steps, f"if the server does not appear, type /mcp in codex and look for {name}"
