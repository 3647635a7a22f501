"""What Android says of a type and JSON Schema does not: names, handles, one of several.

Each mark is a Python annotation, or a decorator of a class, that changes nothing of what is
accepted or published; it is kept for whoever describes a function as Android does. Knows nothing
of functions XML.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from appfunctions_mcp.records import record

MARKS_KEY = "appfunctions_mcp_marks"
"""Where a core schema's metadata holds marks: `patterns`, `parcelable`, `one_of`, …"""

CoreSchema = dict[str, Any]
C = TypeVar("C", bound=type)

_SERIALIZABLE = "__app_function_serializable__"


@record(frozen=True, slots=True)
class AppFunctionOneOf:
    """Names a union of models (Android: a sealed class or interface).

    Example:
        >>> Shape = Annotated[Circle | Square, AppFunctionOneOf("com.example.Shape")]

    Args:
        name: The qualified name.
        description: What it is.
        inline: Whether each use describes it in full, in place of a reference to one place.
    """

    name: str
    description: str = ""
    inline: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return with_marks(handler(source), one_of=(self.name, self.description, self.inline))


@record(frozen=True, slots=True)
class AppFunctionParcelable:
    """Makes a text the opaque handle of a value that Android passes beside the data.

    Example:
        >>> Picture = Annotated[str, AppFunctionParcelable("android.graphics.Bitmap")]

    Args:
        name: The qualified name of its class.
    """

    name: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return with_marks(handler(source), parcelable=self.name)


@record(frozen=True, slots=True)
class AppFunctionTypeDescription:
    """Describes a type where it is used, beside what is said of the parameter or result.

    Android keeps the two apart; agents over MCP read that of the parameter or result alone.

    Args:
        description: What the type is there.
    """

    description: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return with_marks(handler(source), type_description=self.description)


@record(frozen=True, slots=True)
class AppFunctionParameterName:
    """Gives a parameter a name that Python cannot, such as `from` or `note-id`.

    Example:
        >>> def send(from_: Annotated[str, AppFunctionParameterName("from")]) -> None: ...

    Args:
        name: The name under which callers pass it.
    """

    name: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return with_marks(handler(source), name=self.name)


@record(frozen=True, slots=True)
class SerializableMark:
    """What `app_function_serializable` says of a class, or what holds where nothing is said."""

    name: str
    """Its qualified name on Android."""
    description: str | None = None
    """What it is; None where its docstring says it."""
    inline: bool = False
    """Whether each use describes it in full, in place of a reference to one place."""


def app_function_serializable(
    *, name: str, description: str | None = None, inline: bool = False
) -> Callable[[C], C]:
    """Gives a model its Android name (Android: `@AppFunctionSerializable`).

    Args:
        name: The qualified name, such as `com.example.notes.Note`.
        description: What it is; without it, the docstring says it.
        inline: Whether each use describes the model in full, as Android does with the
            interfaces that a class takes properties from.

    Returns:
        A decorator for a pydantic model, a dataclass or a TypedDict.
    """
    mark = SerializableMark(name, description, inline)

    def declared(cls: C) -> C:
        setattr(cls, _SERIALIZABLE, mark)
        return cls

    return declared


def serializable_mark(cls: type, package: str | None = None) -> SerializableMark:
    """What is said of a class itself; its own name in Python where nothing is.

    Args:
        cls: The class.
        package: Where a class belongs that has no name on Android; its module when left out.
    """
    given = vars(cls).get(_SERIALIZABLE)
    if isinstance(given, SerializableMark):
        return given
    nested = cls.__qualname__.replace(".<locals>.", "$").replace(".", "$")
    return SerializableMark(f"{package or cls.__module__}.{nested}")


def serializable_name(cls: type) -> str:
    """The Android name of a model: the given one, else its module and qualified name."""
    return serializable_mark(cls).name


def with_marks(schema: CoreSchema, **marks: Any) -> CoreSchema:
    """A copy of a core schema with marks added; of two of one name the new one holds."""
    metadata = schema.get("metadata") or {}
    return {**schema, "metadata": {**metadata, MARKS_KEY: {**metadata.get(MARKS_KEY, {}), **marks}}}
