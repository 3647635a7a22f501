"""Text that came from a caller, made safe to stand inside a message.

Messages reach models, logs and terminals. A caller's text in them is therefore quoted, short,
on one line, and free of characters that nobody sees: controls, bidirectional overrides, tags
and variation selectors, which can carry instructions past a reader.
"""

import json

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LINE_BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
# Default-ignorable code points that Unicode counts as letters or marks.
_IGNORABLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_IGNORABLE_RANGES = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0000, 0xE0FFF))
# Embeddings, overrides and isolates of the direction; tags.
_MISLEADING_RANGES = ((0x202A, 0x202E), (0x2066, 0x2069), (0xE0000, 0xE007F))
# Only so much is looked at, whatever came; nothing beyond can matter to eighty characters.
_LOOKED_AT = 4096


def quoted(text: str, limit: int = 80) -> str:
    """Quotes a caller's text for a message.

    Line breaks become a space, invisible characters go, what is longer than the limit ends in
    an ellipsis. The quote character never occurs inside, so the text cannot end its own quotes.

    Args:
        text: What came from the caller.
        limit: How many characters of it are shown.
    """
    visible = "".join(map(_visible, text[:_LOOKED_AT]))
    shown = visible[:limit]
    if len(visible) > limit or len(text) > _LOOKED_AT:
        shown += "…"
    if "'" in shown:
        return '"' + shown.replace('"', "'") + '"'
    return f"'{shown}'"


def with_escapes(text: str) -> str:
    """The whole text with each invisible character as its JSON escape, so that it is seen."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _visible(c) == c else json.dumps(c)[1:-1] for c in text)


def as_it_is_read(text: str) -> str:
    """A text for people without what would show them another one.

    Controls other than tabs and line feeds, overrides of the direction and tags go; what only
    shapes letters and pictures stays.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c for c in text if c in "\t\n" or not _is_misleading(c))


def _is_misleading(character: str) -> bool:
    if " " <= character <= "~":
        return False
    import unicodedata

    return unicodedata.category(character) in {"Cc", "Zl", "Zp"} or any(
        first <= ord(character) <= last for first, last in _MISLEADING_RANGES
    )


def _visible(character: str) -> str:
    if " " <= character <= "~":
        return character
    if character in _LINE_BREAKS:
        return " "
    import unicodedata

    point = ord(character)
    if (
        unicodedata.category(character) in _INVISIBLE_CATEGORIES
        or character in _IGNORABLE
        or any(first <= point <= last for first, last in _IGNORABLE_RANGES)
    ):
        return ""
    return character
