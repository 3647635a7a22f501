"""The arguments of a call as they came from a provider, to an object or to what is wrong.

Many servers that speak OpenAI's format write other things than an object there (field cases F77
and F78). Nothing is guessed: brackets are never closed, and what is no object is told to the
model. Knows no schema.
"""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["read_arguments"]

_NOTHING = regex(r"\s*(?:null)?\s*\Z")
_NOISE_BEHIND = regex(r"[\s\"'`]*\Z")
_KINDS: dict[type, str] = {
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}
_SEND = "send the call again with one JSON object that has the parameters as members"


def read_arguments(raw: Any, *, was_cut: bool = False) -> tuple[dict[str, Any], str]:
    """Reads the arguments of a call.

    Args:
        raw: Their text, or an object where the provider sends one. Nothing, blanks and null
            count as no arguments; quotes and blanks behind an object are passed over.
        was_cut: Whether the reply ended in this call because a limit or a filter ended it.

    Returns:
        The arguments, and what is wrong with them for the model, with what to do. One of the
        two is empty.
    """
    if isinstance(raw, Mapping):
        return _judged({str(name): value for name, value in raw.items()})
    text = "" if raw is None else raw
    if not isinstance(text, str):
        return {}, _other_kind(text)
    if _NOTHING.match(text):
        return {}, _cut(text) if was_cut else ""
    try:
        value = _read(text)
    except JsonTextError as error:
        is_cut = was_cut or _ends_too_early(text)
        return {}, _cut(text) if is_cut else f"the arguments {quoted(text)} are {error}; {_SEND}"
    return _judged(value) if isinstance(value, dict) else ({}, _other_kind(value))


def _judged(arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Arguments, or that a number in them is too large: it would be infinite, which no JSON is."""
    waiting: list[Any] = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, float) and not isfinite(value):
            return {}, f"the arguments have a number that is too large to be read; {_SEND}"
        if isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, list | tuple):
            waiting.extend(value)
    return arguments, ""


def _read(text: str) -> Any:
    """One JSON value; of an object, what is only noise behind it does not count."""
    try:
        return read_json(text)
    except JsonTextError:
        bare = text.lstrip("\ufeff \t\r\n")
        end = bare.rfind("}") + 1
        if not bare.startswith("{") or not _NOISE_BEHIND.match(bare, end):
            raise
        return read_json(bare[:end])


def _ends_too_early(text: str) -> bool:
    """Whether a text is the beginning of an object, as far as can be told."""
    bare = text.strip("\ufeff \t\r\n")
    if not bare.startswith("{"):
        return False
    try:
        json.loads(bare)
    except json.JSONDecodeError as error:
        # The standard parser names where an open string begins, and else where the text ends.
        return error.pos >= len(bare) or error.msg.startswith("Unterminated string")
    except RecursionError:
        return False
    return False


def _cut(text: str) -> str:
    return (
        f"the arguments were cut off after {len(text)} characters, so that the function did not "
        "run; send the call again, with shorter arguments or in several calls"
    )


def _other_kind(value: Any) -> str:
    kind = _KINDS.get(type(value), "no JSON value")
    return f"the arguments are {kind}, not an object; {_SEND}"
