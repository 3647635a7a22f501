"""The keywords of JSON Schema that say something to a model, each with a value of its kind.

Older drafts' spellings, OpenAPI's and the faults of real servers are read as what they mean.
Knows one part of a schema at a time.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from appfunctions_mcp.metadata import JsonSchema

__all__ = [
    "ANY_VALUE",
    "CONTAINERS",
    "KEYWORDS",
    "SCALARS",
    "distinct",
    "has_kind",
    "is_impossible",
    "json_key",
    "json_kind",
    "kinds_of",
    "limits_of",
    "lone_reference",
    "read_keywords",
    "same_json",
    "union_schema",
    "with_words",
]

SCALARS = ("string", "integer", "number", "boolean", "null")
CONTAINERS = ("object", "array")
WORDS = ("description", "default")

ANY_VALUE: JsonSchema = {
    "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        {"type": "object", "additionalProperties": True},
        {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
    ]
}
"""What stands for a part that admits any value."""

_OTHER_NAMES = {
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "str": "string",
    "text": "string",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "list": "array",
    "tuple": "array",
    "none": "null",
}
"""What servers wrote for a type although JSON Schema has another name for it (F27)."""


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number; true and false are none."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == int(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


_NUMBER_LIMITS: dict[str, Callable[[Any], bool]] = {
    "minimum": is_number,
    "maximum": is_number,
    "exclusiveMinimum": is_number,
    "exclusiveMaximum": is_number,
    "multipleOf": lambda value: is_number(value) and value > 0,
    "format": _is_text,
}
_LIMITS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "string": {
        "minLength": _is_count,
        "maxLength": _is_count,
        "pattern": _is_text,
        "format": _is_text,
        "contentEncoding": _is_text,
    },
    "number": _NUMBER_LIMITS,
    "integer": _NUMBER_LIMITS,
    "array": {"minItems": _is_count, "maxItems": _is_count, "uniqueItems": _is_flag},
    "object": {"minProperties": _is_count, "maxProperties": _is_count},
    "boolean": {},
    "null": {},
}
_ALL_LIMITS = {name: fits for limits in _LIMITS.values() for name, fits in limits.items()}

KEYWORDS = frozenset(
    {"type", "enum", "properties", "required", "additionalProperties", "items", "anyOf", "$ref"}
    | {"$defs", *WORDS, *_ALL_LIMITS}
)
"""All that occurs in the plain form; `$defs` at the root only."""

_TELLS_KIND = {
    "properties": "object",
    "patternProperties": "object",
    "additionalProperties": "object",
    "required": "object",
    "items": "array",
    "prefixItems": "array",
} | {name: kind for kind in ("number", "string", "array", "object") for name in _LIMITS[kind]}


def json_kind(value: Any) -> str:
    """The JSON Schema type of a JSON value; `integer` for whole numbers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def has_kind(value: Any, kinds: Iterable[str]) -> bool:
    """Whether a JSON value has one of the types; a whole number is a number too."""
    kind = json_kind(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def kinds_of(schema: Mapping[str, Any]) -> list[str] | None:
    """The types that a schema names, in JSON Schema's words; None where it names none."""
    written = schema.get("type")
    found = []
    for each in written if isinstance(written, list | tuple) else [written]:
        name = each.lower() if isinstance(each, str) else ""
        name = _OTHER_NAMES.get(name, name)
        if name in SCALARS or name in CONTAINERS:
            found.append(name)
    kinds = [kind for kind in dict.fromkeys(found) if kind != "integer" or "number" not in found]
    return kinds or None


def told_kinds(schema: Mapping[str, Any]) -> list[str]:
    """The types that keywords tell of where none is named; none for a part of any value."""
    return distinct(kind for name, kind in _TELLS_KIND.items() if name in schema)


def same_json(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same; 1 is 1.0, and true is no number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_json(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)


def json_key(value: Any) -> tuple[str, Any]:
    """What two JSON values have in common exactly if `same_json` takes them for the same."""
    if isinstance(value, Mapping | list | tuple):
        members = value.items() if isinstance(value, Mapping) else enumerate(value)
        keys = [(name, json_key(member)) for name, member in members]
        return (json_kind(value), frozenset(keys))
    return ("boolean" if isinstance(value, bool) else "", value)


def distinct(values: Iterable[Any]) -> list[Any]:
    """JSON values, each once."""
    found: dict[Any, Any] = {}
    for value in values:
        found.setdefault(json_key(value), value)
    return list(found.values())


def limits_of(schema: Mapping[str, Any], kinds: Iterable[str]) -> JsonSchema:
    """The limits that a schema sets to values of some types."""
    names = dict.fromkeys(name for kind in kinds for name in _LIMITS[kind])
    return {name: schema[name] for name in names if name in schema}


def is_impossible(part: Any) -> bool:
    """Whether a part says that no value meets it."""
    return part is False or (isinstance(part, Mapping) and part.get("not") in ({}, True))


def read_keywords(part: Mapping[str, Any]) -> JsonSchema:
    """What a part of any schema says, in the spelling of today's JSON Schema.

    `const` becomes `enum`, `items` with a list `prefixItems`; a boolean `exclusiveMinimum` takes
    its number; what `then` and `else` declare goes into `dependentSchemas`, since it holds under
    a condition too. Whatever has a value of the wrong kind, or says nothing to a model, is left
    out.
    """
    read: JsonSchema = {
        name: part[name] for name, fits in _ALL_LIMITS.items() if name in part and fits(part[name])
    }
    for name in ("Minimum", "Maximum"):
        if part.get(f"exclusive{name}") is True and name.lower() in read:
            read[f"exclusive{name}"] = read.pop(name.lower())
    read |= {name: part[name] for name, fits in _PARTS.items() if fits(part.get(name))}
    if kinds := kinds_of(part):
        read["type"] = kinds
    if isinstance(part.get("required"), list):
        read["required"] = [name for name in part["required"] if isinstance(name, str)]
    if "const" in part:
        read["enum"] = [part["const"]]
    if isinstance(part.get("items"), list):
        read["prefixItems"] = part["items"]
        rest = part.get("additionalItems")
        read |= {"items": rest} if isinstance(rest, Mapping | bool) else {}
    if part.get("unevaluatedProperties") is False and "additionalProperties" not in read:
        read["additionalProperties"] = False
    if conditional := list(_conditional_properties(part)):
        read["dependentSchemas"] = {str(n): each for n, each in enumerate(conditional)}
    choices = [value for value in read.pop("enum", ()) if _is_json(value)]
    read |= {"enum": choices} if choices else {}
    if "default" in part and _is_json(part["default"]):
        read["default"] = part["default"]
    return read


def _conditional_properties(part: Mapping[str, Any]) -> Iterator[JsonSchema]:
    """What a part declares under some condition, also where one stands in another."""
    waiting, seen = list(_conditional_parts(part)), set[int]()
    while waiting:
        each = waiting.pop(0)
        if not isinstance(each, Mapping) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each.get("properties"), Mapping) and each["properties"]:
            yield {"properties": each["properties"]}
        waiting += _conditional_parts(each)
        for word in ("allOf", "anyOf", "oneOf"):
            waiting += each[word] if isinstance(each.get(word), list) else ()


def _conditional_parts(part: Mapping[str, Any]) -> Iterator[Any]:
    # `dependencies` is what older drafts call it; there a value may be a list of names.
    for word in ("dependentSchemas", "dependencies"):
        dependent = part.get(word)
        yield from dependent.values() if isinstance(dependent, Mapping) else ()
    yield from (part.get(word) for word in ("then", "else") if "if" in part)


def _is_json(value: Any) -> bool:
    """Whether a value can be sent: Python reads infinity and NaN, which JSON does not have."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping | bool)


def _is_filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _are_properties(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_filled_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


_PARTS: dict[str, Callable[[Any], bool]] = {
    "$ref": _is_text,
    "description": _is_filled_text,
    "nullable": lambda value: value is True,
    "properties": _are_properties,
    "patternProperties": lambda value: isinstance(value, Mapping) and bool(value),
    "additionalProperties": _is_schema,
    "items": _is_schema,
    "prefixItems": _is_filled_list,
    "enum": _is_filled_list,
    "anyOf": _is_filled_list,
    "oneOf": _is_filled_list,
    "allOf": _is_filled_list,
}


def lone_reference(part: Mapping[str, Any]) -> str:
    """The reference that a part is, but for words; empty where it says more, or refers to none.

    One reference in `allOf` counts too: older generators write it so, to put words beside it.
    """
    read = {name: value for name, value in read_keywords(part).items() if name not in WORDS}
    parts = read.get("allOf")
    if len(read) == 1 and parts and len(parts) == 1 and isinstance(parts[0], Mapping):
        return lone_reference(parts[0])
    return read["$ref"] if len(read) == 1 and "$ref" in read else ""


def union_schema(branches: Iterable[JsonSchema]) -> JsonSchema:
    """One part for what meets any of some plain parts.

    Unions in it are opened, and choices of one type that stand alone become one list.
    """
    opened: list[JsonSchema] = []
    choices: dict[str, JsonSchema] = {}
    for branch in branches:
        inner = branch["anyOf"] if branch.keys() == {"anyOf"} else [branch]
        for each in inner:
            kind = each.get("type")
            if each.keys() != {"type", "enum"} or not isinstance(kind, str):
                opened.append(each)
            elif kind in choices:
                choices[kind]["enum"] += each["enum"]
            else:
                choices[kind] = {"type": kind, "enum": list(each["enum"])}
                opened.append(choices[kind])
    for listed in choices.values():
        listed["enum"] = distinct(listed["enum"])
    # One alternative may be large, and is not looked into.
    opened = distinct(opened) if len(opened) > 1 else opened
    if not opened:
        return dict(ANY_VALUE)
    return opened[0] if len(opened) == 1 else {"anyOf": opened}


def with_words(schema: JsonSchema, node: Mapping[str, Any]) -> JsonSchema:
    """A plain part with what is said beside it of its meaning and its default."""
    words = {name: node[name] for name in WORDS if name in node}
    if not isinstance(words.get("description", ""), str) or words.get("description") == "":
        del words["description"]
    return {**schema, **words}
