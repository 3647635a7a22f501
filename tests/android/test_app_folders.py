"""Android apps in folders: where their manifest, description and functions are found."""

import os
from pathlib import Path

import pytest

from appfunctions_mcp.android.app.app_folders import AppFolder, find_app
from appfunctions_mcp.exceptions import MetadataXmlError
from tests.support.android_apps import (
    COMPILED,
    METADATA_PROPERTY,
    V2_PROPERTY,
    functions_text,
    manifest_property,
    manifest_text,
    service,
    usual_app,
    write_files,
)

WITH_FUNCTIONS = manifest_text(service(manifest_property(V2_PROPERTY, "a.xml")))
WITHOUT = manifest_text()
KSP = "build/generated/ksp/{}/resources/assets/a.xml"


def app_in(folder: Path, *, anywhere: bool = False) -> AppFolder:
    app = find_app(folder, anywhere=anywhere)
    assert app is not None
    return app


@pytest.mark.parametrize("place", ["", "main", "src/main", "app/src/main", "feature/src/main"])
def test_an_app_is_found_in_its_source_set_the_folder_of_it_its_module_and_its_project(
    tmp_path: Path, place: str
) -> None:
    write_files(tmp_path / place, {"AndroidManifest.xml": WITH_FUNCTIONS})
    assert app_in(tmp_path).path == tmp_path / place


def test_of_several_modules_the_one_with_functions_is_the_app(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "app/src/main/AndroidManifest.xml": WITHOUT,
            "agent/src/main/AndroidManifest.xml": WITH_FUNCTIONS,
        },
    )
    assert app_in(tmp_path).path == tmp_path / "agent" / "src" / "main"


def test_several_apps_with_functions_are_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_files(tmp_path / name / "src" / "main", {"AndroidManifest.xml": WITH_FUNCTIONS})
    with pytest.raises(MetadataXmlError) as caught:
        find_app(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: several apps are in this folder; give one of {tmp_path}/a/src/main, "
        f"{tmp_path}/b/src/main"
    )


def test_a_folder_without_a_manifest_is_no_app(tmp_path: Path) -> None:
    write_files(tmp_path, {"deep/er/src/main/AndroidManifest.xml": WITH_FUNCTIONS})
    assert find_app(tmp_path) is None
    assert find_app(tmp_path / "none") is None


def test_in_an_archive_the_app_may_lie_anywhere_and_other_source_sets_do_not_count(
    tmp_path: Path,
) -> None:
    write_files(
        tmp_path,
        {
            "repo/app/src/main/AndroidManifest.xml": WITH_FUNCTIONS,
            "repo/app/src/debug/AndroidManifest.xml": WITH_FUNCTIONS,
            "AndroidManifest.xml": COMPILED,
        },
    )
    assert app_in(tmp_path, anywhere=True).path == tmp_path / "repo" / "app" / "src" / "main"


def test_an_archive_s_own_manifest_is_its_app_s_unless_it_is_compiled(tmp_path: Path) -> None:
    write_files(tmp_path, {"x.aar/AndroidManifest.xml": WITH_FUNCTIONS})
    assert app_in(tmp_path, anywhere=True).path == tmp_path / "x.aar"
    write_files(tmp_path, {"x.aar/AndroidManifest.xml": COMPILED})
    assert find_app(tmp_path, anywhere=True) is None


def test_the_metadata_is_what_the_manifest_names_or_what_lies_at_its_usual_place(
    tmp_path: Path,
) -> None:
    app = app_in(write_files(tmp_path / "a", usual_app()))
    assert app.metadata_file() == tmp_path / "a" / "res" / "xml" / "app_metadata.xml"
    named = manifest_text(manifest_property(METADATA_PROPERTY, "@xml/about", "resource"))
    write_files(tmp_path / "a", {"AndroidManifest.xml": named, "res/xml/about.xml": "<a/>"})
    assert app_in(tmp_path / "a").metadata_file() == tmp_path / "a" / "res" / "xml" / "about.xml"
    unnamed = write_files(tmp_path / "b", {"AndroidManifest.xml": WITHOUT})
    assert app_in(unnamed).metadata_file() is None
    write_files(unnamed, {"res/xml/app_metadata.xml": "<a/>"})
    assert app_in(unnamed).metadata_file() == unnamed / "res" / "xml" / "app_metadata.xml"


def test_metadata_that_is_named_and_not_there_is_refused(tmp_path: Path) -> None:
    files = usual_app()
    del files["res/xml/app_metadata.xml"]
    app = app_in(write_files(tmp_path, files))
    with pytest.raises(MetadataXmlError) as caught:
        app.metadata_file()
    assert str(caught.value) == (
        f"{tmp_path}/AndroidManifest.xml:9: the manifest names @xml/app_metadata, but there is no "
        f"{tmp_path}/res/xml/app_metadata.xml; add it"
    )


def test_an_asset_is_the_app_s_own_before_what_the_build_made(tmp_path: Path) -> None:
    main = tmp_path / "src" / "main"
    write_files(main, {"AndroidManifest.xml": WITH_FUNCTIONS})
    app = app_in(tmp_path)
    assert app.asset("a.xml") is None
    old, new = (KSP.format(variant) for variant in ("debug", "release"))
    write_files(tmp_path, {old: functions_text(), new: functions_text()})
    os.utime(tmp_path / old, ns=(1, 1))
    assert app.asset("a.xml") == tmp_path / new
    assert app.asset_names() == ["a.xml"]
    write_files(main, {"assets/a.xml": functions_text()})
    assert app.asset("a.xml") == main / "assets" / "a.xml"


def test_what_was_built_is_found_from_within_the_app_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "src" / "main", {"AndroidManifest.xml": WITH_FUNCTIONS})
    write_files(tmp_path, {KSP.format("debug"): functions_text()})
    monkeypatch.chdir(tmp_path / "src" / "main")
    assert app_in(Path()).asset("a.xml") == tmp_path / KSP.format("debug")


def test_assets_in_the_archives_of_a_library_are_found(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {"AndroidManifest.xml": WITHOUT, "classes.jar/assets/app_functions_v2.xml": "<a/>"},
    )
    app = app_in(tmp_path, anywhere=True)
    found = tmp_path / "classes.jar" / "assets" / "app_functions_v2.xml"
    assert (app.asset("app_functions_v2.xml"), app.library_asset()) == (found, found)
    assert app.asset_places() == str(tmp_path / "assets")


@pytest.mark.parametrize(
    ("build", "package"),
    [
        ('namespace = "com.example.ns"\n    applicationId = "com.example.app"', "com.example.app"),
        ("    applicationId 'com.example.app'", "com.example.app"),
        ('namespace "com.example.ns"', "com.example.ns"),
        ('applicationId = "${base}.app"', "com.example.manifest"),
        ("// nothing", "com.example.manifest"),
    ],
)
def test_the_package_is_the_build_file_s_else_the_manifest_s(
    tmp_path: Path, build: str, package: str
) -> None:
    manifest = manifest_text(root='package="com.example.manifest"')
    write_files(tmp_path / "src" / "main", {"AndroidManifest.xml": manifest})
    write_files(tmp_path, {"build.gradle.kts": build})
    assert app_in(tmp_path).package() == package


def test_a_package_that_is_none_is_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, {"AndroidManifest.xml": manifest_text(root='package="${id}"')})
    assert app_in(tmp_path).package() is None
    write_files(tmp_path, {"AndroidManifest.xml": manifest_text()})
    assert app_in(tmp_path).package() is None
