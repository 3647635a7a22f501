"""The commands install, uninstall and doctor, with a package that stands for the server."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.install.running import RunningApp
from tests.support.client_user import METADATA, TOKEN, User

pytestmark = pytest.mark.skipif(os.name != "posix", reason="HOME says where the user's files are")

ROOT = Path(__file__).parents[2]


def entries(path: Path) -> dict[str, Any]:
    servers: dict[str, Any] = json.loads(path.read_text())["mcpServers"]
    return servers


def test_install_writes_the_entry_and_says_what_to_do_next(user: User) -> None:
    code, out, err = user.install("claude-desktop")
    assert code == 0, err
    entry = entries(user.desktop)["notes"]
    assert entry == {
        "command": sys.executable,
        "args": ["-P", "-m", "appfunctions_mcp", "run", str(user.project / "app_metadata.xml")],
        "env": {"PYTHONPATH": str(user.home / "packages")},
    }
    assert f"wrote 'notes' into {user.desktop}" in out
    assert "tools: 1" in out
    assert "start it again" in out
    assert "mcp-server-notes.log" in out
    assert user.desktop.stat().st_mode & 0o777 == 0o600


def test_install_keeps_everything_else_and_is_undone_to_the_byte(user: User) -> None:
    before = b'\xef\xbb\xbf{\r\n\t"mcpServers": {"b": {"command": "x"}},\r\n\t"n": 1e2\r\n}'
    user.desktop.parent.mkdir(parents=True)
    user.desktop.write_bytes(before)
    assert user.install("claude-desktop", "--name", "mine")[0] == 0
    assert list(json.loads(user.desktop.read_text("utf-8-sig"))["mcpServers"]) == ["b", "mine"]
    code, out, _ = user.run("uninstall", "claude-desktop")
    assert (code, user.desktop.read_bytes()) == (0, before)
    assert "is as it was before 'mine' was installed" in out
    assert [path.name for path in user.desktop.parent.iterdir()] == [user.desktop.name]


def test_install_twice_is_nothing_to_do_and_another_entry_needs_force(user: User) -> None:
    user.install("claude-code")
    before = user.code.read_bytes()
    code, out, _ = user.install("claude-code")
    assert code == 0
    assert "nothing to do" in out
    code, _, err = user.install("claude-code", "--locale", "ru")
    assert code == 1
    assert "--force" in err
    assert user.code.read_bytes() == before
    assert user.install("claude-code", "--locale", "ru", "--force")[0] == 0
    assert entries(user.code)["notes"]["args"][-2:] == ["--locale", "ru"]


def test_a_dry_run_shows_a_diff_and_print_the_entry_and_both_write_nothing(user: User) -> None:
    user.code.write_text('{"a": 1}')
    code, out, _ = user.install("claude-code", "--dry-run")
    assert code == 0
    assert out.startswith(f"--- {user.code}\n+++ {user.code}\n@@")
    code, out, _ = user.install("claude-code", "--print")
    assert code == 0
    assert json.loads(out)["mcpServers"]["notes"]["type"] == "stdio"
    assert user.code.read_text() == '{"a": 1}'
    assert not user.desktop.exists()


def test_a_server_that_does_not_start_is_not_installed(user: User) -> None:
    """F105: the cause is shown, not a generic message."""
    code, out, err = user.install("claude-desktop", "--env", "BROKEN=1")
    assert code == 1
    assert "nothing was written" in err
    assert f"{user.project / 'app_metadata.xml'}:3: no module notes" in err
    assert out == ""
    assert not user.desktop.exists()


def test_install_and_uninstall_wait_for_the_app_to_be_closed(user: User) -> None:
    """Claude Desktop writes its file from memory and drops what was added meanwhile."""
    app = RunningApp(7, "claude-desktop", None, 4e9)
    user.processes.append(app)
    code, _, err = user.install("claude-desktop")
    assert code == 1
    assert "Claude Desktop is running (process 7)" in err
    assert not user.desktop.exists()
    code, _, err = user.install("claude-desktop", "--force")
    assert code == 0
    assert err.endswith("quit it now, then check with doctor\n")
    assert "note: Claude Desktop is running" in user.run("doctor", "claude-desktop")[2]
    assert user.run("uninstall", "claude-desktop")[0] == 1
    assert user.desktop.exists()
    assert user.install("claude-code")[0] == 0
    user.processes.clear()
    assert user.run("uninstall", "claude-desktop")[0] == 0


def test_a_faulty_file_is_refused_with_its_place(user: User) -> None:
    user.code.write_text('{\n  "a": 1,\n}\n')
    code, _, err = user.install("claude-code")
    assert code == 1
    assert err.startswith(f"{user.code}:2:9: trailing comma; remove it")
    assert user.code.read_text() == '{\n  "a": 1,\n}\n'


def test_what_will_trouble_clients_is_told_though_it_is_installed(user: User) -> None:
    """F14, and a line on stdout that ends strict clients' connections."""
    code, _, err = user.install("claude-code", "--env", "NOISY=1", "--name", "n" * 55)
    assert code == 0
    assert "warning: stdout has a line that is no JSON-RPC: 'loading'" in err
    assert "has 67 characters, clients hide a tool over 60" in err


def test_every_file_that_a_client_may_read_is_named(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(user.home / "work"))
    user.code.write_text("{}")
    code, _, err = user.install("claude-code")
    moved = user.home / "work" / ".claude.json"
    assert code == 0
    assert f"CLAUDE_CONFIG_DIR: {moved} (does not exist, used)" in err
    assert f"every project: {user.code} (exists, not used)" in err
    assert list(entries(moved)) == ["notes"]
    user.code.write_bytes(moved.read_bytes())
    assert user.run("doctor", "claude-code")[0] == 1
    assert user.run("uninstall", "claude-code")[0] == 0
    assert not moved.exists()
    assert not user.code.exists()


def test_metadata_without_modules_is_refused(user: User) -> None:
    file = user.project / "app_metadata.xml"
    file.write_text(file.read_text().replace('<mcp:functions module="notes" />', ""))
    code, _, err = user.install("claude-code")
    assert code == 2
    assert "give --module NAME" in err
    assert user.install("claude-code", "--module", "notes:my")[0] == 0
    assert entries(user.code)["notes"]["args"][-2:] == ["--module", "notes:my"]


def test_missing_settings_are_all_named(user: User) -> None:
    settings = TOKEN + '<mcp:setting name="HOST" required="true" />'
    user.project.joinpath("app_metadata.xml").write_text(METADATA.replace("SETTINGS", settings))
    code, _, err = user.install("claude-desktop")
    assert code == 2
    assert [line.split(": ", 1)[1].split(" ")[2] for line in err.splitlines()] == ["TOKEN", "HOST"]
    assert not user.desktop.exists()


def test_a_secret_goes_into_the_users_file_and_never_into_the_projects(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.project.joinpath("app_metadata.xml").write_text(METADATA.replace("SETTINGS", TOKEN))
    monkeypatch.setenv("TOKEN", "canary-1")
    code, out, err = user.install("claude-code", "--scope", "project")
    assert code == 0, err
    shared = (user.project / ".mcp.json").read_text()
    assert json.loads(shared)["mcpServers"]["notes"]["env"]["TOKEN"] == "${TOKEN}"
    assert "TOKEN is not in the file" in out
    assert user.install("claude-code")[0] == 0
    assert entries(user.code)["notes"]["env"]["TOKEN"] == "canary-1"
    assert not any("canary" in arg for arg in entries(user.code)["notes"]["args"])
    _, diff, _ = user.install("claude-desktop", "--dry-run")
    assert "canary" not in shared + out + diff


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["install"], "give CLIENT"),
        (["install", "cursorr"], "unknown client 'cursorr'"),
        (["install", "claude-code", "app.xml"], "'app.xml' is too much"),
        (["install", "gone.xml", "claude-code"], "gone.xml"),
        (["install", "claude-code", "--env", "X"], "--env X"),
        (["install", "claude-code", "--name", "a b"], "use --name a-b"),
        (["install", "claude-desktop", "--scope", "project"], "no scope 'project'"),
        (["install", "claude-desktop", "--url", "http://127.0.0.1:9/mcp"], "Connectors"),
        (["install", "claude-code", "--url", "http://127.0.0.1:9/mcp"], "--name"),
        (
            ["install", "claude-code", "--url", "http://127.0.0.1:9/mcp", "--env", "A=1"],
            "leave out --env",
        ),
        (["uninstall"], "give CLIENT"),
        (["doctor", "claude-code", "more"], "'more' is too much"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_right(
    user: User, words: list[str], what: str
) -> None:
    code, out, err = user.run(*words)
    assert (code, out) == (2, "")
    assert what in err


def test_an_address_is_installed_and_removed_by_its_name(user: User) -> None:
    code, _, err = user.run(
        "install", "claude-code", "--url", "http://127.0.0.1:9/mcp", "--name", "far"
    )
    assert code == 0, err
    assert entries(user.code) == {"far": {"type": "http", "url": "http://127.0.0.1:9/mcp"}}
    assert user.run("uninstall", "claude-code", "--name", "far")[0] == 0
    assert not user.code.exists()


def test_a_folder_named_like_a_client_is_not_the_file(user: User) -> None:
    (user.project / "claude-code").mkdir()
    assert user.install("claude-code", "--print")[0] == 0


def test_the_clients_own_program_confirms(user: User) -> None:
    program = user.home / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    assert "`claude mcp get notes` finds it" in user.install("claude-code")[1]


def test_uninstall_finds_the_only_server_of_ours(user: User) -> None:
    code, _, err = user.run("uninstall", "claude-code")
    assert code == 1
    assert "no server of this program" in err
    user.install("claude-code", "--name", "one")
    user.install("claude-code", "--name", "two")
    code, _, err = user.run("uninstall", "claude-code")
    assert code == 2
    assert "one, two" in err
    assert user.run("uninstall", "claude-code", "--name", "one")[0] == 0
    assert user.run("uninstall", "claude-code")[0] == 0


def test_uninstall_takes_the_name_from_the_metadata(user: User) -> None:
    user.install("claude-code")
    user.install("claude-code", "--name", "other")
    assert user.run("uninstall", "claude-code")[0] == 0
    assert list(entries(user.code)) == ["other"]
    code, _, err = user.run("uninstall", "app_metadata.xml", "claude-code")
    assert code == 1
    assert "no entry 'notes'; servers there: other" in err


def test_doctor_finds_nothing_wrong_with_what_install_wrote(user: User) -> None:
    user.install("claude-desktop")
    user.install("claude-code")
    code, out, err = user.run("doctor", "--json")
    report = json.loads(out)
    assert code == 0, err
    assert report["ok"]
    first, second, app = report["checked"]
    assert (first["client"], second["client"]) == ("claude-desktop", "claude-code")
    assert first["tools"] == ["create_note"]
    assert first["start_seconds"] < 10
    assert app["file"] == str(user.project / "app_metadata.xml")
    code, out, _ = user.run("doctor")
    assert code == 0
    assert out.startswith("ok  Claude Desktop, notes")


def test_doctor_names_what_is_wrong_and_how_to_mend_it(user: User) -> None:
    user.install("claude-desktop")
    moved = user.project / "moved.xml"
    (user.project / "app_metadata.xml").rename(moved)
    user.code.write_text("{,}")
    code, out, err = user.run("doctor")
    assert code == 1
    assert out.splitlines()[0].startswith("WRONG  Claude Desktop, notes")
    assert f"{user.project / 'app_metadata.xml'} is gone; " in err
    assert f"{user.code}:1:2: trailing comma" in err


def test_doctor_of_an_app_that_is_not_installed(user: User) -> None:
    code, _, err = user.run("doctor", "claude-code")
    assert code == 1
    assert "install it: appfunctions-mcp install FILE claude-code" in err
    user.install("claude-code")
    other = user.project / "other.xml"
    other.write_text(METADATA.replace("SETTINGS", ""))
    code, out, err = user.run("doctor", "other.xml", "claude-code")
    assert code == 1
    assert f"no server of {other} is installed" in err
    assert "Claude Code, notes" not in out


def test_doctor_finds_a_state_that_no_function_has_any_more(user: User) -> None:
    user.install("claude-code")
    state = user.home / "state.json"
    state.write_text('{"version": 1, "states": {"notes#delete_note": "disabled"}}')
    user.install("claude-code", "--state-file", str(state), "--force")
    code, _, err = user.run("doctor")
    assert code == 1
    assert "has 'notes#delete_note' disabled, and no module declares it" in err


def test_settings_are_asked_for_on_a_terminal_and_secrets_are_not_shown(user: User) -> None:
    """A required one, a secret one, and an optional one that is left out."""
    settings = TOKEN + (
        '<mcp:setting name="HOST" title="Host" description="Where the notes are." default="h" />'
    )
    user.project.joinpath("app_metadata.xml").write_text(METADATA.replace("SETTINGS", settings))
    terminal, inner = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "appfunctions_mcp", "install", "claude-code", "--print"],
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=inner,
        cwd=user.project,
        env={"HOME": str(user.home), "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    ) as process:
        os.close(inner)
        shown = read_until(terminal, b"Access token (TOKEN): ")
        os.write(terminal, b"canary-2\n")
        shown += read_until(terminal, b"Host (HOST, default h): ")
        os.write(terminal, b"\n")
        assert process.stdout is not None
        entry = json.loads(process.stdout.read())["mcpServers"]["notes"]
    os.close(terminal)
    assert process.returncode == 0
    assert entry["env"] == {"TOKEN": "canary-2"}
    assert b"Where the notes are." in shown
    assert b"canary" not in shown


def read_until(terminal: int, text: bytes) -> bytes:
    """What a terminal shows, up to a text."""
    shown = b""
    while text not in shown:
        shown += os.read(terminal, 1024)
    return shown


def test_on_a_terminal_a_finding_stands_below_its_server_and_its_fix_below_it(user: User) -> None:
    user.install("claude-code")
    user.code.write_text(user.code.read_text().replace(sys.executable, "/gone/venv/bin/python"))
    terminal, inner = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "appfunctions_mcp", "doctor", "claude-code"],
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner,
        cwd=user.project,
        env={"HOME": str(user.home), "PYTHONPATH": str(ROOT), "TERM": "dumb"},
    ) as process:
        os.close(inner)
        shown = read_until(terminal, b"--force\r\n").decode()
    os.close(terminal)
    assert process.returncode == 1
    first, error, fix = shown.splitlines()
    assert first == f"WRONG  Claude Code, notes ({user.code})"
    assert error.startswith("  error: the command /gone/venv/bin/python is gone")
    assert fix.startswith("    from where it is now: appfunctions-mcp install ")
