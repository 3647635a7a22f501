"""The check of a `SetField`, in every form that clients and models send.

Clients drop nested nulls, stringify objects and shorten `{"value": "x"}` to `"x"`; what is
ambiguous after that is refused with the exact forms, since a guess would erase somebody's data.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.schema.coercion_pass import (
    Coercer,
    CoercionPass,
    Compile,
    decoded,
    restate_accepted,
)
from appfunctions_mcp.schema.faults import Path, set_field_forms
from appfunctions_mcp.schema.scalar_coercion import coercer_of_scalar
from appfunctions_mcp.schema.shapes import (
    BooleanShape,
    SetFieldShape,
    admits_free_text,
    admits_null,
)

_KEYS = frozenset({"value", "clear"})
_coerce_boolean = coercer_of_scalar(BooleanShape())


def coercer_of_set_field(shape: SetFieldShape, compile_part: Compile) -> Coercer:
    """Compiles the check of a SetField; it makes `{"value": …}` of every form."""
    coerce_inner = compile_part(shape.inner)
    free_text = admits_free_text(shape.inner)
    clearable = admits_null(shape.inner)

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        given = decoded(value, dict, state)
        if given is not value and free_text and not given.keys() <= _KEYS:
            given = value
        if isinstance(given, dict):
            return coerce_object(given, path, state)
        if given is None or given == "null":
            what = "null" if given is None else "the bare text null"
            state.fault(path, f"got {what}, which does not say what to do", set_field_forms(shape))
            return value
        return coerce_bare(given, path, state)

    def coerce_bare(given: Any, path: Path, state: CoercionPass) -> Any:
        before = len(state.faults)
        made = coerce_inner(given, path, state)
        # What the value alone must be would mislead: a bare object is never taken.
        restate_accepted(state, before, path, lambda _: set_field_forms(shape))
        return {"value": made}

    def coerce_object(given: Mapping[Any, Any], path: Path, state: CoercionPass) -> Any:
        cleared = _is_cleared(given, path, state)
        if state.unknown == "warn":
            state.dropped += [(*path, str(key)) for key in given if key not in _KEYS]
        if problem := _problem_of(given, state, cleared=cleared, clearable=clearable):
            state.fault(path, problem, set_field_forms(shape))
            return given
        if cleared:
            return {"value": None}
        return {"value": coerce_inner(given["value"], (*path, "value"), state)}

    return coerce


def _problem_of(
    given: Mapping[Any, Any], state: CoercionPass, *, cleared: bool, clearable: bool
) -> str:
    """Why an object does not say what to do with the field; empty if it does."""
    for key in given:
        if key not in _KEYS and state.unknown == "refuse":
            return f"got an object with the key {quoted(str(key))}"
    if cleared and given.get("value") is not None:
        return "got a value and clear, which contradict each other"
    if cleared and not clearable:
        return "got clear, but the field cannot be empty"
    if not cleared and "value" not in given:
        return "got an object that neither sets nor clears"
    return ""


def _is_cleared(given: Mapping[Any, Any], path: Path, state: CoercionPass) -> bool:
    """Whether `clear` is true; a null there means nothing."""
    clear = given.get("clear")
    return clear is not None and _coerce_boolean(clear, (*path, "clear"), state) is True
