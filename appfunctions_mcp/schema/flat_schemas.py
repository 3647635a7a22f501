"""The properties that a form may have, as MCP's clients can show them, and the check of values.

A text with a format, a number, true or false, a choice of texts (with titles, or with the
older `enumNames`), or several of them. Anything else is refused, as no client could show it.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.schema.faults import Fault
from appfunctions_mcp.schema.shapes import words
from appfunctions_mcp.schema.text_forms import TEXT_FORMS

_ABOUT = words("type title description default")
_KEYWORDS = {
    "string": _ABOUT | words("enum enumNames oneOf format minLength maxLength"),
    "integer": _ABOUT | words("minimum maximum"),
    "number": _ABOUT | words("minimum maximum"),
    "boolean": _ABOUT,
    "array": _ABOUT | words("items minItems maxItems"),
}
_LIMITS = words("minLength maxLength minimum maximum minItems maxItems")
_EMAIL = regex(r"[^@\s]+@[^@\s]+")


def _parse_email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError(text)
    return text


_FORMATS: dict[str, tuple[Callable[[str], Any], str]] = {
    "date": (TEXT_FORMS["date"].parse, "a date as YYYY-MM-DD"),
    "date-time": (TEXT_FORMS["datetime"].parse, "a date and time as YYYY-MM-DDTHH:MM:SS"),
    "uri": (TEXT_FORMS["uri"].parse, "an address such as https://example.org"),
    "email": (_parse_email, "an e-mail address"),
}


def require_flat(name: str, schema: Any) -> None:
    """Checks that a property is one that a form may have.

    Raises:
        TypeError: It is not; names it and what is accepted.
    """
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    known = _KEYWORDS.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise TypeError(
            f"{_field(name)} has the type {kind!r}; accepted are {', '.join(_KEYWORDS)}"
        )
    if unknown := sorted(schema.keys() - known):
        raise TypeError(
            f"{_field(name)} has {', '.join(unknown)}, which no client shows; accepted beside "
            f"the type {kind} are {', '.join(sorted(known - {'type'}))}"
        )
    _require_limits(name, schema)
    if kind == "array":
        _require_choices(name, schema.get("items"))
    elif kind == "string":
        _require_text(name, schema)
    if "default" in schema and schema["default"] is not None:
        faults = flat_faults(name, schema, schema["default"])
        if faults:
            raise TypeError(f"{_field(name)} has a default that does not fit: {faults[0]}")


def flat_faults(name: str, schema: Mapping[str, Any], value: Any) -> list[Fault]:
    """What is wrong with a value of a property that `require_flat` has let pass."""
    kind = schema["type"]
    if kind == "array":
        return _list_faults(name, schema, value)
    if kind == "boolean":
        fits = isinstance(value, bool)
        return [] if fits else [_fault(name, value, "true or false")]
    if kind == "string":
        return _text_faults(name, schema, value)
    return _number_faults(name, schema, value)


def _require_limits(name: str, schema: Mapping[str, Any]) -> None:
    for word in _LIMITS & schema.keys():
        limit = schema[word]
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            raise TypeError(f"{_field(name)} has a {word} that is no number")


def _require_text(name: str, schema: Mapping[str, Any]) -> None:
    form = schema.get("format")
    if form is not None and form not in _FORMATS:
        raise TypeError(
            f"{_field(name)} has the format {form!r}; accepted are {', '.join(_FORMATS)}"
        )
    if "oneOf" in schema:
        _require_titled(name, "oneOf", schema["oneOf"])
    values, names = schema.get("enum"), schema.get("enumNames")
    if values is not None or names is not None:
        _require_texts(name, "enum", values)
    if names is not None:
        _require_texts(name, "enumNames", names)
        if len(names) != len(values or ()):
            raise TypeError(f"{_field(name)} has {len(names)} enumNames for {len(values or ())}")


def _require_choices(name: str, items: Any) -> None:
    if isinstance(items, Mapping) and items.keys() <= {"anyOf"} and "anyOf" in items:
        _require_titled(name, "anyOf", items["anyOf"])
    elif isinstance(items, Mapping) and items.keys() <= {"type", "enum"} and "enum" in items:
        _require_texts(name, "items.enum", items["enum"])
    else:
        raise TypeError(
            f"{_field(name)} is a list of something else than choices; accepted as items are "
            '{"type": "string", "enum": [...]} and {"anyOf": [{"const": …, "title": …}, …]}'
        )


def _require_titled(name: str, word: str, titled: Any) -> None:
    is_list = isinstance(titled, list | tuple) and bool(titled)
    if not is_list or not all(
        isinstance(one, Mapping)
        and isinstance(one.get("const"), str)
        and isinstance(one.get("title"), str)
        for one in titled
    ):
        raise TypeError(
            f"{_field(name)} has {word} with something else than objects of const and title, "
            "both texts"
        )


def _require_texts(name: str, word: str, values: Any) -> None:
    is_list = isinstance(values, list | tuple) and bool(values)
    if not is_list or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{_field(name)} has {word} that is no list of texts")


def _list_faults(name: str, schema: Mapping[str, Any], value: Any) -> list[Fault]:
    if not isinstance(value, list | tuple):
        return [_fault(name, value, "a list")]
    items = schema["items"]
    choices = _choices_of(items, "anyOf")
    faults = [f for item in value for f in _choice_faults(name, choices or (), item)]
    return faults + _length_faults(name, len(value), schema, ("minItems", "maxItems"), "choices")


def _text_faults(name: str, schema: Mapping[str, Any], value: Any) -> list[Fault]:
    choices = _choices_of(schema, "oneOf")
    if choices is not None:
        return _choice_faults(name, choices, value)
    if not isinstance(value, str):
        return [_fault(name, value, "a text")]
    form = schema.get("format")
    if form is not None:
        parse, accepted = _FORMATS[form]
        try:
            parse(value)
        except ValueError:
            return [Fault((name,), "got another text", accepted)]
    return _length_faults(name, len(value), schema, ("minLength", "maxLength"), "characters")


def _number_faults(name: str, schema: Mapping[str, Any], value: Any) -> list[Fault]:
    words_ = "a whole number" if schema["type"] == "integer" else "a number"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_number = is_number and (isinstance(value, int) or isfinite(value))
    if not is_number or (schema["type"] == "integer" and value != int(value)):
        return [_fault(name, value, words_)]
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and value < least:
        return [Fault((name,), "got a smaller number", f"{words_}, at least {least}")]
    if most is not None and value > most:
        return [Fault((name,), "got a larger number", f"{words_}, at most {most}")]
    return []


def _choices_of(schema: Mapping[str, Any], word: str) -> list[str] | None:
    if word in schema:
        return [one["const"] for one in schema[word]]
    return list(schema["enum"]) if "enum" in schema else None


def _choice_faults(name: str, choices: Iterable[str], value: Any) -> list[Fault]:
    known = list(choices)
    if isinstance(value, str) and value in known:
        return []
    return [_fault(name, value, f"one of {', '.join(map(repr, known))}")]


def _length_faults(
    name: str, length: int, schema: Mapping[str, Any], limits: tuple[str, str], unit: str
) -> list[Fault]:
    least, most = (schema.get(limit) for limit in limits)
    if least is not None and length < least:
        return [Fault((name,), f"got {length} {unit}", f"at least {least}")]
    if most is not None and length > most:
        return [Fault((name,), f"got {length} {unit}", f"at most {most}")]
    return []


def _fault(name: str, value: Any, accepted: str) -> Fault:
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    kinds |= {list: "a list", dict: "an object"}
    return Fault((name,), f"got {kinds.get(type(value), 'something else')}", accepted)


def _field(name: str) -> str:
    return f"the field {name!r} of the form"
