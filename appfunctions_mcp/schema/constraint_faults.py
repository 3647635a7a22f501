"""pydantic's errors → faults in our words.

What reaches pydantic has the right kinds already, so its errors are broken constraints and
what an author's own validators say.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from uuid import UUID

from pydantic_core import ErrorDetails, ValidationError

from appfunctions_mcp.schema.faults import Fault, Path, accepted, kind_of
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

_KEY = "[key]"
"""What pydantic adds to the location of a fault of a key."""
_OUT_OF_RANGE = {
    "greater_than",
    "greater_than_equal",
    "less_than",
    "less_than_equal",
    "multiple_of",
}
_COUNTS = {"too_short", "too_long"}
_LIMITS = _OUT_OF_RANGE | _COUNTS
_SELF_EVIDENT = {"missing", "enum", "literal_error", "recursion_loop", *_COUNTS}
_SAID = {"value_error", "assertion_error"}


def faults_of(error: ValidationError, path: Path, shape: Shape, value: Any) -> list[Fault]:
    """The faults that pydantic found in one argument, one for each place.

    Args:
        error: What pydantic raised.
        path: Where the argument stands.
        shape: Its shape.
        value: What pydantic was given.
    """
    faults: dict[Path, tuple[int, Fault]] = {}
    for details in error.errors(include_url=False):
        below = _path_of(details["loc"], value)
        rank = _rank_of(details)
        known = faults.get(below)
        if known is None or rank < known[0]:
            faults[below] = (rank, _fault_at((*path, *below), details, shape, below))
    return [fault for _, fault in faults.values()]


def _fault_at(path: Path, details: ErrorDetails, shape: Shape, below: Path) -> Fault:
    if details["loc"][-1:] != (_KEY,):
        return Fault(path, _problem_of(details), _accepted_at(shape, below))
    of_keys = _accepted_at(shape, (*below[:-1], _KEY))
    return Fault(path, "the key is not accepted", f"as a key {of_keys}" if of_keys else "")


def _rank_of(details: ErrorDetails) -> int:
    """Of several errors at one place, those of the branches that were not meant come last."""
    kind = details["type"]
    return 1 if kind.endswith(("_type", "_parsing", "_error")) and kind not in _SAID else 0


def _path_of(location: Sequence[int | str], value: Any) -> Path:
    """The steps of an error's location that lead through the value, without pydantic's labels."""
    path: list[int | str] = []
    for step in location:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
            path.append(str(step))
        elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
            value = value[step]
            path.append(step)
    return tuple(path)


def _problem_of(details: ErrorDetails) -> str:
    kind, value = details["type"], details["input"]
    if kind in _SAID:
        return str(details.get("ctx", {}).get("error") or details["msg"])
    if (tell := _PROBLEMS.get(kind)) and (kind not in _LIMITS or _tells_limits(value)):
        return f"got {_kind_sent(value)}{tell(value)}"
    said = "" if _quotes(details, value) else f": {details['msg']}"
    return f"got {_kind_sent(value)}{said}"


def _kind_sent(value: Any) -> str:
    """What kind of value came, where it is a Python value by now."""
    if isinstance(value, dict):
        return f"an object with {len(value)} entr{'y' if len(value) == 1 else 'ies'}"
    kind = next((kind for kinds, kind in _SENT_AS if isinstance(value, kinds)), None)
    return kind or kind_of(value)


_SENT_AS: tuple[tuple[Any, str], ...] = (
    (Decimal, "a number"),
    (bytes, "base64 text"),
    (date | time | timedelta | tzinfo | UUID | PurePath, "text"),
    (set | frozenset, "a list"),
)


def _tells_limits(value: Any) -> bool:
    """Whether what is accepted names the limits of such values: of numbers and of lists."""
    return isinstance(value, int | float | Decimal | list | tuple | set | frozenset)


def _quotes(details: ErrorDetails, value: Any) -> bool:
    """Whether pydantic's words show the text that came, or a part of it."""
    told = [part for part in map(str, details.get("ctx", {}).values()) if part]
    return isinstance(value, str) and any(
        part in value or (value and value in part) for part in told
    )


def _length_in(unit: str) -> Callable[[Any], str]:
    return lambda value: f" of {len(value)} {unit}{'' if len(value) == 1 else 's'}"


_PROBLEMS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(_OUT_OF_RANGE, lambda _: " that is out of range"),
    **dict.fromkeys(("string_too_short", "string_too_long"), _length_in("character")),
    **dict.fromkeys(("bytes_too_short", "bytes_too_long"), _length_in("byte")),
    "string_pattern_mismatch": lambda _: " that does not match",
    **dict.fromkeys(_SELF_EVIDENT, lambda _: ""),
}


def _accepted_at(shape: Shape, path: Iterable[int | str]) -> str:
    """What is accepted at a place below a shape; empty where that is not told by the shape."""
    current: Shape | None = shape
    for step in path:
        current = _step_into(current, step) if current else None
    return accepted(current) if current else ""


def _step_into(shape: Shape, step: int | str) -> Shape | None:
    shape = resolved(shape)
    if isinstance(shape, NullableShape):
        return _step_into(shape.inner, step)
    if isinstance(shape, UnionShape):
        found = (_step_into(branch, step) for branch in shape.branches)
        return next((below for below in found if below), None)
    if isinstance(shape, MapShape) and step is _KEY:
        return shape.keys
    if isinstance(shape, ObjectShape):
        return next((p.shape for p in shape.properties if p.name == step), shape.extra)
    if isinstance(shape, TupleShape):
        return shape.items[step] if isinstance(step, int) and step < len(shape.items) else None
    return shape.parts[-1] if isinstance(shape, ListShape | MapShape | SetFieldShape) else None
