"""From a core schema to the check of what a function returns.

Scalars are strict, containers are not: an int fits a float, a tuple a list, a dict a model, and
ISO text a date, while a bool is no number. Models and dataclasses that come as instances are
checked field by field, since their authors may have changed them after they were made. What an
author's own validators make of a value is left out: a result is checked, not converted.
"""

import copy
import dataclasses
import sys
from collections.abc import Callable, Iterable, KeysView, Mapping
from functools import cache, partial
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticCustomError, SchemaValidator

from appfunctions_mcp.fields import SET_FIELD_KEY, SetField
from appfunctions_mcp.schema.core_parts import CoreSchema, with_parts

_OWN_PACKAGES = {*sys.stdlib_module_names, "pydantic", "pydantic_core", "appfunctions_mcp"}
_STRICT_KINDS = {"bool", "bytes", "int", "str"}
_FINITE_KINDS = {"float", "decimal"}
_TEXT_FORMS = {"date", "time", "datetime", "timedelta", "uuid"}
_TRANSPARENT = {
    "chain",
    "custom-error",
    "default",
    "definitions",
    "function-after",
    "json-or-python",
    "lax-or-strict",
    "nullable",
    "union",
}

INSTANCE_BRANCH = "<instance>"
"""Stands in the location of a fault of something that came as a Python object."""
TEXT_BRANCH = "<text>"
"""Stands in the location of a fault of something that came as text."""


def result_validator(core_schema: CoreSchema) -> SchemaValidator:
    """Compiles the check of a result.

    Args:
        core_schema: The core schema of the declared type; not changed.

    Returns:
        A validator that returns the value with every part in its declared Python type.
    """
    schema: Any = _checked(core_schema)
    return SchemaValidator(schema, _use_prebuilt=False)


def _checked(schema: CoreSchema, *, null_allowed: bool = False) -> CoreSchema:
    kind = schema["type"]
    if is_set_field(schema):
        return _kept({**schema, "cls": SetField}, _kept_set_field, _checked(schema["schema"]))
    if kind in _STRICT_KINDS:
        return {**schema, "strict": True}
    if kind in _FINITE_KINDS:
        return {**schema, "strict": kind == "float", "allow_inf_nan": null_allowed}
    if kind in _TEXT_FORMS:
        return _instance_or_text(schema)
    if rule := _RULES.get(kind):
        return rule(schema, null_allowed)
    passed_on = null_allowed and kind in _TRANSPARENT
    return with_parts(schema, partial(_checked, null_allowed=passed_on))


def is_set_field(schema: CoreSchema) -> bool:
    """Whether a core schema is that of a `SetField`."""
    return SET_FIELD_KEY in (schema.get("metadata") or {})


def _instance_or_text(schema: CoreSchema) -> CoreSchema:
    """A date and its like from an instance or from its text, never from a number."""
    text: CoreSchema = {"type": "chain", "steps": [{"type": "str", "strict": True}, schema]}
    choices = [({**schema, "strict": True}, INSTANCE_BRANCH), (text, TEXT_BRANCH)]
    return _in_place_of(schema, {"type": "union", "mode": "left_to_right", "choices": choices})


def _only(schema: CoreSchema, *keys: str) -> CoreSchema:
    return {key: schema[key] for key in keys if key in schema}


def _in_place_of(schema: CoreSchema, replacement: CoreSchema) -> CoreSchema:
    """The replacement under the name by which other parts refer to the schema."""
    return {**replacement, "ref": schema["ref"]} if "ref" in schema else replacement


def _nullable(schema: CoreSchema, _: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    return with_parts(schema, partial(_checked, null_allowed=True))


def _union(schema: CoreSchema, null_allowed: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    """Any union by its values alone: instances tell what they are without a discriminator."""
    choices = schema["choices"]
    listed = list(choices.values()) if isinstance(choices, dict) else choices
    kept = _only(schema, "mode", "ref")
    plain = [choice[0] if isinstance(choice, tuple) else choice for choice in listed]
    rewrite = partial(
        _checked, null_allowed=null_allowed or any(choice["type"] == "none" for choice in plain)
    )
    return {**kept, "type": "union", "choices": [rewrite(choice) for choice in plain]}


def _list(schema: CoreSchema, _: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    kept = _only(schema, "items_schema", "min_length", "max_length")
    return with_parts(_in_place_of(schema, {**kept, "type": "list"}), _checked)


def _parsed_json(schema: CoreSchema, null_allowed: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    """What pydantic parses from text on the way in stands parsed in a result."""
    inner = schema.get("schema") or {"type": "any"}
    return _in_place_of(schema, _checked(inner, null_allowed=null_allowed))


def _without_function(schema: CoreSchema, null_allowed: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    """Leaves out what an author's function makes of raw input before its type is checked."""
    if _is_own(schema["function"]["function"]):
        return with_parts(schema, _checked)
    return _in_place_of(schema, _checked(schema["schema"], null_allowed=null_allowed))


def _check_after(schema: CoreSchema, null_allowed: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    """Runs an author's check, and keeps the value as it came."""
    rewritten = with_parts(schema, partial(_checked, null_allowed=null_allowed))
    function = schema["function"]
    if _is_own(function["function"]):
        return rewritten
    return {**rewritten, "function": {**function, "function": _only_check(function["function"])}}


def _only_check(function: Callable[..., Any]) -> Callable[..., Any]:
    def check(value: Any, *details: Any) -> Any:
        function(value, *details)
        return value

    return check


def _is_own(function: Any) -> bool:
    """Whether a function is pydantic's, Python's or ours, not an author's."""
    while isinstance(function, partial):
        function = function.func
    module = getattr(function, "__module__", None) or ""
    return module.partition(".")[0] in _OWN_PACKAGES


def _fields_of_model(schema: CoreSchema, _: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    return _open_dict(schema, schema["fields"].items())


def _fields_of_dataclass(schema: CoreSchema, _: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    fields = ((f["name"], f) for f in schema["fields"] if not f.get("init_only"))
    return _open_dict(schema, fields)


def _open_dict(schema: CoreSchema, fields: Iterable[tuple[str, CoreSchema]]) -> CoreSchema:
    kept = _only(schema, "extra_behavior", "extras_schema")
    return {
        **kept,
        "type": "typed-dict",
        "fields": {name: _field_of_dict(name, field) for name, field in fields},
    }


def _field_of_dict(name: str, field: CoreSchema) -> CoreSchema:
    """A field under its own name, or under the alias that its model takes."""
    alias = field.get("validation_alias")
    aliases = [[alias]] if isinstance(alias, str) else alias or []
    paths = [aliases] if aliases and not isinstance(aliases[0], list) else aliases
    return {
        "type": "typed-dict-field",
        "schema": _checked(field["schema"]),
        "required": field["schema"]["type"] != "default",
        "validation_alias": [[name], *paths],
    }


def _model(schema: CoreSchema, _: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    fields = _with_extras(_checked(schema["schema"]), schema.get("config") or {})
    keep = _kept_root if schema.get("root_model") else _kept_model
    return _kept(schema, keep, fields)


def _dataclass(schema: CoreSchema, _: bool) -> CoreSchema:  # noqa: FBT001 - every rule takes it
    fields = _with_extras(_checked(schema["schema"]), schema.get("config") or {})
    return _kept(schema, _kept_dataclass, fields)


def _with_extras(fields: CoreSchema, config: Mapping[str, Any]) -> CoreSchema:
    """The fields of a model with what its configuration says of other keys."""
    if fields["type"] != "typed-dict":
        return (
            with_parts(fields, partial(_with_extras, config=config))
            if "schema" in fields
            else fields
        )
    return {"extra_behavior": config.get("extra_fields_behavior", "ignore"), **fields}


def _kept(schema: CoreSchema, keep: Callable[..., Any], fields: CoreSchema) -> CoreSchema:
    function = {"type": "no-info", "function": partial(keep, schema["cls"])}
    return _in_place_of(schema, {"type": "function-wrap", "function": function, "schema": fields})


def _kept_model(cls: type[BaseModel], value: Any, check: Callable[[Any], Any]) -> Any:
    if not isinstance(value, cls):
        checked = check(_fields_of(cls, value))
        return cls.model_validate(checked, by_name=True, by_alias=False)
    attributes = value.__dict__
    if value.__pydantic_extra__:
        attributes = {n: attributes[n] for n in cls.__pydantic_fields__ if n in attributes}
        attributes |= value.__pydantic_extra__
    checked = check(attributes)
    fields = cls.__pydantic_fields__
    changed = {n: v for n, v in checked.items() if v is not attributes.get(n) and n in fields}
    if not changed:
        return value
    # BaseModel.__copy__ does the same with a copy of more, at several times the cost.
    clone = cls.__new__(type(value))
    object.__setattr__(clone, "__dict__", value.__dict__ | changed)
    for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
        object.__setattr__(clone, name, getattr(value, name))
    return clone


def _kept_root(cls: type[BaseModel], value: Any, check: Callable[[Any], Any]) -> Any:
    root: Any = value.__dict__["root"] if isinstance(value, cls) else value
    checked = check(root)
    if isinstance(value, cls) and checked is root:
        return value
    return cls.model_construct(root=checked)


def _kept_dataclass(cls: Any, value: Any, check: Callable[[Any], Any]) -> Any:
    if not isinstance(value, cls):
        return _made_dataclass(cls, _mapping(cls, value), check)
    names = _field_names(cls)
    attributes = getattr(value, "__dict__", {})
    if attributes.keys() != names:
        attributes = {name: getattr(value, name) for name in names if hasattr(value, name)}
    checked = check(attributes)
    changed = {n: v for n, v in checked.items() if v is not attributes.get(n)}
    if not changed:
        return value
    clone = copy.copy(value)
    for name, member in changed.items():
        object.__setattr__(clone, name, member)
    return clone


@cache
def _field_names(cls: Any) -> KeysView[str]:
    return dict.fromkeys(field.name for field in dataclasses.fields(cls)).keys()


def _made_dataclass(cls: Any, given: Mapping[str, Any], check: Callable[[Any], Any]) -> Any:
    """A dataclass from a dictionary, its `InitVar`s included."""
    arguments = {**given, **check(given)}
    fields = cls.__dataclass_fields__.items()
    return cls(**{n: arguments[n] for n, field in fields if field.init and n in arguments})


def _kept_set_field(cls: type[SetField[Any]], value: Any, check: Callable[[Any], Any]) -> Any:
    fields = {"value": value.value} if isinstance(value, cls) else value
    return cls(check(fields)["value"])


def _fields_of(cls: type[BaseModel], value: Any) -> Mapping[str, Any]:
    """The fields that a model is made of: a dictionary's, or those of its bare generic."""
    origin = cls.__pydantic_generic_metadata__["origin"]
    if origin is not None and isinstance(value, origin):
        return value.__dict__
    return _mapping(cls, value)


def _mapping(cls: type, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PydanticCustomError("model_type", "Input should be {name}", {"name": cls.__name__})
    return value


_Rule = Callable[[CoreSchema, bool], CoreSchema]
_RULES: dict[str, _Rule] = {
    "dataclass": _dataclass,
    "dataclass-args": _fields_of_dataclass,
    "function-after": _check_after,
    "function-before": _without_function,
    "function-wrap": _without_function,
    "generator": _list,
    "json": _parsed_json,
    "model": _model,
    "model-fields": _fields_of_model,
    "nullable": _nullable,
    "tagged-union": _union,
    "union": _union,
}
