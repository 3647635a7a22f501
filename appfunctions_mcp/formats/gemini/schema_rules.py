"""What Gemini documents of `parameters`: its own Schema, a part of OpenAPI's.

Every member that it does not know, and every value of another kind, makes the service refuse the
whole request (field case F20). Knows nothing of how schemas are exported.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import at
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["PARAMETER_NAME", "camel_case", "schema_violations"]

PARAMETER_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")
"""What the reference of FunctionDeclaration accepts as the name of a parameter."""

TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")

_FORMATS = {
    "STRING": ("enum", "date-time"),
    "NUMBER": ("float", "double"),
    "INTEGER": ("int32", "int64"),
}
# A member that is there belongs to one of these types.
_OF_TYPES = {
    "properties": ("OBJECT",),
    "required": ("OBJECT",),
    "propertyOrdering": ("OBJECT",),
    "minProperties": ("OBJECT",),
    "maxProperties": ("OBJECT",),
    "items": ("ARRAY",),
    "minItems": ("ARRAY",),
    "maxItems": ("ARRAY",),
    "enum": ("STRING",),
    "minLength": ("STRING",),
    "maxLength": ("STRING",),
    "pattern": ("STRING",),
    "minimum": ("INTEGER", "NUMBER"),
    "maximum": ("INTEGER", "NUMBER"),
    "format": tuple(_FORMATS),
}
_DIGITS = regex(r"[0-9]{1,19}\Z")
_WORD_BREAK = regex(r"_([a-z])")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and (isinstance(value, int) or math.isfinite(value))


def _is_count(value: Any) -> bool:
    # A 64-bit number may be written as text.
    if isinstance(value, str):
        return _DIGITS.match(value) is not None
    return _is_number(value) and 0 <= value == int(value)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_any(_value: Any) -> bool:
    return True


_COUNT = (_is_count, "a whole number that is not negative")
_NUMBER = (_is_number, "a number")
_TEXT = (_is_text, "a string")
_NAMES = (_is_names, "a list of strings")
_MEMBERS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "type": (
        lambda value: isinstance(value, str) and value.upper() in TYPES,
        f"one of {', '.join(TYPES)}, never a list",
    ),
    "nullable": (_is_flag, "true or false"),
    "enum": (
        lambda value: _is_names(value) and bool(value) and all(value),
        "a list of strings, of which none is empty",
    ),
    "required": _NAMES,
    "propertyOrdering": _NAMES,
    "properties": (lambda value: isinstance(value, Mapping), "an object of schemas"),
    "anyOf": (lambda value: isinstance(value, list) and bool(value), "a list of schemas"),
    "items": (lambda value: isinstance(value, Mapping) and bool(value), "a schema, not empty"),
    "example": (_is_any, "any value"),
    **dict.fromkeys(("format", "title", "description", "pattern"), _TEXT),
    **dict.fromkeys(("minimum", "maximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _COUNT),
}
"""The members of Schema; `default` is left out, since not every surface of the service has it."""


def camel_case(member: Any) -> str:
    """A member as the reference spells it: `any_of` is `anyOf`."""
    return _WORD_BREAK.sub(lambda found: found[1].upper(), str(member))


def schema_violations(schema: Any, path: str, *, is_root: bool) -> Iterator[Violation]:
    """Checks a schema and all its parts.

    Args:
        schema: The value of `parameters` or `response`, or a part of it.
        path: The JSON pointer to it.
        is_root: Whether it is that of a function's parameters, which are an object.
    """
    if not isinstance(schema, Mapping):
        yield Violation(path, "schema-not-object", "A schema is an object")
        return
    read = {camel_case(member): value for member, value in schema.items()}
    yield from _member_violations(read, path)
    yield from _type_violations(read, path)
    yield from _object_violations(read, path, is_root=is_root)
    for where, part in _parts(read, path):
        yield from schema_violations(part, where, is_root=False)


def _parts(read: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    properties = read.get("properties")
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        yield at(path, "properties", str(name)), part
    if isinstance(read.get("items"), Mapping) and read["items"]:
        yield f"{path}/items", read["items"]
    branches = read.get("anyOf")
    for place, part in enumerate(branches if isinstance(branches, list) else []):
        yield f"{path}/anyOf/{place}", part


def _member_violations(read: Mapping[str, Any], path: str) -> Iterator[Violation]:
    for member, value in read.items():
        if member not in _MEMBERS:
            text = f"{quoted(member)} is no member of a schema; accepted are {', '.join(_MEMBERS)}"
            yield Violation(at(path, member), "unknown-member", text)
            continue
        accepts, accepted = _MEMBERS[member]
        if not accepts(value):
            text = f"The value of {member!r} is not accepted; it is {accepted}"
            yield Violation(f"{path}/{member}", "member-value", text)


def _type_violations(read: Mapping[str, Any], path: str) -> Iterator[Violation]:
    if "anyOf" in read:
        if others := sorted(read.keys() - {"anyOf"}):
            text = f"{', '.join(others)} beside anyOf; where it is set, nothing else is"
            yield Violation(path, "union-with-others", text)
        return
    if "type" not in read:
        yield Violation(path, "untyped", "There is no type; every schema has one, or is a union")
        return
    kind = str(read["type"]).upper()
    for member, kinds in _OF_TYPES.items():
        if member in read and kind not in kinds:
            text = f"{member!r} is only for the type {' or '.join(kinds)}, and this is {kind}"
            yield Violation(f"{path}/{member}", "member-of-other-type", text)
    written = read.get("format")
    if isinstance(written, str) and kind in _FORMATS and written not in _FORMATS[kind]:
        text = f"{quoted(written)} is no format of {kind}; {' and '.join(_FORMATS[kind])} are"
        yield Violation(f"{path}/format", "format", text)
    if kind == "ARRAY" and "items" not in read:
        yield Violation(path, "array-without-items", "An array has items, with a type of their own")


def _object_violations(read: Mapping[str, Any], path: str, *, is_root: bool) -> Iterator[Violation]:
    if is_root and str(read.get("type")).upper() != "OBJECT":
        yield Violation(f"{path}/type", "root-not-object", "The type of all parameters is OBJECT")
    properties = read.get("properties")
    names = properties if isinstance(properties, Mapping) else {}
    for name in names if is_root else ():
        if not PARAMETER_NAME.match(str(name)):
            text = (
                f"{quoted(str(name))} is not accepted; the name of a parameter begins with a "
                "letter from A to Z or '_', and goes on with up to 63 of these and digits"
            )
            yield Violation(at(path, "properties", str(name)), "parameter-name", text)
    for member in ("required", "propertyOrdering"):
        for place, name in enumerate(read[member] if _is_names(read.get(member)) else []):
            if name not in names:
                text = f"{quoted(name)} is not defined; accepted are the names of the properties"
                yield Violation(f"{path}/{member}/{place}", "property-undefined", text)
