import dataclasses
import ipaddress
import uuid
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import (
    UUID4,
    AwareDatetime,
    BaseModel,
    ByteSize,
    ConfigDict,
    Field,
    NaiveDatetime,
    RootModel,
    SecretStr,
    field_validator,
)
from typing_extensions import TypedDict

from tests.support.arguments import received, refusal

BIG = 10**400


class Format(str, Enum):
    MD = "markdown"
    JSON = "json"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(Enum):
    NULL = "null"
    OTHER = "other"


class User(BaseModel):
    name: str
    age: int = 0


@dataclasses.dataclass
class Point:
    x: int
    y: int | None = 2


class Box(TypedDict, total=False):
    points: list[Point]


class Pair(NamedTuple):
    first: int
    second: str = "b"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    numbers: tuple[int, ...]
    day: date


class Outer(BaseModel):
    strict: Strict


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Small(BaseModel):
    a: int


class Large(BaseModel):
    a: int
    b: int


class Aliased(BaseModel):
    value: int = Field(alias="theValue")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


TAGGED = Annotated[Cat | Dog, Field(discriminator="kind")]
UUID_TEXT = "123e4567-e89b-12d3-a456-426614174000"

ACCEPTED: list[tuple[Any, Any, Any]] = [
    # F01
    (int, "150", 150),
    (int, 150, 150),
    (int, 150.0, 150),
    (int, "-5", -5),
    (int, float(2**53), 2**53),
    (int, BIG, BIG),
    (float, 1, 1.0),
    (float, "1e3", 1000.0),
    (float, "-0.5", -0.5),
    (Decimal, 19.99, Decimal("19.99")),
    (Decimal, "1.10", Decimal("1.10")),
    (Decimal, 3, Decimal(3)),
    # F02
    (bool, "false", False),
    (bool, "True", True),
    # F04
    (list[str], '["a","b"]', ["a", "b"]),
    (User, '{"name":"Kim","age":25}', User(name="Kim", age=25)),
    (dict[str, list[int]], '{"a":["1"]}', {"a": [1]}),
    (list[list[int]], '["[1]", [2]]', [[1], [2]]),
    (list[int], " [1, 2] ", [1, 2]),
    # F05
    (str, '{"total": 3}', '{"total": 3}'),
    *((str | None, text, text) for text in ("null", "true", "[1]", "NaN", "00123", "1e3", "")),
    (str | list[str], '["a"]', '["a"]'),
    (str | list[str], ["a"], ["a"]),
    (Any, "[1]", "[1]"),
    (int | str, "5", "5"),
    (
        UUID4,
        "0b1f0b7e-6d1c-4c0e-9d5b-0f0a6f6f6f6f",
        uuid.UUID("0b1f0b7e-6d1c-4c0e-9d5b-0f0a6f6f6f6f"),
    ),
    (int | str, 5, 5),
    (str | int, "5", "5"),
    (date | str, "2025-01-02", "2025-01-02"),
    (Path | list[str], "a/b", Path("a/b")),
    (Format | str, "json", Format.JSON),
    (Format | str, "JSON", "JSON"),
    # F11
    (Format, "MARKDOWN", Format.MD),
    (Format, "json", Format.JSON),
    (Literal["a", "A"], "A", "A"),
    (Level, 2, Level.HIGH),
    (Level, "2", Level.HIGH),
    (Level, 2.0, Level.HIGH),
    (Literal[1, 2], "1", 1),
    (Literal[1.5], 1.5, 1.5),
    (Literal[True], "TRUE", True),
    (Literal["a", None], None, None),  # noqa: PYI061 - the form that is tested
    # null as a word
    (int | None, "null", None),
    (int | None, None, None),
    (list[int] | None, "null", None),
    (Word | None, "null", Word.NULL),
    (Word | None, None, None),
    (None, "null", None),
    # Forms of text
    (date, "2025-01-02", date(2025, 1, 2)),
    (date, {"year": 2025, "month": 1, "dayOfMonth": 2}, date(2025, 1, 2)),
    (time, "18:00", time(18)),
    (time, "18:00:01.5Z", time(18, 0, 1, 500000, UTC)),
    (datetime, "2025-01-02T03:04:05", datetime(2025, 1, 2, 3, 4, 5)),  # noqa: DTZ001 - naive stays naive
    (datetime, {"epochSecond": 0}, datetime(1970, 1, 1, tzinfo=UTC)),
    (AwareDatetime, "2025-01-02T03:04:05.123456789Z", datetime(2025, 1, 2, 3, 4, 5, 123456, UTC)),
    (NaiveDatetime, "2025-01-02T03:04", datetime(2025, 1, 2, 3, 4)),  # noqa: DTZ001 - naive stays naive
    (timedelta, "PT1H30M", timedelta(minutes=90)),
    (timedelta, "-P2D", timedelta(days=-2)),
    (timedelta, "PT0.5S", timedelta(seconds=0.5)),
    (uuid.UUID, UUID_TEXT, uuid.UUID(UUID_TEXT)),
    (uuid.UUID, UUID_TEXT.upper(), uuid.UUID(UUID_TEXT)),
    (bytes, "aGk=", b"hi"),
    (bytes, "", b""),
    (Path, "a/b", Path("a/b")),
    (SecretStr, "s", SecretStr("s")),
    (ipaddress.IPv4Address, "127.0.0.1", ipaddress.IPv4Address("127.0.0.1")),
    (date | datetime, "2025-01-02T00:00:00", datetime(2025, 1, 2)),  # noqa: DTZ001 - naive stays naive
    (date | int, "2025-01-02", date(2025, 1, 2)),
    (date | int, "20", 20),
    (uuid.UUID | int, "5", 5),
    # Containers
    (set[str], ["a", "a"], {"a"}),
    (frozenset[int], ["1"], frozenset({1})),
    (tuple[int, str], ["1", "a"], (1, "a")),
    (tuple[int, ...], [1, "2"], (1, 2)),
    (deque[int], ["1"], deque([1])),
    (Sequence[int], ["1"], [1]),
    (Iterable[int], ["1"], [1]),
    (Mapping[str, int], {"a": "1"}, {"a": 1}),
    (dict[int, int], {"1": 2}, {1: 2}),
    (dict[Level, int], {"2": 1}, {Level.HIGH: 1}),
    (dict[date, int], {"2025-01-02": 1}, {date(2025, 1, 2): 1}),
    (Pair, [1], Pair(1)),
    (Pair, '["1", "c"]', Pair(1, "c")),
    (tuple[()], [], ()),
    # Objects
    (Point, {"x": "1"}, Point(1)),
    (Point, {"x": 1, "y": None}, Point(1, None)),
    (Box, {"points": [{"x": 1}]}, {"points": [Point(1)]}),
    (Box, {"points": None}, {}),
    (User, {"name": "a", "age": None}, User(name="a")),
    (RootModel[list[int]], ["1"], RootModel[list[int]]([1])),
    (Aliased, {"theValue": 1}, Aliased(theValue=1)),
    (Open, {"a": 1, "b": [2]}, Open(a=1, b=[2])),  # type: ignore[call-arg] # what is tested
    (
        Outer,
        {"strict": {"numbers": [1], "day": "2025-01-02"}},
        Outer(strict=Strict(numbers=(1,), day=date(2025, 1, 2))),
    ),
    # Unions of objects
    (Cat | Dog, {"kind": "dog", "name": "x"}, Dog(kind="dog", name="x")),
    (Cat | Dog, '{"kind": "CAT", "lives": "9"}', Cat(kind="cat", lives=9)),
    (TAGGED, {"kind": "Cat", "lives": 9}, Cat(kind="cat", lives=9)),
    (TAGGED, '{"kind": "dog", "name": "x"}', Dog(kind="dog", name="x")),
    (Small | Large, {"a": 1, "b": 2}, Large(a=1, b=2)),
    (Large | Small, {"a": "1"}, Small(a=1)),
    (list[int] | list[str], ["1", "2"], ["1", "2"]),
    (list[int] | dict[str, int], '{"a": 1}', {"a": 1}),
    (int | bool, True, True),
    (int | bool, "true", True),
    (int | float, 1.0, 1.0),
    (int | float, "1.5", 1.5),
    (list[int | None], [None, "null", "1"], [None, None, 1]),
    (Any, {"a": [1, None, "x"]}, {"a": [1, None, "x"]}),
    (object, None, None),
    (list, [1, "a"], [1, "a"]),
    (dict, {"a": 1}, {"a": 1}),
]


@pytest.mark.parametrize(("annotation", "sent", "value"), ACCEPTED)
def test_what_fits_is_received_as_its_type(annotation: Any, sent: Any, value: Any) -> None:
    """F01 to F12, F101: nothing is guessed, and nothing that is plain is refused."""
    got = received(annotation, sent)

    assert got == value
    assert type(got) is type(value)


NO_NUMBERS: list[Any] = [
    "150.5",
    "abc",
    "",
    "1_000",
    "١٥٠",
    " 150 ",
    "0x10",
    "+5",
    "007",
    "1e2",
    150.5,
    True,
]
NO_BOOLEANS: list[Any] = ["0", "no", "yes", 1, 0, {}, "", "falsehood"]
NO_TEXT: list[Any] = [{}, [], None]
REFUSED: list[tuple[Any, Any, str]] = [
    # F01
    *((int, sent, "x: got") for sent in NO_NUMBERS),
    (int, float(2**54), "too large to be exact"),
    (int, "9" * 4301, "of more than 4300 characters"),
    (int, None, "x: got null; accepted: a whole number"),
    (float, True, "got a boolean"),
    (float, ".5", "accepted: a number"),
    (float, "1.", "accepted: a number"),
    (float, "01", "accepted: a number"),
    (float, BIG, "too large"),
    (Decimal, True, "got a boolean"),
    (Decimal, "1,5", "accepted: a number"),
    (Decimal, "1e99999", "too large an exponent"),
    (Decimal, "1e" + "9" * 30, "too large"),
    # F98
    (float, float("nan"), "not finite"),
    (float, float("inf"), "not finite"),
    (float, "nan", "accepted: a number"),
    (float, "1e999", "too large"),
    (int, float("inf"), "not finite"),
    (Decimal, float("nan"), "not finite"),
    (Any, {"a": [1, float("-inf")]}, "x.a[1]: got a number that is not finite"),
    (dict[str, Any], {"a": float("nan")}, "x.a"),
    # F02
    *((bool, sent, "true or false") for sent in NO_BOOLEANS),
    # F04
    (list[str], "a,b", "a list, each item text"),
    (list[str], "{}", "got text"),
    (list[str], "[1", "got text"),
    (User, "[]", "an object with name, optionally age"),
    (list[int], '["a"]', "x[0]: got text"),
    (list[int], "[NaN]", "got text"),
    # F11
    (Format, "xml", 'one of "markdown", "json"'),
    (Format, "MD", "markdown"),
    (Format, 5, "got a whole number"),
    (Format, ["json"], "got a list of 1 item"),
    (Literal["b", "B"], "ß", "accepted"),
    (int | str, 1.5, "accepted: a whole number or text"),
    (Literal["straSSe", "straße"], "STRASSE", "straße"),
    (Level, True, "got a boolean"),
    (Level, "02", "one of 1, 2"),
    (Level, 1.5, "a number with a fraction"),
    (Level, 1e300, "got a whole number"),
    (Literal[True], 1, "accepted: true"),
    # F12
    *((str, sent, "send it in quotes as text") for sent in (True, 123, 1.5)),
    *((str, sent, "accepted: text") for sent in NO_TEXT),
    # Forms of text, F63 and F101
    (date, "2025-13-40", "YYYY-MM-DD"),
    (date, "20250102", "YYYY-MM-DD"),
    (date, "2025-01-02T00:00:00", "YYYY-MM-DD"),
    (date, 1735776000, "got a whole number"),
    (date, {"year": 2025, "month": 13, "dayOfMonth": 2}, "YYYY-MM-DD"),
    (date, {"year": 2025}, "an object with other keys"),
    (date, {"year": 10**30, "month": 1, "dayOfMonth": 2}, "YYYY-MM-DD"),
    (datetime, "2025-01-02", "YYYY-MM-DDTHH:MM:SS"),
    (datetime, "2025-01-02 03:04:05", "YYYY-MM-DDTHH:MM:SS"),
    (datetime, "1735776000", "YYYY-MM-DDTHH:MM:SS"),
    (AwareDatetime, "2025-01-02T03:04:05", "offset"),
    (NaiveDatetime, "2025-01-02T03:04:05Z", "with an offset"),
    (time, "25:00", "HH:MM:SS"),
    (time, "１８:00", "HH:MM:SS"),
    (timedelta, "P1Y", "PT1H30M"),
    (timedelta, "P", "PT1H30M"),
    (timedelta, 60, "PT1H30M"),
    (timedelta, "P99999999999D", "out of range"),
    (uuid.UUID, f"{{{UUID_TEXT}}}", "a UUID such as"),
    (uuid.UUID, "x", "a UUID such as"),
    (bytes, "aGk", "base64"),
    (bytes, "a-_=", "base64"),
    (bytes, "é", "base64"),
    (bytes, 5, "base64"),
    (Path, 5, "path"),
    (ipaddress.IPv4Address, "300.0.0.1", "x: got text"),
    # Containers
    (tuple[int, str], [1], "a list of 2 items: a whole number; text"),
    (tuple[int, str], [1, "a", 2], "got a list of 3 items"),
    (Pair, [], "got a list of 0 items"),
    (dict[int, int], {"01": 2}, "x['01']: the key is not accepted; accepted: as a key a whole"),
    (dict[Format, int], {"json": 1, "JSON": 2}, "x.JSON: the key means the same as another one"),
    (set[int], {}, "a list, each item a whole number"),
    (Annotated[list[int], Field(min_length=2, max_length=3)], [1], "a list of 2 to 3 items"),
    (Annotated[dict[str, int], Field(min_length=1)], {}, "x: got an object with 0 entries"),
    # Objects
    (Point, {"x": 1, "z": 2}, "x.z: there is no such key; accepted: x, y"),
    (Point, {"y": 1}, "x.x: missing; accepted: a whole number"),
    (User, {"nmae": "a"}, "did you mean name?"),
    (Aliased, {"value": 1}, "x.theValue: missing"),
    (Open, {"a": 1, "b": float("nan")}, "x.b"),
    # Unions
    (int | None, "NULL", "a whole number or null"),
    (str | list[str], 3, "text or a list, each item text"),
    (int | date, "soon", "a whole number or a date as YYYY-MM-DD"),
    (Cat | Dog, {"kind": "cat", "name": "x"}, "x.lives: missing"),
    (Cat | Dog, {"lives": 9}, 'x.kind: missing; accepted: one of "cat", "dog"'),
    (TAGGED, {"kind": "cow"}, 'x.kind: got text; accepted: one of "cat", "dog"'),
    (TAGGED, {"kind": ["cat"]}, "x.kind: got a list"),
    (TAGGED, 5, "x: got a whole number"),
    (Small | Large, {"a": "one"}, "x.a: got text"),
    (Small | Large, 5, "an object with a or an object with a, b"),
    (None, 1, "accepted: null"),
    (int, object(), "x: got a Python object"),
    (str, b"x", "x: got a Python bytes"),
]


@pytest.mark.parametrize(("annotation", "sent", "said"), REFUSED)
def test_what_does_not_fit_is_refused_with_what_is_accepted(
    annotation: Any, sent: Any, said: str
) -> None:
    """F01 to F12, F63, F98, F101: path, kind of value, and what is accepted."""
    assert said in refusal(annotation, sent)


CONSTRAINED: list[tuple[Any, Any, str]] = [
    (Annotated[int, Field(ge=1, le=50)], 51, "got a whole number that is out of range"),
    (Annotated[int, Field(ge=1, le=50)], 0, "a whole number from 1 to 50"),
    (Annotated[int, Field(gt=1, lt=5)], 5, "more than 1, less than 5"),
    (Annotated[int, Field(ge=1)], 0, "a whole number, at least 1"),
    (Annotated[float, Field(le=1)], 2, "a number, at most 1"),
    (Annotated[int, Field(multiple_of=5)], 3, "a multiple of 5"),
    (Annotated[str, Field(min_length=1, max_length=3)], "abcd", "text of 1 to 3 characters"),
    (Annotated[str, Field(min_length=1)], "", "got empty text of 0 characters"),
    (Annotated[str, Field(min_length=2, max_length=2)], "a", "text of 2 characters"),
    (Annotated[str, Field(pattern="^a")], "b", "text that matches ^a"),
    (Annotated[bytes, Field(min_length=3)], "aGk=", "of 2 bytes"),
    (Annotated[Decimal, Field(decimal_places=1)], 1.25, "decimal place"),
    (list[Annotated[int, Field(ge=0)]], [1, -1], "x[1]: got a whole number that is out of range"),
    (dict[int, Annotated[int, Field(ge=0)]], {"7": -1}, "x['7']: got a whole number"),
    (Annotated[dict[str, int], Field(min_length=2)], {"a": 1}, "1 entry: Dictionary should have"),
    (Annotated[set[int], Field(min_length=2)], [1, 1], "at least 2 different items"),
    (Annotated[date, Field(ge=date(2020, 1, 1))], "2019-12-31", "got text: Input should be"),
    (Annotated[date, Field(ge=date(2020, 1, 1))], "2019-12-31", "equal to 2020-01-01"),
    (Annotated[Decimal, Field(max_digits=2)], 1.25, "got a number: Decimal"),
    (UUID4, UUID_TEXT, "got text: UUID version 4 expected; accepted: a UUID such as"),
    (tuple[str, Annotated[int, Field(ge=0)]], ["a", -1], "x[1]"),
    (Annotated[int, Field(ge=0)] | None, -1, "a whole number, at least 0 or null"),
    (Annotated[int, Field(ge=5)] | Annotated[str, Field(min_length=2)], 1, "out of range"),
]


@pytest.mark.parametrize(("annotation", "sent", "said"), CONSTRAINED)
def test_a_broken_constraint_is_told_in_our_words(annotation: Any, sent: Any, said: str) -> None:
    """F63."""
    assert said in refusal(annotation, sent)


def test_an_authors_own_validator_speaks_for_itself() -> None:
    class Title(BaseModel):
        text: str

        @field_validator("text")
        @classmethod
        def check(cls, text: str) -> str:
            if not text.strip():
                raise ValueError("the title is blank")
            assert text != "x", "x is taken"
            return text

    assert refusal(Title, {"text": " "}) == "x.text: the title is blank; accepted: text"
    assert refusal(list[Title], [{"text": "a"}, {"text": "x"}]).startswith("x[1].text: x is taken")


def test_the_value_itself_is_never_in_the_message() -> None:
    """F63: type, not value."""
    secret = "S3CRET-CANARY"
    for annotation in (int, date, bytes, Format, uuid.UUID, list[int], timedelta, Decimal):
        assert secret not in refusal(annotation, secret)
    assert "CANARY" not in refusal(ByteSize, "12 CANARY")


def test_all_faults_are_told_at_once() -> None:
    """F63: kinds and broken constraints, at every depth, in one answer."""

    class Item(BaseModel):
        name: Annotated[str, Field(min_length=2)]
        count: Annotated[int, Field(ge=0)]
        day: date

    message = refusal(
        list[Item],
        [
            {"name": "a", "count": "many", "day": "2025-01-02"},
            {"name": "ab", "count": -1, "day": "soon", "also": 1},
        ],
    )

    assert message.splitlines()[0] == "5 faults in the arguments:"
    paths = {line.partition(":")[0].removeprefix("- ") for line in message.splitlines()[1:]}
    assert paths == {"x[0].name", "x[0].count", "x[1].count", "x[1].day", "x[1].also"}


def test_very_many_faults_are_counted_and_cut() -> None:
    lines = refusal(list[int], ["a"] * 5000).splitlines()

    assert lines[0] == "5000 faults in the arguments:"
    assert len(lines) == 22
    assert lines[-1] == "- and 4980 more"


@pytest.mark.parametrize("annotation", [TAGGED, Cat | Dog, Small | None, Small | bool | list[int]])
def test_no_number_of_faults_is_a_crash(annotation: Any) -> None:
    message = refusal(list[annotation], [{"kind": "fish"}] * 1500)

    assert message.startswith(("1500 faults", "3000 faults", "2"))
