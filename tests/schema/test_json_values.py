"""Values without a declared type: one form for each known kind, a named place for the rest."""

import datetime as dt
import enum
import ipaddress
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel, computed_field, field_serializer

from appfunctions_mcp.media import Image
from appfunctions_mcp.schema.json_values import (
    MAX_RESULT_DEPTH,
    NoJsonFormError,
    TooDeepError,
    contains_itself,
    depth_of,
    to_json_value,
)


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Sign(enum.StrEnum):
    PLUS = "+"


@dataclass(frozen=True)
class Point:
    x: int
    tags: tuple[str, ...] = ()


@dataclass
class Box:
    content: Any


@dataclass
class Late:
    now: int
    later: int = field(init=False)


class Note(BaseModel):
    title: str = Field(serialization_alias="Title")
    secret: str = Field(default="", exclude=True)

    @computed_field  # type: ignore[prop-decorator] # pydantic's own form
    @property
    def length(self) -> int:
        return len(self.title)


class Shown(BaseModel):
    x: int

    @field_serializer("x")
    def show(self, x: int) -> str:
        return f"<{x}>"


class Numbers(RootModel[list[int]]):
    pass


SCALARS = [
    (dt.date(2026, 5, 27), "2026-05-27"),
    (dt.time(18, 0), "18:00:00"),
    (dt.datetime(2026, 5, 27, 18), "2026-05-27T18:00:00"),  # noqa: DTZ001 - a naive time is what is written
    (dt.datetime(2026, 5, 27, 18, tzinfo=dt.UTC), "2026-05-27T18:00:00Z"),
    (
        dt.datetime(2026, 5, 27, 18, tzinfo=dt.timezone(dt.timedelta(hours=3))),
        "2026-05-27T18:00:00+03:00",
    ),
    (dt.timedelta(days=1, seconds=5), "P1DT5S"),
    (Decimal("1.250"), "1.250"),
    (Decimal("NaN"), None),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (b"\xff\xfe\xfb", "//77"),
    (bytearray(b"\xff"), "/w=="),
    pytest.param(memoryview(b"\xff"), "/w==", id="memoryview"),
    (PurePosixPath("/a/b"), "/a/b"),
    (ZoneInfo("Europe/Berlin"), "Europe/Berlin"),
    (ipaddress.ip_address("::1"), "::1"),
    (Color.RED, "red"),
    (Level.HIGH, 3),
    (Sign.PLUS, "+"),
    (float("nan"), None),
    (float("-inf"), None),
    (2**53 - 1, 2**53 - 1),
    (2**53, "9007199254740992"),
    (-(2**53), "-9007199254740992"),
    ("a\ud800b", "a\ufffdb"),
    ("\ud83d\ude00", "\U0001f600"),
    (True, True),
    (None, None),
]


@pytest.mark.parametrize(("value", "expected"), SCALARS, ids=ascii)
def test_a_known_kind_has_one_form_at_any_depth(value: Any, expected: Any) -> None:
    """F100, F101 and F102."""
    assert to_json_value(value) == expected
    assert to_json_value({"rows": [{"x": value}]}) == {"rows": [{"x": expected}]}
    assert type(to_json_value([value])[0]) is type(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, (2,)), [1, [2]]),
        ({3, 1, 2}, [1, 2, 3]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({("b", 1), ("a", 2)}), [["a", 2], ["b", 1]]),
        ({2.5, 1, "a", None}, [1, 2.5, "a", None]),
        (deque([1, b"\xff"]), [1, "/w=="]),
        (OrderedDict(b=1, a=dt.date(2026, 1, 1)), {"b": 1, "a": "2026-01-01"}),
        (Point(1, ("a",)), {"x": 1, "tags": ["a"]}),
        (Late(1), {"now": 1}),
        ([Note(title="ab", secret="s")], [{"Title": "ab", "length": 2}]),
        ([Shown(x=1)], [{"x": "<1>"}]),
        ({"n": Numbers([1, 2**60])}, {"n": [1, str(2**60)]}),
    ],
)
def test_containers_become_lists_and_objects(value: Any, expected: Any) -> None:
    """F100."""
    assert to_json_value(value) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (1, "1"),
        (True, "true"),
        (None, "null"),
        (2.5, "2.5"),
        (dt.date(2026, 1, 1), "2026-01-01"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Color.RED, "red"),
        (Level.HIGH, "3"),
        ("\ud800", "\ufffd"),
    ],
    ids=ascii,
)
def test_a_scalar_key_becomes_the_text_of_its_value(key: Any, expected: str) -> None:
    """F100: keys other than text."""
    assert to_json_value({key: b"x"}) == {expected: "eA=="}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"rows": [{"x": object()}]}, "$.rows[0].x is a value of type object"),
        ({"a key": [1, {2: Point}]}, "$['a key'][1]['2'] is a value of type type"),
        ([1j], "$[0] is a value of type complex"),
        (ValueError("secret"), "$ is a value of type ValueError"),
        ({"t": {(1, 2): 3}}, "$.t is a dictionary with a key of type tuple"),
        ({object(): 1}, "$ is a value of type object"),
        ({"p": [Image(b"x")]}, "$.p[0] is appfunctions_mcp.media.Image, which is only sent when"),
    ],
    ids=["object", "class", "complex", "exception", "tuple key", "object key", "media"],
)
def test_what_has_no_form_is_a_fault_that_names_its_place(value: Any, says: str) -> None:
    """F100: never the text that `str(value)` gives."""
    with pytest.raises(NoJsonFormError) as caught:
        to_json_value(value)

    assert str(caught.value).startswith(says)
    assert "secret" not in str(caught.value)


def _nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    "wrap",
    [lambda v: [v], lambda v: {"a": v}, lambda v: (v,), Box, lambda v: [v, b"x"]],
    ids=["list", "dict", "tuple", "dataclass", "with bytes"],
)
def test_the_depth_of_500_is_the_last_that_is_sent(wrap: Callable[[Any], Any]) -> None:
    assert depth_of(to_json_value(_nested(MAX_RESULT_DEPTH, wrap))) == MAX_RESULT_DEPTH
    with pytest.raises(TooDeepError, match="nested 501 levels deep; up to 500 are sent"):
        to_json_value(_nested(MAX_RESULT_DEPTH + 1, wrap))


def test_a_very_deep_value_is_refused_not_a_crash() -> None:
    with pytest.raises(TooDeepError, match="nested more than 10000 levels deep"):
        to_json_value(_nested(100_000, lambda v: [v]))


def test_what_contains_itself_is_a_fault_not_a_hang() -> None:
    value: list[Any] = [1]
    value.append({"again": value, "and again": value})

    assert contains_itself(value)
    with pytest.raises(NoJsonFormError, match="contains itself"):
        to_json_value(value)


def test_what_is_used_twice_does_not_contain_itself() -> None:
    shared = [1]

    assert not contains_itself([shared, shared, {"a": shared}])
    assert to_json_value([shared, shared]) == [[1], [1]]


def test_long_integers_stay_numbers_where_a_ready_schema_says_so() -> None:
    assert to_json_value([2**60, b"x"], long_as_text=False) == [2**60, "eA=="]
    assert to_json_value([2**60], long_as_text=False) == [2**60]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(PLAIN)
def test_plain_json_is_its_own_form(value: Any) -> None:
    assert to_json_value(value) == value


@given(PLAIN)
def test_the_quick_way_and_the_patient_way_agree(value: Any) -> None:
    assert to_json_value([value, b""]) == [value, ""]
