"""What a device lists → documents and states, in every shape that devices have printed."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.android.bridge.discovery import DiscoveredApp, ListingError, read_listing
from appfunctions_mcp.android.data_types import (
    AndroidDocument,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.shell.function_listing import listed_documents
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.metadata import AppFunctionSchema, AppFunctionScope, AppFunctionState
from tests.support.android_documents import compiled_documents, documents
from tests.support.corpus import corpus

PACKAGE = "com.example.notes"
STATIC, RUNTIME, COMPONENTS = (
    f"{kind}-{PACKAGE}"
    for kind in (
        "AppFunctionStaticMetadata",
        "AppFunctionRuntimeMetadata",
        "AppFunctionComponentMetadataDocument",
    )
)
TEXT = {"type": [8], "isNullable": [False]}


def listed(*entries: dict[str, Any]) -> DiscoveredApp:
    return read_listing(json.dumps({PACKAGE: list(entries)}))[PACKAGE]


def function(function_id: str = "a#b", **properties: Any) -> dict[str, Any]:
    return {STATIC: {"functionId": [function_id], **properties}}


def state(number: int) -> dict[str, Any]:
    return {RUNTIME: {RUNTIME: {"enabled": [number]}}}


def parameter(name: str, **data_type: Any) -> dict[str, Any]:
    return {"name": [name], "isRequired": [True], "dataTypeMetadata": [data_type]}


def without_activities(document: AndroidDocument) -> AndroidDocument:
    functions = tuple(f for f in document.functions if f.scope is not AppFunctionScope.ACTIVITY)
    return AndroidDocument(functions=functions, components=document.components)


@settings(max_examples=40)
@given(documents() | compiled_documents(), st.sampled_from([36, 37]))
def test_every_document_comes_back_from_its_listing(
    document: AndroidDocument, api_level: int
) -> None:
    states = {each.id: AppFunctionState.DISABLED for each in document.functions}
    entries = listed_documents(document, states, package=PACKAGE, api_level=api_level)
    app = read_listing(json.dumps({PACKAGE: entries}))[PACKAGE]
    if api_level == 37:
        expected = without_activities(document)
        assert canonical(app.document) == canonical(expected)
    ids = {each.id for each in app.document.functions}
    assert dict(app.enabled) == dict.fromkeys(ids, False)


@pytest.mark.parametrize(
    "name",
    [
        "oneofserializable_oneOfFunctions_app_function_dynamic_schema.xml",
        "entrypoints_valid_uri_service.xml",
        "xml_stringEnumValueFunctions_app_functions_v2.xml",
        "xml_fakeAllPrimitiveParams_app_function_dynamic_schema.xml",
        "xml_property_doc_priority.xml",
    ],
)
def test_real_documents_come_back_from_their_listing(name: str) -> None:
    document = read_functions_xml(corpus("android_xml", name))
    entries = listed_documents(document, {}, package=PACKAGE)
    app = read_listing(json.dumps({PACKAGE: entries}))[PACKAGE]
    assert app.findings == ()
    expected = AndroidDocument(functions=document.functions, components=document.components)
    assert canonical(app.document) == canonical(expected)


def test_states_are_read_where_they_are_nested_and_where_they_are_not() -> None:
    nested = function("a#on") | state(1)
    plain = function("a#off") | {RUNTIME: {"enabled": [2]}}
    in_lists = {STATIC: [{"functionId": "a#bare"}], RUNTIME: [{RUNTIME: [{"enabled": 0}]}]}
    app = listed(nested, plain, in_lists)
    assert app.enabled == {"a#on": True, "a#off": False}
    assert [each.id for each in app.document.functions] == ["a#bare", "a#off", "a#on"]


def test_the_names_of_documents_may_lack_the_package_and_values_the_lists() -> None:
    entry = {
        "AppFunctionStaticMetadata": {
            "functionId": "a#b",
            "description": "Adds.",
            "parameters": {"name": "x", "dataTypeMetadata": {"type": 7}},
            "response": {"valueType": {"type": 6}, "description": "The sum."},
        }
    }
    found = read_listing(json.dumps({PACKAGE: entry}))[PACKAGE].document.functions[0]
    assert (found.description, found.parameters[0].name) == ("Adds.", "x")
    assert found.response is not None
    assert found.response.type == ScalarType(kind=TypeNumber.LONG)


def test_what_a_shell_prints_before_the_json_is_passed_over() -> None:
    assert read_listing("WARNING: linker: unused\n{}\n") == {}


@pytest.mark.parametrize("output", ["", "no json", "{", '{"a": ' * 5000, "[1]"])
def test_other_output_is_no_listing(output: str) -> None:
    with pytest.raises(ListingError, match="the list of functions is no JSON"):
        read_listing(output)


@pytest.mark.parametrize(
    ("properties", "finding"),
    [
        ({"parameters": [parameter("x", type=[9])]}, "the type number is 9"),
        ({"parameters": [parameter("x")]}, "the type number is None"),
        ({"parameters": [parameter("x", type=["8"])]}, "type is"),
        ({"parameters": [{"name": ["x"]}]}, "there is no dataTypeMetadata"),
        ({"parameters": [{"dataTypeMetadata": [TEXT]}]}, "name is 'None'; a text is expected"),
        ({"parameters": [parameter("x", type=[10])]}, "there is no itemType"),
        ({"parameters": [parameter("x", type=[11])]}, "dataTypeReference is"),
        (
            {"parameters": [parameter("x", type=[11], dataTypeReference=["p.Gone"])]},
            "the reference 'p.Gone' names no component",
        ),
        ({"parameters": [parameter("x", type=[3])]}, "an object has no properties"),
        (
            {"parameters": [parameter("x", type=[3], properties=[{"name": ["y"]}])]},
            "property 'y': there is no dataTypeMetadata",
        ),
        ({"response": [{"valueType": [{"type": [99]}]}]}, "response: the type number is 99"),
        ({"enabledByDefault": ["yes"]}, "true or false is expected"),
        ({"schemaVersion": ["1"], "schemaName": ["n"]}, "a whole number is expected"),
        ({"scope": ["activity"]}, "belongs to single activities"),
    ],
)
def test_a_function_that_cannot_be_used_is_a_finding_and_costs_no_other(
    properties: dict[str, Any], finding: str
) -> None:
    app = listed(function("a#bad", **properties), function("a#good"))
    assert [each.id for each in app.document.functions] == ["a#good"]
    (told,) = app.findings
    assert told.startswith(PACKAGE)
    assert "a#bad" in told
    assert finding in told


def test_types_that_stand_in_each_other_without_end_are_refused() -> None:
    deep: dict[str, Any] = {"type": [8]}
    for _ in range(60):
        deep = {"type": [10], "itemType": [deep]}
    app = listed(function(parameters=[parameter("x", **deep)]))
    assert "more than 45 deep" in app.findings[0]


def test_a_function_answers_for_its_own_components_only() -> None:
    broken = {"name": ["p.Broken"], "dataTypeMetadata": [{"type": [3]}]}
    unreadable = {"name": ["p.Unreadable"], "dataTypeMetadata": [{"type": [77]}]}
    fine = {
        "name": ["p.Fine"],
        "dataTypeMetadata": [
            {"type": [3], "properties": [{"name": ["t"], "dataTypeMetadata": [TEXT]}]}
        ],
    }
    app = listed(
        function("a#good", parameters=[parameter("x", type=[11], dataTypeReference=["p.Fine"])]),
        function("a#bad", parameters=[parameter("x", type=[11], dataTypeReference=["p.Broken"])]),
        {COMPONENTS: {"id": ["p.BaseService"], "dataTypes": [broken, unreadable, fine]}},
    )
    assert [each.id for each in app.document.functions] == ["a#good"]
    assert app.document.functions[0].parameters[0].type == ReferenceType(name="p.Fine")
    assert app.document.service == "p.BaseService"
    assert any("p.Unreadable" in each for each in app.findings)


def test_what_a_newer_version_adds_is_passed_over() -> None:
    app = listed(
        function(scope=["planet"], accessLevel=["kings"], news=[1], schemaName=["half"]),
        {"SomethingElse-x": {"a": [1]}, "AppFunctionStaticMetadata-x": 3},
        function(),
    )
    (found,) = app.document.functions
    assert (found.scope, found.access_level, found.schema) == (None, None, None)
    assert app.findings == ()
    assert read_listing(json.dumps({PACKAGE: ["text"]}))[PACKAGE].document.functions == ()


def test_a_schema_has_three_parts_and_patterns_are_those_that_can_be_read() -> None:
    patterns = [{"type": [3], "value": ["a+"]}]
    unread = [{"type": [3], "value": ["a{"]}]
    found = listed(
        function(
            schemaCategory=["notes"],
            schemaName=["create"],
            schemaVersion=[2],
            parameters=[
                parameter("x", type=[8], patterns=patterns),
                parameter("y", type=[8], patterns=unread),
                parameter("z", type=[8], patterns=[{"value": ["a"]}]),
            ],
        )
    ).document.functions[0]
    assert found.schema == AppFunctionSchema("notes", "create", 2)
    counts = [len(p.type.patterns) for p in found.parameters if isinstance(p.type, ScalarType)]
    assert counts == [1, 0, 0]
