"""The parts of a pydantic core schema, for what rewrites one.

Knows where a core schema keeps other core schemas, and nothing of what they mean.
"""

from collections.abc import Callable
from typing import Any

CoreSchema = dict[str, Any]
Rewrite = Callable[[CoreSchema], CoreSchema]

_ONE = (
    "schema",
    "keys_schema",
    "values_schema",
    "extras_schema",
    "extras_keys_schema",
    "lax_schema",
    "strict_schema",
    "json_schema",
    "python_schema",
    "return_schema",
)
_ONE_OR_MANY = ("items_schema", "choices", "steps", "definitions", "arguments_schema")


def with_parts(schema: CoreSchema, rewrite: Rewrite) -> CoreSchema:
    """A copy of a core schema in which every schema directly below it is rewritten.

    Args:
        schema: The core schema; not changed.
        rewrite: Gets each part and returns what takes its place.
    """
    copied = dict(schema)
    for key in _ONE:
        if isinstance(schema.get(key), dict):
            copied[key] = rewrite(schema[key])
    for key in _ONE_OR_MANY:
        if schema.get(key) is not None:
            copied[key] = _rewritten(schema[key], rewrite)
    if fields := schema.get("fields"):
        copied["fields"] = _fields(fields, rewrite)
    if computed := schema.get("computed_fields"):
        copied["computed_fields"] = [with_parts(field, rewrite) for field in computed]
    if serialization := schema.get("serialization"):
        copied["serialization"] = with_parts(serialization, rewrite)
    return copied


def _rewritten(parts: Any, rewrite: Rewrite) -> Any:
    """Schemas in a list, in a dict by tag, in pairs with a label, or behind a parameter's name."""
    if isinstance(parts, list):
        return [_rewritten(part, rewrite) for part in parts]
    if isinstance(parts, tuple):
        return (rewrite(parts[0]), *parts[1:])
    if not isinstance(parts, dict):
        return parts
    if isinstance(parts.get("type"), str):
        return rewrite(parts)
    if isinstance(parts.get("schema"), dict) and "name" in parts:
        return with_parts(parts, rewrite)
    return {tag: _rewritten(part, rewrite) for tag, part in parts.items()}


def _fields(fields: Any, rewrite: Rewrite) -> Any:
    """Fields by name, in a list, or the bare names that a dataclass keeps."""
    if isinstance(fields, dict):
        return {name: with_parts(field, rewrite) for name, field in fields.items()}
    return [with_parts(f, rewrite) if isinstance(f, dict) else f for f in fields]
