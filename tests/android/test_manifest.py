"""Android manifests: which files they name, and what is said of those that cannot be used."""

from pathlib import Path

import pytest

from appfunctions_mcp.android.app.manifest import NamedAsset, is_compiled, read_manifest
from appfunctions_mcp.exceptions import MetadataXmlError
from tests.support.android_apps import (
    COMPILED,
    METADATA_PROPERTY,
    V1_PROPERTY,
    V2_PROPERTY,
    manifest_property,
    manifest_text,
    service,
)
from tests.support.corpus import corpus

NO_VALUE = "5: property android.app.appfunctions.v2 has no android:value; name the XML in assets/"
NO_RESOURCE = (
    f'5: property {METADATA_PROPERTY} has no android:resource; write android:resource="'
    '@xml/app_metadata"'
)
NO_XML = (
    f"5: property {METADATA_PROPERTY} is '../x.xml'; accepted is a resource in res/xml/, such as "
    "'@xml/app_metadata'"
)


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "AndroidManifest.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def names_in(folder: Path, *content: str) -> list[str]:
    manifest = read_manifest(written(folder, manifest_text(*content)))
    return [asset.name for asset in manifest.assets]


def faults_in(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(MetadataXmlError) as caught:
        read_manifest(written(folder, text))
    return [fault.removeprefix(f"{folder}/AndroidManifest.xml:") for fault in caught.value.faults]


def test_real_manifests_name_their_files() -> None:
    chat = read_manifest(corpus("android_xml", "chatapp_AndroidManifest.xml"))
    assert [asset.name for asset in chat.assets] == ["chat_app_function_service.xml"]
    assert (chat.app_metadata, chat.label, chat.warnings) == (
        "app_metadata",
        "@string/app_name",
        (),
    )
    agent = read_manifest(corpus("android_xml", "agent_AndroidManifest.xml"))
    assert [asset.name for asset in agent.assets] == [
        "builtin_app_function_service.xml",
        "fake_app_function_service.xml",
    ]
    tool = read_manifest(corpus("android_xml", "appfunctionspilot_tool_AndroidManifest.xml"))
    assert (tool.assets, tool.app_metadata) == ((), "app_metadata")


def test_package_label_and_version_are_those_of_the_manifest(tmp_path: Path) -> None:
    text = manifest_text(
        root='package=" com.example.notes " android:versionName="1.2"',
        application='android:label="Notes"',
    )
    manifest = read_manifest(written(tmp_path, text))
    assert (manifest.package, manifest.label, manifest.version) == (
        "com.example.notes",
        "Notes",
        "1.2",
    )


def test_the_newer_file_of_a_service_is_read_and_the_older_one_where_there_is_no_newer(
    tmp_path: Path,
) -> None:
    old = manifest_property(V1_PROPERTY, "old.xml")
    assert names_in(tmp_path, service(old, manifest_property(V2_PROPERTY, "new.xml"))) == [
        "new.xml"
    ]
    assert names_in(tmp_path, service(old)) == ["old.xml"]


def test_the_app_names_a_list_of_files_after_those_of_services_and_each_counts_once(
    tmp_path: Path,
) -> None:
    listed = manifest_property(V1_PROPERTY, " b.xml , sub/c.xml,, a.xml ")
    found = names_in(tmp_path, listed, service(manifest_property(V2_PROPERTY, "a.xml")))
    assert found == ["a.xml", "b.xml", "sub/c.xml"]


def test_what_the_merger_of_manifests_takes_out_is_not_read(tmp_path: Path) -> None:
    gone = service(manifest_property(V2_PROPERTY, "gone.xml")).replace(
        "<service", '<service tools:node="remove"'
    )
    assert names_in(tmp_path, gone, service(manifest_property(V2_PROPERTY, "a.xml"))) == ["a.xml"]


def test_other_services_and_properties_are_let_be(tmp_path: Path) -> None:
    other = service(manifest_property("com.example.other", "x"), action="com.example.OTHER")
    text = manifest_text(other, manifest_property("com.example.more", "y"))
    manifest = read_manifest(written(tmp_path, text))
    assert (manifest.assets, manifest.warnings) == ((), ())


def test_a_service_that_android_does_not_find_and_one_that_names_nothing_are_told(
    tmp_path: Path,
) -> None:
    hidden = service(manifest_property(V2_PROPERTY, "a.xml"), name="Hidden", action="")
    empty = service(name="Empty")
    manifest = read_manifest(written(tmp_path, manifest_text(hidden, empty)))
    assert manifest.assets == (NamedAsset("a.xml", 6),)
    first, second = manifest.warnings
    assert f"{manifest.path}:5: service 'Hidden' has no intent filter" in first
    assert f"{manifest.path}:8: service 'Empty' names no functions XML" in second


@pytest.mark.parametrize(
    "name",
    [
        *("../a.xml", "/etc/a.xml", "a/../../b.xml", "..", "a\\b.xml", "C:a.xml", "a//b.xml"),
        *("@string/name", "a.xml.", "b /x.xml", "a?.xml", "x" * 256),
    ],
)
def test_a_name_that_is_no_file_below_assets_is_refused(tmp_path: Path, name: str) -> None:
    (fault,) = faults_in(tmp_path, manifest_text(manifest_property(V1_PROPERTY, name)))
    assert fault.startswith("5: property android.app.appfunctions names ")
    assert "accepted is the name of a file below assets/" in fault


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (manifest_property(V2_PROPERTY, " , "), NO_VALUE),
        (manifest_property(V2_PROPERTY, "@xml/a", "resource"), NO_VALUE),
        (manifest_property(METADATA_PROPERTY, "@xml/app_metadata"), NO_RESOURCE),
        (manifest_property(METADATA_PROPERTY, "../x.xml", "resource"), NO_XML),
    ],
)
def test_a_property_that_names_nothing_is_refused(tmp_path: Path, content: str, fault: str) -> None:
    assert faults_in(tmp_path, manifest_text(content)) == [fault]


def test_a_document_that_is_no_manifest_is_refused(tmp_path: Path) -> None:
    assert faults_in(tmp_path, "<resources/>") == [
        "1: the root element is <resources>; <manifest> is accepted"
    ]
    assert faults_in(tmp_path, "<manifest/>") == [
        "1: <manifest> has no <application>, so it names no functions"
    ]
    (fault,) = faults_in(tmp_path, "<manifest>")
    assert "not well-formed XML" in fault


@pytest.mark.parametrize("content", [COMPILED, b"\n\xb4\x11\x08\x01\x12manifest"])
def test_a_compiled_manifest_is_refused_with_what_to_give_instead(
    tmp_path: Path, content: bytes
) -> None:
    (fault,) = faults_in(tmp_path, content)
    assert "this manifest is compiled (binary XML)" in fault
    assert "give the app's src/main folder" in fault


def test_only_binary_content_counts_as_compiled(tmp_path: Path) -> None:
    for text in ("<a/>", "\ufeff \n<a/>", "no xml", ""):
        assert not is_compiled(written(tmp_path, text))
    assert not is_compiled(written(tmp_path, "<a/>".encode("utf-16")))
    assert not is_compiled(tmp_path / "none.xml")
