# ruff: noqa: RUF001, RUF002 - Russian letters are meant
"""Words of texts and of names, cut to stems, so that other endings of a word are the same word.

The cutting is light: endings alone, one pass, and a short list of verbs that change more than
their ending. It is the same for what functions say and for what users say, so that a stem need
not be a word of the language. English
loses `s`, `ed`, `ing`, a final `e` and a doubled consonant; Russian its endings of cases, persons
and tenses, `ся`, and the `к` of diminutives, which joins `заметка` and `заметок`. Words of other
languages stay whole.
"""

import re
import unicodedata
from functools import cache, lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.changed_forms import CHANGED_FORMS

__all__ = ["is_russian", "name_words", "stem", "stems_of", "words_of"]

_URL = regex(r"\b[a-z][a-z0-9+.-]{0,20}://\S*", re.IGNORECASE)
_WORD = regex(r"[^\W_]+(?:['\u2019][^\W\d_]+)*")
_SHORT_FORM = regex(r"['\u2019](?:s|t|d|m|ll|re|ve)$")
_CASE_CHANGE = regex(r"(?<=[^\W_A-ZА-Я])(?=[A-ZА-Я])|(?<=[A-ZА-Я])(?=[A-ZА-Я][a-zа-я])")
_BETWEEN_WORDS = regex(r"[_\-./#:]+")
_RUSSIAN = regex(r"[а-я]+")
_ENGLISH = regex(r"[a-z]+")
_DOUBLED = regex(r"([b-df-hj-np-tv-z])\1$")
_LEAST_ENGLISH = 3

_REFLEXIVE = regex(r"(?<=[а-я]{3})с[яь]$")
# The longest comes first. A verb's theme vowel goes with its ending, and so does the one of nouns
# that are made of verbs: `создать`, `создай` and `создание` all end in `созд`.
_RUSSIAN_ENDING = regex(
    r"(?<=[а-я]{3})(?:"
    r"(?:[ае]ни|[яа]ни)(?:е|я|ю|ем|и|й|ям|ями|ях)"
    r"|(?:[ыи]ва|[аеиуыя])(?:йте|ть|ти|ла|ло|ли|л|ете|ешь|ет|ем|ют|ю|й)"
    r"|иями|ями|ами|ого|его|ому|ему|ыми|ими|ией|иям|иях"
    r"|ите|ишь|ешь|ить|ать|ять|еть|ут|ют|ат|ят|ит|ет|им"
    r"|ая|яя|ое|ее|ые|ие|ый|ий|ой|ей|ую|юю|ом|ем|ам|ям|ах|ях|ов|ев|ью|ия|ии|ию|ть|ти|ок|ек"
    r"|а|я|о|е|ы|и|у|ю|ь|й)$"
)
_DIMINUTIVE = regex(r"(?<=[а-я]{3})к$")

_STOPS = """
a an any the this that these those it its i me my mine we us our you your he him his she her they
them their there here what which who whom whose when where why how is are was were be been being
am do does did done has have had having will would shall should can could may might must and or
but nor so if then than as at by for from in into of off on onto out over to up with about not no
don doesn didn isn aren won too very just also only please thanks example such etc let
а без бы был была были было быть в вам вас ваш во вот вы где да для до его ее ей если есть еще
же за и из или им их к как какая какие какой ко который кто ли меня мне мной мои мой моя мою мы на
над нам нас наш не него нее нет ни них но ну о об он она они оно от по под пожалуйста при про с
свой со та так там те тебе тебя то того тоже только ты тут у уже что чтобы чья чье чей это эта эти
этот эту я
"""
"""Words that are in every text: articles, pronouns, prepositions, politeness."""


@cache
def _stops() -> frozenset[str]:
    return frozenset(_STOPS.split())


def words_of(text: str) -> list[str]:
    """The words of a text, without case, numbers, addresses and words that say nothing alone.

    Args:
        text: Any text. Russian `ё` counts as `е`.

    Example:
        >>> words_of("Create the user's 2 notes, please")
        ['create', 'user', 'notes']
    """
    folded = unicodedata.normalize("NFKC", _URL.sub(" ", text)).casefold().replace("ё", "е")
    found = (_SHORT_FORM.sub("", word) for word in _WORD.findall(folded))
    return [word for word in found if len(word) > 1 and not word.isdigit() and word not in _stops()]


def name_words(name: str) -> list[str]:
    """The words of a name of any style: `create_note`, `createNote`, `create-note`.

    Example:
        >>> name_words("exportPDFFile")
        ['export', 'pdf', 'file']
    """
    return words_of(_BETWEEN_WORDS.sub(" ", _CASE_CHANGE.sub(" ", name)))


def stems_of(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(word) for word in words_of(text)]


def is_russian(word: str) -> bool:
    """Whether a folded word is one of Cyrillic letters alone."""
    return _RUSSIAN.fullmatch(word) is not None


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What is left of a word without its ending.

    Args:
        word: As `words_of` gives it.

    Example:
        >>> stem("copied") == stem("copies") == stem("copy")
        True
        >>> stem("заметок") == stem("заметку")
        True
        >>> stem("wrote") == stem("writing")
        True
    """
    return _changed_forms().get(word) or _cut(word)


@cache
def _changed_forms() -> dict[str, str]:
    """The stem of each form of a verb that no cutting brings to it."""
    rows = [line.split() for line in CHANGED_FORMS.strip().splitlines()]
    return {form: _cut(first) for first, *others in rows for form in others}


def _cut(word: str) -> str:
    if _RUSSIAN.fullmatch(word):
        return _russian_stem(word)
    return _english_stem(word) if _ENGLISH.fullmatch(word) else word


def _russian_stem(word: str) -> str:
    cut = _RUSSIAN_ENDING.sub("", _REFLEXIVE.sub("", word))
    return _DIMINUTIVE.sub("", cut)


def _english_stem(word: str) -> str:
    cut = word
    if cut.endswith("s") and not cut.endswith(("ss", "us", "is")) and len(cut) > _LEAST_ENGLISH:
        cut = cut[:-1]
    for ending in ("ing", "ed"):
        begun = cut.removesuffix(ending)
        if begun != cut and len(begun) >= _LEAST_ENGLISH and _has_vowel(begun):
            cut = begun
            break
    if cut.endswith(("ie", "i")) and len(cut) >= _LEAST_ENGLISH:
        cut = cut.rstrip("e")[:-1] + "y"
    if cut.endswith("e") and len(cut) > _LEAST_ENGLISH:
        cut = cut[:-1]
    return cut if len(cut) <= _LEAST_ENGLISH - 1 else _DOUBLED.sub(r"\1", cut)


def _has_vowel(text: str) -> bool:
    return any(letter in "aeiouy" for letter in text)
