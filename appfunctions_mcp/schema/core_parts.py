"""The parts of a pydantic core schema, for what reads or rewrites one.

Knows where a core schema keeps other core schemas, and nothing of what they mean.
"""

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

CoreSchema = dict[str, Any]
Rewrite = Callable[[CoreSchema], CoreSchema]
_Identity = tuple[str | int, ...]

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
_NO_PARTS = frozenset({"metadata", "config", "default", "expected"})
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


def core_schema_of(annotation: Any) -> CoreSchema:
    """The core schema of a type, in which each model is defined once.

    Raises:
        Exception: Whatever pydantic says of a type that it cannot use.
    """
    schema: Any = TypeAdapter(annotation).core_schema
    return with_shared_parts(schema)


def with_shared_parts(schema: CoreSchema) -> CoreSchema:
    """The same core schema, in which a model that stands in several places is defined once.

    pydantic puts the schema of a model into every place that uses it, or a copy of its outermost
    part. Whoever follows them all does the work of a level twice for the one above, where each
    level uses the next twice.

    Args:
        schema: The core schema of a whole type; not changed.
    """
    repeated = _repeated_in(schema)
    if not repeated:
        return schema
    defined = schema["definitions"] if schema["type"] == "definitions" else []
    names: dict[_Identity, str] = {_identity_of(each): each["ref"] for each in defined}
    definitions: list[CoreSchema] = []

    def shared(part: CoreSchema) -> CoreSchema:
        identity = _identity_of(part)
        if identity not in repeated:
            return with_parts(part, shared)
        name = names.get(identity)
        if name is None:
            # Copies of one model, each with marks of its own, have one name.
            name = names[identity] = f"{part['ref']}:{len(names)}"
            definitions.append({**with_parts(part, shared), "ref": name})
        return {"type": "definition-ref", "schema_ref": name}

    # What pydantic has defined keeps its name, by which the rest refers to it.
    kept = [with_parts(each, shared) for each in defined]
    whole = shared(schema["schema"] if defined else schema)
    return {"type": "definitions", "schema": whole, "definitions": [*kept, *definitions]}


def _repeated_in(schema: CoreSchema) -> set[_Identity]:
    """The identities of the named schemas that stand in more than one place."""
    repeated: set[_Identity] = set()
    seen: set[_Identity] = set()
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        identity = _identity_of(part)
        if identity in seen:
            repeated.add(identity)
            continue
        seen.add(identity)
        values = part
        if isinstance(part, dict):
            values = [value for key, value in part.items() if key not in _NO_PARTS]
        waiting.extend(value for value in values if isinstance(value, dict | list | tuple))
    return {identity for identity in repeated if len(identity) > 1}


def _identity_of(part: Any) -> _Identity:
    """What a schema with a name has in common with its copies; of all else, what it is itself."""
    if isinstance(part, dict) and "ref" in part:
        return (*part, *map(id, part.values()))
    return (id(part),)


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
