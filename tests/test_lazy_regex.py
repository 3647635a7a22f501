"""Regular expressions that are compiled late: they match as compiled ones do."""

import re

import pytest

from appfunctions_mcp.lazy_regex import regex


def test_a_lazy_expression_matches_as_a_compiled_one() -> None:
    lazy, compiled = regex(r"(\w)\d", re.IGNORECASE), re.compile(r"(\w)\d", re.IGNORECASE)

    for _ in range(2):
        assert lazy.findall("a1 B2") == compiled.findall("a1 B2") == ["a", "B"]
    assert lazy.pattern == compiled.pattern
    assert lazy.flags == compiled.flags
    assert lazy.sub("-", "a1b2") == "--"
    assert regex(rb"\d+").search(b"ab12").group() == b"12"  # type: ignore[union-attr] # it matches


def test_a_faulty_expression_is_told_when_it_is_used() -> None:
    faulty = regex("(")

    with pytest.raises(re.error):
        faulty.match("x")
