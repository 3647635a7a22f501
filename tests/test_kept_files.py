"""Files that are kept between runs: locked, atomic, private, versioned."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_state_path

from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.kept_files import KeptFile, make_private_folder
from appfunctions_mcp.places import data_folder, state_file, state_folder


def kept(path: Path, version: int = 1) -> KeptFile:
    return KeptFile(path, kind="test file", version=version)


def put(file: KeptFile, **members: Any) -> None:
    def change(content: dict[str, Any]) -> bool:
        content.update(members)
        return True

    file.update(change)


def test_a_missing_file_reads_as_nothing(tmp_path: Path) -> None:
    file = kept(tmp_path / "a" / "b.json")

    assert file.stamp() is None
    assert file.read() == (None, {})
    assert not (tmp_path / "a").exists()


def test_a_change_is_read_back_with_the_version(tmp_path: Path) -> None:
    file = kept(tmp_path / "a.json")

    put(file, x=[1, "ü", None])

    stamp, content = kept(tmp_path / "a.json").read()
    assert content == {"version": 1, "x": [1, "ü", None]}
    assert stamp == file.stamp()


def test_a_change_that_changes_nothing_leaves_the_file(tmp_path: Path) -> None:
    file = kept(tmp_path / "a.json")
    put(file, x=1)
    before = file.stamp()

    stamp, content = file.update(lambda _: False)

    assert (stamp, content["x"]) == (before, 1)
    assert file.stamp() == before


def test_members_of_the_same_version_that_are_unknown_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"version": 1, "note": "mine"}')

    put(kept(path), x=1)

    assert json.loads(path.read_text()) == {"version": 1, "note": "mine", "x": 1}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_files_and_new_folders_are_for_their_owner_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    path = tmp_path / "a" / "b" / "c.json"

    put(kept(path), x=1)

    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in [tmp_path, *tmp_path.rglob("*")]}
    expected = {"a": 0o700, "b": 0o700, "c.json": 0o600, "c.json.lock": 0o600}
    assert modes == {tmp_path.name: 0o755, **expected}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"{", "is no JSON", id="cut off"),
        pytest.param(b"\xff\xfe{\x00", "is no JSON", id="not UTF-8"),
        pytest.param(b"[" * 100_000, "is no JSON", id="nested too deeply"),
        pytest.param(b"[1]", "is no JSON object with a version", id="a list"),
        pytest.param(b'{"x": 1}', "is no JSON object with a version", id="without a version"),
        pytest.param(b'{"version": "1"}', "is no JSON object with a version", id="version as text"),
        pytest.param(b'{"version": true}', "is no JSON object with a version", id="version true"),
        pytest.param(b'{"version": 0}', "is no JSON object with a version", id="version 0"),
        pytest.param(b'{"version": 2}', "newer appfunctions-mcp", id="newer"),
    ],
)
def test_what_cannot_be_read_is_named_and_never_overwritten(
    tmp_path: Path, text: bytes, told: str
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text)

    with pytest.raises(StateFileError, match=told) as read:
        kept(path).read()
    with pytest.raises(StateFileError, match=told):
        put(kept(path), x=1)

    assert str(read.value).startswith(f"{path}: this test file ")
    assert path.read_bytes() == text


def test_an_older_version_is_read_and_written_as_the_present_one(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    put(kept(path, version=1), x=1)

    with pytest.raises(StateFileError):
        kept(path, version=0).read()
    assert kept(path, version=2).read()[1] == {"version": 1, "x": 1}


def test_a_file_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"version": 1}\r\n')

    assert kept(path).read()[1] == {"version": 1}


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()

    with pytest.raises(StateFileError, match=r"a\.json: this test file cannot be read"):
        kept(tmp_path / "a.json").read()


def test_an_unwritable_place_is_an_os_error_and_reads_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = kept(tmp_path / "file" / "a.json")

    assert file.read() == (None, {})
    with pytest.raises(OSError, match="is no folder"):
        put(file, x=1)


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "a.json"
    link.symlink_to(tmp_path / "real" / "a.json")

    put(kept(link), x=1)

    assert link.is_symlink()
    assert kept(tmp_path / "real" / "a.json").read()[1]["x"] == 1


def test_what_a_killed_process_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.json.tmp").write_text("half a fi")

    put(kept(tmp_path / "a.json"), x=1)

    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.json.lock"]


def test_a_failed_write_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    file = kept(tmp_path / "a.json")
    put(file, x=1)
    (tmp_path / "a.json.tmp").mkdir()

    with pytest.raises(OSError, match="tmp"):
        put(file, x=2)

    assert file.read()[1]["x"] == 1


@pytest.mark.skipif(os.name != "posix", reason="the limit is POSIX's")
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    import resource

    file = kept(tmp_path / "a.json")
    put(file, x=1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            put(file, x="x" * 1_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert file.read()[1]["x"] == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.json.lock"]


def test_a_time_in_the_future_does_not_hide_a_change(tmp_path: Path) -> None:
    file = kept(tmp_path / "a.json")
    put(file, x=1)
    future = 4_000_000_000 * 10**9
    os.utime(file.path, ns=(future, future))

    put(file, x=2)

    stamp = file.stamp()
    assert stamp is not None
    assert stamp.mtime_ns > future
    assert file.read()[0] == stamp


def test_what_another_reader_hinders_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows refuses to replace a file that somebody reads."""
    monkeypatch.setattr("appfunctions_mcp.kept_files._FURTHER_ATTEMPTS", 3)
    refusals = [PermissionError("busy"), PermissionError("busy")]
    replace = os.replace

    def hindered(source: str, target: str) -> None:
        if refusals:
            raise refusals.pop()
        replace(source, target)

    monkeypatch.setattr(os, "replace", hindered)

    put(kept(tmp_path / "a.json"), x=1)

    assert refusals == []
    assert kept(tmp_path / "a.json").read()[1]["x"] == 1


def test_every_change_has_another_stamp(tmp_path: Path) -> None:
    """Inodes are used again, lengths are equal and clocks are coarse."""
    file = kept(tmp_path / "a.json")
    stamps = set()
    for number in range(10, 60):
        put(file, x=number)
        stamps.add(file.stamp())

    assert len(stamps) == 50


def test_a_lock_that_nobody_lets_go_of_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appfunctions_mcp.kept_files.LOCK_TIMEOUT_SECONDS", 0.05)
    holding, done = threading.Event(), threading.Event()

    def hold(content: dict[str, Any]) -> bool:
        holding.set()
        return done.wait(30) and False

    thread = threading.Thread(target=kept(tmp_path / "a.json").update, args=[hold])
    thread.start()
    try:
        assert holding.wait(30)
        with pytest.raises(StateFileError, match=r"another process has held .*a\.json\.lock"):
            put(kept(tmp_path / "a.json"), x=1)
    finally:
        done.set()
        thread.join()


def test_the_module_needs_no_package_to_read(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import appfunctions_mcp.state as s;"
        f"s.JsonFileStateStore(Path({str(tmp_path / 'a.json')!r})).read();"
        "print([m for m in ('filelock', 'pydantic', 'structlog', 'asyncio', 'logging')"
        " if m in sys.modules])"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_a_folder_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)

    make_private_folder(tmp_path)

    assert stat.S_IMODE(tmp_path.stat().st_mode) in {0o750, 0o777}


def test_a_state_file_is_named_for_its_server_and_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = state_file("notes", Path("app_metadata.xml"))

    assert here == state_file("notes", tmp_path / "app_metadata.xml")
    assert here != state_file("notes", tmp_path / "other.xml")
    assert here.parent == state_folder()
    assert here.is_absolute()
    assert here.name.startswith("notes-")
    assert len(here.name) == len("notes-12345678.json")
    assert state_file("notes").name == "notes.json"


@pytest.mark.parametrize(
    ("server_name", "file_name"),
    [
        ("My App", "My_App.json"),
        ("../../etc/passwd", "etc_passwd.json"),
        ("..", "server.json"),
        ("", "server.json"),
        ("Заметки", "server.json"),
        ("n" * 300, "n" * 64 + ".json"),
    ],
)
def test_a_server_name_never_leads_elsewhere(server_name: str, file_name: str) -> None:
    assert state_file(server_name).name == file_name


def test_folders_are_those_of_the_user(tmp_path: Path) -> None:
    folders = {state_folder(), data_folder()}

    assert {folder.name for folder in folders} == {"appfunctions-mcp"}
    if sys.platform == "linux":
        assert len(folders) == 2
        assert all(folder.is_relative_to(tmp_path) for folder in folders)


@pytest.mark.skipif(sys.platform != "linux", reason="the other platforms ask the system")
def test_a_user_without_a_home_gets_no_folder_named_tilde() -> None:
    code = (
        "import os, pwd; os.environ.clear();"
        "pwd.getpwuid = lambda uid: {}[uid];"
        "from appfunctions_mcp.places import state_file; print(state_file('notes'))"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "/nonexistent/appfunctions-mcp/notes.json"


@pytest.mark.parametrize(
    "variables",
    [
        {"XDG_STATE_HOME": "/var/x", "HOME": "/home/u"},
        {"XDG_STATE_HOME": "/var/x/", "HOME": "/home/u/"},
        {"XDG_STATE_HOME": "relative", "HOME": "/home/u"},
        {"XDG_STATE_HOME": "", "HOME": "/home/u"},
        {"HOME": "/home/u"},
        {"HOME": "/"},
        {"HOME": "relative"},
        {},
    ],
    ids=str,
)
def test_the_folder_of_states_is_the_one_that_platformdirs_names(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert state_folder() == user_state_path("appfunctions-mcp", appauthor=False)
