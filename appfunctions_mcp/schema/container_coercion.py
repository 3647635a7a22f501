"""Checks of arrays and objects: their items and entries, unknown keys, what is missing."""

from collections.abc import Iterable
from typing import Any

from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.schema.coercion_pass import (
    Coercer,
    CoercionPass,
    Compile,
    bounded,
    decoded,
)
from appfunctions_mcp.schema.faults import Path, accepted
from appfunctions_mcp.schema.shapes import (
    ListShape,
    MapShape,
    ObjectShape,
    TupleShape,
    admits_null,
)

_NAMES_SHOWN = 40


def coercer_of_list(shape: ListShape, compile_part: Compile) -> Coercer:
    """Compiles the check of an array whose items are alike."""
    coerce_item = compile_part(shape.items)
    as_tuple = shape.kind == "tuple"

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        items = decoded(value, list, state)
        if not isinstance(items, list):
            return state.refuse(path, value, shape)
        made = [coerce_item(item, (*path, at), state) for at, item in enumerate(items)]
        return tuple(made) if as_tuple else made

    return bounded(coerce)


def coercer_of_tuple(shape: TupleShape, compile_part: Compile) -> Coercer:
    """Compiles the check of an array with a shape for each place."""
    coerce_items = [compile_part(item) for item in shape.items]
    least = len(coerce_items) - shape.optional

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        items = decoded(value, list, state)
        if not isinstance(items, list) or not least <= len(items) <= len(coerce_items):
            return state.refuse(path, items, shape)
        return tuple(
            coerce_item(item, (*path, at), state)
            for at, (coerce_item, item) in enumerate(zip(coerce_items, items, strict=False))
        )

    return bounded(coerce)


def coercer_of_map(shape: MapShape, compile_part: Compile) -> Coercer:
    """Compiles the check of an object with any keys."""
    coerce_key = compile_part(shape.keys)
    coerce_entry = compile_part(shape.values)

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        entries = decoded(value, dict, state)
        if not isinstance(entries, dict):
            return state.refuse(path, value, shape)
        made: dict[Any, Any] = {}
        for name, entry in entries.items():
            place = (*path, str(name))
            trial = state.trial(exact=False)
            key = coerce_key(name, place, trial)
            if trial.faults:
                state.fault(place, "the key is not accepted", f"as a key {accepted(shape.keys)}")
            elif key in made:
                state.fault(place, "the key means the same as another one")
            else:
                made[key] = coerce_entry(entry, place, state)
        return made

    return bounded(coerce)


def coercer_of_object(shape: ObjectShape, compile_part: Compile) -> Coercer:
    """Compiles the check of an object with certain keys."""
    checks = [
        (prop.name, prop, compile_part(prop.shape), admits_null(prop.shape))
        for prop in shape.properties
    ]
    names = frozenset(prop.name for prop in shape.properties)
    coerce_extra = compile_part(shape.extra) if shape.extra else None

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        entries = decoded(value, dict, state)
        if not isinstance(entries, dict):
            return state.refuse(path, value, shape)
        made: dict[str, Any] = {}
        for name, prop, coerce_entry, takes_null in checks:
            if name in entries:
                entry = entries[name]
                # Clients send null for what is left out; only where null is a value is it one.
                if entry is not None or takes_null or prop.required:
                    made[name] = coerce_entry(entry, (*path, name), state)
            elif prop.required:
                state.fault((*path, name), "missing", accepted(prop.shape))
        if not entries.keys() <= names:
            for name in [name for name in entries if name not in names]:
                if coerce_extra is None:
                    _meet_unknown(name, path, names, shape, state)
                else:
                    made[name] = coerce_extra(entries[name], (*path, str(name)), state)
        return made

    return bounded(coerce)


def _meet_unknown(
    name: Any, path: Path, names: Iterable[str], shape: ObjectShape, state: CoercionPass
) -> None:
    place = (*path, str(name))
    if state.unknown == "refuse":
        if state.exact or state.is_full:
            state.fault(place, "")
            return
        known = [prop.name for prop in shape.properties]
        what = "key" if path else "argument"
        nearest = nearest_names(str(name), names, limit=1)
        meant = f"; did you mean {nearest[0]}?" if nearest else ""
        state.fault(place, f"there is no such {what}{meant}", names_text(known) or "none")
    elif state.unknown == "warn":
        state.dropped.append(place)


def names_text(names: list[str]) -> str:
    """Names as a list in a sentence, cut where there are very many."""
    shown = ", ".join(
        name if name.isidentifier() else quoted(name) for name in names[:_NAMES_SHOWN]
    )
    return f"{shown}, …" if len(names) > _NAMES_SHOWN else shown
