"""Gemini's rules for function declarations: what breaks one is found where it stands."""

from typing import Any

import pytest

from appfunctions_mcp.formats.gemini.tool_rules import tool_violations

OBJECT: dict[str, Any] = {"type": "OBJECT", "properties": {}}
PLACE = "/0/functionDeclarations/0"


def found(tools: Any) -> list[tuple[str, str]]:
    """The places and the rules of what is broken."""
    for violation in tool_violations(tools):
        assert violation.text
    return [(violation.path, violation.rule) for violation in tool_violations(tools)]


def declared(*declarations: Any) -> list[Any]:
    return [{"functionDeclarations": list(declarations)}]


def of_property(schema: Any) -> list[Any]:
    return declared({"name": "take", "parameters": {"type": "OBJECT", "properties": {"x": schema}}})


def of_json_schema(schema: Any) -> list[Any]:
    return declared({"name": "take", "parametersJsonSchema": schema})


def test_what_is_accepted_breaks_no_rule() -> None:
    assert found(None) == []
    assert found([{"googleSearch": {}}]) == []
    assert found(declared({"name": "a.b:c-d", "description": ""})) == []
    assert (
        found({"function_declarations": [{"name": "take", "parameters": {"type": "object"}}]}) == []
    )
    schema = {
        "any_of": [
            {"type": "string", "enum": ["a"], "format": "enum", "nullable": True, "example": 3},
            {"type": "ARRAY", "items": {"type": "INTEGER", "format": "int64"}, "max_items": "3"},
            {"type": "OBJECT", "properties": {"a": {"type": "NUMBER"}}, "propertyOrdering": ["a"]},
        ]
    }
    assert found(of_property(schema)) == []
    assert found(declared({"name": "take", "response": {"type": "STRING"}})) == []


@pytest.mark.parametrize(
    ("tools", "path", "rule"),
    [
        ("take", "", "tools-not-list"),
        (["take"], "/0", "tool-not-object"),
        (declared("take"), PLACE, "declaration-not-object"),
        (declared({"name": "1st"}), f"{PLACE}/name", "tool-name"),
        (declared({"name": "a b"}), f"{PLACE}/name", "tool-name"),
        (declared({"name": "x" * 65}), f"{PLACE}/name", "tool-name"),
        (declared({}), f"{PLACE}/name", "tool-name"),
        (declared({"name": "a", "description": None}), f"{PLACE}/description", "tool-description"),
        (declared({"name": "a", "strict": True}), f"{PLACE}/strict", "unknown-member"),
        (
            declared(
                {"name": "a", "parameters": OBJECT, "parametersJsonSchema": {"type": "object"}}
            ),
            f"{PLACE}/parametersJsonSchema",
            "both-schemas",
        ),
        (
            declared({"name": "a"}, {"name": "a"}),
            "/0/functionDeclarations/1/name",
            "tool-name-repeated",
        ),
        (declared({"name": "a", "parameters": []}), f"{PLACE}/parameters", "schema-not-object"),
        (
            declared({"name": "a", "parameters": {"type": "STRING"}}),
            f"{PLACE}/parameters/type",
            "root-not-object",
        ),
        (
            declared(
                {"name": "a", "parameters": {**OBJECT, "properties": {"a.b": {"type": "STRING"}}}}
            ),
            f"{PLACE}/parameters/properties/a.b",
            "parameter-name",
        ),
        (
            declared({"name": "a", "parameters": {**OBJECT, "required": ["b"]}}),
            f"{PLACE}/parameters/required/0",
            "property-undefined",
        ),
    ],
)
def test_what_the_service_refuses_is_found(tools: Any, path: str, rule: str) -> None:
    assert found(tools) == [(path, rule)]


@pytest.mark.parametrize(
    ("schema", "step", "rule"),
    [
        ("text", "", "schema-not-object"),
        ({}, "", "untyped"),
        ({"description": "?"}, "", "untyped"),
        ({"type": ["string", "null"]}, "/type", "member-value"),
        ({"type": "int"}, "/type", "member-value"),
        (
            {"type": "OBJECT", "additionalProperties": False},
            "/additionalProperties",
            "unknown-member",
        ),
        ({"type": "STRING", "$schema": "x"}, "/$schema", "unknown-member"),
        ({"type": "OBJECT", "$ref": "#/$defs/A"}, "/$ref", "unknown-member"),
        ({"type": "STRING", "const": "a"}, "/const", "unknown-member"),
        ({"type": "STRING", "default": "a"}, "/default", "unknown-member"),
        ({"type": "INTEGER", "exclusiveMinimum": 1}, "/exclusiveMinimum", "unknown-member"),
        ({"type": "INTEGER", "enum": ["1"]}, "/enum", "member-of-other-type"),
        ({"type": "STRING", "enum": [1]}, "/enum", "member-value"),
        ({"type": "STRING", "enum": [""]}, "/enum", "member-value"),
        ({"type": "STRING", "enum": []}, "/enum", "member-value"),
        ({"type": "STRING", "format": "uri"}, "/format", "format"),
        ({"type": "INTEGER", "format": "date-time"}, "/format", "format"),
        ({"type": "BOOLEAN", "format": "enum"}, "/format", "member-of-other-type"),
        ({"type": "STRING", "required": ["a"]}, "/required", "member-of-other-type"),
        ({"type": "STRING", "minimum": 1}, "/minimum", "member-of-other-type"),
        ({"type": "STRING", "minLength": -1}, "/minLength", "member-value"),
        ({"type": "STRING", "nullable": "yes"}, "/nullable", "member-value"),
        ({"type": "ARRAY"}, "", "array-without-items"),
        ({"type": "ARRAY", "items": {}}, "/items", "member-value"),
        ({"type": "ARRAY", "items": {"description": "?"}}, "/items", "untyped"),
        ({"anyOf": []}, "/anyOf", "member-value"),
        ({"anyOf": [{"type": "STRING"}], "description": "?"}, "", "union-with-others"),
        ({"anyOf": [{"nullable": True}]}, "/anyOf/0", "untyped"),
    ],
)
def test_what_a_schema_of_parameters_may_not_be_is_found(schema: Any, step: str, rule: str) -> None:
    path = f"{PLACE}/parameters/properties/x{step}"
    violations = found(of_property(schema))
    assert (path, rule) in violations
    assert {rule for _, rule in violations} <= {rule, "property-undefined"}


@pytest.mark.parametrize(
    ("schema", "step", "rule"),
    [
        ([], "", "schema-not-object"),
        ({"type": "string"}, "/type", "root-not-object"),
        ({"type": "object", "properties": {"a b": {}}}, "/properties/a b", "parameter-name"),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}},
            "/properties/a/$ref",
            "reference-undefined",
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/A", "type": "string"}},
                "$defs": {"A": {"type": "string"}},
            },
            "/properties/a",
            "reference-with-others",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "array"}}},
            "/properties/a",
            "array-without-items",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {}}}},
            "/properties/a",
            "array-without-items",
        ),
    ],
)
def test_what_a_json_schema_may_not_be_is_found(schema: Any, step: str, rule: str) -> None:
    assert found(of_json_schema(schema)) == [(f"{PLACE}/parametersJsonSchema{step}", rule)]


def test_recursion_in_json_schema_stands_only_in_optional_properties() -> None:
    node: dict[str, Any] = {"type": "object", "properties": {"other": {"$ref": "#/$defs/Other"}}}
    other = {"type": "object", "properties": {"node": {"$ref": "#/$defs/Node"}}}
    leaf = {"type": "string", "description": "A leaf."}
    root = {
        "type": "object",
        "properties": {"leaf": {"$ref": "#/$defs/Leaf", "description": "The leaf."}},
        "required": ["leaf"],
        "$defs": {"Node": node, "Other": other, "Leaf": leaf},
    }
    assert found(of_json_schema(root)) == []
    node["required"] = ["other"]
    assert found(of_json_schema(root)) == [
        (f"{PLACE}/parametersJsonSchema/$defs/Node/properties/other", "recursion-required")
    ]


def test_at_most_five_hundred_and_twelve_functions_are_declared() -> None:
    assert found(declared(*({"name": f"f{place}"} for place in range(512)))) == []
    assert found(declared(*({"name": f"f{place}"} for place in range(513)))) == [
        ("", "declarations")
    ]
