"""The parts of a type that Python has to hash: the items of a set, the keys of a dictionary.

A set of what has no hash can never be made, so every call with an item would be refused; such a
type is refused where it is declared.
"""

from appfunctions_mcp.schema.core_keywords import UnsupportedTypeError
from appfunctions_mcp.schema.shapes import (
    ListShape,
    MapShape,
    NullableShape,
    ObjectShape,
    SetFieldShape,
    Shape,
    TupleShape,
    UnionShape,
    alternatives,
    resolved,
    walk,
)

_SETS = frozenset({"set", "frozenset"})
_MAX_DEPTH = 10
_NAMES = {MapShape: "dictionaries", SetFieldShape: "SetFields"}


def require_hashable(shape: Shape) -> None:
    """Refuses sets whose items Python cannot hash, and dictionaries whose keys are no scalars.

    Args:
        shape: What a whole type was read as.

    Raises:
        UnsupportedTypeError: Names what cannot be hashed, and what to declare instead.
    """
    for part in walk(shape):
        if isinstance(part, ListShape) and part.kind in _SETS and not _may_be_hashed(part.items):
            raise UnsupportedTypeError(
                f"a set of {_name_of(part.items)}, which Python cannot hash (a list is accepted)"
            )
        if isinstance(part, MapShape):
            for key in alternatives(part.keys):
                if not _may_be_key(key):
                    raise UnsupportedTypeError(
                        f"a dictionary with {_name_of(key)} as keys (text, numbers, dates and "
                        "the like are accepted)"
                    )


def _may_be_hashed(shape: Shape, depth: int = 0) -> bool:
    shape = resolved(shape)
    if depth > _MAX_DEPTH:
        return True
    if isinstance(shape, ListShape):
        return shape.kind == "frozenset" or (
            shape.kind == "tuple" and _may_be_hashed(shape.items, depth + 1)
        )
    if isinstance(shape, ObjectShape):
        return shape.cls is not None and shape.cls.__hash__ not in {None, dict.__hash__}
    if isinstance(shape, UnionShape):
        return any(_may_be_hashed(branch, depth + 1) for branch in shape.branches)
    if isinstance(shape, TupleShape | NullableShape | SetFieldShape):
        return all(_may_be_hashed(part, depth + 1) for part in shape.parts)
    return not isinstance(shape, MapShape)


def _may_be_key(shape: Shape) -> bool:
    if isinstance(shape, ListShape):
        return shape.kind == "tuple" and _may_be_hashed(shape)
    return _may_be_hashed(shape) and not isinstance(shape, ObjectShape | SetFieldShape)


def _name_of(shape: Shape) -> str:
    shape = resolved(shape)
    if isinstance(shape, ObjectShape):
        return shape.name
    if isinstance(shape, ListShape):
        return f"{shape.kind}s"
    return _NAMES.get(type(shape), "values")
