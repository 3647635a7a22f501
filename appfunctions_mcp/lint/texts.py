# ruff: noqa: RUF001 - Russian letters and marks look like English ones
"""Texts of descriptions in their parts: language, sentences, words, and prose without code.

English and Russian are told from all other languages, which nobody here understands. What verbs
mean stands in `verbs`, what is said to the model in `commands`. Knows no rule.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

__all__ = [
    "ENGLISH",
    "OTHER",
    "RUSSIAN",
    "Span",
    "first_sentence",
    "language_of",
    "prose_of",
    "sentences_of",
    "word_set",
    "words_of",
    "words_of_name",
]

ENGLISH = "en"
RUSSIAN = "ru"
OTHER = "other"

_WORD = regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NAME_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
# What is no prose: fenced and inline code, addresses, paths, tags, and quoted words.
_NO_PROSE = regex(
    r"```.*?(?:```|\Z)|`[^`\n]*`|<[A-Za-z/!][^<>\n]*>|\b[a-z][a-z0-9+.-]{0,20}://[^\s)>\]]+"
    r'|"[^"\n]{1,120}"|“[^”\n]{1,120}”|«[^»\n]{1,120}»'
    r"|(?<![\w'])'[^'\n]{1,120}'(?!\w)|\{[^{}\n]*\}",
    re.DOTALL,
)
_BOUNDARY = regex(
    r"(?P<end>(?<![.!?…])[.!?…]+[\"')\]”»]*)(?=\s|\Z)|(?P<wide>[。！？]+)"
    r"|(?P<lines>\n[ \t]*\n\s*)|(?P<line>\n[ \t]*)"
)
_LIST_ITEM = regex(r"(?:[-*•–]|\d{1,2}[.)])\s")
_ABBREVIATION = regex(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|min|max|no|fig|resp|cf|mr|dr|st)"
    r"|(?<!\w)(?:т\.\s?е|т\.\s?д|т\.\s?п|т\.\s?к|напр|др|пр|см|стр|руб|мин|макс|г|гг)"
    r"|(?<![\w.])\w)\.\Z",
    re.IGNORECASE,
)


def word_set(text: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(text.split())


_ENGLISH_WORDS = word_set(
    "a an the of to for from with by and or is are be been this that these those it its in on at "
    "as into if when which whose what all any each every not no can may will must should than then "
    "only also has have one new existing given specific specified current between their they you "
    "your our about under over per using based"
)
_FOREIGN_WORDS = (
    word_set(
        "der das und ist nicht ein eine einen einer eines dem den von mit für auf zu im zum zur "
        "alle aus le la les un une du et est pour avec dans sur par ou aux ce cette qui que pas el "
        "los las una unos del y es para con por en se su sus como o al lo um uma os dos das da ao "
        "ou é não com em na nas seu il gli della dello delle di che nel e i per het een van voor "
        "met op uit bij zijn naar ve bir bu ile için och att det som av til og på för"
        "w z na do się jest nie dla lub oraz przez ja se že pro"
    )
    - _ENGLISH_WORDS
)
# How far around an end of a sentence is looked; no abbreviation or mark of a list is longer.
_LOOKED_AT = 100
_CYRILLIC = regex(r"[\u0400-\u04ff]")
_LATIN = regex(r"[A-Za-z\u00c0-\u024f]")
_NO_RUSSIAN = regex(r"[іїєґўђћџјљњѓќѕәғқңөұүһ]", re.IGNORECASE)
_ACCENT = regex(r"[\u00c0-\u024f]")


@record(frozen=True, slots=True)
class Span:
    """A piece of a text."""

    text: str
    start: int
    """The place of its first character in the text."""

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.start + len(self.text)


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """The language of a text: `ENGLISH`, `RUSSIAN`, or `OTHER` where it is neither or no words.

    Code, addresses and quoted words do not count. A few Latin words that show no other language
    are taken for English.

    Args:
        text: A description, or several together: a longer text is judged more surely.
    """
    prose = prose_of(text)
    cyrillic, latin = len(_CYRILLIC.findall(prose)), len(_LATIN.findall(prose))
    letters = sum(map(str.isalpha, prose))
    if not letters:
        return OTHER
    # A Russian text names English products; an English one hardly quotes Russian words.
    if cyrillic * 3 >= letters:
        return OTHER if _NO_RUSSIAN.search(prose) else RUSSIAN
    if latin * 3 < letters * 2:
        return OTHER
    words = [word.text.lower() for word in words_of(prose)]
    english = sum(word in _ENGLISH_WORDS for word in words)
    foreign = sum(word in _FOREIGN_WORDS for word in words)
    accented = sum(bool(_ACCENT.search(word)) for word in words)
    return ENGLISH if english >= foreign + accented else OTHER


def prose_of(text: str) -> str:
    """The text with blanks for all that is no prose: code, addresses, tags and quoted words.

    What is left stands where it stood, so that a place in the result is one in the text.

    Args:
        text: A description.
    """
    return _NO_PROSE.sub(lambda found: " " * len(found[0]), text)


@lru_cache(maxsize=4096)
def sentences_of(text: str) -> tuple[Span, ...]:
    """The sentences of a text, each without the blanks around it.

    An item of a list, a heading and a paragraph end a sentence, as does a line that the next one
    does not go on; a line break inside a sentence stays where it is.

    Args:
        text: A description.
    """
    found = []
    start = 0
    for end in (*_sentence_ends(text), len(text)):
        piece = text[start:end]
        stripped = piece.strip()
        if stripped and any(map(str.isalnum, stripped)):
            found.append(Span(stripped, start + len(piece) - len(piece.lstrip())))
        start = end
    return tuple(found)


def _sentence_ends(text: str) -> Iterator[int]:
    for found in _BOUNDARY.finditer(text):
        before = text[max(0, found.end() - _LOOKED_AT) : found.end()]
        after = text[found.end() : found.end() + _LOOKED_AT].lstrip(" \t")
        if found["end"]:
            is_number = before.rpartition("\n")[2].strip(" .)").isdigit()
            if not (_ABBREVIATION.search(before) or is_number) and not after[:1].islower():
                yield found.end()
        elif not found["line"] or _begins_anew(before, after):
            yield found.end()


def _begins_anew(before: str, after: str) -> bool:
    """Whether the line behind a line break is no continuation of the one before it."""
    is_item = _LIST_ITEM.match(after) is not None
    return is_item or before.rstrip()[-1:] in ".!?:;" or after[:1].isupper()


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line; empty where there is none."""
    found = sentences_of(text)
    return " ".join(found[0].text.split()) if found else ""


def words_of(text: str) -> tuple[Span, ...]:
    """The words of a text, without numbers and identifiers with underscores as one word each.

    Args:
        text: Any text; of a description, `prose_of` leaves code and quoted words out.
    """
    return tuple(Span(found[0], found.start()) for found in _WORD.finditer(text))


def words_of_name(name: str) -> tuple[str, ...]:
    """The words of an identifier in small letters: `createNote` has `create` and `note`.

    Args:
        name: In snake_case, camelCase, kebab-case or with dots; of a function id, what follows
            its `#`.
    """
    return tuple(word.lower() for word in _NAME_WORD.findall(name.rpartition("#")[2]))
