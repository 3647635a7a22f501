# ruff: noqa: RUF001 - quotes of several languages
"""Which other functions a description names: of the same app, or such as there are none.

Knows no rule.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.schema_parts import parameter_parts, result_parts
from appfunctions_mcp.lint.subjects import LintSubject, once_for_subject
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["functions_named_in", "known_names", "unknown_functions_named_in"]

# A name of a single word is a word as well; in quotes or before brackets it is the function.
_AS_ONE_WORD = r"(?:['\"`‘“«]{name}(?:\(\))?['\"`’”»]|\b{name}\(\)|\b{name}\s+(?:tool|function)\b)"
_AS_NAME = r"(?<![\w/.#-]){name}(?![\w/-])"
_WORD = regex(r"[\w-]+")
_PART = regex(r"\w+")
# A name in quotes that is called, or called a function; other quoted names are anything.
_QUOTED_NAME = r"['\"`‘“«](?P<{0}>[A-Za-z]\w*[A-Za-z0-9])(?:\(\))?['\"`’”»]"
# "The most lines per read_file call" is about a setting, and leads nobody to read_file.
_LIMITS = regex(
    r"\b(?:lines|characters|bytes|tokens|items|rows|results|seconds|calls|limit|timeout|maximum)\s+"
    r"(?:for|per|of|in)\s+(?:each\s+|one\s+|an?\s+)?['\"`‘“«]?\Z",
    re.IGNORECASE,
)
_CALLED = regex(
    r"\b(?:call(?:s|ing)?|invok(?:e|es|ing)|instead\s+of|unlike|вызов\w*|вызыва\w*|вместо)\s+"
    r"(?:the\s+)?" + _QUOTED_NAME.format("called") + r"(?!\s+(?:parameter|option|field|setting))"
    r"|" + _QUOTED_NAME.format("told") + r"\s+(?:tool|function|method|функци\w+|инструмент\w*)\b",
    re.IGNORECASE,
)


def functions_named_in(
    text: str, function: AppFunctionMetadata, subject: LintSubject
) -> Iterator[tuple[str, str]]:
    """The other functions that a text names: the tool name, and the words of the text.

    Names inside a longer name do not count, nor does a name of one word that is not marked as
    one, nor what is a parameter or a choice of the function itself.

    Args:
        text: A description.
        function: Whose it is.
        subject: All functions.
    """
    own = {function.tool_name, function.function_id, *_own_words(function)}
    told = set[str]()
    for name in _names_that_occur(text, subject):
        found = _first_mention(name, text) if name not in own else ""
        others = (each for each in _by_name(subject)[name] if each is not function)
        for other in others if found else ():
            if other.tool_name not in told:
                told.add(other.tool_name)
                yield other.tool_name, found


@once_for_subject
def _by_name(subject: LintSubject) -> dict[str, list[AppFunctionMetadata]]:
    """The functions by the names that a text may call them, in the order of their listing."""
    found: dict[str, list[AppFunctionMetadata]] = {}
    for function in subject.functions:
        for name in sorted({function.tool_name, function.function_id.rpartition("#")[2]}):
            found.setdefault(name, []).append(function)
    return found


@once_for_subject
def _odd_names(subject: LintSubject) -> tuple[str, ...]:
    """The names that are no single word, so that they have to be looked for one by one."""
    return tuple(name for name in _by_name(subject) if name and not _WORD.fullmatch(name))


def _names_that_occur(text: str, subject: LintSubject) -> list[str]:
    known = _by_name(subject)
    found = {word for word in (*_WORD.findall(text), *_PART.findall(text)) if word in known}
    return sorted(found, key=text.find) + [name for name in _odd_names(subject) if name in text]


def _first_mention(name: str, text: str) -> str:
    """Where a text names a function; not where it says what a setting limits."""
    for found in _pattern(name).finditer(text):
        if not _LIMITS.search(text, max(0, found.start() - 40), found.start()):
            return found[0]
    return ""


def unknown_functions_named_in(text: str, subject: LintSubject) -> Iterator[tuple[str, str]]:
    """The functions that a text names and that there are not: the name, and the words.

    Args:
        text: A description.
        subject: All functions.
    """
    for found in _CALLED.finditer(text):
        name = found["called"] or found["told"]
        # A single word in quotes is as often a value.
        if len(words_of_name(name)) > 1 and name not in known_names(subject):
            yield name, found[0]


@once_for_subject
def known_names(subject: LintSubject) -> frozenset[str]:
    """All that texts may name: functions, parameters, parts of results, and what else there is."""
    known = {*subject.other_names, *_by_name(subject)}
    for function in subject.functions:
        known |= {part.name for part in (*parameter_parts(function), *result_parts(function))}
    return frozenset(known)


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    form = _AS_NAME if len(words_of_name(name)) > 1 else _AS_ONE_WORD
    return re.compile(form.format(name=re.escape(name)))


def _own_words(function: AppFunctionMetadata) -> Iterator[str]:
    for parameter in function.parameters:
        yield parameter.name
        choices = parameter.schema.get("enum")
        yield from (
            (each for each in choices if isinstance(each, str)) if isinstance(choices, list) else ()
        )
