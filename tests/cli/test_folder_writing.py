"""Folders that a command writes: all of the files or none, and nothing outside."""

import os
from pathlib import Path

import pytest

from appfunctions_mcp.cli.folder_writing import write_folder
from appfunctions_mcp.exceptions import SettingsError
from tests.support.android_apps import write_files

FILES: dict[str, str | bytes] = {"a.txt": "a", "sub/deep/b.txt": "é", "c.bin": b"\xff"}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


AS_WRITTEN = {"a.txt": b"a", "sub/deep/b.txt": "é".encode(), "c.bin": b"\xff"}


def test_a_new_folder_holds_the_files_and_is_everybody_s_to_read(tmp_path: Path) -> None:
    write_folder(tmp_path / "new" / "folder", FILES)
    assert contents(tmp_path) == {f"new/folder/{name}": c for name, c in AS_WRITTEN.items()}
    plain = tmp_path / "plain"
    plain.mkdir()
    assert (tmp_path / "new" / "folder").stat().st_mode == plain.stat().st_mode
    assert everything(tmp_path / "new") == {
        *("folder", "folder/a.txt", "folder/c.bin"),
        *("folder/sub", "folder/sub/deep", "folder/sub/deep/b.txt"),
    }


def test_an_empty_folder_is_written_into_and_stays_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    write_folder(Path(), FILES)
    assert (contents(tmp_path), tmp_path.stat().st_ino) == (AS_WRITTEN, before)
    assert not [name for name in everything(tmp_path) if "appfunctions-mcp" in name]


def test_a_folder_that_holds_something_is_refused_and_unchanged(tmp_path: Path) -> None:
    write_files(tmp_path, {"mine.txt": "mine"})
    with pytest.raises(SettingsError, match=r"is not empty; give another folder with -o, or --f"):
        write_folder(tmp_path, FILES)
    assert contents(tmp_path) == {"mine.txt": b"mine"}


def test_with_force_only_files_of_the_same_names_are_replaced(tmp_path: Path) -> None:
    write_files(tmp_path, {"mine.txt": "mine", "sub/deep/b.txt": "old", "sub/mine.txt": "mine"})
    write_folder(tmp_path, FILES, force=True)
    assert contents(tmp_path) == AS_WRITTEN | {"mine.txt": b"mine", "sub/mine.txt": b"mine"}
    assert not [name for name in everything(tmp_path) if "appfunctions-mcp" in name]


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"file": "mine"})
    with pytest.raises(SettingsError, match="is no folder; give another one with -o"):
        write_folder(tmp_path / "file", FILES, force=True)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(SettingsError, match="is no folder"):
        write_folder(tmp_path / "link", FILES, force=True)
    assert everything(tmp_path) == {"file", "link"}


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"deep/b.txt": "mine"})
    folder = write_files(tmp_path / "folder", {"a.txt": "mine"})
    (folder / "sub").symlink_to(outside)
    with pytest.raises(SettingsError, match="leads out of"):
        write_folder(folder, FILES, force=True)
    assert contents(outside) == {"deep/b.txt": b"mine"}
    assert (folder / "a.txt").read_text() == "mine"


def test_a_link_in_a_file_s_place_is_replaced_and_what_it_leads_to_is_not(tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"x.txt": "mine"})
    folder = write_files(tmp_path / "folder", {"b.txt": "mine"})
    (folder / "a.txt").symlink_to(outside / "x.txt")
    write_folder(folder, {"a.txt": "new"}, force=True)
    assert (folder / "a.txt").read_text() == "new"
    assert not (folder / "a.txt").is_symlink()
    assert contents(outside) == {"x.txt": b"mine"}


def test_a_folder_where_a_file_would_be_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt/mine.txt": "mine"})
    with pytest.raises(SettingsError, match="is a folder, where a file would be written"):
        write_folder(tmp_path, FILES, force=True)
    assert contents(tmp_path) == {"a.txt/mine.txt": b"mine"}


def test_when_one_file_cannot_be_written_nothing_has_changed(tmp_path: Path) -> None:
    """The last file's folder is a file: what was replaced before is put back."""
    before = {"a.txt": "mine", "z": "a file"}
    write_files(tmp_path, before)
    with pytest.raises(OSError, match="exists"):
        write_folder(tmp_path, FILES | {"z/y.txt": "new"}, force=True)
    assert contents(tmp_path) == {name: text.encode() for name, text in before.items()}
    assert everything(tmp_path) == set(before)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_cannot_be_written_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        write_folder(tmp_path / "new", FILES)
    assert everything(tmp_path) == set()
