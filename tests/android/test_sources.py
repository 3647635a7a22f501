"""The sources of an import: what each kind gives, alone and together, and what none may be."""

import os
from pathlib import Path

import pytest

from appfunctions_mcp.android.app.sources import AndroidSource, read_source
from appfunctions_mcp.exceptions import MetadataXmlError
from tests.support.android_apps import (
    COMPILED,
    METADATA_PROPERTY,
    V1_PROPERTY,
    V2_PROPERTY,
    description_text,
    first_form_text,
    functions_text,
    manifest_property,
    manifest_text,
    service,
    strings_text,
    usual_app,
    write_archive,
    write_files,
)
from tests.support.corpus import corpus


def read(folder: Path, *sources: Path) -> AndroidSource:
    into = folder / "unpacked"
    into.mkdir()
    return read_source(sources, unpack_into=into)


def faults_of(folder: Path, *sources: Path) -> list[str]:
    with pytest.raises(MetadataXmlError) as caught:
        read(folder, *sources)
    return [fault.replace(f"{folder}/", "") for fault in caught.value.faults]


def ids_in(source: AndroidSource) -> list[list[str]]:
    return [[function.id for function in document.functions] for _, document, _ in source.documents]


def names_in(source: AndroidSource) -> list[str]:
    return [name for name, _, _ in source.documents]


def text_of(source: AndroidSource, folder: str, name: str) -> str:
    return "".join(piece.text for piece in source.texts.strings[folder][name])


def test_an_app_gives_its_functions_its_texts_and_its_package(tmp_path: Path) -> None:
    main = write_files(tmp_path / "src" / "main", usual_app())
    source = read(tmp_path, main)
    assert (names_in(source), ids_in(source)) == (["notes_service"], [["com.example.Notes#list"]])
    assert source.documents[0][2] == main / "assets" / "notes_service.xml"
    assert (source.package, source.version) == ("com.example.notes", "2.1")
    texts = source.texts
    assert texts.description == "Manages notes.\n    Constraints:\n    - A title is short."
    assert (texts.instructions, texts.display_description) == (None, "@string/about")
    assert texts.title == "@string/app_name"
    assert texts.comments == ("<!-- Copyright of the app's author -->",)
    assert source.warnings == ()


def test_the_strings_that_an_app_s_texts_refer_to_come_in_every_translation(
    tmp_path: Path,
) -> None:
    source = read(tmp_path, write_files(tmp_path / "app", usual_app()))
    names = {folder: list(table) for folder, table in source.texts.strings.items()}
    assert names == {
        "values": ["about", "about_text", "app_name"],
        "values-ru": ["about_text", "app_name"],
    }
    assert text_of(source, "values", "about") == "@string/about_text"
    assert text_of(source, "values-ru", "about_text") == "Заметки"


@pytest.mark.parametrize("given", ["", "src/main/AndroidManifest.xml", "src/main"])
def test_an_app_may_be_given_by_its_project_or_its_manifest(tmp_path: Path, given: str) -> None:
    write_files(tmp_path / "app" / "src" / "main", usual_app())
    assert ids_in(read(tmp_path, tmp_path / "app" / given)) == [["com.example.Notes#list"]]


def test_xml_files_are_read_each_under_a_name_of_its_own(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/f.xml": functions_text("a#x"), "b/f.xml": functions_text("b#y")})
    source = read(tmp_path, tmp_path / "a" / "f.xml", tmp_path / "b" / "f.xml")
    assert (names_in(source), ids_in(source)) == (["f", "f_2"], [["a#x"], ["b#y"]])
    assert (source.package, source.texts.description, source.texts.title) == (None, None, None)


def test_the_same_document_twice_counts_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.xml": functions_text("a#x"), "b.xml": functions_text("a#x")})
    assert names_in(read(tmp_path, *(tmp_path / n for n in ("a.xml", "b.xml", "a.xml")))) == ["a"]


def test_a_function_that_stands_in_two_documents_is_refused(tmp_path: Path) -> None:
    files = {"a.xml": functions_text("a#x"), "b.xml": functions_text("a#x", "a#y")}
    write_files(tmp_path, files)
    assert faults_of(tmp_path, tmp_path / "a.xml", tmp_path / "b.xml") == [
        "b.xml:3: function 'a#x' stands in a.xml:3 too; give one of the files"
    ]


def test_android_s_first_form_of_the_same_functions_is_left_out(tmp_path: Path) -> None:
    files = {
        "assets/app_functions.xml": first_form_text("a#x"),
        "assets/app_functions_v2.xml": functions_text("a#x"),
    }
    assert names_in(read(tmp_path, write_archive(tmp_path / "a.apk", files))) == [
        "app_functions_v2"
    ]


def test_android_s_first_form_alone_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.xml": first_form_text("a#x")})
    assert ids_in(read(tmp_path, tmp_path / "a.xml")) == [["a#x"]]


def test_metadata_given_beside_functions_describes_them(tmp_path: Path) -> None:
    about = description_text("Manages notes.", 'appfn:displayDescription="@string/about"')
    write_files(
        tmp_path,
        {
            "f.xml": functions_text(),
            "res/xml/app_metadata.xml": about,
            "res/values/strings.xml": strings_text(about="Notes"),
        },
    )
    source = read(tmp_path, tmp_path / "f.xml", tmp_path / "res" / "xml" / "app_metadata.xml")
    assert source.texts.description == "Manages notes."
    assert text_of(source, "values", "about") == "Notes"


def test_strings_beside_the_metadata_are_found_too(tmp_path: Path) -> None:
    about = description_text("@string/about")
    files = {"f.xml": functions_text(), "app_metadata.xml": about}
    write_files(tmp_path, files | {"values/s.xml": strings_text(about="Notes")})
    source = read(tmp_path, tmp_path / "f.xml", tmp_path / "app_metadata.xml")
    assert source.texts.description == "@string/about"
    assert text_of(source, "values", "about") == "Notes"


def test_two_descriptions_of_the_app_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"app_metadata.xml": description_text()})
    app = write_files(tmp_path / "app", usual_app())
    assert faults_of(tmp_path, tmp_path / "app_metadata.xml", app) == [
        "app/res/xml/app_metadata.xml: app_metadata.xml describes the app too; give one of them"
    ]


def test_the_older_namespace_gives_way_and_what_serving_needs_is_not_carried_over(
    tmp_path: Path,
) -> None:
    about = description_text(
        "New",
        'xmlns:auto="http://schemas.android.com/apk/res-auto" auto:description="Old" '
        'auto:instructions="Rules" xmlns:mcp="urn:appfunctions-mcp:metadata:1" mcp:name="x"',
    )
    write_files(tmp_path, {"f.xml": functions_text(), "app_metadata.xml": about})
    source = read(tmp_path, tmp_path / "f.xml", tmp_path / "app_metadata.xml")
    assert (source.texts.description, source.texts.instructions) == ("New", "Rules")
    (warning,) = source.warnings
    assert "app_metadata.xml:2: mcp:name not carried over: the project has its own" in warning


def test_texts_that_refer_to_nothing_are_left_out_with_a_warning(tmp_path: Path) -> None:
    files = usual_app()
    del files["res/values/strings.xml"], files["res/values-ru/strings.xml"]
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert (source.texts.display_description, source.texts.title) == (None, None)
    display, label = source.warnings
    assert "appfn:displayDescription is '@string/about', but no <string>" in display
    assert "the app's label, '@string/app_name', gives no text; the project has no title" in label


def test_a_label_that_android_would_not_take_is_left_out(tmp_path: Path) -> None:
    files = usual_app()
    files["AndroidManifest.xml"] = files["AndroidManifest.xml"].replace("@string/app_name", "\\u12")
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert source.texts.title is None
    (warning,) = source.warnings
    assert "gives no text; the project has no title" in warning


def test_a_description_that_refers_to_nothing_is_refused(tmp_path: Path) -> None:
    files = usual_app() | {"res/xml/app_metadata.xml": description_text("@string/missing")}
    (fault,) = faults_of(tmp_path, write_files(tmp_path / "app", files))
    assert "appfn:description is '@string/missing', but no <string> named 'missing'" in fault


def test_a_translation_that_cannot_be_read_is_left_out_with_a_warning(tmp_path: Path) -> None:
    files = usual_app() | {"res/values-ru/strings.xml": "<resources>"}
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert list(source.texts.strings) == ["values"]
    (warning,) = source.warnings
    assert "values-ru/strings.xml:1: the strings of this file are left out: " in warning


def test_strings_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    files = usual_app() | {
        "res/values-ru/strings.xml": strings_text(about="@string/a", a="@string/about")
    }
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert list(source.texts.strings["values-ru"]) == ["a", "about"]


def test_an_app_without_a_description_keeps_its_label(tmp_path: Path) -> None:
    manifest = manifest_text(
        service(manifest_property(V2_PROPERTY, "a.xml")), application='android:label="Notes"'
    )
    files = {"AndroidManifest.xml": manifest, "assets/a.xml": functions_text()}
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert (source.texts.title, source.texts.description) == ("Notes", None)


def test_the_warnings_of_documents_and_manifests_come_along(tmp_path: Path) -> None:
    manifest = manifest_text(service(manifest_property(V2_PROPERTY, "a.xml"), action=""))
    odd = functions_text().replace("<response>", "<novelty>1</novelty><response>")
    files = {"AndroidManifest.xml": manifest, "assets/a.xml": odd}
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert [("novelty" in warning, "intent filter" in warning) for warning in source.warnings] == [
        (True, False),
        (False, True),
    ]


def test_a_file_that_the_build_has_not_made_is_named_with_what_to_do(tmp_path: Path) -> None:
    files = usual_app() | {"assets/note_service.xml": functions_text()}
    del files["assets/notes_service.xml"]
    main = write_files(tmp_path / "src" / "main", files)
    (fault,) = faults_of(tmp_path, main)
    assert fault == (
        "src/main/AndroidManifest.xml:6: the manifest names 'notes_service.xml', which is not in "
        "src/main/assets and build/generated/ksp/*/resources/assets; perhaps 'note_service.xml'; "
        "build the app, which generates it, or give the file too"
    )


def test_a_file_that_the_build_has_not_made_may_be_given_beside_the_app(tmp_path: Path) -> None:
    files = usual_app()
    del files["assets/notes_service.xml"]
    main = write_files(tmp_path / "src" / "main", files)
    write_files(tmp_path, {"notes_service.xml": functions_text()})
    assert names_in(read(tmp_path, main, tmp_path / "notes_service.xml")) == ["notes_service"]


def test_an_app_whose_manifest_names_nothing_has_the_library_s_file_or_none(
    tmp_path: Path,
) -> None:
    main = write_files(tmp_path / "src" / "main", {"AndroidManifest.xml": manifest_text()})
    (fault,) = faults_of(tmp_path, main)
    assert "src/main/AndroidManifest.xml:1: the manifest names no functions XML" in fault
    assert "hold no app_functions_v2.xml; build the app" in fault
    (tmp_path / "unpacked").rmdir()
    write_files(main, {"assets/app_functions_v2.xml": functions_text()})
    assert names_in(read(tmp_path, main)) == ["app_functions_v2"]


def test_an_archive_of_sources_is_read_as_its_folder_is(tmp_path: Path) -> None:
    files = {f"repo/app/src/main/{name}": text for name, text in usual_app().items()}
    files["repo/app/build.gradle"] = "    applicationId 'com.example.built'"
    source = read(tmp_path, write_archive(tmp_path / "repo.zip", files))
    assert (source.package, source.texts.title) == ("com.example.built", "@string/app_name")
    assert source.documents[0][2] == Path(
        f"{tmp_path}/repo.zip!/repo/app/src/main/assets/notes_service.xml"
    )


def test_an_apk_gives_its_functions_and_its_compiled_manifest_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "AndroidManifest.xml": COMPILED,
        "assets/a.xml": functions_text(),
        "assets/other.xml": "<other/>",
        "assets/broken.xml": "<broken>",
    }
    source = read(tmp_path, write_archive(tmp_path / "app.apk", files))
    assert names_in(source) == ["a"]
    (warning,) = source.warnings
    assert warning.startswith(
        f"{tmp_path}/app.apk!/AndroidManifest.xml: this manifest is compiled (binary XML)"
    )


def test_an_archive_or_folder_without_functions_is_refused(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"AndroidManifest.xml": COMPILED, "assets/a.xml": "<a/>"}
    first, second = faults_of(tmp_path, write_archive(tmp_path / "app.apk", files))
    assert first.startswith("app.apk: this archive has no functions XML in assets/")
    assert second.startswith("app.apk!/AndroidManifest.xml: this manifest is compiled")
    (tmp_path / "unpacked" / "0" / "assets" / "a.xml").unlink()
    (tmp_path / "empty").mkdir()
    with pytest.raises(MetadataXmlError, match=r"this folder has no AndroidManifest\.xml"):
        read_source([tmp_path / "empty"], unpack_into=tmp_path)


def test_a_folder_with_assets_alone_gives_its_functions(tmp_path: Path) -> None:
    app = write_files(tmp_path / "app", {"assets/sub/a.xml": functions_text(), "b.xml": "<b/>"})
    assert names_in(read(tmp_path, app)) == ["a"]


def test_the_folder_of_assets_itself_gives_its_functions(tmp_path: Path) -> None:
    write_files(tmp_path / "ksp" / "assets", {"a.xml": functions_text()})
    assert names_in(read(tmp_path, tmp_path / "ksp" / "assets")) == ["a"]


def test_a_folder_without_a_manifest_has_its_description_at_the_usual_place(tmp_path: Path) -> None:
    files = {"assets/a.xml": functions_text(), "res/xml/app_metadata.xml": description_text("Hi.")}
    source = read(tmp_path, write_files(tmp_path / "app", files))
    assert (names_in(source), source.texts.description) == (["a"], "Hi.")


@pytest.mark.parametrize("content", ["PK no more", b"\x00\x01\x02"])
def test_an_archive_by_its_name_alone_is_told_as_such(tmp_path: Path, content: str | bytes) -> None:
    write_files(tmp_path, {"app.apk": content})
    (fault,) = faults_of(tmp_path, tmp_path / "app.apk")
    assert fault.startswith("app.apk: this is no archive, for it does not begin as a ZIP does;")


def test_a_path_that_leads_nowhere_comes_with_the_nearest_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "src" / "main").mkdir(parents=True)
    assert faults_of(tmp_path, tmp_path / "src" / "mian", tmp_path / "x" / "app.apk") == [
        "src/mian: there is no such file or folder; perhaps src/main",
        "x/app.apk: there is no such file or folder",
    ]


def test_faults_in_an_archive_name_the_archive_and_the_file_in_it(tmp_path: Path) -> None:
    files = usual_app() | {
        "assets/notes_service.xml": "<appfunctions>",
        "res/xml/app_metadata.xml": description_text(""),
    }
    first, second = faults_of(tmp_path, write_archive(tmp_path / "app.aar", files))
    assert first.startswith("app.aar!/assets/notes_service.xml:1: not well-formed XML")
    assert second.startswith("app.aar!/res/xml/app_metadata.xml:3: appfn:description is empty")


def test_a_faulty_manifest_in_an_archive_is_named_as_such(tmp_path: Path) -> None:
    files = {"AndroidManifest.xml": manifest_text(manifest_property(V1_PROPERTY, "../x.xml"))}
    (fault,) = faults_of(tmp_path, write_archive(tmp_path / "app.aar", files))
    assert fault.startswith("app.aar!/AndroidManifest.xml:5: property android.app.appfunctions ")


def test_faults_of_all_sources_come_in_one_report(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.xml": "<appfunctions>", "b.xml": "<resources/>"})
    faults = faults_of(tmp_path, *(tmp_path / name for name in ("a.xml", "b.xml", "none.xml")))
    assert [fault.partition(": ")[0] for fault in faults] == ["a.xml:1", "b.xml:1", "none.xml"]
    assert "the root element is <resources>; accepted are a functions XML" in faults[1]


def test_sources_without_any_function_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.xml": "<appfunctions/>", "app_metadata.xml": description_text()})
    (fault,) = faults_of(tmp_path, tmp_path / "a.xml", tmp_path / "app_metadata.xml")
    assert fault.startswith("a.xml, app_metadata.xml: there are no functions; give a functions XML")


def test_a_compiled_manifest_is_refused(tmp_path: Path) -> None:
    app = write_files(tmp_path / "app", {"AndroidManifest.xml": COMPILED})
    for given in (app, app / "AndroidManifest.xml"):
        (fault,) = faults_of(tmp_path, given)
        assert "app/AndroidManifest.xml:1: this manifest is compiled (binary XML)" in fault
        (tmp_path / "unpacked").rmdir()


def test_a_manifest_under_another_name_is_one_too(tmp_path: Path) -> None:
    text = manifest_text(
        service(manifest_property(V2_PROPERTY, "a.xml")),
        manifest_property(METADATA_PROPERTY, "@xml/none", "resource"),
    )
    write_files(tmp_path, {"Merged.xml": text, "assets/a.xml": functions_text()})
    (fault,) = faults_of(tmp_path, tmp_path / "Merged.xml")
    assert fault.startswith("Merged.xml:9: the manifest names @xml/none, but there is no ")


def test_the_chat_app_has_to_be_built_before_its_functions_are_there(tmp_path: Path) -> None:
    manifest = corpus("android_xml", "chatapp_AndroidManifest.xml").read_bytes()
    main = write_files(tmp_path / "src" / "main", {"AndroidManifest.xml": manifest})
    faults = faults_of(tmp_path, main)
    assert faults[0].startswith(
        "src/main/AndroidManifest.xml:63: the manifest names 'chat_app_function_service.xml', which"
    )
    assert "70: the manifest names @xml/app_metadata, but there is no " in faults[1]


def test_xml_elsewhere_in_a_folder_without_a_manifest_is_not_searched(tmp_path: Path) -> None:
    app = write_files(tmp_path / "app", {"deep/assets/a.xml": functions_text()})
    (fault,) = faults_of(tmp_path, app)
    assert "no functions XML in assets/" in fault


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (fault,) = faults_of(tmp_path, tmp_path / "pipe")
    assert fault.startswith("pipe:1: this is no regular file")


def test_files_of_an_archive_are_known_where_its_folder_is_reached_by_a_link(
    tmp_path: Path,
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files = usual_app() | {"res/values/strings.xml": strings_text(app_name="x", about="\\u12")}
    archive = write_archive(tmp_path / "app.aar", files)
    with pytest.raises(MetadataXmlError) as caught:
        read_source([archive], unpack_into=tmp_path / "link")
    (fault,) = caught.value.faults
    assert fault.startswith(f"{archive}!/res/values/strings.xml:3: ")


def test_a_file_among_the_assets_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assets = tmp_path / "app" / "assets"
    assets.mkdir(parents=True)
    # The memory of a process cannot be read from its start, whoever asks.
    (assets / "functions.xml").symlink_to("/proc/self/mem")
    if not (assets / "functions.xml").is_file():
        pytest.skip("this system has no /proc/self/mem")

    (fault,) = faults_of(tmp_path, tmp_path / "app")

    assert "this file cannot be read: " in fault
