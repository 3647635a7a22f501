"""JSON Schemas that others made → shapes: pydantic's for its extra types, a bridge's, a proxy's.

Reads what decides the kind of a value; keywords that it does not know are kept only if they
are among those that are published.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from appfunctions_mcp.schema.shapes import (
    AnyShape,
    BooleanShape,
    Choice,
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
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    words,
)

JsonSchema = Mapping[str, Any]

_STRUCTURE = words("""
    type properties required items enum const additionalProperties anyOf oneOf allOf
    $ref $defs definitions default prefixItems
""")


class ForeignSchemaError(ValueError):
    """A schema whose values cannot be told from it."""


def shape_of_json_schema(schema: JsonSchema) -> Shape:
    """Reads the shape that a JSON Schema describes.

    Args:
        schema: A whole schema; its references point into itself.

    Raises:
        ForeignSchemaError: A reference leads nowhere, or the schema accepts nothing.
    """
    return _Reader(schema).read(schema)


class _Reader:
    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        self._definitions: dict[str, Shape] = {}
        self._begun: set[str] = set()

    def read(self, schema: Any) -> Shape:
        if schema is True:
            return AnyShape()
        if not isinstance(schema, Mapping):
            raise ForeignSchemaError(f"a schema is {type(schema).__name__}; an object is accepted")
        keywords = {k: v for k, v in schema.items() if k not in _STRUCTURE}
        if "$ref" in schema:
            return self._read_reference(schema["$ref"], keywords)
        if "const" in schema or "enum" in schema:
            return _enum_of([schema["const"]] if "const" in schema else schema["enum"], keywords)
        if not ("properties" in schema or "type" in schema):
            for word in ("anyOf", "oneOf", "allOf"):
                if word in schema:
                    return self._read_branches(word, schema[word], keywords)
        return self._read_kinds(schema, keywords)

    def _read_kinds(self, schema: JsonSchema, keywords: dict[str, Any]) -> Shape:
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return _union_of((self._read_typed(str(kind), schema, {}) for kind in kinds), keywords)
        if kinds is None:
            kinds = "object" if "properties" in schema else "array" if "items" in schema else ""
        return self._read_typed(str(kinds), schema, keywords)

    def _read_branches(self, word: str, branches: list[Any], keywords: dict[str, Any]) -> Shape:
        if word == "allOf" and len(branches) > 1:
            # All of several cannot be told apart by kind; whoever made the schema checks it.
            return AnyShape(keywords=keywords)
        return _union_of(map(self.read, branches), keywords)

    def _read_reference(self, pointer: str, keywords: dict[str, Any]) -> Shape:
        if pointer not in self._begun:
            self._begun.add(pointer)
            self._definitions[pointer] = self.read(self._at(pointer))
        return ReferenceShape(name=pointer, definitions=self._definitions, keywords=keywords)

    def _at(self, pointer: str) -> Any:
        place: Any = self._root
        for part in pointer.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(place, Mapping) or key not in place:
                raise ForeignSchemaError(f"the reference {pointer} leads nowhere")
            place = place[key]
        return place

    def _read_typed(self, kind: str, schema: JsonSchema, keywords: dict[str, Any]) -> Shape:
        if kind == "array":
            return self._read_array(schema, keywords)
        if kind == "object":
            return self._read_object(schema, keywords)
        if kind == "string" and keywords.get("contentEncoding") == "base64":
            return FormShape(form="base64", keywords=keywords)
        make = _SCALARS.get(kind)
        return make(keywords) if make else AnyShape(keywords=keywords)

    def _read_array(self, schema: JsonSchema, keywords: dict[str, Any]) -> Shape:
        if "prefixItems" in schema:
            items = tuple(map(self.read, schema["prefixItems"]))
            optional = len(items) - int(schema.get("minItems", 0))
            return TupleShape(items=items, optional=max(optional, 0))
        return ListShape(items=self.read(schema.get("items", True) or True), keywords=keywords)

    def _read_object(self, schema: JsonSchema, keywords: dict[str, Any]) -> Shape:
        extra = schema.get("additionalProperties", True)
        if not schema.get("properties") and extra is not False:
            return MapShape(keys=TextShape(), values=self.read(extra), keywords=keywords)
        required = schema.get("required") or ()
        return ObjectShape(
            name=str(schema.get("title", "object")),
            properties=tuple(
                Property(name=k, attribute=k, shape=self.read(s), required=k in required)
                for k, s in (schema.get("properties") or {}).items()
            ),
            extra=None if extra is False else self.read(extra),
            keywords=keywords,
        )


_SCALARS: dict[str, Callable[[dict[str, Any]], Shape]] = {
    "string": lambda keywords: TextShape(keywords=keywords),
    "integer": lambda keywords: NumberShape(kind="int", keywords=keywords),
    "number": lambda keywords: NumberShape(kind="float", keywords=keywords),
    "boolean": lambda keywords: BooleanShape(keywords=keywords),
    "null": lambda keywords: NullShape(keywords=keywords),
}


def _enum_of(values: list[Any], keywords: dict[str, Any]) -> Shape:
    choices = tuple(Choice(v, v) for v in values if isinstance(v, str | int | float))
    if not choices:
        return NullShape(keywords=keywords)
    shape = EnumShape(choices=choices, keywords=keywords)
    return NullableShape(inner=shape) if None in values else shape


def _union_of(shapes: Iterable[Shape], keywords: dict[str, Any]) -> Shape:
    branches = list(shapes)
    plain = tuple(b for b in branches if not isinstance(b, NullShape))
    if not plain:
        return NullShape(keywords=keywords)
    union = plain[0] if len(plain) == 1 else UnionShape(branches=plain)
    if len(plain) < len(branches):
        return NullableShape(inner=union, keywords=keywords)
    return UnionShape(branches=plain, keywords=keywords) if len(plain) > 1 else union
