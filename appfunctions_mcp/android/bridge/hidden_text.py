"""Characters that nobody sees, by which a text can say one thing to people and another to models.

What shapes letters and pictures is let through where it does that: a joiner, a variation of a
sign. Everything else that has no look of its own is told.
"""

import unicodedata
from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex

__all__ = ["first_lines", "hidden_characters", "visible_text"]

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_PLAIN_CONTROLS = frozenset("\t\n\r")
# Letters and marks that Unicode says to show as nothing.
_BLANK_SIGNS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_SHAPING = frozenset("\u200c\u200d\ufe0e\ufe0f")
_SEVERAL_SHAPING = regex("[\u200c\u200d\ufe0e\ufe0f]{3,}")
_MOST_TOLD = 5


def hidden_characters(text: str) -> str:
    """Names the hidden characters of a text, such as `U+E0041, U+202E`; empty where none is."""
    if text.isascii() and text.isprintable():
        return ""
    found = list(dict.fromkeys(_hidden_in(text)))
    shown = ", ".join(f"U+{ord(each):04X}" for each in found[:_MOST_TOLD])
    return f"{shown} and others" if len(found) > _MOST_TOLD else shown


def visible_text(text: str) -> str:
    """A text without its hidden characters."""
    if not hidden_characters(text):
        return text
    return "".join(each for each in text if not _is_hidden(each) and each not in _SHAPING)


def _hidden_in(text: str) -> Iterator[str]:
    yield from (each for each in text if _is_hidden(each))
    for several in _SEVERAL_SHAPING.findall(text):
        yield several[0]


def _is_hidden(character: str) -> bool:
    if " " <= character <= "~" or character in _PLAIN_CONTROLS or character in _SHAPING:
        return False
    point = ord(character)
    return (
        unicodedata.category(character) in _HIDDEN_CATEGORIES
        or character in _BLANK_SIGNS
        or 0xFE00 <= point <= 0xFE0D
        or 0xE0000 <= point <= 0xE0FFF
    )


def first_lines(output: str, limit: int = 300) -> str:
    """The beginning of what a program has printed, as one line that shows all its characters."""
    return " ".join(visible_text(output[: 4 * limit]).split())[:limit]
