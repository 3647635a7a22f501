"""Where clients keep their servers, and what an entry of each looks like."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.addresses import Address
from appfunctions_mcp.install.claude_code import ClaudeCode
from appfunctions_mcp.install.claude_desktop import ClaudeDesktop, log_folder
from appfunctions_mcp.install.clients import CLIENT_NAMES, find_client, require_scope
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine

FILE = "claude_desktop_config.json"
LAUNCH = Launch("/python", ("-m", "appfunctions_mcp", "run", "/a.xml"), {"A": "1"})


def machine(platform: str, tmp_path: Path, **environ: str) -> Machine:
    return Machine(platform, environ, tmp_path, tmp_path / "project")


def desktop_paths(here: Machine) -> list[Path]:
    return [place.path for place in ClaudeDesktop().config_places(here, "user")]


def test_every_client_is_found_by_its_name() -> None:
    assert CLIENT_NAMES == (
        "claude-desktop",
        "claude-code",
        "codex",
        "gemini-cli",
        "vscode",
        "cursor",
        "windsurf",
        "copilot-cli",
    )
    assert [find_client(name).name for name in CLIENT_NAMES] == list(CLIENT_NAMES)


def test_an_unknown_client_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="claude-desktop, claude-code"):
        find_client("claude")


def test_a_scope_that_a_client_lacks_is_refused() -> None:
    assert require_scope(ClaudeCode(), "project") == "project"
    with pytest.raises(SettingsError, match="Claude Desktop has no scope 'project'"):
        require_scope(ClaudeDesktop(), "project")
    with pytest.raises(SettingsError, match="--scope user or --scope project"):
        require_scope(ClaudeCode(), "global")


def test_claude_desktop_on_macos(tmp_path: Path) -> None:
    here = machine("darwin", tmp_path)
    assert desktop_paths(here) == [tmp_path / "Library/Application Support/Claude" / FILE]
    assert log_folder(here) == tmp_path / "Library/Logs/Claude"
    steps = " ".join(ClaudeDesktop().next_steps(here, "user", "notes"))
    assert "Cmd+Q" in steps
    assert "mcp-server-notes.log" in steps


@pytest.mark.parametrize(
    ("value", "folder"),
    [(None, ".config"), ("", ".config"), ("relative", ".config"), ("{}/xdg", "xdg")],
)
def test_claude_desktop_on_linux_ignores_a_relative_folder(
    tmp_path: Path, value: str | None, folder: str
) -> None:
    environ = {} if value is None else {"XDG_CONFIG_HOME": value.format(tmp_path)}
    here = machine("linux", tmp_path, **environ)
    assert desktop_paths(here) == [tmp_path / folder / "Claude" / FILE]


def windows(tmp_path: Path) -> tuple[Machine, Path, Path]:
    local, roaming = tmp_path / "L", tmp_path / "R"
    here = machine("win32", tmp_path, LOCALAPPDATA=str(local), APPDATA=str(roaming))
    return here, local / "Packages", roaming / "Claude" / FILE


def packaged(packages: Path, name: str) -> Path:
    return packages / name / "LocalCache" / "Roaming" / "Claude" / FILE


def test_claude_desktop_on_windows_by_the_classic_installer(tmp_path: Path) -> None:
    here, packages, classic = windows(tmp_path)
    (packages / "Microsoft.Other_1").mkdir(parents=True)
    assert desktop_paths(here) == [classic]
    assert log_folder(here) == tmp_path / "R" / "Claude" / "logs"


def test_claude_desktop_from_the_store_reads_a_file_of_its_own(tmp_path: Path) -> None:
    """The Store app (MSIX) ignores the classic file even where only that one exists."""
    here, packages, classic = windows(tmp_path)
    (packages / "Claude_pzs8sxrjxfjjc").mkdir(parents=True)
    classic.parent.mkdir(parents=True)
    classic.write_text("{}")
    places = ClaudeDesktop().config_places(here, "user")
    assert [place.path for place in places] == [packaged(packages, "Claude_pzs8sxrjxfjjc"), classic]
    assert [place.is_read for place in places] == [True, False]
    assert log_folder(here) == tmp_path / "L" / "Claude" / "logs"


def test_an_existing_file_decides_between_several_packages(tmp_path: Path) -> None:
    here, packages, classic = windows(tmp_path)
    (packages / "Claude_aaa").mkdir(parents=True)
    existing = packaged(packages, "Claude_bbb")
    existing.parent.mkdir(parents=True)
    existing.write_text("{}")
    assert desktop_paths(here) == [existing, packaged(packages, "Claude_aaa"), classic]


def test_windows_folders_have_their_usual_places_without_variables(tmp_path: Path) -> None:
    here = machine("win32", tmp_path)
    assert desktop_paths(here) == [tmp_path / "AppData" / "Roaming" / "Claude" / FILE]


def test_claude_desktop_entries_have_no_type_and_no_empty_environment() -> None:
    client = ClaudeDesktop()
    assert client.stdio_entry(LAUNCH) == {
        "command": "/python",
        "args": ["-m", "appfunctions_mcp", "run", "/a.xml"],
        "env": {"A": "1"},
    }
    assert "env" not in client.stdio_entry(Launch("/python", ()))


def test_claude_desktop_refuses_an_address() -> None:
    with pytest.raises(SettingsError, match="Connectors"):
        ClaudeDesktop().url_entry(Address("https://example.com/mcp", "far"))


def test_claude_code_has_a_file_of_the_user_and_one_of_the_project(tmp_path: Path) -> None:
    here, client = machine("linux", tmp_path), ClaudeCode()
    assert [place.path for place in client.config_places(here, "user")] == [
        tmp_path / ".claude.json"
    ]
    (place,) = client.config_places(here, "project")
    assert place.path == tmp_path / "project" / ".mcp.json"
    assert place.roots == (tmp_path / "project",)


def test_claude_code_follows_its_own_variable(tmp_path: Path) -> None:
    """anthropics/claude-code#48448: with CLAUDE_CONFIG_DIR the user's file is in that folder."""
    here = machine("linux", tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "work"))
    places = ClaudeCode().config_places(here, "user")
    assert [place.path for place in places] == [
        tmp_path / "work" / ".claude.json",
        tmp_path / ".claude.json",
    ]
    assert [place.is_read for place in places] == [True, False]


def test_claude_code_entries_are_what_its_own_command_writes() -> None:
    client = ClaudeCode()
    assert client.stdio_entry(LAUNCH) == {
        "type": "stdio",
        "command": "/python",
        "args": ["-m", "appfunctions_mcp", "run", "/a.xml"],
        "env": {"A": "1"},
    }
    assert client.url_entry(Address("https://example.com/mcp", "far")) == {
        "type": "http",
        "url": "https://example.com/mcp",
    }


def test_entries_that_win_over_ours_are_found(tmp_path: Path) -> None:
    here, client = machine("linux", tmp_path), ClaudeCode()
    here.cwd.mkdir()
    assert client.shadows(here, "user", "notes") == ()
    projects: dict[str, Any] = {"projects": {str(here.cwd): {"mcpServers": {"notes": {}}}}}
    (tmp_path / ".claude.json").write_text(json.dumps(projects))
    (here.cwd / ".mcp.json").write_text('{"mcpServers": {"notes": {}}}')
    local, project = client.shadows(here, "user", "notes")
    assert "claude mcp remove -s local notes" in local
    assert "uninstall claude-code --scope project --name notes" in project
    assert client.shadows(here, "project", "notes") == (local,)
    assert client.shadows(here, "user", "other") == ()


def test_a_file_that_cannot_be_read_is_told_instead(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text("{,}")
    (told,) = ClaudeCode().shadows(machine("linux", tmp_path), "user", "notes")
    assert "cannot be told" in told


FAKE_CLAUDE = """#!/bin/sh
[ "$*" = "mcp get notes" ] && [ "$PWD" = "{cwd}" ] && exit 0
echo "No MCP server named $3" >&2
exit 1
"""


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for the program")
def test_the_clients_own_program_only_verifies(tmp_path: Path) -> None:
    here = machine("linux", tmp_path, PATH=str(tmp_path / "bin"))
    here.cwd.mkdir()
    assert ClaudeCode().verify(here, "notes") is None
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(FAKE_CLAUDE.format(cwd=here.cwd))
    program.chmod(0o755)
    assert ClaudeCode().verify(here, "notes") == "`claude mcp get notes` finds it"
    assert ClaudeCode().verify(here, "other") == (
        "`claude mcp get other` ended with 1: No MCP server named other"
    )
    program.write_text("not a script")
    assert "could not be started" in (ClaudeCode().verify(here, "notes") or "")


def test_what_a_desktop_client_passes_on(tmp_path: Path) -> None:
    here = machine("linux", tmp_path, USER="ann", SECRET="s", PATH="/x")
    assert here.client_environment() == {
        "HOME": str(tmp_path),
        "USER": "ann",
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
    }
    here = machine("win32", tmp_path, SYSTEMROOT="D:\\W", APPDATA="x", SECRET="s", SYSTEMDRIVE="D:")
    assert here.client_environment() == {
        "APPDATA": "x",
        "SYSTEMROOT": "D:\\W",
        "SYSTEMDRIVE": "D:",
        "PATH": "D:\\W\\System32;D:\\W",
    }
    assert str(here.client_folder()) == "D:\\"
