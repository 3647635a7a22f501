"""Field cases about tools at providers: a name, a keyword or a null had whole requests refused."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pytest

from appfunctions_mcp.fields import SetField, apply_fields
from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.descriptions import MARK
from appfunctions_mcp.formats.exported_tools import ExportedTool
from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.names import TOOL_NAME
from tests.support.calls import make_service, value_of
from tests.support.corpus import corpus
from tests.support.exported import tool_of

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
OPENAI = ["openai-chat", "openai-responses"]
every_format = pytest.mark.parametrize("name", FORMAT_NAMES)


def exported(name: str, schema: Any, *, strict: bool | None = None) -> ExportedTool:
    """A foreign tool with a schema in a format, which breaks none of its rules."""
    form = format_named(name)
    tools = form.export_tools([tool_of(schema)], strict=strict)
    assert form.check_tools(tools.value) == []
    return tools.tools[0]


def parameters_of(tool: ExportedTool) -> Json:
    """The schema in a tool, wherever the provider has it."""
    value = tool.value.get("function", tool.value)
    schema: Json = value.get("parameters", value.get("input_schema"))
    return schema


def properties_of(tool: ExportedTool) -> Json:
    properties: Json = parameters_of(tool)["properties"]
    return properties


def parts_of(value: Any) -> Iterator[Json]:
    """Every object in a schema."""
    if isinstance(value, Mapping):
        yield dict(value)
    children = value.values() if isinstance(value, Mapping) else value
    for child in children if isinstance(value, Mapping | list) else ():
        yield from parts_of(child)


def kinds_of(part: Json) -> list[str]:
    """The types of a part, as JSON Schema spells them."""
    kinds = part.get("type", [])
    return [str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])]


@every_format
def test_every_exported_name_is_one_that_all_providers_accept(name: str) -> None:
    """F13: dots, spaces and slashes; the names that were refused, and one of an app function."""
    given = ["notes.create", "Create CIFS Share", "a/b", "com.example.Notes#createNote"]
    functions = [tool_of({}, each) for each in given]
    first, again = (format_named(name).export_tools(functions) for _ in range(2))
    assert [tool.exported_name for tool in first.tools] == [t.exported_name for t in again.tools]
    for tool in first.tools:
        assert TOOL_NAME.match(tool.exported_name)
        assert first.by_exported_name[tool.exported_name].name == tool.name
        assert first.rename(tool.name) == tool.exported_name
    assert [tool.name for tool in first.tools] == given


@every_format
def test_a_long_name_with_its_server_before_it_stays_within_the_limit(name: str) -> None:
    """F14: a tool above 64 characters was missing, and nothing said so; here a note does."""
    long = "git-repo-research-mcp-server-of-the-team" + "_" + "create_research_repository"
    tools = format_named(name).export_tools([tool_of({}, long), tool_of({}, long + "_2")])
    assert len({tool.exported_name for tool in tools.tools}) == 2
    for tool in tools.tools:
        assert len(tool.exported_name) <= 64
        assert any(tool.exported_name in note for note in tool.notes)


@every_format
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_no_union_stands_at_the_root(name: str, keyword: str) -> None:
    """F16: the answer was 400 naming only `tools.N`, and every conversation was blocked."""
    branches = [
        {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        {"type": "object", "properties": {"name": {"type": "string"}}},
    ]
    root = parameters_of(exported(name, {keyword: branches}))
    assert kinds_of(root) == ["object"]
    assert set(root["properties"]) == {"id", "name"}
    assert {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"}.isdisjoint(root)


@every_format
@pytest.mark.parametrize("tool", [{"inputSchema": {"type": "object"}}, {"inputSchema": {}}, {}])
def test_a_tool_without_parameters_has_empty_properties(name: str, tool: Json) -> None:
    """F17: `object schema missing properties` on any prompt."""
    functions = metadata_of_tools([{"name": "ping", **tool}])
    tools = format_named(name).export_tools(functions)
    assert properties_of(tools.tools[0]) == {}
    assert format_named(name).check_tools(tools.value) == []


@every_format
@pytest.mark.parametrize("strict", [None, False])
def test_every_array_has_items_that_say_something(name: str, strict: bool | None) -> None:
    """F18: a bare `list`, and the two servers whose items are `{}`."""
    bare = {"type": "object", "properties": {"rows": {"type": "array"}}}
    tools = [exported(name, bare, strict=strict)]
    for file in ("office-word.tools.json", "random-number.tools.json"):
        functions = metadata_of_tools(json.loads(corpus("tools", file).read_text("utf-8")))
        tools += format_named(name).export_tools(functions, strict=strict).tools
    arrays = [
        part
        for tool in tools
        for part in parts_of(parameters_of(tool))
        if "array" in kinds_of(part)
    ]
    assert len(arrays) > 3
    assert all(part.get("items") for part in arrays if len(kinds_of(part)) == 1)


@pytest.mark.parametrize("name", OPENAI)
def test_a_strict_schema_is_strict_at_every_depth(name: str) -> None:
    """F19: the keyword at the root alone was 400; so was `"format": "uri"`."""
    inner = {
        "type": "object",
        "properties": {
            "link": {"type": "string", "format": "uri"},
            "color": {"type": "string", "enum": ["red", "green"]},
        },
    }
    places = {"one": inner, "many": {"type": "array", "items": inner}}
    tool = exported(name, {"type": "object", "properties": places})
    assert tool.is_strict
    objects = [part for part in parts_of(parameters_of(tool)) if "object" in kinds_of(part)]
    assert len(objects) == 3
    for part in objects:
        assert part["additionalProperties"] is False
        assert sorted(part["required"]) == sorted(part["properties"])
    color = next(part for part in parts_of(parameters_of(tool)) if "enum" in part)
    assert (color["type"], color["enum"]) == (["string", "null"], ["red", "green", None])
    assert '"uri"' not in json.dumps(parameters_of(tool))


@pytest.mark.parametrize("name", OPENAI)
def test_an_object_of_free_keys_is_not_strict_and_says_so(name: str) -> None:
    """F19: strict would make the tool uncallable."""

    def count(words: dict[str, int]) -> int:
        """Counts."""
        return sum(words.values())

    functions = [each.metadata for each in make_service(count).registry]
    (tool,) = format_named(name).export_tools(functions).tools
    assert not tool.is_strict
    assert any("'words'" in note for note in tool.notes)


def test_gemini_gets_none_of_the_keywords_that_it_refused() -> None:
    """F20: `Unknown name`, `cannot start list`, `only allowed for STRING type`."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "text": {"type": ["string", "null"]},
            "size": {"enum": [1, 2, 4], "type": "integer"},
            "kind": {"enum": ["a", "b"]},
            "link": {"type": "string", "format": "uri"},
        },
    }
    tool = exported("gemini", schema)
    parameters = parameters_of(tool)
    keywords = {keyword for part in parts_of(parameters) for keyword in part}
    assert {"$schema", "additionalProperties", "default"}.isdisjoint(keywords)
    assert parameters["properties"]["text"] == {"type": "STRING", "nullable": True}
    assert parameters["properties"]["size"] == {"type": "STRING", "enum": ["1", "2", "4"]}
    assert parameters["properties"]["kind"]["type"] == "STRING"
    assert parameters["properties"]["link"].get("format") != "uri"
    assert tool.restore({"size": "4"}) == {"size": 4}


async def test_a_quarter_that_gemini_sends_as_text_is_a_number_in_the_function() -> None:
    """F20: `{"quarter": "2"}` reaches the body as 2."""

    def report(quarter: Literal[1, 2, 3, 4]) -> str:
        """Reports."""
        return repr(quarter)

    functions = [each.metadata for each in make_service(report).registry]
    (tool,) = format_named("gemini").export_tools(functions).tools
    assert properties_of(tool)["quarter"]["enum"] == ["1", "2", "3", "4"]
    assert await value_of(report, tool.restore({"quarter": "2"})) == "2"


@every_format
def test_references_are_replaced_by_what_they_refer_to(name: str) -> None:
    """F21: "reference to undefined schema"; clients that strip `$defs` lose the type."""
    schema = {
        "type": "object",
        "properties": {
            "target": {
                "anyOf": [{"$ref": "#/$defs/DbObject"}, {"type": "null"}],
                "description": "What is changed.",
            },
            "source": {"$ref": "#/$defs/DbObject", "description": "Where it comes from."},
        },
        "$defs": {"DbObject": {"type": "object", "properties": {"table": {"type": "string"}}}},
    }
    written = json.dumps(parameters_of(exported(name, schema)))
    assert "$ref" not in written
    assert "$defs" not in written
    assert written.count('"table": {') == 2
    assert "What is changed." in written
    assert "Where it comes from." in written


NODE: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["name"],
}
OTHER: Json = {"type": "object", "properties": {"back": {"$ref": "#/$defs/Node"}}}
MUTUAL: Json = {"type": "object", "properties": {"to": {"$ref": "#/$defs/Other"}}}
ALIAS: Json = {
    "anyOf": [
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Node"}},
        {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        {"type": "string"},
    ]
}


@every_format
@pytest.mark.parametrize("node", [NODE, MUTUAL, ALIAS], ids=["tree", "mutual", "alias of JSON"])
def test_a_type_that_holds_itself_is_exported_and_ends(name: str, node: Json) -> None:
    """F22: RecursionError at start, or all tools vanished."""
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/Node"}},
        "required": ["n"],
        "$defs": {"Node": node, "Other": OTHER},
    }
    tool = exported(name, schema)
    written = json.dumps(tool.value)
    assert len(written) < 10_000
    if name in ("gemini", "mistral", "ollama"):
        assert "$ref" not in written
    deep: Json = {"n": {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}}
    assert tool.restore(tool.rewrite(deep)) == deep


@every_format
@pytest.mark.parametrize("strict", [None, False])
def test_no_part_says_nothing(name: str, strict: bool | None) -> None:
    """F23: clients turn what has the schema `{}` into text."""
    empty = {"a": {}, "b": {"description": "Anything."}, "c": True, "d": {"items": {}}}
    tool = exported(name, {"type": "object", "properties": empty}, strict=strict)
    for part in properties_of(tool).values():
        assert {"type", "anyOf", "$ref"} & set(part)


@pytest.mark.parametrize("name", OPENAI)
def test_a_long_description_is_cut_at_a_sentence_and_marked(name: str) -> None:
    """F26: 2,800 characters were 400; what a parameter is stays with the parameter."""
    text = "Finds notes. " + "It says more of how to use it well. " * 77
    schema = {"type": "object", "properties": {"q": {"type": "string", "description": "Sought."}}}
    assert len(text) > 2700
    form = format_named(name)
    (tool,) = form.export_tools([tool_of(schema, description=text)]).tools
    description = tool.value.get("function", tool.value)["description"]
    assert len(description) <= 1024
    assert description.startswith("Finds notes. ")
    assert description.endswith(f"well.{MARK}")
    assert "Sought." not in description
    assert any("2,7" in note for note in tool.notes)


@every_format
def test_a_wrong_spelling_of_a_type_is_put_right(name: str) -> None:
    """F27: `{"type": "int"}` was "JSON schema is invalid" at connect."""
    tool = exported(name, {"type": "object", "properties": {"n": {"type": "int", "title": "N"}}})
    assert "integer" in kinds_of(properties_of(tool)["n"])
    assert "title" not in properties_of(tool)["n"]


def update(
    id: str,  # noqa: A002 - what an agent would call it
    title: SetField[str] | None = None,
    content: SetField[str | None] | None = None,
) -> str:
    """Updates a note."""
    note, given = apply_fields({"title": "T", "content": "C"}, title=title, content=content)
    return json.dumps([id, note["title"], note["content"], given])


@pytest.mark.parametrize("name", OPENAI)
@pytest.mark.parametrize(
    ("sent", "done"),
    [
        ({"title": None, "content": None}, ["T", "C", []]),
        ({}, ["T", "C", []]),
        ({"title": None, "content": {"value": None}}, ["T", None, ["content"]]),
        ({"content": {}}, ["T", None, ["content"]]),
        ({"title": None, "content": {"value": ""}}, ["T", "", ["content"]]),
        ({"title": {"value": "New"}, "content": None}, ["New", "C", ["title"]]),
    ],
)
async def test_nulls_of_a_strict_update_change_nothing_but_what_was_meant(
    name: str, sent: Json, done: list[Any]
) -> None:
    """F66, F67 and F70: only what is given is written; a null inside a field clears it."""
    functions = [each.metadata for each in make_service(update).registry]
    (tool,) = format_named(name).export_tools(functions).tools
    assert tool.is_strict
    title = properties_of(tool)["title"]
    assert [kinds_of(branch) for branch in title["anyOf"]] == [["object"], ["null"]]
    assert "title" in parameters_of(tool)["required"]
    answer = await value_of(update, tool.restore({"id": "n1", **sent}))
    assert json.loads(answer) == ["n1", *done]


@pytest.mark.parametrize("name", OPENAI)
def test_a_default_that_null_hides_is_told(name: str) -> None:
    """F67: `x: int | None = 5` under strict; null is None, and the note says so."""

    def count(x: int | None = 5) -> str:
        """Counts."""
        return repr(x)

    functions = [
        each.metadata for each in make_service(count, optional_defaults="declared").registry
    ]
    (tool,) = format_named(name).export_tools(functions).tools
    assert tool.restore({"x": None}) == {"x": None}
    assert any("'x'" in note and "default" in note for note in tool.notes)
