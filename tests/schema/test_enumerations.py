from enum import Enum, Flag, IntFlag
from typing import Any, Literal

import pytest

from appfunctions_mcp.docstrings import parse_docstring
from appfunctions_mcp.schema.responses import build_response
from tests.support.arguments import (
    SOURCE,
    arguments_of,
    declaration_fault,
    function_of,
    published,
    received,
    refusal,
)


class Color(Enum):
    RED = "red"
    ROUGE = "red"  # noqa: PIE796 - an alias on purpose
    BLUE = "blue"


class Perm(Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Kept(IntFlag):
    A = 1
    B = 2


def test_an_alias_is_no_value_of_its_own() -> None:
    """F11, F88: each value is published once, and stays the one that fits another case."""
    assert published(Color) == {"type": "string", "enum": ["red", "blue"]}
    assert received(Color, "RED") is Color.RED
    assert refusal(Color, "green").endswith('accepted: one of "red", "blue"')
    assert published(Literal[Color.RED, "red", "x"])["enum"] == ["red", "x"]


@pytest.mark.parametrize(
    ("annotation", "sent", "value"),
    [
        (Perm, 0, Perm(0)),
        (Perm, 5, Perm.READ | Perm.RUN),
        (Perm, "3", Perm.READ | Perm.WRITE),
        (Perm, 1.0, Perm.READ),
        (Kept, 3, Kept.A | Kept.B),
        (list[Perm], [1, 6], [Perm.READ, Perm.WRITE | Perm.RUN]),
        (Perm | None, "null", None),
        (dict[Perm, int], {"3": 1}, {Perm.READ | Perm.WRITE: 1}),
    ],
)
def test_flags_are_received_as_the_sum_of_those_set(annotation: Any, sent: Any, value: Any) -> None:
    assert received(annotation, sent) == value


@pytest.mark.parametrize(
    ("annotation", "sent"), [(Perm, 8), (Perm, -1), (Kept, 4), (Kept, -1), (dict[Perm, int], 8)]
)
def test_what_flags_do_not_have_is_refused(annotation: Any, sent: Any) -> None:
    if annotation in {Perm, Kept}:
        assert "that is out of range; accepted: a whole number from 0 to" in refusal(
            annotation, sent
        )
    else:
        assert "the key is not accepted" in refusal(annotation, {str(sent): 1})


def test_flags_are_published_with_their_names() -> None:
    """F88, F97: a sum in a result is what its schema admits."""
    schema = {
        "type": "integer",
        "description": "A sum of 1 (READ), 2 (WRITE), 4 (RUN).",
        "minimum": 0,
        "maximum": 7,
    }
    response = build_response(Perm, docstring=parse_docstring(None), source=SOURCE)

    assert published(Perm) == schema
    assert response.output_schema is not None
    assert response.output_schema["properties"]["result"] == schema
    assert response.serialize(Perm.READ | Perm.RUN).structured == {"result": 5}


def test_the_authors_words_for_flags_win() -> None:
    def take(x: Perm) -> None:
        """Takes.

        Args:
            x: What the caller may do.
        """
        raise AssertionError(x)

    assert arguments_of(take).parameters[0].description == "What the caller may do."


def test_flags_have_no_empty_value() -> None:
    assert "may not be optional" in declaration_fault(function_of(Perm, Perm(0)))
