"""Forms for users: what clients are shown of a type, and what comes back of it."""

import dataclasses
import enum
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

import pytest
from mcp_types import _v2025_11_25 as oracle
from pydantic import BaseModel, Field, TypeAdapter

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.questions import Choices
from appfunctions_mcp.schema.forms import form_of
from appfunctions_mcp.values import Uri


class Size(enum.Enum):
    """A size with words of its own."""

    SMALL = "s"
    LARGE = "l"

    @property
    def title(self) -> str:
        """What users read."""
        return {"s": "Small", "l": "Large"}[self.value]


class Order(BaseModel):
    """An order."""

    name: str = Field(title="Your name", description="As on the card.", min_length=1, max_length=9)
    count: int = Field(1, ge=1, le=10)
    price: float = 9.5
    """What it may cost."""
    gift: bool = True
    colour: Literal["red", "blue"] = "red"
    size: Size = Size.SMALL
    wrapping: Annotated[str, Choices({"p": "Paper", "n": "None"})]
    extras: Annotated[list[str], Choices({"c": "Card", "r": "Ribbon"})] = ["c"]
    days: list[Literal["mon", "tue"]] = []
    due: date | None = None
    rounds: Literal[1, 2] = 2


def test_a_form_of_a_model_has_flat_properties() -> None:
    assert form_of(Order).schema == {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "title": "Your name",
                "description": "As on the card.",
                "minLength": 1,
                "maxLength": 9,
            },
            "count": {"type": "integer", "minimum": 1, "maximum": 10, "default": 1},
            "price": {"type": "number", "description": "What it may cost.", "default": 9.5},
            "gift": {"type": "boolean", "default": True},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "size": {
                "type": "string",
                "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
                "default": "s",
            },
            "wrapping": {
                "type": "string",
                "oneOf": [{"const": "p", "title": "Paper"}, {"const": "n", "title": "None"}],
            },
            "extras": {
                "type": "array",
                "items": {
                    "anyOf": [{"const": "c", "title": "Card"}, {"const": "r", "title": "Ribbon"}]
                },
                "default": ["c"],
            },
            "days": {
                "type": "array",
                "items": {"type": "string", "enum": ["mon", "tue"]},
                "default": [],
            },
            "due": {"type": "string", "format": "date"},
            "rounds": {"type": "string", "enum": ["1", "2"], "default": "2"},
        },
        "required": ["name", "wrapping"],
    }


def test_every_property_is_one_that_the_protocol_has() -> None:
    primitive: TypeAdapter[Any] = TypeAdapter(oracle.PrimitiveSchemaDefinition)
    for name, schema in form_of(Order).schema["properties"].items():
        assert primitive.validate_python(schema), name


def test_an_answer_becomes_the_type_with_its_defaults() -> None:
    content = {"name": "Ann", "wrapping": "p", "count": "3", "due": "2026-12-24", "rounds": "1"}
    order = form_of(Order).read({**content, "size": "l", "days": ["tue"], "never_asked": 1})
    assert isinstance(order, Order)
    assert (order.count, order.size, order.due) == (3, Size.LARGE, date(2026, 12, 24))
    assert (order.rounds, order.days, order.extras, order.gift) == (1, ["tue"], ["c"], True)


def test_what_was_left_empty_is_left_out() -> None:
    order = form_of(Order).read({"name": "Ann", "wrapping": "n", "count": None, "due": None})
    assert (order.count, order.due) == (1, None)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, "name"),
        ({"name": "Ann", "wrapping": "x"}, "wrapping"),
        ({"name": "Ann", "wrapping": "p", "count": 11}, "count"),
        ({"name": "", "wrapping": "p"}, "name"),
        ({"name": "Ann", "wrapping": "p", "gift": "maybe"}, "gift"),
        ({"name": "Ann", "wrapping": "p", "extras": ["x"]}, "extras"),
        ({"name": ["Ann"], "wrapping": "p"}, "name"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_by_field(
    content: dict[str, Any], told: str
) -> None:
    with pytest.raises(AppFunctionInvalidArgumentException, match=told):
        form_of(Order).read(content)


def test_a_dataclass_and_a_typed_dict_are_forms_too() -> None:
    @dataclasses.dataclass
    class Place:
        town: str
        since: datetime | None = None

    class Wish(TypedDict):
        text: str

    assert form_of(Place).read({"town": "Ulm"}) == Place("Ulm")
    assert form_of(Place).schema["properties"]["since"] == {"type": "string", "format": "date-time"}
    assert form_of(Wish).read({"text": "peace"}) == {"text": "peace"}


def test_a_required_field_that_admits_nothing_need_not_be_filled_in() -> None:
    class Reason(BaseModel):
        text: str | None
        price: Decimal | None

    form = form_of(Reason)
    assert "required" not in form.schema
    assert form.schema["properties"]["price"] == {"type": "number"}
    assert form.read({}) == Reason(text=None, price=None)


class Inner(BaseModel):
    """Nested."""

    x: int


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (list[str], "a list of anything but choices"),
        (Inner, "nested"),
        (dict[str, int], "nested"),
        (bytes, "bytes"),
        (Literal[True], "true and false"),
        (int | str, "nested"),
        (Any, "nested"),
    ],
)
def test_a_field_that_no_client_can_show_is_named(annotation: Any, told: str) -> None:
    from pydantic import create_model

    made = create_model("Made", field=(annotation, ...))
    with pytest.raises(TypeError, match=f"'field'.*{told}"):
        form_of(made)


@pytest.mark.parametrize("wrong", [int, str, dict[str, int], list[int], 5])
def test_what_is_no_object_with_fields_is_no_form(wrong: Any) -> None:
    with pytest.raises(TypeError, match="is no form"):
        form_of(wrong)


def test_an_address_has_its_format() -> None:
    class Page(BaseModel):
        link: Uri

    assert form_of(Page).schema["properties"]["link"] == {"type": "string", "format": "uri"}


def schema_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


READY = schema_of(
    untitled={"type": "string", "enum": ["a", "b"]},
    titled={"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "a"},
    older={"type": "string", "enum": ["a"], "enumNames": ["A"]},
    several={"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1},
    titles={"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "minItems": 1},
    mail={"type": "string", "format": "email"},
    day={"type": "string", "format": "date"},
    when={"type": "string", "format": "date-time"},
    link={"type": "string", "format": "uri"},
    short={"type": "string", "minLength": 2, "maxLength": 3},
    whole={"type": "integer", "minimum": 1, "maximum": 3},
    part={"type": "number"},
    sure={"type": "boolean"},
)


def test_a_ready_schema_goes_out_as_it_is() -> None:
    form = form_of({**READY, "required": ["untitled"]})
    assert form.schema == {**READY, "required": ["untitled"]}
    assert form.read({"untitled": "b", "extra": 1}) == {"titled": "a", "untitled": "b"}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("untitled", "a", "c"),
        ("titled", "a", 1),
        ("older", "a", "A"),
        ("several", ["a"], ["a", "b"]),
        ("several", [], "a"),
        ("titles", ["a"], []),
        ("titles", ["a"], ["b"]),
        ("mail", "a@b.org", "a"),
        ("day", "2026-01-31", "2026-02-31"),
        ("when", "2026-01-31T10:00:00Z", "today"),
        ("link", "https://example.org", "no link"),
        ("short", "abc", "abcd"),
        ("short", "ab", "a"),
        ("whole", 3, 4),
        ("whole", 1.0, 1.5),
        ("whole", 1, 0),
        ("whole", 2, True),
        ("part", 0.5, "0.5"),
        ("part", 1, float("nan")),
        ("sure", False, "false"),
        ("sure", True, {}),
    ],
)
def test_answers_to_a_ready_schema_are_checked(name: str, good: Any, bad: Any) -> None:
    form = form_of(READY)
    assert form.read({name: good})[name] == good
    with pytest.raises(AppFunctionInvalidArgumentException, match=name):
        form.read({name: bad})


def test_what_a_ready_schema_requires_is_required() -> None:
    form = form_of({**READY, "required": ["mail", "day"]})
    with pytest.raises(AppFunctionInvalidArgumentException, match="mail: missing; day: missing"):
        form.read({"mail": None})


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "object"}, "has the type 'object'"),
        ({}, "has the type None"),
        (True, "has the type None"),
        ({"type": ["string", "null"]}, "has the type"),
        ({"type": "string", "pattern": "a+"}, "has pattern, which no client shows"),
        ({"type": "string", "format": "password"}, "the format 'password'; accepted are date"),
        ({"type": "string", "enum": [1]}, "enum that is no list of texts"),
        ({"type": "string", "enum": ["a"], "enumNames": ["A", "B"]}, "2 enumNames for 1"),
        ({"type": "string", "enumNames": ["A"]}, "enum that is no list"),
        ({"type": "string", "oneOf": [{"const": "a"}]}, "oneOf with something else"),
        ({"type": "array"}, "a list of something else than choices"),
        ({"type": "array", "items": {"type": "string"}}, "a list of something else than choices"),
        ({"type": "array", "items": {"anyOf": []}}, "anyOf with something else"),
        ({"type": "integer", "default": "one"}, "a default that does not fit"),
    ],
)
def test_a_ready_schema_that_no_client_can_show_is_refused(schema: Any, told: str) -> None:
    with pytest.raises(TypeError, match=f"'field' of the form.*{re.escape(told)}"):
        form_of(schema_of(field=schema))


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "object"}, {"properties": []}])
def test_a_ready_schema_is_one_of_an_object(schema: Any) -> None:
    with pytest.raises(TypeError, match="one of an object with properties"):
        form_of(schema)


def test_many_faults_are_told_in_part() -> None:
    form = form_of(schema_of(**{f"f{n}": {"type": "integer"} for n in range(10)}))
    with pytest.raises(AppFunctionInvalidArgumentException, match="and 2 more"):
        form.read({f"f{n}": "x" for n in range(10)})


def test_whole_numbers_of_any_size_and_spelling_are_whole_numbers() -> None:
    form = form_of(
        {"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}}}
    )
    filled = form.read({"n": 3.0, "x": 10**400})
    assert filled == {"n": 3, "x": 10**400}
    assert type(filled["n"]) is int


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"properties": {"n": {"type": "integer", "minimum": "3"}}}, "minimum that is no number"),
        ({"properties": {"s": {"type": "string", "maxLength": None}}}, "maxLength that is no"),
        ({"properties": {"s": {"type": "string"}}, "required": ["t"]}, "requires t, which it has"),
        ({"properties": {"s": {"type": "string"}}, "required": "s"}, "a list of names"),
        ({"properties": {"s": {"type": "string"}}, "required": [["s"]]}, "a list of names"),
    ],
)
def test_a_schema_that_nobody_could_fill_in_is_refused_before_anybody_is_asked(
    schema: dict[str, Any], told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        form_of(schema)
