"""Anthropic's rules for tools: what breaks one is found where it stands."""

from typing import Any

import pytest

from appfunctions_mcp.formats.anthropic.tool_rules import tool_violations

OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


def found(tools: Any) -> list[tuple[str, str]]:
    """The places and the rules of what is broken."""
    for violation in tool_violations(tools):
        assert violation.text
    return [(violation.path, violation.rule) for violation in tool_violations(tools)]


def tool(schema: Any = OBJECT, **members: Any) -> dict[str, Any]:
    return {"name": "take", "input_schema": schema, **members}


def with_property(schema: Any, **members: Any) -> dict[str, Any]:
    root = {
        "type": "object",
        "properties": {"x": schema},
        "required": ["x"],
        "additionalProperties": False,
    }
    return tool(root, **members)


def test_what_is_accepted_breaks_no_rule() -> None:
    assert found(None) == []
    assert found([]) == []
    assert found([tool(description="Takes.", strict=False)]) == []
    assert found([{"type": "web_search_20250305", "name": "web_search"}]) == []
    free = {"type": "array", "items": {"$ref": "#/$defs/A"}, "maxItems": 3, "minItems": 2}
    definitions = {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}
    assert found([tool({**OBJECT, "properties": {"x": free}, "$defs": definitions})]) == []
    strict = {
        "type": "array",
        "items": {"anyOf": [{"type": "string", "format": "date"}, {"enum": [1, None]}]},
        "minItems": 1,
        "default": [],
    }
    assert found([with_property(strict, strict=True)]) == []


@pytest.mark.parametrize(
    ("tools", "path", "rule"),
    [
        ({}, "", "tools-not-list"),
        (["take"], "/0", "tool-not-object"),
        ([tool(name="a b")], "/0/name", "tool-name"),
        ([tool(name="a\n")], "/0/name", "tool-name"),
        ([tool(name="x" * 129)], "/0/name", "tool-name"),
        ([tool(name=None)], "/0/name", "tool-name"),
        ([tool(description=3)], "/0/description", "tool-description"),
        ([tool(strict="yes")], "/0/strict", "tool-strict"),
        ([{"name": "take"}], "/0/input_schema", "input-schema-missing"),
        ([tool(None)], "/0/input_schema", "input-schema-missing"),
        ([tool({})], "/0/input_schema/type", "root-not-object"),
        ([tool({"type": "string"})], "/0/input_schema/type", "root-not-object"),
        ([tool({**OBJECT, "anyOf": [OBJECT]})], "/0/input_schema/anyOf", "root-union"),
        ([tool({**OBJECT, "oneOf": [OBJECT]})], "/0/input_schema/oneOf", "root-union"),
        ([tool({**OBJECT, "allOf": [OBJECT]})], "/0/input_schema/allOf", "root-union"),
        ([tool(), tool()], "/1/name", "tool-name-repeated"),
    ],
)
def test_what_the_api_refuses_is_found(tools: Any, path: str, rule: str) -> None:
    assert found(tools) == [(path, rule)]


def test_keys_of_properties_are_checked_at_every_depth() -> None:
    inner = {"type": "object", "properties": {"a/b": {"type": "string"}, "a.b-C_1": {}}}
    (violation,) = tool_violations([with_property({"type": "array", "items": inner})])
    assert violation.rule == "property-key"
    assert violation.path == "/0/input_schema/properties/x/items/properties/a~1b"
    assert found([tool({"type": "object", "properties": {"k" * 65: {"type": "string"}}})])


@pytest.mark.parametrize(
    ("schema", "step", "rule"),
    [
        ({"type": "integer", "minimum": 1}, "/minimum", "strict-keyword"),
        ({"type": "integer", "multipleOf": 2}, "/multipleOf", "strict-keyword"),
        ({"type": "string", "maxLength": 2}, "/maxLength", "strict-keyword"),
        (
            {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "/maxItems",
            "strict-keyword",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "/minItems",
            "strict-keyword",
        ),
        ({"oneOf": [{"type": "string"}], "type": "string"}, "/oneOf", "strict-keyword"),
        ({}, "", "strict-untyped"),
        ({"type": "object"}, "/additionalProperties", "strict-open-object"),
        ({"type": ["object", "null"]}, "/additionalProperties", "strict-open-object"),
        ({"enum": [{"a": 1}]}, "/enum", "strict-enum"),
        ({"type": "string", "format": "uri-template"}, "/format", "strict-format"),
        ({"type": "string", "pattern": "(?=a)"}, "/pattern", "strict-pattern"),
        ({"type": "string", "pattern": r"(a)\1"}, "/pattern", "strict-pattern"),
        (
            {"allOf": [{"$ref": "#/properties/x/allOf/1"}, {"type": "string"}]},
            "/allOf/0",
            "strict-reference",
        ),
    ],
)
def test_what_strict_schemas_lack_is_found_in_strict_tools_only(
    schema: Any, step: str, rule: str
) -> None:
    expected = [(f"/0/input_schema/properties/x{step}", rule)]
    assert found([with_property(schema, strict=True)]) == expected
    assert found([with_property(schema)]) == []


def test_recursion_is_found_in_strict_tools_only() -> None:
    left = {
        "type": "object",
        "properties": {"b": {"$ref": "#/$defs/B"}},
        "additionalProperties": False,
    }
    right = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "additionalProperties": False,
    }
    once = {"type": "string"}
    root = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/A"}, "y": {"$ref": "#/$defs/C"}},
        "additionalProperties": False,
        "$defs": {"A": left, "B": right, "C": once},
    }
    rules = [(path, rule) for path, rule in found([tool(root, strict=True)])]
    assert {rule for _, rule in rules} == {"strict-recursion"}
    assert ("/0/input_schema/properties/x/$ref", "strict-recursion") in rules
    assert ("/0/input_schema/properties/y/$ref", "strict-recursion") not in rules
    assert found([tool(root)]) == []


def several(count: int, properties: dict[str, Any], required: list[str]) -> list[Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return [
        tool({**schema, "required": required}, name=f"take_{place}", strict=True)
        for place in range(count)
    ]


def test_the_limits_of_a_request_are_counted_over_its_strict_tools() -> None:
    text, union = {"type": "string"}, {"type": ["string", "null"]}
    assert found(several(20, {"a": text}, ["a"])) == []
    assert found(several(21, {"a": text}, ["a"])) == [("", "strict-tools")]
    assert found(several(12, {"a": text, "b": text}, [])) == []
    assert found(several(13, {"a": text, "b": text}, [])) == [("", "strict-optional-parameters")]
    assert found(several(16, {"a": union}, ["a"])) == []
    assert found(several(17, {"a": union}, ["a"])) == [("", "strict-union-parameters")]
