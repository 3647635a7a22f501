"""What is wrong with a call's arguments, in words that an agent can act on.

A fault names the path, what kind of value came there (never the value itself, which may be
private) and what is accepted.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record
from appfunctions_mcp.schema.shapes import (
    AnyShape,
    BooleanShape,
    EnumShape,
    FormShape,
    ListShape,
    MapShape,
    NullableShape,
    NullShape,
    NumberShape,
    ObjectShape,
    SetFieldShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    admits_null,
    resolved,
)
from appfunctions_mcp.schema.text_forms import TEXT_FORMS

Path = tuple[str | int, ...]

MAX_FAULTS_SHOWN = 20
_MAX_CHOICES_SHOWN = 50
_MAX_DEPTH_TOLD = 2
_MAX_PATH_SHOWN = 240
_IDENTIFIER = regex(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NUMBER_WORDS = {
    "int": "a whole number",
    "flags": "a whole number",
    "float": "a number",
    "decimal": "a number",
}


@record(frozen=True, slots=True)
class Fault:
    """One thing that is wrong at one place."""

    path: Path
    problem: str
    """What came, or what is missing."""
    accepted: str = ""
    """What is accepted there."""

    def __str__(self) -> str:
        accepted = f"; accepted: {self.accepted}" if self.accepted else ""
        return f"{path_text(self.path)}: {self.problem}{accepted}"


def faults_text(faults: Sequence[Fault]) -> str:
    """All faults of a call as one message."""
    if len(faults) == 1:
        return str(faults[0])
    more = len(faults) - MAX_FAULTS_SHOWN
    shown = [f"- {fault}" for fault in faults[:MAX_FAULTS_SHOWN]]
    if more > 0:
        shown.append(f"- and {more} more")
    return "\n".join([f"{len(faults)} faults in the arguments:", *shown])


def path_text(path: Path) -> str:
    """A path as `user.tags[0]`; keys that are no plain names are quoted."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif not _IDENTIFIER.fullmatch(step):
            text += f"[{quoted(step)}]"
        else:
            text += f".{step}" if text else step
    if len(text) > _MAX_PATH_SHOWN:
        text = f"{text[: _MAX_PATH_SHOWN // 2]}…{text[-_MAX_PATH_SHOWN // 2 :]}"
    return text or "the arguments"


def kind_of(value: object) -> str:
    """What kind of value came, without the value."""
    describe = _KIND_OF_TYPE.get(type(value))
    return describe(value) if describe else f"a Python {type(value).__name__}"


def _kind_of_float(value: float) -> str:
    if not isfinite(value):
        return "a number that is not finite"
    return "a whole number" if value.is_integer() else "a number with a fraction"


def _kind_of_list(value: list[Any]) -> str:
    return f"a list of {len(value)} item{'' if len(value) == 1 else 's'}"


_KIND_OF_TYPE: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda _: "a boolean",
    int: lambda _: "a whole number",
    float: _kind_of_float,
    str: lambda text: "text" if text else "empty text",
    list: _kind_of_list,
    tuple: _kind_of_list,
    dict: lambda _: "an object",
}


def got(value: object, shape: Shape, hint: str = "") -> str:
    """What came, with advice where quotes are all that is missing."""
    text = f"got {kind_of(value)}{f' {hint}' if hint else ''}"
    scalar = isinstance(value, bool | int | float)
    if scalar and isinstance(resolved(shape), TextShape):
        return f"{text}, send it in quotes as text"
    return text


def accepted(shape: Shape, depth: int = 0) -> str:
    """What is accepted, in words; `depth` keeps nested and recursive shapes short."""
    shape = resolved(shape)
    tell = _WORDS_OF.get(type(shape)) if depth <= _MAX_DEPTH_TOLD else None
    return tell(shape, depth + 1) if tell else _KINDS.get(type(shape), "a value")


def _nullable_text(shape: NullableShape, depth: int) -> str:
    inner = accepted(shape.inner, depth)
    return inner if isinstance(shape.inner, SetFieldShape) else f"{inner} or null"


def _list_text(shape: ListShape, depth: int) -> str:
    limits = shape.keywords
    unit = "different item" if limits.get("uniqueItems") else "item"
    count = _range_text(limits.get("minItems"), limits.get("maxItems"), unit)
    return f"a list{count}, each item {accepted(shape.items, depth)}"


def _tuple_text(shape: TupleShape, depth: int) -> str:
    items = "; ".join(accepted(item, depth) for item in shape.items)
    return f"a list of {len(shape.items)} items: {items}"


def _map_text(shape: MapShape, depth: int) -> str:
    return f"an object, each value {accepted(shape.values, depth)}"


def _union_text(shape: UnionShape, depth: int) -> str:
    return " or ".join(dict.fromkeys(accepted(branch, depth) for branch in shape.branches))


def _set_field_text(shape: SetFieldShape, _depth: int) -> str:
    return set_field_forms(shape)


def set_field_forms(shape: SetFieldShape) -> str:
    """The exact forms of a SetField."""
    value = accepted(shape.inner.inner if isinstance(shape.inner, NullableShape) else shape.inner)
    forms = f'{{"value": …}} to set it ({value})'
    if admits_null(shape.inner):
        forms += ', {"value": null} or {"clear": true} to clear it'
    return f"{forms}; left out, it stays as it is"


def _number_text(shape: NumberShape, _depth: int) -> str:
    limits = shape.keywords
    least, most = limits.get("minimum"), limits.get("maximum")
    words = []
    if least is not None and most is not None:
        words.append(f" from {least} to {most}")
    elif least is not None:
        words.append(f", at least {least}")
    elif most is not None:
        words.append(f", at most {most}")
    if "exclusiveMinimum" in limits:
        words.append(f", more than {limits['exclusiveMinimum']}")
    if "exclusiveMaximum" in limits:
        words.append(f", less than {limits['exclusiveMaximum']}")
    if "multipleOf" in limits:
        words.append(f", a multiple of {limits['multipleOf']}")
    return _NUMBER_WORDS[shape.kind] + "".join(words)


def _plain_text(shape: TextShape, _depth: int) -> str:
    limits = shape.keywords
    text = "text" + _range_text(limits.get("minLength"), limits.get("maxLength"), "character")
    if "pattern" in limits:
        text += f" that matches {limits['pattern']}"
    if "format" in limits:
        text += f" in the format {limits['format']}"
    return text


def _form_text(shape: FormShape, _depth: int) -> str:
    text = TEXT_FORMS[shape.form].accepted
    if "patterns" not in shape.marks or "pattern" not in shape.keywords:
        return text
    # The examples are of any, and might be refused.
    return f"{text.partition(' such as ')[0]} that matches {shape.keywords['pattern']}"


def _range_text(least: Any, most: Any, unit: str) -> str:
    if least is None and most is None:
        return ""
    if least is None or most is None or least == most:
        quantity = "" if least == most else "at most " if least is None else "at least "
        count = most if least is None else least
        return f" of {quantity}{count} {unit}{'' if count == 1 else 's'}"
    return f" of {least} to {most} {unit}s"


def _choices_text(shape: EnumShape, _depth: int) -> str:
    words = [_choice_text(choice.json) for choice in shape.choices[:_MAX_CHOICES_SHOWN]]
    if len(shape.choices) > _MAX_CHOICES_SHOWN:
        words.append("…")
    return words[0] if len(words) == 1 else f"one of {', '.join(words)}"


def _choice_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _object_text(shape: ObjectShape, _depth: int) -> str:
    required = [prop.name for prop in shape.properties if prop.required]
    optional = [prop.name for prop in shape.properties if not prop.required]
    words = "an object"
    if required:
        words += f" with {', '.join(required)}"
    if optional:
        words += f", optionally {', '.join(optional)}"
    return words


_KINDS: dict[type, str] = {
    AnyShape: "any JSON value",
    NullShape: "null",
    BooleanShape: "true or false",
    ListShape: "a list",
    TupleShape: "a list",
    MapShape: "an object",
    ObjectShape: "an object",
}
_WORDS_OF: dict[type, Callable[[Any, int], str]] = {
    NumberShape: _number_text,
    TextShape: _plain_text,
    FormShape: _form_text,
    EnumShape: _choices_text,
    ListShape: _list_text,
    TupleShape: _tuple_text,
    MapShape: _map_text,
    ObjectShape: _object_text,
    UnionShape: _union_text,
    NullableShape: _nullable_text,
    SetFieldShape: _set_field_text,
}
