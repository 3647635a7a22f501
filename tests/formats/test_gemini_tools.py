"""Functions as Gemini's function declarations, in both of its members for schemas."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from google.genai import types
from hypothesis import given
from pydantic import BaseModel, Field

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.gemini import GeminiFormat, SchemaMember
from appfunctions_mcp.formats.gemini.tool_rules import tool_violations
from appfunctions_mcp.formats.gemini.tools import export_tools
from tests.support.calls import make_service
from tests.support.drawn_schemas import arguments_schemas
from tests.support.exported import (
    assert_arguments_come_back,
    called,
    corpus_functions,
    functions_of,
    recorded_tools,
    sample_functions,
    tool_of,
)

MEMBERS: tuple[SchemaMember, ...] = ("parameters", "parametersJsonSchema")
each_member = pytest.mark.parametrize("member", MEMBERS)


def schema_of(exported: ExportedTools, member: SchemaMember = "parameters") -> dict[str, Any]:
    (tool,) = exported.tools
    schema: dict[str, Any] = tool.value[member]
    return schema


def property_of(schema: dict[str, Any], member: SchemaMember = "parameters") -> dict[str, Any]:
    """How a property of a schema is written."""
    exported = export_tools(
        [tool_of({"type": "object", "properties": {"x": schema}})], schema_member=member
    )
    assert_sound(exported)
    written: dict[str, Any] = schema_of(exported, member)["properties"]["x"]
    return written


def notes_of(schema: dict[str, Any], member: SchemaMember = "parameters") -> str:
    tool = tool_of({"type": "object", "properties": {"x": schema}})
    return "\n".join(export_tools([tool], schema_member=member).tools[0].notes)


def assert_sound(exported: ExportedTools) -> None:
    assert tool_violations(exported.value) == []
    assert "$ref" not in json.dumps(exported.value)
    for tool in exported.value:
        types.Tool.model_validate(tool)


def json_schema_of(part: dict[str, Any]) -> dict[str, Any]:
    """What a schema of `parameters` means, in JSON Schema."""
    read = {name: part[name] for name in part.keys() - {"nullable", "format"}}
    if "anyOf" in part:
        return {"anyOf": [json_schema_of(each) for each in part["anyOf"]]}
    read["type"] = part["type"].lower()
    if "properties" in part:
        read["properties"] = {name: json_schema_of(own) for name, own in part["properties"].items()}
    if "items" in part:
        read["items"] = json_schema_of(part["items"])
    return {"anyOf": [read, {"type": "null"}]} if part.get("nullable") else read


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for part in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from parts(part)


@each_member
def test_every_tool_of_the_corpus_passes(member: SchemaMember) -> None:
    for functions in corpus_functions().values():
        exported = export_tools(functions, schema_member=member)
        assert_sound(exported)
        assert [tool.name for tool in exported.tools] == [each.tool_name for each in functions]
        assert_arguments_come_back(functions, exported)


@each_member
def test_the_sample_app_passes(member: SchemaMember) -> None:
    assert_sound(export_tools(sample_functions(), schema_member=member))


def test_recorded_tools_keep_the_rules() -> None:
    recorded = recorded_tools(":generateContent", ":streamGenerateContent")
    assert len(recorded) > 5
    assert [tool_violations(tools) for tools in recorded] == [[]] * len(recorded)


@each_member
@given(drawn=arguments_schemas())
def test_any_schema_is_exported_by_the_rules_and_arguments_come_back(
    member: SchemaMember, drawn: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    schema, arguments = drawn
    exported = export_tools([tool_of(schema)], schema_member=member)
    assert_sound(exported)
    (tool,) = exported.tools
    written = tool.rewrite(arguments)
    own = tool.value[member]
    judged = json_schema_of(own) if member == "parameters" else own
    jsonschema.validate(written, judged, jsonschema.Draft202012Validator)
    assert json.dumps(tool.restore(written)) == json.dumps(arguments)


def test_only_members_that_the_service_knows_are_written() -> None:
    written = property_of(
        {
            "$comment": "no",
            "type": "object",
            "title": "No",
            "properties": {"a": {"type": ["string", "null"], "format": "uri", "default": "b"}},
            "additionalProperties": False,
            "required": ["a"],
        }
    )
    text = written["properties"].pop("a")
    assert written == {"type": "OBJECT", "properties": {}, "required": ["a"]}
    assert set(text) == {"type", "nullable", "description"}
    assert sorted(text["description"].split()) == ["Default:", "Format:", "b.", "uri."]


def test_limits_without_a_member_are_told_in_descriptions_and_notes() -> None:
    schema = {
        "type": "integer",
        "exclusiveMinimum": 3,
        "maximum": 9,
        "multipleOf": 2,
        "format": "uint8",
        "description": "How many.",
    }
    written = property_of(schema)
    assert written["maximum"] == 9
    assert set(written) == {"type", "maximum", "description"}
    assert written["description"].startswith("How many.")
    for word in ("More than 3.", "A multiple of 2.", "uint8"):
        assert word in written["description"]
    assert "exclusiveMinimum, format, multipleOf" in notes_of(schema)


def test_limits_that_are_too_large_for_the_service_are_told_in_words() -> None:
    assert "maximum" not in property_of({"type": "integer", "maximum": 10**400})
    assert "maxLength" not in property_of({"type": "string", "maxLength": 2**70})
    assert property_of({"type": "string", "maxLength": 3.0})["maxLength"] == 3


def test_patterns_that_look_around_are_told_in_words() -> None:
    assert property_of({"type": "string", "pattern": "^a+$"})["pattern"] == "^a+$"
    assert "pattern" not in property_of({"type": "string", "pattern": "^(?!a)b$"})
    assert "pattern" not in property_of({"type": "string", "pattern": "^(?<n>a)$"})


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"type": "INTEGER", "nullable": True},
        ),
        ({"type": "null"}, {"type": "NULL"}),
        ({"const": None}, {"type": "NULL"}),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        ({"enum": [1, 2, None]}, {"type": "STRING", "enum": ["1", "2"], "nullable": True}),
        ({"const": True}, {"type": "STRING", "enum": ["true"]}),
        (
            {"type": ["string", "number"]},
            {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            {"anyOf": [{"type": "STRING", "nullable": True}, {"type": "INTEGER"}]},
        ),
        (
            {"allOf": [{"type": "string"}, {"maxLength": 3}]},
            {"type": "STRING", "maxLength": 3},
        ),
        (
            {"type": "array", "items": {"type": "integer"}},
            {"type": "ARRAY", "items": {"type": "INTEGER"}},
        ),
    ],
)
def test_what_a_part_is_in_parameters(schema: dict[str, Any], written: dict[str, Any]) -> None:
    assert property_of(schema) == written


def test_nothing_stands_beside_a_union_and_its_description_is_with_every_alternative() -> None:
    written = property_of(
        {
            "description": "Whose.",
            "anyOf": [{"type": "string", "description": "A name."}, {"type": "integer"}],
        }
    )
    assert written == {
        "anyOf": [
            {"type": "STRING", "description": "Whose. A name."},
            {"type": "INTEGER", "description": "Whose."},
        ]
    }


@pytest.mark.parametrize(
    "schema", [{}, True, {"type": "array"}, {"type": "array", "items": {}}, {"description": "?"}]
)
def test_no_part_is_without_a_type_and_no_array_without_items(schema: Any) -> None:
    written = property_of(schema)
    for part in parts(written):
        assert "anyOf" in part or part["type"]
        assert "items" in part or part.get("type") != "ARRAY"


def test_an_empty_choice_is_told_in_words() -> None:
    written = property_of({"enum": ["", "a"], "description": "Which."})
    assert written == {"type": "STRING", "description": 'Which. One of: "", "a".'}
    assert "empty choice" in notes_of({"enum": ["", "a"]})


def test_choices_of_one_text_are_noted() -> None:
    assert "the string is meant" in notes_of({"enum": [1, "1"]})
    assert "the string is meant" in notes_of({"anyOf": [{"enum": [1]}, {"type": "string"}]})
    assert "the string is meant" not in notes_of({"enum": [1, "a"]})


def test_maps_are_told_in_the_description_and_noted() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
    written = property_of(schema)
    assert written["type"] == "OBJECT"
    assert '"INTEGER"' in written["description"]
    assert "no maps" in notes_of(schema)
    large = {f"p{place}": {"type": "string"} for place in range(50)}
    long = {"type": "object", "additionalProperties": {"type": "object", "properties": large}}
    assert len(property_of(long)["description"]) < 100
    mixed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": True,
    }
    assert "other keys" in property_of(mixed)["description"]


def test_json_schema_keeps_maps_and_choices_of_numbers() -> None:
    member: SchemaMember = "parametersJsonSchema"
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert property_of(schema, member) == schema
    assert notes_of(schema, member) == ""
    assert property_of({"enum": [1, 2]}, member) == {"type": "integer", "enum": [1, 2]}
    assert property_of({"enum": [1, 2.5]}, member) == {"type": "number", "enum": [1, 2.5]}


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        (
            {"enum": ["a", 1, None], "description": "Which."},
            {
                "anyOf": [
                    {"type": "string", "enum": ["a"]},
                    {"type": "integer", "enum": [1]},
                    {"type": "null"},
                ],
                "description": "Which.",
            },
        ),
        ({"const": True}, {"type": "boolean", "description": "Only true."}),
        ({"enum": [True, False]}, {"type": "boolean"}),
        (
            {"type": "string", "minLength": 2, "default": "ab"},
            {"type": "string", "description": "At least 2 characters. Default: ab."},
        ),
    ],
)
def test_what_a_part_is_in_json_schema(schema: dict[str, Any], written: dict[str, Any]) -> None:
    assert property_of(schema, "parametersJsonSchema") == written


@each_member
@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"type": "string"}])
def test_a_tool_without_parameters_has_an_empty_object(schema: Any, member: SchemaMember) -> None:
    exported = export_tools([tool_of(schema)], schema_member=member)
    assert_sound(exported)
    written = schema_of(exported, member)
    assert written["type"].lower() == "object"
    assert written["properties"] == {}
    assert "description" not in written


class Node(BaseModel):
    """A node."""

    name: str
    children: list["Node"] = []


class Left(BaseModel):
    """One of two that hold each other."""

    right: "Right | None" = None


class Right(BaseModel):
    """The other one."""

    left: Left | None = None


@each_member
def test_recursion_is_cut_to_a_typed_object_and_noted(member: SchemaMember) -> None:
    def depth(node: Node, left: Left) -> int:
        """Measures."""
        return 1

    exported = export_tools(functions_of(make_service(depth)), schema_member=member)
    assert_sound(exported)
    assert "fixed depth" in " ".join(exported.tools[0].notes)
    assert len(json.dumps(exported.value)) < 3000


@pytest.mark.anyio
async def test_a_value_deeper_than_the_cut_reaches_the_function() -> None:
    def names(node: Node) -> str:
        """Names."""
        return node.name + "".join(names(child) for child in node.children)

    node: dict[str, Any] = {"name": "e"}
    for name in "dcba":
        node = {"name": name, "children": [node]}
    assert await called(names, export_tools, {"node": node}) == "abcde"


@pytest.mark.anyio
async def test_choices_of_numbers_are_texts_and_come_back_as_numbers() -> None:
    """Field case F20."""

    def pick(quarter: Literal[1, 2, 3, 4], exact: Literal[True] | None = None) -> str:
        """Picks."""
        return repr((quarter, exact))

    (tool,) = export_tools(functions_of(make_service(pick))).tools
    written = tool.value["parameters"]["properties"]["quarter"]
    assert (written["type"], written["enum"]) == ("STRING", ["1", "2", "3", "4"])
    assert await called(pick, export_tools, {"quarter": "2", "exact": "true"}) == "(2, True)"
    assert tool.rewrite({"quarter": 2}) == {"quarter": "2"}
    assert "come back as declared" in " ".join(tool.notes)


class Filter(BaseModel):
    """A filter."""

    due: Annotated[str, Field(alias="due-date")] = ""


@pytest.mark.anyio
@each_member
async def test_renamed_keys_reach_the_function(member: SchemaMember) -> None:
    def find(filters: list[Filter]) -> str:
        """Finds."""
        return filters[0].due

    export = partial(export_tools, schema_member=member)
    (tool,) = export(functions_of(make_service(find))).tools
    (key,) = tool.value[member]["properties"]["filters"]["items"]["properties"]
    assert "-" not in key
    assert "'due-date'" in " ".join(tool.notes)
    assert await called(find, export, {"filters": [{key: "today"}]}) == "today"


def test_names_begin_with_a_letter_and_end_within_the_limit() -> None:
    names = ["1st", "a b", "x" * 100, "com.example.Notes#createNote", "ünï"]
    exported = export_tools([tool_of({}, name) for name in names])
    assert_sound(exported)
    assert [exported.by_name[name].exported_name for name in names] == [
        exported.rename(name) for name in names
    ]
    assert all(tool.exported_name in tool.notes[0] for tool in exported.tools)
    assert list(exported.by_exported_name) == [tool.exported_name for tool in exported.tools]


def test_more_functions_than_a_request_takes_are_noted() -> None:
    exported = export_tools([tool_of({}, f"take_{place}") for place in range(513)])
    assert "512" in exported.notes[-1]
    assert [each.rule for each in tool_violations(exported.value)] == ["declarations"]


def test_no_functions_are_no_tools() -> None:
    exported = export_tools([], strict=True)
    assert (exported.value, exported.notes) == (None, ())


def test_that_no_tool_is_strict_is_noted_unless_none_should_be() -> None:
    (note,) = export_tools([tool_of({})]).notes
    assert note.startswith("Not strict: ")
    assert export_tools([tool_of({})], strict=False).notes == ()


@each_member
def test_the_format_is_made_for_either_member(member: SchemaMember) -> None:
    exported = GeminiFormat(schema_member=member).export_tools([tool_of({})])
    assert member in exported.tools[0].value
    assert exported.format == GeminiFormat.name
