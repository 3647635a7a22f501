"""Joins definitions of a published schema that say the same under two names.

A model that holds itself is read anew for each parameter that it stands in, so its definition
comes once for each. Knows nothing of shapes.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.metadata import JsonSchema

_PREFIX = "#/$defs/"


def joined_definitions(schema: JsonSchema) -> JsonSchema:
    """The schema with one definition in place of those that are alike.

    Args:
        schema: A schema, with `$defs` or without; not changed.

    Returns:
        The schema, in which the first name of several stands for all of them.
    """
    definitions: dict[str, JsonSchema] = schema.get("$defs", {})
    names = _first_names(definitions)
    if all(name == first for name, first in names.items()):
        return schema
    kept = {name: each for name, each in definitions.items() if names[name] == name}
    renamed: JsonSchema = _renamed({**schema, "$defs": kept}, names)
    return renamed


def _first_names(definitions: Mapping[str, JsonSchema]) -> dict[str, str]:
    """For each definition the first one that is like it, as are those that the two lead to.

    All are taken for alike, then told apart by what they say, until that changes nothing more.
    """
    names = dict.fromkeys(definitions, "")
    while True:
        first_of: dict[str, str] = {}
        told_apart = {
            name: first_of.setdefault(f"{names[name]} {_renamed(definition, names)!r}", name)
            for name, definition in definitions.items()
        }
        if told_apart == names:
            return names
        names = told_apart


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _other_reference(part, names)
            if key == "$ref" and isinstance(part, str)
            else _renamed(part, names)
            for key, part in value.items()
        }
    return [_renamed(part, names) for part in value] if isinstance(value, list) else value


def _other_reference(reference: str, names: Mapping[str, str]) -> str:
    name = names.get(reference.removeprefix(_PREFIX))
    return reference if name is None else _PREFIX + name
