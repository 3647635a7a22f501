"""Types that every Android app has: dates and times as objects, and what Kotlin calls a type.

A functions XML describes a date as a component with whole numbers in it; over MCP it is text.
Knows nothing of Python types.
"""

from collections.abc import Mapping

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.uri_forms import uri_patterns

__all__ = ["DATE_TYPES", "DATE_TYPE_OF_FORM", "is_plain", "jvm_name"]


def _object(name: str, *properties: tuple[str, TypeNumber]) -> ObjectType:
    return ObjectType(
        name=name,
        nullable=True,
        properties=tuple(AndroidProperty(each, ScalarType(kind=kind)) for each, kind in properties),
        required=tuple(each for each, _ in properties),
    )


_INT, _LONG, _STRING = TypeNumber.INT, TypeNumber.LONG, TypeNumber.STRING
_DATE = (("year", _INT), ("month", _INT), ("dayOfMonth", _INT))
_TIME = (("hour", _INT), ("minute", _INT), ("second", _INT), ("nanoOfSecond", _INT))

DATE_TYPES: Mapping[str, ObjectType] = {
    each.name: each
    for each in (
        _object("java.time.Instant", ("epochSecond", _LONG), ("nanoAdjustment", _INT)),
        _object("java.time.LocalDate", *_DATE),
        _object("java.time.LocalDateTime", *_DATE, *_TIME),
        _object("java.time.LocalTime", *_TIME),
        _object("java.time.ZoneId", ("zoneID", _STRING)),
    )
}
"""Name → the component, exactly as Android's compiler writes it."""

DATE_TYPE_OF_FORM: Mapping[str, str] = {
    "date": "java.time.LocalDate",
    "time-naive": "java.time.LocalTime",
    "datetime-naive": "java.time.LocalDateTime",
    "datetime-aware": "java.time.Instant",
    "zone": "java.time.ZoneId",
}
"""The form of a text, as `schema.text_forms` names it → the component that stands for it."""

_JVM_NAMES: Mapping[TypeNumber, str] = {
    TypeNumber.UNIT: "kotlin.Unit",
    TypeNumber.BOOLEAN: "kotlin.Boolean",
    TypeNumber.BYTES: "kotlin.ByteArray",
    TypeNumber.DOUBLE: "kotlin.Double",
    TypeNumber.FLOAT: "kotlin.Float",
    TypeNumber.LONG: "kotlin.Long",
    TypeNumber.INT: "kotlin.Int",
    TypeNumber.STRING: "kotlin.String",
}
_WITH_ARRAYS = frozenset(
    {TypeNumber.BOOLEAN, TypeNumber.DOUBLE, TypeNumber.FLOAT, TypeNumber.LONG, TypeNumber.INT}
)


def jvm_name(data_type: DataType) -> str:
    """What Kotlin calls a type: `kotlin.String?`, `kotlin.collections.List<com.example.Note>`."""
    return f"{_plain_name(data_type)}{'?' if data_type.nullable else ''}"


def is_plain(data_type: DataType) -> bool:
    """Whether a type is all that Kotlin's name for it says: no values, patterns, descriptions."""
    patterns = uri_patterns(data_type)
    if isinstance(data_type, ObjectType | AllOfType | OneOfType) and patterns is None:
        # What is said of a class is said of each use of it.
        return True
    if isinstance(data_type, ScalarType):
        patterns = data_type.patterns
        if data_type.enum_values or data_type.format:
            return False
    is_item_plain = not isinstance(data_type, ArrayType) or is_plain(data_type.items)
    return is_item_plain and not (patterns or data_type.description)


def _plain_name(data_type: DataType) -> str:
    if isinstance(data_type, ScalarType):
        return _JVM_NAMES[data_type.kind]
    if not isinstance(data_type, ArrayType):
        return data_type.name
    items = data_type.items
    if isinstance(items, ScalarType) and items.kind in _WITH_ARRAYS and not items.nullable:
        return f"{_JVM_NAMES[items.kind]}Array"
    return f"kotlin.collections.List<{jvm_name(items)}>"
