"""Reading and writing JSON: what is accepted, what is refused, and that nothing is lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.json_text import (
    MAX_JSON_DEPTH,
    JsonTextError,
    is_deeper_than,
    read_json,
    without_half_surrogates,
    write_json,
)


def _nested(depth: int) -> Any:
    value: Any = "leaf"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(JSON_VALUES)
def test_what_is_written_reads_back_as_the_same_value(value: Any) -> None:
    assert read_json(write_json(value)) == value


@given(JSON_VALUES)
def test_what_is_written_is_json_for_other_readers(value: Any) -> None:
    line = write_json(value)

    assert json.loads(line) == value
    assert len(line.splitlines()) <= 1
    assert len(line.decode().splitlines()) <= 1


@given(st.text(st.characters(categories=["Cs", "Ll"])))
def test_any_surrogates_leave_valid_utf_8(text: str) -> None:
    """F102."""
    assert read_json(write_json({text: text})) == {
        without_half_surrogates(text): without_half_surrogates(text)
    }


@given(
    st.binary(max_size=40) | st.text('[]{}",:0123456789eE+-.truefalsnNaIity \\u\ud800', max_size=40)
)
def test_any_input_is_read_or_refused_with_one_error(text: bytes | str) -> None:
    """F32 and F33."""
    try:
        value = read_json(text)
    except JsonTextError:
        return
    assert read_json(text) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"\xef\xbb\xbf{}", {}),
        ("\ufeff{}", {}),
        (b'\r\n {"a": [1, 2.5, null, true]}\r\n', {"a": [1, 2.5, None, True]}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (rb'"\ud800"', "\ud800"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        ('"\ud800"', "\ud800"),
        ('"before\u2028after"'.encode(), "before\u2028after"),
        (b"1" * 4300, int("1" * 4300)),
        (b"-0", 0),
        (b"1e999", float("inf")),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_the_reader_accepts(text: bytes | str, expected: Any) -> None:
    """F30, F33 and F35."""
    assert read_json(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "not JSON"),
        (b"   \r\n", "not JSON"),
        (b"{bad", "not JSON"),
        (b'"\xff\xfe"', "utf-8"),
        (b'"\xed\xa0\x80"', "utf-8"),
        ("{}".encode("utf-16"), "not JSON"),
        (b'{"x": NaN}', "NaN is no JSON number"),
        (b"[-Infinity]", "-Infinity is no JSON number"),
        (b"1" * 5000, "4300 digits"),
        (b"{} {}", "not JSON"),
        (b'"tab\there"', "not JSON"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_the_reader_refuses(text: bytes, says: str) -> None:
    """F32 and F33: one class of error, whichever parser gave up."""
    with pytest.raises(JsonTextError, match=says):
        read_json(text)


@pytest.mark.parametrize("depth", [150, 201, 500])
def test_nesting_up_to_500_is_read_and_written(depth: int) -> None:
    """F33."""
    value = _nested(depth)

    assert read_json(write_json(value)) == value


@pytest.mark.parametrize("depth", [MAX_JSON_DEPTH + 1, 3_000, 100_000])
def test_deeper_nesting_is_refused_not_a_crash(depth: int) -> None:
    """F33."""
    with pytest.raises(JsonTextError, match="nested deeper than 900"):
        read_json(b"[" * depth + b"]" * depth)


def test_unclosed_brackets_are_refused_not_a_crash() -> None:
    """F33: 100,000 opening brackets."""
    with pytest.raises(JsonTextError):
        read_json(b"[" * 100_000)


@pytest.mark.parametrize("value", [1, "text", [], [[]], [[1], {}]], ids=repr)
def test_a_depth_up_to_the_limit_is_not_deeper(value: Any) -> None:
    assert not is_deeper_than(value, 2)


@pytest.mark.parametrize("value", [[[[]]], {"a": [{}]}, ([[1]],)], ids=repr)
def test_one_level_more_is_deeper(value: Any) -> None:
    assert is_deeper_than(value, 2)


def test_a_value_that_contains_itself_is_deeper_than_any_limit() -> None:
    value: list[Any] = []
    value += [value, value]

    assert is_deeper_than(value, 500)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"a": [1, 2]}, b'{"a":[1,2]}'),
        ("before\u2028\u2029\u0085after", rb'"before\u2028\u2029\u0085after"'),
        ({"\u2028": 1}, rb'{"\u2028":1}'),
        ("é", '"é"'.encode()),
        ("a\ud800b", '"a\ufffdb"'.encode()),
        ("\ud83d\ude00", '"\U0001f600"'.encode()),
        (10**30, b"1" + b"0" * 30),
        (["\ud800", 10**30], '["\ufffd",1'.encode() + b"0" * 30 + b"]"),
        ("NaN and Infinity", b'"NaN and Infinity"'),
        ("a\r\nb", rb'"a\r\nb"'),
    ],
    ids=ascii,
)
def test_the_writer_writes(value: Any, line: bytes) -> None:
    """F30, F35 and F102."""
    assert write_json(value) == line


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_the_writer_never_writes_a_bare_nan(number: float) -> None:
    """F98."""
    with pytest.raises(JsonTextError, match="no JSON form"):
        write_json({"x": [number]})


def test_a_value_without_a_json_form_is_one_error() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)

    for value in (object(), {"x": object()}, cyclic, _nested(100_000)):
        with pytest.raises(JsonTextError, match="no JSON form"):
            write_json(value)
