import dataclasses
import inspect
import re
import sys
from enum import Enum
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar
from zoneinfo import ZoneInfo

import pytest
from pydantic import (
    UUID4,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    InstanceOf,
    Json,
    PlainSerializer,
    PlainValidator,
    Tag,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
    computed_field,
    field_serializer,
)
from pydantic.experimental.pipeline import validate_as
from pydantic_core import core_schema
from typing_extensions import TypeAliasType

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.schema.core_keywords import UnsupportedTypeError
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.faults import accepted
from appfunctions_mcp.schema.json_schema import publish
from tests.support.arguments import (
    SOURCE,
    arguments_of,
    declaration_fault,
    function_of,
    published,
    received,
    refusal,
)

T = TypeVar("T")
JsonText = TypeAliasType("JsonText", "list[JsonText] | str")


def published_result(annotation: Any) -> JsonSchema:
    """What is published of a result of a type."""
    return publish(read_shape(TypeAdapter(annotation).core_schema, "result"), "result")


def split(text: Any) -> Any:
    return text.split(",") if isinstance(text, str) else text


class Celsius:
    """A class of an author's own, with a schema of its own."""

    def __init__(self, degrees: float) -> None:
        self.degrees = degrees

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(cls, core_schema.float_schema(ge=-273))


class Opaque:
    """A class whose schema says nothing of JSON."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(lambda value: value)


class Report(BaseModel):
    count: int
    secret: str = Field(default="", exclude=True)
    ratio: float = Field(default=0.0, serialization_alias="theRatio")

    @computed_field(description="Twice the count.")  # type: ignore[prop-decorator] # pydantic's own advice
    @property
    def double(self) -> Annotated[int, Field(ge=0, le=9)]:
        return self.count * 2

    @field_serializer("ratio")
    def percent(self, ratio: float) -> str:
        return f"{ratio:.0%}"


@dataclasses.dataclass
class Job:
    name: str
    seed: dataclasses.InitVar[int]

    def __post_init__(self, seed: int) -> None:
        self.name += str(seed)


class Cat(BaseModel):
    lives: int


class Dog(BaseModel):
    name: str


def tag_of(value: Any) -> str:
    return "cat" if isinstance(value, Cat) or "lives" in value else "dog"


PET = Annotated[
    Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")],
    Discriminator(tag_of),
]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (
            Annotated[list[str], BeforeValidator(split)],
            {"type": "array", "items": {"type": "string"}},
        ),
        (
            Annotated[list[str], BeforeValidator(split, json_schema_input_type=str)],
            {"type": "string"},
        ),
        (Annotated[Opaque, WithJsonSchema({"type": "integer"})], {"type": "integer"}),
        (Annotated[Any, PlainValidator(int, json_schema_input_type=int)], {"type": "integer"}),
        (Celsius, {"type": "number", "minimum": -273}),
        (UUID4, {"type": "string", "format": "uuid"}),
        (Json[list[int]], {"type": "string"}),
        (re.Pattern[str], {"type": "string", "format": "regex"}),
        (ZoneInfo, {"type": "string", "format": "zoneinfo"}),
        (Annotated[str, validate_as(str).str_lower()], {"type": "string"}),
        (Optional[Literal[None]], {"type": "null"}),  # noqa: UP045, PYI061 - odd on purpose
        (
            None | int | str,
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        ),
        (
            Job,
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "seed": {"type": "integer"}},
                "required": ["name", "seed"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_pydantics_further_forms_are_read(annotation: Any, schema: JsonSchema) -> None:
    assert published(annotation) == schema


@pytest.mark.parametrize(
    ("annotation", "sent", "value"),
    [
        (
            Annotated[list[str], BeforeValidator(split, json_schema_input_type=str)],
            "a,b",
            ["a", "b"],
        ),
        (Annotated[int, WrapValidator(lambda value, check: check(value) + 1)], "1", 2),
        (Json[list[int]], "[1]", [1]),
        (re.Pattern[str], "a+", re.compile("a+")),
        (ZoneInfo, "UTC", ZoneInfo("UTC")),
        (Annotated[str, validate_as(str).str_lower()], "A", "a"),
        (PET, {"lives": "9"}, Cat(lives=9)),
        (PET, {"name": "x"}, Dog(name="x")),
        (Job, {"name": "a", "seed": 1}, Job("a", 1)),
    ],
)
def test_pydantics_further_forms_are_received(annotation: Any, sent: Any, value: Any) -> None:
    assert received(annotation, sent) == value


def test_an_authors_own_class_is_built() -> None:
    assert received(Celsius, "20.5").degrees == 20.5
    assert "at least -273" in refusal(Celsius, -300)


def test_what_a_model_writes_is_published_for_results() -> None:
    assert published_result(Report) == {
        "type": "object",
        "properties": {
            "count": {"type": ["integer", "string"]},
            "theRatio": {"type": "string"},
            "double": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9,
                "description": "Twice the count.",
            },
        },
        "required": ["count", "theRatio", "double"],
        "additionalProperties": False,
    }
    assert list(published_result(Job)["properties"]) == ["name"]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (Annotated[int, PlainSerializer(str, return_type=str)], {"type": "string"}),
        (Annotated[int, PlainSerializer(lambda value: value)], {"type": ["integer", "string"]}),
        (Json[list[bool]], {"type": "array", "items": {"type": "boolean"}}),
        (Annotated[str, validate_as(str).str_lower()], {"type": "string"}),
    ],
)
def test_an_authors_serializer_decides_what_is_published(
    annotation: Any, schema: JsonSchema
) -> None:
    assert published_result(annotation) == schema


@pytest.mark.parametrize(
    "annotation",
    [Opaque, Annotated[Opaque, WithJsonSchema({"$ref": "#/$defs/Gone"})], InstanceOf[Opaque]],
)
def test_a_class_that_says_nothing_of_json_is_refused(annotation: Any) -> None:
    with pytest.raises(UnsupportedTypeError):
        read_shape(TypeAdapter(annotation).core_schema, "arguments")
    assert "which is not supported" in declaration_fault(function_of(annotation))


def test_a_validator_of_the_parameter_may_ask_for_more() -> None:
    def check(value: int, _info: ValidationInfo) -> int:
        if value == 13:
            raise ValueError("13 is unlucky")
        return value

    annotation = Annotated[int, WrapValidator(lambda v, h, i: check(h(v), i))]

    assert "13 is unlucky" in refusal(annotation, 13)


def test_very_many_choices_are_cut() -> None:
    many = Enum("many", {f"M{n}": f"value{n}" for n in range(80)})  # type: ignore[misc] # made up

    said = accepted(read_shape(TypeAdapter(many).core_schema, "arguments"))

    assert '"value49", …' in said
    assert "value50" not in said


def test_very_many_names_are_cut() -> None:
    fields: dict[str, Any] = {f"field{n}": (int, 0) for n in range(80)}
    from pydantic import create_model

    said = refusal(create_model("Wide", **fields), {"other": 1})

    assert "field39, …" in said
    assert "field40" not in said


def test_a_nested_shape_is_told_in_few_words() -> None:
    assert refusal(list[list[list[list[int]]]], 5).endswith(
        "each item a list, each item a list, each item a list"
    )


@pytest.mark.parametrize("field", ["left", "right"])
def test_a_broken_constraint_below_a_union_keeps_its_path(field: str) -> None:
    class Left(BaseModel):
        left: Annotated[int, Field(ge=0)]

    class Right(BaseModel):
        right: Annotated[int, Field(ge=0)]

    assert refusal(list[Left | Right], [{field: -1}]) == (
        f"x[0].{field}: got a whole number that is out of range; "
        "accepted: a whole number, at least 0"
    )


def test_a_constraint_below_a_tagged_branch_keeps_its_path() -> None:
    class First(BaseModel):
        kind: Literal["first"]
        count: Annotated[int, Field(ge=0)]

    class Second(BaseModel):
        kind: Literal["second"]

    assert refusal(First | Second, {"kind": "first", "count": -1}).startswith(
        "x.count: got a whole"
    )


def test_a_name_that_only_the_class_knew_is_a_clear_fault() -> None:
    """F86: what pydantic cannot find either."""

    @dataclasses.dataclass
    class Inner:
        value: int

    @dataclasses.dataclass
    class Outer:
        inner: "Inner"

    assert "it names a class that cannot be found" in declaration_fault(function_of(Outer))


@dataclasses.dataclass
class Box(Generic[T]):
    content: T


def test_a_branch_of_a_generic_dataclass_keeps_its_argument() -> None:
    assert received(Box[int] | Dog, {"content": "5"}) == Box(5)
    assert received(Box[Cat] | Dog, {"content": {"lives": 9}}) == Box(Cat(lives=9))
    assert "x.content: got text" in refusal(Box[int] | Dog, {"content": "many"})


def test_a_caller_deep_in_the_stack_gets_a_fault() -> None:
    value: Any = "x"
    for _ in range(60):
        value = [value]
    arguments = arguments_of(function_of(JsonText))
    assert arguments.validate({"x": value}) == {"x": value}

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        with pytest.raises(AppFunctionInvalidArgumentException, match="nested deeper"):
            arguments.validate({"x": value})
    finally:
        sys.setrecursionlimit(limit)


def test_messages_name_the_source_once() -> None:
    assert declaration_fault(function_of(complex)).count(SOURCE) == 1
