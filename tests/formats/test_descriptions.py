"""Descriptions within a limit: cut at a sentence, marked, nothing glued in (field case F26)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.formats.descriptions import MARK, described, shortened
from appfunctions_mcp.metadata import AppFunctionMetadata


def test_a_description_within_the_limit_stays() -> None:
    assert shortened("Creates a note.", 15) == "Creates a note."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Creates a note. Returns its ID. Then more words follow here.",
            "Creates a note. Returns its ID.",
        ),
        ("Does it (really!). And then a lot of other words come behind.", "Does it (really!)."),
        (
            "First part of the text here\n\nSecond part of it is longer still",
            "First part of the text here",
        ),
        (
            "これは短い説明です。二番目の文です。" + "あ" * 40,
            "これは短い説明です。二番目の文です。",
        ),
        (
            "Reads version 1.2 of the file with many words but no sentence end",
            "Reads version 1.2 of the file with",
        ),
        (
            "Is. " + "a few words and no other end of a sentence anywhere in it",
            "Is. a few words and no other end of",
        ),
        ("x" * 90, "x" * 36),
    ],
    ids=["sentence", "bracket", "paragraph", "japanese", "words", "end too early", "one word"],
)
def test_the_cut_is_at_the_end_of_a_sentence_where_one_is_near(text: str, kept: str) -> None:
    assert shortened(text, 36 + len(MARK)) == kept + MARK


@given(st.text(alphabet="ab .!\n。", max_size=300), st.integers(20, 200))
def test_the_result_fits_and_is_a_beginning_with_the_mark(text: str, most: int) -> None:
    short = shortened(text, most)
    assert len(short) <= most
    if short != text:
        assert short.endswith(MARK)
        assert text.startswith(short.removesuffix(MARK))


@pytest.mark.parametrize(
    ("deprecated", "whole"),
    [
        (None, "Reads."),
        ("", "Reads.\n\nDeprecated"),
        ("Use read_all.", "Reads.\n\nDeprecated: Use read_all."),
    ],
)
def test_what_is_deprecated_says_so(deprecated: str | None, whole: str) -> None:
    function = AppFunctionMetadata(
        function_id="m#read", tool_name="read", description="Reads.", deprecated=deprecated
    )
    assert described(function) == whole
