"""Values that lead out of the place where a function puts them."""

from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.traversal import decoded, traversal_in

OUT = [
    "..",
    "../etc/passwd",
    "a/../../b",
    "a/..",
    "a/.. /b",
    "/etc/passwd",
    "//host/share",
    "\\\\host\\share",
    "..\\..\\boot.ini",
    "a\\b",
    "C:",
    "C:/boot.ini",
    "c:secret",
    "x\0.png",
]


@pytest.mark.parametrize("value", OUT)
@pytest.mark.parametrize("times", [0, 1, 2, 5])
def test_a_value_that_leads_out_is_found_however_often_it_is_encoded(
    value: str, times: int
) -> None:
    for _ in range(times):
        value = quote(value, safe="")

    assert traversal_in(value) is not None


@pytest.mark.parametrize(
    "value",
    [
        "%2e%2e/x",
        "%2E%2E%2Fx",
        "%252e%252e%255cx",
        "..%2fx",
        "%c0%ae%c0%ae/x",
        "..%c0%afx",
        "%e0%80%ae%e0%80%ae%e0%80%afx",
        "..%c1%9cx",
        "a%00b",
        "%5cx",
        "%2fetc",
        "%43%3a/x",
        "%" + "25" * 40 + "2e",
    ],
)
def test_mixed_overlong_and_endless_encodings_are_found(value: str) -> None:
    assert traversal_in(value) is not None


@pytest.mark.parametrize(
    "value",
    [
        "a",
        "a/b.md",
        "a/./b",
        "1..2",
        "...",
        "..a",
        "a..",
        "100%",
        "50%ff",
        "https://x/y",
        "кот",
        "",
        "~x",
    ],
)
def test_a_value_that_stays_is_let_pass(value: str) -> None:
    assert traversal_in(value) is None


@given(st.text(alphabet="ab./\\%25eEfFcC:0 \0", max_size=24))
def test_what_is_let_pass_stays_below_on_every_platform(value: str) -> None:
    if traversal_in(value) is not None:
        return
    for _ in range(4):
        windows = PureWindowsPath("C:/base") / value
        assert ".." not in PurePosixPath(value).parts
        assert ".." not in PureWindowsPath(value).parts
        assert not PurePosixPath(value).is_absolute()
        assert str(windows).startswith("C:\\base")
        value = unquote(value)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a", "a"),
        ("a%20b", "a b"),
        ("%D0%BA", "к"),
        ("%", None),
        ("%2", None),
        ("%ff", None),
        ("%c0%ae", None),
        ("100%25", "100%"),
    ],
)
def test_only_utf_8_is_decoded(text: str, plain: str | None) -> None:
    assert decoded(text) == plain
