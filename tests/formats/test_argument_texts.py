"""The arguments of a call as providers send them (field cases F77 and F78)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.formats.arguments import read_arguments


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        (None, {}),
        ("", {}),
        (" \n", {}),
        ("null", {}),
        ("{}", {}),
        ('{}""', {}),
        ('{"a": 1}"', {"a": 1}),
        ('\ufeff {"a": {"b": "}"}} \n``', {"a": {"b": "}"}}),
        ({"a": 1}, {"a": 1}),
        ('{"a": "x"}', {"a": "x"}),
    ],
)
def test_what_stands_for_an_object_is_read(raw: Any, arguments: dict[str, Any]) -> None:
    assert read_arguments(raw) == (arguments, "")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('"foo"', "a string, not an object"),
        ("[1]", "an array, not an object"),
        ("7", "a number, not an object"),
        ("true", "a boolean, not an object"),
        ([1], "an array, not an object"),
        (b"{}", "no JSON value, not an object"),
        ("{'a': 1}", "not JSON"),
        ('{"a": 1} and more', "not JSON"),
        ('{"a": NaN}', "NaN"),
        ('{"a": [1e400]}', "too large"),
        ({"a": {"b": -float("inf")}}, "too large"),
        ('"{\\"a\\": 1}"', "a string, not an object"),
        ('{"a": 1}{"a": 2}', "not JSON"),
        ("}", "not JSON"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested deeper"),
        ('{"a":' * 50000, "nested deeper"),
    ],
)
def test_everything_else_is_told_to_the_model(raw: Any, said: str) -> None:
    arguments, fault = read_arguments(raw)
    assert arguments == {}
    assert said in fault
    assert "send the call again" in fault


@pytest.mark.parametrize("raw", ['{"path": "/tmp/re', '{"a": 1,', "{", '{"a": [1', '{"a"'])
def test_the_beginning_of_an_object_counts_as_cut_off(raw: str) -> None:
    arguments, fault = read_arguments(raw)
    assert arguments == {}
    assert f"cut off after {len(raw)} characters" in fault


@pytest.mark.parametrize("raw", ["", None, '{"a": tru', '{"a": "x'])
def test_a_reply_that_was_cut_is_never_taken_for_no_arguments(raw: str | None) -> None:
    """The limit of tokens was reached in this call."""
    arguments, fault = read_arguments(raw, was_cut=True)
    assert arguments == {}
    assert "cut off" in fault


def test_arguments_that_were_whole_before_the_cut_are_read() -> None:
    assert read_arguments('{"a": 1}', was_cut=True) == ({"a": 1}, "")


@given(st.one_of(st.text(), st.text(alphabet='{}[]":,a1 \\"'), st.none(), st.binary()))
def test_no_text_at_all_raises(raw: Any) -> None:
    arguments, fault = read_arguments(raw)
    assert isinstance(arguments, dict)
    assert not (arguments and fault)
