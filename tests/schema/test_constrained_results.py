"""Android's value constraints on what a function returns: checked as on what it gets."""

from typing import Annotated, Any

import pytest

from appfunctions_mcp.exceptions import AppFunctionAppUnknownException
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, PatternType
from appfunctions_mcp.values import (
    AppFunctionIntValueConstraint,
    AppFunctionStringValueConstraint,
    AppFunctionUriValueConstraint,
    Uri,
)
from tests.support.arguments import published, received, refusal
from tests.support.result_types import sent_as

NOTE_ID = AppFunctionStringValueConstraint(
    pattern_matchers=(AppFunctionPatternMatcher("note-[0-9]+", PatternType.ADVANCED_GLOB),)
)
SORT = AppFunctionStringValueConstraint(enum_values=("NAME", "DATE"))
RANK = AppFunctionIntValueConstraint(enum_values=(1, 2))
WEB = AppFunctionUriValueConstraint(allowed_schemes=("https",))

GOOD: list[tuple[Any, Any]] = [
    (Annotated[str, NOTE_ID], "note-7"),
    (Annotated[str | None, NOTE_ID], None),
    (Annotated[list[str], NOTE_ID], ["note-1", "note-2"]),
    (Annotated[list[str | None], NOTE_ID], ["note-1", None]),
    (Annotated[list[str] | None, NOTE_ID], None),
    (Annotated[str, SORT], "DATE"),
    (Annotated[str | None, SORT], None),
    (Annotated[list[int], RANK], [1, 2, 1]),
    (Annotated[list[int | None] | None, RANK], [None, 2]),
    (Annotated[list[Uri], WEB], ["https://example.org"]),
]
BAD: list[tuple[Any, Any, str]] = [
    (Annotated[str, NOTE_ID], "x", r"\$ "),
    (Annotated[str | None, NOTE_ID], "x", r"\$ "),
    (Annotated[list[str], NOTE_ID], ["note-1", "x"], r"\$\[1\] "),
    (Annotated[list[str | None], NOTE_ID], [None, "x"], r"\$\[1\] "),
    (Annotated[str, SORT], "SIZE", r"\$ "),
    (Annotated[list[int], RANK], [1, 3], r"\$\[1\] "),
    (Annotated[list[Uri], WEB], ["https://a", "ftp://a"], r"\$\[1\] "),
]


@pytest.mark.parametrize(("annotation", "value"), GOOD)
def test_a_value_within_its_constraint_goes_in_and_comes_out(annotation: Any, value: Any) -> None:
    """On lists each item is checked, and null is passed over where it is accepted."""
    assert received(annotation, value) == value
    assert sent_as(annotation, value).value == value


@pytest.mark.parametrize(("annotation", "value", "place"), BAD)
def test_a_value_that_breaks_its_constraint_does_neither(
    annotation: Any, value: Any, place: str
) -> None:
    assert refusal(annotation, value)
    with pytest.raises(AppFunctionAppUnknownException, match=place):
        sent_as(annotation, value)


def test_a_pattern_of_an_unknown_type_matches_nothing_and_publishes_no_expression() -> None:
    """AppFunctionPatternMatcher: a newer device's type makes the whole expression null."""
    matchers = (
        AppFunctionPatternMatcher("a", PatternType.PREFIX),
        AppFunctionPatternMatcher("b", 9),
    )
    both = Annotated[str, AppFunctionStringValueConstraint(pattern_matchers=matchers)]
    unknown = Annotated[str, AppFunctionStringValueConstraint(pattern_matchers=matchers[1:])]

    assert published(both) == published(unknown) == {"type": "string"}
    assert received(both, "abc") == "abc"
    assert refusal(unknown, "b")
