"""Arguments → the shell's input, its output → results; each against the shell's own reading."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from appfunctions_mcp import AppFunctionAppUnknownException, AppFunctionInvalidArgumentException
from appfunctions_mcp.android.bridge.values import (
    NOT_SHOWN,
    RETURN_VALUE,
    plain_result,
    shell_doubts,
    shell_parameters,
)
from appfunctions_mcp.android.data_types import (
    AndroidDocument,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.json_schema import arguments_of, unsendable_parameters
from appfunctions_mcp.android.proxies import proxy_of
from appfunctions_mcp.android.references import components_of, object_of, resolved
from appfunctions_mcp.android.shell.documents import document_from_json, json_from_document
from appfunctions_mcp.android.shell.org_json import read_json_object
from appfunctions_mcp.android.shell.values import Arguments
from appfunctions_mcp.android.type_shapes import choices_of
from appfunctions_mcp.android.uri_forms import uri_type
from tests.support.android_documents import (
    BOOLEAN,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    UNIT,
    compiled_documents,
    document,
    function,
    object_type,
    parameter,
)

DATE = object_type("java.time.LocalDate", year=INT, month=INT, dayOfMonth=INT)
DATE_TIME = object_type(
    "java.time.LocalDateTime",
    year=INT,
    month=INT,
    dayOfMonth=INT,
    hour=INT,
    minute=INT,
    second=INT,
    nanoOfSecond=INT,
)
CIRCLE = object_type("p.Circle", radius=DOUBLE)
SQUARE = object_type("p.Square", side=INT, note=replace(STRING, nullable=True))
SHAPE = OneOfType(name="p.Shape", members=(CIRCLE, SQUARE))

# Documents are large, and a smaller one says little more.
QUICK = settings(
    max_examples=30,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def sent(data_type: DataType, value: Any, **components: DataType) -> Any:
    """What the shell gets for a value of a type."""
    found = function("a#b", parameter("x", data_type))
    return shell_parameters(found, document(found, **components), {"x": value})["x"]


def shown(data_type: DataType, value: Any, **components: DataType) -> Any:
    """The result for what the shell prints of a value of a type."""
    found = function("a#b", returns=data_type)
    printed = {} if value is None else {RETURN_VALUE: value}
    return plain_result(found, document(found, **components), printed)


@pytest.mark.parametrize(
    ("data_type", "value", "written"),
    [
        (STRING, "it's $(rm) `x`\n\u2028😀", "it's $(rm) `x`\n\u2028😀"),
        (DOUBLE, 2, 2.0),
        (FLOAT, 0.1, 0.1),
        (LONG, 2**63 - 1, 2**63 - 1),
        (INT, -(2**31), -(2**31)),
        (BYTES, "aGk=", "aGk="),
        (ArrayType(items=DOUBLE), [1, 2.5], [1.0, 2.5]),
        (DATE, "2026-05-27", {"year": 2026, "month": 5, "dayOfMonth": 27}),
        (uri_type(), "content://x", {"uri": "content://x"}),
        (
            SHAPE,
            {"schemaType": "p.Square", "side": 3, "note": None},
            {"schemaType": "p.Square", "side": 3},
        ),
        (
            object_type("p.O", inner=object_type("p.I", day=DATE)),
            {"inner": {"day": "2026-05-27"}},
            {"inner": {"day": {"year": 2026, "month": 5, "dayOfMonth": 27}}},
        ),
        (ParcelableType(), "handle", "handle"),
    ],
)
def test_values_are_written_by_their_declared_types(
    data_type: DataType, value: Any, written: Any
) -> None:
    made = sent(data_type, value)
    assert made == written
    assert json.dumps(made) == json.dumps(written)


def test_what_is_null_is_left_out() -> None:
    found = function("a#b", parameter("x"), parameter("y"))
    assert shell_parameters(found, document(found), {"x": None, "y": "z"}) == {"y": "z"}


def test_every_fault_is_told_before_anything_is_sent() -> None:
    found = function(
        "a#b",
        parameter("small", INT),
        parameter("large", LONG),
        parameter("days", ArrayType(items=DATE)),
        parameter("items", ArrayType(items=STRING)),
    )
    values = {
        "small": 2**31,
        "large": 2**63,
        "days": ["2026-05-27", "today"],
        "items": ["a", None],
    }
    with pytest.raises(AppFunctionInvalidArgumentException) as raised:
        shell_parameters(found, document(found), values)
    text = raised.value.message
    for part in (
        "small: got a whole number beyond these; accepted: a whole number from -2147483648 to",
        "large: got a whole number beyond these",
        "days[1]: got text; accepted: a date as YYYY-MM-DD",
        "items[1]: got null; accepted: items that are no null",
    ):
        assert part in text


def test_what_the_shell_is_known_to_lose_is_told() -> None:
    """Android writes nested JSON anew, so that 2.0 becomes 2, a long."""
    assert shell_doubts({"x": 2.0, "list": [2.0], "o": {"a": 2.5, "s": "t", "i": 2}}) == []
    whole, empty = shell_doubts(
        {"o": {"a": 2.0, "b": [1.0, 2.5], "c": [{"d": 3.0}]}, "none": [], "l": [{"e": []}]}
    )
    assert "o.a, o.b[0], o.c[0].d" in whole
    assert "l[0].e" in empty
    assert "none" in empty


@pytest.mark.parametrize(
    ("data_type", "printed", "result"),
    [
        (STRING, ["text"], "text"),
        (STRING, None, ""),
        (replace(STRING, nullable=True), ["text"], {"result": "text"}),
        (replace(STRING, nullable=True), None, {"result": None}),
        (UNIT, None, {"result": None}),
        (UNIT, ["x"], {"result": None}),
        (BOOLEAN, [True], {"result": True}),
        (BOOLEAN, None, {"result": False}),
        (INT, None, {"result": 0}),
        (LONG, [2**53], {"result": str(2**53)}),
        (LONG, [5], {"result": 5}),
        (DOUBLE, [2], {"result": 2.0}),
        (FLOAT, [0.10000000149011612], {"result": 0.1}),
        (FLOAT, [0.1], {"result": 0.1}),
        (FLOAT, [1e300], {"result": 1e300}),
        (BYTES, ["aGk="], {"result": "aGk="}),
        (ArrayType(items=INT), [1, 2], {"result": [1, 2]}),
        (ArrayType(items=INT), None, {"result": []}),
        (ArrayType(items=INT), [1, "x", 2.5, True], {"result": [1]}),
        (replace(ArrayType(items=INT), nullable=True), None, {"result": None}),
        (ArrayType(items=replace(STRING, nullable=True)), ["a", None], {"result": ["a", None]}),
        (DATE, [{"year": [2026], "month": [5], "dayOfMonth": [27]}], {"result": "2026-05-27"}),
        (
            DATE_TIME,
            [{"year": [2026], "month": [5], "dayOfMonth": [27], "hour": [7], "minute": [5]}],
            {"result": "2026-05-27T07:05:00"},
        ),
        (uri_type(), [{"uri": ["content://x"]}], {"result": "content://x"}),
        (CIRCLE, [{"radius": [2], "unknown": [1]}], {"radius": 2.0}),
        (SHAPE, [{"side": [3]}], {"result": {"schemaType": "p.Square", "side": 3, "note": None}}),
        (
            SHAPE,
            [{"schemaType": ["p.Circle"], "radius": [1.5]}],
            {"result": {"schemaType": "p.Circle", "radius": 1.5}},
        ),
        (SHAPE, [{"odd": [1]}], {"result": {"radius": 0.0}}),
        (ParcelableType(), None, NOT_SHOWN),
    ],
)
def test_results_are_read_by_their_declared_types(
    data_type: DataType, printed: Any, result: Any
) -> None:
    assert shown(data_type, printed) == result


def test_an_answer_without_the_value_is_the_apps_fault() -> None:
    for data_type in (CIRCLE, DATE, BYTES):
        with pytest.raises(AppFunctionAppUnknownException, match="without a value"):
            shown(data_type, None)
    with pytest.raises(AppFunctionAppUnknownException, match="without a value"):
        shown(BYTES, ["[B@1f2e3d"])
    with pytest.raises(AppFunctionAppUnknownException, match="without a value"):
        shown(DATE, [{"year": [2026]}])
    with pytest.raises(AppFunctionAppUnknownException, match="without a value"):
        shown(CIRCLE, ["text"])


def test_a_function_without_a_declared_response_answers_as_the_shell_does() -> None:
    silent = replace(function("a#b"), response=None)
    assert plain_result(silent, document(silent), {RETURN_VALUE: ["x"]}) == ["x"]


def test_properties_that_never_pass_a_shell_are_left_out_of_results() -> None:
    held = object_type("p.O", ["y"], y=INT, step=ParcelableType(), note=STRING)
    assert shown(held, [{"y": [1]}]) == {"y": 1}
    assert shown(ReferenceType(name="p.O"), [{"y": [1], "note": ["n"]}], **{"p.O": held}) == {
        "y": 1,
        "note": "n",
    }


def values_of(  # noqa: PLR0911 - one for each kind of type
    data_type: DataType, components: Mapping[str, DataType], depth: int = 3
) -> Any:
    """A strategy for JSON values that a parameter of a type accepts and a shell can carry."""
    assume(depth > -4)  # a type that needs itself has no values
    found = resolved(data_type, components)
    if isinstance(found, ArrayType):
        items = replace(found.items, nullable=False)
        if _is_apart(items, components):
            return st.none()
        return st.lists(values_of(items, components, depth - 1), min_size=1, max_size=2)
    if isinstance(found, ScalarType):
        return _scalars(found)
    if isinstance(found, ParcelableType):
        return st.none()
    name = data_type.name if isinstance(data_type, ReferenceType) else ""
    if isinstance(found, ObjectType) and (proxy := proxy_of(name or found.name, found)):
        assert proxy.form == "uri"
        return st.just("content://notes/1")
    if isinstance(found, OneOfType):
        members = choices_of(found, components)
        return st.one_of([_objects(m, components, depth, m.name) for m in members])
    return _objects(object_of(found, components), components, depth)


def _objects(
    found: ObjectType, components: Mapping[str, DataType], depth: int, tag: str = ""
) -> Any:
    drawn = {}
    for each in found.properties:
        if _is_apart(each.type, components):
            continue
        is_needed = each.name in found.required and not each.type.nullable
        if is_needed or depth > 0:
            drawn[each.name] = st.deferred(
                lambda of=each.type: values_of(of, components, depth - 1)  # type: ignore[misc] # bound at once
            )
    own = {"schemaType": st.just(tag)} if tag else {}
    return st.fixed_dictionaries(drawn | own)


def _is_apart(data_type: DataType, components: Mapping[str, DataType]) -> bool:
    found = resolved(data_type, components)
    if isinstance(found, ArrayType):
        return _is_apart(found.items, components)
    return isinstance(found, ParcelableType)


def _scalars(found: ScalarType) -> Any:
    if found.enum_values:
        values = found.enum_values
        is_int = found.kind is TypeNumber.INT
        return st.sampled_from([int(v) for v in values] if is_int else values)
    return {
        TypeNumber.UNIT: st.none(),
        TypeNumber.BOOLEAN: st.booleans(),
        TypeNumber.BYTES: st.sampled_from(["", "aGk="]),
        TypeNumber.STRING: st.text(st.characters(codec="utf-8")),
        TypeNumber.INT: st.integers(-(2**31), 2**31 - 1),
        TypeNumber.LONG: st.integers(-(2**63), 2**63 - 1),
        TypeNumber.DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
        TypeNumber.FLOAT: st.floats(width=32, allow_nan=False, allow_infinity=False),
    }[found.kind]


@QUICK
@given(compiled_documents(), st.data())
def test_checked_arguments_reach_the_target_of_the_shell_unchanged(
    drawn: AndroidDocument, data: st.DataObject
) -> None:
    components = components_of(drawn)
    for each in drawn.functions:
        if unsendable_parameters(each, drawn) or "schemaType" in json.dumps(str(drawn)):
            continue
        arguments = {p.name: data.draw(values_of(p.type, components)) for p in each.parameters}
        given_values = {name: v for name, v in arguments.items() if v is not None}
        checked = arguments_of(each, drawn).validate(given_values)
        text = json.dumps(shell_parameters(each, drawn, checked))
        read = Arguments(components).of(document_from_json(read_json_object(text)), each)
        assert _plain(read) == _plain(given_values)
    assume(drawn.functions)


def _plain(value: Any) -> Any:
    """A value without its nulls, which nothing tells from what is left out."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and math.isclose(value, round(value)) and abs(value) < 2**53:
        return value if math.copysign(1, value) > 0 else value + 0.0
    return value


@QUICK
@given(compiled_documents(), st.data())
def test_results_come_back_from_what_the_shell_prints(
    drawn: AndroidDocument, data: st.DataObject
) -> None:
    components = components_of(drawn)
    for each in drawn.functions:
        if each.response is None:
            continue
        parameters = function("a#b", parameter("x", each.response.type))
        if unsendable_parameters(parameters, drawn) or "schemaType" in str(drawn):
            continue
        value = data.draw(values_of(each.response.type, components))
        written = shell_parameters(parameters, drawn, {"x": value})
        printed = json_from_document(document_from_json({RETURN_VALUE: written.get("x")}))
        result = plain_result(each, drawn, json.loads(json.dumps(printed)))
        if isinstance(result, dict) and set(result) == {"result"}:
            result = result["result"]
        if result != NOT_SHOWN:
            _require_within(value, result)


def _require_within(value: Any, result: Any) -> None:
    """Every value is in the result; what is null or left out may be there as its empty value."""
    if isinstance(value, dict):
        for name, each in value.items():
            if each is not None and (name in result or name != "schemaType"):
                _require_within(each, result[name])
    elif isinstance(value, list):
        assert len(value) == len(result)
        for each, other in zip(value, result, strict=True):
            _require_within(each, other)
    elif isinstance(value, int) and abs(value) >= 2**53:
        assert str(value) == result
    elif isinstance(value, float):
        # 32 bits are written shorter, and have few digits below their smallest normal number.
        assert math.isclose(result, value, rel_tol=1e-6, abs_tol=1.2e-38)
    else:
        assert result == value or value is None


@pytest.mark.parametrize("value", [3.5e38, -1e300])
def test_a_number_beyond_a_float_is_refused_and_not_sent_as_infinite(value: float) -> None:
    found = function("a#b", parameter("x", FLOAT))
    with pytest.raises(AppFunctionInvalidArgumentException, match=r"x: got a number beyond these"):
        shell_parameters(found, document(found), {"x": value})


@pytest.mark.parametrize(
    ("of", "value"),
    [
        (INT, 2**31),
        (LONG, 2**63),
        (DOUBLE, 10**400),
        (DOUBLE, math.inf),
        (uri_type(), {"uri": [None]}),
        (uri_type(), {"uri": [7]}),
    ],
)
def test_a_value_that_its_type_cannot_have_is_no_result(of: DataType, value: Any) -> None:
    found = function("a#b", returns=of)
    with pytest.raises(AppFunctionAppUnknownException, match="of the type that it declares"):
        plain_result(found, document(found), {RETURN_VALUE: [value]})


def test_lists_in_lists_are_read_as_such() -> None:
    found = function("a#b", returns=ArrayType(items=ArrayType(items=STRING)))
    printed = {RETURN_VALUE: [["a", "b"], [], {"odd": ["x"]}]}
    assert plain_result(found, document(found), printed) == {"result": [["a", "b"], [], []]}
