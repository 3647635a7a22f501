"""Shapes of Python types → the types of a functions XML, with the components that they share.

What Python has and Android has not becomes text with a format where nothing is lost by it, and
is refused otherwise. Knows nothing of functions; classes are read by `described_classes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from appfunctions_mcp.android.data_types import (
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
from appfunctions_mcp.android.standard_types import (
    DATE_TYPE_OF_FORM,
    DATE_TYPES,
    is_plain,
    jvm_name,
)
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import replaced
from appfunctions_mcp.schema.shapes import (
    AnyShape,
    BooleanShape,
    Direction,
    EnumShape,
    FormShape,
    ListShape,
    MapShape,
    NullableShape,
    NullShape,
    NumberShape,
    ObjectShape,
    ReferenceShape,
    SetFieldShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    is_recursive,
    resolved,
)

__all__ = ["Components", "NoAndroidTypeError", "TypeDescriber"]

_FORMATS = {
    "uuid": "uuid",
    "timedelta": "duration",
    "datetime": "date-time",
    "time": "time",
    "time-aware": "time",
}
_BETWEEN_WORDS = regex(r"[\W_]+")
_BYTES = frozenset({"bytes", "base64"})
_INT_RANGE = range(-(2**31), 2**31)


class NoAndroidTypeError(TypeError):
    """A type that a functions XML has no word for; the text says where, which and what to do."""


class ClassReader(Protocol):
    """What reads the classes that a shape holds."""

    def read(self, shape: ObjectShape, path: str) -> DataType:
        """The type of a class where it is used, never nullable."""


class Components:
    """The shared types of a document, by name."""

    def __init__(self) -> None:
        self._types: dict[str, DataType] = {}

    def add(self, name: str, described: DataType, path: str) -> None:
        """Adds a type; the same one may come again.

        Raises:
            NoAndroidTypeError: Another type has the name already.
        """
        if self._types.setdefault(name, described) != described:
            raise NoAndroidTypeError(
                f"{path} is {name}, of which there are two that differ; give one of them another "
                "name by app_function_serializable(name=…), or, if arguments and results differ, "
                "make two models"
            )

    def __len__(self) -> int:
        return len(self._types)

    def shrink(self, count: int) -> None:
        """Takes away all but those that were added first."""
        while len(self._types) > count:
            self._types.popitem()

    def sorted(self) -> list[tuple[str, DataType]]:
        """All of them by name, as Android's compiler orders them."""
        return sorted(self._types.items(), key=lambda each: each[0])


class TypeDescriber:
    """Describes the types of one direction.

    Args:
        components: Gets the shared types.
        direction: Whether values go into functions or come out of them.
        classes: Makes what reads classes, for this describer.
        home: The package of what has no name of its own; the module that it is from, or that
            uses it, when left out.
    """

    def __init__(
        self,
        components: Components,
        direction: Direction,
        classes: Callable[["TypeDescriber"], ClassReader],
        home: str | None = None,
    ) -> None:
        self.home = home
        self.components = components
        self.direction: Direction = direction
        self.package = ""
        """Where types without a name of their own belong: the module that uses them."""
        self.owner = ""
        """What they are named after: the function and parameter, or the class and property."""
        self._classes = classes(self)
        self._begun: set[int] = set()
        self._open: set[str] = set()

    def describe(self, shape: Shape, path: str, *, is_use: bool = False) -> DataType:
        """The type of a shape.

        Args:
            shape: What is described.
            path: Where it stands, for messages.
            is_use: Whether it is a parameter's or a result's, whose description is told
                apart from that of the type.

        Raises:
            NoAndroidTypeError: There is none.
        """
        marks = marks_of(shape)
        found = self._marked(shape, marks, path, is_use=is_use)
        said = None if is_use else shape.keywords.get("description")
        described = marks.get("type_description") or said
        return replace(found, description=described) if described else found

    def _marked(
        self, shape: Shape, marks: Mapping[str, Any], path: str, *, is_use: bool
    ) -> DataType:
        if isinstance(plain := resolved(shape), NullableShape):
            inner = plain.inner
            # What is said of `T | None` is said of T.
            marked = _with_marks(inner, marks) if marks else inner
            return replace(self.describe(marked, path, is_use=is_use), nullable=True)
        if "one_of" in marks:
            return self._one_of(plain, marks["one_of"], path)
        if "parcelable" in marks:
            return ParcelableType(name=marks["parcelable"])
        if isinstance(shape, ReferenceShape) and is_recursive(plain):
            return self._recursive(shape, plain, path)
        describe = _DESCRIBED.get(type(plain))
        if describe is None:
            raise NoAndroidTypeError(f"{path} is {_REFUSED[type(plain)]}")
        # An object is known by its shape, which a copy would not be.
        is_marked = bool(marks) and not isinstance(plain, ObjectShape)
        return describe(self, _with_marks(plain, marks) if is_marked else plain, path)

    def _recursive(self, shape: ReferenceShape, plain: Shape, path: str) -> DataType:
        if not isinstance(plain, ObjectShape):
            raise NoAndroidTypeError(f"{path} holds itself and is no model; make a model of it")
        if plain.cls is not None:
            return self._classes.read(plain, path)
        name = f"{self.package}.{shape.name.rpartition('/')[2]}".lstrip(".")
        if id(plain) not in self._begun:
            self._begun.add(id(plain))
            described = self.object_of(plain, name, path)
            self.components.add(name, replace(described, nullable=True), path)
        return ReferenceType(name=name)

    def describe_number(self, shape: NumberShape, _path: str) -> DataType:
        """Whole numbers are long, others double, unless a width is said."""
        if shape.kind == "decimal":
            return ScalarType(kind=TypeNumber.STRING, format="decimal")
        narrow = shape.keywords.get("format")
        if shape.kind == "float":
            return ScalarType(kind=TypeNumber.FLOAT if narrow == "float" else TypeNumber.DOUBLE)
        return ScalarType(kind=TypeNumber.INT if narrow == "int32" else TypeNumber.LONG)

    def describe_text(self, shape: Shape, _path: str) -> ScalarType:
        """Text, with its patterns and its format."""
        return ScalarType(
            kind=TypeNumber.STRING,
            patterns=_patterns_of(shape),
            format=str(shape.keywords.get("format") or ""),
        )

    def describe_form(self, shape: FormShape, path: str) -> DataType:
        """Bytes, addresses and dates as Android has them; other forms as text."""
        if shape.form in _BYTES:
            return ScalarType(kind=TypeNumber.BYTES)
        if shape.form == "uri":
            return uri_type(patterns=_patterns_of(shape))
        if name := DATE_TYPE_OF_FORM.get(shape.form):
            self.components.add(name, DATE_TYPES[name], path)
            return ReferenceType(name=name)
        return ScalarType(kind=TypeNumber.STRING, format=_FORMATS[shape.form])

    def describe_enum(self, shape: EnumShape, path: str) -> DataType:
        """Texts, or whole numbers of 32 bits."""
        values = [choice.json for choice in shape.choices]
        if all(isinstance(value, str) for value in values):
            text = self.describe_text(shape, path)
            return replace(text, enum_values=tuple(map(str, values)))
        if any(type(value) is not int for value in values):
            raise NoAndroidTypeError(
                f"{path} is one of {', '.join(map(repr, values))}; Android's values are either "
                "all text or all whole numbers"
            )
        if wide := [value for value in values if value not in _INT_RANGE]:
            raise NoAndroidTypeError(
                f"{path} has the value {wide[0]}; Android's whole numbers with a list of values "
                "have 32 bits"
            )
        return ScalarType(kind=TypeNumber.INT, enum_values=tuple(map(str, values)))

    def describe_list(self, shape: ListShape, path: str) -> DataType:
        """An array, whatever kind of list it is in Python."""
        items = self.describe(shape.items, f"an item of {path}")
        if isinstance(items, ScalarType) and items.kind == TypeNumber.BYTES:
            raise NoAndroidTypeError(
                f"{path} is a list of bytes, which Android has not; make a model that holds them"
            )
        return ArrayType(items=items)

    def describe_set_field(self, shape: SetFieldShape, path: str) -> DataType:
        """A component with the one property `value`: a generic class, where any would do."""
        value = replace(self.describe(shape.inner, f"the value of {path}"), description="")
        words = (each[:1].upper() + each[1:] for each in _BETWEEN_WORDS.split(self.owner))
        own = f"SetField<{jvm_name(value)}>" if is_plain(value) else f"Set{''.join(words)}"
        name = f"{self.home or self.package}.{own}".lstrip(".")
        held = ObjectType(
            name=name,
            nullable=True,
            properties=(AndroidProperty("value", value),),
            required=("value",),
        )
        self.components.add(name, held, path)
        return ReferenceType(name=name)

    def describe_object(self, shape: ObjectShape, path: str) -> DataType:
        """A class by its name, an object without one as it stands."""
        if shape.cls is not None:
            return self._classes.read(shape, path)
        return self.object_of(shape, "", path)

    def object_of(self, shape: ObjectShape, name: str, path: str) -> ObjectType:
        """An object of no class, with the properties that its JSON Schema has."""
        require_closed(shape, path)
        return ObjectType(
            name=name,
            properties=tuple(
                AndroidProperty(prop.name, self.describe(prop.shape, f"{path}.{prop.name}"))
                for prop in shape.properties
            ),
            required=tuple(prop.name for prop in shape.properties if prop.required),
        )

    def _one_of(self, shape: Shape, mark: tuple[str, str, bool], path: str) -> DataType:
        name, description, is_inline = mark
        if name in self._open:
            if is_inline:
                raise NoAndroidTypeError(f"{path} is {name}, which holds itself; {_NOT_INLINE}")
            return ReferenceType(name=name)
        branches = shape.branches if isinstance(shape, UnionShape) else (shape,)
        self._open.add(name)
        members = tuple(self._member(each, f"a branch of {path}") for each in branches)
        self._open.discard(name)
        one_of = OneOfType(name=name, description=description, members=members)
        if is_inline:
            return one_of
        self.components.add(name, replace(one_of, nullable=True), path)
        return ReferenceType(name=name)

    def _member(self, branch: Shape, path: str) -> DataType:
        described = self.describe(branch, path)
        if isinstance(described, ScalarType | ArrayType | ParcelableType):
            raise NoAndroidTypeError(f"{path} is no model, by whose name Android tells it")
        return replace(described, nullable=True)


_NOT_INLINE = "leave out inline=True"


def require_closed(shape: ObjectShape, path: str) -> None:
    """Refuses an object that Android could not describe.

    Raises:
        NoAndroidTypeError: It has no properties, or may have others than it names.
    """
    if shape.extra is not None:
        raise NoAndroidTypeError(
            f"{path} may hold keys of any name, which Android has no type for; name them as fields"
        )
    if not shape.properties:
        raise NoAndroidTypeError(f"{path} has no fields; Android's objects have at least one")


def marks_of(shape: Shape) -> Mapping[str, Any]:
    """The marks of a shape and of what it refers to; the nearest hold."""
    marks = dict(shape.marks)
    while isinstance(shape, ReferenceShape):
        shape = shape.target
        marks = {**shape.marks, **marks}
    return marks


def _with_marks(shape: Shape, marks: Mapping[str, Any]) -> Shape:
    return replaced(shape, marks={**shape.marks, **marks})


def _patterns_of(shape: Shape) -> tuple[StringPattern, ...]:
    matchers = shape.marks.get("patterns", ())
    return tuple(StringPattern(each.pattern, int(each.type)) for each in matchers)


_DESCRIBED: Mapping[type[Shape], Callable[[Any, Any, str], DataType]] = {
    BooleanShape: lambda _describer, _shape, _path: ScalarType(kind=TypeNumber.BOOLEAN),
    NumberShape: TypeDescriber.describe_number,
    TextShape: TypeDescriber.describe_text,
    FormShape: TypeDescriber.describe_form,
    EnumShape: TypeDescriber.describe_enum,
    ListShape: TypeDescriber.describe_list,
    SetFieldShape: TypeDescriber.describe_set_field,
    ObjectShape: TypeDescriber.describe_object,
}
_REFUSED: Mapping[type[Shape], str] = {
    AnyShape: "Any, of which Android has none; give it a type",
    NullShape: "always null, which Android has for results alone; leave it out",
    MapShape: "a dict, of which Android has none; use a model, or a list of models",
    TupleShape: "a tuple of fixed places, of which Android has none; use a model",
    UnionShape: (
        "a union, which Android has of models alone, under a name: "
        "Annotated[A | B, AppFunctionOneOf('com.example.Shape')]"
    ),
}
