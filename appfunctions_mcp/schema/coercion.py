"""Shapes → checks of JSON values, compiled once: what is exact passes, what is safe converts.

The checks make exact Python values of leaves and plain lists and dictionaries of the rest;
pydantic then builds models and checks constraints. Every fault of a call is found in one pass.
Values from outside may be nested at will: the depth is bounded, never Python's stack.
"""

from collections.abc import Callable
from typing import Any

from appfunctions_mcp.schema.choice_coercion import (
    coercer_of_nullable,
    coercer_of_union,
)
from appfunctions_mcp.schema.coercion_pass import Coercer, CoercionPass, Compile
from appfunctions_mcp.schema.container_coercion import (
    coercer_of_list,
    coercer_of_map,
    coercer_of_object,
    coercer_of_tuple,
)
from appfunctions_mcp.schema.faults import Path
from appfunctions_mcp.schema.scalar_coercion import coercer_of_scalar
from appfunctions_mcp.schema.set_field_coercion import coercer_of_set_field
from appfunctions_mcp.schema.shapes import (
    ListShape,
    MapShape,
    NullableShape,
    ObjectShape,
    SetFieldShape,
    Shape,
    TupleShape,
    UnionShape,
    resolved,
)

_COMPILED: dict[type, Callable[[Any, Compile], Coercer]] = {
    ListShape: coercer_of_list,
    TupleShape: coercer_of_tuple,
    MapShape: coercer_of_map,
    ObjectShape: coercer_of_object,
    NullableShape: coercer_of_nullable,
    UnionShape: coercer_of_union,
    SetFieldShape: coercer_of_set_field,
}


def compile_coercer(shape: Shape) -> Coercer:
    """Compiles the check of a shape and of everything below it."""
    known: dict[int, Coercer] = {}

    def compile_part(part: Shape) -> Coercer:
        target = resolved(part)
        if id(target) in known:
            return known[id(target)]

        # A recursive shape meets this stand-in while it is being compiled itself.
        def follow(value: Any, path: Path, state: CoercionPass) -> Any:
            return known[id(target)](value, path, state)

        known[id(target)] = follow
        build = _COMPILED.get(type(target))
        known[id(target)] = build(target, compile_part) if build else coercer_of_scalar(target)
        return known[id(target)]

    return compile_part(shape)
