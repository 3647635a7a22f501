"""The parts of a function's schemas: parameters, their properties, items, branches, results.

Foreign schemas are taken as they are, whatever stands where a schema should be. Knows no rule.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.records import record

__all__ = [
    "SchemaPart",
    "has_one_value",
    "kinds_of",
    "own_kinds_of",
    "parameter_parts",
    "result_parts",
]

KINDS = ("string", "integer", "number", "boolean", "object", "array", "null")
"""The types that JSON Schema knows."""

_BRANCHES = ("anyOf", "oneOf", "allOf")
# A schema of more parts is judged by its first ones; a hostile one could go on for ever.
_MOST_PARTS = 5_000


@record(frozen=True, slots=True)
class SchemaPart:
    """One part of a schema that a function publishes."""

    place: str
    """As faults name it: `parameters.edits[].text`, or `response.total`."""
    schema: JsonSchema
    name: str = ""
    """The property's own name; empty for items, branches and roots."""
    required: bool = False
    depth: int = 0
    """0 for a root, 1 for a parameter itself, more inside one."""

    @property
    def description(self) -> str:
        """What the part says of itself."""
        text = self.schema.get("description")
        return text if isinstance(text, str) else ""


def parameter_parts(function: AppFunctionMetadata) -> Iterator[SchemaPart]:
    """Every part of the input schema, its root first, in the order of the schema."""
    return _parts(SchemaPart("parameters", function.input_schema))


def result_parts(function: AppFunctionMetadata) -> Iterator[SchemaPart]:
    """Every part of the output schema, its root first; none where there is no such schema."""
    if function.response.schema is not None:
        yield from _parts(SchemaPart("response", function.response.schema))


def _parts(root: SchemaPart) -> Iterator[SchemaPart]:
    waiting = [root]
    given = 0
    while waiting and given < _MOST_PARTS:
        part = waiting.pop()
        given += 1
        yield part
        waiting += reversed([*_inside(part)])


def _inside(part: SchemaPart) -> Iterator[SchemaPart]:
    schema, depth = part.schema, part.depth + 1
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    for name, each in _mapping(schema.get("properties")).items():
        if isinstance(each, Mapping):
            place = f"{part.place}.{name}"
            yield SchemaPart(place, dict(each), str(name), name in needed, depth)
    for keyword in ("$defs", "definitions"):
        for name, each in _mapping(schema.get(keyword)).items():
            if isinstance(each, Mapping):
                yield SchemaPart(f"{part.place}.{keyword}.{name}", dict(each), depth=depth)
    for keyword in ("items", "additionalProperties", "prefixItems"):
        for each in _schemas(schema.get(keyword)):
            yield SchemaPart(f"{part.place}[]", each, depth=depth)
    for keyword in _BRANCHES:
        for each in _schemas(schema.get(keyword)):
            yield SchemaPart(part.place, each, depth=depth)


def _schemas(value: Any) -> Iterator[JsonSchema]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, Mapping):
            yield dict(each)


def own_kinds_of(schema: JsonSchema) -> tuple[str, ...]:
    """The types that a part names itself, without those of its branches."""
    kinds = schema.get("type")
    return tuple(str(k) for k in (kinds if isinstance(kinds, list) else [kinds]) if k is not None)


def kinds_of(schema: JsonSchema) -> frozenset[str]:
    """The types that values of a part may have; empty where nothing says so.

    Those of the branches of a union count, and those of the members of an enum.
    """
    found = set(own_kinds_of(schema))
    if not found:
        members = schema.get("enum", [schema["const"]] if "const" in schema else [])
        found |= {kind_of(each) for each in (members if isinstance(members, list) else [])}
    for keyword in _BRANCHES:
        for each in _schemas(schema.get(keyword)):
            found |= set(own_kinds_of(each)) or ({"any"} if "$ref" in each else set())
    return frozenset(found)


def has_one_value(schema: JsonSchema) -> bool:
    """Whether a part is always the same text, as what tells the branches of a union apart."""
    members = schema.get("enum", [schema.get("const")])
    return isinstance(members, list) and len(members) == 1 and isinstance(members[0], str)


def kind_of(value: Any) -> str:
    """The type of a JSON value, in the words of JSON Schema."""
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array", type(None): "null"}
    return names.get(type(value), "object")


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}
