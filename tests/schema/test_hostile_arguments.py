import time
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from typing_extensions import TypeAliasType, TypedDict

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.schema.arguments import ArgumentsSchema, arguments_from_json_schema
from tests.support.arguments import arguments_of, function_of, refusal


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Node(BaseModel):
    name: str
    children: "list[Node]" = []


class Add(BaseModel):
    left: "Add | Sub | int"
    right: "Add | Sub | int"


class Sub(BaseModel):
    left: "Add | Sub | int"
    right: "Add | Sub | int"


class One(TypedDict):
    below: "One | Two | int"


class Two(TypedDict):
    below: "One | Two | int"


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str")


def nested(depth: int, wrap: Any, innermost: Any) -> Any:
    value = innermost
    for _ in range(depth):
        value = wrap(value)
    return value


def refusal_of(arguments: ArgumentsSchema, sent: dict[str, Any]) -> str:
    """The message with which arguments are refused; empty if they are received."""
    try:
        arguments.validate(sent, [])
    except AppFunctionInvalidArgumentException as refused:
        return refused.message or "refused without a message"
    return ""


@pytest.mark.parametrize(
    ("annotation", "wrap", "innermost"),
    [
        (Any, lambda v: [v], 1),
        (Any, lambda v: {"a": v}, 1),
        (dict[str, Any], lambda v: {"a": v}, {}),
        (Json, lambda v: [v], "x"),
        (Json, lambda v: {"a": v}, "x"),
        (Node, lambda v: {"name": "a", "children": [v]}, {"name": "a"}),
        (Add | Sub, lambda v: {"left": v, "right": 1}, 1),
        (One | Two, lambda v: {"below": v}, 1),
        (list[Json], lambda v: [v], "x"),
        (SetField[Json], lambda v: {"value": v}, "x"),
    ],
)
@pytest.mark.parametrize("depth", [120, 450, 900, 20_000])
def test_nesting_is_a_fault_and_never_a_recursion_error(
    annotation: Any, wrap: Any, innermost: Any, depth: int
) -> None:
    arguments = arguments_of(function_of(annotation))
    sent = {"x": nested(depth, wrap, innermost)}

    if annotation is Any and depth == 120:
        assert arguments.validate(sent) == sent
        return
    message = refusal_of(arguments, sent)
    assert len(message) < 2000
    assert message or depth < 500


@pytest.mark.parametrize(
    ("annotation", "wrap", "innermost"),
    [
        (Json, lambda v: [v], "x"),
        (Json, lambda v: {"a": v}, "x"),
        (Json, lambda v: {"a": [v]}, "x"),
        (Node, lambda v: {"name": "a", "children": [v]}, {"name": "a"}),
        (Add | Sub, lambda v: {"left": v, "right": 1}, {"left": 1, "right": 1}),
    ],
)
def test_a_deep_value_is_received(annotation: Any, wrap: Any, innermost: Any) -> None:
    sent = nested(45, wrap, innermost)

    assert arguments_of(function_of(annotation)).validate({"x": sent})


@pytest.mark.parametrize("annotation", [Any, Json, Node, Add | Sub])
def test_a_value_that_holds_itself_is_a_fault(annotation: Any) -> None:
    endless: dict[str, Any] = {"name": "a", "left": 1}
    endless["children"] = [endless]
    endless["right"] = endless

    assert refusal(annotation, endless)


@pytest.mark.parametrize("annotation", [Add | Sub, list[Add | Sub | int]])
@pytest.mark.parametrize("leaf", [1, "x", None])
def test_an_ambiguous_recursive_union_takes_no_exponential_time(annotation: Any, leaf: Any) -> None:
    """Pydantic alone tries every branch below every branch: 2^30 times here."""
    tree = nested(30, lambda below: {"left": below, "right": 1}, leaf)
    arguments = arguments_of(function_of(annotation))
    sent = {"x": tree if annotation == Add | Sub else [tree]}

    started = time.process_time()
    assert bool(refusal_of(arguments, sent)) == (leaf != 1)

    assert time.process_time() - started < 2


def test_an_ambiguous_union_without_instances_is_bounded() -> None:
    shallow = nested(5, lambda below: {"below": below}, 1)

    assert arguments_of(function_of(One | Two)).validate({"x": shallow}) == {"x": shallow}
    assert "nested deeper than 10 levels" in refusal(
        One | Two, nested(30, lambda below: {"below": below}, 1)
    )


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (int, "1" * 5_000_000),
        (float, "1" * 5_000_000),
        (Decimal, "1e" + "9" * 4000),
        (Annotated[Decimal, Field(decimal_places=2)], "9" * 4301),
        (list[int], "[" * 1_000_000),
        (list[int], "[" + "1," * 300_000 + "x]"),
        (dict[str, int], "{" * 1_000_000),
        (SetField[str] | None, "{" * 1_000_000),
        (bytes, "é" * 5_000_000),
        (Color, "R" * 5_000_000),
        (date, "9" * 5_000_000),
        (list[Color], ["x"] * 100_000),
        (list[Node], [{"name": 1}] * 100_000),
        (list[One | Node], [{"no": 1}] * 10_000),
    ],
)
def test_no_text_takes_long(annotation: Any, sent: Any) -> None:
    started = time.process_time()

    message = refusal(annotation, sent) if annotation != SetField[str] | None else ""

    assert len(message) < 5000
    assert time.process_time() - started < 5


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["null", "true", "5", "[1]", '{"value": 1}', "{}", "red", "2025-01-02"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["value", "clear", "name", "children", "left", "right", "x"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def everything(
    a: int,
    b: list[Node],
    c: Add | Sub | None = None,
    d: SetField[list[Color] | None] | None = None,
    e: dict[int, date | int] | None = None,
    f: Json | None = None,
    g: tuple[int, str] | None = None,
    h: Any = None,
    i: set[bytes] | None = None,
) -> None:
    raise NotImplementedError(a, b, c, d, e, f, g, h, i)


EVERYTHING = {mode: arguments_of(everything, unknown_arguments=mode) for mode in ("refuse", "warn")}


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.sampled_from(["refuse", "warn"]),
    st.dictionaries(st.sampled_from("abcdefghi") | st.text(max_size=3), JSON, max_size=9),
)
def test_whatever_is_sent_is_received_or_refused(mode: str, sent: dict[str, Any]) -> None:
    arguments = EVERYTHING[mode]

    if not refusal_of(arguments, sent):
        assert arguments.validate(sent).keys() == set("abcdefghi")


FOREIGN = arguments_from_json_schema(EVERYTHING["refuse"].input_schema)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefghi"), JSON, max_size=9))
def test_a_ready_schema_receives_or_refuses_whatever_is_sent(sent: dict[str, Any]) -> None:
    if not refusal_of(FOREIGN, sent):
        assert FOREIGN.validate(sent).keys() <= sent.keys()


@given(st.integers())
def test_a_number_and_its_text_are_the_same(number: int) -> None:
    arguments = arguments_of(function_of(int))

    assert arguments.validate({"x": str(number)}) == arguments.validate({"x": number})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_and_its_text_are_the_same(number: float) -> None:
    arguments = arguments_of(function_of(float))

    assert arguments.validate({"x": repr(number)}) == arguments.validate({"x": number})
