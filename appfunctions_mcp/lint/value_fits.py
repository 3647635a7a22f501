"""Whether a value fits a part of a schema, as far as a default or an example can be judged.

A part that refers to another, or says nothing, fits everything. Knows no rule.
"""

import json
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from appfunctions_mcp.lint.schema_parts import KINDS, kind_of, own_kinds_of
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["misfit_of", "number_of", "pattern_fault", "shown"]

_UNIONS = ("anyOf", "oneOf")
_LONGEST_MATCHED = 1_000
_LONGEST_PATTERN = 1_000
_MOST_UNIONS = 20
# What other regular expressions have, and Python's refuse.
_BEYOND_PYTHON = re.compile(r"\\[pPcuk]|\(\?<[A-Za-z$_]|\[\^?\]|\(\?[a-z-]+:")


def shown(value: Any) -> str:
    """A value as messages show it: a text in quotes, anything else as its JSON."""
    return quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:80]


def number_of(value: Any) -> float | None:
    """The number that a keyword holds; None where it is none."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def misfit_of(value: Any, schema: JsonSchema, depth: int = 0) -> str:
    """Why a value does not fit a part of a schema, in a clause; empty where it does.

    Args:
        value: Any JSON value.
        schema: The part; a keyword that is broken itself is passed over.
        depth: How many unions it is inside; one that is nested deeper than any author would is
            taken to fit.
    """
    if (
        depth > _MOST_UNIONS
        or "$ref" in schema
        or any(keyword in schema for keyword in ("allOf", "not", "if"))
    ):
        return ""
    for keyword in _UNIONS:
        branches = [each for each in _list(schema.get(keyword)) if isinstance(each, Mapping)]
        if branches:
            faults = [misfit_of(value, dict(each), depth + 1) for each in branches]
            return "" if "" in faults else "it fits none of the branches"
    members = _list(schema.get("enum"))
    if members and value not in members:
        return f"the enum has {', '.join(map(shown, members[:8]))}"
    return _misfit_of_kind(value, schema) or _misfit_of_size(value, schema)


def _misfit_of_kind(value: Any, schema: JsonSchema) -> str:
    kinds = own_kinds_of(schema)
    kind = kind_of(value)
    known = [each for each in kinds if each in KINDS]
    is_whole = kind == "integer" or (kind == "number" and float(value).is_integer())
    accepted = {kind} | ({"integer", "number"} if is_whole else set())
    if not known or accepted & set(known):
        return ""
    return f"the type is {' or '.join(known)}"


_SIZES: dict[
    str, tuple[str, Callable[[Any], float | None], Callable[[float, float], bool], str]
] = {
    "minimum": ("number", number_of, lambda size, limit: size < limit, "at least"),
    "maximum": ("number", number_of, lambda size, limit: size > limit, "at most"),
    "exclusiveMinimum": ("number", number_of, lambda size, limit: size <= limit, "more than"),
    "exclusiveMaximum": ("number", number_of, lambda size, limit: size >= limit, "less than"),
    "minLength": ("string", len, lambda size, limit: size < limit, "at least"),
    "maxLength": ("string", len, lambda size, limit: size > limit, "at most"),
    "minItems": ("array", len, lambda size, limit: size < limit, "at least"),
    "maxItems": ("array", len, lambda size, limit: size > limit, "at most"),
}
_UNITS = {"string": " characters", "array": " items"}


def _misfit_of_size(value: Any, schema: JsonSchema) -> str:
    kind = "number" if kind_of(value) == "integer" else kind_of(value)
    for keyword, (for_kind, size_of, is_wrong, words) in _SIZES.items():
        limit = number_of(schema.get(keyword))
        size = size_of(value) if for_kind == kind else None
        if limit is not None and size is not None and is_wrong(size, limit):
            return f"it has to be {words} {limit:g}{_UNITS.get(kind, '')}"
    pattern = schema.get("pattern")
    if kind == "string" and isinstance(pattern, str) and not _matches(pattern, value):
        return f"it does not match the pattern {quoted(pattern)}"
    return ""


def _matches(pattern: str, text: str) -> bool:
    """Whether a text matches; True where that cannot be told, or could take long."""
    if len(pattern) > _LONGEST_PATTERN or len(text) > _LONGEST_MATCHED:
        return True
    is_slow = re.search(r"[+*}][^\[\]]*\)[+*{]", pattern) is not None
    if is_slow or _BEYOND_PYTHON.search(pattern):
        return True
    compiled = _compiled(pattern)
    return isinstance(compiled, str) or compiled.search(text) is not None


def _compiled(pattern: str) -> re.Pattern[str] | str:
    """The expression, or what is wrong with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as fault:
            return str(fault)


def pattern_fault(pattern: str) -> str:
    """What makes a pattern no regular expression of JSON Schema, which are JavaScript's.

    Args:
        pattern: The value of the keyword.
    """
    if "(?P" in pattern:
        return "'(?P' is Python's alone"
    if _BEYOND_PYTHON.search(pattern):
        return ""
    compiled = _compiled(pattern)
    return compiled if isinstance(compiled, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
