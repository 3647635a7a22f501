"""Regular expressions of older files as Android's patterns: exactly, or not at all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.data_types import StringPattern
from appfunctions_mcp.android.xml.old_patterns import patterns_of
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, PatternType

LITERAL, GLOB = int(PatternType.LITERAL), int(PatternType.ADVANCED_GLOB)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("^on$", [("on", LITERAL)]),
        (r"^a\.b\$$", [("a.b$", LITERAL)]),
        ("^$", [("", LITERAL)]),
        ("^(on|off)$", [("on", LITERAL), ("off", LITERAL)]),
        ("^(?:a+|b)$", [("a+", GLOB), ("b", LITERAL)]),
        (r"^\d{4}-\d{2}-\d{2}$", [("[0-9]{4}-[0-9]{2}-[0-9]{2}", GLOB)]),
        ("^[a-z]+@[A-Z]*$", [("[a-z]+@[A-Z]*", GLOB)]),
        ("^-?[0-9]{1,3}$", [("-{0,1}[0-9]{1,3}", GLOB)]),
        (r"^\{\d+\}$", [(r"\{[0-9]+\}", GLOB)]),
        ("^é*e$", [("é*e", GLOB)]),
        ("^a{2,2}a$", [("a{2,2}a", GLOB)]),
    ],
)
def test_an_expression_that_says_the_same_is_read(
    expression: str, expected: list[tuple[str, int]]
) -> None:
    assert patterns_of(expression) == tuple(StringPattern(*each) for each in expected)


@pytest.mark.parametrize(
    "expression",
    [
        *("on", "^on", "on$", "", "^a|b$", "^((a)|b)$", "^.+$", r"^\w+$", r"^\bx$", "^(?i)a$"),
        *("^a*a$", "^[a-c]+[b-z]$", "^[^a]*b$", "^a?b?a$", "^a+?$", "^a++$", "^é*à$", "^[^x]+é$"),
        *("^[z-a]$", "^[a$", "^a{3,1}$", "^(a|b+b)$", r"^[\d]$", r"^a\$", f"^{'a' * 600}$"),
    ],
)
def test_an_expression_that_may_say_something_else_is_none(expression: str) -> None:
    assert patterns_of(expression) == ()


def expressions() -> st.SearchStrategy[str]:
    pieces = st.sampled_from(
        ["a", "b", "é", "[ab]", "[^a]", "[b-d]", r"\d", r"\.", r"\+", "-", " ", "[a-]"]
    )
    times = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"])
    row = st.lists(st.builds(str.__add__, pieces, times), max_size=4).map("".join)
    return st.one_of(row, st.lists(row, min_size=2, max_size=3).map(lambda r: f"({'|'.join(r)})"))


@given(expressions(), st.text("abcdé1.+- \n", max_size=6))
def test_patterns_match_exactly_what_the_expression_matches(expression: str, text: str) -> None:
    patterns = patterns_of(f"^{expression}$")
    if patterns:
        matchers = [AppFunctionPatternMatcher(p.value, PatternType(p.type)) for p in patterns]
        found = any(matcher.matches(text) for matcher in matchers)
        assert found == (re.fullmatch(expression, text) is not None)


@given(expressions(), st.text("abcdé1.+- ", max_size=6))
def test_android_that_never_goes_back_matches_the_same(expression: str, text: str) -> None:
    """Its globs take as much as they can of each piece, as possessive counts do."""
    for pattern in patterns_of(f"^{expression}$"):
        if pattern.type == GLOB:
            possessive = re.sub(r"(?<!\\)([*+}])", r"\1+", re.sub(r"\\}", "\x00", pattern.value))
            greedy = re.fullmatch(possessive.replace("\x00", r"\}"), text) is not None
            assert greedy == (re.fullmatch(pattern.value, text) is not None)
