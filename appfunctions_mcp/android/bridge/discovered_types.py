"""Data types as a device lists them: properties that are arrays, also where one value is meant.

Tolerates bare values, and what a newer version may add; refuses what cannot be told.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.android.data_types import (
    PENDING_INTENT,
    SCALARS,
    AllOfType,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.xml.document_checks import MAX_TYPE_DEPTH, WITH_ENUM
from appfunctions_mcp.patterns import AppFunctionPatternMatcher
from appfunctions_mcp.quoting import quoted


class UnreadableError(Exception):
    """What is listed cannot be used; the text says what it is and why."""


def many(properties: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """All nested documents of a property."""
    value = properties.get(name)
    found = value if isinstance(value, list) else [value]
    return [each for each in found if isinstance(each, dict)]


def texts(properties: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """All values of a property, numbers as text too."""
    value = properties.get(name)
    found = value if isinstance(value, list) else [value]
    return tuple(str(each) for each in found if isinstance(each, str | int))


def _one(properties: Mapping[str, Any], name: str) -> Any:
    value = properties.get(name)
    if isinstance(value, list):
        return value[0] if value else None
    return value


def text(properties: Mapping[str, Any], name: str, *, required: bool = False) -> str:
    """A text; empty where there is none.

    Raises:
        UnreadableError: There has to be one.
    """
    value = _one(properties, name)
    if isinstance(value, str) and (value or not required):
        return value
    if value is None and not required:
        return ""
    raise UnreadableError(f"{name} is {quoted(repr(value))}; a text is expected")


def number(properties: Mapping[str, Any], name: str) -> int | None:
    """A whole number; None where there is none.

    Raises:
        UnreadableError: Something else stands there.
    """
    value = _one(properties, name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise UnreadableError(f"{name} is {quoted(repr(value))}; a whole number is expected")


def flag(properties: Mapping[str, Any], name: str) -> bool | None:
    """True or false; None where neither stands there.

    Raises:
        UnreadableError: Something else stands there.
    """
    value = _one(properties, name)
    if value is None or isinstance(value, bool):
        return value
    raise UnreadableError(f"{name} is {quoted(repr(value))}; true or false is expected")


def read_type(properties: Mapping[str, Any], name: str, depth: int = 1) -> DataType:
    """The type under a property.

    Args:
        properties: What holds it.
        name: The property, such as `dataTypeMetadata`.
        depth: How many types it stands in.

    Raises:
        UnreadableError: It is none that can be used.
    """
    found = many(properties, name)
    if not found:
        raise UnreadableError(f"there is no {name}")
    return _type_of(found[0], depth)


def _type_of(properties: Mapping[str, Any], depth: int) -> DataType:
    if depth > MAX_TYPE_DEPTH:
        raise UnreadableError(f"types stand in each other more than {MAX_TYPE_DEPTH} deep")
    given = number(properties, "type")
    try:
        kind = TypeNumber(-1 if given is None else given)
    except ValueError:
        raise UnreadableError(f"the type number is {given}, which is not known here") from None
    shared: dict[str, Any] = {
        "nullable": flag(properties, "isNullable") is True,
        "description": text(properties, "description"),
    }
    if kind in SCALARS:
        return _scalar_of(kind, properties, shared)
    if kind is TypeNumber.ARRAY:
        return ArrayType(items=read_type(properties, "itemType", depth + 1), **shared)
    if kind is TypeNumber.REFERENCE:
        return ReferenceType(name=text(properties, "dataTypeReference", required=True), **shared)
    return _object_of(kind, properties, shared, depth)


def _object_of(
    kind: TypeNumber, properties: Mapping[str, Any], shared: dict[str, Any], depth: int
) -> DataType:
    name = text(properties, "objectQualifiedName")
    if kind is TypeNumber.PARCELABLE:
        return ParcelableType(name=name or PENDING_INTENT, **shared)
    if kind is TypeNumber.OBJECT:
        members = tuple(_property_of(each, depth + 1) for each in many(properties, "properties"))
        required = texts(properties, "required")
        return ObjectType(name=name, properties=members, required=required, **shared)
    word = "allOf" if kind is TypeNumber.ALL_OF else "oneOf"
    parts = tuple(_type_of(each, depth + 1) for each in many(properties, word))
    whole = AllOfType if kind is TypeNumber.ALL_OF else OneOfType
    return whole(name=name, members=parts, **shared)


def _property_of(properties: Mapping[str, Any], depth: int) -> AndroidProperty:
    name = text(properties, "name", required=True)
    try:
        return AndroidProperty(name, read_type(properties, "dataTypeMetadata", depth))
    except UnreadableError as fault:
        raise UnreadableError(f"property {quoted(name)}: {fault}") from fault


def _scalar_of(
    kind: TypeNumber, properties: Mapping[str, Any], shared: dict[str, Any]
) -> ScalarType:
    is_text = kind is TypeNumber.STRING
    return ScalarType(
        kind=kind,
        enum_values=texts(properties, "enumValues") if kind in WITH_ENUM else (),
        patterns=_patterns_of(properties) if is_text else (),
        format=text(properties, "format") if is_text else "",
        **shared,
    )


def _patterns_of(properties: Mapping[str, Any]) -> tuple[StringPattern, ...]:
    """The patterns; none where one cannot be read here, since the device checks all of them."""
    found = []
    for each in many(properties, "patterns"):
        kind, value = number(each, "type"), text(each, "value")
        if kind is None:
            return ()
        try:
            AppFunctionPatternMatcher(value, kind)
        except ValueError:
            return ()
        found.append(StringPattern(value, kind))
    return tuple(found)
