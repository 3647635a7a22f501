"""What is sent of a result: each type of value, wrapped or as an object, alone and in unions."""

import datetime as dt
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
)
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    Field,
)

from appfunctions_mcp.fields import SetField
from appfunctions_mcp.media import (
    PendingIntent,
)
from appfunctions_mcp.schema.annotations import EMPTY
from appfunctions_mcp.values import Instant, Int32, LocalDateTime, ZoneId
from tests.support.result_types import (
    EAST,
    NAIVE,
    NAN,
    NOON,
    Author,
    Cat,
    Change,
    Color,
    Dog,
    Holder,
    JsonValue,
    Left,
    Node,
    Note,
    Numbers,
    Open,
    OtherRow,
    Page,
    Pair,
    Parsed,
    Positive,
    Price,
    Right,
    Row,
    Shown,
    Size,
    Task,
    Timed,
    Tree,
    UserId,
    sent_as,
)

WRAPPED = [
    (int, 5, 5),
    (int, 2**53 - 1, 2**53 - 1),
    (int, 2**53, "9007199254740992"),
    (int, -(2**60), str(-(2**60))),
    (int, 10**4000, "1" + "0" * 4000),
    (Int32, 5, 5),
    (Annotated[int, Field(ge=0, le=9)], 9, 9),
    (UserId, 5, 5),
    (bool, True, True),
    (float, 1.5, 1.5),
    (float, 2, 2.0),
    (None, None, None),
    (int | None, None, None),
    (float | None, NAN, None),
    (float | str | None, float("inf"), None),
    (Decimal | None, Decimal("NaN"), None),
    (str | None, "x", "x"),
    (bytes, b"\xff\xfe\xfb", "//77"),
    (Decimal, Decimal("1.250"), "1.250"),
    (Decimal, 2, "2"),
    (dt.date, dt.date(2026, 5, 27), "2026-05-27"),
    (dt.date, "2026-05-27", "2026-05-27"),
    (dt.time, dt.time(18, 0, 1), "18:00:01"),
    (dt.datetime, NOON, "2026-05-27T12:00:00Z"),
    (dt.datetime, EAST, "2026-05-27T12:00:00+03:00"),
    (dt.datetime, NAIVE, "2026-05-27T12:00:00"),
    (dt.timedelta, dt.timedelta(days=1, seconds=5), "P1DT5S"),
    (Instant, EAST, "2026-05-27T12:00:00+03:00"),
    (LocalDateTime, NAIVE, "2026-05-27T12:00:00"),
    (uuid.UUID, uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (Path, Path("notes.db"), "notes.db"),
    (ZoneId, ZoneInfo("Europe/Berlin"), "Europe/Berlin"),
    (ZoneId, dt.UTC, "Z"),
    (ZoneInfo, ZoneInfo("Europe/Berlin"), "Europe/Berlin"),
    (Color, Color.RED, "red"),
    (Color, "blue", "blue"),
    (Size, Size.SMALL, 1),
    (Size, Size.HUGE, str(2**60)),
    (Literal["a", 2, 2**60], 2**60, str(2**60)),
    (Literal["a", 2, 2**60], 2, 2),
    (list[int], [1, 2**60], [1, str(2**60)]),
    (list[int], (1, 2), [1, 2]),
    (list[float | None], [1.5, NAN], [1.5, None]),
    (set[int], {3, 1, 2}, [1, 2, 3]),
    (set[str], {"b", "a"}, ["a", "b"]),
    (frozenset[Color], frozenset({Color.RED, Color.BLUE}), ["blue", "red"]),
    (set[bytes], {b"\xff"}, ["/w=="]),
    (set[tuple[int, str]], {(2, "b"), (1, "a")}, [[1, "a"], [2, "b"]]),
    (tuple[int, str], (1, "a"), [1, "a"]),
    (tuple[int, ...], [1, 2], [1, 2]),
    (Sequence[bytes], (b"\xff",), ["/w=="]),
    (Iterable[int], (n for n in (1, 2)), [1, 2]),
    (Pair, Pair(1, b"\xff"), [1, "/w=="]),
    (Pair, (1,), [1, ""]),
    (int | str, 5, 5),
    (int | str, "5", "5"),
    (int | list[int], [5], [5]),
    (Author | None, None, None),
    (Author | None, Author(name="a"), {"name": "a", "email": None}),
    (Cat | Dog, Dog(kind="dog", name="d"), {"kind": "dog", "name": "d"}),
    (Cat | Dog, {"kind": "cat", "lives": 9}, {"kind": "cat", "lives": 9}),
    (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        Dog(kind="dog", name="d"),
        {"kind": "dog", "name": "d"},
    ),
    (Row | OtherRow, {"name": "a"}, {"name": "a"}),
    (Row | OtherRow, {"id": 1, "note": "n"}, {"id": 1, "note": "n"}),
    (Author | Task, Task("t"), None),
    (list[Author], [Author(name="a"), {"name": "b"}], None),
    (list[Node], [Node(name="a", children=[Node(name="b")])], None),
    (Numbers, Numbers([1, 2]), [1, 2]),
    (Numbers, (1, 2), [1, 2]),
    (JsonValue, {"a": [1.5, NAN]}, {"a": [1.5, None]}),
    (Any, 5, 5),
    (Any, "x", "x"),
    (Any, [1, {2}], [1, [2]]),
    (object, None, None),
    (EMPTY, {"a": b"x"}, {"a": "eA=="}),
    (list, [1, "a"], [1, "a"]),
    (list[dict[str, Any]], [{"a": 2**60}], [{"a": str(2**60)}]),
    (Awaitable[int], 5, 5),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), WRAPPED)
def test_a_result_that_is_no_object_goes_out_under_result(
    annotation: Any, value: object, expected: Any
) -> None:
    """F97 and F100: schema and value are wrapped alike, and the value fits the schema."""
    sent = sent_as(annotation, value)

    assert sent.structured == {"result": sent.value}
    if expected is not None or value is None:
        assert sent.value == expected
        assert type(sent.value) is type(expected)


BRANCHES: list[tuple[Any, Any, Any]] = [
    (int, 5, 5),
    (int, 2**60, str(2**60)),
    (float, 1.5, 1.5),
    (bool, True, True),
    (str, "s", "s"),
    (bytes, b"\xff", "/w=="),
    (Decimal, Decimal("1.50"), "1.50"),
    (dt.date, dt.date(2026, 1, 1), "2026-01-01"),
    (dt.datetime, NAIVE, "2026-05-27T12:00:00"),
    (Size, Size.HUGE, str(2**60)),
    (Literal[7, 2**61], 2**61, str(2**61)),
    (list[int], [3, 1], [3, 1]),
    (list[float], [1.5], [1.5]),
    (list[bytes], [b"\xff"], ["/w=="]),
    (set[int], {3, 1}, [1, 3]),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict[str, float], {"a": 1.5}, {"a": 1.5}),
    (Author, Author(name="a"), {"name": "a", "email": None}),
    (Tree, Tree("a"), {"name": "a", "children": []}),
    (Row, {"id": 1}, {"id": 1}),
]


@pytest.mark.parametrize("branch", BRANCHES, ids=lambda branch: ascii(branch[1]))
def test_each_branch_of_a_union_is_written_as_it_would_be_alone(branch: Any) -> None:
    """No branch takes, and changes, what another one is meant for."""
    for other in BRANCHES:
        for union in (branch[0] | other[0], other[0] | branch[0]):
            sent = sent_as(union, branch[1]).value if union is not branch[0] else branch[2]

            assert (sent, type(sent)) == (branch[2], type(branch[2])), union


OBJECTS = [
    (Author, Author(name="a"), {"name": "a", "email": None}),
    (Author, {"name": "a"}, {"name": "a", "email": None}),
    (
        Note,
        Note(id=2**60, title="t", created=EAST, tags={"b", "a"}, raw=b"\xff", mean=NAN),
        {
            "id": str(2**60),
            "title": "t",
            "created": "2026-05-27T12:00:00+03:00",
            "tags": ["a", "b"],
            "raw": "/w==",
            "mean": None,
            "color": "red",
            "author": None,
        },
    ),
    (
        Note,
        {"id": 1, "title": "t", "created": "2026-05-27T12:00:00", "author": {"name": "n"}},
        {
            "id": 1,
            "title": "t",
            "created": "2026-05-27T12:00:00",
            "tags": [],
            "raw": None,
            "mean": None,
            "color": "red",
            "author": {"name": "n", "email": None},
        },
    ),
    (
        Task,
        Task("t", 3, Color.BLUE, 2, Decimal("1.5"), dt.date(2026, 1, 1), [b"x"]),
        {
            "title": "t",
            "size": 3,
            "color": "blue",
            "score": 2.0,
            "price": "1.5",
            "due": "2026-01-01",
            "path": ["eA=="],
        },
    ),
    (
        Task,
        # What a dataclass was really given, which nobody has checked.
        Task("t", color="blue", price=3, due="2026-01-01", path=(b"x",)),  # type: ignore[arg-type] # what is tested
        {
            "title": "t",
            "size": None,
            "color": "blue",
            "score": 0.0,
            "price": "3",
            "due": "2026-01-01",
            "path": ["eA=="],
        },
    ),
    (Tree, Tree("a", [Tree("b")]), {"name": "a", "children": [{"name": "b", "children": []}]}),
    (Node, Node(name="a"), {"name": "a", "children": []}),
    (Left, Left(right=Right(left=Left())), {"right": {"left": {"right": None}}}),
    (Row, {"id": 1}, {"id": 1}),
    (Row, {"id": 1, "note": "n", "more": "not declared"}, {"id": 1, "note": "n"}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict[int, str], {1: "a"}, {"1": "a"}),
    (dict[int | None, str], {None: "a", 2: "b"}, {"null": "a", "2": "b"}),
    (dict[Color | None, int], {None: 1, Color.RED: 2}, {"null": 1, "red": 2}),
    (dict[Color, dt.date], {Color.RED: dt.date(2026, 1, 1)}, {"red": "2026-01-01"}),
    (dict[dt.date, int], {dt.date(2026, 1, 1): 1}, {"2026-01-01": 1}),
    (dict[str, Author], {"a": {"name": "n"}}, {"a": {"name": "n", "email": None}}),
    (Mapping[str, bytes], {"a": b"\xff"}, {"a": "/w=="}),
    (dict, {"count": 0, "mean": NAN, 1: {2}}, {"count": 0, "mean": None, "1": [2]}),
    (dict[str, Any], {"d": [dt.date(2026, 1, 1)]}, {"d": ["2026-01-01"]}),
    (
        Open,
        Open(someName=5, more=b"\xff"),  # type: ignore[call-arg] # open models take any name
        {"someName": 5, "lasted": "P1D", "more": "/w==", "twice": 10},
    ),
    (Open, {"someName": 5}, {"someName": 5, "lasted": "P1D", "twice": 10}),
    (Open, {"some_name": 5}, {"someName": 5, "lasted": "P1D", "twice": 10}),
    (Page[Author], Page[Author](items=[Author(name="a")]), None),
    (
        Page[Author],
        Page(items=[Author(name="a")]),
        {"items": [{"name": "a", "email": None}]},
    ),
    (Timed, Timed(start=1, length=2), {"start": 1, "end": 3}),
    (Timed, {"start": 1, "length": 3}, {"start": 1, "end": 4}),
    (Parsed, Parsed(numbers="[1, 2]"), {"numbers": [1, 2]}),  # type: ignore[arg-type] # text on the way in
    (Positive, {"x": 1}, {"x": 1}),
    (dict[str, str], OrderedDict(a="b"), {"a": "b"}),
    (OrderedDict[str, bytes], OrderedDict(a=b"\xff"), {"a": "/w=="}),
    (defaultdict[str, list[int]], {"a": [2**60]}, {"a": [str(2**60)]}),
    (Price, Price(amount="$5"), {"amount": "5"}),  # type: ignore[arg-type] # what its validator takes
    (Shown, Shown(x=1), {"x": "<1>"}),
    (Holder, Holder(anything={2**60}), {"anything": [str(2**60)]}),
    (Change, Change(SetField("x")), {"title": {"value": "x"}}),
    (dict[str, PendingIntent], {"pay": PendingIntent("a:b", "Pay.")}, None),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), OBJECTS)
def test_an_object_goes_out_as_it_is(annotation: Any, value: object, expected: Any) -> None:
    """F97 and F100."""
    sent = sent_as(annotation, value)

    assert sent.structured == sent.value
    if expected is not None:
        assert sent.structured == expected


@given(
    st.builds(
        Note,
        id=st.integers(),
        title=st.text(min_size=1),
        created=st.datetimes(timezones=st.none() | st.just(dt.UTC)),
        tags=st.sets(st.text()),
        raw=st.none() | st.binary(),
        mean=st.none() | st.floats(),
        color=st.sampled_from(Color),
        author=st.none() | st.builds(Author, name=st.text(), email=st.none() | st.text()),
    )
)
def test_any_model_fits_its_published_schema(note: Note) -> None:
    sent = sent_as(Note, note)

    assert sent.structured is not None
    assert Note.model_validate(sent.structured).created == note.created
