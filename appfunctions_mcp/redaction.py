"""Arguments that may be logged: secrets hidden by name and by schema, long values cut.

A name or a schema can only tell so much, so arguments are logged for debugging alone.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.lazy_regex import regex

REDACTED = "<redacted>"
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


def redacted(
    arguments: Mapping[str, Any], input_schema: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A copy of arguments that may be logged: secrets hidden, long texts and lists cut.

    Args:
        arguments: Raw arguments.
        input_schema: Hides what it calls `writeOnly` or of the format `password`.
    """
    schema = input_schema or {}
    return {
        name: _redacted(name, value, property_schema, schema, 1)
        for name, value, property_schema in _with_schemas(arguments, schema)
    }


def is_sensitive(name: str) -> bool:
    """Whether a parameter of this name holds a secret, as far as a name can tell."""
    words = [word.lower() for word in _WORD.findall(name)]
    together = "".join(words)
    return not SENSITIVE_WORDS.isdisjoint(words) or any(p in together for p in SENSITIVE_PARTS)


def _redacted(
    name: str, value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], level: int
) -> Any:
    schema = _resolved(schema, root)
    if is_sensitive(name) or schema.get("writeOnly") or schema.get("format") == "password":
        return REDACTED
    if isinstance(value, str):
        cut = value[:_LONGEST_TEXT]
        return value if cut == value else f"{cut}… ({len(value)} characters)"
    if not isinstance(value, Mapping | list):
        return value
    if level >= _DEEPEST_LEVEL:
        return "…"
    if isinstance(value, Mapping):
        return {
            key: _redacted(key, item, item_schema, root, level + 1)
            for key, item, item_schema in _with_schemas(value, schema)
        }
    shown = [_redacted("", v, _of(schema, "items"), root, level + 1) for v in value[:_MOST_ITEMS]]
    return shown if len(shown) == len(value) else [*shown, f"… ({len(value)} items)"]


def _with_schemas(
    value: Mapping[str, Any], schema: Mapping[str, Any]
) -> list[tuple[str, Any, Mapping[str, Any]]]:
    properties = _of(schema, "properties")
    others = _of(schema, "additionalProperties")
    return [(str(name), item, _of(properties, name, others)) for name, item in value.items()]


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with its reference followed, and with what any branch of a union says."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        schema = {**_of(_of(root, "$defs"), reference.rpartition("/")[2]), **schema}
    merged: dict[str, Any] = dict(schema)
    for branch in schema.get("anyOf", ()):
        if isinstance(branch, Mapping):
            merged = {**branch, **merged}
    return merged


def _of(
    schema: Mapping[str, Any], name: str, default: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    inner = schema.get(name)
    return inner if isinstance(inner, Mapping) else default or {}
