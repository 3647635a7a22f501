"""The types of a document as types of Kotlin, with their defaults and their constraints.

Kotlin has fewer: lists of lists, of bytes or of numbers that may be null are refused. Classes
are made elsewhere; here they are only named.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from appfunctions_mcp.android.data_types import (
    URI,
    AllOfType,
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
from appfunctions_mcp.android.kotlin.names import (
    FileScope,
    KotlinType,
    parsed_class,
    parsed_type,
    require_identifiers,
)
from appfunctions_mcp.android.kotlin.words import KotlinError, annotation, string_literal
from appfunctions_mcp.android.proxies import proxy_of
from appfunctions_mcp.android.references import resolved
from appfunctions_mcp.android.uri_forms import uri_patterns
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.patterns import PatternType
from appfunctions_mcp.quoting import quoted

__all__ = [
    "LIBRARY",
    "RESOURCE_CONTAINER",
    "TypeReader",
    "Whole",
    "constraint_of",
    "default_of",
    "has_constraint",
    "is_library_class",
    "is_library_container",
    "lost_constraint",
]

LIBRARY = "androidx.appfunctions"
RESOURCE_CONTAINER = f"{LIBRARY}.AppFunctionResourceContainer"
_LIBRARY_MEMBERS = {
    f"{LIBRARY}.AppFunctionTextResource": {"mimeType", "content"},
    f"{LIBRARY}.AppFunctionUriGrant": {"uri", "modeFlags"},
}
_PLATFORM = ("java.", "javax.", "kotlin.", "android.")
_PARCELABLE = "android.os.Parcelable"

_SCALARS = {
    TypeNumber.BOOLEAN: "kotlin.Boolean",
    TypeNumber.BYTES: "kotlin.ByteArray",
    TypeNumber.DOUBLE: "kotlin.Double",
    TypeNumber.FLOAT: "kotlin.Float",
    TypeNumber.LONG: "kotlin.Long",
    TypeNumber.INT: "kotlin.Int",
    TypeNumber.STRING: "kotlin.String",
}
_ARRAYS = {
    TypeNumber.BOOLEAN: "kotlin.BooleanArray",
    TypeNumber.DOUBLE: "kotlin.DoubleArray",
    TypeNumber.FLOAT: "kotlin.FloatArray",
    TypeNumber.LONG: "kotlin.LongArray",
    TypeNumber.INT: "kotlin.IntArray",
}
_LIST = "kotlin.collections.List"
_EMPTY = {
    "kotlin.Boolean": "false",
    "kotlin.Int": "0",
    "kotlin.Long": "0L",
    "kotlin.Float": "0f",
    "kotlin.Double": "0.0",
    "kotlin.ByteArray": "kotlin.byteArrayOf()",
    "kotlin.BooleanArray": "kotlin.booleanArrayOf()",
    "kotlin.DoubleArray": "kotlin.doubleArrayOf()",
    "kotlin.FloatArray": "kotlin.floatArrayOf()",
    "kotlin.LongArray": "kotlin.longArrayOf()",
    "kotlin.IntArray": "kotlin.intArrayOf()",
    _LIST: "kotlin.collections.emptyList()",
}
"""The empty value of each type that Android lets be left out."""
_PATTERN_KINDS = {
    PatternType.LITERAL: "PATTERN_LITERAL",
    PatternType.PREFIX: "PATTERN_PREFIX",
    PatternType.SIMPLE_GLOB: "PATTERN_SIMPLE_GLOB",
    PatternType.ADVANCED_GLOB: "PATTERN_ADVANCED_GLOB",
    PatternType.SUFFIX: "PATTERN_SUFFIX",
}
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*")
_ACCEPTED_ITEMS = (
    "accepted are lists of text, objects, addresses, parcelables, and of numbers and truth values "
    "that are never null"
)


Whole = ObjectType | AllOfType | OneOfType
"""The types that are classes in Kotlin."""


class InlineClasses(Protocol):
    """What makes a class of an object that stands where it is used."""

    def inline(self, data_type: Whole, hint: str) -> str:
        """Makes sure that there is a class for it, and returns the class's name."""


class TypeReader:
    """Names the types of one set of components.

    Args:
        components: The components by name.
        package: Where names without a package belong.
        classes: Makes classes of objects that are no components.
    """

    def __init__(
        self, components: Mapping[str, DataType], package: str, classes: InlineClasses
    ) -> None:
        self._components = components
        self._package = package
        self._classes = classes

    def type_of(self, data_type: DataType, hint: str) -> KotlinType:
        """The Kotlin type of a type.

        Args:
            data_type: What is named.
            hint: The name of a class made of it, where it has none.

        Raises:
            KotlinError: There is none.
        """
        if isinstance(data_type, ScalarType):
            return _scalar(data_type)
        if isinstance(data_type, ArrayType):
            return self._array(data_type, hint)
        if isinstance(data_type, ReferenceType):
            return self._reference(data_type, hint)
        if isinstance(data_type, ParcelableType):
            return self._parcelable(data_type)
        return self._whole(data_type, hint)

    def _whole(self, data_type: Whole, hint: str) -> KotlinType:
        if uri_patterns(data_type) is not None:
            return KotlinType(URI, nullable=data_type.nullable)
        if is_library_class(data_type.name, data_type):
            return KotlinType(data_type.name, nullable=data_type.nullable)
        name = self._classes.inline(data_type, hint)
        return parsed_type(name, self._package).or_null(nullable=data_type.nullable)

    def in_the_end(self, data_type: DataType) -> DataType:
        """What a type is when references are followed."""
        return resolved(data_type, self._components)

    def _array(self, array: ArrayType, hint: str) -> KotlinType:
        items = self.in_the_end(array.items)
        if isinstance(items, ScalarType) and items.kind in _ARRAYS:
            if items.nullable:
                raise KotlinError(
                    f"a list of {items.kind.name.lower()} values that may be null has no word in "
                    f"Kotlin; {_ACCEPTED_ITEMS}"
                )
            return KotlinType(_ARRAYS[items.kind], nullable=array.nullable)
        is_bytes = isinstance(items, ScalarType) and items.kind == TypeNumber.BYTES
        if is_bytes or isinstance(items, ArrayType):
            what = "bytes" if is_bytes else "lists"
            raise KotlinError(f"a list of {what} has no word in Kotlin; {_ACCEPTED_ITEMS}")
        return KotlinType(_LIST, (self.type_of(array.items, f"{hint}Item"),), array.nullable)

    def _reference(self, reference: ReferenceType, hint: str) -> KotlinType:
        found = self._components[reference.name]
        if is_library_class(reference.name, found):
            return KotlinType(reference.name, nullable=reference.nullable)
        if isinstance(found, Whole) and uri_patterns(found) is None:
            named = parsed_type(reference.name, self._package)
            return named.or_null(nullable=reference.nullable)
        return self.type_of(replace(self.in_the_end(found), nullable=reference.nullable), hint)

    def _parcelable(self, parcelable: ParcelableType) -> KotlinType:
        if parcelable.name == _PARCELABLE:
            raise KotlinError(f"{_PARCELABLE} is any parcelable; Android accepts one class of them")
        name = parsed_class(parcelable.name, self._package)
        require_identifiers(name)
        return KotlinType(name.binary, nullable=parcelable.nullable)


def _scalar(scalar: ScalarType) -> KotlinType:
    if scalar.kind not in _SCALARS:
        raise KotlinError(
            "unit is no value; only what a function returns can be unit; leave it out"
        )
    return KotlinType(_SCALARS[scalar.kind], nullable=scalar.nullable)


def is_library_class(name: str, data_type: DataType) -> bool:
    """Whether Android brings the class of this name and these properties.

    Raises:
        KotlinError: It brings a class of this name with other properties.
    """
    if proxy_of(name, data_type) is not None:
        return True
    names = {each.name for each in getattr(data_type, "properties", ())}
    if name in _LIBRARY_MEMBERS and names == _LIBRARY_MEMBERS[name]:
        return True
    if name.startswith(_PLATFORM) or name in _LIBRARY_MEMBERS or name == RESOURCE_CONTAINER:
        raise KotlinError(
            f"{quoted(name)} is a class of Android's or of Kotlin's, and no class for objects "
            "with these properties; rename it"
        )
    return False


def is_library_container(data_type: ObjectType) -> bool:
    """Whether this is what Android's AppFunctionResourceContainer says of itself."""
    return data_type.name == RESOURCE_CONTAINER and [
        (each.name, isinstance(each.type, ArrayType)) for each in data_type.properties
    ] == [("resources", True)]


def default_of(kotlin_type: KotlinType) -> str:
    """The empty value of a type that may be left out; a call is written with its full name.

    Raises:
        KotlinError: Android's compiler lets no such type be left out.
    """
    if kotlin_type.nullable:
        return "null"
    if kotlin_type.name not in _EMPTY:
        raise KotlinError(
            "what is optional and never null is a number, a truth value, bytes or a list in "
            "Kotlin; make this required, or let it be null"
        )
    return _EMPTY[kotlin_type.name]


def _constrained(data_type: DataType) -> DataType:
    """What a constraint is about: of a list, each item."""
    return data_type.items if isinstance(data_type, ArrayType) else data_type


def constraint_of(
    data_type: DataType, scope: FileScope, indent: str, target: str = ""
) -> Iterator[str]:
    """The annotation that says which values are accepted; nothing where all are.

    Args:
        data_type: The type.
        scope: Of the file.
        indent: What stands before each line.
        target: What the annotation is of, where that is not clear from its place.

    Raises:
        KotlinError: A text of it is too long.
    """
    found = _constrained(data_type)
    arguments: list[tuple[str, str | list[str]]] = []
    word = "Uri"
    if isinstance(found, ScalarType):
        word = "Int" if found.kind == TypeNumber.INT else "String"
        arguments = _scalar_constraint(found, scope)
    elif schemes := _schemes(uri_patterns(found) or ()):
        arguments = [("allowedSchemes", list(map(string_literal, schemes)))]
    if arguments:
        name = scope.name(f"{LIBRARY}.AppFunction{word}ValueConstraint")
        yield from annotation(f"{target}{name}", arguments, indent)


def _scalar_constraint(scalar: ScalarType, scope: FileScope) -> list[tuple[str, str | list[str]]]:
    arguments: list[tuple[str, str | list[str]]] = []
    if scalar.enum_values:
        is_int = scalar.kind == TypeNumber.INT
        write = _int_literal if is_int else string_literal
        arguments.append(("enumValues", list(map(write, scalar.enum_values))))
    if scalar.patterns:
        arguments.append(("patternMatchers", [_pattern(each, scope) for each in scalar.patterns]))
    if scalar.format:
        arguments.append(("format", string_literal(scalar.format)))
    return arguments


def _int_literal(text: str) -> str:
    return str(int(text))


def _pattern(pattern: StringPattern, scope: FileScope) -> str:
    kind = _PATTERN_KINDS.get(PatternType(pattern.type)) if pattern.type in _KNOWN else None
    number = f"{scope.name('android.os.PatternMatcher')}.{kind}" if kind else str(pattern.type)
    name = scope.name(f"{LIBRARY}.AppFunctionPatternMatcher")
    return f"{name}({string_literal(pattern.value)}, {number})"


_KNOWN = frozenset(int(kind) for kind in _PATTERN_KINDS)


def _schemes(patterns: tuple[StringPattern, ...]) -> list[str]:
    """The schemes that patterns of an address stand for; none if they stand for other things."""
    schemes = [each.value.removesuffix(":") for each in patterns]
    are_schemes = all(
        each.type == PatternType.PREFIX and each.value == f"{scheme}:" and _SCHEME.fullmatch(scheme)
        for each, scheme in zip(patterns, schemes, strict=True)
    )
    return schemes if are_schemes else []


def has_constraint(data_type: DataType) -> bool:
    """Whether the values of a type are said to be some of many."""
    found = _constrained(data_type)
    if isinstance(found, ScalarType):
        return bool(found.enum_values or found.patterns or found.format)
    return bool(uri_patterns(found))


def lost_constraint(data_type: DataType) -> str | None:
    """What Kotlin cannot say of the values of a type; None where it can say all."""
    found = _constrained(data_type)
    patterns = uri_patterns(found)
    if patterns and not _schemes(patterns):
        return "the patterns of the address are no schemes, for which alone Kotlin has a word"
    return None
