"""Shapes → the JSON Schema that is published, in both directions.

Plain 2020-12 of few keywords: closed objects, references inlined unless recursive or too many,
every array with items, no title and no empty schema, since clients and model providers refuse or
misread the rest.
"""

import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any

from pydantic.fields import FieldInfo

from appfunctions_mcp.docstrings import field_descriptions, parse_docstring
from appfunctions_mcp.marks import serializable_mark
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.schema.joined_definitions import joined_definitions
from appfunctions_mcp.schema.shapes import (
    MISSING,
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
    Property,
    ReferenceShape,
    SetFieldShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    admits_null,
    is_recursive,
    resolved,
    words,
)
from appfunctions_mcp.schema.text_forms import TEXT_FORMS

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest whole number that JavaScript clients read exactly."""

MOST_INLINED, MOST_NESTED = 1_000, 60
"""How many shapes a schema may have with references inlined, and how many in each other."""

_KEYWORDS = words("""
    description minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength
    maxLength minItems maxItems uniqueItems pattern format contentEncoding writeOnly
""")
# JavaScript clients check results and know these; another format would only be in their way.
_RESULT_FORMATS = words("""
    date time date-time iso-time iso-date-time duration uri-reference uri-template email
    hostname ipv4 ipv6 regex uuid json-pointer int32 int64 float double password
""")
_ANY_TYPES = ["string", "number", "boolean", "object", "array", "null"]
_DECIMAL_TEXT = r"^-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?$"
_SCALAR_TYPES = {"string", "number", "integer", "boolean"}


def publish(
    shape: Shape,
    direction: Direction,
    *,
    optional: bool = False,
    default_of: Callable[[Shape, Any], Any] | None = None,
) -> JsonSchema:
    """Publishes a shape, with the `$defs` of its recursive parts.

    Args:
        shape: What is published.
        direction: Whether values go into a function or come out of it.
        optional: Whether the value may be left out, so that null need not be published.
        default_of: Gives a default as JSON, or `MISSING`; without it, the defaults of fields
            are not published.

    Returns:
        The schema; it has `$defs` if something in it is recursive.
    """

    def published(publisher: _Publisher) -> JsonSchema:
        return publisher.optional(shape) if optional else publisher.publish(shape)

    return _with_definitions(published, direction, default_of)


def publish_root(
    shape: Shape,
    direction: Direction,
    *,
    default_of: Callable[[Shape, Any], Any] | None = None,
) -> JsonSchema:
    """Publishes a shape of an object for the root, where no reference may stand.

    Args:
        shape: An object's shape, recursive or not.
        direction: Whether values go into a function or come out of it.
        default_of: As in `publish`.
    """
    root = resolved(shape)
    return _with_definitions(lambda publisher: publisher.publish(root), direction, default_of)


def _with_definitions(
    published: "Callable[[_Publisher], JsonSchema]",
    direction: Direction,
    default_of: Callable[[Shape, Any], Any] | None,
) -> JsonSchema:
    """A schema with its `$defs`: of what is recursive, or of all that is shared in a large one.

    Models that hold others twice, level by level, would double with each level if inlined.
    """
    try:
        schema, definitions = _Publisher(direction, default_of).run(published)
    except _TooLargeError:
        schema, definitions = _Publisher(direction, default_of, are_inlined=False).run(published)
        return {**schema, "$defs": definitions} if definitions else schema
    return joined_definitions({**schema, "$defs": definitions}) if definitions else schema


class _TooLargeError(Exception):
    """A schema with its references inlined grows beyond the limits."""


class _Publisher:
    def __init__(
        self,
        direction: Direction,
        default_of: Callable[[Shape, Any], Any] | None,
        *,
        are_inlined: bool = True,
    ) -> None:
        self._direction = direction
        self._default_of = default_of
        self._are_inlined = are_inlined
        self._count = self._depth = 0
        self._definitions: dict[str, JsonSchema] = {}
        self._name_of: dict[int, str] = {}
        self._waiting: list[tuple[str, Shape]] = []

    def run(
        self, published: "Callable[[_Publisher], JsonSchema]"
    ) -> tuple[JsonSchema, dict[str, JsonSchema]]:
        """A schema and the definitions that it needs."""
        schema = published(self)
        while self._waiting:
            name, target = self._waiting.pop()
            self._definitions[name] = self.publish(target)
        return schema, self._definitions

    def publish(self, shape: Shape) -> JsonSchema:
        self._count += 1
        self._depth += 1
        if self._are_inlined and (self._count > MOST_INLINED or self._depth > MOST_NESTED):
            raise _TooLargeError
        if isinstance(shape, ReferenceShape):
            published = self._reference(shape)
        else:
            published = _PUBLISHED[type(shape)](self, shape)
        self._depth -= 1
        return published | self._kept(shape.keywords)

    def optional(self, shape: Shape) -> JsonSchema:
        """What is published where null means the same as nothing."""
        if isinstance(shape, NullableShape):
            return self.publish(shape.inner) | self._kept(shape.keywords)
        return self.publish(shape)

    def _kept(self, keywords: Mapping[str, Any]) -> JsonSchema:
        kept = {name: value for name, value in keywords.items() if name in _KEYWORDS}
        if self._direction == "result" and kept.get("format", "date") not in _RESULT_FORMATS:
            del kept["format"]
        return kept

    def _reference(self, shape: ReferenceShape) -> JsonSchema:
        target = resolved(shape)
        if not target.parts or (self._are_inlined and not is_recursive(target)):
            return self.publish(target)
        name = self._name_of.get(id(target))
        if name is None:
            name = self._name_of[id(target)] = self._free_name(shape.name, target)
            self._definitions[name] = {}
            self._waiting.append((name, target))
        return {"$ref": f"#/$defs/{name}"}

    def _free_name(self, reference: str, target: Shape) -> str:
        plain = reference.partition(":")[0].rpartition(".")[2].rpartition("/")[2]
        name = wanted = target.name if isinstance(target, ObjectShape) else plain or "Value"
        number = 2
        while name in self._definitions:
            name, number = f"{wanted}_{number}", number + 1
        return name

    def publish_any(self, _shape: AnyShape) -> JsonSchema:
        if self._direction == "result":
            return {"type": [*_ANY_TYPES]}
        items = [kind for kind in _ANY_TYPES if kind != "array"]
        return {"type": [*_ANY_TYPES], "items": {"type": items}}

    def publish_number(self, shape: NumberShape) -> JsonSchema:
        if shape.kind == "flags":
            return {"type": "integer", "description": shape.keywords["flags"]}
        if self._direction == "arguments" or shape.kind == "float":
            return {"type": "integer" if shape.kind == "int" else "number"}
        if shape.kind == "decimal":
            return {"type": "string", "pattern": _DECIMAL_TEXT}
        return {"type": "integer" if is_bounded(shape) else ["integer", "string"]}

    def publish_form(self, shape: FormShape) -> JsonSchema:
        form = TEXT_FORMS[shape.form]
        keywords = form.keywords
        if self._direction == "result" and form.result_keywords is not None:
            keywords = form.result_keywords
        return {"type": "string"} | self._kept(keywords)

    def publish_enum(self, shape: EnumShape) -> JsonSchema:
        values = list(enum_values(shape, self._direction))
        types = list(dict.fromkeys(map(_type_of, values)))
        return {"type": types[0] if len(types) == 1 else types, "enum": values}

    def publish_list(self, shape: ListShape) -> JsonSchema:
        items = self.publish(shape.items)
        of_any = isinstance(resolved(shape.items), AnyShape)
        if of_any and shape.kind in {"set", "frozenset"} and self._direction == "arguments":
            # Python can hash no array and no object.
            items = {"type": [kind for kind in _ANY_TYPES if kind not in {"array", "object"}]}
        return {"type": "array", "items": items}

    def publish_tuple(self, shape: TupleShape) -> JsonSchema:
        items: list[JsonSchema] = []
        for item in map(self.publish, shape.items):
            if item not in items:
                items.append(item)
        count = len(shape.items)
        if not items:
            return {"type": "array", "items": self.publish_any(AnyShape()), "maxItems": 0}
        return {
            "type": "array",
            "items": items[0] if len(items) == 1 else {"anyOf": items},
            "minItems": count - shape.optional,
            "maxItems": count,
        }

    def publish_map(self, shape: MapShape) -> JsonSchema:
        return {"type": "object", "additionalProperties": self.publish(shape.values)}

    def publish_object(self, shape: ObjectShape) -> JsonSchema:
        described = described_fields(shape.cls) if shape.cls else {}
        properties = {
            prop.name: self._property(prop, described.get(prop.attribute, ""))
            for prop in shape.properties
        }
        schema: JsonSchema = {"type": "object", "properties": properties}
        if required := [prop.name for prop in shape.properties if prop.required]:
            schema["required"] = required
        schema["additionalProperties"] = False if shape.extra is None else self.publish(shape.extra)
        if description := class_description(shape.cls):
            schema["description"] = description
        return schema

    def _property(self, prop: Property, described: str) -> JsonSchema:
        lenient = self._direction == "arguments" and not prop.required
        schema = self.optional(prop.shape) if lenient else self.publish(prop.shape)
        if description := prop.description or prop.shape.keywords.get("description") or described:
            schema["description"] = description
        if self._default_of and prop.default is not MISSING:
            default = self._default_of(prop.shape, prop.default)
            if default is not MISSING:
                schema["default"] = default
        return schema

    def publish_union(self, shape: UnionShape) -> JsonSchema:
        branches: list[JsonSchema] = []
        for branch in map(self.publish, shape.opened()):
            if branch not in branches:
                branches.append(branch)
        return branches[0] if len(branches) == 1 else {"anyOf": branches}

    def publish_nullable(self, shape: NullableShape) -> JsonSchema:
        return nullable(self.publish(shape.inner))

    def publish_set_field(self, shape: SetFieldShape) -> JsonSchema:
        properties = {"value": self.publish(shape.inner)}
        schema: JsonSchema = {"type": "object", "properties": properties}
        if self._direction == "arguments" and admits_null(shape.inner):
            properties["clear"] = {"type": "boolean"}
        else:
            schema["required"] = ["value"]
        return schema | {"additionalProperties": False}


_PUBLISHED: dict[type, Callable[[Any, Any], JsonSchema]] = {
    AnyShape: _Publisher.publish_any,
    NullShape: lambda _publisher, _shape: {"type": "null"},
    BooleanShape: lambda _publisher, _shape: {"type": "boolean"},
    NumberShape: _Publisher.publish_number,
    TextShape: lambda _publisher, _shape: {"type": "string"},
    FormShape: _Publisher.publish_form,
    EnumShape: _Publisher.publish_enum,
    ListShape: _Publisher.publish_list,
    TupleShape: _Publisher.publish_tuple,
    MapShape: _Publisher.publish_map,
    ObjectShape: _Publisher.publish_object,
    UnionShape: _Publisher.publish_union,
    NullableShape: _Publisher.publish_nullable,
    SetFieldShape: _Publisher.publish_set_field,
}


def nullable(schema: JsonSchema) -> JsonSchema:
    """The same schema with null: a type list for scalars, a union for the rest."""
    kind = schema.get("type")
    kinds = [kind] if isinstance(kind, str) else list(kind or ())
    if "null" in kinds:
        return schema
    if kinds and _SCALAR_TYPES.issuperset(kinds):
        enum = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return schema | {"type": [*kinds, "null"]} | enum
    outer = {"description": schema["description"]} if "description" in schema else {}
    branches = schema.get("anyOf") or [{k: v for k, v in schema.items() if k != "description"}]
    return {"anyOf": [*branches, {"type": "null"}]} | outer


def is_bounded(shape: NumberShape) -> bool:
    """Whether every value can be read exactly by JavaScript clients."""
    least = shape.keywords.get("minimum", shape.keywords.get("exclusiveMinimum"))
    most = shape.keywords.get("maximum", shape.keywords.get("exclusiveMaximum"))
    return (
        least is not None
        and most is not None
        and least >= -MAX_SAFE_INTEGER
        and most <= MAX_SAFE_INTEGER
    )


def enum_values(shape: EnumShape, direction: Direction) -> list[Any]:
    """The values of an enumeration as they travel: in results, large integers are text."""
    values = [choice.json for choice in shape.choices]
    if direction == "arguments":
        return values
    return [
        str(value) if isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER else value
        for value in values
    ]


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"


@cache
def described_fields(cls: type) -> dict[str, str]:
    """The descriptions of a class's fields: `Annotated[..., "text"]`, else docstrings."""
    return {**field_descriptions(cls), **_annotated_texts(cls)}


def _annotated_texts(cls: type) -> dict[str, str]:
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError):
        # Names that only the class's own function knew; the docstrings still describe it.
        return {}
    found = ((name, annotated_text(hint)) for name, hint in hints.items())
    return {name: text for name, text in found if text}


def described_beside(annotation: Any) -> str:
    """What `Annotated[..., "text"]` or `Field(description=)` says of a type where it is used."""
    from pydantic.fields import FieldInfo

    notes = getattr(annotation, "__metadata__", ())
    said = (note.description for note in notes if isinstance(note, FieldInfo))
    return next(filter(None, said), "") or annotated_text(annotation)


def annotated_text(annotation: Any) -> str:
    """What an annotation says in words: by `Field(description=)`, else as its first plain text."""
    if typing.get_origin(annotation) is not Annotated:
        return ""
    told = (each.description for each in annotation.__metadata__ if isinstance(each, FieldInfo))
    texts = (text for text in annotation.__metadata__ if isinstance(text, str))
    return next(filter(None, (*told, *texts)), "")


def class_description(cls: type | None) -> str:
    """What the author says of a class; empty for what `dataclass` or a base class says."""
    if cls is None:
        return ""
    given = serializable_mark(cls).description
    text = cls.__dict__.get("__doc__")
    if given is not None or not text or text.startswith(f"{cls.__name__}("):
        return given or ""
    return parse_docstring(text).description
