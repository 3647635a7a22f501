# ruff: noqa: RUF001 - quotes of several languages, and Russian words
"""Finds the functions that a text about an app names, and those of them that do not exist.

A quoted word is no function because it is quoted: it may be a value, a parameter, a product.
What counts is that it is called or used, and reads like a function's name. Knows no rule.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.lint.verbs import verb_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.records import record

__all__ = ["UnknownName", "unknown_names"]

_OPEN, _CLOSE = "'\"`‘“«", "'\"`’”»"
_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*[A-Za-z0-9_]|[A-Za-z_]"
_QUOTED = regex(rf"(?<![\w{_CLOSE}])[{_OPEN}](?P<name>{_NAME})(?:\(\))?[{_CLOSE}](?!\w)")
# Without quotes only what cannot be a word of the language.
_COMPOUND = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z][a-z0-9]*(?-i:[A-Z])[A-Za-z0-9]*"
_BARE = regex(rf"(?<![\w{_OPEN}./-])(?P<name>{_COMPOUND})(?:\(\))?(?![\w{_CLOSE}/-])")
_ONE_NAME = rf"(?:[{_OPEN}](?:{_NAME})(?:\(\))?[{_CLOSE}]|(?:{_COMPOUND})(?:\(\))?)"
# Between the verb and the name other names may stand, as in "before calling 'a' or 'b'".
_LIST = rf"(?:the\s+)?(?:{_ONE_NAME}\s*(?:,\s*|/\s*|(?:and|or|then|и|или)\s+))*\Z"
_CALLED = regex(
    r"\b(?:call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|execute[sd]?|executing|"
    r"(?:вызов\w*|вызыва\w*|вызва\w*))\s+(?:to\s+|of\s+)?" + _LIST,
    re.IGNORECASE,
)
_USED = regex(
    r"\b(?:us(?:e|es|ed|ing)|run|try|via|through|before|after|first|with|from|by|in|then|"
    r"использу\w*|через|перед|после|сначала|с помощью|из|в)\s+" + _LIST,
    re.IGNORECASE,
)
_IS_FUNCTION = regex(r"\s+(?:function|tool|method|функци\w+|инструмент\w*)\b", re.IGNORECASE)
_LOOKED_AT = 200
_MOST_SCHEMAS = 20_000


@record(frozen=True, slots=True)
class UnknownName:
    """A name of a function that the app does not have."""

    name: str
    words: str
    """As it stands in the text, with its quotes."""
    nearest: str = ""
    """The function that is probably meant; empty where none is alike."""


def unknown_names(text: str, subject: LintSubject) -> Iterator[UnknownName]:
    """The functions that a text names and the app does not have, each once.

    Args:
        text: What the app says of itself.
        subject: Its functions; where none is known, nothing is said.
    """
    functions = {name for each in subject.functions for name in _names_of(each)}
    if not functions:
        return
    known = functions | _other_names(subject)
    tool_names = {each.tool_name for each in subject.functions}
    nearest_of: dict[str, str] = {}
    seen: set[str] = set()
    for found in sorted([*_QUOTED.finditer(text), *_BARE.finditer(text)], key=re.Match.start):
        name = found["name"]
        if name in known or name in seen:
            continue
        if name not in nearest_of:
            nearest_of[name] = _nearest(name, tool_names)
        if _is_named_as_function(found, is_near=bool(nearest_of[name])):
            seen.add(name)
            yield UnknownName(name, found[0], nearest_of[name])


def _is_named_as_function(found: re.Match[str], *, is_near: bool) -> bool:
    name, text = found["name"], found.string
    before = text[max(0, found.start() - _LOOKED_AT) : found.start()]
    if "()" in found[0] or _IS_FUNCTION.match(text, found.end()):
        return True
    if _CALLED.search(before):
        # People are called as well.
        return is_near or _is_compound(name) or name[0].islower()
    reads_like_one = is_near or verb_of(next(iter(words_of_name(name)), "")) is not None
    is_quoted = found.re.pattern == _QUOTED.pattern
    is_used = _USED.search(before) is not None
    return is_quoted and _is_compound(name) and reads_like_one and is_used


def _is_compound(name: str) -> bool:
    """Whether a name is written as code: in several words without blanks."""
    return len(words_of_name(name)) > 1 and not name.istitle()


def _nearest(name: str, functions: set[str]) -> str:
    """The function that is alike, or that only says more, as `sendMessage` does than `send`."""
    words = words_of_name(name)
    longer = sorted(each for each in functions if words_of_name(each)[: len(words)] == words)
    near = nearest_names(name, sorted(functions), limit=1)
    return next(iter([*longer[:1], *near]), "")


def _names_of(function: AppFunctionMetadata) -> tuple[str, ...]:
    return (function.tool_name, function.function_id, function.function_id.rpartition("#")[2])


def _other_names(subject: LintSubject) -> set[str]:
    """Everything else that may stand in quotes: parameters, fields of results, values."""
    names = {*subject.other_names, subject.server_name}
    waiting: list[Any] = [each.input_schema for each in subject.functions]
    waiting += [each.response.schema for each in subject.functions]
    for _ in range(_MOST_SCHEMAS):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, Mapping):
            properties = part.get("properties")
            if isinstance(properties, Mapping):
                names.update(properties)
            values = part.get("enum")
            names.update(map(str, values if isinstance(values, list) else ()))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return names
