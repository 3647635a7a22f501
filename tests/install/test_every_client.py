"""The commands with each client, and with all of them at once."""

import json
import os
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.install import asking
from appfunctions_mcp.install.clients import CLIENT_NAMES, find_client, find_installed
from appfunctions_mcp.install.machine import Machine
from tests.support.client_user import TOKEN, User

pytestmark = pytest.mark.skipif(os.name != "posix", reason="HOME says where the user's files are")

FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
    "vscode": ".config/Code/User/mcp.json",
    "cursor": ".cursor/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "copilot-cli": ".copilot/mcp-config.json",
}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
    "vscode": ".vscode/mcp.json",
    "cursor": ".cursor/mcp.json",
    "copilot-cli": ".mcp.json",
}
ADDRESS = ["--url", "http://127.0.0.1:9/mcp", "--name", "far"]


def give_clients(user: User) -> None:
    """Makes the folder of every client, and Claude Code's file."""
    for file in FILES.values():
        (user.home / file).parent.mkdir(parents=True, exist_ok=True)
    user.code.write_text("{}")


@pytest.mark.parametrize("client", CLIENT_NAMES)
def test_a_server_is_installed_checked_and_removed(user: User, client: str) -> None:
    code, out, err = user.install(client)
    assert code == 0, err
    file = user.home / FILES[client]
    assert f"wrote 'notes' into {file}" in out
    assert "tools: 1" in out
    assert sys.executable in file.read_text()
    code, out, err = user.run("doctor", client)
    assert code == 0, err
    assert out.startswith("ok  ")
    assert "tools: 1" in out
    code, out, err = user.run("uninstall", client)
    assert code == 0, err
    assert not file.exists()


@pytest.mark.parametrize("client", PROJECT_FILES)
def test_a_secret_is_in_no_file_of_a_project(
    user: User, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    user.give_settings(TOKEN)
    monkeypatch.setenv("TOKEN", "canary-1")
    code, out, err = user.install(client, "--scope", "project")
    assert code == 0, err
    text = (user.project / PROJECT_FILES[client]).read_text()
    assert "TOKEN" in text
    assert "TOKEN is not in the file" in out
    assert "canary" not in text + out + err
    code, out, _ = user.install(client, "--scope", "project")
    assert code == 0
    assert "nothing to do" in out
    assert user.run("doctor", client)[0] == 0
    monkeypatch.delenv("TOKEN")
    _, out, err = user.run("doctor", client)
    assert "it was not started: " in err
    assert "supplies TOKEN, which is not set here" in err
    assert out.startswith("ok  ")


def test_the_editor_asks_for_a_secret_itself(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Visual Studio Code keeps it in its own store, the user's file has none."""
    user.give_settings(TOKEN)
    monkeypatch.setenv("TOKEN", "canary-2")
    code, out, err = user.install("vscode")
    assert code == 0, err
    written = json.loads((user.home / FILES["vscode"]).read_text())
    assert written["servers"]["notes"]["env"]["TOKEN"] == "${input:notes-TOKEN}"
    (question,) = written["inputs"]
    assert (question["id"], question["password"]) == ("notes-TOKEN", True)
    assert "Visual Studio Code asks for it and keeps it" in out


def test_a_diff_and_a_copy_are_in_the_clients_own_format(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.give_settings(TOKEN)
    monkeypatch.setenv("TOKEN", "canary-3")
    code, out, _ = user.install("codex", "--dry-run")
    assert code == 0
    assert "+[mcp_servers.notes]" in out
    assert '+TOKEN = "***"' in out
    code, out, _ = user.install("codex", "--print")
    assert code == 0
    assert 'TOKEN = "canary-3"' in out
    assert not (user.home / ".codex").exists()


def test_all_clients_that_are_here_are_served_at_once(user: User) -> None:
    give_clients(user)
    before = {name: (user.home / file).exists() for name, file in FILES.items()}
    code, out, err = user.install("--all", "--dry-run")
    assert code == 0, err
    assert out.count("+++ ") == 8
    code, out, err = user.install("--all")
    assert code == 0, err
    assert out.count("wrote 'notes'") == 8
    code, out, err = user.run("doctor")
    assert code == 0, err
    assert out.count("ok  ") == 9
    code, out, err = user.run("uninstall", "--all")
    assert code == 0, err
    assert {name: (user.home / file).exists() for name, file in FILES.items()} == before
    assert user.code.read_text() == "{}"
    code, out, _ = user.run("uninstall", "--all")
    assert (code, out) == (0, "no client here has a server of this program; nothing to do\n")


def test_one_client_that_refuses_does_not_hinder_the_others(user: User) -> None:
    give_clients(user)
    (user.home / FILES["cursor"]).write_text("{,}")
    (user.home / FILES["codex"]).write_text("a = \n")
    code, out, err = user.install("app_metadata.xml", "--all")
    assert code == 1
    assert out.count("wrote 'notes'") == 6
    assert f"{user.home / FILES['cursor']}:1:2: trailing comma" in err
    assert f"{user.home / FILES['codex']}: no TOML" in err
    assert err.endswith("2 of 8 clients refused: Codex, Cursor; see above\n")
    code, out, err = user.run("uninstall", "app_metadata.xml", "--all")
    assert code == 1
    assert f"{user.home / FILES['cursor']}:1:2: trailing comma" in err
    assert (user.home / FILES["cursor"]).read_text() == "{,}"
    assert not (user.home / FILES["gemini-cli"]).exists()


def test_an_address_goes_into_every_client_that_takes_one(user: User) -> None:
    give_clients(user)
    code, out, err = user.run("install", "--all", *ADDRESS)
    assert code == 0, err
    assert out.count("wrote 'far'") == 7
    assert not user.desktop.exists()
    assert user.run("uninstall", "--all", "--name", "far")[0] == 0
    assert not (user.home / FILES["codex"]).exists()


def test_a_project_has_the_clients_that_know_projects(user: User) -> None:
    give_clients(user)
    code, _, err = user.install("--all", "--scope", "project")
    assert code == 0, err
    assert {file for file in PROJECT_FILES.values() if (user.project / file).is_file()} == set(
        PROJECT_FILES.values()
    )
    entry = json.loads((user.project / ".mcp.json").read_text())["mcpServers"]["notes"]
    assert entry["tools"] == ["*"]
    assert not (user.home / FILES["cursor"]).exists()
    code, _, err = user.run("uninstall", "--all", "--scope", "project")
    assert code == 0, err
    assert not any((user.project / file).exists() for file in PROJECT_FILES.values())


def test_a_value_that_a_client_would_replace_is_told(user: User) -> None:
    """A password with a dollar sign would reach the server as another one."""
    code, _, err = user.install("gemini-cli", "--env", "GREETING=pa$word", "--dry-run")
    assert code == 0
    assert "Gemini CLI replaces references such as ${NAME} in the value of GREETING" in err
    assert user.install("claude-code", "--env", "GREETING=pa$word", "--dry-run")[2].count("\n") == 1
    code, _, err = user.install("claude-code", "--env", "GREETING=${X:-y}", "--dry-run")
    assert "in the value of GREETING" in err


def test_wrong_words_beside_all_are_refused(user: User) -> None:
    code, _, err = user.run("install", "--all", "codex")
    assert code == 2
    assert "leave CLIENT out" in err
    code, _, err = user.run("install", "app_metadata.xml", "codex", "--all")
    assert code == 2
    code, _, err = user.install("--all")
    assert code == 1
    assert "no client with the scope 'user' is found here" in err
    assert user.run("uninstall", "--all")[0] == 1


def test_two_servers_in_one_client_do_not_hinder_taking_out_of_the_others(user: User) -> None:
    give_clients(user)
    assert user.install("--all", "--name", "one")[0] == 0
    assert user.install("codex", "--name", "two")[0] == 0
    code, out, err = user.run("uninstall", "--all")
    assert code == 1
    assert "has one, two; choose one with --name" in err
    assert "1 of 8 clients refused: Codex" in err
    assert out.count("'one'") == 7


def test_clients_are_found_by_their_folder_or_by_their_program(user: User) -> None:
    machine = Machine("linux", {"PATH": str(user.home / "bin")}, user.home, user.project)
    assert find_installed(machine, "user") == []
    program = user.home / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (user.home / ".cursor").mkdir()
    found = [client.name for client in find_installed(machine, "user")]
    assert found == ["codex", "cursor"]
    (user.home / ".codeium" / "windsurf").mkdir(parents=True)
    assert [client.name for client in find_installed(machine, "project")] == ["codex", "cursor"]


def test_a_program_in_the_current_folder_is_not_the_clients(user: User) -> None:
    """Anybody may have put it there."""
    program = user.project / "codex"
    program.write_text("#!/bin/sh\necho found\n")
    program.chmod(0o755)
    for path in (str(user.project), ".", "", f"{user.project}:."):
        machine = Machine("linux", {"PATH": path}, user.home, user.project)
        assert machine.find_program("codex") is None
        assert find_client("codex").verify(machine, "notes") is None
    elsewhere = Machine("linux", {"PATH": f".:{user.project}"}, user.home, user.home)
    assert elsewhere.find_program("codex") == str(program)
    assert find_client("codex").verify(elsewhere, "notes") == "`codex mcp get notes` finds it"


def test_on_windows_a_program_is_found_by_its_ending(user: User) -> None:
    """The folder of npm has `codex.cmd`, and a `codex` without ending that Windows cannot start."""
    programs = user.home / "bin"
    programs.mkdir()
    here = {"PATH": str(programs), "PATHEXT": ".EXE;.CMD"}
    windows = Machine("win32", here, user.home, user.project)
    (programs / "codex").write_text("#!/bin/sh\n")
    assert windows.find_program("codex") is None
    (programs / "codex.CMD").write_text("")
    assert windows.find_program("codex") == str(programs / "codex.CMD")
    assert Machine("win32", here, user.home, programs).find_program("codex") is None
    safe = windows.program_environment()
    assert (safe["PATH"], safe["NoDefaultCurrentDirectoryInExePath"]) == (str(programs), "1")


def test_what_a_clients_program_starts_is_not_in_the_current_folder(user: User) -> None:
    """The programs from npm are scripts that start `node` by its name."""
    program, planted = user.home / "bin" / "codex", user.project / "node"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nnode || exit 3\n")
    planted.write_text(f"#!/bin/sh\necho planted >{user.home / 'planted'}\n")
    for file in (program, planted):
        file.chmod(0o755)
    path = f"{program.parent}:.:{user.project}"
    machine = Machine("linux", {"PATH": path}, user.home, user.project)
    assert "ended with 3" in (find_client("codex").verify(machine, "notes") or "")
    assert not (user.home / "planted").exists()


@pytest.mark.parametrize(
    ("client", "old", "new", "what"),
    [
        ("codex", "[mcp_servers.notes.env]", "enabled = false\n[mcp_servers.notes.env]", "enabled"),
        ("windsurf", '"command"', '"disabled": true, "command"', "disabled"),
        ("copilot-cli", '"*"', "", "empty list of tools"),
        ("gemini-cli", "{\n", '{"mcp": {"excluded": ["notes"], "allowed": []},\n', "mcp.excluded"),
        ("gemini-cli", "{\n", '\ufeff{"mcp": {"allowed": ["a"]},\n', "byte order mark"),
    ],
)
def test_doctor_finds_what_keeps_a_client_from_using_an_entry(
    user: User, client: str, old: str, new: str, what: str
) -> None:
    assert user.install(client)[0] == 0
    file = user.home / FILES[client]
    file.write_text(file.read_text().replace(old, new, 1), encoding="utf-8")
    code, out, err = user.run("doctor", client)
    assert code == 1
    assert out.startswith("WRONG  ")
    assert what in err


def test_an_entry_changes_from_a_program_to_an_address_and_back(user: User) -> None:
    assert user.install("codex", "--name", "far")[0] == 0
    file = user.home / FILES["codex"]
    text = file.read_text().replace("args", 'startup_timeout_sec = 30\ncwd = "/"\nargs', 1)
    file.write_text(text)
    assert user.run("install", "codex", *ADDRESS, "--force")[0] == 0
    assert file.read_text() == (
        '[mcp_servers.far]\nurl = "http://127.0.0.1:9/mcp"\nstartup_timeout_sec = 30\n'
    )
    assert user.install("codex", "--name", "far", "--force")[0] == 0
    after = file.read_text()
    assert "startup_timeout_sec = 30" in after
    assert "url" not in after


def test_places_of_other_platforms_and_of_variables(tmp_path: Path) -> None:
    home = tmp_path
    windows = Machine("win32", {"APPDATA": str(tmp_path / "R")}, home, tmp_path)
    mac = Machine("darwin", {}, home, tmp_path)
    editor = find_client("vscode")
    assert [place.path for place in editor.config_places(windows, "user")] == [
        tmp_path / "R" / "Code" / "User" / "mcp.json"
    ]
    support = home / "Library" / "Application Support"
    (support / "Code - Insiders").mkdir(parents=True)
    assert [place.path for place in editor.config_places(mac, "user")] == [
        support / "Code - Insiders" / "User" / "mcp.json"
    ]
    moved = Machine(
        "linux",
        {name: str(tmp_path / name) for name in ("CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME")},
        home,
        tmp_path,
    )
    paths = {
        name: find_client(name).config_places(moved, "user")[0].path
        for name in ("codex", "gemini-cli", "copilot-cli")
    }
    assert paths == {
        "codex": tmp_path / "CODEX_HOME" / "config.toml",
        "gemini-cli": tmp_path / "GEMINI_CLI_HOME" / ".gemini" / "settings.json",
        "copilot-cli": tmp_path / "COPILOT_HOME" / "mcp-config.json",
    }


def test_copilot_reads_the_folder_of_github_where_there_is_no_other_file(tmp_path: Path) -> None:
    here = Machine("linux", {}, tmp_path / "home", tmp_path)
    hosted = tmp_path / ".github" / "mcp.json"
    hosted.parent.mkdir()
    hosted.write_text("{}")
    copilot = find_client("copilot-cli")
    assert [place.path for place in copilot.config_places(here, "project")] == [hosted]
    (tmp_path / ".mcp.json").write_text("{}")
    places = copilot.config_places(here, "project")
    assert [(place.path.name, place.is_read) for place in places] == [
        (".mcp.json", True),
        ("mcp.json", False),
    ]


@pytest.mark.parametrize("client", CLIENT_NAMES)
def test_every_client_says_what_to_do_next(tmp_path: Path, client: str) -> None:
    here = Machine("linux", {}, tmp_path, tmp_path)
    for scope in find_client(client).scopes:
        steps = find_client(client).next_steps(here, scope, "notes")
        assert len(steps) >= 2
        assert all(step and not step.endswith(".") for step in steps)


def test_a_program_that_says_nothing_useful_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Machine("linux", {"PATH": str(tmp_path / "bin")}, tmp_path, tmp_path)
    program = tmp_path / "bin" / "gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'other: /x (stdio)' >&2\n")
    program.chmod(0o755)
    gemini = find_client("gemini-cli")
    assert gemini.verify(here, "notes") == "`gemini mcp list` does not name it"
    assert gemini.verify(here, "other") == "`gemini mcp list` finds it"
    monkeypatch.setattr(asking, "VERIFY_TIMEOUT_SECONDS", 0.2)
    program.write_text("#!/bin/sh\nexec /bin/sleep 30\n")
    assert "gave no answer in" in (gemini.verify(here, "notes") or "")


@pytest.mark.parametrize("client", ["codex", "gemini-cli", "vscode", "cursor", "copilot-cli"])
def test_an_entry_of_a_project_that_wins_over_yours_is_told(user: User, client: str) -> None:
    assert user.install(client)[0] == 0
    assert user.run("doctor", client)[2] == ""
    assert user.install(client, "--scope", "project")[0] == 0
    code, out, err = user.run("doctor", client)
    assert code == 0
    assert out.count("ok  ") == 3
    shared = user.project / PROJECT_FILES[client]
    assert f"the entry 'notes' in {shared} wins over it in this folder" in err
    shared.write_text("{,}")
    assert "cannot be told" in user.run("doctor", client)[2]


def test_in_the_home_folder_an_entry_is_checked_once(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the user's file is the project's as well."""
    assert user.install("codex")[0] == 0
    monkeypatch.chdir(user.home)
    code, out, err = user.run("doctor", "codex")
    assert (code, err) == (0, "")
    assert out.count("Codex, notes") == 1
