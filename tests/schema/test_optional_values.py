from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.fields import SetField
from tests.support.arguments import (
    SOURCE,
    arguments_of,
    declaration_fault,
    function_of,
    published,
    received,
)


class Color(Enum):
    RED = "red"


class Point(BaseModel):
    x: int = 0


EMPTY_VALUES = [
    (int, 0, 0),
    (float, 0.0, 0.0),
    (float, 0, 0.0),
    (Decimal, Decimal(0), Decimal(0)),
    (Decimal, 0, Decimal(0)),
    (bool, False, False),
    (bytes, b"", b""),
    (list[str], [], []),
    (list[str], (), []),
    (list, [], []),
    (Sequence[int], (), []),
    (Iterable[int], (), []),
    (set[int], set(), set()),
    (frozenset[int], frozenset(), frozenset()),
    (tuple[int, ...], (), ()),
    (deque[int], deque(), deque()),
    (str | None, None, None),
    (Point | None, None, None),
    (Color | None, None, None),
    (SetField[str] | None, None, None),
    (Any, None, None),
    (object, None, None),
    (Annotated[int, Field(ge=1)], 0, 0),
    (Annotated[list[int], Field(min_length=1)], [], []),
]


@pytest.mark.parametrize(("annotation", "default", "value"), EMPTY_VALUES)
def test_a_left_out_parameter_is_the_empty_value_of_its_type(
    annotation: Any, default: Any, value: Any
) -> None:
    """Android's rule (AppFunctions, optional parameters): never the declared default."""
    arguments = arguments_of(function_of(annotation, default))

    left_out = arguments.validate({})["x"]
    assert left_out == value
    assert type(left_out) is type(value)
    assert arguments.validate({"x": None})["x"] == value
    assert "required" not in arguments.input_schema
    assert "default" not in arguments.input_schema["properties"]["x"]


@pytest.mark.parametrize("annotation", [list[str], set[int], deque[int]])
def test_an_empty_value_is_fresh_each_call(annotation: Any) -> None:
    arguments = arguments_of(function_of(annotation, annotation()))

    assert arguments.validate({})["x"] is not arguments.validate({})["x"]


@pytest.mark.parametrize(
    ("annotation", "default", "said"),
    [
        (int, 10, ["x: int = 10", "it would be 0", "x: int | None = None"]),
        (int, False, ["it would be 0"]),
        (bool, True, ["it would be False"]),
        (bool, 0, ["it would be False"]),
        (float, 1.5, ["it would be 0.0"]),
        (Decimal, Decimal("1.5"), ["Decimal('0')"]),
        (bytes, b"x", ["it would be b''"]),
        (list[str], ["a"], ["it would be []", "x = ['a'] if x is None else x"]),
        (int | None, 2, ["it would be None", "x: int | None = None"]),
        (Any, 5, ["it would be None"]),
        (Annotated[int, Field(le=50)], 10, ["x: int = 10", "x: int | None = None"]),
    ],
)
def test_a_default_that_would_not_be_passed_is_refused_with_both_fixes(
    annotation: Any, default: Any, said: list[str]
) -> None:
    """F110 and Android's rule."""
    fault = declaration_fault(function_of(annotation, default))

    assert fault.startswith(f"{SOURCE}: take: ")
    assert [text for text in said if text not in fault] == []
    assert '\n    @app_function(optional_defaults="declared")' in fault


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (str, ""),
        (Color, Color.RED),
        (Literal["a"], "a"),
        (Point, Point()),
        (date, date(2025, 1, 2)),
        (dict[str, int], {}),
        (tuple[int, int], (0, 0)),
        (SetField[str], SetField("")),
        (int | str, 0),
    ],
)
def test_a_type_without_an_empty_value_may_not_be_optional(annotation: Any, default: Any) -> None:
    """Android's compiler: "cannot be optional"."""
    fault = declaration_fault(function_of(annotation, default))

    assert "may not be optional" in fault
    assert " | None = None" in fault
    assert 'optional_defaults="declared"' in fault


@pytest.mark.parametrize(
    ("annotation", "default"),
    [(str, ""), (int, 10), (Color, Color.RED), (Point, Point(x=3)), (int | None, 5), (dict, {})],
)
def test_the_declared_default_is_passed_where_the_author_opts_in(
    annotation: Any, default: Any
) -> None:
    arguments = arguments_of(function_of(annotation, default), optional_defaults="declared")

    assert arguments.validate({}) == {"x": default}


def test_a_mutable_declared_default_is_copied_for_each_call() -> None:
    default = [["a"]]
    arguments = arguments_of(function_of(list[list[str]], default), optional_defaults="declared")

    arguments.validate({})["x"][0].append("b")

    assert arguments.validate({}) == {"x": [["a"]]}
    assert default == [["a"]]


def test_a_model_as_declared_default_is_copied_for_each_call() -> None:
    class Options(BaseModel):
        names: list[str] = []

    default = Options(names=["a"])
    arguments = arguments_of(function_of(Options, default), optional_defaults="declared")

    arguments.validate({})["x"].names.append("b")

    assert arguments.validate({}) == {"x": Options(names=["a"])}
    assert default == Options(names=["a"])


class Tree(BaseModel):
    name: str = "t"
    size: int | None = None
    below: "dict[str, list[Tree | None]]" = {}
    parent: "Tree | None" = None


@pytest.mark.parametrize(
    ("default", "published_default"),
    [
        (Tree(), {"name": "t", "below": {}}),
        (
            Tree(size=2, below={"a": [Tree(name="b"), None]}),
            {"name": "t", "size": 2, "below": {"a": [{"name": "b", "below": {}}, None]}},
        ),
    ],
)
def test_a_published_default_has_no_null_where_none_is_published(
    default: Tree, published_default: Any
) -> None:
    """F07, F88: clients send back the default that they are offered."""
    schema = published(Tree | None, default, optional_defaults="declared")

    assert schema["default"] == published_default
    assert received(Tree | None, schema["default"], None) == default
    Draft202012Validator(schema).validate(schema["default"])


def test_null_means_left_out_unless_null_is_a_value() -> None:
    """F06, under declared defaults."""

    def take(
        query: str, start: str = "", n: int = 10, x: int | None = 5, note: str | None = None
    ) -> None:
        raise NotImplementedError(query, start, n, x, note)

    arguments = arguments_of(take, optional_defaults="declared")

    assert arguments.validate({"query": "q", "start": None, "n": None, "x": None}) == {
        "query": "q",
        "start": "",
        "n": 10,
        "x": None,
        "note": None,
    }
    with pytest.raises(AppFunctionInvalidArgumentException, match="query: got null"):
        arguments.validate({"query": None})


def nullable(s: str | None, n: int | None = 2, u: list[str] | None = None) -> None:
    raise NotImplementedError(s, n, u)


def test_required_comes_from_the_default_and_nullable_from_the_type() -> None:
    """F110."""
    arguments = arguments_of(nullable, optional_defaults="declared")

    assert arguments.input_schema["required"] == ["s"]
    assert arguments.input_schema["properties"]["s"] == {"type": ["string", "null"]}
    assert arguments.input_schema["properties"]["u"] == {
        "type": "array",
        "items": {"type": "string"},
    }
    assert arguments.validate({"s": None}) == {"s": None, "n": 2, "u": None}
    assert arguments.validate({"s": "a", "n": None, "u": None}) == {"s": "a", "n": None, "u": None}
    with pytest.raises(AppFunctionInvalidArgumentException, match="s: missing"):
        arguments.validate({})


def test_a_models_own_defaults_hold_under_both_rules() -> None:
    class Options(BaseModel):
        limit: int = 10
        name: str = "all"

    def take(options: Options) -> None:
        raise NotImplementedError(options)

    for rule in ("type", "declared"):
        arguments = arguments_of(take, optional_defaults=rule)
        assert arguments.validate({"options": {"limit": None}}) == {"options": Options()}
    fields = arguments.input_schema["properties"]["options"]["properties"]
    assert fields["limit"] == {"type": "integer", "default": 10}


@pytest.mark.parametrize("rule", ["type", "declared"])
def test_every_fault_of_a_declaration_is_told_at_once(rule: Any) -> None:
    def take(a: complex, b: Callable[[], int], c: int = 10, d: str = "x") -> None:
        raise NotImplementedError(a, b, c, d)

    faults = declaration_fault(take, optional_defaults=rule)

    assert "a has the type complex, which is not supported" in faults
    assert "b has the type" in faults
    assert ("c: int = 10" in faults) == (rule == "type")
    assert ("d: str = 'x'" in faults) == (rule == "type")
