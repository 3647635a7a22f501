"""Records: what they share with dataclasses, though none is made before somebody asks."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any

import pytest
from pydantic import TypeAdapter

from appfunctions_mcp.records import field_names, record, replaced


@record(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    secret: str = field(default="", repr=False)


@record(frozen=True, slots=True)
class Point3(Point):
    """A place in space."""

    z: int = 0


@record(slots=True)
class Counter:
    """May be changed."""

    count: int = 0


@record(frozen=True, slots=True, kw_only=True, eq=False)
class Named:
    """Told by name only, and equal to itself only."""

    name: str

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("no name")


@pytest.mark.parametrize("made", range(6))
def test_every_instance_is_filled_alike_however_many_there_are(made: int) -> None:
    point = Point(1, tags=["a"])

    assert (point.x, point.y, point.tags, point.secret) == (1, 0, ["a"], "")
    assert Point(made).tags is not Point(made).tags
    assert Point3(1, 2, z=3).z == 3


@pytest.mark.parametrize(
    "wrong",
    [
        Point,
        lambda: Point(1, 2, [], "", 5),  # type: ignore[call-arg] # too many
        lambda: Point(1, x=1),  # type: ignore[misc] # twice
        lambda: Point(1, z=1),  # type: ignore[call-arg] # unknown
        lambda: Named("n"),  # type: ignore[call-arg] # by name only
    ],
    ids=["missing", "too many", "twice", "unknown", "positional"],
)
def test_wrong_arguments_are_refused_as_those_of_a_function(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"__init__\(\)"):
        wrong()


def test_a_frozen_record_cannot_be_changed() -> None:
    point = Point(1)

    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc] # what is tested
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    with pytest.raises(AttributeError):
        Counter().other = 1  # type: ignore[attr-defined] # it has slots


def test_equality_hash_and_text_are_those_of_the_fields() -> None:
    assert Point(1) == Point(1) != Point(2)
    assert Point(1) != Point3(1)
    assert repr(Point(1, secret="s")) == "Point(x=1, y=0, tags=[])"
    assert Counter(1) == Counter(1)
    assert Counter.__hash__ is None
    assert Named(name="a") != Named(name="a")
    assert len({Named(name="a"), Named(name="a")}) == 2


def test_a_check_of_the_record_s_own_is_made() -> None:
    for _ in range(6):
        with pytest.raises(ValueError, match="no name"):
            Named(name="")


def test_copies_and_pickles_are_equal() -> None:
    point = Point(1, tags=["a"])

    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point  # noqa: S301 - our own


def test_records_are_dataclasses_to_everybody_who_asks() -> None:
    assert dataclasses.is_dataclass(Point)
    assert [f.name for f in dataclasses.fields(Point3)] == ["x", "y", "tags", "secret", "z"]
    assert dataclasses.replace(Point3(1), z=5) == replaced(Point3(1), z=5) == Point3(1, z=5)
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 0, "tags": [], "secret": ""}
    assert field_names(Point) == ("x", "y", "tags", "secret")
    assert str(inspect.signature(Counter)) == "(count: int = 0) -> None"
    assert Point.__match_args__ == ("x", "y", "tags", "secret")
    assert Named.__match_args__ == ()
    assert TypeAdapter(Point).validate_python({"x": "7"}) == Point(7)


def test_a_dataclass_may_inherit_from_a_record() -> None:
    @dataclasses.dataclass(frozen=True)
    class Marked(Point):
        mark: str = "!"

    assert Marked(1, mark="?").x == 1
    assert dataclasses.replace(Marked(1), x=2) == Marked(2)
