"""Models that hold others twice, level by level: nothing doubles with each level."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Union

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, create_model

from appfunctions_mcp.schema.core_parts import core_schema_of
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.json_schema import MOST_INLINED, publish
from appfunctions_mcp.schema.shapes import resolved
from appfunctions_mcp.values import AppFunctionTypeDescription
from tests.support.arguments import arguments_of, function_of, received, refusal
from tests.support.result_types import response_of, sent_as

LEVELS = 40
Above = Callable[[int, Any], Any]


class Last(BaseModel):
    """What the lowest level is."""

    text: str


def two_fields(level: int, below: Any) -> Any:
    return create_model(f"Level{level}", a=(below, ...), b=(below, ...))


def two_lists(level: int, below: Any) -> Any:
    return create_model(f"Level{level}", a=(list[below], ...), b=(below | None, None))


def two_branches(level: int, below: Any) -> Any:
    """Each of the two holds what is below once only, so that pydantic inlines it."""
    left = create_model(f"Left{level}", a=(below, ...))
    right = create_model(f"Right{level}", b=(below, ...))
    either: Any = left | right
    return create_model(f"Level{level}", either=(either, ...))


def a_heir(level: int, below: Any) -> Any:
    """What is inherited holds the level below as well as the new field does."""
    own: dict[str, Any] = {f"field{level}": (below, ...)}
    return create_model(f"Level{level}", __base__=below, **own)


def tower(above: Above, levels: int = LEVELS) -> Any:
    model: Any = Last
    for level in range(levels):
        model = above(level, model)
    return model


KINDS = [two_fields, two_lists, two_branches, a_heir]


@pytest.mark.parametrize("above", KINDS)
def test_levels_that_double_are_published_once_each(above: Above) -> None:
    top = tower(above)
    schemas = [arguments_of(function_of(top)).input_schema, response_of(top).output_schema]

    for schema in schemas:
        assert schema is not None
        Draft202012Validator.check_schema(schema)
        text = json.dumps(schema)
        assert len(text) < 200_000
        assert all(f'"#/$defs/Level{level}"' in text for level in range(LEVELS - 2))


@pytest.mark.parametrize("above", KINDS)
def test_a_few_levels_are_inlined(above: Above) -> None:
    assert "$ref" not in json.dumps(arguments_of(function_of(tower(above, 3))).input_schema)


def test_a_value_is_checked_by_all_its_levels() -> None:
    top = tower(two_lists)
    sent: Any = {"text": "deep"}
    for _ in range(LEVELS):
        sent = {"a": [sent]}

    value = received(top, sent)
    assert sent_as(top, value).value == json.loads(json.dumps(sent).replace("]}", '], "b": null}'))
    wrong = json.loads(json.dumps(sent).replace('"deep"', "5"))
    assert refusal(top, wrong).endswith(
        ".text: got a whole number, send it in quotes as text; accepted: text"
    )


def test_what_is_large_without_repeating_itself_is_published_whole() -> None:
    fields: dict[str, Any] = {f"field{number}": (str, ...) for number in range(MOST_INLINED + 1)}
    wide = create_model("Wide", **fields)

    schema = arguments_of(function_of(wide)).input_schema

    assert len(schema["properties"]["x"]["properties"]) == MOST_INLINED + 1
    assert "$ref" not in json.dumps(schema)


def test_uses_of_one_model_keep_the_marks_that_each_has() -> None:
    marked = Annotated[Last, AppFunctionTypeDescription("Of b.")]
    pair = create_model("Pair", a=(Last, ...), b=(marked, ...))
    holder = create_model("Holder", one=(pair, ...))
    other = create_model("Other", two=(pair, Field(description="The pair.")), three=(Last, ...))

    shape = read_shape(core_schema_of(Union[holder, other]), "arguments")  # noqa: UP007 - made here

    first, second = (resolved(branch.parts[0]) for branch in shape.parts)
    assert [dict(part.marks) for part in first.parts] == [{}, {"type_description": "Of b."}]
    assert publish(second, "arguments") == publish(first, "arguments")
