"""Schemas that clients refuse, or that contradict themselves, are found at every depth."""

from typing import Any

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import all_rules, findings_in
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.schema_parts import parameter_parts, result_parts
from appfunctions_mcp.lint.value_fits import misfit_of, pattern_fault
from tests.support.exported import tool_of

RULES = [each for each in all_rules() if each.rule.id < "AF100"]


def found_in(schema: Any, **more: Any) -> list[Finding]:
    tool = {"name": "list_items", "description": "Lists items.", "inputSchema": schema, **more}
    return list(findings_in(subject_of(tool), RULES))


def taking(value: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    described = {"description": "What is meant.", **value}
    return {
        "type": "object",
        "properties": {"some_value": described},
        "required": ["some_value"] if required else [],
    }


@pytest.mark.parametrize(
    ("value", "rule", "severity"),
    [
        ({}, "AF022", Severity.WARNING),
        ({"description": "Anything."}, "AF022", Severity.WARNING),
        ({"type": "array"}, "AF023", Severity.ERROR),
        ({"type": ["array", "null"]}, "AF023", Severity.ERROR),
        ({"type": "array", "items": {}}, "AF023", Severity.WARNING),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, "AF023", Severity.ERROR),
        ({"type": "array", "items": {"type": "array"}}, "AF023", Severity.ERROR),
        ({"type": "object"}, "AF024", Severity.WARNING),
        ({"type": "object", "additionalProperties": True}, "AF024", Severity.WARNING),
        ({"type": "object", "properties": {}}, "AF024", Severity.WARNING),
        ({"type": "int"}, "AF025", Severity.ERROR),
        ({"type": ["string", "none"]}, "AF025", Severity.ERROR),
        ({"type": "array", "items": {"type": "str"}}, "AF025", Severity.ERROR),
        ({"type": "string", "required": True}, "AF027", Severity.ERROR),
        ({"type": "object", "properties": {}, "required": ["a"]}, "AF027", Severity.ERROR),
        ({"type": "integer", "default": "ten"}, "AF028", Severity.ERROR),
        ({"type": "string", "enum": ["a"], "default": "b"}, "AF028", Severity.ERROR),
        ({"type": "string", "default": None}, "AF028", Severity.WARNING),
        ({"type": "string", "enum": []}, "AF030", Severity.ERROR),
        ({"type": "string", "enum": ["a", "a"]}, "AF030", Severity.WARNING),
        ({"type": "string", "enum": ["a", 1]}, "AF030", Severity.ERROR),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "AF031", Severity.ERROR),
        ({"type": "string", "minLength": 2, "maxLength": 1}, "AF031", Severity.ERROR),
        ({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 1}, "AF031", Severity.ERROR),
        ({"type": "string", "pattern": "(a"}, "AF032", Severity.ERROR),
        ({"type": "string", "pattern": "(?P<year>a)"}, "AF032", Severity.ERROR),
        (
            {"type": "object", "properties": {"a b": {"type": "string", "description": "A."}}},
            "AF038",
            Severity.WARNING,
        ),
    ],
)
def test_a_fault_of_a_schema_is_found(value: dict[str, Any], rule: str, severity: Severity) -> None:
    found = [f for f in found_in(taking(value)) if f.rule.id == rule]
    assert [f.severity for f in found] == [severity]
    assert found[0].fault.place.startswith("parameters.some_value")


@pytest.mark.parametrize(
    "value",
    [
        {"$ref": "#/$defs/Thing"},
        {"enum": ["a", "b"]},
        {"const": "a"},
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {}, "additionalProperties": False},
        {"type": ["string", "null"], "default": None},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"type": "number", "default": 1},
        {"type": "integer", "default": 1.0},
        {"enum": [1, True, "1"]},
        {"type": "string", "pattern": r"^\p{L}+$"},
        {"type": "string", "pattern": "(?<year>[0-9]+)"},
        {"type": "integer", "minimum": 1, "maximum": 1},
        {"type": "integer", "minimum": "one", "maximum": True},
    ],
)
def test_a_sound_schema_has_no_fault(value: dict[str, Any]) -> None:
    schema = {**taking(value), "$defs": {"Thing": {"type": "string"}}}
    structural = {f"AF0{number}" for number in (22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 38)}
    assert not {f.rule.id for f in found_in(schema)} & structural


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"anyOf": [{"type": "object"}]}, ["anyOf", "type"]),
        ({"type": "object", "oneOf": [], "properties": {}}, ["oneOf"]),
        ({"$ref": "#/$defs/A"}, ["$ref", "type"]),
        ({"type": "object"}, ["properties"]),
        ({"type": "array"}, ["type"]),
        ({"properties": {}}, ["type"]),
    ],
)
def test_a_root_that_is_no_plain_object_is_an_error(schema: Any, words: list[str]) -> None:
    found = [f for f in found_in(schema) if f.rule.id == "AF026"]
    assert [f.fault.words for f in found] == words
    assert all(f.severity is Severity.ERROR for f in found)


@pytest.mark.parametrize(
    "schema", [None, {}, "a schema", ["a"], {"type": "object", "properties": {}}]
)
def test_a_tool_without_parameters_has_a_plain_root(schema: Any) -> None:
    assert "AF026" not in {f.rule.id for f in found_in(schema)}


def test_a_required_parameter_with_a_default_is_a_warning() -> None:
    found = {f.rule.id for f in found_in(taking({"type": "integer", "default": 1}, required=True))}
    assert "AF029" in found


def test_a_null_default_of_a_required_parameter_is_an_error() -> None:
    schema = taking({"type": "integer", "default": None}, required=True)
    (found,) = (f for f in found_in(schema) if f.rule.id == "AF028")
    assert found.severity is Severity.ERROR


def test_a_name_that_providers_refuse_is_an_error() -> None:
    schema = {"type": "object", "properties": {"some value": {"type": "string"}}}
    assert Severity.ERROR in {f.severity for f in found_in(schema) if f.rule.id == "AF038"}


@pytest.mark.parametrize(
    ("output", "rule"),
    [
        ({"type": "array", "items": {"type": "string"}}, "AF045"),
        ({"type": "object", "properties": {"a": {"type": "int"}}}, "AF045"),
        ({"type": "object", "properties": {}, "required": ["a"]}, "AF045"),
        ({"type": "object", "properties": {"a": {"enum": []}}}, "AF045"),
        ({"type": "object"}, "AF042"),
        ({"type": "object", "properties": {"result": {}}}, "AF042"),
        ({"type": "object", "properties": {"result": {"type": "object"}}}, "AF042"),
        ({"type": "object", "properties": {"error": {"type": "string"}}}, "AF053"),
        (
            {
                "type": "object",
                "properties": {
                    "result": {"type": ["string", "number", "boolean", "object", "array", "null"]}
                },
            },
            "AF042",
        ),
    ],
)
def test_a_fault_of_the_schema_of_a_result_is_found(output: Any, rule: str) -> None:
    assert rule in {f.rule.id for f in found_in({}, outputSchema=output)}


@pytest.mark.parametrize(
    "output",
    [
        {"type": "object", "properties": {"result": {"type": "string"}}},
        {"type": "object", "properties": {"result": {"anyOf": [{"$ref": "#/$defs/A"}]}}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"result": {"type": "null"}}},
    ],
)
def test_a_sound_schema_of_a_result_has_no_fault(output: Any) -> None:
    found = {f.rule.id for f in found_in({}, outputSchema=output)}
    assert not found & {"AF042", "AF045", "AF053"}


def test_parts_are_told_by_their_place() -> None:
    schema = {
        "type": "object",
        "properties": {
            "edits": {
                "type": "array",
                "items": {"type": "object", "properties": {"text": {"type": "string"}}},
            },
            "kind": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}]},
            "broken": "no schema",
        },
        "$defs": {"A": {"type": "string"}},
    }
    places = [part.place for part in parameter_parts(tool_of(schema))]
    assert places == [
        "parameters",
        "parameters.edits",
        "parameters.edits[]",
        "parameters.edits[].text",
        "parameters.kind",
        "parameters.kind",
        "parameters.kind",
        "parameters.pair",
        "parameters.pair[]",
        "parameters.$defs.A",
    ]
    assert not list(result_parts(tool_of(schema)))


def test_a_schema_of_endless_depth_is_judged_in_part() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(20_000):
        schema = {"type": "object", "properties": {"a": schema}}
    assert len(list(parameter_parts(tool_of(schema)))) == 5_000


@pytest.mark.parametrize(
    ("value", "schema", "is_fit"),
    [
        (5, {"type": "string"}, False),
        ("5", {"type": "integer"}, False),
        (True, {"type": "integer"}, False),
        (5, {"type": "number"}, True),
        (5.0, {"type": "integer"}, True),
        (5.5, {"type": "integer"}, False),
        ([1], {"type": "array", "maxItems": 0}, False),
        ("ab", {"type": "string", "minLength": 3}, False),
        ("ab", {"type": "string", "pattern": "^a$"}, False),
        ("a" * 2_000, {"type": "string", "pattern": "^b$"}, True),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", {"pattern": "^(a+)+$"}, True),
        ("ab", {"type": "string", "pattern": "["}, True),
        (1, {"exclusiveMinimum": 1}, False),
        (1, {"exclusiveMaximum": 1}, False),
        (1, {"minimum": 2}, False),
        ("b", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, False),
        (None, {"oneOf": [{"enum": ["a"]}, {"type": "null"}]}, True),
        (5, {"allOf": [{"type": "string"}]}, True),
        (5, {"type": "strange"}, True),
        ({}, {"type": "object"}, True),
    ],
)
def test_a_value_fits_a_schema_or_not(value: Any, schema: dict[str, Any], *, is_fit: bool) -> None:
    assert (misfit_of(value, schema) == "") is is_fit


def test_a_pattern_is_judged_as_java_script_reads_it() -> None:
    assert pattern_fault("[a-z]+") == ""
    assert pattern_fault(r"\p{Lu}") == ""
    assert "missing )" in pattern_fault("(a")


@pytest.mark.parametrize("is_open", [True, False])
def test_a_root_that_takes_anything_by_its_own_words_is_found(is_open: bool) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": is_open}
    assert ("AF024" in {f.rule.id for f in found_in(schema)}) is is_open
