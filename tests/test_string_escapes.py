"""Android's escapes, as aapt2 reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.string_escapes import EscapedText


def read(text: str, *, keep_blanks: bool = False, strip_lines: bool = False) -> str:
    reading = EscapedText(strip_lines=strip_lines)
    reading.add(text, keep_blanks=keep_blanks)
    result = reading.finish()
    assert reading.faults == []
    return result


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("", ""),
        ("  plain  text\n  of two lines\t", "plain text of two lines"),
        (r"Don\'t \"quote\"", 'Don\'t "quote"'),
        (r"one\ntwo\tthree", "one\ntwo\tthree"),
        (r"\u2713 \u0041", "✓ A"),
        (r"\ud83d\ude00", "😀"),
        (r"\@notaref \? \# \\", r"@notaref ? # \\"[:-1]),
        ('"  quoted   keeps   spaces  "', "  quoted   keeps   spaces  "),
        ('  a "  b  "  c  ', "a   b   c"),
        ('"Don\'t"', "Don't"),
        ('"two\n  lines"', "two\n  lines"),
        (r"a\ b", "a b"),
        ("100%1$d", "100%1$d"),
    ],
)
def test_a_string_is_read_as_android_reads_it(written: str, text: str) -> None:
    """F93."""
    assert read(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("  two  blanks  ", "  two  blanks  "),
        (r"Don\'t guess.\nAsk. \u2713 \@me \?", "Don't guess.\nAsk. ✓ @me ?"),
        ('don\'t "quote"', 'don\'t "quote"'),
    ],
)
def test_an_attribute_keeps_its_blanks_and_quotes(written: str, text: str) -> None:
    """F93."""
    assert read(written, keep_blanks=True) == text


def test_blanks_collapse_across_pieces() -> None:
    reading = EscapedText()
    for piece in ("  Bold ", " text ", " and"):
        reading.add(piece, keep_blanks=False)
    assert reading.finish() == "Bold text and"


def test_lines_are_stripped_where_that_is_asked_for() -> None:
    source = "One:\\n\n    - two\\n\n    - three \\n"
    assert read(source) == "One:\n - two\n - three \n"
    assert read(source, strip_lines=True) == "One:\n- two\n- three\n"
    assert read('One:\\n"  kept"', strip_lines=True) == "One:\n  kept"


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (r"\u12", r"'\\u12': four hexadecimal digits follow \\u"),
        (r"\uXYZW", r"'\\uXYZW': four hexadecimal digits follow \\u"),
        (r"\u0000", r"\\u0000 is no character; remove it"),
        (r"\ud83d alone", r"half of a character"),
    ],
)
def test_an_escape_without_a_reading_is_a_fault(written: str, fault: str) -> None:
    reading = EscapedText()
    reading.add(written, keep_blanks=False)
    reading.finish()
    (found,) = reading.faults
    assert fault.replace(r"\\", "\\") in found


@pytest.mark.parametrize(
    ("written", "text", "warning"),
    [
        ("don't", "don't", "an apostrophe without a backslash, which Android refuses"),
        (r"C:\data", "C:data", r"'\d' is no escape, so its backslash is dropped"),
        ("C:\\", "C:", "'\\' is no escape, so its backslash is dropped"),
    ],
)
def test_what_android_reads_otherwise_is_a_warning(written: str, text: str, warning: str) -> None:
    reading = EscapedText()
    reading.add(written, keep_blanks=False)
    assert reading.finish() == text
    (found,) = reading.warnings
    assert found.startswith(warning)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60))
def test_an_escaped_text_reads_as_it_was(text: str) -> None:
    escaped = "".join("\\" + c if c in "\\'\"" else c for c in text)
    assert read(f'"{escaped}"') == text


@given(st.text(max_size=80))
def test_any_text_has_a_reading_that_can_be_sent(text: str) -> None:
    reading = EscapedText()
    reading.add(text, keep_blanks=False)
    reading.finish().encode()
