"""Arguments that may be logged: secrets hidden by name and by schema, long values cut.

A name or a schema can only tell so much, so arguments are logged for debugging alone.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.secret_values import HIDDEN

REDACTED = HIDDEN
# fmt: off
SENSITIVE_WORDS = frozenset({
    "auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "cvc",
    "cvv", "key", "keys", "otp", "pass", "passcode", "passphrase", "passwd", "password", "pat",
    "pin", "pwd", "secret", "secrets", "session", "token", "tokens",
})
"""A parameter is sensitive when one of these is a word of its name."""
SENSITIVE_PARTS = (
    "apikey", "authorization", "cookie", "credential", "passphrase", "passwd", "password",
    "privatekey", "secret", "token",
)
"""A parameter is sensitive when its name holds one of these, however it is written."""
# fmt: on

_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")
_LONGEST_TEXT = 200
_MOST_ITEMS = 20
_DEEPEST_LEVEL = 8
_DEEPEST_COLLECTED = 64
_LEAST_NUMBER = 1000
_UNIONS = ("anyOf", "oneOf", "allOf")


def redacted(
    arguments: Mapping[str, Any], input_schema: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A copy of arguments that may be logged: secrets hidden, long texts and lists cut.

    Args:
        arguments: Raw arguments.
        input_schema: Hides what it calls `writeOnly` or of the format `password`, and what it
            does not know where it admits nothing else: nobody can tell what that is.
    """
    return _Redaction(input_schema or {}).of(arguments)


def without_sensitive(
    arguments: Mapping[str, Any], input_schema: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A copy of arguments for whoever sent them: secrets hidden, all else whole."""
    return _Redaction(input_schema or {}, cuts=False).of(arguments)


def sensitive_values(
    arguments: Mapping[str, Any], input_schema: Mapping[str, Any] | None = None
) -> list[str]:
    """The values that `redacted` would hide for their names or their schemas, as texts."""
    found: list[str] = []
    schema = input_schema or {}
    _collect(arguments, _resolved(schema, schema), schema, found, 0)
    return found


def is_sensitive(name: str) -> bool:
    """Whether a parameter of this name holds a secret, as far as a name can tell."""
    words = [word.lower() for word in _WORD.findall(name)]
    together = "".join(words)
    return not SENSITIVE_WORDS.isdisjoint(words) or any(p in together for p in SENSITIVE_PARTS)


class _Redaction:
    """Hides what one schema, or a name, tells to be secret."""

    def __init__(self, root: Mapping[str, Any], *, cuts: bool = True) -> None:
        self._root = root
        self._cuts = cuts
        self._deepest = _DEEPEST_LEVEL if cuts else _DEEPEST_COLLECTED

    def of(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return self._members(arguments, _resolved(self._root, self._root), 0)

    def _value(self, name: str, value: Any, schema: Mapping[str, Any], level: int) -> Any:
        schema = _resolved(schema, self._root)
        if _is_hidden(name, schema):
            return REDACTED
        if isinstance(value, str):
            decoded = _decoded(value)
            shown = decoded and self._value(name, decoded, schema, level)
            return self._text(value) if shown == decoded else shown
        if not isinstance(value, Mapping | list):
            return value
        if level >= self._deepest:
            return "…"
        if isinstance(value, Mapping):
            return self._members(value, schema, level)
        items = _of(schema, "items")
        shown = value[:_MOST_ITEMS] if self._cuts else value
        more = [] if len(shown) == len(value) else [f"… ({len(value)} items)"]
        return [*(self._value("", item, items, level + 1) for item in shown), *more]

    def _members(
        self, value: Mapping[str, Any], schema: Mapping[str, Any], level: int
    ) -> dict[str, Any]:
        return {
            name: REDACTED if inner is None else self._value(name, item, inner, level + 1)
            for name, item, inner in _with_schemas(value, schema)
        }

    def _text(self, text: str) -> str:
        cut = text[:_LONGEST_TEXT] if self._cuts else text
        return text if cut == text else f"{cut}… ({len(text)} characters)"


def _collect(
    value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], found: list[str], level: int
) -> None:
    """Gathers what is hidden; what lies too deep to be shown is gathered whole."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        for name, item, inner in _with_schemas(value, schema):
            known = _resolved(inner or {}, root)
            if level >= _DEEPEST_COLLECTED or _is_hidden(name, known):
                found.extend(_texts_of(item))
            else:
                _collect(item, known, root, found, level + 1)
    elif isinstance(value, list):
        for item in value:
            inner = _resolved(_of(schema, "items"), root)
            _collect(item, inner, root, found, level + 1)


def _texts_of(value: Any) -> Iterator[str]:
    """Every text and number within a value."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, str) or (
            isinstance(each, int | float) and abs(each) >= _LEAST_NUMBER
        ):
            yield str(each)


def _is_hidden(name: str, schema: Mapping[str, Any]) -> bool:
    return is_sensitive(name) or bool(schema.get("writeOnly")) or schema.get("format") == "password"


def _decoded(text: str) -> Any:
    """The object or list that a text is the JSON of, as functions take them; None for others."""
    if text[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _with_schemas(
    value: Mapping[str, Any], schema: Mapping[str, Any]
) -> list[tuple[str, Any, Mapping[str, Any] | None]]:
    """The members with their schemas; None for one that the schema does not admit."""
    properties = _of(schema, "properties")
    others = _of(schema, "additionalProperties")
    unknown = None if schema.get("additionalProperties") is False else others
    return [
        (str(name), item, _of(properties, name) if name in properties else unknown)
        for name, item in value.items()
    ]


def _resolved(
    schema: Mapping[str, Any], root: Mapping[str, Any], level: int = 0
) -> Mapping[str, Any]:
    """A schema with its references followed, and with what any branch of a union says."""
    if level >= _DEEPEST_LEVEL:
        return schema
    merged: dict[str, Any] = dict(schema)
    reference = schema.get("$ref")
    branches = [branch for key in _UNIONS for branch in schema.get(key) or ()]
    if isinstance(reference, str):
        branches.append(_of(_of(root, "$defs"), reference.rpartition("/")[2]))
    for branch in branches:
        if isinstance(branch, Mapping):
            merged = _merged(_resolved(branch, root, level + 1), merged)
    return merged


def _merged(branch: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with what a branch adds; of two that describe one object both count."""
    merged = {**branch, **schema}
    if "items" in branch and "items" in schema:
        merged["items"] = {"allOf": [branch["items"], schema["items"]]}
    if "properties" in branch and "properties" in schema:
        first, second = _of(branch, "properties"), _of(schema, "properties")
        both = {name: {"allOf": [first[name], second[name]]} for name in first.keys() & second}
        merged["properties"] = {**first, **second, **both}
    if branch.get("writeOnly") or schema.get("writeOnly"):
        merged["writeOnly"] = True
    return merged


def _of(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = schema.get(name)
    return inner if isinstance(inner, Mapping) else {}
