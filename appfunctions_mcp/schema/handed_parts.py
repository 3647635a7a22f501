"""What goes out beside the JSON of a result: texts, and links that only this caller may use.

A class of such parts has `__app_function_text__` or `__app_function_link__`, which makes the
block. The parts are found where the JSON is written, so that each that it holds has a block, and
none that the declared type leaves out. Results of other types cost nothing more.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

from pydantic_core import PydanticSerializationUnexpectedValue

from appfunctions_mcp.media import Media, PendingIntent
from appfunctions_mcp.records import replaced
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.core_parts import CoreSchema, with_parts
from appfunctions_mcp.schema.json_values import text_form
from appfunctions_mcp.values import FORM_KEY

PartKind = Literal["text", "link"]
_MAKERS: dict[PartKind, str] = {"text": "__app_function_text__", "link": "__app_function_link__"}

Parts = dict[int, Any]
"""The parts of a result by identity, in the order in which they stand."""


def parts_of_type(core_schema: CoreSchema) -> frozenset[PartKind]:
    """The kinds of parts that a result of the type may hold."""
    found: set[PartKind] = set()

    def look(schema: CoreSchema) -> CoreSchema:
        found.update(kind for kind, maker in _MAKERS.items() if hasattr(_class_of(schema), maker))
        return with_parts(schema, look)

    look(core_schema)
    return frozenset(found)


def noting_parts(core_schema: CoreSchema) -> CoreSchema:
    """The core schema whose serializer puts each part into its context, which is `Parts`."""
    noting = with_parts(core_schema, noting_parts)
    cls = _class_of(core_schema)
    if not any(hasattr(cls, maker) for maker in _MAKERS.values()):
        return noting

    def note(value: Any, serialize: Callable[[Any], Any], info: Any) -> Any:
        if not isinstance(value, cls):
            raise PydanticSerializationUnexpectedValue("another branch of a union is meant")
        info.context[id(value)] = value
        return serialize(value)

    inner = {key: member for key, member in noting.items() if key != "ref"}
    wrap = {"type": "function-wrap", "function": note, "info_arg": True, "schema": inner}
    return {**noting, "serialization": wrap}


def with_parts_beside(
    response: ExecuteAppFunctionResponse, parts: Parts
) -> ExecuteAppFunctionResponse:
    """The response with a block for each part.

    Args:
        response: The JSON of the value.
        parts: What was noted when it was written.
    """
    if not parts:
        return response
    blocks = (_maker_of(part)(number) for number, part in enumerate(parts.values(), 1))
    links = (part for part in parts.values() if hasattr(part, _MAKERS["link"]))
    return replaced(
        response,
        media=tuple(sendable(block) for block in blocks if block is not None),
        handed_out=tuple(links),
    )


def sendable(block: Any) -> Media:
    """The block with texts that UTF-8 can hold."""
    texts = {f.name: getattr(block, f.name) for f in dataclasses.fields(block)}
    texts = {name: text for name, text in texts.items() if isinstance(text, str)}
    changed = {name: text_form(text) for name, text in texts.items() if text_form(text) != text}
    sent: Media = dataclasses.replace(block, **changed) if changed else block
    return sent


def _class_of(schema: CoreSchema) -> Any:
    is_step = (schema.get("metadata") or {}).get(FORM_KEY) == "pending-intent"
    return PendingIntent if is_step else schema.get("cls")


def _maker_of(part: object) -> Any:
    return next(getattr(part, maker) for maker in _MAKERS.values() if hasattr(part, maker))
