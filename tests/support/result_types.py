"""Types that functions return, and what is sent of their values, for the tests of results."""

import datetime as dt
import enum
import json
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    TypedDict,
    TypeVar,
)

from jsonschema import Draft202012Validator
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    Json,
    RootModel,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from typing_extensions import TypeAliasType

from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.responses import (
    ResponseSchema,
    build_response,
)
from appfunctions_mcp.schema.typed_dicts import adopt_typed_dicts

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    HUGE = 2**60


class Row(TypedDict):
    id: int
    note: NotRequired[str]


class OtherRow(TypedDict):
    name: str


class Pair(NamedTuple):
    number: int
    content: bytes = b""


@dataclass
class Task:
    title: str
    size: int | None = None
    color: Color = Color.RED
    score: float = 0.0
    price: Decimal = Decimal(1)
    due: dt.date | None = None
    path: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tree:
    name: str
    children: "list[Tree]" = field(default_factory=list)


class Author(BaseModel):
    name: str
    email: str | None = None


class Note(BaseModel):
    id: int
    title: Annotated[str, Field(min_length=1)]
    created: dt.datetime
    tags: set[str] = set()
    raw: bytes | None = None
    mean: float | None = None
    color: Color = Color.RED
    author: Author | None = None


class Node(BaseModel):
    name: str
    children: "list[Node]" = []


class Left(BaseModel):
    right: "Right | None" = None


class Right(BaseModel):
    left: Left | None = None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Page(BaseModel, Generic[T]):
    items: list[T]


@dataclass(kw_only=True, slots=True)
class Timed:
    start: int
    length: InitVar[int] = 5
    end: int = field(init=False, default=0)

    def __post_init__(self, length: int) -> None:
        self.end = self.start + length


class Parsed(BaseModel):
    numbers: Json[list[int]]


class Failing(BaseModel):
    x: int

    @model_serializer
    def show(self) -> dict[str, int]:
        raise KeyError("hunter2")


class Positive(BaseModel):
    x: int

    @model_validator(mode="after")
    def check(self) -> "Positive":
        if self.x < 0:
            raise ValueError("x is negative")
        return self


class Open(BaseModel):
    model_config = ConfigDict(extra="allow", ser_json_timedelta="float")
    some_name: int = Field(alias="someName")
    lasted: dt.timedelta = dt.timedelta(days=1)

    @computed_field  # type: ignore[prop-decorator] # pydantic's own form
    @property
    def twice(self) -> int:
        return self.some_name * 2


class Price(BaseModel):
    amount: Decimal

    @field_validator("amount", mode="before")
    @classmethod
    def without_sign(cls, text: str) -> str:
        return text.removeprefix("$")


class Shown(BaseModel):
    x: int

    @field_serializer("x")
    def show(self, x: int) -> str:
        return f"<{x}>"


class Numbers(RootModel[list[int]]):
    pass


class Holder(BaseModel):
    anything: Any


@dataclass
class Change:
    title: SetField[str] | None = None


JsonValue = TypeAliasType(
    "JsonValue", "dict[str, JsonValue] | list[JsonValue] | str | float | None"
)
UserId = NewType("UserId", int)
Text = NewType("Text", str)

NOON = dt.datetime(2026, 5, 27, 12, tzinfo=dt.UTC)
EAST = dt.datetime(2026, 5, 27, 12, tzinfo=dt.timezone(dt.timedelta(hours=3)))
NAIVE = dt.datetime(2026, 5, 27, 12)  # noqa: DTZ001 - naive is what is tested
NAN = float("nan")


def response_of(annotation: Any, returns: str = "") -> ResponseSchema:
    docstring = ParsedDocstring(returns=returns)
    adopted = adopt_typed_dicts(annotation)
    return build_response(adopted, docstring=docstring, source="notes.py:7")


def sent_as(annotation: Any, value: object) -> ExecuteAppFunctionResponse:
    """The response for a value, checked against what is published and against itself."""
    response = response_of(annotation)
    result = response.serialize(value)
    if response.output_schema is not None:
        Draft202012Validator.check_schema(response.output_schema)
        Draft202012Validator(response.output_schema).validate(result.structured)
        assert response.output_schema["type"] == "object"
        assert result.text is not None
        assert json.loads(result.text) == result.structured
        result.text.encode()
    return result
