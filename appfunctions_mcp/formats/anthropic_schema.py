"""Schemas of arguments in Anthropic's two dialects: of tools that are strict, and of others.

Without `strict` any JSON Schema 2020-12 is accepted whose root is an object without a union and
whose keys are plain; recursion stays as a reference. With `strict` all objects are closed,
recursion is not possible, and limits are said in descriptions. Knows nothing of requests.
"""

from typing import Any

from appfunctions_mcp.formats.names import PROPERTY_KEY, exported_name
from appfunctions_mcp.formats.schema_trees import is_open, plain_schema, rebuilt, subschemas
from appfunctions_mcp.formats.schema_words import without
from appfunctions_mcp.formats.tool_exports import changed_keys, told_in_words, with_exported_keys
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.records import record

__all__ = ["StrictSchema", "anthropic_schema", "exported_key", "strict_schema"]

_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
_KEPT = frozenset(
    {"type", "enum", "properties", "required", "additionalProperties", "items", "anyOf"}
    | {"description"}
)


@record(frozen=True, slots=True)
class StrictSchema:
    """A schema for a strict tool, and what it takes of what a request may have."""

    schema: JsonSchema
    optional_parameters: int
    """How many properties, at any depth, are not required."""
    unions: int
    """How many parts have several alternatives or types."""
    notes: tuple[str, ...] = ()
    """What is otherwise than declared."""


def exported_key(name: str) -> str:
    """The key of a property at Anthropic; the same where its rule accepts it."""
    return exported_name(name, accepted=PROPERTY_KEY)


def anthropic_schema(schema: Any, notes: list[str]) -> JsonSchema:
    """A function's schema for a tool that is not strict.

    Args:
        schema: What the function publishes; any JSON value.
        notes: Gets a sentence for whatever is otherwise than declared.

    Raises:
        ExportedNameError: Two properties of one object would have one key.
    """
    plain = plain_schema(schema, notes=notes)
    if changed := changed_keys(plain, exported_key):
        notes.append(changed)
    return with_exported_keys(plain, exported_key)


def strict_schema(exported: JsonSchema) -> StrictSchema | str:
    """The schema for the same tool as a strict one, or why there is none.

    Args:
        exported: What `anthropic_schema` gave; not changed.
    """
    if "$defs" in exported:
        return "a value holds its own kind, and strict schemas have no recursion"
    root = exported
    if not root["properties"] and not root.get("additionalProperties"):
        root = {**root, "additionalProperties": False}
    for path, part in subschemas(root):
        if is_open(part):
            return f"what {path or 'the whole'} takes has keys that are not declared"
    parts = [part for _, part in subschemas(root)]
    moved = {name for part in parts for name in _not_strict(part) if part[name] is not None}
    strict = rebuilt(root, _strict_part)
    parts = [part for _, part in subschemas(strict)]
    return StrictSchema(
        schema=strict,
        optional_parameters=sum(
            name not in part.get("required", ()) for part in parts for name in _names(part)
        ),
        unions=sum("anyOf" in part or isinstance(part["type"], list) for part in parts),
        notes=(told_in_words(sorted(moved)),) if moved else (),
    )


def _names(part: JsonSchema) -> JsonSchema:
    properties: JsonSchema = part.get("properties", {})
    return properties


def _strict_part(part: JsonSchema) -> JsonSchema:
    strict = without(part, _not_strict(part))
    return {**strict, "additionalProperties": False} if part.get("type") == "object" else strict


def _not_strict(part: JsonSchema) -> list[str]:
    """The keywords of a part that a strict schema does not have."""
    kept = set(_KEPT)
    if part.get("minItems") in {0, 1}:
        kept.add("minItems")
    if part.get("format") in _FORMATS and "string" in _types(part):
        kept.add("format")
    return [name for name in part if name not in kept]


def _types(part: JsonSchema) -> list[str]:
    types = part.get("type", [])
    return types if isinstance(types, list) else [types]
