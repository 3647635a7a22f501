"""Chunks to lines, however the bytes are cut."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.server.framing import LineSplitter, LineTooLongError


def split(chunks: Iterable[bytes], limit: int = 10) -> list[bytes | None]:
    """The lines, None for one that is too long."""
    splitter = LineSplitter(limit)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    lines.append(splitter.end() or b"")
    return [None if isinstance(line, LineTooLongError) else line for line in lines]


@given(
    st.binary(max_size=200).map(lambda b: b.replace(b"\x00", b"\n")),
    st.lists(st.integers(0, 200), max_size=20),
)
def test_lines_do_not_depend_on_how_the_bytes_are_cut(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(data), *(c for c in cuts if c < len(data))})
    chunks = [data[a:b] for a, b in pairwise(places)]
    whole = [None if len(line) > 10 else line for line in data.split(b"\n")]
    if whole[-1] is None:
        whole.append(b"")
    assert split(chunks) == whole


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([], [b""]),
        ([b"\n"], [b"", b""]),
        ([b"a\r\nb"], [b"a\r", b"b"]),
        (["a\u2028b\u0085c\n".encode()], ["a\u2028b\u0085c".encode(), b""]),
        ([b"0123456789\n"], [b"0123456789", b""]),
        ([b"01234567890\nx\n"], [None, b"x", b""]),
        ([b"01234", b"56789", b"0", b"1" * 50, b"\nx\n"], [None, b"x", b""]),
        ([b"0" * 50], [None, b""]),
    ],
)
def test_only_a_line_feed_ends_a_line_and_a_long_one_is_told_once(
    chunks: list[bytes], lines: list[bytes | None]
) -> None:
    """F34, F35."""
    assert split(chunks) == lines


def test_a_long_line_is_told_with_the_limit() -> None:
    [error] = LineSplitter(16_000).feed(b"x" * 16_001)
    assert isinstance(error, LineTooLongError)
    assert "16,000 bytes" in str(error)
