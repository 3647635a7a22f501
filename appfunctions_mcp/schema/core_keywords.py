"""Single facts that pydantic's core schemas hold: limits, descriptions, keys, serializers."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from appfunctions_mcp.values import KEYWORDS_KEY

CoreSchema = Mapping[str, Any]

NUMBER_KEYWORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
TEXT_KEYWORDS = {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"}
ITEM_KEYWORDS = {"min_length": "minItems", "max_length": "maxItems"}


class UnsupportedTypeError(TypeError):
    """A type that has no form in JSON; the text says which and what to use instead."""


def plain_value(value: Any) -> Any:
    """An enum member's value; anything else as it is, without its author's subclass."""
    value = value.value if isinstance(value, Enum) else value
    for plain in (bool, int, float, str):
        if isinstance(value, plain):
            return plain(value)
    return value


def written_as(schema: CoreSchema) -> CoreSchema | None:
    """The schema of what an author's serializer returns, if it says so."""
    serialization = schema.get("serialization") or {}
    if serialization.get("type") in {"to-string", "format"}:
        return {"type": "str"}
    written = serialization.get("return_schema")
    return written if written and written["type"] != "any" else None


def fields_of(fields: CoreSchema) -> Iterable[tuple[str, CoreSchema]]:
    """The fields of a model, dataclass or TypedDict, by name."""
    found = fields["fields"]
    if isinstance(found, Mapping):
        return found.items()
    return ((field["name"], field) for field in found)


def key_of(alias: Any) -> str | None:
    """The key that an alias stands for: the first, where there are several."""
    if alias is None or isinstance(alias, str):
        return alias
    path = alias[0] if isinstance(alias[0], list) else alias
    if len(path) == 1 and isinstance(path[0], str):
        return path[0]
    raise UnsupportedTypeError("a field whose alias is a path (a plain alias is accepted)")


def metadata_of(schema: CoreSchema) -> Mapping[str, Any]:
    """What is said of a node beside its constraints.

    pydantic writes what is said of one use of a model that holds itself into the schema that
    all uses share, so of a reference only our own words are read.
    """
    metadata: Mapping[str, Any] = schema.get("metadata") or {}
    if schema["type"] != "definition-ref":
        return metadata
    return {name: said for name, said in metadata.items() if not name.startswith("pydantic_js_")}


def keywords_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What an author's `Field(...)` and our own types add to the published schema."""
    extra = metadata.get("pydantic_js_extra")
    return {
        **(metadata.get("pydantic_js_updates") or {}),
        **(extra if isinstance(extra, Mapping) else {}),
        **metadata.get(KEYWORDS_KEY, {}),
    }


def description_of(field: CoreSchema) -> str:
    """What `Field(description=)` says of a field; empty where it says nothing."""
    return str(keywords_of(field.get("metadata") or {}).get("description") or "")


def constraints_of(schema: CoreSchema, keywords: Mapping[str, str]) -> dict[str, Any]:
    """The constraints of a node that are set, under the keywords that publish them."""
    return {
        keyword: schema[name] for name, keyword in keywords.items() if schema.get(name) is not None
    }


def plain_number(limit: Any) -> int | float:
    """A limit as JSON has it; Decimal limits become numbers."""
    if isinstance(limit, int | float):
        return limit
    return int(limit) if limit == int(limit) else float(limit)
