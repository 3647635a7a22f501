"""Tells whether Claude Desktop is running, which rewrites its file and drops what we add.

The program `claude` of Claude Code has nearly the same process name and is told apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass

_CODE_FOLDERS = ("claude-code", "node_modules", "/.local/bin/", "/.claude/")


@dataclass(frozen=True, slots=True)
class RunningApp:
    """A running process of a client."""

    pid: int
    name: str
    program: str | None
    """The path of the executable; None where the system does not tell."""
    started: float
    """Seconds since the epoch."""


def is_claude_desktop(platform: str, app: RunningApp) -> bool:
    """Whether a process is Claude Desktop's own."""
    program = (app.program or "").replace("\\", "/").lower()
    if any(folder in program for folder in _CODE_FOLDERS):
        return False
    if platform == "darwin":
        return app.name == "Claude" and (not program or "/claude.app/" in program)
    if platform == "win32":
        return app.name.lower() == "claude.exe"
    return app.name == "claude-desktop" or "/claude-desktop/" in program


def find_claude_desktop(
    platform: str, processes: Iterable[RunningApp] | None = None
) -> tuple[RunningApp, ...]:
    """The processes of Claude Desktop among those of this machine."""
    candidates = _processes() if processes is None else processes
    return tuple(app for app in candidates if is_claude_desktop(platform, app))


def _processes() -> Iterable[RunningApp]:
    """Every process that the system lets us see."""
    import psutil

    for process in psutil.process_iter(["pid", "name", "exe", "create_time"]):
        seen = process.info
        yield RunningApp(
            pid=seen["pid"],
            name=seen["name"] or "",
            program=seen["exe"] or None,
            started=seen["create_time"] or 0.0,
        )
