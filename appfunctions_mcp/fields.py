"""Partial updates: a field that is set, cleared, or left alone.

`SetField[T] | None = None` as a parameter has three states, which a plain `T | None` has not:
None leaves the field, a `SetField` with a value sets it, a `SetField` with None clears it.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, get_args

T = TypeVar("T")
E = TypeVar("E")

SET_FIELD_KEY = "appfunctions_mcp_set_field"
"""Marks, in a core schema's metadata, the schema of a `SetField`."""


class SetField(Generic[T]):
    """A new value for a field; where there is no SetField, the field is left alone.

    Immutable, and equal to another one with an equal value. No dataclass, since pydantic would
    read a generic dataclass by its fields and never ask for the schema below.

    Example:
        >>> SetField("x").value
        'x'

    Args:
        value: What the field becomes; None clears it.
    """

    __slots__ = ("_value",)
    __match_args__ = ("value",)

    def __init__(self, value: T) -> None:
        self._value = value

    @property
    def value(self) -> T:
        """What the field becomes; None clears it."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return self._value == other._value if isinstance(other, SetField) else NotImplemented

    def __hash__(self) -> int:
        return hash((SetField, self._value))

    def __repr__(self) -> str:
        return f"SetField({self._value!r})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:
        (inner,) = get_args(source) or (Any,)
        value = handler.generate_schema(inner)  # type: ignore[attr-defined] # pydantic's handler has it
        return {
            "type": "function-wrap",
            "function": {"type": "no-info", "function": _checked},
            "schema": {
                "type": "typed-dict",
                "fields": {"value": {"type": "typed-dict-field", "schema": value}},
            },
            "serialization": {
                "type": "function-plain",
                "function": _fields_of,
                "return_schema": {
                    "type": "typed-dict",
                    "fields": {"value": {"type": "typed-dict-field", "schema": value}},
                },
            },
            "metadata": {SET_FIELD_KEY: True},
        }


def _checked(value: Any, check: Callable[[Any], Any]) -> "SetField[Any]":
    """A SetField with a checked value, of one that is made already or of its JSON object."""
    return SetField(check(_fields_of(value) if isinstance(value, SetField) else value)["value"])


def _fields_of(field: "SetField[Any]") -> dict[str, Any]:
    return {"value": field.value}


def apply_fields(existing: E, /, **fields: SetField[Any] | None) -> tuple[E, list[str]]:
    """Makes a new object with the given fields set, and says which were given.

    Example:
        >>> apply_fields({"title": "T", "content": "C"}, title=None, content=SetField(None))
        ({'title': 'T', 'content': None}, ['content'])

    Args:
        existing: A dataclass, a pydantic model, a named tuple or a dictionary; not changed.
        fields: A SetField, or None to leave the field, by field name.

    Returns:
        The new object, and the names of the fields that were given, in order.

    Raises:
        TypeError: There is no such field, a value is no SetField, or the object is of another
            kind.
    """
    for name, field in fields.items():
        if field is not None and not isinstance(field, SetField):
            raise TypeError(f"{name} is {type(field).__name__}; a SetField or None is accepted")
    accepted = fields if isinstance(existing, Mapping) else _field_names(existing)
    if unknown := [name for name in fields if name not in accepted]:
        raise TypeError(
            f"{type(existing).__name__} has no field {', '.join(unknown)}; "
            f"it has {', '.join(accepted)}"
        )
    given = {name: field.value for name, field in fields.items() if field is not None}
    return _replaced(existing, given), list(given)


def _field_names(existing: object) -> tuple[str, ...]:
    if dataclasses.is_dataclass(existing) and not isinstance(existing, type):
        return tuple(field.name for field in dataclasses.fields(existing))
    for attribute in ("model_fields", "_fields"):
        if names := getattr(type(existing), attribute, None):
            return tuple(names)
    raise TypeError(
        f"apply_fields takes a dataclass, a pydantic model, a named tuple or a dictionary, "
        f"not {type(existing).__name__}"
    )


def _replaced(existing: Any, given: dict[str, Any]) -> Any:
    if dataclasses.is_dataclass(existing) and not isinstance(existing, type):
        return dataclasses.replace(existing, **given)
    if isinstance(existing, Mapping):
        return {**existing, **given}
    if hasattr(existing, "model_copy"):
        return existing.model_copy(update=given)
    return existing._replace(**given)
