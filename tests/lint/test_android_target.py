"""Android apps as what rules judge: whole, in parts, and faulty."""

from pathlib import Path

import pytest

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.lint.android_target import android_subject
from appfunctions_mcp.lint.subjects import Origin
from tests.support.android_apps import (
    V2_PROPERTY,
    functions_text,
    manifest_property,
    manifest_text,
    service,
    usual_app,
    write_archive,
    write_files,
)

APP = usual_app()


def test_a_folder_gives_functions_texts_and_where_they_stand(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "main", APP)
    subject = android_subject(folder)
    (function,) = subject.functions
    assert (function.function_id, function.tool_name) == ("com.example.Notes#list", "list")
    assert function.source.startswith(f"{folder}/assets/notes_service.xml:")
    assert subject.origin is Origin.ANDROID
    assert subject.instructions.startswith("Manages notes.")
    assert subject.instructions_source == f"{folder}/res/xml/app_metadata.xml:4"
    assert (subject.folder, subject.faults) == (folder, ())
    assert subject.app is not None
    assert subject.app.display_description == "Keep 'notes'."


def test_an_archive_is_read_and_its_files_are_named_in_it(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "notes.aar", APP)
    (tmp_path / "into").mkdir()
    subject = android_subject(archive, tmp_path / "into")
    assert subject.functions[0].source.startswith(f"{archive}!/assets/notes_service.xml:")
    assert subject.instructions_source == f"{archive}!/res/xml/app_metadata.xml:4"


def test_an_archive_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(MetadataXmlError, match="no folder to unpack it into"):
        android_subject(write_archive(tmp_path / "notes.aar", APP))


def test_a_functions_xml_alone_is_judged_without_texts(tmp_path: Path) -> None:
    write_files(tmp_path, {"f.xml": functions_text("com.example.Notes#list")})
    subject = android_subject(tmp_path / "f.xml")
    assert [each.tool_name for each in subject.functions] == ["list"]
    assert (subject.folder, subject.app, subject.instructions) == (None, None, "")


def test_a_description_alone_is_judged_without_functions(tmp_path: Path) -> None:
    folder = write_files(tmp_path, APP)
    subject = android_subject(folder / "res/xml/app_metadata.xml")
    assert (subject.functions, subject.faults) == ((), ())
    assert subject.instructions.startswith("Manages notes.")


def test_what_can_be_read_is_read_beside_what_is_faulty(tmp_path: Path) -> None:
    two = manifest_text(
        service(manifest_property(V2_PROPERTY, "notes_service.xml,missing.xml,broken.xml")),
    )
    files = APP | {"AndroidManifest.xml": two, "assets/broken.xml": "<appfunctions"}
    subject = android_subject(write_files(tmp_path, files))
    assert [each.tool_name for each in subject.functions] == ["list"]
    assert len(subject.faults) == 2
    assert any("'missing.xml'" in each for each in subject.faults)
    assert any(each.startswith(f"{tmp_path}/assets/broken.xml:1: ") for each in subject.faults)


def test_texts_that_cannot_be_read_are_a_fault_told_once(tmp_path: Path) -> None:
    files = APP | {"res/xml/app_metadata.xml": "<AppFunctionAppMetadata />"}
    subject = android_subject(write_files(tmp_path, files))
    assert subject.app is None
    assert [each for each in subject.faults if "has no description" in each] == [*subject.faults]


def test_older_libraries_name_no_file_in_the_manifest(tmp_path: Path) -> None:
    files = {
        "AndroidManifest.xml": manifest_text(),
        "assets/app_functions_v2.xml": functions_text("com.example.Notes#list"),
        "assets/broken.xml": "<appfunctions",
    }
    subject = android_subject(write_files(tmp_path, files))
    assert [each.tool_name for each in subject.functions] == ["list"]


def test_a_broken_file_of_an_older_library_is_a_fault(tmp_path: Path) -> None:
    files = {"AndroidManifest.xml": manifest_text(), "assets/app_functions_v2.xml": "<appfunctions"}
    subject = android_subject(write_files(tmp_path, files))
    assert subject.functions == ()
    assert subject.faults


def test_what_is_no_app_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MetadataXmlError, match="no AndroidManifest"):
        android_subject(tmp_path)
