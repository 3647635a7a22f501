"""The checks of tools for OpenAI, Mistral and Ollama: each rule finds its fault, and no other."""

import json
from typing import Any

import pytest

from appfunctions_mcp.formats.mistral.tool_rules import tool_violations as mistral_violations
from appfunctions_mcp.formats.ollama.tool_rules import tool_violations as ollama_violations
from appfunctions_mcp.formats.openai_chat.tool_rules import tool_violations as chat_violations
from appfunctions_mcp.formats.openai_responses.tool_rules import (
    tool_violations as responses_violations,
)
from tests.support.corpus import corpus

Json = dict[str, Any]
NOTHING: Json = {"type": "object", "properties": {}}
TEXT: Json = {"type": "string"}


def chat_tool(parameters: Any = NOTHING, **more: Any) -> Json:
    function = {"name": "keep", "description": "Keeps.", "parameters": parameters, **more}
    return {"type": "function", "function": function}


def rules_of(parameters: Any = NOTHING, **more: Any) -> list[tuple[str, str]]:
    """Where in the function which rules are broken."""
    found = chat_violations([chat_tool(parameters, **more)])
    return [(each.path.removeprefix("/0/function"), each.rule) for each in found]


def closed(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def strict_rules_of(part: Json, **more: Json) -> list[tuple[str, str]]:
    found = rules_of({**closed(x=part), **more}, strict=True)
    return [(path.removeprefix("/parameters"), rule) for path, rule in found]


@pytest.mark.parametrize(
    ("tools", "broken"),
    [
        (None, []),
        ({}, [("", "tools-not-list")]),
        ([], [("", "tools-empty")]),
        ([5], [("/0", "tool-not-object")]),
        (
            [{"type": "web_search"}],
            [("/0/type", "tool-type"), ("/0/function", "tool-function-missing")],
        ),
        ([{"type": "custom", "custom": {"name": "x"}}], []),
        ([{"type": "function", "name": "keep"}], [("/0/function", "tool-function-missing")]),
        ([chat_tool(), chat_tool()], [("/1/function/name", "tool-name-repeated")]),
    ],
)
def test_the_list_of_tools_is_checked(tools: Any, broken: list[tuple[str, str]]) -> None:
    assert [(each.path, each.rule) for each in chat_violations(tools)] == broken


@pytest.mark.parametrize(
    ("more", "broken"),
    [
        ({}, []),
        ({"name": "a.b"}, [("/name", "tool-name")]),
        ({"name": "n" * 65}, [("/name", "tool-name")]),
        ({"name": None}, [("/name", "tool-name")]),
        ({"name": "a\n"}, [("/name", "tool-name")]),
        ({"description": 5}, [("/description", "tool-description")]),
        ({"description": None}, []),
        ({"description": "d" * 1025}, [("/description", "tool-description-length")]),
        ({"strict": "yes"}, [("/strict", "tool-strict")]),
        ({"strict": None}, []),
        ({"parameters": None}, []),
        ({"parameters": None, "strict": True}, [("/parameters", "parameters-not-object")]),
        ({"parameters": []}, [("/parameters", "parameters-not-object")]),
    ],
    ids=repr,
)
def test_name_description_and_strict_are_checked(more: Json, broken: list[tuple[str, str]]) -> None:
    assert rules_of(**more) == broken


@pytest.mark.parametrize(
    ("parameters", "broken"),
    [
        ({"type": "object"}, [("", "root-without-properties")]),
        ({"properties": {}}, [("/type", "root-not-object")]),
        ({**NOTHING, "anyOf": [NOTHING]}, [("/anyOf", "root-union")]),
        ({**NOTHING, "enum": [{}]}, [("/enum", "root-union")]),
        (closed(x={"type": "array"}), [("/properties/x", "array-without-items")]),
        (closed(x={"type": ["array", "null"], "items": TEXT}), []),
        (closed(x={"type": ["array", "null"]}), [("/properties/x", "array-without-items")]),
        (closed(x={"type": "int"}), [("/properties/x/type", "keyword-value")]),
        (closed(x={"$ref": "#/$defs/A"}), [("/properties/x/$ref", "reference-undefined")]),
        (closed(x={}), []),
    ],
    ids=json.dumps,
)
def test_the_schema_is_checked(parameters: Json, broken: list[tuple[str, str]]) -> None:
    """Field cases F16 to F18, F21 and F27."""
    assert rules_of(parameters) == [(f"/parameters{path}", rule) for path, rule in broken]


@pytest.mark.parametrize(
    ("part", "broken"),
    [
        (TEXT, []),
        ({"type": "object", "properties": {}}, [("", "strict-open-object")]),
        ({**closed(), "additionalProperties": TEXT}, [("", "strict-open-object")]),
        ({**closed(a=TEXT), "required": []}, [("/required", "strict-optional")]),
        ({**closed(a=TEXT), "required": ["a", "b"]}, [("/required", "strict-required")]),
        ({**TEXT, "default": "a"}, [("/default", "strict-keyword")]),
        ({**TEXT, "minLength": 1}, [("/minLength", "strict-keyword")]),
        ({"allOf": [TEXT]}, [("/allOf", "strict-keyword"), ("", "strict-untyped")]),
        ({"oneOf": [TEXT]}, [("/oneOf", "strict-keyword"), ("", "strict-untyped")]),
        ({}, [("", "strict-untyped")]),
        ({**TEXT, "format": "uri"}, [("/format", "strict-format")]),
        ({**TEXT, "format": "date"}, []),
        ({**TEXT, "pattern": "a(?=b)"}, [("/pattern", "strict-pattern")]),
        ({**TEXT, "pattern": "a(?<!b)"}, [("/pattern", "strict-pattern")]),
        ({**TEXT, "pattern": "(?P<a>b)"}, []),
        ({"type": ["string", "null"], "enum": ["a"]}, [("/enum", "strict-enum-null")]),
        ({"type": ["string", "null"], "enum": ["a", None]}, []),
        ({"type": "string", "enum": []}, [("/enum", "strict-enum")]),
        ({"const": "a"}, []),
        ({"anyOf": [closed(a=TEXT), closed(b=TEXT)]}, []),
        ({"anyOf": [closed(a=TEXT), closed(a=TEXT)]}, [("/anyOf", "strict-union-keys")]),
        ({"anyOf": [closed(k={"const": 1}), closed(k={"enum": [2]})]}, []),
        (
            {"anyOf": [closed(k={"const": 1}), closed(k={"enum": [1, 2]})]},
            [("/anyOf", "strict-union-keys")],
        ),
        ({"type": "array", "items": {"type": "object"}}, [("/items", "strict-open-object")]),
    ],
    ids=json.dumps,
)
def test_a_strict_schema_is_checked_at_every_depth(
    part: Json, broken: list[tuple[str, str]]
) -> None:
    """Field case F19."""
    assert strict_rules_of(part) == [(f"/properties/x{path}", rule) for path, rule in broken]
    nested = strict_rules_of({"type": "array", "items": closed(y=part)})
    assert [rule for _, rule in nested] == [rule for _, rule in broken]


def test_references_of_a_strict_schema_are_local_and_alone() -> None:
    definitions = {"A": closed(a=TEXT), "B": closed(a=TEXT)}
    reference = {"$ref": "#/$defs/A"}
    assert strict_rules_of(reference, **{"$defs": definitions}) == []
    beside = {**reference, "description": "D."}
    assert strict_rules_of(beside, **{"$defs": definitions}) == [
        ("/properties/x", "strict-reference-siblings")
    ]
    union = {"anyOf": [reference, {"$ref": "#/$defs/B"}, {"$ref": 5}, 7]}
    assert ("/properties/x/anyOf", "strict-union-keys") in strict_rules_of(
        union, **{"$defs": definitions}
    )


def test_a_strict_root_is_no_union_and_its_members_have_the_right_kinds() -> None:
    broken = rules_of({**closed(), "anyOf": [closed()]}, strict=True)
    assert ("/parameters/anyOf", "strict-root-union") in broken
    kinds = rules_of({"type": "object", "properties": [], "required": 5}, strict=True)
    assert ("/parameters", "strict-open-object") in kinds


def test_the_size_of_a_strict_schema_is_checked() -> None:
    deep: Json = TEXT
    for _ in range(10):
        deep = closed(a=deep)
    assert strict_rules_of(deep) == [("", "strict-depth")]
    assert strict_rules_of(deep["properties"]["a"]) == []
    many = closed(**{f"p{n}": TEXT for n in range(5000)})
    assert strict_rules_of(many) == [("", "strict-properties")]
    numbers = {"enum": list(range(1001))}
    assert strict_rules_of(numbers) == [("", "strict-choices")]
    long_choices = {"enum": [f"{n:0>100}" for n in range(251)]}
    assert strict_rules_of(long_choices) == [("", "strict-choice-characters")]
    characters = {"anyOf": [{"const": "c" * 60_000}, {"const": "d" * 60_000}]}
    assert strict_rules_of(characters) == [("", "strict-characters")]


def test_a_responses_tool_is_flat() -> None:
    flat = {"type": "function", "name": "keep", "parameters": NOTHING, "strict": False}
    assert responses_violations([flat, {"type": "web_search"}]) == []
    assert [each.rule for each in responses_violations([chat_tool()])] == [
        "tool-nested",
        "tool-name",
    ]
    assert [each.rule for each in responses_violations([{"name": "keep"}])] == ["tool-type"]
    assert [each.rule for each in responses_violations([flat, flat])] == ["tool-name-repeated"]
    assert [each.rule for each in responses_violations([flat] * 129)][-1] == "tools-number"


def test_mistral_wants_parameters_and_no_references() -> None:
    assert mistral_violations([chat_tool(), {"type": "web_search"}]) == []
    without_type = {key: value for key, value in chat_tool().items() if key != "type"}
    assert mistral_violations([without_type]) == []
    assert [e.rule for e in mistral_violations([chat_tool(None)])] == ["parameters-missing"]
    assert [e.rule for e in mistral_violations([{"type": "function"}])] == ["tool-function-missing"]
    schema = {**closed(x={"$ref": "#/$defs/A"}), "$defs": {"A": TEXT}}
    assert [e.rule for e in mistral_violations([chat_tool(schema)])] == ["reference"]


def test_ollama_wants_types_and_any_name() -> None:
    assert ollama_violations([chat_tool(name="a.b c")]) == []
    for tool, rule in (
        ({"type": "custom"}, "tool-type"),
        ({"type": "function"}, "tool-function-missing"),
        (chat_tool(name=""), "tool-name"),
        (chat_tool(description=None), "tool-description"),
        (chat_tool(None), "parameters-not-object"),
        (chat_tool({"type": "object"}), "root-without-properties"),
        (chat_tool(closed(x={"anyOf": [TEXT]})), "untyped"),
        (chat_tool({**closed(x={"type": "string", "$ref": "#"})}), "reference"),
    ):
        assert rule in [each.rule for each in ollama_violations([tool])]


def tools_in(value: Any) -> list[Any]:
    """The members `tools` of all recorded requests."""
    if isinstance(value, dict):
        own = [value["tools"]] if "tools" in value else []
        return own + [found for each in value.values() for found in tools_in(each)]
    return [found for each in value for found in tools_in(each)] if isinstance(value, list) else []


def test_every_recorded_request_passes() -> None:
    checked = 0
    for name, check in (
        ("openai-compatible.tool_calls_without_id", chat_violations),
        ("openai-responses.simple_tool_call", responses_violations),
        ("openai-responses.tool_retry", responses_violations),
        ("openai.tool_request_reject", responses_violations),
        ("openai-chat.multiple_tool_calls", chat_violations),
    ):
        recorded = json.loads(corpus("messages", f"{name}.json").read_text(encoding="utf-8"))
        for tools in tools_in(recorded):
            if isinstance(tools, list):  # one file begins with Gemini's requests
                assert check(tools) == []
                checked += 1
    assert checked >= 10
