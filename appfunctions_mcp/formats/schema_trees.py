"""JSON Schemas of arguments in one plain form, from which each provider's dialect is made.

A foreign tool may publish any JSON Schema, or something that is none. In the plain form

- the root is an object with `properties` and without a union (F16, F17);
- references are replaced by what they refer to, with what stands beside them (F21); a recursion
  is kept as `$ref` to `$defs`, with nothing but words beside it, or cut at a depth (F22);
- every other part has `anyOf` and nothing but words beside it, or `type`: one type, or a list of
  scalar types;
- `oneOf` is `anyOf`, `allOf` is merged, `const` is an `enum` of one value, a tuple is an array;
- what an object may have under a condition only (`then`, `else`, `dependentSchemas`) is an
  optional property, and what it may have by a pattern of keys is a key that is not declared;
- every array has `items`, and nothing is empty: any value is a union of types (F18, F23);
- only the keywords of `KEYWORDS` occur, each with a value of the right kind (F27).

It may admit more than the schema that it was made of, never less, but for what no value can
meet: the function's own check of the arguments decides. Knows no provider.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.schema_keywords import (
    ANY_VALUE,
    KEYWORDS,
    json_kind,
    union_schema,
)
from appfunctions_mcp.formats.schema_reader import SchemaReader
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = [
    "ANY_VALUE",
    "KEYWORDS",
    "admits_null",
    "is_open",
    "is_set_field",
    "json_kind",
    "place_of",
    "plain_schema",
    "rebuilt",
    "resolved",
    "subschemas",
    "union_schema",
]

Definitions = Mapping[str, JsonSchema]


def plain_schema(
    schema: Any,
    *,
    cut_after: int | None = None,
    union_root: bool = False,
    notes: list[str] | None = None,
) -> JsonSchema:
    """A schema of arguments in the plain form.

    Args:
        schema: What a function or a foreign tool publishes; not changed. None, or what is no
            object, counts as a schema of no parameters.
        cut_after: How often a definition is written out inside itself before a bare type stands
            for it; None keeps recursion as `$ref` to `$defs` at the root.
        union_root: Whether a union at the root stays one; else its objects become one object
            with the properties of all, of which those are required that all require.
        notes: Gets a sentence for whatever was widened, for people.
    """
    told: list[str] = [] if notes is None else notes
    reader = SchemaReader(schema if isinstance(schema, Mapping) else {}, cut_after, told)
    plain = reader.read_root()
    definitions = reader.definitions()
    if not union_root:
        plain = _object_root(plain, definitions, told)
        # What only a union at the root referred to is opened and so needed no longer.
        definitions = _used(plain, definitions)
    return {**plain, "$defs": definitions} if definitions else plain


def _object_root(plain: JsonSchema, definitions: Definitions, notes: list[str]) -> JsonSchema:
    branches = list(_object_branches(plain, definitions, set()))
    if not branches:
        notes.append("The schema is none of an object; no parameters are exported")
        branches = [{"type": "object"}]
    elif len(branches) > 1:
        notes.append("The parameters of all alternatives are offered together")
    root = branches[0] if len(branches) == 1 else _joined(branches)
    words = {"description": plain["description"]} if "description" in plain else {}
    return {**root, "properties": root.get("properties", {}), **words}


def _object_branches(
    part: JsonSchema, definitions: Definitions, seen: set[str]
) -> Iterator[JsonSchema]:
    reference = part.get("$ref", "")
    if reference and reference not in seen:
        seen.add(reference)
        yield from _object_branches(resolved(part, definitions), definitions, seen)
    for branch in part.get("anyOf", []):
        yield from _object_branches(branch, definitions, seen)
    if part.get("type") == "object":
        yield part


def _joined(branches: list[JsonSchema]) -> JsonSchema:
    """One object with the properties of all; required is what all require."""
    members = [branch.get("properties", {}) for branch in branches]
    names = dict.fromkeys(name for each in members for name in each)
    root: JsonSchema = {
        "type": "object",
        "properties": {
            name: union_schema([each[name] for each in members if name in each]) for name in names
        },
    }
    if required := [n for n in names if all(n in b.get("required", []) for b in branches)]:
        root["required"] = required
    others = [branch.get("additionalProperties") for branch in branches]
    if any(others):
        root["additionalProperties"] = True
    elif all(each is False for each in others):
        root["additionalProperties"] = False
    return root


def _used(plain: JsonSchema, definitions: Definitions) -> dict[str, JsonSchema]:
    used: dict[str, JsonSchema] = {}
    waiting = [plain]
    while waiting:
        for _, part in subschemas(waiting.pop()):
            name = _name_in(part)
            if name in definitions and name not in used:
                used[name] = definitions[name]
                waiting.append(definitions[name])
    return {name: used[name] for name in sorted(used)}


def resolved(part: JsonSchema, definitions: Definitions) -> JsonSchema:
    """The part itself, or what it refers to, with the words that stand beside the reference."""
    if "$ref" not in part:
        return part
    words = {name: value for name, value in part.items() if name != "$ref"}
    return {**definitions[_name_in(part)], **words}


def _name_in(part: JsonSchema) -> str:
    return str(part.get("$ref", "")).removeprefix("#/$defs/")


def subschemas(schema: JsonSchema, path: str = "") -> Iterator[tuple[str, JsonSchema]]:
    """Every part of a schema, itself first, each with the JSON pointer that leads to it.

    Args:
        schema: Any schema; only what stands where a schema belongs is a part.
        path: The pointer to the schema itself.
    """
    yield path, schema
    for keyword in ("properties", "$defs"):
        for name, part in _mapping(schema.get(keyword)).items():
            if isinstance(part, Mapping):
                yield from subschemas(dict(part), f"{path}/{keyword}/{_escaped(name)}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), Mapping):
            yield from subschemas(schema[keyword], f"{path}/{keyword}")
    branches = schema.get("anyOf")
    for place, part in enumerate(branches if isinstance(branches, list) else []):
        if isinstance(part, Mapping):
            yield from subschemas(dict(part), f"{path}/anyOf/{place}")


def place_of(path: str) -> str:
    """A pointer of `subschemas` as people read it: `a.b` for the property `b` of `a`."""
    steps = iter(path.split("/"))
    named = [next(steps) for step in steps if step in {"properties", "$defs"}]
    return quoted(".".join(named)) if named else "The whole schema"


def rebuilt(schema: JsonSchema, change: Callable[[JsonSchema], JsonSchema]) -> JsonSchema:
    """A plain schema with every part changed, the innermost first; the old one stays.

    Args:
        schema: In the plain form.
        change: Gets each part, with its own parts changed already; may change and return it.
    """
    copy = dict(schema)
    for keyword in ("properties", "$defs"):
        if keyword in copy:
            copy[keyword] = {name: rebuilt(p, change) for name, p in copy[keyword].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(copy.get(keyword), Mapping):
            copy[keyword] = rebuilt(copy[keyword], change)
    if "anyOf" in copy:
        copy["anyOf"] = [rebuilt(part, change) for part in copy["anyOf"]]
    return change(copy)


def admits_null(part: JsonSchema, definitions: Definitions) -> bool:
    """Whether null is a value of a plain part."""
    waiting, seen = [part], set[str]()
    while waiting:
        each = waiting.pop()
        if (name := _name_in(each)) and name not in seen:
            seen.add(name)
            waiting.append(definitions[name])
        waiting.extend(each.get("anyOf", []))
        kinds = each.get("type", "")
        if "null" in ([kinds] if isinstance(kinds, str) else kinds):
            return True
    return False


def is_open(part: JsonSchema) -> bool:
    """Whether a plain part is an object of keys that nobody has declared, such as a map."""
    return part.get("type") == "object" and (
        bool(part.get("additionalProperties"))
        or (not part.get("properties") and part.get("additionalProperties") is not False)
    )


def is_set_field(part: JsonSchema) -> bool:
    """Whether a plain part is what a `SetField` publishes that can be cleared."""
    properties = part.get("properties", {})
    return (
        properties.keys() == {"value", "clear"}
        and properties["clear"] == {"type": "boolean"}
        and "required" not in part
        and part.get("additionalProperties") is False
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
