"""Characters of a text that nobody sees, or that show another text than the one that is read.

Joiners inside words of scripts that need them, and what shapes a picture, are left alone. Knows
no rule.
"""

import unicodedata
from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.texts import Span

__all__ = ["hidden_characters"]

_JOINERS = frozenset("\u200c\u200d")
_SHAPES_A_PICTURE = frozenset("\u200d\ufe0e\ufe0f\u20e3")
_PICTURE_SELECTORS = frozenset("\ufe0e\ufe0f")
_ACCEPTED = frozenset("\t\n\r")
# The default-ignorable code points that Unicode counts as letters or marks.
_IGNORABLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
_TAGS = range(0xE0000, 0xE0080)
# They order what stands beside a word of a script that is written from right to left.
_DIRECTION_MARKS = frozenset("\u200e\u200f\u061c")
_RIGHT_TO_LEFT = regex(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_NEARBY = 40
_BLACK_FLAG = "\U0001f3f4"


def hidden_characters(text: str) -> Iterator[tuple[Span, str]]:
    """The hidden characters of a text with what each of them is, those that stand together once.

    Args:
        text: Any text, such as a description that may carry instructions past a reader.
    """
    if text.isascii() and text.isprintable():
        return
    start = None
    for place in range(len(text) + 1):
        is_hidden = place < len(text) and _is_hidden(text, place)
        if is_hidden and start is None:
            start = place
        elif not is_hidden and start is not None:
            yield Span(text[start:place], start), _name_of(text[start])
            start = None


def _is_hidden(text: str, place: int) -> bool:
    character = text[place]
    if " " <= character <= "~" or character in _ACCEPTED:
        return False
    point = ord(character)
    is_selector = any(point in each for each in _SELECTORS)
    if not is_selector and character not in _IGNORABLE:
        category = unicodedata.category(character)
        if category not in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}:
            return False
    return not _has_use(text, place)


def _has_use(text: str, place: int) -> bool:
    """Whether a character that nobody sees does something to those beside it."""
    character, before = text[place], text[place - 1] if place else ""
    if character in _SHAPES_A_PICTURE and _is_picture(before):
        # A second selector behind the first changes nothing, but a row of them can be read.
        return not (character in _PICTURE_SELECTORS and before in _PICTURE_SELECTORS)
    if ord(character) in _TAGS:
        return _BLACK_FLAG in text[max(0, place - 7) : place]
    if character in _DIRECTION_MARKS:
        start = max(0, place - _NEARBY)
        return _RIGHT_TO_LEFT.search(text, start, place + _NEARBY) is not None
    if character in _JOINERS:
        return _joins(before) and _joins(text[place + 1 : place + 2])
    return character == "\u00ad" and before.isalpha()


def _is_picture(character: str) -> bool:
    return bool(character) and (
        unicodedata.category(character) in {"So", "Sk", "Mn"} or character in "#*0123456789\ufe0f"
    )


def _joins(character: str) -> bool:
    """Whether a character is of a script whose words need joiners."""
    return bool(character) and 0x0590 <= ord(character) <= 0x0DFF


def _name_of(character: str) -> str:
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")
