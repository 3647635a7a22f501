"""Docstrings for texts of Android, as far as our parser gives these back."""

import inspect

import pytest
from hypothesis import given

from appfunctions_mcp.android.python.docstrings import (
    FunctionTexts,
    class_docstring,
    docstring_part,
    field_docstring,
    function_docstring,
)
from appfunctions_mcp.docstrings import parse_docstring
from tests.support.android_documents import odd_texts

FULL = FunctionTexts("Sends it.\n\nAt once.", {"x": "What.\nAnd how."}, "Whether it went.")


def test_a_docstring_has_google_sections() -> None:
    assert docstring_part(FULL) == FULL
    assert function_docstring(FULL) == (
        "Sends it.\n\n    At once.\n\n    Args:\n        x: What.\n            And how.\n\n"
        "    Returns:\n        Whether it went.\n    "
    )
    assert function_docstring(FunctionTexts("Sends it.")) == "Sends it."
    assert function_docstring(FunctionTexts()) is None
    assert docstring_part(FunctionTexts(parameters={"x": ""})) == FunctionTexts()


@pytest.mark.parametrize(
    "text",
    [
        *("Args:\n    x: no", "ends in a blank ", "a\n\n\nb", ":param x: y", "\ttab", "a\r\nb"),
        *("@return nothing", "Returns:\n    nothing", "a\u2028b", "  begins deeper"),
    ],
)
def test_a_text_that_would_not_come_back_is_left_out(text: str) -> None:
    assert docstring_part(FunctionTexts(text)) == FunctionTexts()
    others = FunctionTexts(text, {"x": "What."}, "Whether it went.")
    assert docstring_part(others) == FunctionTexts("", {"x": "What."}, "Whether it went.")
    assert class_docstring(text, "Note") is None


def test_a_result_that_would_lose_its_beginning_is_left_out() -> None:
    texts = FunctionTexts("Counts.", {"x": "What."}, "int: the number")
    assert docstring_part(texts) == FunctionTexts("Counts.", {"x": "What."})


@given(odd_texts(), odd_texts(), odd_texts())
def test_what_stands_in_a_docstring_comes_back(first: str, second: str, third: str) -> None:
    shown = docstring_part(FunctionTexts(first, {"x": second}, third))
    parsed = parse_docstring(function_docstring(shown))
    assert (parsed.description, parsed.parameters, parsed.returns) == (
        shown.description,
        shown.parameters,
        shown.returns,
    )
    assert shown.description in {"", first}


@given(odd_texts())
def test_what_stands_under_a_field_comes_back(text: str) -> None:
    written = field_docstring(text)
    assert written is None or inspect.cleandoc(written) == text


def test_a_class_says_what_it_is_unless_it_looks_made_by_a_machine() -> None:
    assert class_docstring("A note.\nKept.", "Note") == "A note.\n    Kept.\n    "
    assert class_docstring("Note(title: str)", "Note") is None
    assert class_docstring("", "Note") is None
    assert field_docstring("One.\n  Two.\nOr.") == "One.\n      Two.\n    Or."
    assert field_docstring("One.\n  Two.") is None
    assert field_docstring("") is None
    assert field_docstring("One. \nTwo.") is None
