"""Claude Code: `~/.claude.json` for the user, `./.mcp.json` for a project.

With `CLAUDE_CONFIG_DIR` the user's file is in that folder (anthropics/claude-code#48448). It
holds much other state, which stays as it is. The program `claude` only verifies.
"""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from typing_extensions import override

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope
from appfunctions_mcp.install.config_file import ConfigFile
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.running import RunningApp

VERIFY_TIMEOUT_SECONDS = 15.0


class ClaudeCode(McpClient):
    """The command line program of Anthropic."""

    name = "claude-code"
    title = "Claude Code"
    scopes: tuple[Scope, ...] = ("user", "project")
    expands_variables = True
    document = JsonDocument("mcpServers")

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

    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the program starts, as `claude mcp add` writes it."""
        return {
            "type": "stdio",
            "command": launch.command,
            "args": list(launch.args),
            "env": dict(launch.env),
        }

    def url_entry(self, url: str) -> dict[str, Any]:
        """The entry of a server that runs elsewhere.

        Raises:
            SettingsError: The address is none of http or https, or holds a password.
        """
        return {"type": "http", "url": require_url(url)}

    @override
    def running(self, machine: Machine) -> tuple[RunningApp, ...]:
        """None: the program reads its file again before it writes it."""
        return ()

    def shadows(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """Entries of this name that win over one of this scope: local, then project."""
        try:
            return tuple(self._find_shadows(machine, scope, name))
        except InstallError as fault:
            return (f"whether another entry wins over it cannot be told: {fault}",)

    def _find_shadows(self, machine: Machine, scope: Scope, name: str) -> Iterator[str]:
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
        if scope == "project":
            return
        shared = self.config_places(machine, "project")[0]
        content = ConfigFile(shared.path, shared.roots, machine.home).read()
        if name in self.document.read_entries(content, shared.path):
            yield (
                f"the entry {name!r} in {shared.path} wins over it in this folder; remove that "
                f"with: appfunctions-mcp uninstall claude-code --scope project --name {name}"
            )

    def verify(self, machine: Machine, name: str) -> str | None:
        """What `claude mcp get` says of the entry; None where the program is not on PATH."""
        program = shutil.which("claude", path=machine.environ.get("PATH", ""))
        if program is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - a program from PATH, no shell, a checked name
                [program, "mcp", "get", name],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=VERIFY_TIMEOUT_SECONDS,
                cwd=machine.cwd,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"`claude mcp get {name}` gave no answer in {VERIFY_TIMEOUT_SECONDS:.0f} s"
        except OSError as error:
            return f"`claude mcp get {name}` could not be started: {error.strerror or error}"
        if done.returncode == 0:
            return f"`claude mcp get {name}` finds it"
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        return f"`claude mcp get {name}` ended with {done.returncode}: {' '.join(said[:2])}"

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How the program takes the entry up, and where its log is."""
        steps = ["start claude again (or type /mcp in a running one and reconnect)"]
        if scope == "project":
            steps.append("approve the project's server when claude asks; everybody has to, once")
        steps.append(f"if the server does not appear, start: claude --debug, or read /mcp, {name}")
        return tuple(steps)


def require_url(url: str) -> str:
    """The address of a server, if an entry may hold it.

    Raises:
        SettingsError: It is none of http or https, has no host, or holds a password.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise SettingsError(f"--url {url!r}: {error}; write --url https://HOST/mcp") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise SettingsError(f"--url {url!r}: no address of http or https; write https://HOST/mcp")
    if parts.username or parts.password:
        raise SettingsError(
            f"--url: the address of {host} holds a user name or a password; leave it out"
        )
    return url
