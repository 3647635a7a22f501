"""The rules of JSON Schema 2020-12 that every provider starts from."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given

from appfunctions_mcp.formats.schema_rules import (
    schema_parts,
    schema_rule_violations,
    target_of,
)
from tests.support.drawn_schemas import arguments_schemas
from tests.support.exported import corpus_functions

ACCEPTED: list[Any] = [
    {},
    {"type": ["string", "null"], "enum": ["a", None]},
    {"properties": {"type": {"type": "string"}, "required": {"type": "array"}}},
    {"items": True, "additionalProperties": False, "not": {}},
    {"prefixItems": [{"type": "string"}], "items": False},
    {"$defs": {"a/b~c d": {"type": "string"}}, "$ref": "#/$defs/a~1b~0c%20d"},
    {"anyOf": [{"$ref": "#/anyOf/1"}, {"type": "null"}]},
    {"properties": {"self": {"$ref": "#"}}},
    {"minimum": -1.5, "maxLength": 3.0, "multipleOf": 0.1, "uniqueItems": True},
]
REFUSED: list[tuple[Any, str, str]] = [
    ({"type": "int"}, "/type", "keyword-value"),
    ({"type": []}, "/type", "keyword-value"),
    ({"type": ["string", "string"]}, "/type", "keyword-value"),
    ({"type": None}, "/type", "keyword-value"),
    ({"required": None}, "/required", "keyword-value"),
    ({"required": ["a", "a"]}, "/required", "keyword-value"),
    ({"required": [1]}, "/required", "keyword-value"),
    ({"enum": "a"}, "/enum", "keyword-value"),
    ({"minimum": "1"}, "/minimum", "keyword-value"),
    ({"minimum": True}, "/minimum", "keyword-value"),
    ({"exclusiveMinimum": True}, "/exclusiveMinimum", "keyword-value"),
    ({"multipleOf": 0}, "/multipleOf", "keyword-value"),
    ({"maxLength": -1}, "/maxLength", "keyword-value"),
    ({"maxLength": 1.5}, "/maxLength", "keyword-value"),
    ({"uniqueItems": 1}, "/uniqueItems", "keyword-value"),
    ({"description": None}, "/description", "keyword-value"),
    ({"properties": []}, "/properties", "keyword-value"),
    ({"anyOf": []}, "/anyOf", "keyword-value"),
    ({"anyOf": {"type": "string"}}, "/anyOf", "keyword-value"),
    ({"items": [{"type": "string"}]}, "/items", "schema-not-object"),
    ({"properties": {"a/b": "string"}}, "/properties/a~1b", "schema-not-object"),
    ({"not": None}, "/not", "schema-not-object"),
]


@pytest.mark.parametrize("schema", ACCEPTED)
def test_a_schema_breaks_no_rule(schema: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema_rule_violations(schema, "") == []


@pytest.mark.parametrize(("schema", "path", "rule"), REFUSED)
def test_what_is_no_schema_is_found_where_it_stands(schema: Any, path: str, rule: str) -> None:
    with pytest.raises(jsonschema.SchemaError):
        jsonschema.Draft202012Validator.check_schema(schema)
    (violation,) = schema_rule_violations(schema, "/x")
    assert (violation.path, violation.rule) == (f"/x{path}", rule)


@pytest.mark.parametrize(
    "reference",
    ["#/$defs/B", "other.json", "https://example.com/a", "#A", "#/anyOf/3", "#/type/x", "#/type"],
)
def test_a_reference_that_leads_nowhere_is_found(reference: str) -> None:
    schema = {"type": "object", "anyOf": [{"$ref": reference}], "$defs": {"A": {}}}
    (violation,) = schema_rule_violations(schema, "")
    assert (violation.path, violation.rule) == ("/anyOf/0/$ref", "reference-undefined")
    assert target_of(schema, reference) is None


def test_what_is_true_or_false_is_no_schema_of_arguments() -> None:
    assert schema_rule_violations(True, "")[0].rule == "schema-not-object"
    assert schema_rule_violations({"items": True}, "") == []


def test_a_very_deep_schema_is_checked() -> None:
    schema: dict[str, Any] = {"type": "int"}
    for _ in range(5000):
        schema = {"items": schema}
    assert len(schema_rule_violations(schema, "")) == 1
    assert sum(1 for _ in schema_parts(schema)) == 5001


@given(arguments_schemas())
def test_drawn_schemas_break_no_rule(drawn: tuple[dict[str, Any], dict[str, Any]]) -> None:
    schema, arguments = drawn
    jsonschema.validate(arguments, schema, jsonschema.Draft202012Validator)
    assert schema_rule_violations(schema, "") == []


def test_what_servers_publish_is_judged_as_the_meta_schema_judges_it() -> None:
    for functions in corpus_functions().values():
        for function in functions:
            accepted = jsonschema.Draft202012Validator.META_SCHEMA
            is_schema = jsonschema.Draft202012Validator(accepted).is_valid(function.input_schema)
            assert is_schema == (schema_rule_violations(function.input_schema, "") == [])
