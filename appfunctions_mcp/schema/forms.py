"""A form for a user: an object of flat properties, as clients can show it, and its check.

A form is made of a model, a dataclass or a TypedDict by the same reading of types as the
parameters of functions, or is a ready JSON Schema. What clients cannot show is refused by name.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.questions import TITLES_KEYWORD
from appfunctions_mcp.records import record
from appfunctions_mcp.schema.argument_types import ArgumentType, argument_type, default_as_json
from appfunctions_mcp.schema.coercion import compile_coercer
from appfunctions_mcp.schema.coercion_pass import CoercionPass
from appfunctions_mcp.schema.faults import Fault
from appfunctions_mcp.schema.flat_schemas import flat_faults, require_flat
from appfunctions_mcp.schema.json_schema import publish_root
from appfunctions_mcp.schema.shapes import (
    MISSING,
    EnumShape,
    FormShape,
    ListShape,
    NullableShape,
    ObjectShape,
    Property,
    Shape,
    resolved,
)
from appfunctions_mcp.schema.text_forms import TEXT_FORMS
from appfunctions_mcp.schema.typed_dicts import adopt_typed_dicts

_TAKEN_OVER = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum")
_MOST_SHOWN = 8
"""So many faults are told; nobody reads more of a form."""
_FORMATS = frozenset({"email", "uri", "date", "date-time"})


@record(frozen=True, slots=True)
class Form:
    """A form, ready to be put to users."""

    schema: JsonSchema
    """What clients get: an object with flat properties."""
    read: Callable[[Mapping[str, Any]], Any]
    """Checks what a user has filled in; raises AppFunctionInvalidArgumentException."""


def form_of(form: Any) -> Form:
    """Makes a form of a type or of a JSON Schema.

    Args:
        form: A pydantic model, a dataclass, a TypedDict, or the schema of an object.

    Raises:
        TypeError: It is none of these, or has a field that no form can have; names it.
    """
    if isinstance(form, Mapping):
        return _form_of_schema(form)
    return _form_of_type(form)


def _form_of_schema(schema: Mapping[str, Any]) -> Form:
    properties = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(properties, Mapping):
        raise TypeError("the schema of a form is one of an object with properties")
    for name, part in properties.items():
        require_flat(name, part)
    required = _required_of(schema, properties)

    def read(content: Mapping[str, Any]) -> dict[str, Any]:
        given = {n: content[n] for n in properties if content.get(n) is not None}
        defaults = {n: part["default"] for n, part in properties.items() if "default" in part}
        filled = {**{n: v for n, v in defaults.items() if v is not None}, **given}
        faults = [Fault((n,), "missing") for n in properties if n in required - filled.keys()]
        for name, value in filled.items():
            faults += flat_faults(name, properties[name], value)
        _refuse(faults)
        whole = {n for n in filled.keys() & given.keys() if properties[n]["type"] == "integer"}
        return {n: int(value) if n in whole else value for n, value in filled.items()}

    return Form({"type": "object", **schema}, read)


def _required_of(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> frozenset[str]:
    required = schema.get("required") or ()
    if not isinstance(required, list | tuple) or not all(isinstance(n, str) for n in required):
        raise TypeError("what is required in the schema of a form is a list of names")
    unknown = sorted(set(required) - properties.keys())
    if unknown:
        raise TypeError(f"the schema of a form requires {', '.join(unknown)}, which it has not")
    return frozenset(required)


@lru_cache(maxsize=256)
def _form_of_type(form: Any) -> Form:
    try:
        read_type = argument_type(adopt_typed_dicts(form))
    except Exception as fault:
        raise TypeError(f"{form!r} is no form: {fault}") from fault
    shape = resolved(read_type.shape)
    if not isinstance(shape, ObjectShape) or shape.extra is not None:
        raise TypeError(
            f"{form!r} is no form; a pydantic model, a dataclass or a TypedDict with fields is"
        )
    published = publish_root(shape, "arguments")["properties"]
    fields: Mapping[str, Any] = getattr(form, "model_fields", {})
    properties = {
        prop.name: _flat(
            prop,
            title=getattr(fields.get(prop.attribute), "title", None),
            description=published[prop.name].get("description"),
        )
        for prop in shape.properties
    }
    required = [prop.name for prop in shape.properties if prop.required and not _is_nullable(prop)]
    schema: JsonSchema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return Form(schema, _reader(read_type, shape))


def _reader(read_type: ArgumentType, shape: ObjectShape) -> Callable[[Mapping[str, Any]], Any]:
    coerce = compile_coercer(shape)

    def read(content: Mapping[str, Any]) -> Any:
        given = {
            prop.name: content.get(prop.name)
            for prop in shape.properties
            if content.get(prop.name) is not None or (prop.required and _is_nullable(prop))
        }
        state = CoercionPass()
        value = coerce(given, (), state)
        faults = state.faults
        if not faults:
            value = read_type.finish("", value, faults)
        _refuse(faults)
        return value

    return read


def _refuse(faults: list[Fault]) -> None:
    if faults:
        more = f"; and {len(faults) - _MOST_SHOWN} more" if len(faults) > _MOST_SHOWN else ""
        raise AppFunctionInvalidArgumentException("; ".join(map(str, faults[:_MOST_SHOWN])) + more)


def _is_nullable(prop: Property) -> bool:
    return isinstance(resolved(prop.shape), NullableShape)


def _flat(prop: Property, *, title: str | None, description: str | None) -> JsonSchema:
    """One property as clients show it."""
    shape = resolved(prop.shape)
    keywords = dict(shape.keywords)
    if isinstance(shape, NullableShape):
        shape = resolved(shape.inner)
        keywords = {**shape.keywords, **keywords}
    schema = _flat_type(prop.name, shape)
    if title:
        schema["title"] = title
    if description:
        schema["description"] = description
    schema |= {name: keywords[name] for name in _TAKEN_OVER if name in keywords}
    if prop.default is not MISSING and prop.default is not None:
        schema["default"] = _default_of(shape, default_as_json(prop.default))
    require_flat(prop.name, schema)
    return schema


def _default_of(shape: Shape, default: Any) -> Any:
    """A default as the form has it: the values of choices are texts there."""
    if isinstance(shape, EnumShape):
        return str(default)
    return list(map(str, default)) if isinstance(shape, ListShape) else default


def _flat_type(name: str, shape: Shape) -> JsonSchema:
    if isinstance(shape, EnumShape):
        return {"type": "string", **_values(name, shape, "oneOf")}
    if isinstance(shape, ListShape):
        items = resolved(shape.items)
        if not isinstance(items, EnumShape):
            raise TypeError(_no_field(name, "a list of anything but choices"))
        values = _values(name, items, "anyOf")
        return {"type": "array", "items": values if "anyOf" in values else _as_text(values)}
    if isinstance(shape, FormShape) and TEXT_FORMS[shape.form].keywords.get("contentEncoding"):
        raise TypeError(_no_field(name, "bytes"))
    published = publish_root(ObjectShape(name="form", properties=(_alone(shape),)), "arguments")
    schema: JsonSchema = published["properties"]["it"]
    kept: JsonSchema = {"type": schema.get("type")}
    if schema.get("format") in _FORMATS:
        kept["format"] = schema["format"]
    if kept["type"] not in ("string", "integer", "number", "boolean"):
        raise TypeError(_no_field(name, "anything nested"))
    return kept


def _alone(shape: Shape) -> Property:
    return Property(name="it", attribute="it", shape=shape, required=True)


def _as_text(values: JsonSchema) -> JsonSchema:
    return {"type": "string", **values}


def _values(name: str, shape: EnumShape, word: str) -> JsonSchema:
    """The values of an enumeration, with titles where the author has given any."""
    given: Mapping[str, str] = shape.keywords.get(TITLES_KEYWORD) or {}
    titles: dict[str, str] = {}
    for choice in shape.choices:
        if isinstance(choice.json, bool):
            raise TypeError(_no_field(name, "choices between true and false"))
        # A str has a method of this name, which is no title.
        own = getattr(choice.python, "title", None)
        titles[str(choice.json)] = given.get(str(choice.json)) or (
            own if isinstance(own, str) else ""
        )
    if not any(titles.values()):
        return {"enum": list(titles)}
    return {word: [{"const": value, "title": title or value} for value, title in titles.items()]}


def _no_field(name: str, what: str) -> str:
    return (
        f"the field {name!r} of the form takes {what}; a form has texts, numbers, true or "
        "false, choices, and lists of choices only"
    )
