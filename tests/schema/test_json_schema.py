import dataclasses
import ipaddress
import json
import re
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Required, TypedDict, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, RootModel, SecretStr, TypeAdapter
from typing_extensions import TypeAliasType

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.schema.annotations import read_signature
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.json_schema import publish, publish_root
from appfunctions_mcp.schema.shapes import words
from appfunctions_mcp.schema.typed_dicts import adopt_typed_dicts
from appfunctions_mcp.values import Instant, Int32, Uri, ZoneId
from tests.support.arguments import SOURCE, arguments_of, function_of, published, received

ANY = ["string", "number", "boolean", "object", "array", "null"]
ANY_ITEM = ["string", "number", "boolean", "object", "null"]
KEYWORDS = words("""
    type properties required items enum description additionalProperties minimum maximum
    exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems
    pattern format contentEncoding writeOnly anyOf $ref $defs default
""")


class Color(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Mixed(Enum):
    ONE = 2
    TWO = "two"
    YES = True


class Huge(Enum):
    A = 2**60
    B = 1


class User(BaseModel):
    """A user of the app.

    Attributes:
        name: What others see.
    """

    name: str
    age: int | None = None
    """Years since birth."""
    email: Annotated[str, "Where to write."] = ""
    color: Color = Field(default=Color.RED, description="A favourite.")


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0
    cached: int = dataclasses.field(default=0, init=False)


class Node(BaseModel):
    """A tree."""

    name: str
    children: "list[Node]" = []


class Folder(TypedDict):
    files: "list[File]"


class File(TypedDict):
    folder: "Folder | None"


class Partial(TypedDict, total=False):
    must: Required[int]
    may: str


class Whole(TypedDict):
    must: int
    may: NotRequired[str | None]


class Pair(NamedTuple):
    first: int
    second: str = ""


class Open(BaseModel):
    model_config = ConfigDict(extra="allow", title="Noise", json_schema_extra={"examples": [1]})
    a: int = Field(title="Noise", examples=[1], deprecated=True)


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str")
PlainJson = dict[str, "PlainJson"] | list["PlainJson"] | str
PET = Annotated[Cat | Dog, Field(discriminator="kind")]

ARGUMENTS: list[tuple[Any, JsonSchema]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (Decimal, {"type": "number"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (date, {"type": "string", "format": "date"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (time, {"type": "string", "format": "time"}),
    (Instant, {"type": "string", "format": "date-time"}),
    (timedelta, {"type": "string", "format": "duration"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (Path, {"type": "string", "format": "path"}),
    (Uri, {"type": "string", "format": "uri"}),
    (ZoneId, {"type": "string"}),
    (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    (SecretStr, {"type": "string", "format": "password", "writeOnly": True}),
    (None, {"type": "null"}),
    # F18
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (list[list[str]], {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (Iterable[int], {"type": "array", "items": {"type": "integer"}}),
    (deque[int], {"type": "array", "items": {"type": "integer"}}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (frozenset[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (
        tuple[int, str],
        {
            "type": "array",
            "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    (
        tuple[float, float],
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    ),
    (
        Pair,
        {
            "type": "array",
            "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "minItems": 1,
            "maxItems": 2,
        },
    ),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Mapping[str, str], {"type": "object", "additionalProperties": {"type": "string"}}),
    # F23
    (Any, {"type": ANY, "items": {"type": ANY_ITEM}}),
    (object, {"type": ANY, "items": {"type": ANY_ITEM}}),
    (list, {"type": "array", "items": {"type": ANY, "items": {"type": ANY_ITEM}}}),
    # F88
    (Color, {"type": "string", "enum": ["red", "blue"]}),
    (Mixed, {"type": ["integer", "string", "boolean"], "enum": [2, "two", True]}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (Literal[1.5], {"type": "number", "enum": [1.5]}),
    # Required nullables
    (str | None, {"type": ["string", "null"]}),
    (Annotated[int, Field(ge=1)] | None, {"type": ["integer", "null"], "minimum": 1}),
    (Color | None, {"type": ["string", "null"], "enum": ["red", "blue", None]}),
    (
        list[int] | None,
        {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
    ),
    (
        int | str | None,
        {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
    ),
    (Any | None, {"type": ANY, "items": {"type": ANY_ITEM}}),
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    # Constraints
    (
        Annotated[int, Field(gt=0, lt=10, multiple_of=2)],
        {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10, "multipleOf": 2},
    ),
    (
        Annotated[Decimal, Field(ge=Decimal("0.5"), le=Decimal(2))],
        {"type": "number", "minimum": 0.5, "maximum": 2},
    ),
    (
        Annotated[str, Field(min_length=1, max_length=9, pattern="^a")],
        {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"},
    ),
    (Annotated[str, Field(pattern=re.compile("a"))], {"type": "string", "pattern": "a"}),
    (
        Annotated[list[int], Field(min_length=1, max_length=2)],
        {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
    ),
    (
        Annotated[bytes, Field(min_length=1, max_length=3)],
        {"type": "string", "contentEncoding": "base64", "minLength": 4, "maxLength": 4},
    ),
    # Models
    (
        User,
        {
            "type": "object",
            "description": "A user of the app.",
            "properties": {
                "name": {"type": "string", "description": "What others see."},
                "age": {"type": "integer", "description": "Years since birth."},
                "email": {"type": "string", "description": "Where to write."},
                "color": {
                    "type": "string",
                    "enum": ["red", "blue"],
                    "description": "A favourite.",
                },
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    ),
    (
        Point,
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x"],
            "additionalProperties": False,
        },
    ),
    (
        Partial,
        {
            "type": "object",
            "properties": {"must": {"type": "integer"}, "may": {"type": "string"}},
            "required": ["must"],
            "additionalProperties": False,
        },
    ),
    (
        Whole,
        {
            "type": "object",
            "properties": {"must": {"type": "integer"}, "may": {"type": "string"}},
            "required": ["must"],
            "additionalProperties": False,
        },
    ),
    (
        Open,
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": {"type": ANY, "items": {"type": ANY_ITEM}},
        },
    ),
    (RootModel[list[int]], {"type": "array", "items": {"type": "integer"}}),
]


@pytest.mark.parametrize(("annotation", "schema"), ARGUMENTS)
def test_a_type_is_published_for_arguments(annotation: Any, schema: JsonSchema) -> None:
    """F16 to F27, F88."""
    assert published(annotation) == schema


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (int | None, {"type": "integer"}),
        (str | None, {"type": "string"}),
        (Color | None, {"type": "string", "enum": ["red", "blue"]}),
        (list[int] | None, {"type": "array", "items": {"type": "integer"}}),
        (int | str | None, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            Annotated[int | None, Field(description="How many.")],
            {"type": "integer", "description": "How many."},
        ),
    ],
)
def test_an_optional_parameter_publishes_its_plain_type(
    annotation: Any, schema: JsonSchema
) -> None:
    assert published(annotation, None) == schema


RESULTS: list[tuple[Any, JsonSchema]] = [
    (int, {"type": ["integer", "string"]}),
    (int | None, {"type": ["integer", "string", "null"]}),
    (Annotated[int, Field(ge=0)], {"type": ["integer", "string"], "minimum": 0}),
    (
        Annotated[int, Field(gt=0, lt=2**53)],
        {"type": ["integer", "string"], "exclusiveMinimum": 0, "exclusiveMaximum": 2**53},
    ),
    (Annotated[int, Field(ge=0, le=9)], {"type": "integer", "minimum": 0, "maximum": 9}),
    (Int32, {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1, "format": "int32"}),
    (Huge, {"type": ["string", "integer"], "enum": [str(2**60), 1]}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (Any, {"type": ANY}),
    (list, {"type": "array", "items": {"type": ANY}}),
    (date, {"type": "string", "format": "date"}),
    (Instant, {"type": "string", "format": "date-time"}),
    (datetime, {"type": "string", "format": "iso-date-time"}),
    (Path, {"type": "string"}),
    (
        Point,
        {
            "type": "object",
            "properties": {
                "x": {"type": ["integer", "string"]},
                "y": {"type": ["integer", "string"]},
                "cached": {"type": ["integer", "string"]},
            },
            "required": ["x", "y", "cached"],
            "additionalProperties": False,
        },
    ),
    (
        Whole,
        {
            "type": "object",
            "properties": {
                "must": {"type": ["integer", "string"]},
                "may": {"type": ["string", "null"]},
            },
            "required": ["must"],
            "additionalProperties": False,
        },
    ),
]


def shape_of(annotation: Any, direction: Any) -> Any:
    return read_shape(TypeAdapter(adopt_typed_dicts(annotation)).core_schema, direction)


@pytest.mark.parametrize(("annotation", "schema"), RESULTS)
def test_a_type_is_published_for_results(annotation: Any, schema: JsonSchema) -> None:
    assert publish(shape_of(annotation, "result"), "result") == schema


def search(
    query: str,
    category: Literal["books", "music", "film"] | None = None,
    limit: Annotated[int, Field(le=50)] = 10,
) -> None:
    """Searches products.

    Args:
        query: What to look for.
        category: Where to look.
        limit: How many to return.
    """
    raise NotImplementedError(query, category, limit)


def test_the_product_search_is_published_to_the_letter() -> None:
    assert arguments_of(search, optional_defaults="declared").input_schema == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "category": {
                "type": "string",
                "enum": ["books", "music", "film"],
                "description": "Where to look.",
            },
            "limit": {
                "type": "integer",
                "default": 10,
                "maximum": 50,
                "description": "How many to return.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def test_a_function_without_parameters_has_empty_properties() -> None:
    """F17."""

    def ping() -> None:
        raise NotImplementedError

    assert arguments_of(ping).input_schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


@pytest.mark.parametrize("annotation", [User | Point, PET, RootModel[User | Point], Cat | None])
def test_the_root_is_always_a_plain_object(annotation: Any) -> None:
    """F16."""
    schema = arguments_of(function_of(annotation)).input_schema

    assert schema["type"] == "object"
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"}


def test_a_model_used_twice_is_inlined_twice() -> None:
    """F21: siblings of a reference survive."""

    def take(a: User, b: Annotated[User, Field(description="The other.")]) -> None:
        """Takes.

        Args:
            a: The first.
        """
        raise NotImplementedError(a, b)

    schema = arguments_of(take).input_schema

    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["a"]["description"] == "The first."
    assert schema["properties"]["b"]["description"] == "The other."
    assert schema["properties"]["a"]["properties"] == schema["properties"]["b"]["properties"]


RECURSIVE = [Node, Folder, Json, Node | None, list[Node], dict[str, Node]]


@pytest.mark.parametrize("annotation", RECURSIVE)
@pytest.mark.parametrize("default", [(), (None,)])
def test_a_recursive_type_is_published_by_reference(annotation: Any, default: Any) -> None:
    """F22: nothing is endless, and references lead somewhere from the root."""
    annotation = Union[annotation, None] if default else annotation  # noqa: UP007 - a parametrized annotation
    arguments = arguments_of(function_of(annotation, *default))

    for schema in (arguments.input_schema, arguments.parameters[0].schema):
        Draft202012Validator.check_schema(schema)
        names = re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema))
        assert names
        assert set(names) <= schema["$defs"].keys()


def store(value: PlainJson) -> PlainJson:
    return value


def test_a_plain_alias_that_holds_itself_is_tied() -> None:
    """F22: `dict[str, "PlainJson"] | list["PlainJson"] | str`."""
    arguments = arguments_of(store)
    sent = {"value": {"a": [{"b": "c"}, "d"]}}

    assert arguments.input_schema["properties"]["value"]["anyOf"][1] == {
        "type": "array",
        "items": {"$ref": "#/$defs/PlainJson"},
    }
    assert len(arguments.input_schema["$defs"]["PlainJson"]["anyOf"]) == 3
    assert arguments.validate(sent) == sent
    with pytest.raises(AppFunctionInvalidArgumentException, match=r"value\.a\[0\]\.b"):
        arguments.validate({"value": {"a": [{"b": 5}]}})


def test_a_recursive_root_of_a_result_stands_once_beside_its_definition() -> None:
    """F22."""
    schema = publish_root(shape_of(Node, "result"), "result")

    node = {
        "type": "object",
        "description": "A tree.",
        "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["name", "children"],
        "additionalProperties": False,
    }
    assert schema == {**node, "$defs": {"Node": node}}


def test_two_recursive_classes_of_one_name_stay_apart() -> None:
    def make(fields: dict[str, Any]) -> Any:
        namespace: dict[str, Any] = {"__annotations__": fields, "__module__": __name__}
        return type("Twin", (BaseModel,), namespace)

    class Twin(BaseModel):
        inner: "Twin | None" = None

    first = Twin

    class Holder:
        class Twin(BaseModel):
            other: "list[Holder.Twin] | None" = None

    Holder.Twin.model_rebuild(_types_namespace={"Holder": Holder})

    def take(a: first, b: Holder.Twin) -> None:  # type: ignore[valid-type] # a class under another name
        raise NotImplementedError(a, b)

    definitions = arguments_of(take).input_schema["$defs"]

    assert sorted(definitions) == ["Twin", "Twin_2"]


class Link(BaseModel):
    """A link."""

    next: "Link | None" = None


class Left(BaseModel):
    right: "Right | None" = None


class Right(BaseModel):
    left: Left | None = None


def test_models_that_hold_each_other_are_published_once_whoever_uses_them() -> None:
    def take(a: Left, b: Right, c: list[Left]) -> None:
        raise NotImplementedError(a, b, c)

    schema = arguments_of(take).input_schema

    assert list(schema["$defs"]) == ["Right"]
    assert schema["properties"]["b"] == {"$ref": "#/$defs/Right"}
    assert schema["properties"]["c"]["items"] == schema["properties"]["a"]


def test_what_is_said_of_one_use_of_a_recursive_model_stays_with_that_use() -> None:
    def take(
        a: Annotated[Link, Field(description="First.")],
        b: Annotated[Link, Field(description="Second.")],
        c: Annotated[Link, "Third."],
        d: Link,
    ) -> None:
        raise NotImplementedError(a, b, c, d)

    schema = arguments_of(take).input_schema

    described = [schema["properties"][name].get("description") for name in "abcd"]
    assert described == ["First.", "Second.", "Third.", None]
    assert list(schema["$defs"]) == ["Link"]


KIM = User(name="Kim")


def test_defaults_are_published_only_where_they_are_passed() -> None:
    """F07, F27, F88."""

    def take(
        day: date = date(2025, 1, 2),
        c: Color = Color.RED,
        p: Path = Path(),
        o: object = object,
        price: Decimal = Decimal("1.25"),
        exact: Decimal = Decimal("0.1234567890123456789"),
        raw: bytes = b"hi",
        tags: set[str] = frozenset({"b", "a"}),  # type: ignore[assignment] # any empty or full one
        user: User = KIM,
        pause: timedelta = timedelta(minutes=5),
        nothing: int | None = None,
        not_a_number: float = float("nan"),
        wrong: int = "x",  # type: ignore[assignment] # what is tested
    ) -> None:
        raise NotImplementedError(
            day, c, p, o, price, exact, raw, tags, user, pause, nothing, not_a_number, wrong
        )

    arguments = arguments_of(take, optional_defaults="declared")
    properties = arguments.input_schema["properties"]
    defaults = {
        name: schema["default"] for name, schema in properties.items() if "default" in schema
    }

    json.dumps(arguments.input_schema, allow_nan=False)
    assert defaults == {
        "day": "2025-01-02",
        "c": "red",
        "p": ".",
        "price": 1.25,
        "raw": "aGk=",
        "tags": ["a", "b"],
        "user": {"name": "Kim", "email": "", "color": "red"},
        "pause": "PT5M",
    }
    assert arguments.validate(defaults) == arguments.validate({})
    for name, default in defaults.items():
        Draft202012Validator(properties[name]).validate(default)


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema."""
    yield schema
    for keyword in ("properties", "$defs"):
        for below in schema.get(keyword, {}).values():
            yield from subschemas(below)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from subschemas(schema[keyword])
    for below in schema.get("anyOf", ()):
        yield from subschemas(below)


def check_published(schema: JsonSchema, *, arrays_have_items: bool) -> None:
    """The rules that hold for every published schema."""
    Draft202012Validator.check_schema(schema)
    for below in subschemas(schema):
        assert below
        assert below.keys() <= KEYWORDS
        kinds = below.get("type", ())
        if "array" in kinds and (arrays_have_items or kinds == "array"):
            assert below["items"]
        if kinds == "object":
            assert "additionalProperties" in below or arrays_have_items is False


@pytest.mark.parametrize(
    "annotation", [*(a for a, _ in ARGUMENTS), *(a for a, _ in RESULTS), *RECURSIVE, PET, AnyUrl]
)
def test_every_published_schema_keeps_the_rules(annotation: Any) -> None:
    """F16 to F27: the meta-schema, the keywords, items everywhere and nothing empty."""
    check_published(arguments_of(function_of(annotation)).input_schema, arrays_have_items=True)
    take = function_of(annotation)
    take.__annotations__["return"] = annotation
    returned = read_signature(take, SOURCE).return_annotation
    check_published(publish(shape_of(returned, "result"), "result"), arrays_have_items=False)


SCALARS = st.sampled_from([str, int, float, bool, date, Color, bytes, User, Point, Any])
TYPES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        inner.map(lambda t: list[t]),  # type: ignore[valid-type] # a type that is made up
        inner.map(lambda t: dict[str, t]),  # type: ignore[valid-type] # as above
        inner.map(lambda t: t | None),
        inner.map(lambda t: SetField[t]),  # type: ignore[valid-type] # as above
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
        st.tuples(inner, inner).map(lambda pair: tuple[pair]),  # type: ignore[valid-type] # as above
    ),
    max_leaves=6,
)


@given(TYPES)
def test_any_type_that_is_made_of_others_keeps_the_rules(annotation: Any) -> None:
    check_published(arguments_of(function_of(annotation)).input_schema, arrays_have_items=True)
    check_published(publish(shape_of(annotation, "result"), "result"), arrays_have_items=False)


def test_equal_types_are_published_as_each_is_written() -> None:
    """`Literal["a", "b"] == Literal["b", "a"]`, and both are in one cache."""
    assert published(Literal["a", "b"])["enum"] == ["a", "b"]
    assert published(Literal["b", "a"])["enum"] == ["b", "a"]


def test_what_a_plain_text_annotation_says_is_the_description() -> None:
    assert published(Annotated[int, "How many."]) == {"type": "integer", "description": "How many."}


def test_an_alias_of_a_parameter_means_nothing() -> None:
    aliased = Annotated[int, Field(alias="other")]

    assert list(arguments_of(function_of(aliased)).input_schema["properties"]) == ["x"]
    assert received(aliased, 1) == 1
