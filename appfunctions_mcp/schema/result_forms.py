"""From a core schema to the serializer of a result that was checked.

Pydantic's own serializer does the work; only where its form is not ours does a function stand:
standard base64, sorted sets, integers as text beyond what JavaScript keeps, untyped values.
"""

from collections.abc import Callable, Iterable
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any

from pydantic_core import PydanticSerializationUnexpectedValue, SchemaSerializer

from appfunctions_mcp.schema.core_parts import CoreSchema, with_parts
from appfunctions_mcp.schema.json_values import (
    MAX_SAFE_INTEGER,
    bytes_form,
    decimal_form,
    integer_form,
    sorted_form,
    to_json_value,
)

_FORMS_OF_CONFIG = {
    "ser_json_bytes": "base64",
    "ser_json_inf_nan": "null",
    "ser_json_temporal": "iso8601",
    "ser_json_timedelta": "iso8601",
}


def result_serializer(core_schema: CoreSchema) -> SchemaSerializer:
    """Compiles the serializer of a result.

    Args:
        core_schema: The core schema of the declared type; not changed.
    """
    schema: Any = _formed(core_schema)
    config: Any = _FORMS_OF_CONFIG
    return SchemaSerializer(schema, config, _use_prebuilt=False)


def is_bounded(schema: CoreSchema) -> bool:
    """Whether every integer that the schema admits survives JavaScript."""
    lowest, highest = schema.get("ge", schema.get("gt")), schema.get("le", schema.get("lt"))
    return (
        lowest is not None
        and highest is not None
        and lowest >= -MAX_SAFE_INTEGER
        and highest <= MAX_SAFE_INTEGER
    )


def _formed(schema: CoreSchema) -> CoreSchema:
    kind = schema["type"]
    if _is_untyped(schema):
        # One call for the whole of it, not one for each key and member.
        return _with_function(schema, to_json_value)
    if kind == "generator":
        schema = {**schema, "type": "list"}
    formed = with_parts(schema, _formed)
    if kind == "dict" and schema.get("keys_schema", {}).get("type") == "nullable":
        keys = {"type": "function-wrap", "function": _key_or_null}
        formed["keys_schema"] = {**formed["keys_schema"], "serialization": keys}
    if "config" in schema:
        formed["config"] = {**(schema["config"] or {}), **_FORMS_OF_CONFIG}
        if kind == "model" and formed["config"].get("extra_fields_behavior") == "allow":
            formed["schema"] = _with_untyped_extras(formed["schema"])
    if "serialization" not in schema and (form := _form_of(schema)) is not None:
        return _with_function(formed, form)
    if "serialization" not in schema and kind in {"set", "frozenset"}:
        formed["serialization"] = {"type": "function-wrap", "function": _sorted}
    return formed


def _with_function(schema: CoreSchema, form: Callable[[Any], Any]) -> CoreSchema:
    return {**schema, "serialization": {"type": "function-plain", "function": form}}


def _is_untyped(schema: CoreSchema) -> bool:
    """Whether a type says nothing of what it holds: `Any`, `dict[str, Any]`, `list[dict]`."""
    if "serialization" in schema:
        return False
    untyped: CoreSchema = {"type": "any"}
    if schema["type"] == "list":
        return _is_untyped(schema.get("items_schema") or untyped)
    if schema["type"] == "dict":
        keys, values = schema.get("keys_schema") or untyped, schema.get("values_schema") or untyped
        return keys["type"] in {"any", "str"} and _is_untyped(values)
    return bool(schema["type"] == "any")


def _with_untyped_extras(fields: CoreSchema) -> CoreSchema:
    """The fields of an open model, with our form for what it holds beside them."""
    if fields["type"] != "model-fields":
        return with_parts(fields, _with_untyped_extras) if "schema" in fields else fields
    untyped = _formed({"type": "any"})
    return {"extras_schema": untyped, **fields, "extra_behavior": "allow"}


def _form_of(schema: CoreSchema) -> Callable[[Any], Any] | None:
    """The function that writes a scalar in our form; None where pydantic's form is ours."""
    kind = schema["type"]
    if kind == "int" and not is_bounded(schema):
        return _integer
    if kind == "enum" and not _is_plain(schema["members"]):
        return partial(_instance, schema["cls"], to_json_value)
    if kind == "literal" and not _is_plain(schema["expected"]):
        return partial(_expected, schema["expected"])
    return _FORM_OF_KIND.get(kind)


_OTHER_BRANCH = "another branch of a union is meant"


# In a union pydantic asks one branch after the other, and takes the first that does not refuse.
def _instance(kind: Any, form: Callable[[Any], Any], value: Any) -> Any:
    if not isinstance(value, kind):
        raise PydanticSerializationUnexpectedValue(_OTHER_BRANCH)
    return form(value)


def _integer(value: Any) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise PydanticSerializationUnexpectedValue(_OTHER_BRANCH)
    return integer_form(value)


def _key_or_null(key: Any, serialize: Callable[[Any], Any]) -> Any:
    """The key None as the word that an argument has for it; pydantic would write Python's."""
    return "null" if key is None else serialize(key)


def _expected(expected: list[Any], value: Any) -> Any:
    if value not in expected:
        raise PydanticSerializationUnexpectedValue(_OTHER_BRANCH)
    return to_json_value(value)


def _sorted(items: Any, serialize: Callable[[Any], Iterable[Any]]) -> list[Any]:
    if not isinstance(items, set | frozenset):
        raise PydanticSerializationUnexpectedValue(_OTHER_BRANCH)
    return sorted_form(serialize(items))


_FORM_OF_KIND: dict[str, Callable[[Any], Any]] = {
    "bytes": partial(_instance, bytes, bytes_form),
    "decimal": partial(_instance, Decimal, decimal_form),
}


def _is_plain(members: Iterable[Any]) -> bool:
    """Whether pydantic writes every member of an enumeration as we publish it."""
    values = [member.value if isinstance(member, Enum) else member for member in members]
    return all(
        value is None or (isinstance(value, str | bool | float | int) and not _is_long(value))
        for value in values
    )


def _is_long(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER
