# ruff: noqa: RUF001 - Russian letters are meant
"""Whether a call has the arguments that an utterance asks for, and whether any call could."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.argument_fits import Fits
from appfunctions_mcp.formats.schema_trees import plain_schema
from appfunctions_mcp.lint.utterances import Utterance
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["argument_faults", "impossible_arguments"]

_ABSENT: Any = object()


def argument_faults(utterance: Utterance, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """What is wrong with the arguments of a call; empty where they are right.

    Texts are the same whatever their case and blanks; numbers by their value. An expected object
    may have further members, and so may the arguments; a list may not.

    Args:
        utterance: Says what is expected.
        arguments: What the model gave.
    """
    return (
        *_differences(utterance.arguments, arguments, ""),
        *_lacking(utterance.contains, arguments, ""),
        *(f"{name} is given" for name in utterance.without if name in arguments),
    )


def impossible_arguments(utterance: Utterance, function: AppFunctionMetadata) -> list[str]:
    """What an utterance asks for and no call could have; a misspelled name would always fail.

    Args:
        utterance: Says what is expected.
        function: The one that it should reach.
    """
    schema = function.input_schema
    if schema.get("additionalProperties") or any(k in schema for k in ("anyOf", "oneOf", "allOf")):
        return []
    known = [parameter.name for parameter in function.parameters]
    named = (*utterance.arguments, *utterance.contains, *utterance.without)
    taken = f"it takes {', '.join(known)}" if known else "it takes nothing"
    return [
        f"{utterance.source}: {function.tool_name} takes no {quoted(name)}; {taken}"
        for name in dict.fromkeys(named)
        if name not in known
    ] + [f"{utterance.source}: {each}" for each in _impossible_values(utterance, function)]


def _impossible_values(utterance: Utterance, function: AppFunctionMetadata) -> Iterator[str]:
    schema = plain_schema(function.input_schema, union_root=True)
    fits = Fits(schema.get("$defs", {}))
    for name, value in utterance.arguments.items():
        part = schema["properties"].get(name)
        # Of an object or list only a part may be given, which need not fit by itself.
        if part is None or isinstance(value, Mapping | list) or fits.value(value, part):
            continue
        choices = [each for each in part.get("enum", ()) if isinstance(each, str)]
        if not any(_is_same(each, value) for each in choices):
            yield (
                f"{function.tool_name} takes no {_shown(value)} as {name}; accepted is "
                f"{_text(_accepted(part))}"
            )


def _accepted(part: JsonSchema) -> JsonSchema:
    return {key: value for key, value in part.items() if key != "description"}


def _differences(expected: Any, given: Any, path: str) -> Iterator[str]:
    if isinstance(expected, Mapping) and isinstance(given, Mapping):
        for name, value in expected.items():
            yield from _differences(value, given.get(name, _ABSENT), _below(path, name))
    elif isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        for place, (one, other) in enumerate(zip(expected, given, strict=True)):
            yield from _differences(one, other, f"{path}[{place}]")
    elif not _is_same(expected, given):
        yield f"{path} is {_shown(given)}, not {_shown(expected)}"


def _lacking(expected: Any, given: Any, path: str) -> Iterator[str]:
    if isinstance(expected, Mapping):
        members = given if isinstance(given, Mapping) else {}
        for name, value in expected.items():
            yield from _lacking(value, members.get(name, _ABSENT), _below(path, name))
        return
    wanted = expected if isinstance(expected, list) else [expected]
    text = "" if given is _ABSENT else _folded(_text(given))
    for each in wanted:
        if given is _ABSENT or _folded(_text(each)) not in text:
            asked = f" with {quoted(_text(each))}" if each != "" else ""
            yield f"{path} is {_shown(given)}, not a text{asked}"


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _is_same(expected: Any, given: Any) -> bool:
    if isinstance(expected, str) and isinstance(given, str):
        return _folded(expected) == _folded(given)
    if isinstance(expected, bool) or isinstance(given, bool):
        return expected is given
    return bool(expected == given)


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("ё", "е").split())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: Any) -> str:
    """A text in quotes and anything else as JSON, so that "1" and 1 are told apart."""
    if value is _ABSENT:
        return "missing"
    shown = quoted(_text(value))
    return shown if isinstance(value, str) else shown[1:-1]
