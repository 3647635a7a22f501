"""What Anthropic documents of the schemas of strict tools: a part of JSON Schema, and counts.

Knows nothing of how tools are exported, nor of the rules for tools that are not strict.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.schema_rules import schema_parts, target_of
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["optional_parameters", "strict_violations", "union_parameters"]

_KEYWORDS = frozenset(
    {"type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "definitions", "default"}
    | {"properties", "required", "additionalProperties", "items", "minItems", "format", "pattern"}
    | {"description", "title", "$schema", "$id", "$comment"}
)
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
# Looking around, back references and borders of words cannot be made part of a grammar.
_PATTERN_NOT_ACCEPTED = regex(r"\(\?(?!:)|\\[1-9bB]|\\k<")


def strict_violations(schema: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Checks the schema of one strict tool.

    Args:
        schema: The input schema.
        path: The JSON pointer to it.
    """
    for where, part in schema_parts(schema, path):
        if isinstance(part, Mapping):
            yield from _keyword_violations(part, where)
            yield from _object_violations(part, where)
            yield from _value_violations(part, where)
            yield from _reference_violations(schema, part, where)


def _keyword_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    for keyword in part:
        if keyword not in _KEYWORDS:
            text = f"{quoted(keyword)} is not supported in the schema of a strict tool"
            yield Violation(f"{path}/{keyword}", "strict-keyword", text)
    if part.get("minItems", 0) not in (0, 1):
        text = "Of `minItems`, 0 and 1 are supported in the schema of a strict tool"
        yield Violation(f"{path}/minItems", "strict-keyword", text)
    if not part.keys() & {"type", "enum", "const", "anyOf", "allOf", "$ref"}:
        text = "A part of any value is not supported; each has a type, an enum or a union"
        yield Violation(path, "strict-untyped", text)


def _object_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    types = part.get("type")
    is_object = types == "object" or (isinstance(types, list) and "object" in types)
    if (is_object or "properties" in part) and part.get("additionalProperties") is not False:
        text = "Every object of a strict tool has `additionalProperties: false`"
        yield Violation(f"{path}/additionalProperties", "strict-open-object", text)


def _value_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    values = part.get("enum")
    if isinstance(values, list) and any(isinstance(v, Mapping | list) for v in values):
        text = "The values of an enum are strings, numbers, true, false and null"
        yield Violation(f"{path}/enum", "strict-enum", text)
    written = part.get("format")
    if isinstance(written, str) and written not in _FORMATS:
        text = f"The format {quoted(written)} is not supported; {', '.join(sorted(_FORMATS))} are"
        yield Violation(f"{path}/format", "strict-format", text)
    pattern = part.get("pattern")
    if isinstance(pattern, str) and _PATTERN_NOT_ACCEPTED.search(pattern):
        text = "A pattern of a strict tool looks neither around nor back, and knows no `\\b`"
        yield Violation(f"{path}/pattern", "strict-pattern", text)


def _reference_violations(
    root: Mapping[str, Any], part: Mapping[str, Any], path: str
) -> Iterator[Violation]:
    reference = part.get("$ref")
    if isinstance(reference, str) and _leads_back(root, reference):
        text = f"{quoted(reference)} holds itself; recursion is not supported in a strict tool"
        yield Violation(f"{path}/$ref", "strict-recursion", text)
    for place, each in enumerate(part["allOf"] if isinstance(part.get("allOf"), list) else []):
        if isinstance(each, Mapping) and "$ref" in each:
            text = "A reference in `allOf` is not supported in a strict tool"
            yield Violation(f"{path}/allOf/{place}", "strict-reference", text)


def _leads_back(root: Mapping[str, Any], reference: str) -> bool:
    seen: set[str] = set()
    waiting = [reference]
    while waiting:
        target = target_of(root, waiting.pop())
        # What is defined inside a part counts with the part only where it is referred to.
        used = (
            {k: v for k, v in target.items() if k not in {"$defs", "definitions"}}
            if (isinstance(target, Mapping))
            else None
        )
        for _, part in schema_parts(used):
            found = part.get("$ref") if isinstance(part, Mapping) else None
            if found == reference:
                return True
            if isinstance(found, str) and found not in seen:
                seen.add(found)
                waiting.append(found)
    return False


def optional_parameters(schema: Mapping[str, Any]) -> int:
    """How many properties of a schema, at any depth, are not required."""
    number = 0
    for _, part in schema_parts(schema):
        properties = part.get("properties") if isinstance(part, Mapping) else None
        if isinstance(properties, Mapping):
            required = part.get("required")
            names = required if isinstance(required, list) else []
            number += sum(name not in names for name in properties)
    return number


def union_parameters(schema: Mapping[str, Any]) -> int:
    """How many parts of a schema, at any depth, are a union or have several types."""
    return sum(
        "anyOf" in part or isinstance(part.get("type"), list)
        for _, part in schema_parts(schema)
        if isinstance(part, Mapping)
    )
