# ruff: noqa: RUF001 - letters that look like others are what this is about
"""Letters of one script that pass for those of another, as a Cyrillic one inside `note`.

A reader sees a word that a program does not, so such a word may carry a name past both. Words
that really mix scripts, such as `SMSки`, `IP-адрес` or `Δt`, are left alone. Knows no rule.
"""

import re
import unicodedata
from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.texts import Span

__all__ = ["disguised_letters"]

_WORD = regex(r"[^\W\d_]{2,}")
_LATIN = regex(r"[A-Za-z]")
_CYRILLIC = regex(r"[\u0400-\u04ff]")
_GREEK = regex(r"[\u0370-\u03ff]")
_CYRILLIC_LIKE_LATIN = frozenset("аеорсухіјѕһԁӏАВЕКМНОРСТХІЈЅѴ")
_GREEK_LIKE_LATIN = frozenset("ονατρικυγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_LATIN_LIKE_CYRILLIC = frozenset("aeopcyxABEKMHOPCTXy")
_FEWEST_LATIN = 3
# Mathematical letters, and the wide ones of East Asian texts.
_STYLED = regex(r"[\U0001d400-\U0001d7ff]{2,}")
_WIDE = regex(r"[\uff21-\uff3a\uff41-\uff5a]{2,}")
_EAST_ASIAN = regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def disguised_letters(text: str) -> Iterator[Span]:
    """The words of a text that hold letters which pass for others.

    Args:
        text: Any text, such as a description or the name of a parameter.
    """
    if text.isascii():
        return
    for word in _WORD.finditer(text):
        if not word[0].isascii() and _is_mixed(word[0]):
            yield Span(word[0], word.start())
    patterns = (_STYLED,) if _EAST_ASIAN.search(text) else (_STYLED, _WIDE)
    for pattern in patterns:
        for found in pattern.finditer(text):
            if unicodedata.normalize("NFKC", found[0]).isascii():
                yield Span(found[0], found.start())


def _is_mixed(word: str) -> bool:
    latin, cyrillic, greek = _found(_LATIN, word), _found(_CYRILLIC, word), _found(_GREEK, word)
    if latin and cyrillic:
        return _passes(cyrillic, latin, _CYRILLIC_LIKE_LATIN) or _passes(
            latin, cyrillic, _LATIN_LIKE_CYRILLIC
        )
    is_word = len(latin) >= _FEWEST_LATIN
    return is_word and bool(greek) and _passes(greek, latin, _GREEK_LIKE_LATIN)


def _found(script: re.Pattern[str], word: str) -> str:
    return "".join(script.findall(word))


def _passes(few: str, many: str, alike: frozenset[str]) -> bool:
    """Whether the letters of one script are few among those of the other, and look like them."""
    return len(few) <= len(many) and alike.issuperset(few)
