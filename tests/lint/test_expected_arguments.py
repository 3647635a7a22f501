"""Whether a model's arguments are those that an utterance asks for."""

from typing import Any

import pytest

from appfunctions_mcp.lint.expected_arguments import argument_faults, impossible_arguments
from tests.support.evaluated import functions_of, said

Json = dict[str, Any]


def faults(given: Json, **expected: Any) -> tuple[str, ...]:
    return argument_faults(said("Do it", "f", **expected), given)


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ({}, {"anything": 1}),
        ({"a": "Ёлка  стоит"}, {"a": " елка стоит"}),
        ({"a": 1}, {"a": 1.0, "b": 2}),
        ({"a": True, "b": None}, {"a": True, "b": None}),
        ({"a": {"value": "x"}}, {"a": {"value": "X", "more": 1}}),
        ({"a": [{"b": 1}, 2]}, {"a": [{"b": 1, "c": 2}, 2]}),
    ],
)
def test_these_are_right(expected: Json, given: Json) -> None:
    assert faults(given, arguments=expected) == ()


@pytest.mark.parametrize(
    ("expected", "given", "told"),
    [
        ({"a": "x"}, {"a": "y"}, "a is 'y', not 'x'"),
        ({"a": "x"}, {}, "a is missing, not 'x'"),
        ({"a": 1}, {"a": True}, "a is true, not 1"),
        ({"a": 1}, {"a": "1"}, "a is '1', not 1"),
        ({"a": {"value": "x"}}, {"a": {"clear": True}}, "a.value is missing, not 'x'"),
        ({"a": {"value": "x"}}, {"a": "x"}, "a is 'x', not {'value': 'x'}"),
        ({"a": [1, 2]}, {"a": [1]}, "a is [1], not [1, 2]"),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a[1].b is 3, not 2"),
    ],
)
def test_these_are_wrong(expected: Json, given: Json, told: str) -> None:
    (fault,) = faults(given, arguments=expected)
    assert fault.replace('"', "'") == told


def test_an_argument_contains_texts() -> None:
    given = {"a": "Milk and bread", "b": {"value": 12}}

    assert faults(given, contains={"a": ["BREAD", "milk"], "b": {"value": ["1", "2"]}}) == ()
    assert faults(given, contains={"a": "", "b": ""}) == ()
    assert faults(given, contains={"a": "eggs", "c": "", "b": {"v": "x"}}) == (
        "a is 'Milk and bread', not a text with 'eggs'",
        "c is missing, not a text",
        "b.v is missing, not a text with 'x'",
    )
    assert faults(given, contains={"a": {"value": "x"}}) == (
        "a.value is missing, not a text with 'x'",
    )


def test_an_argument_must_not_be_there() -> None:
    assert faults({"a": None}, without=("a", "b")) == ("a is given",)


ORDER = {
    "type": "object",
    "properties": {
        "pieces": {"type": "integer", "description": "How many."},
        "size": {"enum": ["Small", "large"], "type": "string"},
        "to": {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]},
        "on": {"$ref": "#/$defs/Day"},
    },
    "additionalProperties": False,
    "$defs": {"Day": {"type": ["string", "null"]}},
}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"pieces": 2, "size": "small", "to": {"a": 1}, "on": "Monday"}, []),
        ({"on": None, "size": "LARGE"}, []),
        ({"pieces": "two"}, ["order takes no 'two' as pieces; accepted is {'type': 'integer'}"]),
        ({"pieces": "2"}, ["order takes no '2' as pieces; accepted is {'type': 'integer'}"]),
        ({"on": 3}, ["order takes no 3 as on; accepted is "]),
        (
            {"size": "huge"},
            ["order takes no 'huge' as size; accepted is {'type': 'string', 'enum'"],
        ),
        ({"piecs": 2}, ["order takes no 'piecs'; it takes pieces, size, to, on"]),
    ],
)
def test_an_argument_that_no_call_could_have_is_told(arguments: Json, told: list[str]) -> None:
    (function,) = functions_of({"name": "order", "inputSchema": ORDER})
    found = impossible_arguments(said("Order", "order", arguments=arguments), function)

    assert len(found) == len(told)
    for fault, start in zip(found, told, strict=True):
        assert fault.replace('"', "'").startswith(f"said.yaml:1: {start}")
