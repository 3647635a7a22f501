"""What a functions XML says, as frozen records: functions, their types, shared components.

The records hold what the document holds, in its own words: a part that is absent is None, and
an empty description is no description. Names of kinds and numbers are those of
`AppFunctionDataTypeMetadata`. Knows nothing of XML, of Python functions or of JSON Schema.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope

__all__ = [
    "PENDING_INTENT",
    "SCALARS",
    "URI",
    "AllOfType",
    "AndroidComponent",
    "AndroidDocument",
    "AndroidFunction",
    "AndroidParameter",
    "AndroidProperty",
    "AndroidResponse",
    "AndroidType",
    "ArrayType",
    "DataType",
    "ObjectType",
    "OneOfType",
    "ParcelableType",
    "ReferenceType",
    "ScalarType",
    "StringPattern",
    "TypeNumber",
    "number_of",
]

URI = "android.net.Uri"
"""The qualified name of an address; newer documents hold it inline, as an object."""
PENDING_INTENT = "android.app.PendingIntent"
"""The parcelable that a type 13 without a name means."""


class TypeNumber(IntEnum):
    """The numbers by which a functions XML names its types; 9 means nothing."""

    UNIT = 0
    BOOLEAN = 1
    BYTES = 2
    OBJECT = 3
    DOUBLE = 4
    FLOAT = 5
    LONG = 6
    INT = 7
    STRING = 8
    ARRAY = 10
    REFERENCE = 11
    ALL_OF = 12
    PARCELABLE = 13
    ONE_OF = 14


SCALARS = frozenset(
    {
        TypeNumber.UNIT,
        TypeNumber.BOOLEAN,
        TypeNumber.BYTES,
        TypeNumber.DOUBLE,
        TypeNumber.FLOAT,
        TypeNumber.LONG,
        TypeNumber.INT,
        TypeNumber.STRING,
    }
)
"""The types that hold no other type."""


@dataclass(frozen=True, slots=True)
class StringPattern:
    """One pattern of a text, as `android.os.PatternMatcher` reads it.

    The number of the kind is kept as it came: one that is not known matches nothing.
    """

    value: str
    type: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidType:
    """What every type has."""

    nullable: bool = False
    description: str = ""
    line: int = field(default=0, compare=False)
    """Where it stands in its file, for messages; 0 where it comes from none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarType(AndroidType):
    """A number, a text, a truth value, bytes, or nothing (unit)."""

    kind: TypeNumber
    enum_values: tuple[str, ...] = ()
    """The values that are accepted, as text also for numbers; all, if empty."""
    patterns: tuple[StringPattern, ...] = ()
    """Patterns of which one must match; none, if empty."""
    format: str = ""
    """What kind of text it is; a hint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayType(AndroidType):
    """A list of values of one type."""

    items: "DataType"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceType(AndroidType):
    """A component by its name; whether null is accepted is said here, not there."""

    name: str


@dataclass(frozen=True, slots=True)
class AndroidProperty:
    """One property of an object; its description stands in its type."""

    name: str
    type: "DataType"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectType(AndroidType):
    """An object with named properties, of which some may be left out."""

    name: str
    """Its qualified name; empty where the document gives none."""
    properties: tuple[AndroidProperty, ...]
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOfType(AndroidType):
    """An object with the properties of all members; of two of one name the later one holds."""

    name: str
    members: tuple["DataType", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfType(AndroidType):
    """One of several objects, told apart by their qualified names."""

    name: str
    members: tuple["DataType", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParcelableType(AndroidType):
    """A value that travels beside the document, such as a PendingIntent."""

    name: str = PENDING_INTENT


DataType = (
    ScalarType | ArrayType | ReferenceType | ObjectType | AllOfType | OneOfType | ParcelableType
)

_NUMBERS: dict[type, TypeNumber] = {
    ArrayType: TypeNumber.ARRAY,
    ReferenceType: TypeNumber.REFERENCE,
    ObjectType: TypeNumber.OBJECT,
    AllOfType: TypeNumber.ALL_OF,
    OneOfType: TypeNumber.ONE_OF,
    ParcelableType: TypeNumber.PARCELABLE,
}


def number_of(data_type: DataType) -> TypeNumber:
    """The number by which a functions XML names the type."""
    return data_type.kind if isinstance(data_type, ScalarType) else _NUMBERS[type(data_type)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidParameter:
    """One parameter; `required` says that it has no default, whatever its type admits."""

    name: str
    type: DataType
    required: bool
    description: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidResponse:
    """What a function returns."""

    type: DataType
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidFunction:
    """One function as a document declares it; None where the document is silent."""

    id: str
    enabled_by_default: bool | None = None
    scope: AppFunctionScope | None = None
    description: str = ""
    parameters: tuple[AndroidParameter, ...] = ()
    response: AndroidResponse | None = None
    """None in a v1 document, which says nothing of parameters and results."""
    schema: AppFunctionSchema | None = None
    deprecation: str | None = None
    access_level: AppFunctionAccessLevel | None = None
    compat_enforcement: bool | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AndroidComponent:
    """A type that functions of the document share, under its name."""

    name: str
    type: DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidDocument:
    """One functions XML."""

    functions: tuple[AndroidFunction, ...] = ()
    components: tuple[AndroidComponent, ...] = ()
    service: str | None = None
    """The entry point's base class, the id of the components; None where it is `unused`."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What of the file is not carried over, `FILE:LINE: …`, though the document is usable."""

    def component(self, name: str) -> DataType | None:
        """The component of this name."""
        return next((each.type for each in self.components if each.name == name), None)
