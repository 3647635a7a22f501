"""Functions as tools of OpenAI, and of Mistral and Ollama, which speak like it."""

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp import SetField
from appfunctions_mcp.formats.descriptions import MARK
from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
from appfunctions_mcp.formats.mcp_tools import metadata_of_tool, metadata_of_tools
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.names import ExportedNameError, exported_name
from appfunctions_mcp.formats.openai_strict import strict_schema
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.service import load_service
from tests.support.calls import make_service
from tests.support.corpus import corpus
from tests.support.published_schemas import published_schemas, values_of

Json = dict[str, Any]

FORMATS = ["openai_chat", "openai_responses", "mistral", "ollama"]
STRICT_FORMATS = FORMATS[:3]
LIST: Json = {"type": "array", "items": {"type": "string"}}


def export_tools(
    name: str, functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
) -> ExportedTools:
    export: Callable[..., ExportedTools] = import_module(
        f"appfunctions_mcp.formats.{name}.tools"
    ).export_tools
    return export(functions, strict=strict)


def violations(name: str, tools: Any) -> list[Violation]:
    check: Callable[[Any], list[Violation]] = import_module(
        f"appfunctions_mcp.formats.{name}.tool_rules"
    ).tool_violations
    return check(tools)


def function_with(schema: Any, name: str = "keep", **more: Any) -> AppFunctionMetadata:
    return metadata_of_tool({"name": name, "description": "Keeps.", "inputSchema": schema, **more})


def exported(schema: Any, *, format_name: str = "openai_chat", **more: Any) -> ExportedTool:
    (tool,) = export_tools(format_name, [function_with(schema, **more)]).tools
    return tool


def parameters_of(tool: ExportedTool) -> Json:
    holder = tool.value.get("function", tool.value)
    assert isinstance(holder["parameters"], dict)
    return holder["parameters"]


def strict_part(part: Json, *, is_required: bool = True) -> Json:
    """One property in the strict form."""
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"] if is_required else []}
    tool = exported(schema)
    assert tool.is_strict, tool.notes
    return dict(parameters_of(tool)["properties"]["x"])


def object_of(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def saved_functions() -> list[tuple[str, tuple[AppFunctionMetadata, ...]]]:
    return [
        (path.name, metadata_of_tools(json.loads(path.read_text(encoding="utf-8"))))
        for path in sorted(corpus("tools").glob("*.json"))
    ]


@pytest.mark.parametrize("strict", [None, True, False])
@pytest.mark.parametrize("name", FORMATS)
def test_every_saved_tool_passes_the_check_or_says_why_it_is_not_strict(
    name: str, strict: bool | None
) -> None:
    """Field case F19."""
    for file, functions in saved_functions():
        tools = export_tools(name, functions, strict=strict)
        assert violations(name, tools.value) == [], file
        assert len(tools.tools) == len(functions)
        for tool in tools.tools:
            if name in STRICT_FORMATS and strict is not False and not tool.is_strict:
                assert any(note.startswith("Not strict: ") for note in tool.notes), tool.name
            if strict is False or name == "ollama":
                assert not tool.is_strict
                assert '"strict": true' not in json.dumps(tool.value)


def test_most_saved_tools_are_strict() -> None:
    tools = [
        tool
        for _, functions in saved_functions()
        for tool in export_tools("openai_chat", functions).tools
    ]
    assert sum(tool.is_strict for tool in tools) >= 200


@pytest.mark.parametrize("name", FORMATS)
def test_the_sample_app_passes_the_check(name: str) -> None:
    functions = load_service("metadata/app_metadata.xml").manager.search()
    tools = export_tools(name, functions)
    assert violations(name, tools.value) == []
    assert all(tool.is_strict for tool in tools.tools) == (name != "ollama")
    assert [tool.name for tool in tools.tools] == [each.tool_name for each in functions]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"type": "string"}])
def test_a_tool_without_parameters_has_empty_ones(name: str, schema: Any) -> None:
    """Field case F17."""
    tool = exported(schema, format_name=name)
    assert parameters_of(tool)["properties"] == {}
    assert parameters_of(tool)["type"] == "object"


def test_a_chat_tool_says_strict_only_where_it_is() -> None:
    assert exported(object_of()).value == {
        "type": "function",
        "function": {
            "name": "keep",
            "description": "Keeps.",
            "parameters": {
                "type": "object",
                "properties": {},
                "required": [],
                "additionalProperties": False,
            },
            "strict": True,
        },
    }
    assert "strict" not in exported(object_of(x={"type": "object"})).value["function"]


def test_a_responses_tool_is_flat_and_always_says_strict() -> None:
    value = exported(object_of(x={"type": "object"}), format_name="openai_responses").value
    assert (value["type"], value["name"], value["strict"]) == ("function", "keep", False)


def test_a_function_without_a_description_has_none() -> None:
    function = AppFunctionMetadata(function_id="m#ping", tool_name="ping")
    for name in FORMATS:
        (tool,) = export_tools(name, [function]).tools
        assert "description" not in tool.value.get("function", tool.value)


@pytest.mark.parametrize(
    ("part", "strict"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        (
            {**LIST, "description": "D."},
            {"anyOf": [LIST, {"type": "null"}], "description": "D."},
        ),
        (
            {"type": ["string", "number"], "minimum": 1, "enum": ["a", 2]},
            {
                "anyOf": [
                    {"type": "string", "enum": ["a"]},
                    {"type": "number", "enum": [2]},
                    {"type": "null"},
                ]
            },
        ),
        (
            {"type": "integer", "default": 5},
            {"type": ["integer", "null"], "description": "Default: 5."},
        ),
        ({"type": "boolean", "default": False}, {"type": ["boolean", "null"]}),
    ],
    ids=json.dumps,
)
def test_what_is_optional_is_required_and_takes_null(part: Json, strict: Json) -> None:
    assert strict_part(part, is_required=False) == strict


@pytest.mark.parametrize(
    ("part", "strict"),
    [
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"oneOf": [{"type": "string"}, LIST]}, {"anyOf": [{"type": "string"}, LIST]}),
        (
            {"type": ["string", "number"], "minimum": 1},
            {"anyOf": [{"type": "string"}, {"type": "number", "minimum": 1}]},
        ),
        (
            {"type": "string", "minLength": 1, "maxLength": 5, "description": "A name."},
            {"type": "string", "description": "A name. Not empty. At most 5 characters."},
        ),
        (
            {
                "type": "string",
                "minLength": 1,
                "maxLength": 1000,
                "description": "1 to 1,000 signs",
            },
            {"type": "string", "description": "1 to 1,000 signs"},
        ),
        (
            {"type": "string", "format": "uri"},
            {"type": "string", "description": "Format: uri."},
        ),
        ({"type": "string", "format": "uuid"}, {"type": "string", "format": "uuid"}),
        (
            {"type": "string", "pattern": "^(?!a)"},
            {"type": "string", "description": "Matches the pattern ^(?!a)."},
        ),
        ({"type": "string", "pattern": "^(?:a)"}, {"type": "string", "pattern": "^(?:a)"}),
        ({"type": "string", "pattern": "(?=" + "a" * 300 + ")"}, {"type": "string"}),
        (
            {"type": "string", "contentEncoding": "base64"},
            {"type": "string", "description": "Encoded as base64."},
        ),
        (
            {**LIST, "uniqueItems": True, "minItems": 1},
            {**LIST, "minItems": 1, "description": "No item twice."},
        ),
        ({**LIST, "uniqueItems": False}, LIST),
        (
            {**object_of(a={"type": "string"}), "minProperties": 1, "maxProperties": 2},
            {
                **object_of(a={"type": ["string", "null"]}),
                "required": ["a"],
                "description": "Not empty. At most 2 members.",
            },
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "a"},
            {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Default: a."},
        ),
    ],
    ids=json.dumps,
)
def test_what_the_strict_dialect_does_not_know_is_told_in_words(part: Json, strict: Json) -> None:
    assert strict_part(part) == strict


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (object_of(m={"type": "object", "additionalProperties": {"type": "integer"}}), "'m'"),
        (object_of(m=object_of(n={"type": "object"})), "'m.n'"),
        (object_of(items={"type": "array"}), "'items'"),
        (object_of(x={}), "'x'"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "The whole schema"),
        (
            {
                "type": "object",
                "properties": {"f": {"$ref": "#/$defs/Folder"}},
                "$defs": {
                    "Folder": {
                        "properties": {
                            "more": {"type": "object"},
                            "in": {"$ref": "#/$defs/Folder"},
                        }
                    }
                },
            },
            "'Folder.more'",
        ),
    ],
)
def test_an_open_object_makes_a_tool_not_strict(schema: Json, reason: str) -> None:
    """Field case F19: strict would make such a parameter uncallable."""
    tool = exported(schema)
    assert not tool.is_strict
    assert f"Not strict: {reason} takes keys or values that are not declared" in tool.notes
    assert violations("openai_chat", [tool.value]) == []


def test_limits_that_are_exceeded_make_a_tool_not_strict() -> None:
    deep: Json = {"type": "string"}
    for _ in range(10):
        deep = object_of(a=deep)
    many = object_of(**{f"p{n}": {"type": "string"} for n in range(5001)})
    choices = object_of(**{f"c{n}": {"enum": [f"{n} {i}" for i in range(101)]} for n in range(10)})
    long_choices = object_of(x={"enum": [f"{n:0>100}" for n in range(251)]})
    long_names = object_of(**{f"{n:0>6000}": {"type": "string"} for n in range(21)})
    for schema, what in (
        (object_of(d=deep), "11 levels of objects and lists, and 10 are accepted"),
        (many, "5,001 properties, and 5,000 are accepted"),
        (choices, "1,020 choices, and 1,000 are accepted"),
        (long_choices, "25,100 characters of one list's choices, and 15,000 are accepted"),
        (long_names, "126,000 characters of names and choices, and 120,000 are accepted"),
    ):
        tool = exported(schema)
        assert f"Not strict: the schema has {what}" in tool.notes
        assert violations("openai_chat", [tool.value]) == []
    assert strict_part(deep["properties"]["a"])["type"] == "object"


NODE = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/Node", "description": "The tree."}},
    "$defs": {
        "Node": object_of(
            name={"type": "string"}, kids={"type": "array", "items": {"$ref": "#/$defs/Node"}}
        )
    },
}


@pytest.mark.parametrize("name", ["openai_chat", "openai_responses"])
def test_a_recursion_is_strict_with_a_local_reference_alone(name: str) -> None:
    """Field case F22."""
    tool = exported(NODE, format_name=name)
    assert tool.is_strict
    assert parameters_of(tool)["properties"]["tree"] == {
        "anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}],
        "description": "The tree.",
    }
    assert violations(name, [tool.value]) == []
    (loose,) = export_tools(name, [function_with(NODE)], strict=False).tools
    assert parameters_of(loose)["properties"]["tree"] == {
        "anyOf": [{"$ref": "#/$defs/Node"}],
        "description": "The tree.",
    }


@pytest.mark.parametrize("name", ["mistral", "ollama"])
def test_a_recursion_is_cut_where_references_are_not_known(name: str) -> None:
    tool = exported(NODE, format_name=name)
    assert not tool.is_strict
    assert "$ref" not in json.dumps(tool.value)
    assert violations(name, [tool.value]) == []


def test_alternatives_begin_with_a_key_that_tells_them_apart() -> None:
    shape = {
        "anyOf": [
            {
                **object_of(size={"type": "number"}, kind={"const": kind}),
                "required": ["kind"],
            }
            for kind in ("circle", "square")
        ]
    }
    branches = strict_part(shape)["anyOf"]
    assert [next(iter(branch["properties"])) for branch in branches] == ["kind", "kind"]
    other = {
        "anyOf": [
            object_of(id={"type": "string"}, a={"type": "string"}),
            object_of(id={"type": "string"}, b={"type": "string"}),
            {"type": "null"},
        ]
    }
    branches = strict_part(other)["anyOf"]
    assert [next(iter(branch["properties"])) for branch in branches[:2]] == ["a", "b"]


def test_alternatives_that_cannot_be_told_apart_make_a_tool_not_strict() -> None:
    same = {"anyOf": [object_of(id={"type": "string"}), object_of(id={"type": "integer"})]}
    tool = exported(object_of(x=same))
    assert "Not strict: two alternatives at 'x' cannot be told apart by a key" in tool.notes
    assert violations("openai_chat", [tool.value]) == []


def update(
    note_id: str,
    title: SetField[str] | None = None,
    content: SetField[str | None] | None = None,
) -> None:
    """Updates a note."""


def test_a_set_field_is_required_and_nullable_and_cleared_by_null_alone() -> None:
    """Field cases F66 and F67."""
    (function,) = make_service(update).registry
    (tool,) = export_tools("openai_chat", [function.metadata]).tools
    properties = parameters_of(tool)["properties"]
    assert parameters_of(tool)["required"] == ["note_id", "title", "content"]
    assert properties["title"]["anyOf"] == [
        {**object_of(value={"type": "string"}), "required": ["value"]},
        {"type": "null"},
    ]
    assert properties["content"]["anyOf"][0]["properties"] == {
        "value": {"type": ["string", "null"], "description": "Null clears it."}
    }
    sent = {"note_id": "n", "title": None, "content": None}
    assert tool.restore(sent) == {"note_id": "n"}
    assert tool.restore({**sent, "content": {"value": None}}) == {
        "note_id": "n",
        "content": {"value": None},
    }


def test_a_default_that_null_hides_is_noted() -> None:
    """Field case F67."""
    part = {"type": ["integer", "null"], "default": 5}
    tool = exported(object_of(a=object_of(x=part), y={"type": "integer", "default": 5}))
    assert tool.notes == (
        "'a.x' takes null as a value, so that its default '5' cannot be asked for",
    )
    assert tool.restore({"a": {"x": None}, "y": None}) == {"a": {"x": None}}


def test_a_long_description_ends_with_the_mark_and_a_note() -> None:
    """Field case F26."""
    tool = exported(None, description="One sentence of it. " * 100)
    text = tool.value["function"]["description"]
    assert len(text) <= 1024
    assert text.endswith(f"One sentence of it.{MARK}")
    assert tool.notes == ("The description has 2,000 characters and is cut to 1,024",)


def test_names_are_changed_back_and_forth() -> None:
    functions = [function_with(None, name=name) for name in ("notes.create", "a#b", "list")]
    tools = export_tools("openai_chat", functions)
    assert tools.format == "openai-chat"
    assert [tool.exported_name for tool in tools.tools] == [
        exported_name("notes.create"),
        exported_name("a#b"),
        "list",
    ]
    for tool in tools.tools:
        assert tools.by_name[tool.name] is tool
        assert tools.by_exported_name[tool.exported_name] is tool
        assert tools.rename(tool.name) == tool.exported_name
    assert "The provider does not accept the name" in tools.tools[0].notes[0]
    assert tools.rename("gone.since") == exported_name("gone.since")


def test_two_functions_of_one_exported_name_are_an_error() -> None:
    with pytest.raises(ExportedNameError, match=r"'a\.b'"):
        export_tools(
            "mistral", [function_with(None, name=n) for n in ("a.b", exported_name("a.b"))]
        )


def test_no_functions_are_no_member_at_all() -> None:
    for name in FORMATS:
        tools = export_tools(name, [])
        assert (tools.value, tools.tools, tools.notes) == (None, (), ())
        assert violations(name, tools.value) == []


def test_more_tools_than_a_request_may_have_are_noted() -> None:
    functions = [function_with(None, name=f"f{n}") for n in range(129)]
    for name in FORMATS:
        tools = export_tools(name, functions)
        told = any("129 tools, and a request may have 128" in note for note in tools.notes)
        assert told == name.startswith("openai")
        numbers = [each.rule for each in violations(name, tools.value)]
        assert numbers == (["tools-number"] if told else [])


def test_ollama_gets_types_everywhere_and_the_rest_in_words() -> None:
    schema = object_of(
        n={"type": "integer", "minimum": 0, "maximum": 9, "default": 3, "description": "How many."},
        u={"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]},
        v={"oneOf": [{"type": "string"}, {"const": "a"}]},
    )
    tool = exported(schema, format_name="ollama")
    assert parameters_of(tool)["properties"] == {
        "n": {"type": "integer", "description": "How many. At least 0. At most 9. Default: 3."},
        "u": {
            "type": ["string", "object", "null"],
            "anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}],
        },
        "v": {"type": "string", "anyOf": [{"type": "string"}, {"type": "string", "enum": ["a"]}]},
    }
    tools = export_tools("ollama", [function_with(schema)])
    assert tools.notes == ("Ollama holds no model to a schema; the function checks the arguments",)
    assert export_tools("ollama", [function_with(schema)], strict=False).notes == ()


@settings(max_examples=40)
@given(published_schemas(), st.sampled_from(FORMATS), st.sampled_from([None, False]))
def test_every_drawn_schema_passes_the_check(schema: Json, name: str, strict: bool | None) -> None:
    (tool,) = export_tools(name, [function_with(schema)], strict=strict).tools
    assert violations(name, [tool.value]) == []
    jsonschema.Draft202012Validator.check_schema(parameters_of(tool))


@settings(max_examples=40)
@given(st.data(), st.sampled_from(FORMATS))
def test_arguments_that_a_function_takes_fit_its_exported_schema(
    data: st.DataObject, name: str
) -> None:
    schema = data.draw(published_schemas(closed=True))
    arguments = data.draw(values_of(schema))
    (tool,) = export_tools(name, [function_with(schema)]).tools
    assert tool.restore(tool.rewrite(arguments)) == arguments
    if not tool.is_strict and jsonschema.Draft202012Validator(schema).is_valid(arguments):
        jsonschema.validate(arguments, parameters_of(tool))


@settings(max_examples=40)
@given(st.data())
def test_what_a_strict_model_writes_fits_the_functions_own_schema(data: st.DataObject) -> None:
    """Limits apart, which the strict dialect may not know."""
    schema = data.draw(published_schemas(closed=True))
    tool = exported(schema)
    written = data.draw(values_of(parameters_of(tool)))
    if "oneOf" not in json.dumps(schema):
        jsonschema.validate(tool.restore(written), _without_limits(schema))


def _without_limits(value: Any) -> Any:
    limits = {"minLength", "maxLength", "minimum", "maximum", "format"}
    if isinstance(value, dict):
        return {key: _without_limits(each) for key, each in value.items() if key not in limits}
    return [_without_limits(each) for each in value] if isinstance(value, list) else value


def test_a_strict_schema_says_what_was_widened() -> None:
    strict = strict_schema({"type": "object", "properties": {"x": {"$ref": "#/none"}}})
    assert strict.schema is None
    assert strict.notes == ("What '#/none' refers to is not there; any value is accepted",)
