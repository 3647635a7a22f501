"""Reads the data types of a functions XML.

A type that cannot be read is reported and stands as some object, so that reading goes on and one
report names everything. Knows nothing of functions.
"""

from collections.abc import Callable
from dataclasses import replace

from appfunctions_mcp.android.data_types import (
    PENDING_INTENT,
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
from appfunctions_mcp.android.xml.document_checks import BLANKS, WITH_ENUM
from appfunctions_mcp.android.xml.old_patterns import patterns_of
from appfunctions_mcp.android.xml.xml_parts import ElementReader
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.xml_elements import XmlElement

_PARTS = (
    *("allOf", "oneOf", "dataTypeReference", "id", "isNullable", "itemType"),
    *("objectQualifiedName", "description", "properties", "required", "enumValues"),
    *("patterns", "pattern", "format", "type"),
)
# Stands for a type of which a fault was reported, fit for every place.
_UNREADABLE = ObjectType(
    name="unreadable",
    properties=(AndroidProperty("unreadable", ScalarType(kind=TypeNumber.STRING)),),
)
_WHOLE = regex(r"[+-]?[0-9]{1,18}\Z")


class TypeReader:
    """Reads types.

    Args:
        report: Takes faults and warnings.
    """

    def __init__(self, report: FaultReport) -> None:
        self._report = report
        self._readers: dict[TypeNumber, Callable[[ElementReader], DataType]] = {
            TypeNumber.ARRAY: self._array,
            TypeNumber.REFERENCE: self._reference,
            TypeNumber.OBJECT: self._object,
            TypeNumber.ALL_OF: self._all_of,
            TypeNumber.ONE_OF: self._one_of,
            TypeNumber.PARCELABLE: self._parcelable,
        }

    def read(self, element: XmlElement, place: str) -> DataType:
        """The type that an element describes.

        Args:
            element: A `dataTypeMetadata`, `valueType`, `itemType`, `allOf` or `oneOf`.
            place: Where in the document it stands, for messages.
        """
        parts = ElementReader(element, self._report, place)
        parts.one("id")
        number = parts.number("type", required=True)
        if number is None:
            return _UNREADABLE
        try:
            kind = TypeNumber(number)
        except ValueError:
            parts.fault(f"the type number is {number}; accepted: {_KINDS}")
            return _UNREADABLE
        reader = self._readers.get(kind)
        found = _scalar(kind, parts) if reader is None else reader(parts)
        found = replace(
            found,
            nullable=parts.truth("isNullable") or False,
            description=parts.text("description") or "",
            line=parts.line,
        )
        parts.leave_out(_PARTS, f"type {int(kind)} ({_word(kind)})")
        return found

    def child(self, parts: ElementReader, name: str, place: str) -> DataType:
        """The type in the child of this name; that there is none is a fault."""
        found = parts.one(name, required=True)
        return _UNREADABLE if found is None else self.read(found, place)

    def named(self, element: XmlElement, place: str, what: str) -> AndroidProperty:
        """A type with the name beside it."""
        parts = ElementReader(element, self._report, place)
        parts.one("id")
        name = parts.name("name") or ""
        parts.place = f"{place}{', ' if place else ''}{what} {quoted(name)}"
        found = self.child(parts, "dataTypeMetadata", parts.place)
        parts.leave_out()
        return AndroidProperty(name, found)

    def _array(self, parts: ElementReader) -> DataType:
        return ArrayType(items=self.child(parts, "itemType", f"{parts.place}, items"))

    def _reference(self, parts: ElementReader) -> DataType:
        name = parts.name("dataTypeReference", required=True)
        return _UNREADABLE if name is None else ReferenceType(name=name)

    def _object(self, parts: ElementReader) -> DataType:
        properties = [
            self.named(each, parts.place, "property") for each in parts.many("properties")
        ]
        required = (each.strip(BLANKS) for each in parts.texts("required"))
        return ObjectType(
            name=parts.name("objectQualifiedName") or "",
            properties=tuple(properties),
            required=tuple(required),
        )

    def _all_of(self, parts: ElementReader) -> DataType:
        members = self._members(parts, "allOf")
        return AllOfType(name=parts.name("objectQualifiedName") or "", members=members)

    def _one_of(self, parts: ElementReader) -> DataType:
        members = self._members(parts, "oneOf")
        return OneOfType(name=parts.name("objectQualifiedName") or "", members=members)

    def _parcelable(self, parts: ElementReader) -> DataType:
        return ParcelableType(name=parts.name("objectQualifiedName") or PENDING_INTENT)

    def _members(self, parts: ElementReader, name: str) -> tuple[DataType, ...]:
        return tuple(self.read(each, f"{parts.place}, member") for each in parts.many(name))


def _scalar(kind: TypeNumber, parts: ElementReader) -> ScalarType:
    values = parts.texts("enumValues") if kind in WITH_ENUM else []
    if kind == TypeNumber.INT:
        values = [_as_number(each.strip(BLANKS)) for each in values]
    if len(set(values)) < len(values):
        parts.warn("a value stands twice among the enumValues; one is carried over")
    if kind != TypeNumber.STRING:
        return ScalarType(kind=kind, enum_values=tuple(dict.fromkeys(values)))
    return ScalarType(
        kind=kind,
        enum_values=tuple(dict.fromkeys(values)),
        patterns=_patterns(parts),
        format=parts.text("format") or "",
    )


def _as_number(text: str) -> str:
    """A whole number as it is written without a plus sign or leading zeros; else as it came."""
    return str(int(text)) if _WHOLE.match(text) else text


def _patterns(parts: ElementReader) -> tuple[StringPattern, ...]:
    found = [_pattern(parts.inside(each, "pattern")) for each in parts.many("patterns")]
    expression = parts.text("pattern")
    if expression is not None:
        older = patterns_of(expression)
        if not older and expression:
            parts.warn(
                f"the <pattern> {quoted(expression)}, a regular expression of an older form, has "
                "no exact equal among Android's patterns and is not carried over"
            )
        found.extend(older)
    return tuple(dict.fromkeys(found))


def _pattern(parts: ElementReader) -> StringPattern:
    parts.one("id")
    kind = parts.number("type", required=True)
    value = parts.text("value")
    if value is None:
        parts.fault("<patterns> has no <value>; add it")
    parts.leave_out()
    return StringPattern(value or "", kind or 0)


def _word(kind: TypeNumber) -> str:
    """A kind in the document's own words: `allOf`, `string`."""
    first, *others = kind.name.lower().split("_")
    return first + "".join(each.title() for each in others)


_KINDS = ", ".join(f"{number.value} {_word(number)}" for number in TypeNumber)
