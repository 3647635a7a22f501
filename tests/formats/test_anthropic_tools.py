"""Functions as tools of Anthropic's Messages: by the rules, and with a way back."""

import json
from typing import Annotated, Any, Literal

import anthropic.types
import jsonschema
import pytest
from hypothesis import given
from pydantic import BaseModel, Field, TypeAdapter

from appfunctions_mcp import SetField
from appfunctions_mcp.formats.anthropic.tool_rules import tool_violations
from appfunctions_mcp.formats.anthropic.tools import export_tools
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.names import ExportedNameError
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

SDK_TOOLS: TypeAdapter[Any] = TypeAdapter(list[anthropic.types.ToolParam])


def schema_of(exported: ExportedTools) -> dict[str, Any]:
    (tool,) = exported.tools
    schema: dict[str, Any] = tool.value["input_schema"]
    return schema


def assert_sound(exported: ExportedTools) -> None:
    assert tool_violations(exported.value) == []
    SDK_TOOLS.validate_python(exported.value)
    for tool in exported.tools:
        assert tool.is_strict == tool.value.get("strict", False)


@pytest.mark.parametrize("strict", [None, True, False])
def test_every_tool_of_the_corpus_passes_or_says_why_it_is_not_strict(strict: bool | None) -> None:
    for functions in corpus_functions().values():
        exported = export_tools(functions, strict=strict)
        assert_sound(exported)
        assert [tool.name for tool in exported.tools] == [each.tool_name for each in functions]
        assert_arguments_come_back(functions, exported)
        for tool in exported.tools:
            reasons = [note for note in tool.notes if note.startswith("Not strict: ")]
            assert len(reasons) == (strict is not False and not tool.is_strict)


def test_the_sample_app_passes() -> None:
    exported = export_tools(sample_functions())
    assert_sound(exported)
    assert any(tool.is_strict for tool in exported.tools)


def test_recorded_tools_keep_the_rules() -> None:
    recorded = recorded_tools("api.anthropic.com")
    assert recorded
    assert [tool_violations(tools) for tools in recorded] == [[]] * len(recorded)


@given(arguments_schemas())
def test_any_schema_is_exported_by_the_rules_and_arguments_come_back(
    drawn: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, arguments = drawn
    exported = export_tools([tool_of(schema)])
    assert_sound(exported)
    assert_sound(export_tools([tool_of(schema)], strict=False))
    (tool,) = exported.tools
    written = tool.rewrite(arguments)
    jsonschema.validate(written, schema_of(exported), jsonschema.Draft202012Validator)
    assert json.dumps(tool.restore(written)) == json.dumps(arguments)


@pytest.mark.parametrize(
    "schema", [None, {}, {"type": "object"}, {"type": "object", "properties": {}}]
)
def test_a_tool_without_parameters_has_an_empty_object(schema: Any) -> None:
    exported = export_tools([tool_of(schema)])
    assert schema_of(exported) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert exported.tools[0].is_strict


def test_a_union_at_the_root_becomes_one_object() -> None:
    a = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    b = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}
    exported = export_tools([tool_of({"anyOf": [a, b]})])
    assert_sound(exported)
    schema = schema_of(exported)
    assert schema["type"] == "object"
    assert set(schema["properties"]) == {"a", "b"}
    assert "required" not in schema


def test_limits_that_strict_schemas_lack_are_told_in_the_description() -> None:
    number = {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."}
    text = {"type": "string", "format": "uri-template", "pattern": "^a+$"}
    many = {"type": "array", "items": {"type": "string", "format": "date"}, "minItems": 2}
    schema = {"type": "object", "properties": {"number": number, "text": text, "many": many}}
    exported = export_tools([tool_of(schema)])
    assert_sound(exported)
    properties = schema_of(exported)["properties"]
    assert properties["number"] == {
        "type": "integer",
        "description": "How many. At least 1. At most 9.",
    }
    assert set(properties["text"]) == {"type", "description"}
    assert "uri-template" in properties["text"]["description"]
    assert properties["many"]["items"] == {"type": "string", "format": "date"}
    (note,) = exported.tools[0].notes
    for keyword in ("format", "maximum", "minItems", "minimum", "pattern"):
        assert keyword in note


def test_a_tool_that_is_not_strict_keeps_its_limits() -> None:
    number = {"type": "integer", "minimum": 1, "default": 3}
    schema = {"type": "object", "properties": {"number": number}}
    exported = export_tools([tool_of(schema)], strict=False)
    assert schema_of(exported)["properties"]["number"] == number
    assert "strict" not in exported.tools[0].value


def test_maps_are_not_strict_and_keep_their_values() -> None:
    def count(words: dict[str, int]) -> int:
        """Counts."""
        return sum(words.values())

    exported = export_tools(functions_of(make_service(count)))
    assert_sound(exported)
    (tool,) = exported.tools
    assert not tool.is_strict
    assert "/properties/words" in tool.notes[0]
    assert schema_of(exported)["properties"]["words"]["additionalProperties"] == {"type": "integer"}


class Node(BaseModel):
    """A node."""

    name: str
    children: list["Node"] = []


def test_recursion_stays_as_a_reference_and_is_not_strict() -> None:
    def depth(node: Node) -> int:
        """Measures."""
        return 1 + max((depth(child) for child in node.children), default=0)

    exported = export_tools(functions_of(make_service(depth)))
    assert_sound(exported)
    (tool,) = exported.tools
    assert not tool.is_strict
    assert "recursion" in tool.notes[0]
    assert list(schema_of(exported)["$defs"]) == ["Node"]


def many(count: int, properties: dict[str, Any], required: list[str] | None = None) -> Any:
    schema = {"type": "object", "properties": properties, "required": required or []}
    return [tool_of(schema, f"take_{place}") for place in range(count)]


def test_a_request_has_at_most_twenty_strict_tools() -> None:
    exported = export_tools(many(22, {"a": {"type": "string"}}, ["a"]))
    assert_sound(exported)
    assert [tool.is_strict for tool in exported.tools] == [True] * 20 + [False] * 2
    assert "20 strict tools" in exported.tools[-1].notes[-1]


def test_a_request_has_at_most_twenty_four_optional_parameters_of_strict_tools() -> None:
    functions = many(4, {f"p{place}": {"type": "string"} for place in range(10)})
    small = tool_of({"type": "object", "properties": {"a": {"type": "string"}}}, "small")
    exported = export_tools([*functions, small])
    assert_sound(exported)
    assert [tool.is_strict for tool in exported.tools] == [True, True, False, False, True]
    assert "24 parameters" in exported.tools[2].notes[-1]


def test_a_request_has_at_most_sixteen_unions_of_strict_tools() -> None:
    unions = {f"p{place}": {"type": ["string", "null"]} for place in range(9)}
    exported = export_tools(many(2, unions, list(unions)))
    assert_sound(exported)
    assert [tool.is_strict for tool in exported.tools] == [True, False]
    assert "16 unions" in exported.tools[1].notes[-1]


def test_names_are_mapped_and_found_by_both_names() -> None:
    exported = export_tools([tool_of({}, "com.example.Notes#createNote")])
    assert_sound(exported)
    (tool,) = exported.tools
    assert exported.by_name["com.example.Notes#createNote"] is tool
    assert exported.by_exported_name[tool.exported_name] is tool
    assert exported.rename("com.example.Notes#createNote") == tool.exported_name
    assert exported.rename("take") == "take"


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ExportedNameError):
        export_tools([tool_of({}), tool_of({})])


def test_two_keys_that_would_be_one_are_refused() -> None:
    exported = export_tools([tool_of({"type": "object", "properties": {"a b": {}}})], strict=False)
    (key,) = schema_of(exported)["properties"]
    with pytest.raises(ExportedNameError, match="'a b'"):
        export_tools([tool_of({"type": "object", "properties": {"a b": {}, key: {}}})])


def test_no_functions_are_no_tools() -> None:
    exported = export_tools([])
    assert exported.value is None
    assert exported.tools == ()
    assert tool_violations(exported.value) == []


def test_a_very_long_description_is_cut_and_says_so() -> None:
    exported = export_tools([tool_of({}, description="A sentence. " * 2000)])
    (tool,) = exported.tools
    assert len(tool.value["description"]) <= 10_000
    assert "23,999" in tool.notes[0] or "24,000" in tool.notes[0]


class Filter(BaseModel):
    """A filter."""

    due: Annotated[str, Field(alias="due date")] = ""


@pytest.mark.anyio
async def test_renamed_keys_reach_the_function() -> None:
    def find(filter: Filter) -> str:  # noqa: A002 - the name of a parameter
        """Finds."""
        return filter.due

    (tool,) = export_tools(functions_of(make_service(find))).tools
    (key,) = tool.value["input_schema"]["properties"]["filter"]["properties"]
    assert key != "due date"
    assert "'due date'" in " ".join(tool.notes)
    assert await called(find, export_tools, {"filter": {key: "today"}}) == "today"
    assert tool.rewrite({"filter": {"due date": "today"}}) == {"filter": {key: "today"}}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("arguments", "meant"),
    [({}, "left"), ({"due": {"value": None}}, "cleared"), ({"due": {"value": "x"}}, "set to x")],
)
async def test_a_set_field_that_is_left_out_stays_left(
    arguments: dict[str, Any], meant: str
) -> None:
    def update(due: SetField[str | None] | None = None) -> str:
        """Updates."""
        if due is None:
            return "left"
        return "cleared" if due.value is None else f"set to {due.value}"

    assert await called(update, export_tools, arguments) == meant


@pytest.mark.anyio
async def test_choices_of_numbers_stay_numbers() -> None:
    def pick(quarter: Literal[1, 2, 3, 4]) -> str:
        """Picks."""
        return repr(quarter)

    assert await called(pick, export_tools, {"quarter": 2}) == "2"
