"""The check of a call's arguments, compiled when a function is called for the first time.

Most calls send exactly what is declared: they are let through by a test of types alone, where
the declaration asks for no more. Everything else goes through the passes that convert, build
models and collect faults.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from appfunctions_mcp.metadata import UnknownArguments
from appfunctions_mcp.schema.argument_types import Argument
from appfunctions_mcp.schema.shapes import (
    BooleanShape,
    ListShape,
    NullableShape,
    NumberShape,
    ObjectShape,
    Shape,
    TextShape,
)

Check = Callable[[Mapping[str, Any], list[str] | None], dict[str, Any]]


def compile_check(
    shape: ObjectShape, arguments: Mapping[str, Argument], unknown: UnknownArguments
) -> Check:
    """Compiles the check of a function's arguments.

    Args:
        shape: The arguments as one object.
        arguments: What is known of each, by name.
        unknown: What happens to arguments that are not declared.

    Returns:
        What `ArgumentsSchema.validate` does.
    """
    patient = _patiently(shape, arguments, unknown)
    steps = [(n, _exact(argument), argument.value_if_absent) for n, argument in arguments.items()]
    if len(steps) != len(shape.properties) or not all(exact for _, exact, _ in steps):
        return patient

    def check(parameters: Mapping[str, Any], dropped: list[str] | None) -> dict[str, Any]:
        checked = {}
        met = 0
        for name, exact, make in steps:
            if name in parameters:
                met += 1
                value = exact(parameters[name])
            else:
                value = make() if make is not None else _OTHER
            if value is _OTHER:
                return patient(parameters, dropped)
            checked[name] = value
        return checked if met == len(parameters) else patient(parameters, dropped)

    return check


def _patiently(
    shape: ObjectShape, arguments: Mapping[str, Argument], unknown: UnknownArguments
) -> Check:
    """The whole check, of which nothing is imported or compiled before somebody needs it."""
    checks: list[Check] = []

    def check(parameters: Mapping[str, Any], dropped: list[str] | None) -> dict[str, Any]:
        if not checks:
            from appfunctions_mcp.schema.patient_checks import PatientCheck

            checks.append(PatientCheck(shape, arguments, unknown).check)
        return checks[0](parameters, dropped)

    return check


_OTHER: Any = object()
"""Stands for a value that may have to be converted, or is wrong."""


def _exact(argument: Argument) -> Any:
    """What lets a value through as it came, or gives `_OTHER`; None where types tell too little."""
    shape: Shape = argument.type.shape
    nullable = isinstance(shape, NullableShape)
    if isinstance(shape, NullableShape):
        shape = shape.inner
    if argument.type.build is not None:
        return None
    if isinstance(shape, ListShape) and shape.kind == "list":
        exact = _exact_list(shape.items)
    elif isinstance(shape, NumberShape) and shape.kind == "float":
        exact = _exact_float
    else:
        kind = _exact_kind(shape)
        exact = None if kind is None else lambda value: value if type(value) is kind else _OTHER
    if exact is None or not nullable:
        return exact
    return lambda value: None if value is None else exact(value)


def _exact_float(value: Any) -> Any:
    return value if type(value) is float and isfinite(value) else _OTHER


def _exact_list(items: Shape) -> Callable[[Any], Any] | None:
    kind = _exact_kind(items)
    if kind is None:
        return None
    kinds = {kind}
    return lambda value: (
        [*value] if type(value) is list and kinds >= {*map(type, value)} else _OTHER
    )


def _exact_kind(shape: Shape) -> type | None:
    if isinstance(shape, TextShape):
        return str
    if isinstance(shape, BooleanShape):
        return bool
    return int if isinstance(shape, NumberShape) and shape.kind == "int" else None
