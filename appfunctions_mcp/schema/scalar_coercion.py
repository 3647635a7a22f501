"""Checks of single values: booleans, numbers, text, forms of text, members of enumerations.

Each makes the exact Python value or records one fault. In an exact pass, by which unions choose
a branch, nothing is converted.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.schema.coercion_pass import Coercer, CoercionPass
from appfunctions_mcp.schema.faults import Path
from appfunctions_mcp.schema.shapes import (
    AnyShape,
    BooleanShape,
    EnumShape,
    FormShape,
    NullShape,
    NumberShape,
    Shape,
    TextShape,
)
from appfunctions_mcp.schema.text_forms import TEXT_FORMS

MAX_NUMBER_DIGITS = 4300
"""Longer texts are no numbers here: reading them takes quadratic time."""
MAX_EXACT_FLOAT = 2**53
"""Beyond it a float stands for several whole numbers."""
MAX_ANY_DEPTH = 500
"""How deep untyped JSON may be nested."""

_INTEGER = regex(r"-?(0|[1-9][0-9]*)", re.ASCII)
_NUMBER = regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_WORDS = {"true": True, "false": False}


def coercer_of_scalar(shape: Shape) -> Coercer:
    """Compiles the check of a shape that has no parts."""
    return _CHECKS[type(shape)](shape)


def _any(shape: AnyShape) -> Coercer:
    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        waiting: list[tuple[Any, Path]] = [(value, path)]
        while waiting:
            current, place = waiting.pop()
            if isinstance(current, float) and not isfinite(current):
                state.refuse(place, current, shape)
            elif len(place) - len(path) > MAX_ANY_DEPTH:
                state.too_deep(path, MAX_ANY_DEPTH)
                break
            elif isinstance(current, list):
                waiting += [(item, (*place, at)) for at, item in enumerate(current)]
            elif isinstance(current, dict):
                waiting += [(item, (*place, key)) for key, item in current.items()]
        return value

    return coerce


def _null(shape: NullShape) -> Coercer:
    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        if value is None or (value == "null" and not state.exact):
            return None
        return state.refuse(path, value, shape)

    return coerce


def _boolean(shape: BooleanShape) -> Coercer:
    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        if value is True or value is False:
            return value
        if isinstance(value, str) and not state.exact:
            word = _WORDS.get(value.lower() if len(value) < 6 else value)
            if word is not None:
                return word
        return state.refuse(path, value, shape)

    return coerce


def _number(shape: NumberShape) -> Coercer:
    convert, kinds = _NUMBERS[shape.kind]
    # Python would take other numbers for flags, and drop or keep what they mean.
    most = shape.keywords["maximum"] if shape.kind == "flags" else None

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return state.refuse(path, value, shape)
        if state.exact and not isinstance(value, kinds):
            return state.refuse(path, value, shape)
        try:
            number = convert(value)
        except _NotConvertedError as refusal:
            return state.refuse(path, value, shape, str(refusal))
        if most is not None and not 0 <= number <= most:
            return state.refuse(path, value, shape, "that is out of range")
        return number

    return coerce


class _NotConvertedError(Exception):
    """A value is no number of the kind; the text says more, if there is more to say."""


def _to_int(value: float | str) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not value.is_integer():
            raise _NotConvertedError
        if abs(value) > MAX_EXACT_FLOAT:
            raise _NotConvertedError("too large to be exact")
        return int(value)
    _require_number_text(value, _INTEGER)
    return int(value)


def _to_float(value: float | str) -> float:
    if isinstance(value, str):
        _require_number_text(value, _NUMBER)
    try:
        number = float(value)
    except OverflowError as fault:
        raise _NotConvertedError("that is too large") from fault
    if not isfinite(number):
        raise _NotConvertedError("that is too large" if isinstance(value, str) else "")
    return number


def _to_decimal(value: float | str) -> Decimal:
    if isinstance(value, float) and not isfinite(value):
        raise _NotConvertedError
    if isinstance(value, str):
        _require_number_text(value, _NUMBER)
    # The shortest text of a float is what stood in the JSON, digit for digit.
    try:
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except ArithmeticError as fault:
        raise _NotConvertedError("that is too large") from fault
    if not number.is_finite() or abs(number.adjusted()) > MAX_NUMBER_DIGITS:
        raise _NotConvertedError("with too large an exponent")
    return number


def _require_number_text(text: str, form: re.Pattern[str]) -> None:
    if len(text) > MAX_NUMBER_DIGITS:
        raise _NotConvertedError(f"of more than {MAX_NUMBER_DIGITS} characters")
    if not form.fullmatch(text):
        raise _NotConvertedError


_NUMBERS: dict[str, tuple[Callable[[Any], Any], type | tuple[type, ...]]] = {
    "int": (_to_int, int),
    "flags": (_to_int, int),
    "float": (_to_float, float),
    "decimal": (_to_decimal, (int, float)),
}


def _text(shape: TextShape) -> Coercer:
    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        return value if isinstance(value, str) else state.refuse(path, value, shape)

    return coerce


def _form(shape: FormShape) -> Coercer:
    form = TEXT_FORMS[shape.form]

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        try:
            if isinstance(value, str):
                return form.parse(value)
            if isinstance(value, dict) and form.objects:
                return form.assemble(value)
        except (ValueError, OverflowError) as fault:
            return state.refuse(path, value, shape, _hint_of(fault))
        return state.refuse(path, value, shape)

    return coerce


def _hint_of(fault: Exception) -> str:
    """Our own hints are short phrases; the standard library's texts may show the value."""
    text = str(fault)
    return text if text.startswith(("with", "that", "out of")) else ""


def _enum(shape: EnumShape) -> Coercer:
    exact = {(type(choice.json), choice.json): choice.python for choice in shape.choices}
    folded: dict[str, list[Any]] = {}
    for choice in shape.choices:
        folded.setdefault(_canonical(choice.json).casefold(), []).append(choice.python)

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        if not isinstance(value, str | int | float):
            return state.refuse(path, value, shape)
        key = (type(value), value)
        if key in exact:
            return exact[key]
        if not state.exact:
            if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_EXACT_FLOAT:
                value_as_int = (int, int(value))
                if value_as_int in exact:
                    return exact[value_as_int]
            if isinstance(value, int) and (float, value) in exact and not isinstance(value, bool):
                return exact[(float, value)]
            fitting = folded.get(value.casefold(), ()) if isinstance(value, str) else ()
            if len(fitting) == 1:
                return fitting[0]
        return state.refuse(path, value, shape)

    return coerce


def _canonical(value: Any) -> str:
    """A member's text: integers and booleans as JSON writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


_CHECKS: dict[type, Callable[[Any], Coercer]] = {
    AnyShape: _any,
    NullShape: _null,
    BooleanShape: _boolean,
    NumberShape: _number,
    TextShape: _text,
    FormShape: _form,
    EnumShape: _enum,
}
