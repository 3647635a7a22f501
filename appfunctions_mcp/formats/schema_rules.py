"""Whether a schema is one by JSON Schema 2020-12: the rules that every provider starts from.

Written from the meta-schema, so that a checker of tools does not depend on what made them. A
keyword that is not known here is no fault; providers' own rules come on top. Knows no provider.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import at, shown
from appfunctions_mcp.quoting import quoted

__all__ = ["schema_parts", "schema_rule_violations", "target_of"]

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")

_MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_MISSING = object()


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and (isinstance(value, int) or math.isfinite(value))


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    known = all(isinstance(name, str) and name in TYPES for name in names)
    return known and bool(names) and len(set(names)) == len(names)


def _is_names(value: Any) -> bool:
    is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return is_list and len(set(value)) == len(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


_NUMBER = (_is_number, "a number")
_COUNT = (_is_count, "a whole number that is not negative")
_TEXT = (_is_text, "a string")
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "type": (_is_type, f"one of {', '.join(TYPES)}, or a list of some of them"),
    "required": (_is_names, "a list of different strings"),
    "enum": (_is_list, "a list"),
    "uniqueItems": (_is_flag, "true or false"),
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("pattern", "format", "title", "description", "$ref", "$schema"), _TEXT),
}


def schema_parts(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything that stands where a schema belongs, itself first, with the pointer to it.

    A part need not be an object; who asks judges that.

    Args:
        schema: What should be a schema.
        path: The JSON pointer to it.
    """
    waiting = [(path, schema)]
    while waiting:
        where, part = waiting.pop()
        yield where, part
        if isinstance(part, Mapping):
            waiting.extend(reversed(list(_parts_of(part, where))))


def _parts_of(part: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for keyword in _MAPS:
        if isinstance(part.get(keyword), Mapping):
            for name, each in part[keyword].items():
                yield at(path, keyword, str(name)), each
    for keyword in _LISTS:
        if isinstance(part.get(keyword), list):
            for place, each in enumerate(part[keyword]):
                yield f"{path}/{keyword}/{place}", each
    for keyword in _SINGLE:
        if keyword in part:
            yield f"{path}/{keyword}", part[keyword]


def schema_rule_violations(schema: Any, path: str) -> list[Violation]:
    """Checks a schema and all its parts: keywords, their values, and references.

    Args:
        schema: What should be a schema.
        path: The JSON pointer to it.
    """
    found: list[Violation] = []
    for where, part in schema_parts(schema, path):
        if isinstance(part, bool) and where != path:
            continue
        if not isinstance(part, Mapping):
            text = f"{shown(part)} is no schema; an object is accepted"
            found.append(Violation(where, "schema-not-object", text))
            continue
        found += _value_violations(part, where)
        found += _reference_violations(schema, part, where)
    return found


def _value_violations(part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    for keyword, (accepts, accepted) in _VALUES.items():
        if keyword in part and not accepts(part[keyword]):
            yield _wrong(f"{path}/{keyword}", part[keyword], accepted)
    for keyword in _MAPS:
        if keyword in part and not isinstance(part[keyword], Mapping):
            yield _wrong(f"{path}/{keyword}", part[keyword], "an object of schemas")
    for keyword in _LISTS:
        if keyword in part and not (isinstance(part[keyword], list) and part[keyword]):
            yield _wrong(f"{path}/{keyword}", part[keyword], "a list of schemas, not empty")


def _wrong(path: str, value: Any, accepted: str) -> Violation:
    return Violation(
        path, "keyword-value", f"{shown(value)} is not accepted here; it is {accepted}"
    )


def _reference_violations(root: Any, part: Mapping[str, Any], path: str) -> Iterator[Violation]:
    reference = part.get("$ref")
    if isinstance(reference, str) and target_of(root, reference) is None:
        text = f"{quoted(reference)} leads nowhere; accepted is a reference into the same schema"
        yield Violation(f"{path}/$ref", "reference-undefined", text)


def target_of(root: Any, reference: str) -> Any:
    """What a reference such as `#/$defs/Node` leads to in a schema; None where nowhere."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    found = root
    for step in reference.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found.get(key, _MISSING)
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found if isinstance(found, Mapping | bool) else None
