"""OpenAI's documented rules for strict schemas: its guide to structured outputs.

Written from the guide and from messages of the API, apart from what writes strict schemas, so
that a mistake there cannot hide here.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.schema_rules import schema_parts, target_of
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["strict_violations"]

MOST_PROPERTIES = 5000
MOST_LEVELS = 10
MOST_CHOICES = 1000
MOST_CHARACTERS = 120_000

_KNOWN = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const"}
    | {"$ref", "$defs", "definitions", "description", "title", "pattern", "format", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}
)
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_TELLS_TYPE = ("type", "anyOf", "enum", "const", "$ref")
_LOOKAROUND = regex(r"\(\?(?:=|!|<=|<!)")


def strict_violations(schema: Mapping[str, Any], path: str) -> list[Violation]:
    """Checks the schema of a tool that says `strict`.

    Args:
        schema: The whole schema of the arguments.
        path: The JSON pointer to it.
    """
    found: list[Violation] = []
    if "anyOf" in schema:
        found.append(Violation(f"{path}/anyOf", "strict-root-union", "the root may be no union"))
    parts = [(at, part) for at, part in schema_parts(schema, path) if isinstance(part, Mapping)]
    for where, part in parts:
        found += _keyword_violations(part, where)
        found += _object_violations(part, where)
        found += _choice_violations(part, where)
        found += _union_violations(part, schema, where)
    return [*found, *_size_violations(schema, [part for _, part in parts], path)]


def _keyword_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    for keyword in part:
        if keyword not in _KNOWN:
            text = f"{quoted(str(keyword))} is not supported in a strict schema"
            yield Violation(f"{path}/{keyword}", "strict-keyword", text)
    if not any(keyword in part for keyword in _TELLS_TYPE):
        yield Violation(path, "strict-untyped", "nothing says which type is accepted here")
    if "$ref" in part and len(part) > 1:
        text = "a reference may have nothing beside it"
        yield Violation(path, "strict-reference-siblings", text)
    if "format" in part and part["format"] not in _FORMATS:
        text = f"{quoted(str(part['format']))} is no format that a strict schema may have"
        yield Violation(f"{path}/format", "strict-format", text)
    if isinstance(part.get("pattern"), str) and _LOOKAROUND.search(part["pattern"]):
        text = "the pattern looks around; such patterns are not supported"
        yield Violation(f"{path}/pattern", "strict-pattern", text)


def _types_of(part: Mapping[str, Any]) -> list[Any]:
    types = part.get("type", [])
    return types if isinstance(types, list) else [types]


def _object_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    if "object" not in _types_of(part) and "properties" not in part:
        return
    if part.get("additionalProperties") is not False:
        text = "an object says `additionalProperties: false` in a strict schema"
        yield Violation(path, "strict-open-object", text)
    properties = part.get("properties", {})
    required = part.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return
    for name in properties:
        if name not in required:
            text = f"{quoted(str(name))} is not in `required`; all properties are"
            yield Violation(f"{path}/required", "strict-optional", text)
    for name in required:
        if name not in properties:
            text = f"{quoted(str(name))} is required and is no property"
            yield Violation(f"{path}/required", "strict-required", text)


def _choice_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    choices = part.get("enum")
    if not isinstance(choices, list):
        return
    if not choices:
        yield Violation(f"{path}/enum", "strict-enum", "a list of choices may not be empty")
    if "null" in _types_of(part) and None not in choices:
        text = "the type has null and the choices have not; null is among both or in neither"
        yield Violation(f"{path}/enum", "strict-enum-null", text)


def _union_violations(
    part: Mapping[str, Any], root: Mapping[str, Any], path: str
) -> Iterator[Violation]:
    branches = part.get("anyOf")
    firsts = []
    for branch in branches if isinstance(branches, list) else ():
        opened = branch
        if isinstance(branch, Mapping) and isinstance(branch.get("$ref"), str):
            opened = target_of(root, branch["$ref"])
        properties = opened.get("properties") if isinstance(opened, Mapping) else None
        if isinstance(properties, Mapping) and properties:
            firsts.append(next(iter(properties.items())))
    for (key, one), (other_key, other) in combinations(firsts, 2):
        if key == other_key and not _are_discriminators(one, other):
            text = (
                f"two alternatives begin with {quoted(str(key))}; their first keys differ, or "
                "have choices that differ"
            )
            yield Violation(f"{path}/anyOf", "strict-union-keys", text)


def _are_discriminators(one: Any, other: Any) -> bool:
    values = [_fixed_values(part) for part in (one, other)]
    return all(values) and not any(value in values[1] for value in values[0])


def _fixed_values(part: Any) -> list[Any]:
    if not isinstance(part, Mapping):
        return []
    return [part["const"]] if "const" in part else list(part.get("enum", []))


def _size_violations(
    schema: Mapping[str, Any], parts: list[Mapping[str, Any]], path: str
) -> Iterator[Violation]:
    names = [str(name) for part in parts for name in _mapping(part.get("properties"))]
    lists = [part["enum"] for part in parts if isinstance(part.get("enum"), list)]
    values = [value for choices in lists for value in choices]
    definitions = [str(name) for part in parts for name in _mapping(part.get("$defs"))]
    texts = [value for value in values if isinstance(value, str)]
    texts += [part["const"] for part in parts if isinstance(part.get("const"), str)]
    for rule, number, most, what in (
        ("strict-properties", len(names), MOST_PROPERTIES, "properties"),
        ("strict-depth", _depth(schema), MOST_LEVELS, "levels of objects"),
        ("strict-choices", len(values), MOST_CHOICES, "choices"),
        (
            "strict-characters",
            sum(map(len, [*names, *definitions, *texts])),
            MOST_CHARACTERS,
            "characters of names and choices",
        ),
    ):
        if number > most:
            yield Violation(path, rule, f"there are {number} {what}; at most {most} are accepted")
    for choices in lists:
        characters = sum(len(value) for value in choices if isinstance(value, str))
        if len(choices) > 250 and characters > 15_000:
            text = (
                f"{len(choices)} choices have {characters} characters; at most 15000 are accepted"
            )
            yield Violation(path, "strict-choice-characters", text)


def _depth(part: Any) -> int:
    """How deep objects stand in each other; by position, so that no depth is too much."""
    deepest = 0
    waiting = [(part, 0)]
    while waiting:
        each, level = waiting.pop()
        if not isinstance(each, Mapping):
            continue
        own = level + ("object" in _types_of(each))
        deepest = max(deepest, own)
        waiting += [(below, own) for below in _mapping(each.get("properties")).values()]
        waiting += [(below, own) for below in _mapping(each.get("$defs")).values()]
        branches = each.get("anyOf")
        waiting += [(below, own) for below in (branches if isinstance(branches, list) else ())]
        waiting.append((each.get("items"), own))
    return deepest


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
