"""The reader of plain JSON: what it takes, every parser takes, and reads alike."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.plain_json import NotPlainError, read_plain_json

_PLAIN_TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF)).filter(
    lambda text: text.isprintable() and '"' not in text and "\\" not in text
)
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(0, 10**15 - 1) | _PLAIN_TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_PLAIN_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(_PLAIN, st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
def test_plain_json_is_read_as_by_the_standard_parser(
    value: Any, separators: tuple[str, str]
) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    assert read_plain_json(f" {text} ") == value


@given(st.text(st.sampled_from('{}[]",: -+.eE019truefalsnäx\\/\t\n'), max_size=24))
def test_what_is_read_is_json_and_means_the_same(text: str) -> None:
    try:
        value = read_plain_json(text)
    except NotPlainError:
        return
    expected = json.loads(text)
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-1",
        "01",
        "1.0",
        "1e3",
        "1" * 16,
        "NaN",
        "tru",
        '"',
        '"a',
        '"\\u0041"',
        '"\\\\"',
        '"a\tb"',
        "{\n}",
        "[1,]",
        "[,]",
        "[1 2]",
        "{]",
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
        '{"a":1 "b":2}',
        "{1:2}",
        '{"a":1,"a":1}',
        "1 2",
        "[" * 40 + "]" * 40,
        "١",
    ],
)
def test_what_is_not_plain_is_left_to_a_full_parser(text: str) -> None:
    with pytest.raises(NotPlainError):
        read_plain_json(text)
