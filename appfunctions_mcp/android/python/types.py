"""Types of a functions XML → Python annotations, with the imports that they need.

Knows how each type is written where it is used. Which classes there are, and what they are
called, is asked of the `Models` of the document.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from appfunctions_mcp.android.data_types import (
    PENDING_INTENT,
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
from appfunctions_mcp.android.python.nodes import (
    Expression,
    annotated,
    call,
    constant,
    import_from,
    name,
    subscript,
    tuple_of,
    union,
)
from appfunctions_mcp.android.uri_forms import uri_patterns
from appfunctions_mcp.patterns import PatternType

_LIBRARY = "appfunctions_mcp"
_HOMES = {
    "Annotated": "typing",
    "Literal": "typing",
    "IntEnum": "enum",
    "StrEnum": "enum",
    "BaseModel": "pydantic",
    "ConfigDict": "pydantic",
    "Field": "pydantic",
}
_GIVEN = (
    "AppFunctionAccessLevel AppFunctionIntValueConstraint AppFunctionNotSupportedException "
    "AppFunctionOneOf AppFunctionParameterName AppFunctionParcelable AppFunctionPatternMatcher "
    "AppFunctionResourceContainer AppFunctionSchema AppFunctionScope "
    "AppFunctionStringValueConstraint AppFunctionTextResource AppFunctionTypeDescription "
    "AppFunctionUriGrant AppFunctionUriValueConstraint Float32 Instant Int32 LocalDate "
    "LocalDateTime LocalTime PatternType PendingIntent Uri ZoneId app_function "
    "app_function_serializable"
)
IMPORTED = frozenset({*_HOMES, *_GIVEN.split()})
"""Every name that a module may import, so that nothing of its own is called so."""

_SCALARS = {
    TypeNumber.BOOLEAN: "bool",
    TypeNumber.BYTES: "bytes",
    TypeNumber.DOUBLE: "float",
    TypeNumber.FLOAT: "Float32",
    TypeNumber.LONG: "int",
    TypeNumber.INT: "Int32",
    TypeNumber.STRING: "str",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a type stands: what it is called after if it has no name, and what messages say."""

    name: str
    """The parameter's or property's name."""
    owner: str
    """The function's or class's name."""
    shown: str
    """The place in words."""

    def items(self) -> "Place":
        """The place of a list's items."""
        return replace(self, shown=f"{self.shown}, items")


class Models(Protocol):
    """The classes of a document, as types are written with them."""

    def component(self, component: str) -> str:
        """What a component is called."""

    def inline(self, data_type: ObjectType | AllOfType, place: Place) -> str:
        """The class of an object that stands where it is used."""

    def one_of(self, data_type: OneOfType, place: Place) -> str:
        """What a choice is called that stands where it is used."""

    def enum(self, scalar: ScalarType, place: Place) -> str:
        """The class of an enumeration."""

    def fault(self, data_type: DataType, text: str) -> None:
        """Notes a type that Python cannot hold."""


class Imports:
    """The imports of one module, each name once.

    Args:
        models: The module of models beside it; None for the module of models itself.
    """

    def __init__(self, models: str | None) -> None:
        self._models = models
        self._names: dict[tuple[str, int], set[str]] = {}

    def use(self, identifier: str) -> str:
        """Imports a name of a library; returns it."""
        self._names.setdefault((_HOMES.get(identifier, _LIBRARY), 0), set()).add(identifier)
        return identifier

    def use_model(self, identifier: str) -> str:
        """Imports what is defined in the module of models; returns it."""
        if identifier in IMPORTED:
            return self.use(identifier)
        if self._models is not None:
            self._names.setdefault((self._models, 1), set()).add(identifier)
        return identifier

    def statements(self) -> Iterator[ast.stmt]:
        """The imports in order: the standard library's, of packages, of this package."""
        standard = {"enum", "typing"}
        ordered = sorted(
            self._names.items(), key=lambda each: (each[0][1], each[0][0] not in standard, each[0])
        )
        for (module, level), names in ordered:
            yield import_from(module, names, level)


class TypeWriter:
    """Writes the types of one module.

    Args:
        models: The classes of the document.
        imports: Gets what the types need.
    """

    def __init__(self, models: Models, imports: Imports) -> None:
        self.imports = imports
        self.mentions: set[str] = set()
        """The models that were written since somebody last looked."""
        self._models = models

    def annotation(
        self,
        data_type: DataType,
        place: Place,
        *,
        marks: Sequence[Expression] = (),
        described: bool = False,
        open_enum: bool = False,
    ) -> Expression:
        """A type where it is used.

        Args:
            data_type: The type.
            place: Where it is used.
            marks: What else is said of it there.
            described: Whether its description is said elsewhere.
            open_enum: Whether values beside those of an enumeration are to fit in Python.
        """
        expression, own = self._plain(data_type, place, open_enum=open_enum)
        if data_type.nullable:
            expression = union(expression, constant(None))
        if data_type.description and not described and not describes_itself(data_type):
            own = [*own, self.call("AppFunctionTypeDescription", constant(data_type.description))]
        return self.marked(expression, [*own, *marks])

    def marked(self, expression: Expression, marks: Sequence[Expression]) -> Expression:
        """A type with what is said beside it."""
        if marks:
            self.imports.use("Annotated")
        return annotated(expression, marks)

    def call(
        self, function: str, *arguments: Expression, **keywords: Expression | None
    ) -> Expression:
        """A call of something that is imported for it."""
        return call(self.imports.use(function), *arguments, **keywords)

    def model(self, identifier: str) -> Expression:
        """A class or a choice of the module of models."""
        self.mentions.add(identifier)
        return name(self.imports.use_model(identifier))

    def _plain(
        self, data_type: DataType, place: Place, *, open_enum: bool
    ) -> tuple[Expression, list[Expression]]:
        """A type without null, and what stands beside it."""
        match data_type:
            case ScalarType():
                return self._scalar(data_type, place, open_enum=open_enum)
            case ArrayType():
                return self._array(data_type, place), []
            case ParcelableType():
                return self._parcelable(data_type)
            case ObjectType() if is_address(data_type):
                return name(self.imports.use("Uri")), self._schemes(uri_patterns(data_type) or ())
        return self.model(self._named(data_type, place)), []

    def _named(
        self, data_type: ReferenceType | ObjectType | AllOfType | OneOfType, place: Place
    ) -> str:
        """What the class or the choice is called that a type is."""
        if isinstance(data_type, ReferenceType):
            return self._models.component(data_type.name)
        if isinstance(data_type, OneOfType):
            return self._models.one_of(data_type, place)
        return self._models.inline(data_type, place)

    def _array(self, data_type: ArrayType, place: Place) -> Expression:
        items = data_type.items
        if isinstance(items, ScalarType) and items.kind == TypeNumber.BYTES:
            self._models.fault(
                data_type, f"{place.shown} is a list of bytes, which Android has not"
            )
        return subscript("list", self.annotation(items, place.items()))

    def _parcelable(self, data_type: ParcelableType) -> tuple[Expression, list[Expression]]:
        if data_type.name == PENDING_INTENT:
            return name(self.imports.use("PendingIntent")), []
        return name("str"), [self.call("AppFunctionParcelable", constant(data_type.name))]

    def _schemes(self, patterns: tuple[StringPattern, ...]) -> list[Expression]:
        if not patterns:
            return []
        schemes = tuple_of(constant(each.value.removesuffix(":")) for each in patterns)
        return [self.call("AppFunctionUriValueConstraint", allowed_schemes=schemes)]

    def _scalar(
        self, scalar: ScalarType, place: Place, *, open_enum: bool
    ) -> tuple[Expression, list[Expression]]:
        if scalar.kind == TypeNumber.UNIT:
            text = "is of the type unit, which only a result can be"
            self._models.fault(scalar, f"{place.shown} {text}")
            return constant(None), []
        if scalar.enum_values and not (scalar.patterns or scalar.format or open_enum):
            return self.model(self._models.enum(scalar, place)), []
        named = _SCALARS[scalar.kind]
        expression = name(self.imports.use(named) if named in IMPORTED else named)
        if scalar.kind == TypeNumber.INT and scalar.enum_values:
            numbers = tuple_of(constant(int(value)) for value in _once(scalar.enum_values))
            return expression, [self.call("AppFunctionIntValueConstraint", enum_values=numbers)]
        if scalar.enum_values or scalar.patterns or scalar.format:
            return expression, [self._text_constraint(scalar)]
        return expression, []

    def _text_constraint(self, scalar: ScalarType) -> Expression:
        values = [constant(value) for value in _once(scalar.enum_values)]
        matchers = [self._matcher(each) for each in scalar.patterns]
        return self.call(
            "AppFunctionStringValueConstraint",
            enum_values=tuple_of(values) if values else None,
            pattern_matchers=tuple_of(matchers) if matchers else None,
            format=constant(scalar.format) if scalar.format else None,
        )

    def _matcher(self, pattern: StringPattern) -> Expression:
        known = {each.value: each.name for each in PatternType}
        how = constant(pattern.type)
        if pattern.type in known:
            how = name(f"{self.imports.use('PatternType')}.{known[pattern.type]}")
        return self.call("AppFunctionPatternMatcher", constant(pattern.value), how)


def is_address(data_type: DataType) -> bool:
    """Whether a type is an address of which Python can say all that is said of it."""
    patterns = uri_patterns(data_type)
    if patterns is None or not isinstance(data_type, ObjectType):
        return False
    text = data_type.properties[0].type
    return (
        isinstance(text, ScalarType)
        and text.format == "uri"
        and all(each.type == PatternType.PREFIX and each.value[-1:] == ":" for each in patterns)
    )


def describes_itself(data_type: DataType) -> bool:
    """Whether the class of a type, or the choice that it is, says what the type says."""
    return isinstance(data_type, ObjectType | AllOfType | OneOfType) and not is_address(data_type)


def _once(values: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(values)
