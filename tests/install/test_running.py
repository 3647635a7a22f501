"""Whether Claude Desktop is running."""

import os

import pytest

from appfunctions_mcp.install.running import RunningApp, find_claude_desktop, is_claude_desktop

MAC = "/Applications/Claude.app/Contents/MacOS/Claude"
STORE = r"C:\Program Files\WindowsApps\Claude_1.2_x64__pzs8sxrjxfjjc\app\Claude.exe"
CLASSIC = r"C:\Users\ann\AppData\Local\AnthropicClaude\app-1.2\claude.exe"


@pytest.mark.parametrize(
    ("platform", "name", "program", "expected"),
    [
        ("darwin", "Claude", MAC, True),
        ("darwin", "Claude", None, True),
        ("darwin", "Claude Helper (Renderer)", MAC, False),
        ("darwin", "claude", "/Users/ann/.local/bin/claude", False),
        ("win32", "Claude.exe", STORE, True),
        ("win32", "claude.exe", CLASSIC, True),
        ("win32", "claude.exe", None, True),
        ("win32", "claude.exe", r"C:\Users\ann\.local\bin\claude.exe", False),
        (
            "win32",
            "claude.exe",
            r"C:\Users\ann\AppData\Roaming\Claude\claude-code\2\claude.exe",
            False,
        ),
        ("win32", "python.exe", None, False),
        ("linux", "claude-desktop", "/usr/lib/claude-desktop/electron", True),
        ("linux", "electron", "/usr/lib/claude-desktop/electron", True),
        ("linux", "claude", "/usr/bin/claude", False),
    ],
)
def test_the_app_is_told_from_claude_code(
    platform: str, name: str, program: str | None, expected: bool
) -> None:
    assert is_claude_desktop(platform, RunningApp(1, name, program, 0.0)) == expected


def test_the_processes_of_this_machine_can_be_looked_at() -> None:
    processes = find_claude_desktop("linux")
    assert all(app.pid != os.getpid() for app in processes)


def test_the_app_is_found_among_given_processes() -> None:
    app = RunningApp(7, "Claude", MAC, 1.0)
    assert find_claude_desktop("darwin", [RunningApp(1, "launchd", None, 0.0), app]) == (app,)
