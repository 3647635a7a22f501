"""What a type looks like as JSON: small records, read once, from which all else is made.

`core_shapes` reads them from pydantic's core schemas, `foreign_shapes` from ready JSON Schemas;
`json_schema` publishes them and `coercion` compiles them into checks. They know nothing of
pydantic, and nothing of parameters.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from appfunctions_mcp.records import record

Direction = Literal["arguments", "result"]
"""What goes into a function, or what comes out of it."""

ListKind = Literal["list", "set", "frozenset", "tuple", "deque", "generator"]
"""What an array becomes in Python."""
_FREE_FORMS = frozenset({"bytes", "pending-intent", "uri"})
"""Forms whose text is a value in its own right."""
MISSING: Any = object()
"""No default."""


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that would be a page long with one word a line."""
    return frozenset(text.split())


@record(frozen=True, slots=True, kw_only=True, eq=False)
class Shape:
    """One type as JSON; `keywords` are JSON Schema keywords to publish with it.

    `marks` are what Android says of it beside, as `marks` has them; they are never published.
    """

    keywords: Mapping[str, Any] = field(default_factory=dict)
    marks: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> tuple["Shape", ...]:
        """The shapes that this one is made of."""
        return ()


@record(frozen=True, slots=True, kw_only=True, eq=False)
class AnyShape(Shape):
    """Any JSON value."""


@record(frozen=True, slots=True, kw_only=True, eq=False)
class NullShape(Shape):
    """Null alone."""


@record(frozen=True, slots=True, kw_only=True, eq=False)
class BooleanShape(Shape):
    """True or false."""


@record(frozen=True, slots=True, kw_only=True, eq=False)
class NumberShape(Shape):
    """A number; limits stand in the keywords. Flags are the sum of those that are set."""

    kind: Literal["int", "float", "decimal", "flags"]


@record(frozen=True, slots=True, kw_only=True, eq=False)
class TextShape(Shape):
    """Any text; limits and format stand in the keywords."""


@record(frozen=True, slots=True, kw_only=True, eq=False)
class FormShape(Shape):
    """Text of a certain form, such as a date: the name of an entry of `text_forms`."""

    form: str


@record(frozen=True, slots=True)
class Choice:
    """One value of an enumeration: as JSON, and as the function gets it."""

    json: str | int | float | bool
    python: Any


@record(frozen=True, slots=True, kw_only=True, eq=False)
class EnumShape(Shape):
    """One of some scalar values."""

    choices: tuple[Choice, ...]


@record(frozen=True, slots=True, kw_only=True, eq=False)
class ListShape(Shape):
    """An array whose items are alike; `kind` is the Python type that it becomes."""

    items: Shape
    kind: ListKind = "list"

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shape of the items."""
        return (self.items,)


@record(frozen=True, slots=True, kw_only=True, eq=False)
class TupleShape(Shape):
    """An array with a shape for each place; the last `optional` places may be left out."""

    items: tuple[Shape, ...]
    optional: int = 0

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of the places."""
        return self.items


@record(frozen=True, slots=True, kw_only=True, eq=False)
class MapShape(Shape):
    """An object with any keys of one shape."""

    keys: Shape
    values: Shape

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of keys and values."""
        return (self.keys, self.values)


@record(frozen=True, slots=True, kw_only=True)
class Property:
    """One property of an object."""

    name: str
    """The key in JSON."""
    attribute: str
    """The name in Python."""
    shape: Shape
    required: bool
    has_default: bool = False
    """Whether whoever makes the object may leave it out, though results always have it."""
    is_computed: bool = False
    """Whether only results have it, made of the others."""
    default: Any = MISSING
    """What Python takes when the key is left out, if it is a plain value."""
    description: str = ""


@record(frozen=True, slots=True, kw_only=True, eq=False)
class ObjectShape(Shape):
    """An object with certain keys; closed unless `extra` says what else may stand there."""

    name: str
    properties: tuple[Property, ...]
    extra: Shape | None = None
    cls: type | None = None
    """The Python class, where there is one."""

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shapes of the properties, and of what else may stand there."""
        shapes = tuple(prop.shape for prop in self.properties)
        return shapes if self.extra is None else (*shapes, self.extra)


@record(frozen=True, slots=True, kw_only=True, eq=False)
class UnionShape(Shape):
    """One of several shapes; a discriminator names the property that tells which."""

    branches: tuple[Shape, ...]
    discriminator: str | None = None
    branch_of_tag: Mapping[Any, Shape] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The branches."""
        return self.branches

    def opened(self) -> Iterator[Shape]:
        """The branches, and those of a branch that is one only by a name of Android's."""
        for branch in self.branches:
            if isinstance(branch, UnionShape) and not (branch.discriminator or branch.keywords):
                yield from branch.opened()
            else:
                yield branch


@record(frozen=True, slots=True, kw_only=True, eq=False)
class NullableShape(Shape):
    """A shape, or null."""

    inner: Shape

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shape that stands there when it is not null."""
        return (self.inner,)


@record(frozen=True, slots=True, kw_only=True, eq=False)
class SetFieldShape(Shape):
    """A `SetField` of a shape."""

    inner: Shape

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The shape of the value."""
        return (self.inner,)


@record(frozen=True, slots=True, kw_only=True, eq=False)
class ReferenceShape(Shape):
    """A shape that is defined elsewhere, since it is used twice or holds itself."""

    name: str
    definitions: Mapping[str, Shape]

    @property
    def target(self) -> Shape:
        """The shape that is meant."""
        return self.definitions[self.name]


def resolved(shape: Shape) -> Shape:
    """A shape that is no reference."""
    while isinstance(shape, ReferenceShape):
        shape = shape.target
    return shape


def walk(shape: Shape) -> Iterator[Shape]:
    """Every shape below and including one, each once, references followed."""
    waiting, seen = [shape], set()
    while waiting:
        current = resolved(waiting.pop())
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            waiting.extend(reversed(current.parts))


def is_recursive(shape: Shape) -> bool:
    """Whether a value of the shape may hold another one of it."""
    return any(below is shape for part in shape.parts for below in walk(part))


def admits_null(shape: Shape) -> bool:
    """Whether null is a value of the shape."""
    return any(
        isinstance(branch, NullableShape | NullShape | AnyShape) for branch in alternatives(shape)
    )


def admits_free_text(shape: Shape) -> bool:
    """Whether text is a value in its own right: str, a path, bytes, an address or anything at all.

    Where it is, text is never read as the JSON of something else.
    """
    return any(
        isinstance(branch, TextShape | AnyShape)
        or (isinstance(branch, FormShape) and branch.form in _FREE_FORMS)
        for branch in alternatives(shape)
    )


def alternatives(shape: Shape) -> Iterator[Shape]:
    """The shapes that a value of this one may have at its top; bounded where it holds itself."""
    waiting, seen = [shape], set()
    while waiting:
        current = resolved(waiting.pop())
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, NullableShape):
            waiting.append(current.inner)
        elif isinstance(current, UnionShape):
            waiting.extend(current.branches)
