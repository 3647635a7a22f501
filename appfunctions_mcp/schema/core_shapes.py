"""pydantic's core schemas → shapes: the one place that knows how pydantic describes a type.

Node kinds without a reading of their own are asked for pydantic's JSON Schema, so that its
extra types (`EmailStr`, `IPv4Address`, …) and an author's own work as they do elsewhere.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Flag
from functools import reduce
from operator import or_
from typing import Any

from appfunctions_mcp.fields import SET_FIELD_KEY
from appfunctions_mcp.marks import MARKS_KEY
from appfunctions_mcp.records import replaced
from appfunctions_mcp.schema.core_keywords import (
    ITEM_KEYWORDS,
    NUMBER_KEYWORDS,
    TEXT_KEYWORDS,
    CoreSchema,
    UnsupportedTypeError,
    constraints_of,
    description_of,
    fields_of,
    key_of,
    keywords_of,
    metadata_of,
    plain_number,
    plain_value,
    written_as,
)
from appfunctions_mcp.schema.hashable_parts import require_hashable
from appfunctions_mcp.schema.shapes import (
    MISSING,
    AnyShape,
    BooleanShape,
    Choice,
    Direction,
    EnumShape,
    FormShape,
    ListKind,
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
)
from appfunctions_mcp.values import FORM_KEY

_OBJECT_KINDS = {"model-fields", "dataclass-args", "typed-dict"}


def read_shape(schema: CoreSchema, direction: Direction) -> Shape:
    """Reads the shape of a type.

    Args:
        schema: The type's core schema, as `core_schema_of` gives it.
        direction: Whether values go into a function or come out of it.

    Returns:
        The shape.

    Raises:
        UnsupportedTypeError: Some part of the type has no form in JSON.
    """
    shape = _Reader(direction).read(schema)
    require_hashable(shape)
    return shape


class _Reader:
    """Reads one type; the methods named `_read_…` are each for one kind of node."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._definitions: dict[str, Shape] = {}
        self._sources: list[CoreSchema] = []

    def read(self, schema: CoreSchema) -> Shape:
        shape = self.read_unmarked(schema)
        marks = (schema.get("metadata") or {}).get(MARKS_KEY)
        return replaced(shape, marks={**shape.marks, **marks}) if marks else shape

    def read_unmarked(self, schema: CoreSchema) -> Shape:
        metadata = metadata_of(schema)
        if SET_FIELD_KEY in metadata:
            value = schema["schema"]["fields"]["value"]["schema"]
            return SetFieldShape(inner=self.read(value), keywords=keywords_of(metadata))
        if form := metadata.get(FORM_KEY):
            keywords = {**self._inner_keywords(schema), **keywords_of(metadata)}
            return FormShape(form=form, keywords=keywords)
        if metadata.get("pydantic_js_annotation_functions") and "version" not in schema:
            return self.read_by_json_schema(schema)
        if self._direction == "result" and (written := written_as(schema)):
            return _with_keywords(self.read(written), keywords_of(metadata))
        return _with_keywords(self.read_kind(schema), keywords_of(metadata))

    def read_kind(self, schema: CoreSchema) -> Shape:
        reading = _READINGS.get(schema["type"])
        if reading is None:
            return self.read_by_json_schema(schema)
        return reading(self, schema)

    def _inner_keywords(self, schema: CoreSchema) -> Mapping[str, Any]:
        return self.read(schema["schema"]).keywords if "schema" in schema else {}

    def read_by_json_schema(self, schema: CoreSchema) -> Shape:
        """The shape of what pydantic publishes for a node."""
        from pydantic.errors import PydanticInvalidForJsonSchema
        from pydantic.json_schema import GenerateJsonSchema

        from appfunctions_mcp.schema.foreign_shapes import ForeignSchemaError, shape_of_json_schema

        mode = "validation" if self._direction == "arguments" else "serialization"
        whole = {"type": "definitions", "schema": schema, "definitions": self._sources}
        try:
            published = GenerateJsonSchema(by_alias=True).generate(whole, mode)  # type: ignore[arg-type] # a core schema is a dictionary
            return shape_of_json_schema(published)
        except (PydanticInvalidForJsonSchema, ForeignSchemaError, KeyError) as fault:
            # KeyError: a reference in an author's own schema that leads nowhere.
            raise UnsupportedTypeError(_unsupported(schema)) from fault

    def read_number(self, schema: CoreSchema) -> Shape:
        limits = constraints_of(schema, NUMBER_KEYWORDS)
        keywords = {keyword: plain_number(limit) for keyword, limit in limits.items()}
        return NumberShape(kind=schema["type"], keywords=keywords)

    def read_text(self, schema: CoreSchema) -> Shape:
        keywords = constraints_of(schema, TEXT_KEYWORDS)
        if isinstance(pattern := keywords.get("pattern"), re.Pattern):
            keywords["pattern"] = pattern.pattern
        return TextShape(keywords=keywords)

    def read_bytes(self, schema: CoreSchema) -> Shape:
        # The limits are of bytes, the published ones of their base64 text.
        lengths = constraints_of(schema, TEXT_KEYWORDS)
        return FormShape(
            form="bytes", keywords={name: 4 * -(-most // 3) for name, most in lengths.items()}
        )

    def read_moment(self, schema: CoreSchema) -> Shape:
        constraint = schema.get("tz_constraint")
        suffix = "" if constraint is None else "-naive" if constraint == "naive" else "-aware"
        return FormShape(form=f"{schema['type']}{suffix}")

    def read_form(self, schema: CoreSchema) -> Shape:
        return FormShape(form=schema["type"])

    def read_literal(self, schema: CoreSchema) -> Shape:
        return _enum_of(schema["expected"])

    def read_enum(self, schema: CoreSchema) -> Shape:
        members = schema["members"]
        return _flags_of(members) if issubclass(schema["cls"], Flag) else _enum_of(members)

    def read_list(self, schema: CoreSchema) -> Shape:
        kind: ListKind = schema["type"]
        keywords = constraints_of(schema, ITEM_KEYWORDS)
        if kind in {"set", "frozenset"}:
            keywords["uniqueItems"] = True
        items = self.read(schema.get("items_schema") or {"type": "any"})
        return ListShape(items=items, kind=kind, keywords=keywords)

    def read_tuple(self, schema: CoreSchema) -> Shape:
        items = tuple(map(self.read, schema["items_schema"]))
        if schema.get("variadic_item_index") is None:
            return TupleShape(items=items)
        item = items[0] if len(items) == 1 else UnionShape(branches=items)
        return ListShape(items=item, kind="tuple", keywords=constraints_of(schema, ITEM_KEYWORDS))

    def read_named_tuple(self, schema: CoreSchema) -> Shape:
        fields = schema.get("fields") or schema["arguments_schema"]["arguments_schema"]
        optional = sum(field["schema"]["type"] == "default" for field in fields)
        return TupleShape(
            items=tuple(self.read(field["schema"]) for field in fields), optional=optional
        )

    def read_map(self, schema: CoreSchema) -> Shape:
        return MapShape(
            keys=self.read(schema.get("keys_schema") or {"type": "any"}),
            values=self.read(schema.get("values_schema") or {"type": "any"}),
        )

    def read_inner(self, schema: CoreSchema) -> Shape:
        return self.read(schema["schema"])

    def read_function(self, schema: CoreSchema) -> Shape:
        metadata = schema.get("metadata") or {}
        given = schema.get("json_schema_input_schema")
        if self._direction == "arguments" and given is not None:
            return self.read(given)
        if metadata.get("pydantic_js_functions") or "schema" not in schema:
            return self.read_by_json_schema(schema)
        return self.read(schema["schema"])

    def read_nothing(self, schema: CoreSchema) -> Shape:
        raise UnsupportedTypeError(_unsupported(schema))

    def read_two_sided(self, schema: CoreSchema) -> Shape:
        if (schema.get("metadata") or {}).get("pydantic_js_functions"):
            return self.read_by_json_schema(schema)
        return self.read(schema.get("json_schema") or schema["lax_schema"])

    def read_chain(self, schema: CoreSchema) -> Shape:
        return self.read(schema["steps"][0 if self._direction == "arguments" else -1])

    def read_nullable(self, schema: CoreSchema) -> Shape:
        inner = self.read(schema["schema"])
        return inner if isinstance(inner, NullableShape) else NullableShape(inner=inner)

    def read_union(self, schema: CoreSchema) -> Shape:
        choices = [c[0] if isinstance(c, tuple) else c for c in schema["choices"]]
        return union_of(map(self.read, choices))

    def read_tagged_union(self, schema: CoreSchema) -> Shape:
        branch_of_tag = {tag: self.read(choice) for tag, choice in schema["choices"].items()}
        discriminator = schema["discriminator"]
        if not isinstance(discriminator, str):
            return union_of(branch_of_tag.values())
        return UnionShape(
            branches=tuple(dict.fromkeys(branch_of_tag.values())),
            discriminator=discriminator,
            branch_of_tag={plain_value(tag): shape for tag, shape in branch_of_tag.items()},
        )

    def read_definitions(self, schema: CoreSchema) -> Shape:
        self._sources.extend(schema["definitions"])
        for definition in schema["definitions"]:
            self._definitions[definition["ref"]] = self.read(definition)
        return self.read(schema["schema"])

    def read_reference(self, schema: CoreSchema) -> Shape:
        return ReferenceShape(name=schema["schema_ref"], definitions=self._definitions)

    def read_object(self, schema: CoreSchema) -> Shape:
        if schema.get("root_model"):
            return self.read(schema["schema"])
        fields = schema
        while fields["type"] not in _OBJECT_KINDS:
            fields = fields["schema"]
        config = schema.get("config") or {}
        behaviour = fields.get("extra_behavior") or config.get("extra_fields_behavior")
        extra = fields.get("extras_schema") or {"type": "any"}
        cls = schema.get("cls")
        cls = getattr(cls, "__typed_dict__", cls)
        return ObjectShape(
            name=cls.__name__ if cls else "object",
            cls=cls,
            properties=tuple(self._properties_of(fields)),
            extra=self.read(extra) if behaviour == "allow" else None,
        )

    def _properties_of(self, fields: CoreSchema) -> Iterator[Property]:
        for name, field in fields_of(fields):
            if prop := self._property(name, field, total=fields.get("total", True)):
                yield prop
        if self._direction == "result":
            for computed in fields.get("computed_fields") or ():
                yield Property(
                    name=computed.get("alias") or computed["property_name"],
                    attribute=computed["property_name"],
                    shape=self.read(computed["return_schema"]),
                    required=True,
                    is_computed=True,
                    description=description_of(computed),
                )

    def _property(self, name: str, field: CoreSchema, *, total: bool) -> Property | None:
        """A property, or None for a field that does not go in this direction."""
        going_in = self._direction == "arguments"
        if going_in and field.get("init") is False:
            return None
        if not going_in and (field.get("serialization_exclude") or field.get("init_only")):
            return None
        alias = field.get("validation_alias" if going_in else "serialization_alias")
        schema = field["schema"]
        has_default = schema["type"] == "default"
        required = not has_default
        if field["type"] == "typed-dict-field":
            required = field.get("required", total) and (required or not going_in)
        return Property(
            name=key_of(alias) or name,
            attribute=name,
            shape=self.read(schema),
            required=required or (not going_in and field["type"] != "typed-dict-field"),
            has_default=not required,
            default=schema.get("default", MISSING) if has_default else MISSING,
            description=description_of(field),
        )


def union_of(shapes: Iterable[Shape]) -> Shape:
    """The union of some shapes, with null taken out of it and nested unions opened."""
    branches: list[Shape] = []
    nullable = False
    for shape in shapes:
        inner = shape
        if isinstance(inner, NullableShape) and not inner.keywords:
            marks = {**inner.inner.marks, **inner.marks}
            nullable, inner = True, replaced(inner.inner, marks=marks) if marks else inner.inner
        if isinstance(inner, NullShape):
            nullable = True
        elif isinstance(inner, UnionShape) and not (
            inner.discriminator or inner.keywords or inner.marks
        ):
            branches.extend(inner.branches)
        else:
            branches.append(inner)
    if not branches:
        return NullShape()
    union = branches[0] if len(branches) == 1 else UnionShape(branches=tuple(branches))
    return NullableShape(inner=union) if nullable else union


def _enum_of(members: Iterable[Any]) -> Shape:
    choices: dict[Any, Choice] = {}
    nullable = False
    for member in members:
        value = plain_value(member)
        if value is None:
            nullable = True
        elif isinstance(value, str | int | float):
            # Among an enum's members are its aliases, which are other names of the same ones.
            choices.setdefault((type(value), value), Choice(value, member))
        else:
            raise UnsupportedTypeError(
                f"an enumeration with the value {value!r} (text, numbers and booleans are accepted)"
            )
    if not choices:
        return NullShape()
    shape = EnumShape(choices=tuple(choices.values()))
    return NullableShape(inner=shape) if nullable else shape


def _flags_of(members: Iterable[Flag]) -> Shape:
    """Flags as the sum of their values, since any of them may be set together."""
    values = {member.value: member.name for member in members}
    told = ", ".join(f"{value} ({name})" for value, name in values.items())
    limits = {"minimum": 0, "maximum": reduce(or_, values)}
    return NumberShape(kind="flags", keywords={"flags": f"A sum of {told}.", **limits})


def _with_keywords(shape: Shape, keywords: Mapping[str, Any]) -> Shape:
    return replaced(shape, keywords={**shape.keywords, **keywords}) if keywords else shape


def _unsupported(schema: CoreSchema) -> str:
    cls = schema.get("cls")
    named = getattr(cls, "__qualname__", None) or str(schema["type"])
    return f"{named}, which has no form in JSON"


_READINGS: dict[str, Callable[[_Reader, CoreSchema], Shape]] = {
    "any": lambda _reader, _schema: AnyShape(),
    "none": lambda _reader, _schema: NullShape(),
    "bool": lambda _reader, _schema: BooleanShape(),
    **dict.fromkeys(("int", "float", "decimal"), _Reader.read_number),
    "str": _Reader.read_text,
    "bytes": _Reader.read_bytes,
    **dict.fromkeys(("datetime", "time"), _Reader.read_moment),
    **dict.fromkeys(("date", "timedelta", "uuid"), _Reader.read_form),
    "literal": _Reader.read_literal,
    "enum": _Reader.read_enum,
    **dict.fromkeys(("list", "set", "frozenset", "deque", "generator"), _Reader.read_list),
    "tuple": _Reader.read_tuple,
    **dict.fromkeys(("named-tuple", "call"), _Reader.read_named_tuple),
    "dict": _Reader.read_map,
    **dict.fromkeys(("default", "custom-error"), _Reader.read_inner),
    **dict.fromkeys(
        ("function-after", "function-before", "function-wrap", "function-plain"),
        _Reader.read_function,
    ),
    **dict.fromkeys(("lax-or-strict", "json-or-python"), _Reader.read_two_sided),
    **dict.fromkeys(("complex", "callable", "is-instance", "is-subclass"), _Reader.read_nothing),
    "chain": _Reader.read_chain,
    "nullable": _Reader.read_nullable,
    "union": _Reader.read_union,
    "tagged-union": _Reader.read_tagged_union,
    "definitions": _Reader.read_definitions,
    "definition-ref": _Reader.read_reference,
    **dict.fromkeys(("model", "dataclass", "typed-dict"), _Reader.read_object),
}
