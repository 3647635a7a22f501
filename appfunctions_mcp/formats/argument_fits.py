"""Whether a value has the structure that a plain schema describes; for choosing an alternative.

Types, choices, required and declared members count; limits of numbers and lengths do not, since
the function checks them anyway.
"""

import json
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.schema_keywords import has_kind, same_json
from appfunctions_mcp.metadata import JsonSchema

__all__ = ["MOST_LEVELS", "Fits", "choice_text"]

MOST_LEVELS = 60
"""How deep values are looked into."""


def choice_text(value: Any) -> str:
    """The text that stands for a choice where a provider takes texts only (field case F20)."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Fits:
    """Judges values by parts of one schema, each pair once.

    Args:
        definitions: What references refer to.
    """

    def __init__(self, definitions: Mapping[str, JsonSchema]) -> None:
        self._definitions = definitions
        # With both beside the judgement, so that no identity is given to another one meanwhile.
        self._judged: dict[tuple[int, int], tuple[Any, Any, bool]] = {}

    def value(self, value: Any, part: JsonSchema, level: int = 0) -> bool:
        """Whether a value fits a plain part."""
        if level > MOST_LEVELS:
            return True
        key = (id(value), id(part))
        if key not in self._judged:
            self._judged[key] = (value, part, self._judge(value, part, level))
        return self._judged[key][2]

    def _judge(self, value: Any, part: JsonSchema, level: int) -> bool:
        if "$ref" in part:
            name = str(part["$ref"]).removeprefix("#/$defs/")
            return self.value(value, self._definitions[name], level + 1)
        if "anyOf" in part:
            return any(self.value(value, branch, level + 1) for branch in part["anyOf"])
        kinds = part.get("type", ())
        is_choice = "enum" not in part or any(same_json(value, each) for each in part["enum"])
        if not is_choice or not has_kind(value, [kinds] if isinstance(kinds, str) else kinds):
            return False
        if isinstance(value, dict):
            return self._judge_object(value, part, level)
        if isinstance(value, list):
            return all(self.value(item, part["items"], level + 1) for item in value)
        return True

    def _judge_object(self, value: dict[str, Any], part: JsonSchema, level: int) -> bool:
        properties = part.get("properties", {})
        others = part.get("additionalProperties")
        if any(name not in value for name in part.get("required", ())):
            return False
        for name, member in value.items():
            own = properties.get(name, others)
            if own is False or (isinstance(own, dict) and not self.value(member, own, level + 1)):
                return False
        return True
