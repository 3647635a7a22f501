"""An Android app's folder in place of the metadata file."""

from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from appfunctions_mcp.cli.arguments import find_file, find_files
from appfunctions_mcp.exceptions import MetadataXmlError, SettingsError
from tests.support.android_apps import (
    METADATA_PROPERTY,
    description_text,
    functions_text,
    manifest_property,
    manifest_text,
    usual_app,
    write_files,
)
from tests.support.corpus import corpus
from tests.support.manifest_app import manifests, running

CHATAPP_TEXT = """\
Provides functions for managing chat conversations, searching contacts, sending messages, and \
initiating voice calls.
Operational Patterns:
- Always call 'searchContacts' first to resolve contact or group names to an 'endpointValue' \
before calling 'send' or 'makeCall'.
- Passing a blank query string to 'searchContacts' retrieves the most recently contacted entities.
Constraints:
- Message content cannot be empty or blank when calling 'send'.
- Calls and messages must use valid endpointValue identifiers returned by 'searchContacts'.
- Image attachments are supported in 'send' via a list of content URIs."""


def chat_app(folder: Path) -> Path:
    """The ChatApp's files as they lie in its `src/main`, which is returned."""
    names = {
        "AndroidManifest.xml": "chatapp_AndroidManifest.xml",
        "res/xml/app_metadata.xml": "chatapp_app_metadata.xml",
        "res/values/strings.xml": "chatapp_strings.xml",
    }
    return write_files(
        folder, {n: corpus("android_xml", real).read_bytes() for n, real in names.items()}
    )


def test_the_chat_app_s_description_reaches_a_client_line_by_line(tmp_path: Path) -> None:
    """F90: its five bullets, three of them constraints, are lines."""
    main_folder = chat_app(tmp_path / "src" / "main")
    with running(main_folder, "--module", "sample_app.notes") as server:
        answer = server.initialize()
    assert answer["instructions"] == CHATAPP_TEXT
    assert answer["serverInfo"]["description"] == answer["instructions"]


def test_the_chat_app_s_description_is_that_of_the_project_that_is_made_of_it(
    tmp_path: Path,
) -> None:
    """F90."""
    main_folder = chat_app(tmp_path / "src" / "main")
    write_files(
        tmp_path / "build" / "generated" / "ksp" / "debug" / "resources" / "assets",
        {"chat_app_function_service.xml": functions_text("com.example.chatapp.Chat#sendMessage")},
    )
    assert main(["import-android", str(main_folder), "-o", str(tmp_path / "chat")]) == 0
    with running(tmp_path / "chat" / "metadata" / "app_metadata.xml") as server:
        answer = server.initialize()
        tools = server.request("tools/list")["result"]["tools"]
    assert answer["instructions"] == CHATAPP_TEXT
    assert answer["serverInfo"]["title"] == "ChatApp"
    assert [tool["name"] for tool in tools] == ["sendMessage"]


def test_a_project_that_holds_the_app_will_do_as_well(tmp_path: Path) -> None:
    app = write_files(tmp_path / "app" / "src" / "main", usual_app())
    metadata = app / "res" / "xml" / "app_metadata.xml"
    assert find_file(tmp_path) == find_file(str(tmp_path / "app")) == metadata
    assert find_files(tmp_path) == [metadata, app / "AndroidManifest.xml"]


def test_metadata_of_our_own_comes_before_an_android_app(tmp_path: Path) -> None:
    write_files(tmp_path / "src" / "main", usual_app())
    write_files(tmp_path, {"app_metadata.xml": description_text()})
    assert find_file(tmp_path) == tmp_path / "app_metadata.xml"


def test_an_app_without_a_module_of_python_says_how_to_get_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path, usual_app())
    assert main(["list", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"{tmp_path}/AndroidManifest.xml: an Android app names no Python module; give one with "
        "--module NAME, or make one of the app's functions: appfunctions-mcp import-android "
        f"{tmp_path} -o DIR\n"
    )


def test_an_app_without_metadata_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"AndroidManifest.xml": manifest_text()})
    with pytest.raises(SettingsError, match="names no metadata of an app with functions; add the"):
        find_file(tmp_path)
    named = manifest_text(manifest_property(METADATA_PROPERTY, "@xml/none", "resource"))
    write_files(tmp_path, {"AndroidManifest.xml": named})
    with pytest.raises(MetadataXmlError, match=r"AndroidManifest\.xml:5: the manifest names @xml"):
        find_file(tmp_path)


def test_a_manifest_that_names_another_file_is_noticed_at_the_next_start(tmp_path: Path) -> None:
    app = write_files(
        tmp_path / "app", usual_app() | {"res/xml/other.xml": description_text("Manages others.")}
    )

    def instructions() -> str:
        with running(app, "--module", "sample_app.notes") as server:
            told: str = server.initialize()["instructions"]
            server.request("tools/list")
            server.close_input()
            server.wait()
            return told

    assert instructions().startswith("Manages notes.")
    assert manifests(), "the next start would answer from what this one has kept"
    changed = usual_app()["AndroidManifest.xml"].replace("@xml/app_metadata", "@xml/other")
    write_files(app, {"AndroidManifest.xml": changed})
    assert instructions() == "Manages others."
