"""What `list-app-functions` shows of a document."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings

from appfunctions_mcp.android.bridge.discovery import read_listing
from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidProperty,
    AndroidResponse,
    ArrayType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.shell.function_listing import listed_documents
from appfunctions_mcp.android.shell.org_json import json_text
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionSchema,
    AppFunctionScope,
    AppFunctionState,
)
from tests.support.android_documents import documents

PACKAGE = "com.example.app"
STRING = ScalarType(kind=TypeNumber.STRING)
FULL = AndroidFunction(
    id="com.example.Service#find",
    enabled_by_default=False,
    scope=AppFunctionScope.GLOBAL,
    description="Finds.",
    parameters=(
        AndroidParameter(
            name="query",
            type=ScalarType(
                kind=TypeNumber.STRING,
                nullable=True,
                enum_values=("A", "B"),
                patterns=(StringPattern("a", 1),),
                format="uuid",
            ),
            required=True,
            description="What to find.",
        ),
    ),
    response=AndroidResponse(
        type=ArrayType(items=ReferenceType(name="com.example.Note")), description="Notes."
    ),
    schema=AppFunctionSchema("notes", "find", 2),
    deprecation="Use another.",
    access_level=AppFunctionAccessLevel.SYSTEM,
    compat_enforcement=False,
)
NOTE = ObjectType(
    name="com.example.Note",
    properties=(AndroidProperty("title", STRING),),
    required=("title",),
    nullable=True,
    description="A note.",
)


def test_a_function_has_every_property_as_a_list_and_its_state_joined() -> None:
    document = AndroidDocument(
        functions=(FULL,), components=(AndroidComponent("com.example.Note", NOTE),)
    )

    function, components = listed_documents(
        document, {FULL.id: AppFunctionState.DISABLED}, package=PACKAGE
    )

    assert function == {
        "AppFunctionStaticMetadata-com.example.app": {
            "functionId": ["com.example.Service#find"],
            "packageName": ["com.example.app"],
            "mobileApplicationQualifiedId": ["android$apps-db/apps#com.example.app"],
            "enabledByDefault": [False],
            "scope": ["global"],
            "description": ["Finds."],
            "parameters": [
                {
                    "name": ["query"],
                    "isRequired": [True],
                    "dataTypeMetadata": [
                        {
                            "type": [8],
                            "isNullable": [True],
                            "enumValues": ["A", "B"],
                            "patterns": [{"type": [1], "value": ["a"]}],
                            "format": ["uuid"],
                        }
                    ],
                    "description": ["What to find."],
                }
            ],
            "response": [
                {
                    "valueType": [
                        {
                            "type": [10],
                            "isNullable": [False],
                            "itemType": [
                                {
                                    "type": [11],
                                    "isNullable": [False],
                                    "dataTypeReference": ["com.example.Note"],
                                }
                            ],
                        }
                    ],
                    "description": ["Notes."],
                }
            ],
            "schemaCategory": ["notes"],
            "schemaName": ["find"],
            "schemaVersion": [2],
            "deprecation": [{"message": ["Use another."]}],
            "accessLevel": ["system"],
            "isCompatEnforcementEnabled": [False],
        },
        "AppFunctionRuntimeMetadata-com.example.app": {
            "AppFunctionRuntimeMetadata-com.example.app": {
                "functionId": ["com.example.Service#find"],
                "packageName": ["com.example.app"],
                "enabled": [2],
                "appFunctionStaticMetadataQualifiedId": [
                    "android$apps-db/app_functions#com.example.app/com.example.Service#find"
                ],
            }
        },
    }
    assert components == {
        "AppFunctionComponentMetadataDocument-com.example.app": {
            "dataTypes": [
                {
                    "name": ["com.example.Note"],
                    "dataTypeMetadata": [
                        {
                            "type": [3],
                            "isNullable": [True],
                            "objectQualifiedName": ["com.example.Note"],
                            "properties": [
                                {
                                    "name": ["title"],
                                    "dataTypeMetadata": [{"type": [8], "isNullable": [False]}],
                                }
                            ],
                            "required": ["title"],
                            "description": ["A note."],
                        }
                    ],
                }
            ]
        }
    }


def test_a_function_of_which_nothing_is_said_has_only_its_names_and_state() -> None:
    (entry,) = listed_documents(
        AndroidDocument(functions=(AndroidFunction(id="f"),)), {}, package="p"
    )

    assert entry["AppFunctionStaticMetadata-p"] == {
        "functionId": ["f"],
        "packageName": ["p"],
        "mobileApplicationQualifiedId": ["android$apps-db/apps#p"],
    }
    state = entry["AppFunctionRuntimeMetadata-p"]["AppFunctionRuntimeMetadata-p"]
    assert state["enabled"] == [0]


def test_before_37_a_function_has_no_scope() -> None:
    (entry,) = listed_documents(
        AndroidDocument(functions=(FULL,)), {}, package=PACKAGE, api_level=36
    )

    assert "scope" not in entry["AppFunctionStaticMetadata-com.example.app"]


def test_members_stand_in_their_order() -> None:
    circle = ReferenceType(name="Circle", nullable=True)
    types = (
        AllOfType(name="Sub", members=(circle, NOTE)),
        OneOfType(name="Shape", members=(circle,)),
        ParcelableType(name="android.graphics.Bitmap"),
    )
    document = AndroidDocument(
        components=tuple(AndroidComponent(each.name, each) for each in types)
    )

    (entry,) = listed_documents(document, {}, package="p")

    listed: list[dict[str, Any]] = [
        each["dataTypeMetadata"][0]
        for each in entry["AppFunctionComponentMetadataDocument-p"]["dataTypes"]
    ]
    assert [each["type"] for each in listed] == [[12], [14], [13]]
    assert [len(each.get("allOf", each.get("oneOf", ()))) for each in listed] == [2, 1, 0]
    assert listed[2]["objectQualifiedName"] == ["android.graphics.Bitmap"]


@given(documents())
@settings(max_examples=60, deadline=None)
def test_every_property_of_every_document_is_a_list(document: AndroidDocument) -> None:
    def check(listed: dict[str, Any]) -> None:
        for values in listed.values():
            assert isinstance(values, list)
            assert values
            for value in values:
                if isinstance(value, dict):
                    check(value)
                else:
                    assert isinstance(value, str | int | bool)

    for entry in listed_documents(document, {}, package="p"):
        for name, listed in entry.items():
            check(listed[name] if name.startswith("AppFunctionRuntimeMetadata") else listed)


@given(documents())
@settings(max_examples=60, deadline=None)
def test_what_is_listed_is_read_from_the_listing_again(document: AndroidDocument) -> None:
    """Functions of activities aside, which the shell cannot call."""
    kept = tuple(each for each in document.functions if each.scope is not AppFunctionScope.ACTIVITY)
    told = replace(document, functions=kept, service=None)

    apps = read_listing(json_text({"p": listed_documents(told, {}, package="p")}, indent=2))

    assert canonical(apps["p"].document) == canonical(told)
