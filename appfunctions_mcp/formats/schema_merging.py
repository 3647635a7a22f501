"""Several JSON Schemas that a value has to meet at once, as one.

Properties that several of them declare are joined under `allOf`, for whoever reads the result to
merge in turn. What has no simple intersection keeps the first one's word, so that the result may
admit more than the parts. Knows nothing of references.
"""

from collections.abc import Callable, Mapping
from typing import Any

from appfunctions_mcp.formats.schema_keywords import json_key, kinds_of
from appfunctions_mcp.metadata import JsonSchema

__all__ = ["merged"]


def merged(left: Mapping[str, Any], right: Mapping[str, Any]) -> JsonSchema:
    """One schema for what meets both; where they differ in words alone, the first one's stay.

    Args:
        left: As `read_keywords` returns it.
        right: As `read_keywords` returns it.
    """
    result = {**right, **left}
    for keyword, join in _JOINS.items():
        if keyword in left and keyword in right:
            result[keyword] = join(left[keyword], right[keyword])
    kinds = _common_kinds(kinds_of(left), kinds_of(right))
    if kinds:
        result["type"] = kinds
    return result


def _common_kinds(left: list[str] | None, right: list[str] | None) -> list[str] | None:
    if left is None or right is None:
        return left or right
    common = [kind for kind in left if kind in right]
    if ("integer" in left and "number" in right) or ("number" in left and "integer" in right):
        common.append("integer")
    return common or left


def _joined_properties(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    joined = {**left, **right}
    for name in left.keys() & right.keys():
        joined[name] = _both(left[name], right[name])
    return joined


def _both(left: Any, right: Any) -> Any:
    return left if left == right else {"allOf": [left, right]}


def _all_names(left: list[str], right: list[str]) -> list[str]:
    return [*left, *right]


def _common_values(left: list[Any], right: list[Any]) -> list[Any]:
    kept = set(map(json_key, right))
    return [value for value in left if json_key(value) in kept] or left


def _closed(left: Any, right: Any) -> Any:
    if left is False or right is False:
        return False
    return _both(left, right) if isinstance(left, Mapping) and isinstance(right, Mapping) else left


def _all_parts(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    return {str(n): part for n, part in enumerate([*left.values(), *right.values()])}


_JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "properties": _joined_properties,
    "required": _all_names,
    "dependentSchemas": _all_parts,
    "additionalProperties": _closed,
    "items": _both,
    "enum": _common_values,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
