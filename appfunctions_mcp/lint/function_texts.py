"""What of a function a model reads: its texts, each with its place. Knows no rule."""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.lint.schema_parts import parameter_parts, result_parts
from appfunctions_mcp.lint.texts import language_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record

__all__ = ["PlacedText", "all_texts", "described_texts", "language_of_function", "own_description"]

_DEFINITIONS = frozenset({"$defs", "definitions"})
_NAMING = _DEFINITIONS | {"properties", "patternProperties", "dependentSchemas"}
_ITEMS = frozenset({"items", "additionalProperties", "prefixItems"})
# A schema's examples and choices are judged by the first ones; a hostile list has no end.
_MOST_VALUES = 1_000
_MOST_TEXTS = 50_000


@record(frozen=True, slots=True)
class PlacedText:
    """A text of a function, and where it stands."""

    place: str
    """As faults name it, such as `parameters.title`."""
    text: str


def own_description(function: AppFunctionMetadata) -> str:
    """What somebody wrote of the function; empty where nobody did."""
    return function.description if function.is_described else ""


def language_of_function(function: AppFunctionMetadata) -> str:
    """The language of a function's texts, judged by the description first of all."""
    own = own_description(function)
    return language_of(own or " ".join(each.description for each in function.parameters))


def described_texts(function: AppFunctionMetadata) -> Iterator[PlacedText]:
    """Its descriptions: of itself, of each part of its schemas, and of its result."""
    yield PlacedText("description", own_description(function))
    for part in parameter_parts(function):
        yield PlacedText(part.place, part.description)
    if function.response.description:
        yield PlacedText("response", function.response.description)
    for part in result_parts(function):
        yield PlacedText(part.place, part.description)


def all_texts(function: AppFunctionMetadata) -> Iterator[PlacedText]:
    """Everything of it that may reach a model: names, titles, descriptions, values of schemas."""
    yield PlacedText("name", function.tool_name)
    yield PlacedText("title", function.title or "")
    yield PlacedText("description", own_description(function))
    yield PlacedText("description", function.deprecated or "")
    yield PlacedText("response", function.response.description)
    for name, text in function.raises.items():
        yield PlacedText(f"raises.{name}", text)
    yield from _texts_in("parameters", function.input_schema)
    yield from _texts_in("response", function.response.schema)


def _texts_in(place: str, schema: Any) -> Iterator[PlacedText]:
    """Every text of a schema, whichever keyword it stands under: clients pass all of them on."""
    waiting = [(place, schema, False)]
    given = 0
    while waiting and given < _MOST_TEXTS:
        place, value, has_names = waiting.pop()
        given += 1
        if isinstance(value, str):
            yield PlacedText(place, value)
        elif isinstance(value, list):
            waiting += [(place, each, False) for each in reversed(value[:_MOST_VALUES])]
        elif isinstance(value, Mapping):
            yield from (
                PlacedText(_below(place, key, has_names=has_names), str(key)) for key in value
            )
            waiting += [
                (_below(place, key, has_names=has_names), each, not has_names and key in _NAMING)
                for key, each in reversed([*value.items()])
            ]


def _below(place: str, key: Any, *, has_names: bool) -> str:
    """The place of a member, as faults name it."""
    if has_names or key in _DEFINITIONS:
        return f"{place}.{key}"
    return f"{place}[]" if key in _ITEMS else place
