"""One parameter's type: its shape, and what checks constraints and builds models of it.

Core schemas are pydantic's most expensive part, so those of types that can be hashed are made
once per process.
"""

import warnings
from collections.abc import Callable, Mapping
from enum import Flag
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator, ValidationError, to_jsonable_python

from appfunctions_mcp.records import record
from appfunctions_mcp.schema.core_parts import CoreSchema, with_parts, with_shared_parts
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.shapes import AnyShape, ListShape, Shape, UnionShape, walk, words

if TYPE_CHECKING:
    from appfunctions_mcp.schema.faults import Fault
    from appfunctions_mcp.schema.instances import Build

# What the checks make of these is final already: pydantic would only look at it again.
_FINAL_KINDS = words("""
    any none str int float bool decimal bytes date time datetime timedelta uuid enum
    literal
""")
_HARMLESS = frozenset({"type", "metadata", "ref", "cls", "members", "expected", "sub_type"})


@record(frozen=True, slots=True)
class ArgumentType:
    """What is known of one parameter's type."""

    shape: Shape
    build: "Build | None"
    """None where the checked value is final."""
    untyped: bool = False
    """Whether it admits any JSON, at its top or below."""
    has_union: bool = False
    """Whether pydantic may have to try branches: with faulty values it could try for ever."""

    def finish(self, name: str, value: Any, faults: "list[Fault]") -> Any:
        """Builds the value and checks its constraints; adds what is wrong to the faults."""
        if self.build is None:
            return value
        try:
            return self.build(value)
        except ValidationError as error:
            from appfunctions_mcp.schema.constraint_faults import faults_of

            faults.extend(faults_of(error, (name,), self.shape, value))
            return value


@record(frozen=True, slots=True)
class Argument:
    """One parameter, ready for calls."""

    type: ArgumentType
    value_if_absent: Callable[[], Any] | None
    """What the function gets when the agent leaves it out; None for a required one."""


def argument_type(annotation: Any) -> ArgumentType:
    """Reads the type of a parameter.

    Raises:
        Exception: Whatever pydantic, or an author's own class, says of a type that it cannot
            use; `UnsupportedTypeError` for one without a form in JSON.
    """
    try:
        # The text tells apart what is equal but published differently: `int | str`, `str | int`.
        return _cached(annotation, repr(annotation))
    except TypeError:
        # Not hashable, or refused with a TypeError that is raised here again.
        return _read(annotation)


def _read(annotation: Any, _written: str = "") -> ArgumentType:
    with warnings.catch_warnings():
        # A Field's alias or default in Annotated means nothing here: the name is the parameter's.
        warnings.filterwarnings("ignore", category=UserWarning, module="pydantic")
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    whole: Any = adapter.core_schema
    core = with_shared_parts(whole)
    shape = read_shape(core, "arguments")
    untyped = any(isinstance(part, AnyShape) for part in walk(shape))
    if _is_final(core):
        return ArgumentType(shape, None, untyped)
    validator = adapter.validator
    if any(isinstance(part, ListShape) and part.kind == "generator" for part in walk(shape)):
        validator = SchemaValidator(_eager(core))
    validate = validator.validate_python
    # The kinds are checked already, so a model's strict mode has nothing left to refuse.
    has_union = any(isinstance(part, UnionShape) for part in walk(shape))
    return ArgumentType(shape, lambda value: validate(value, strict=False), untyped, has_union)


_cached = lru_cache(maxsize=1024)(_read)


def _eager(core: CoreSchema) -> CoreSchema:
    """The same schema with lists for `Iterable`, which pydantic would only check in the body."""
    rewritten = with_parts(core, _eager)
    return {**rewritten, "type": "list"} if core["type"] == "generator" else rewritten


def _is_final(core: Mapping[str, Any]) -> bool:
    kind = core["type"]
    if kind in {"nullable", "list", "default"}:
        inner = core.get("items_schema" if kind == "list" else "schema")
        return len(core) == 2 and inner is not None and _is_final(inner)
    if kind == "enum" and issubclass(core["cls"], Flag):
        return False
    return kind in _FINAL_KINDS and _HARMLESS.issuperset(core.keys() - {"microseconds_precision"})


def default_as_json(value: Any) -> Any:
    """A default in JSON form, as an agent could send it.

    Raises:
        ValueError: It has none.
    """
    from decimal import Decimal

    if isinstance(value, Decimal):
        exact = float(value)
        if Decimal(repr(exact)) != value:
            raise ValueError("no JSON number is exactly this one")
        return int(value) if value == int(value) else exact
    if isinstance(value, set | frozenset):
        return sorted(map(default_as_json, value), key=repr)
    return to_jsonable_python(value, bytes_mode="base64", by_alias=True, inf_nan_mode="constants")
