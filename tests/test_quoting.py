"""Text from a caller inside messages."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.quoting import quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("create_note", "'create_note'"),
        ("", "''"),
        ("заметка ñ 😀", "'заметка ñ 😀'"),
        ("it's", '"it\'s"'),
        ('say "it\'s"', "\"say 'it's'\""),
        ("a\nb\r\tc\u2028d", "'a b  c d'"),
        ("bell\x07 \x1b[31mred\x00", "'bell [31mred'"),
        ("\u202etxt.exe\u2066", "'txt.exe'"),
        ("a\U000e0041\U000e0042\ufe0f\u200b\u3164b", "'ab'"),
        ("half \ud800 pair", "'half  pair'"),
        ("x" * 80, f"'{'x' * 80}'"),
        ("x" * 81, f"'{'x' * 80}…'"),
    ],
    ids=ascii,
)
def test_a_text_is_quoted_on_one_line_without_what_nobody_sees(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_the_limit_can_be_another() -> None:
    assert quoted("abcdef", limit=3) == "'abc…'"


def test_only_the_beginning_of_a_huge_text_is_looked_at() -> None:
    assert quoted("\u200b" * 10_000_000 + "x") == "'…'"


@given(st.text(st.characters(codec=None)))
def test_whatever_comes_stays_inside_its_quotes_and_in_sight(text: str) -> None:
    shown = quoted(text)

    quote, inside = shown[0], shown[1:-1]
    assert shown[-1] == quote
    assert quote in "'\""
    assert quote not in inside
    assert len(inside) <= 81
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in inside)
