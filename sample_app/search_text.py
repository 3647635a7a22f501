"""Turns what somebody looks for into an FTS5 expression.

Whatever the text holds, quotes, operators or brackets, it is words and nothing else. Knows
nothing of notes.
"""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")

# What Russian words end in, longest first: "заметка" also finds "заметки" and "заметкой".
_ENDING: Final = re.compile(
    r"(?<=[а-яё]{3})"
    r"(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|ией|иям|иях"
    r"|ая|яя|ое|ее|ые|ие|ый|ий|ой|ей|ую|юю|ом|ем|ам|ям|ах|ях|ов|ев|ью|ия|ии|ию"
    r"|а|я|о|е|ы|и|у|ю|ь|й)$"
)


def match_expression(query: str) -> str:
    """The FTS5 expression that finds texts with every word of the query.

    A word also finds longer words that begin with it; a Russian word is cut to its stem first,
    so that its other endings are found.

    Args:
        query: Any text.

    Returns:
        The expression; empty if the query holds no word.

    Example:
        >>> match_expression('milk OR "заметка"')
        '"milk"* "or"* "заметк"*'
    """
    return " ".join(f'"{_ENDING.sub("", word)}"*' for word in _WORD.findall(query.casefold()))


def plain_text(query: str) -> str:
    """The query as text to compare: without case and outer blanks, as SQLite can hold it."""
    storable = query.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return storable.casefold().strip()
