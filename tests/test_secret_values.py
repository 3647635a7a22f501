"""Secrets that are known by their value are in no text, in whichever form they stand there."""

import html
import json
import re
import time
from urllib.parse import quote, quote_plus

import pytest

from appfunctions_mcp import secret_values
from appfunctions_mcp.metadata import AppSetting
from appfunctions_mcp.secret_values import (
    HIDDEN,
    keep_secret,
    keep_settings_secret,
    without_secrets,
)

SECRET = "p\"w'd\\ ü/+&\n9"


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_values, "_known", {})


@pytest.mark.parametrize(
    "form",
    [SECRET, repr(SECRET), json.dumps(SECRET), quote(SECRET, safe=""), f"x{SECRET}y"],
    ids=["plain", "repr", "JSON", "URL", "within"],
)
def test_a_secret_is_found_in_every_form(form: str) -> None:
    keep_secret(SECRET)

    shown = without_secrets(f"before {form} after")

    assert HIDDEN in shown
    assert "9" not in shown
    assert (shown.startswith("before "), shown.endswith(" after")) == (True, True)


@pytest.mark.parametrize(
    "secret",
    [
        'pä"ss-wörd',
        "it's-me",
        "ab/cd==+x",
        "tab\there",
        'it\'s "both"',
        "back\\slash",
        "two\\\\'quoted",
        "spa ce&more",
        "a<b>c",
        "emoji😀x",
        "lines\r\nend",
        "plain-token.123",
    ],
)
def test_a_secret_is_found_however_somebody_has_written_it(secret: str) -> None:
    """F62."""
    keep_secret(secret)
    in_utf8 = secret.encode()
    forms = [
        json.dumps(secret, ensure_ascii=False),
        json.dumps(json.dumps(secret)),
        json.dumps(repr(secret)),
        repr(f"{secret} and 'this' and \"that\""),
        ascii(secret),
        repr(in_utf8),
        repr(json.dumps(secret, ensure_ascii=False).encode()),
        quote(secret),
        quote_plus(secret),
        quote(secret, safe="!$'()*,;:@/?"),
        re.sub("%..", lambda found: found[0].lower(), quote(secret, safe="")),
        html.escape(secret),
    ]
    for form in forms:
        shown = without_secrets(f"before {form} after")
        assert HIDDEN in shown, form
        assert secret[:2] not in shown.removeprefix("before "), form


def test_a_long_secret_is_found_in_its_usual_forms() -> None:
    secret = 'lö"ng/' * 1_000
    keep_secret(secret)

    for form in (secret, repr(secret), json.dumps(secret), quote(secret, safe="")):
        assert len(without_secrets(form)) < 20


def test_no_text_makes_a_secret_take_long_to_look_for() -> None:
    keep_secret("\\" * 40 + "'\"" + "\\'" * 40)
    hostile = "\\" * 200_000 + "'" + "\\'" * 100_000

    begun = time.perf_counter()
    without_secrets(hostile)
    without_secrets("short", [hostile])

    assert time.perf_counter() - begun < 3


def test_a_secret_within_another_leaves_nothing_of_it() -> None:
    keep_secret("abcd", "abcd-efgh")

    assert without_secrets("abcd-efgh abcd") == f"{HIDDEN} {HIDDEN}"


def test_a_text_may_have_secrets_of_its_own() -> None:
    assert without_secrets("user 12345", ["12345"]) == f"user {HIDDEN}"
    assert without_secrets("user 12345") == "user 12345"


def test_what_is_too_short_to_be_told_from_words_is_left() -> None:
    keep_secret("abc", "", None)

    assert without_secrets("abc", ["1"]) == "abc"


def test_only_settings_that_are_sensitive_are_hidden() -> None:
    declared = (
        AppSetting("KEY", sensitive=True),
        AppSetting("PORT", type="number", sensitive=True),
        AppSetting("PLACE"),
        AppSetting("ABSENT", sensitive=True),
        AppSetting("ON", type="boolean", sensitive=True),
    )

    keep_settings_secret(
        declared,
        {"KEY": "CANARY", "PORT": 8125.5, "PLACE": "home", "ABSENT": None, "ON": True},
    )

    assert without_secrets("CANARY 8125.5 home None True") == f"{HIDDEN} {HIDDEN} home None True"
