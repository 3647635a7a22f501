"""What the text of a parameter says of its values: defaults, limits, choices and examples.

English and Russian. Only what is said plainly is read; a text that may mean something else says
nothing. Knows no rule.
"""

# ruff: noqa: RUF001 - Russian words, and signs that stand between numbers
import re
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.name_words import words_in
from appfunctions_mcp.records import record

__all__ = [
    "Limit",
    "Said",
    "choices_in",
    "defaults_in",
    "examples_in",
    "limits_in",
    "parsed",
    "switch_of",
]

_NUMBER = r"[-−]?(?:\d{1,3}(?: \d{3}){1,8}(?!\d)|\d(?:[\d,_\u202f\u00a0]{0,30}\d)?)(?:\.\d{1,30})?"
_QUOTED = r"'[^'\n]{0,60}'|\"[^\"\n]{0,60}\"|`[^`\n]{0,60}`|«[^»\n]{0,60}»"
_VALUE = rf"(?P<quoted>{_QUOTED})|(?P<number>{_NUMBER})(?![\w.:/-]*\d)|(?P<word>[^\W\d]\w{{0,30}})"
_DEFAULT = regex(
    r"(?:\bdefault(?:s|ing)?(?:\s+value)?(?:\s*[:=]\s*|\s+(?:is|to|of)\s+|\s+(?=\d|['\"`]|none\b|null\b|true\b|false\b))"
    r"|\bпо\s+умолчанию(?:\s*[:=—–-]+\s*|\s+(?:равн[оа]\s+|это\s+)?))"
    rf"(?:{_VALUE})(?P<after>[^\n]{{0,12}})",
    re.IGNORECASE,
)
_SWITCH = r"(?<!not )(?<!non-)\b(?P<word>true|false|on|off|enabled|disabled)"
_BY_DEFAULT = regex(
    rf"(?:(?P<quoted>{_QUOTED})|(?<![\w.:/-])(?P<number>{_NUMBER})(?:\s+[^\W\d]+)?)\s+by\s+default\b"
    rf"|{_SWITCH}\s+by\s+default(?=\s*[.,;)\]]|\s*\Z)",
    re.IGNORECASE,
)
_PLAIN_VALUE = (
    rf"(?:(?P<quoted>{_QUOTED})|(?P<number>{_NUMBER})(?![\w.:/-]*\d)|(?P<word>true|false)\b)"
)
_LEFT_OUT = (
    r"(?:(?:if|when)\s+(?:(?:it|this)\s+is\s+)?(?:omitted|left\s+out|unset|unspecified|not\s+(?:given|set|"
    r"specified|provided|passed))|если\s+(?:его\s+|её\s+)?не\s+(?:указ|зада|переда)\w+(?:\s+иное)?)"
)
_WHEN_LEFT_OUT = (
    regex(
        rf"\b{_LEFT_OUT},?\s+(?:(?:then|uses|используется|бер[её]тся|будет|то|это)\s+)?{_PLAIN_VALUE}"
        r"(?P<after>[^\n]{0,12})",
        re.IGNORECASE,
    ),
    regex(rf"(?<![\w.:/-]){_PLAIN_VALUE}(?P<after>),?\s+{_LEFT_OUT}\b", re.IGNORECASE),
    regex(rf"\bfalls?\s+back\s+to\s+{_PLAIN_VALUE}(?P<after>[^\n]{{0,12}})", re.IGNORECASE),
)
_SWITCHES = {
    "on": True, "yes": True, "enabled": True, "да": True,
    "off": False, "no": False, "disabled": False, "нет": False,
}  # fmt: skip
_SWITCHES_RUSSIAN = (("включ", True), ("выключ", False), ("отключ", False))
_ENDS_WORD = regex(r"\s*(?:[)\];]|[.,](?=\s|\Z)|\Z|\n)")
_NO_VALUE = words_in("used set taken applied determined chosen inferred detected required ignored")
_NOTHING = words_in("none null nil undefined nothing empty unset пусто")

_CHARACTERS = words_in(
    "character characters char chars letters symbols символ символа символов знаков букв"
)
_NO_SIZE = words_in(
    "decimal decimals digit digits place places byte bytes word words times level levels days "
    "nested kb mb gb kib mib цифр знака слов байт раз"
)
# "Books 1 to 7 have 50 chapters" says something of these, not which there are.
_OF_THESE = words_in("have has need needs hold holds contain contains cost costs belong mean means")
_BETWEEN = regex(
    rf"(?:\b(?:between|from|range(?:\s+(?:is|of|from))?:?|от|диапазон:?)\s+|(?<![\w.:/-]))"
    rf"(?P<low>{_NUMBER})\s*(?:-|–|—|to|and|\.\.\.?|through|до)\s*(?P<high>{_NUMBER})"
    r"(?!-?\d)(?P<after>\s*%?\s*[^\W\d]*)",
    re.IGNORECASE,
)
_INTERVAL = regex(rf"[\[(]\s*(?P<low>{_NUMBER})\s*,\s*(?P<high>{_NUMBER})\s*[\])](?P<after>)")
_MOST = regex(
    r"(?:\b(?:max(?:imum)?(?:\s+(?:is|of|value))?\s*[:=]?|at\s+most|up\s+to|no\s+(?:more|longer|larger|greater)\s+than"
    r"|less\s+than\s+or\s+equal\s+to|(?:cannot|can\s+not|may\s+not|must\s+not|not)\s+exceed|(?:capped|limited)\s+(?:at|to)"
    r"|не\s+(?:более|больше|длиннее)|не\s+превыша(?:ет|ть)|максимум:?|самое\s+большее)\s*|(?:<=|≤)\s*)"
    rf"(?P<high>{_NUMBER})(?![-\d])(?P<after>\s*[^\W\d]*)",
    re.IGNORECASE,
)
_LEAST = regex(
    r"(?:\b(?:min(?:imum)?(?:\s+(?:is|of|value))?\s*[:=]?|at\s+least|no\s+less\s+than|greater\s+than\s+or\s+equal\s+to"
    r"|не\s+(?:менее|меньше)|минимум:?)\s*|(?:>=|≥)\s*)"
    rf"(?P<low>{_NUMBER})(?![-\d])(?P<after>\s*[^\W\d]*)",
    re.IGNORECASE,
)
# What is a limit of a length alone, whatever its unit.
_LENGTH = regex(
    r"\b(?:max(?:imum)?[- ]length(?:\s+(?:is|of))?|максимальн\w+\s+длин\w+)\s*[:=—–-]?\s*"
    rf"(?P<high>{_NUMBER})(?![-\d])|(?<![\w.,:/-])(?P<most>{_NUMBER})\s+(?:characters|chars)\s+(?:at\s+most|or\s+(?:fewer|less))\b"
    rf"|(?<!от )(?<![\d–—-])\bдо\s+(?P<until>{_NUMBER})\s+(?:символ|знак|букв)\w*",
    re.IGNORECASE,
)

_CHOICE_MARK = regex(
    r"\b(?:one\s+of|either|(?:must|can|may)\s+be(?:\s+(?:one\s+of|either))?|options(?:\s+are)?|accepts"
    r"|(?:allowed|valid|possible|supported|accepted|available)\s+(?:values|options|choices)"
    r"(?:\s+(?:are|include))?|values|(?:один|одно)\s+из(?:\s+значений)?|либо|варианты|принимает|может\s+быть"
    r"|(?:допустимые|возможные)\s+значения|значения)\s*[:—–-]?\s*[(\[]?\s*",
    re.IGNORECASE,
)
_CHOICE = rf"(?:{_QUOTED})"
_JOINT = (
    r"\s*(?:\([^()\n]{0,80}\)\s*)?(?:,\s*(?:or|and|или|и)\s|,|\||/|\bor\b|\band\b|\bили\b|\bи\b)\s*"
)
_QUOTED_LIST = regex(rf"{_CHOICE}(?:{_JOINT}{_CHOICE})+", re.IGNORECASE)
_BARE = r"[A-Za-z][\w-]*"
_BARE_LIST = regex(
    rf"{_BARE}(?:(?:\s*,\s*(?:(?:or|and|или|и)\s+)?|\s*\|\s*){_BARE})+(?=\s*[.;)\]]|\s*\Z)"
)
_PIPES = regex(rf"[(\[:]\s*({_BARE}(?:\s*\|\s*{_BARE})+)\s*(?=[)\].;]|\Z)")
_MORE_SIGNS = regex(
    rf",\s*({_BARE}(?:\s*\|\s*{_BARE})+)\s*(?=[)\].;]|\Z)|[(\[:]\s*({_BARE}(?:/{_BARE}){{2,}})\s*(?=[)\].;]|\Z)"
)
_BARE_OR = regex(rf"{_BARE}(?:\s*,\s*{_BARE})*,?\s+(?:or|или)\s+{_BARE}(?=\s*[.;)\]]|\s*\Z)")
_OR_AFTER_COLON = regex(
    rf":\s*({_BARE}(?:\s*,\s*{_BARE})+,?\s+(?:or|или)\s+{_BARE})(?=\s*[.;)\]]|\s*\Z)"
)
_IN_PARENTHESES = regex(r"\(([A-Za-z][\w-]*(?:\s*,\s*(?:or\s+)?[A-Za-z][\w-]*)+)\)")
_AFTER_COLON = regex(r":\s*\Z")
_OR = regex(r"\b(?:or|или)\b", re.IGNORECASE)
_EACH_QUOTED = regex(_QUOTED)
_LIST_LINE = regex(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+['\"`]?([A-Za-z][\w.-]*)['\"`]?[ \t]*(?:[-–—:]|$)",
    re.MULTILINE,
)
_OPEN = regex(
    r"\be\.g\.|\bfor\s+(?:example|instance)|\bsuch\s+as|\betc\b|\blike\b|\bincluding\b|\bexamples?\b"
    r"|\bнапример|\bи\s+т\.|\bи\s+др",
    re.IGNORECASE,
)
_EXAMPLE = regex(
    r"(?:\be\.g\.,?|\bfor\s+(?:example|instance)[,:]?|\bexamples?:|\bнапример[,:]?)\s*"
    rf"(?P<values>(?:{_QUOTED})(?:\s*(?:,|or|или)\s*(?:{_QUOTED}))*|[^\s,;()'\"`]*\d[^\s,;()'\"`]*(?=\s*[).,;\n]|\s*\Z))",
    re.IGNORECASE,
)


@record(frozen=True, slots=True)
class Said:
    """A value that a text names."""

    words: str
    """How the text puts it."""
    value: Any
    """What it is: a text, a number, true or false, or None for nothing."""
    is_quoted: bool = False
    unit: str = ""
    """The word behind it, in small letters."""


@record(frozen=True, slots=True)
class Limit:
    """A limit that a text names."""

    words: str
    least: float | None
    most: float | None
    unit: str = ""
    """The word behind it, in small letters."""

    @property
    def counts_characters(self) -> bool:
        """Whether it limits the length of a text."""
        return self.unit in _CHARACTERS


def parsed(text: str) -> Any:
    """A bare word or number of a text as the value that it stands for."""
    lower = text.lower()
    if lower in {"true", "false"}:
        return lower == "true"
    if lower in _NOTHING:
        return None
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> float | None:
    plain = re.sub(r"[, _\u202f\u00a0]", "", text).replace("−", "-")
    try:
        return int(plain) if re.fullmatch(r"-?\d+", plain) else float(plain)
    except (ValueError, OverflowError):
        return None


def defaults_in(text: str) -> Iterator[Said]:
    """The defaults that a text names; a word that opens a longer phrase is none."""
    for found in _DEFAULT.finditer(text):
        after = found["after"]
        unit = after.split()[0].strip(").,;").lower() if after.split() else ""
        words = found[0][: len(found[0]) - len(after)]
        if found["quoted"]:
            yield Said(words, found["quoted"][1:-1], is_quoted=True)
        elif found["number"]:
            yield Said(words, parsed(found["number"]), unit=unit)
        elif _ENDS_WORD.match(after) and found["word"].lower() not in _NO_VALUE:
            yield Said(words, parsed(found["word"]))
    for found in _BY_DEFAULT.finditer(text):
        if found["quoted"]:
            yield Said(found[0], found["quoted"][1:-1], is_quoted=True)
        else:
            yield Said(found[0], parsed(found["number"] or found["word"]))
    yield from _taken_when_left_out(text)


def _taken_when_left_out(text: str) -> Iterator[Said]:
    """What a text says is taken for a value that is not given."""
    for expression in _WHEN_LEFT_OUT:
        for found in expression.finditer(text):
            after = found["after"]
            words = found[0][: len(found[0]) - len(after)]
            if found["quoted"]:
                yield Said(words, found["quoted"][1:-1], is_quoted=True)
                continue
            unit = after.split()[0].strip(").,;").lower() if after.split() else ""
            yield Said(words, parsed(found["number"] or found["word"]), unit=unit)


def switch_of(word: str) -> bool | None:
    """Whether a word such as `off` or `включено` stands for true or false; None where for neither.

    Args:
        word: One word.
    """
    lower = word.casefold()
    stems = (value for stem, value in _SWITCHES_RUSSIAN if lower.startswith(stem))
    return _SWITCHES.get(lower, next(stems, None))


def limits_in(text: str) -> Iterator[Limit]:
    """The limits that a text names; those of digits, bytes and words are none of a value."""
    for expression in (_BETWEEN, _INTERVAL, _MOST, _LEAST):
        for found in expression.finditer(text):
            parts = found.groupdict()
            unit = parts["after"].strip().lower()
            if unit in _NO_SIZE | _OF_THESE or unit.startswith("%"):
                continue
            least, most = (_number(parts.get(each) or "") for each in ("low", "high"))
            if least is not None and most is not None and least >= most:
                continue
            words = found[0][: len(found[0]) - len(parts["after"])].strip(" (,[")
            yield Limit(words, least, most, unit)
    for found in _LENGTH.finditer(text):
        most = _number(found["high"] or found["most"] or found["until"])
        yield Limit(found[0], None, most, "characters")


def choices_in(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The lists of accepted values in a text, each with whether it says that it is complete.

    A list behind `such as` or `for example` is none.
    """
    yield from _marked_choices(text)
    yield from _unmarked_choices(text)
    lines = tuple(_LIST_LINE.findall(text))
    if len(lines) > 1:
        yield lines, False


def _marked_choices(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The lists behind words such as `one of`."""
    for mark in _CHOICE_MARK.finditer(text):
        rest = text[mark.end() : mark.end() + 600]
        line = rest.partition("\n")[0]
        if _OPEN.search(line) or _is_open(text, mark.start()):
            continue
        if quoted := _QUOTED_LIST.match(rest):
            yield _quoted_in(quoted[0]), True
        elif bare := _BARE_LIST.match(line):
            yield _bare_in(bare[0]), ":" in mark[0]
        elif bare := _BARE_OR.match(line):
            yield _bare_in(bare[0]), False


def _unmarked_choices(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The lists that are known by their signs alone."""
    for expression, is_complete in (
        (_PIPES, True),
        (_IN_PARENTHESES, False),
        (_MORE_SIGNS, False),
        (_OR_AFTER_COLON, False),
    ):
        for found in expression.finditer(text):
            if not _is_open(text, found.start()):
                yield _bare_in(found[found.lastindex or 0]), is_complete
    for quoted in _QUOTED_LIST.finditer(text):
        if not _is_open(text, quoted.start()):
            is_told = _AFTER_COLON.search(text[: quoted.start()]) and _OR.search(quoted[0])
            yield _quoted_in(quoted[0]), bool(is_told)


def _is_open(text: str, place: int) -> bool:
    """Whether the words before a place say that what follows are examples."""
    return _OPEN.search(text[max(0, place - 30) : place]) is not None


def _quoted_in(text: str) -> tuple[str, ...]:
    return tuple(each[1:-1] for each in _EACH_QUOTED.findall(text))


def _bare_in(text: str) -> tuple[str, ...]:
    words = re.split(r"[\s,|/]+", text)
    return tuple(each for each in words if each and each not in {"or", "and", "и", "или"})


def examples_in(text: str) -> Iterator[Said]:
    """The values that a text gives as examples: quoted ones, and plain numbers."""
    for found in _EXAMPLE.finditer(text):
        quoted = _EACH_QUOTED.findall(found["values"])
        if not quoted:
            value = found["values"].rstrip(".:")
            yield Said(value, parsed(value) if value.count(".") < 2 else value)
        for each in quoted:
            yield Said(each, each[1:-1], is_quoted=True)
