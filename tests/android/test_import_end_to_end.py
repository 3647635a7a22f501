"""An Android app's files all the way: imported, served to a real client, exported again."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent

from appfunctions_mcp.android.data_types import (
    AndroidDocument,
    AndroidResponse,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.client import connect_command
from tests.support.android_apps import usual_app, write_archive, write_files
from tests.support.corpus import corpus

PROGRAM = (sys.executable, "-P", "-m", "appfunctions_mcp")
PROJECT = Path(__file__).resolve().parents[2]
ONE_OF = "oneofserializable_oneOfFunctions_app_function_dynamic_schema.xml"
URI = "entrypoints_valid_uri_service.xml"
ENUM = "xml_stringEnumValueFunctions_app_functions_v2.xml"

A_SUBCLASS = {
    "schemaType": "com.testdata.oneofserializable.ASubclass",
    "interfaceProperty": "a",
    "str": "text",
}
B_SUBCLASS = {
    "schemaType": "com.testdata.oneofserializable.BSubclass",
    "interfaceProperty": "b",
    "integer": 5,
}
CALLS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    ONE_OF: {
        "oneOfSealedListReturn": {},
        "oneOfSealedReturn": {},
        "oneOfSealedNestedSerializable": {
            "oneOfSealedNestedSerializable": {"sealedInterface": A_SUBCLASS}
        },
        "oneOfSealedParam": {
            "oneOfSealedInterface": A_SUBCLASS,
            "oneOfSealedInterfaceList": [A_SUBCLASS, B_SUBCLASS],
        },
    },
    URI: {
        "functionWithContentUri": {"fileUri": "content://a/b"},
        "functionWithMultiSchemeUri": {"multiUri": "file:///a"},
        "functionWithUnconstrainedUri": {"plainUri": "https://example.com"},
        "functionWithStringConstraintNoEnumValues": {"stringParam": "abc"},
        "functionWithAllStringPatternKinds": {"stringParam": "prefix"},
        "functionWithSerializableValueConstraints": {
            "param": {"contentUri": "content://a", "numericString": "12"}
        },
        "functionWithUriReturn": {},
    },
    ENUM: {
        "stringEnumParamFunction": {"stringParam": "ON"},
        "stringEnumReturnFunction": {},
        "stringEnumSerializableFunction": {"stringEnumPropSerializable": {"stringProp": "OFF"}},
    },
}
REFUSED: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    ONE_OF: {
        "oneOfSealedParam": {
            "oneOfSealedInterface": {**A_SUBCLASS, "schemaType": "com.example.Other"},
            "oneOfSealedInterfaceList": [],
        },
        "oneOfSealedNestedSerializable": {
            "oneOfSealedNestedSerializable": {"sealedInterface": {**B_SUBCLASS, "integer": 2**31}}
        },
    },
    URI: {
        "functionWithContentUri": {"fileUri": "https://example.com"},
        "functionWithStringConstraintNoEnumValues": {"stringParam": "ABC"},
    },
    ENUM: {"stringEnumParamFunction": {"stringParam": "DIMMED"}},
}


def ran(*words: str | Path) -> str:
    """Runs a command of ours from the root folder and returns what it printed."""
    done = subprocess.run(
        [*PROGRAM, *map(str, words)],
        cwd="/",
        env={"PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def functions_files() -> list[Path]:
    """The functions XML files of the corpus."""
    return sorted(
        path
        for path in corpus("android_xml").glob("*.xml")
        if b"<appfunctions>" in path.read_bytes()
    )


def exported_again(folder: Path, sources: Iterable[Path]) -> Path:
    """Imports files, exports the project, and returns the folder of the exported assets."""
    ran("import-android", *sources, "-o", folder / "made", "--package", "made_app")
    ran("export-android", folder / "made", "-o", folder / "exported")
    return folder / "exported" / "assets"


def assert_all_are_there(sources: Iterable[Path], assets: Path) -> None:
    """Every document that was imported is among those exported, in whatever order it says it."""
    exported = [canonical(read_functions_xml(path)) for path in sorted(assets.glob("*.xml"))]
    for source in sources:
        assert canonical(with_responses(read_functions_xml(source))) in exported, source


def with_responses(document: AndroidDocument) -> AndroidDocument:
    """A document of the first form says not that functions return nothing; in Python they do."""
    nothing = AndroidResponse(type=ScalarType(kind=TypeNumber.UNIT))
    functions = (replace(each, response=each.response or nothing) for each in document.functions)
    return replace(document, functions=tuple(functions))


def text_of(result: CallToolResult) -> str:
    """The one text of an answer that is an error."""
    (content,) = result.content
    assert result.is_error
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.anyio
@pytest.mark.parametrize("name", [ONE_OF, URI, ENUM])
async def test_an_imported_file_is_served_to_a_real_client(tmp_path: Path, name: str) -> None:
    ran("import-android", corpus("android_xml", name), "-o", tmp_path / "made")
    command = (*PROGRAM, "run", str(tmp_path / "made" / "metadata" / "app_metadata.xml"))
    env = {"PYTHONPATH": str(PROJECT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    async with connect_command(command, env=env, cwd="/") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(CALLS[name])
        for tool, arguments in CALLS[name].items():
            result = await client.call_tool(tool, dict(arguments))
            assert text_of(result) == (
                f"AppFunctionNotSupportedException: {tool} is not written yet"
            )
        for tool, arguments in REFUSED[name].items():
            result = await client.call_tool(tool, dict(arguments))
            assert text_of(result).startswith("AppFunctionInvalidArgumentException: "), tool


@pytest.mark.parametrize("name", [ONE_OF, URI, ENUM])
def test_an_imported_file_is_exported_as_the_document_that_it_was(
    tmp_path: Path, name: str
) -> None:
    sources = [corpus("android_xml", name)]
    assert_all_are_there(sources, exported_again(tmp_path, sources))


def test_every_file_of_the_corpus_is_in_one_project_and_comes_out_again(tmp_path: Path) -> None:
    sources = functions_files()
    assets = exported_again(tmp_path, sources)
    with_types = [source for source in sources if "-v1" not in source.name]
    assert_all_are_there(with_types, assets)
    listed = json.loads(ran("list", tmp_path / "made", "--all", "--json"))["functions"]
    ids = {each.id for source in sources for each in read_functions_xml(source).functions}
    assert {each["function_id"] for each in listed} == ids


def test_an_archive_s_app_is_exported_with_the_texts_that_it_had(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "app.aar", usual_app())
    assets = exported_again(tmp_path, [archive])
    app = write_files(tmp_path / "app", usual_app())
    assert_all_are_there([app / "assets" / "notes_service.xml"], assets)
    again = json.loads(ran("list", tmp_path / "made", "--json"))["app"]
    assert again["description"] == "Manages notes.\nConstraints:\n- A title is short."
    exported = (tmp_path / "exported" / "res" / "xml" / "app_metadata.xml").read_text()
    assert 'appfn:description="Manages notes.&#10;Constraints:&#10;- A title is short."' in exported
    assert "mcp:" not in exported
