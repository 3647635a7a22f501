"""Putting an entry into a client's file and taking it out again."""

import json
from pathlib import Path

import pytest

from appfunctions_mcp.install.claude_code import ClaudeCode
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.installation import Installation, Target, find_target, remove_entry
from appfunctions_mcp.install.machine import Machine

BEFORE = """{
  "numStartups": 12,
  "mcpServers": {
    "files": {"type": "stdio", "command": "npx", "args": ["files"]}
  },
  "projects": {"/work": {"history": [1.0, 2e3]}}
}
"""


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """Claude Code's file of a user who has one server already."""
    here = Machine("linux", {}, tmp_path / "home", tmp_path / "project")
    here.home.mkdir()
    (here.home / ".claude.json").write_text(BEFORE)
    return find_target(ClaudeCode(), here, "user", tmp_path / "locks")


def install(target: Target, name: str = "notes", file: str = "/a.xml", **options: bool) -> None:
    launch = Launch("/venv/bin/python", ("-m", "appfunctions_mcp", "run", file))
    Installation(target, name, target.client.stdio_entry(launch), **options).write()


def files_beside(target: Target) -> list[str]:
    return sorted(path.name for path in target.file.path.parent.iterdir())


def test_only_the_entry_is_added(target: Target) -> None:
    install(target)
    after = target.file.path.read_text()
    added = after.replace(BEFORE[: BEFORE.index("\n  },\n")], "", 1)
    assert added.startswith(',\n    "notes": {\n      "type": "stdio",\n')
    assert after.endswith(BEFORE[BEFORE.index("\n  },\n") :])
    assert [backup.read_text() for backup in target.file.backups()] == [BEFORE]


def test_the_same_entry_again_is_nothing_to_do(target: Target) -> None:
    install(target)
    backups = target.file.backups()
    install(target)
    assert target.file.backups() == backups


def test_another_entry_is_replaced_only_by_force(target: Target) -> None:
    install(target)
    before = target.file.path.read_bytes()
    with pytest.raises(InstallError, match=r"another entry 'notes' \(of this program\)"):
        install(target, file="/b.xml")
    with pytest.raises(InstallError, match=r"another entry 'files' \(of another program\)"):
        install(target, "files")
    assert target.file.path.read_bytes() == before
    install(target, file="/b.xml", force=True)
    assert target.entries()["notes"]["args"][-1] == "/b.xml"


def test_variables_that_are_not_given_keep_their_values(target: Target) -> None:
    launch = Launch("/p", ("-m", "appfunctions_mcp", "run", "/a.xml"), {"A": "1", "B": "1"})
    entry = target.client.stdio_entry(launch)
    Installation(target, "notes", entry).write()
    newer = target.client.stdio_entry(Launch("/p", launch.args, {"B": "2"}))
    Installation(target, "notes", newer, force=True).write()
    assert target.entries()["notes"]["env"] == {"A": "1", "B": "2"}


def test_the_diff_is_the_change_and_writes_nothing(target: Target) -> None:
    launch = Launch("/p", ("run",), {"TOKEN": "secret", "PIN": "1234"})
    installation = Installation(target, "notes", target.client.stdio_entry(launch))
    diff = installation.diff(frozenset({"PIN"}))
    assert '+    "notes": {' in diff
    assert "secret" not in diff
    assert "1234" not in diff
    assert target.file.path.read_text() == BEFORE
    assert files_beside(target) == [".claude.json"]


def test_removal_restores_the_bytes_from_before(target: Target) -> None:
    install(target)
    done = remove_entry(target, "notes")
    assert done.restored is not None
    assert target.file.path.read_text() == BEFORE
    assert files_beside(target) == [".claude.json"]


def test_removal_after_an_update_goes_back_behind_both(target: Target) -> None:
    install(target)
    install(target, file="/b.xml", force=True)
    assert remove_entry(target, "notes").restored is not None
    assert target.file.path.read_text() == BEFORE


def test_removal_gives_back_an_entry_that_was_replaced_by_force(target: Target) -> None:
    install(target, "files", force=True)
    remove_entry(target, "files")
    assert target.file.path.read_text() == BEFORE


def test_removal_takes_out_only_the_entry_where_more_has_changed(target: Target) -> None:
    """A client rewrites its file; what it wrote stays."""
    install(target)
    content = json.loads(target.file.path.read_text())
    content["numStartups"] = 13
    rewritten = json.dumps(content)
    target.file.path.write_text(rewritten)
    done = remove_entry(target, "notes")
    assert done.restored is None
    assert done.backup is not None
    assert done.backup.read_text() == rewritten
    del content["mcpServers"]["notes"]
    assert target.file.path.read_text() == json.dumps(content)


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_two_servers_leave_in_any_order(target: Target, order: tuple[str, str]) -> None:
    install(target, "a")
    install(target, "b")
    for name in order:
        remove_entry(target, name)
    assert target.file.path.read_text() == BEFORE


def test_a_file_that_was_made_for_the_entry_goes_with_it(target: Target) -> None:
    target.file.path.unlink()
    install(target)
    done = remove_entry(target, "notes")
    assert done.file_removed
    assert files_beside(target) == []


def test_what_is_not_there_cannot_be_removed(target: Target) -> None:
    with pytest.raises(InstallError, match="no entry 'notes'; servers there: files"):
        remove_entry(target, "notes")
    target.file.path.unlink()
    with pytest.raises(InstallError, match="servers there: none"):
        remove_entry(target, "notes")


def test_another_programs_entry_is_removed_only_by_force(target: Target) -> None:
    with pytest.raises(InstallError, match="starts another program"):
        remove_entry(target, "files")
    remove_entry(target, "files", force=True)
    assert target.entries() == {}


def test_a_backup_that_is_damaged_is_passed_over(target: Target) -> None:
    install(target)
    (backup,) = target.file.backups()
    backup.write_text("{,}")
    done = remove_entry(target, "notes")
    assert done.restored is None
    assert target.file.path.read_text() == BEFORE


def test_a_faulty_file_is_left_as_it_is(target: Target) -> None:
    faulty = BEFORE.replace("12,\n", "12,,\n")
    target.file.path.write_text(faulty)
    with pytest.raises(InstallError, match=r"\.claude\.json:2:21: "):
        install(target)
    assert target.file.path.read_text() == faulty
    assert files_beside(target) == [".claude.json"]
