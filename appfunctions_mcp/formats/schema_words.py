"""What a dialect cannot say of a value, said in words in its description. Knows no provider."""

import json
from collections.abc import Iterable
from typing import Any

from appfunctions_mcp.metadata import JsonSchema

__all__ = ["without"]

_WORDS = {
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minItems": "At least {} items.",
    "maxItems": "At most {} items.",
    "minProperties": "At least {} members.",
    "maxProperties": "At most {} members.",
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "pattern": "Matches the pattern {}.",
    "format": "Format: {}.",
    "contentEncoding": "Encoded as {}.",
    "default": "Default: {}.",
}
_WORDS_OF_ONE = {
    "minLength": "Not empty.",
    "minItems": "Not empty.",
    "minProperties": "Not empty.",
}
_ORDER = (*_WORDS, "uniqueItems")
_LONGEST_TOLD = 200


def without(part: JsonSchema, keywords: Iterable[str]) -> JsonSchema:
    """A plain part without some keywords; its description tells what they said.

    What the description says already is not repeated, nor is a default of null or of nothing.

    Args:
        part: The part; not changed.
        keywords: What the dialect does not take: limits, `format`, `default` and the like.
    """
    unwanted = frozenset(keywords)
    dropped = [name for name in _ORDER if name in unwanted and name in part]
    if not dropped:
        return part
    kept = {name: value for name, value in part.items() if name not in dropped}
    description = str(part.get("description", ""))
    told = [_told(name, part[name], description) for name in dropped]
    if words := " ".join(filter(None, [description, *told])):
        kept["description"] = words
    return kept


def _told(keyword: str, value: Any, description: str) -> str:
    if keyword == "uniqueItems":
        return "No item twice." if value else ""
    # A default of nothing is what leaving out means anyway, and a lower limit of 0 no limit.
    if not value and (keyword == "default" or keyword in _WORDS_OF_ONE):
        return ""
    if value == 1 and keyword in _WORDS_OF_ONE:
        return "" if _says(description, "1") else _WORDS_OF_ONE[keyword]
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    readable = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else written
    if len(written) > _LONGEST_TOLD or _says(description, written) or _says(description, readable):
        return ""
    return _WORDS[keyword].format(written)


def _says(description: str, written: str) -> bool:
    """Whether a description has a value in it, and not just as a part of a longer one."""
    before, found, after = description.partition(written)
    while found:
        if not (_joins(before[-1:], written[0]) or _joins(written[-1], after[:1])):
            return True
        before, found, after = after.partition(written)
    return False


def _joins(left: str, right: str) -> bool:
    return (left + right).isalnum() and bool(left and right)
