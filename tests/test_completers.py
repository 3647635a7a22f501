"""What completes itself, and what of a completion goes out."""

import itertools
from typing import Any

import pytest

from appfunctions_mcp.completers import completion_of, made_completion, values_of_type
from appfunctions_mcp.exceptions import AppFunctionAppUnknownException
from appfunctions_mcp.metadata import AppFunctionParameterMetadata
from appfunctions_mcp.requests import Completion


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"type": "string", "enum": ["a", "b"]}, ("a", "b")),
        ({"type": ["string", "null"], "enum": ["a", None]}, ("a",)),
        ({"type": "integer", "enum": [1, 2]}, ("1", "2")),
        ({"type": "boolean"}, ("true", "false")),
        ({"type": ["boolean", "null"]}, ("true", "false")),
        ({"const": "a"}, ("a",)),
        ({"const": True}, ("true",)),
        ({"anyOf": [{"type": "boolean"}, {"enum": ["auto"]}]}, ("true", "false", "auto")),
        ({"type": "string"}, ()),
        ({"type": "array", "items": {"enum": ["a"]}}, ()),
        ({}, ()),
    ],
)
def test_enumerations_and_bools_complete_themselves(
    schema: dict[str, Any], values: tuple[str, ...]
) -> None:
    assert values_of_type(AppFunctionParameterMetadata("x", "", True, schema)) == values


def test_values_are_compared_by_their_beginning_in_any_case() -> None:
    assert completion_of(["Straße", "STRASSE", "Weg"], "strass").values == ("Straße", "STRASSE")


def test_at_most_a_hundred_values_go_out_and_the_rest_is_told() -> None:
    many = [str(number) for number in range(101)]

    assert made_completion(iter(many)) == Completion(tuple(many[:100]), 101, has_more=True)
    assert made_completion(many[:100]) == Completion(tuple(many[:100]), 100)
    assert made_completion(Completion(tuple(many))) == Completion(
        tuple(many[:100]), None, has_more=True
    )


def test_values_that_have_no_end_are_read_only_so_far_and_nobody_knows_how_many() -> None:
    first = tuple(str(number) for number in range(100))

    endless = made_completion(map(str, itertools.count()))
    assert endless == Completion(first, None, has_more=True)
    of_its_own = Completion(map(str, itertools.count()))  # type: ignore[arg-type] # authors do
    assert made_completion(of_its_own) == Completion(first, None, has_more=True)


@pytest.mark.parametrize("made", [None, 5, "a", b"a", {"a": 1}, Completion(("a",), "1")])  # type: ignore[arg-type] # authors do
def test_what_is_no_completion_is_the_functions_fault(made: object) -> None:
    with pytest.raises(AppFunctionAppUnknownException, match="the function is at fault"):
        made_completion(made)
