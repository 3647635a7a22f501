"""Arguments and results on Android's shell, typed by what is declared."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp import AppFunctionInvalidArgumentException
from appfunctions_mcp.android.data_types import (
    AndroidFunction,
    AndroidParameter,
    AndroidProperty,
    AndroidResponse,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.shell.documents import (
    Document,
    document_from_json,
    json_from_document,
)
from appfunctions_mcp.android.shell.values import RETURN_VALUE, Arguments, Results
from appfunctions_mcp.android.uri_forms import uri_type

INT, LONG, DOUBLE = (
    ScalarType(kind=each) for each in (TypeNumber.INT, TypeNumber.LONG, TypeNumber.DOUBLE)
)
STRING, BOOLEAN, UNIT = (
    ScalarType(kind=each) for each in (TypeNumber.STRING, TypeNumber.BOOLEAN, TypeNumber.UNIT)
)
NULLABLE = ScalarType(kind=TypeNumber.STRING, nullable=True)


def an_object(name: str, required: tuple[str, ...] | None = None, **types: DataType) -> ObjectType:
    """An object, all of whose properties are required unless some are named."""
    properties = tuple(AndroidProperty(*each) for each in types.items())
    return ObjectType(
        name=name, properties=properties, required=tuple(types) if required is None else required
    )


DATE = an_object("java.time.LocalDate", year=INT, month=INT, dayOfMonth=INT)
TIME = an_object("java.time.LocalTime", hour=INT, minute=INT, second=INT, nanoOfSecond=INT)
COMPONENTS: dict[str, DataType] = {
    "java.time.LocalDate": DATE,
    "java.time.LocalTime": TIME,
    "java.time.Instant": an_object("java.time.Instant", epochSecond=LONG, nanoAdjustment=INT),
    "java.time.ZoneId": an_object("java.time.ZoneId", zoneID=STRING),
    "Circle": an_object("Circle", radius=DOUBLE),
    "Square": an_object("Square", side=INT, label=NULLABLE),
}
SHAPE = OneOfType(
    name="Shape", members=(ReferenceType(name="Circle"), ReferenceType(name="Square"))
)


def argument(json_value: Any, data_type: DataType, *, required: bool = True) -> dict[str, Any]:
    """What a function with the one parameter `x` gets."""
    parameter = AndroidParameter(name="x", type=data_type, required=required)
    function = AndroidFunction(id="f", parameters=(parameter,))
    return Arguments(COMPONENTS).of(document_from_json({"x": json_value}), function)


def result(value: Any, data_type: DataType) -> Any:
    """What the shell shows of a result."""
    function = AndroidFunction(id="f", response=AndroidResponse(type=data_type))
    return json_from_document(Results(COMPONENTS).of(value, function))


def returned(value: Any, data_type: DataType) -> Any:
    """The values of a result."""
    return result(value, data_type)[RETURN_VALUE]


DATES = [
    ({"year": 2026, "month": 5, "dayOfMonth": 7}, "java.time.LocalDate", "2026-05-07"),
    (
        {"hour": 1, "minute": 2, "second": 3, "nanoOfSecond": 4_000},
        "java.time.LocalTime",
        "01:02:03.000004",
    ),
    ({"epochSecond": -1, "nanoAdjustment": 0}, "java.time.Instant", "1969-12-31T23:59:59Z"),
    ({"zoneID": "Europe/Berlin"}, "java.time.ZoneId", "Europe/Berlin"),
]


@pytest.mark.parametrize(("fields", "name", "text"), DATES)
def test_a_date_is_an_object_there_and_text_here(
    fields: dict[str, Any], name: str, text: str
) -> None:
    reference = ReferenceType(name=name)

    assert argument(fields, reference) == {"x": text}
    assert argument([fields, fields], ArrayType(items=reference)) == {"x": [text, text]}
    assert returned(text, reference) == [{each: [value] for each, value in fields.items()}]


def test_an_address_is_an_object_there_and_text_here() -> None:
    assert argument({"uri": "content://notes/7"}, uri_type()) == {"x": "content://notes/7"}
    assert returned("content://notes/7", uri_type()) == [{"uri": ["content://notes/7"]}]


def test_a_class_that_only_has_the_name_of_a_date_is_a_class() -> None:
    own = an_object("java.time.LocalDate", day=INT)

    assert argument({"day": 7}, own) == {"x": {"day": 7}}
    assert returned({"day": 7}, own) == [{"day": [7]}]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"year": 2026, "month": 13, "dayOfMonth": 1},
        {"year": "2026", "month": 1, "dayOfMonth": 1},
        {"year": 99999, "month": 1, "dayOfMonth": 1},
    ],
)
def test_an_object_that_is_no_date_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(
        AppFunctionInvalidArgumentException, match=r"^x: .*year, month, dayOfMonth$"
    ):
        argument(fields, DATE)


def test_a_date_as_text_is_left_to_the_function() -> None:
    assert argument("2026-05-07", DATE) == {"x": "2026-05-07"}


def test_one_value_is_a_list_where_one_is_declared_and_a_list_its_first_value_where_not() -> None:
    """A document does not know which of the two a property is."""
    assert argument("a", ArrayType(items=STRING)) == {"x": ["a"]}
    assert argument(["a", "b"], STRING) == {"x": "a"}


def test_a_missing_nullable_is_null_and_everything_else_is_missing() -> None:
    """F110: required comes from the default alone, nullable from the type alone."""
    assert argument(None, NULLABLE) == {"x": None}
    assert argument(None, NULLABLE, required=False) == {}
    assert argument(None, STRING) == {}
    assert argument([], ArrayType(items=STRING)) == {}
    assert argument([], ArrayType(items=STRING, nullable=True)) == {"x": None}


def test_unknown_keys_are_ignored_at_every_depth() -> None:
    inner = an_object("Inner", ("a", "b"), a=STRING, b=NULLABLE, c=NULLABLE)
    outer = an_object("Outer", inner=inner)

    found = argument({"inner": {"a": "1", "z": 5}, "z": {}}, outer)

    assert found == {"x": {"inner": {"a": "1", "b": None}}}


def test_an_object_where_none_is_declared_reaches_the_function_as_it_is() -> None:
    given_ = {"a": 1, "b": ["x", "y"], "c": {"d": True}}

    assert argument(given_, STRING) == {"x": given_}


def test_a_member_of_several_is_named_by_its_class() -> None:
    found = argument({"schemaType": "Square", "side": 2}, SHAPE)

    assert found == {"x": {"schemaType": "Square", "side": 2, "label": None}}


@pytest.mark.parametrize(
    ("value", "came"), [({"side": 2}, "is missing"), ({"schemaType": "Cube"}, "is 'Cube'")]
)
def test_a_class_that_is_no_member_is_refused(value: dict[str, Any], came: str) -> None:
    with pytest.raises(AppFunctionInvalidArgumentException) as caught:
        argument([value], ArrayType(items=SHAPE))

    assert caught.value.message == f"x[0]: schemaType {came}; accepted: Circle, Square"


@pytest.mark.parametrize(
    "value", [{"schemaType": "Square", "side": 2, "label": "a"}, {"side": 2, "label": "a"}]
)
def test_the_result_of_one_of_several_is_shown_without_its_class(value: dict[str, Any]) -> None:
    assert returned(value, SHAPE) == [{"side": [2], "label": ["a"]}]


@pytest.mark.parametrize(
    ("value", "data_type", "expected"),
    [
        (None, UNIT, {}),
        (None, NULLABLE, {}),
        ("a", STRING, {RETURN_VALUE: ["a"]}),
        (True, BOOLEAN, {RETURN_VALUE: [True]}),
        ([], ArrayType(items=STRING), {RETURN_VALUE: []}),
        (["a", None, "b"], ArrayType(items=NULLABLE), {RETURN_VALUE: ["a", "b"]}),
        (str(2**63 - 1), LONG, {RETURN_VALUE: [2**63 - 1]}),
        ("content://x", ParcelableType(), {}),
        (["content://x"], ArrayType(items=ParcelableType()), {}),
        ({"side": 1, "label": None}, COMPONENTS["Square"], {RETURN_VALUE: [{"side": [1]}]}),
    ],
)
def test_a_result_is_shown_as_its_declared_type_says(
    value: Any, data_type: DataType, expected: Any
) -> None:
    assert result(value, data_type) == expected


def test_a_whole_number_of_a_floating_type_is_a_double() -> None:
    (value,) = returned(5, DOUBLE)

    assert isinstance(value, float)


@pytest.mark.parametrize(
    ("value", "data_type", "message"),
    [
        (2**63, LONG, "none that a long can be"),
        ("a", LONG, "invalid literal"),
        (5, STRING, "int where another type is declared"),
        ("a", ArrayType(items=STRING), "is no list"),
        ("a", COMPONENTS["Square"], "is no object"),
        ("May", DATE, ""),
    ],
)
def test_a_result_of_another_type_is_a_fault(value: Any, data_type: DataType, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        result(value, data_type)

    assert message in str(caught.value)


def test_a_document_without_response_shows_nothing() -> None:
    assert Results({}).of("a", AndroidFunction(id="f")) == Document()


TEXTS = st.text(max_size=5)
LEAVES: list[tuple[DataType, st.SearchStrategy[Any]]] = [
    (STRING, TEXTS),
    (LONG, st.integers(-(2**63), 2**63 - 1)),
    (DOUBLE, st.floats(allow_nan=False, allow_infinity=False)),
    (BOOLEAN, st.booleans()),
    (ReferenceType(name="java.time.LocalDate"), st.dates().map(str)),
    (uri_type(), TEXTS.map("x:{}".format)),
    (SHAPE, st.integers().map(lambda n: {"schemaType": "Circle", "radius": float(n % 9)})),
]


@st.composite
def typed_values(draw: st.DrawFn) -> tuple[DataType, Any]:
    """An object and a value of it that a document can hold: no empty lists."""
    properties: list[AndroidProperty] = []
    value: dict[str, Any] = {}
    for name in draw(st.sets(st.sampled_from("abcd"), min_size=1)):
        data_type, values = draw(st.sampled_from(LEAVES))
        if draw(st.booleans()):
            data_type, values = ArrayType(items=data_type), st.lists(values, min_size=1, max_size=3)
        properties.append(AndroidProperty(name, data_type))
        value[name] = draw(values)
    return ObjectType(name="O", properties=tuple(properties), required=tuple(value)), value


@given(typed_values())
@settings(max_examples=150, deadline=None)
def test_what_is_shown_of_a_result_is_read_as_the_same_argument(
    drawn: tuple[DataType, Any],
) -> None:
    data_type, value = drawn
    shown = json.loads(json.dumps(returned(value, data_type)))

    assert argument(shown, _without_classes(data_type)) == {"x": _shown(value)}


def _without_classes(data_type: DataType) -> DataType:
    """A member of several is shown without its class, so it is read as the member itself."""
    if data_type == SHAPE:
        return COMPONENTS["Circle"]
    if isinstance(data_type, ArrayType):
        return ArrayType(items=_without_classes(data_type.items))
    if isinstance(data_type, ObjectType) and data_type.name == "O":
        properties = tuple(
            AndroidProperty(each.name, _without_classes(each.type)) for each in data_type.properties
        )
        return ObjectType(name="O", properties=properties, required=data_type.required)
    return data_type


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shown(each) for name, each in value.items() if name != "schemaType"}
    return [_shown(each) for each in value] if isinstance(value, list) else value
