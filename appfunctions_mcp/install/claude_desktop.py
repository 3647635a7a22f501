"""Claude Desktop: one JSON file, in a place that depends on how the app was installed.

On Windows the app from the Store (MSIX) reads a file of its own and ignores the classic one,
which its button "Edit config" may still open.
"""

from pathlib import Path
from typing import Any

from typing_extensions import override

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.clients import ConfigPlace, McpClient, Scope, without_empty
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.machine import Machine
from appfunctions_mcp.install.references import NOTHING
from appfunctions_mcp.install.running import RunningApp, find_claude_desktop

FILE_NAME = "claude_desktop_config.json"


class ClaudeDesktop(McpClient):
    """The desktop app of Anthropic."""

    name = "claude-desktop"
    title = "Claude Desktop"
    scopes: tuple[Scope, ...] = ("user",)
    references = NOTHING
    takes_addresses = False
    document = JsonDocument("mcpServers")

    @override
    def config_places(self, machine: Machine, scope: Scope) -> tuple[ConfigPlace, ...]:
        """Every file that the app may read here; the first is the one that is written."""
        if machine.platform == "darwin":
            folder = machine.home / "Library" / "Application Support" / "Claude"
            return (ConfigPlace(folder / FILE_NAME, (machine.home,)),)
        if machine.is_windows:
            return _windows_places(machine)
        config_home = machine.folder("XDG_CONFIG_HOME", machine.home / ".config")
        return (ConfigPlace(config_home / "Claude" / FILE_NAME, (machine.home, config_home)),)

    @override
    def stdio_entry(self, launch: Launch) -> dict[str, Any]:
        """The entry of a server that the app starts."""
        return without_empty(
            {"command": launch.command, "args": list(launch.args), "env": dict(launch.env)}
        )

    @override
    def url_entry(self, address: Address) -> dict[str, Any]:
        """Refuses: the app takes no address in its file."""
        raise SettingsError(
            f"Claude Desktop takes no --url in its file, {address.url} would make it fail; add the "
            "address in the app under Settings, Connectors, or leave --url out"
        )

    @override
    def running(self, machine: Machine) -> tuple[RunningApp, ...]:
        """The running app, which keeps its file in memory and writes it again."""
        return find_claude_desktop(machine.platform)

    @override
    def next_steps(self, machine: Machine, scope: Scope, name: str) -> tuple[str, ...]:
        """How to restart the app, and where its log is."""
        quit_app = {
            "darwin": "quit Claude Desktop with Cmd+Q (closing its window is not enough)",
            "win32": "quit Claude Desktop from its icon beside the clock (right click, Quit)",
        }.get(machine.platform, "quit Claude Desktop from its tray icon or its menu")
        return (
            f"{quit_app}, and start it again",
            f"if the server does not appear, read {log_folder(machine) / f'mcp-server-{name}.log'}",
            f"check the entry with: appfunctions-mcp doctor {self.name}",
        )


def log_folder(machine: Machine) -> Path:
    """The folder of the app's logs; a server's own is its stderr."""
    if machine.platform == "darwin":
        return machine.home / "Library" / "Logs" / "Claude"
    if machine.is_windows:
        local, roaming = _windows_folders(machine)
        return (local if _package_folders(local) else roaming) / "Claude" / "logs"
    return machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "Claude" / "logs"


def _windows_places(machine: Machine) -> tuple[ConfigPlace, ...]:
    """The Store app's files first, those that exist before the others; then the classic one."""
    local, roaming = _windows_folders(machine)
    packaged = [
        package / "LocalCache" / "Roaming" / "Claude" / FILE_NAME
        for package in _package_folders(local)
    ]
    packaged.sort(key=lambda path: not path.is_file())
    roots = (machine.home, local, roaming)
    places = [
        ConfigPlace(path, roots, "app from the Store (MSIX)", is_read=index == 0)
        for index, path in enumerate(packaged)
    ]
    classic = roaming / "Claude" / FILE_NAME
    places.append(ConfigPlace(classic, roots, "classic installer", is_read=not packaged))
    return tuple(places)


def _windows_folders(machine: Machine) -> tuple[Path, Path]:
    """The folders of local and of roaming application data."""
    folder = machine.home / "AppData"
    return machine.folder("LOCALAPPDATA", folder / "Local"), machine.folder(
        "APPDATA", folder / "Roaming"
    )


def _package_folders(local: Path) -> list[Path]:
    """The folders of the Store app, in a stable order."""
    return sorted(path for path in (local / "Packages").glob("Claude_*") if path.is_dir())
