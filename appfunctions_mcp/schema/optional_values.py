"""What an optional parameter is when the agent leaves it out: Android's rule and Python's.

Android's: the type's own empty value, whatever default is written, so a default that differs
is refused. Python's ("declared"): the written default.
"""

import copy
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, get_args, get_origin

from appfunctions_mcp.schema.annotations import Parameter, type_name
from appfunctions_mcp.schema.shapes import (
    BooleanShape,
    FormShape,
    ListShape,
    NumberShape,
    Shape,
    admits_null,
    resolved,
)

_NUMBERS: dict[str, Callable[[], Any]] = {"int": int, "float": float, "decimal": Decimal}
_LISTS: dict[str, Callable[[], Any]] = {
    "list": list,
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "deque": deque,
    "generator": list,
}


class OptionalValueError(Exception):
    """A default that Android's rule does not allow; the text says why and shows both fixes."""


def empty_value_of(shape: Shape) -> Callable[[], Any] | None:
    """Makes the empty value of a type, fresh each time; None for a type that has none."""
    if admits_null(shape):
        return _nothing
    plain = resolved(shape)
    if isinstance(plain, NumberShape):
        return _NUMBERS.get(plain.kind)
    if isinstance(plain, BooleanShape):
        return bool
    if isinstance(plain, ListShape):
        return _LISTS[plain.kind]
    if isinstance(plain, FormShape) and plain.form == "bytes":
        return bytes
    return None


def _nothing() -> None:
    return None


def value_by_type(parameter: Parameter, shape: Shape) -> Callable[[], Any]:
    """Makes what a left-out parameter is under Android's rule.

    Raises:
        OptionalValueError: The type may not be optional, or the written default is not the
            type's empty value.
    """
    make = empty_value_of(shape)
    if make is None:
        raise OptionalValueError(
            f"{_as_code(parameter)}: a parameter of this type may not be optional; "
            f"make it nullable and resolve it in the body, or opt in{_fixes(parameter)}"
        )
    if not _is_same(parameter.default, make()):
        raise OptionalValueError(
            f"{_as_code(parameter)}: left out by the agent, it would be {make()!r} and not the "
            f"declared default; resolve it in the body, or opt in{_fixes(parameter)}"
        )
    return make


def declared_value(parameter: Parameter) -> Callable[[], Any]:
    """Makes what a left-out parameter is under Python's rule: the default, mutable ones copied."""
    default = parameter.default
    try:
        hash(default)
    except TypeError:  # it can change: a list, a model, a dataclass that is not frozen
        return lambda: copy.deepcopy(default)
    return lambda: default


def _is_same(default: Any, empty: Any) -> bool:
    if isinstance(empty, tuple(_LISTS.values())):  # type: ignore[arg-type] # they are all types
        return isinstance(default, list | tuple | set | frozenset | deque) and not default
    return isinstance(default, bool) == isinstance(empty, bool) and bool(default == empty)


def _as_code(parameter: Parameter) -> str:
    return f"{parameter.name}: {_written_type(parameter.annotation)} = {parameter.default!r}"


def _fixes(parameter: Parameter) -> str:
    name, written = parameter.name, _written_type(parameter.annotation)
    nullable = written if written.endswith("| None") else f"{written} | None"
    default = repr(parameter.default)
    return (
        f":\n    {name}: {nullable} = None"
        f"\n        {name} = {default} if {name} is None else {name}"
        f'\n    @app_function(optional_defaults="declared")'
    )


def _written_type(annotation: Any) -> str:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return type_name(annotation)
