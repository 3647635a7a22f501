"""Archives from outside: what is taken out of them, and what none of them can do."""

import io
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.android.app import archives
from appfunctions_mcp.android.app.archives import is_archive, unpack
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.xml_elements import MAX_XML_BYTES
from tests.support.android_apps import write_archive, write_files

WANTED = {
    "AndroidManifest.xml": "manifest",
    "assets/a.xml": "a",
    "assets/deep/b.xml": "b",
    "res/xml/app_metadata.xml": "m",
    "res/values-ru/strings.xml": "s",
    "app/build.gradle.kts": "g",
    "project/app/src/main/AndroidManifest.xml": "n",
}


def unpacked(archive: Path) -> dict[str, str]:
    into = archive.parent / "into"
    into.mkdir()
    unpack(archive, into)
    return {
        path.relative_to(into).as_posix(): path.read_text(encoding="utf-8")
        for path in into.rglob("*")
        if path.is_file()
    }


def fault_of(archive: Path) -> str:
    """What is said of an archive; nothing may have been written outside the folder."""
    before = {*archive.parent.rglob("*")}
    into = archive.parent / "into"
    into.mkdir()
    with pytest.raises(MetadataXmlError) as caught:
        unpack(archive, into)
    written = {*archive.parent.rglob("*")} - before
    assert all(path.is_relative_to(into) for path in written)
    (fault,) = caught.value.faults
    return fault.removeprefix(str(archive))


def zip_bytes(files: dict[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_what_an_import_reads_is_taken_out_and_nothing_else(tmp_path: Path) -> None:
    others = {"classes.dex": "x", "assets/a.png": "x", "res/layout/a.xml": "x", "a.xml": "x"}
    assert unpacked(write_archive(tmp_path / "app.apk", WANTED | others)) == WANTED


def test_folders_of_an_archive_are_no_files(tmp_path: Path) -> None:
    path = tmp_path / "app.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("assets/a.xml")
    assert unpacked(path) == {}


def test_archives_in_an_archive_become_folders(tmp_path: Path) -> None:
    jar = zip_bytes({"assets/a.xml": "a"})
    library = zip_bytes({"classes.jar": jar, "libs/b.jar": jar, "AndroidManifest.xml": "m"})
    path = write_archive(tmp_path / "all.zip", {"out/lib.aar": library, "assets/no.apk": jar})
    assert unpacked(path) == {
        "out/lib.aar/AndroidManifest.xml": "m",
        "out/lib.aar/classes.jar/assets/a.xml": "a",
        "out/lib.aar/libs/b.jar/assets/a.xml": "a",
    }


def test_jars_of_a_project_and_files_that_only_have_the_name_are_not_opened(
    tmp_path: Path,
) -> None:
    files: dict[str, str | bytes] = {"libs/a.jar": zip_bytes({"assets/a.xml": "a"})} | {
        "b.aar": "no archive"
    }
    assert unpacked(write_archive(tmp_path / "all.zip", files)) == {}


def test_archives_nest_only_so_deep(tmp_path: Path) -> None:
    inner = zip_bytes({"assets/a.xml": "a"})
    for _ in range(archives.MAX_ARCHIVE_DEPTH):
        inner = zip_bytes({"x.apk": inner})
    (tmp_path / "deep.zip").write_bytes(inner)
    assert fault_of(tmp_path / "deep.zip") == (
        "!/x.apk!/x.apk!/x.apk: archives nest deeper than 3; give the inner one itself"
    )


@pytest.mark.parametrize(
    "name",
    [
        *("../assets/a.xml", "assets/../../a.xml", "/assets/a.xml", "assets//a.xml"),
        *("C:/assets/a.xml", "a\\b/assets/a.xml", "assets/./a.xml", "assets/\x01.xml"),
        *("../x.aar", "/AndroidManifest.xml", "a. /assets/b.xml", "../build.gradle"),
    ],
)
def test_a_name_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    path = write_archive(tmp_path / "app.apk", {name: "x"})
    assert "this name leads out of the archive" in fault_of(path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("assets/a.xml")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "app.apk", "w") as archive:
        archive.writestr(entry, "/etc/hostname")
    assert fault_of(tmp_path / "app.apk").startswith("!/assets/a.xml: this entry is a link")


def test_an_encrypted_entry_is_refused(tmp_path: Path) -> None:
    content = bytearray(zip_bytes({"assets/a.xml": "x"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "app.apk").write_bytes(content)
    assert fault_of(tmp_path / "app.apk").startswith("!/assets/a.xml: this entry is encrypted")


def test_only_android_s_own_ways_of_packing_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.apk", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("assets/a.xml", "x" * 100)
    assert "neither stored nor deflated" in fault_of(tmp_path / "app.apk")


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.apk", "w") as archive:
        archive.writestr("assets/a.xml", "x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("assets/a.xml", "y")
    assert fault_of(tmp_path / "a.apk") == "!/assets/a.xml: the archive holds this name twice"


def test_a_name_that_is_a_file_and_a_folder_is_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.apk", {"assets/a.xml": "x", "assets/a.xml/b.xml": "y"})
    assert fault_of(path) == "!/assets/a.xml/b.xml: the archive holds this name twice"


def test_of_a_file_that_is_too_large_no_more_is_unpacked_than_shows_it(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.apk", {"assets/a.xml": b" " * 50_000_000})
    assert len(unpacked(path)["assets/a.xml"]) == archives.MAX_FILE_BYTES + 1 > MAX_XML_BYTES


def test_what_is_unpacked_in_all_is_capped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1000)
    two = {"assets/a.xml": "x" * 600, "assets/b.xml": "x" * 401}
    assert fault_of(write_archive(tmp_path / "a.apk", two)).startswith(
        "!/assets/b.xml: the archive unpacks to more than 1,000 bytes, the most accepted"
    )


def test_a_bomb_in_a_bomb_is_stopped_while_it_unpacks(tmp_path: Path) -> None:
    """F91: gigabytes behind a file of a megabyte."""
    inner = zip_bytes({"x.bin": b"\0" * 50_000_000})
    bomb = write_archive(tmp_path / "a.zip", {f"{n}.apk": inner for n in range(3)})
    assert unpacked(bomb) == {}  # nothing of it is wanted, so nothing of it is unpacked
    huge = write_archive(tmp_path / "b.zip", {"x.apk": b"\0" * (archives.MAX_UNPACKED_BYTES + 1)})
    (tmp_path / "into").rmdir()
    assert "unpacks to more than" in fault_of(huge)


def test_the_number_of_files_is_capped_over_all_archives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRIES", 3)
    inner = zip_bytes({"assets/a.xml": "a", "assets/b.xml": "b"})
    path = write_archive(tmp_path / "a.zip", {"x.apk": inner, "y.apk": inner, "z.bin": b""})
    assert "more than 3 files that would be read" in fault_of(path)


def test_a_list_of_entries_that_would_fill_the_memory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_DIRECTORY_BYTES", 100)
    path = write_archive(tmp_path / "a.zip", {f"{n}.txt": "x" for n in range(5)})
    assert "more entries than are accepted" in fault_of(path)


def test_a_list_of_more_than_sixteen_bits_is_not_read(tmp_path: Path) -> None:
    content = bytearray(zip_bytes({"assets/a.xml": "x"}))
    end = content.rindex(b"PK\x05\x06")
    content[end:end] = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    (tmp_path / "a.zip").write_bytes(content)
    assert "more entries than are accepted" in fault_of(tmp_path / "a.zip")


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    whole = zip_bytes({"assets/a.xml": "x" * 1000})
    (tmp_path / "cut.zip").write_bytes(whole[:-30])
    assert "this archive is damaged: it has no end record" in fault_of(tmp_path / "cut.zip")
    (tmp_path / "into").rmdir()
    wrong = bytearray(whole)
    wrong[wrong.index(b"PK\x01\x02") + 16] ^= 1
    (tmp_path / "wrong.zip").write_bytes(wrong)
    assert "this archive is damaged: Bad CRC-32" in fault_of(tmp_path / "wrong.zip")


def test_a_name_that_no_disk_takes_is_an_error_of_its_own(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.zip", {f"assets/{'x' * 5000}.xml": "x"})
    assert ": this archive cannot be unpacked: " in fault_of(path)


def test_an_archive_is_known_by_its_content(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.xml": zip_bytes({}), "b.zip": "<appfunctions/>"})
    assert is_archive(tmp_path / "a.xml")
    assert not is_archive(tmp_path / "b.zip")
    assert not is_archive(tmp_path / "none.zip")


_NAMES = st.lists(
    st.sampled_from(["a", "..", "/", "\\", "assets/", ".xml", ":", "\0", "é"]), max_size=8
).map(lambda parts: "x" + "".join(parts))
_CHANGES: list[Callable[[bytearray, int, int], None]] = [
    lambda content, at, value: content.__setitem__(at, value),
    lambda content, at, _: content.__delitem__(at),
    lambda content, at, value: content.insert(at, value),
]


@given(
    st.lists(_NAMES, max_size=4),
    st.lists(st.tuples(st.sampled_from(_CHANGES), st.integers(0), st.integers(0, 255)), max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_archive_does_anything_but_unpack_below_its_folder_or_fail(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    changes: list[tuple[Callable[[bytearray, int, int], None], int, int]],
) -> None:
    """F91."""
    folder = tmp_path_factory.mktemp("archive")
    content = bytearray(zip_bytes(dict.fromkeys(["assets/a.xml", "x.aar", *names], "x")))
    for change, at, value in changes:
        change(content, at % len(content), value)
    (folder / "a.aar").write_bytes(content)
    into = folder / "into"
    into.mkdir()
    with suppress(MetadataXmlError):
        unpack(folder / "a.aar", into)
    assert {path.name for path in folder.iterdir()} == {"a.aar", "into"}
