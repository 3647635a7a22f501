"""What Gemini documents of `parametersJsonSchema`: JSON Schema, with some limits.

Keywords that it does not know are passed over by the service and so break no rule. Knows
nothing of how schemas are exported.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.gemini.schema_rules import PARAMETER_NAME
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import at
from appfunctions_mcp.formats.schema_rules import (
    schema_parts,
    schema_rule_violations,
    target_of,
)
from appfunctions_mcp.quoting import quoted

__all__ = ["json_schema_violations"]

_BESIDE_REFERENCE = frozenset({"$ref", "description", "default"})


def json_schema_violations(schema: Any, path: str, *, is_root: bool) -> Iterator[Violation]:
    """Checks a schema and all its parts.

    Args:
        schema: The value of `parametersJsonSchema` or `responseJsonSchema`.
        path: The JSON pointer to it.
        is_root: Whether it is that of a function's parameters, which are an object.
    """
    yield from schema_rule_violations(schema, path)
    if not isinstance(schema, Mapping):
        return
    if is_root:
        yield from _root_violations(schema, path)
    for where, part in schema_parts(schema, path):
        if isinstance(part, Mapping):
            yield from _part_violations(part, where)
            yield from _recursion_violations(schema, part, where)


def _root_violations(schema: Mapping[str, Any], path: str) -> Iterator[Violation]:
    if schema.get("type") != "object":
        yield Violation(f"{path}/type", "root-not-object", "The type of all parameters is 'object'")
    properties = schema.get("properties")
    for name in properties if isinstance(properties, Mapping) else ():
        if not PARAMETER_NAME.match(str(name)):
            text = (
                f"{quoted(str(name))} is not accepted; the name of a parameter begins with a "
                "letter from A to Z or '_', and goes on with up to 63 of these and digits"
            )
            yield Violation(at(path, "properties", str(name)), "parameter-name", text)


def _part_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    others = [key for key in part if key not in _BESIDE_REFERENCE and not str(key).startswith("$")]
    if "$ref" in part and others:
        text = f"{', '.join(sorted(others))} beside a reference; only description and default are"
        yield Violation(path, "reference-with-others", text)
    types = part.get("type")
    is_array = types == "array" or (isinstance(types, list) and "array" in types)
    if is_array and not ({"items", "prefixItems"} & part.keys() and part.get("items") != {}):
        yield Violation(path, "array-without-items", "An array has items, with a type of their own")


def _recursion_violations(
    root: Mapping[str, Any], part: Mapping[str, Any], path: str
) -> Iterator[Violation]:
    """A reference that leads back to itself stands in properties that may be left out."""
    properties = part.get("properties")
    required = part.get("required")
    for name in required if isinstance(required, list) else []:
        if not isinstance(properties, Mapping) or not isinstance(name, str):
            continue
        each = properties.get(name)
        reference = each.get("$ref") if isinstance(each, Mapping) else None
        if isinstance(reference, str) and _holds(root, reference, reference):
            text = f"{quoted(reference)} holds itself; such a property is not required"
            yield Violation(at(path, "properties", str(name)), "recursion-required", text)


def _holds(root: Mapping[str, Any], start: str, sought: str) -> bool:
    seen = {start}
    waiting = [start]
    while waiting:
        for _, part in schema_parts(target_of(root, waiting.pop())):
            found = part.get("$ref") if isinstance(part, Mapping) else None
            if found == sought:
                return True
            if isinstance(found, str) and found not in seen:
                seen.add(found)
                waiting.append(found)
    return False
