"""OpenAI's strict dialect of JSON Schema, in which a model cannot break the schema.

All properties are required, and what was optional also takes null; no object has keys beside its
properties. What cannot be said so is not bent: the reasons come back instead, and the tool is
exported without the promise. Sources: OpenAI's guide to structured outputs (supported schemas),
and field cases F19 and F67.
"""

from appfunctions_mcp.formats.openai_limits import limit_faults, order_unions
from appfunctions_mcp.formats.schema_keywords import SCALARS, has_kind, limits_of
from appfunctions_mcp.formats.schema_trees import (
    admits_null,
    is_open,
    is_set_field,
    place_of,
    plain_schema,
    rebuilt,
    subschemas,
    union_schema,
)
from appfunctions_mcp.formats.schema_words import without
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

__all__ = ["StrictSchema", "lenient_schema", "strict_schema"]

FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
"""The formats that the strict dialect knows."""

_NOT_KNOWN = ("minLength", "maxLength", "contentEncoding", "uniqueItems")
_NOT_KNOWN_OF_OBJECTS = ("minProperties", "maxProperties")
_LOOKAROUND = regex(r"\(\?<?[=!]")


@record(frozen=True, slots=True)
class StrictSchema:
    """A schema in the strict dialect, or why there is none."""

    schema: JsonSchema | None
    reasons: tuple[str, ...] = ()
    """Why the schema cannot be strict; empty where there is one."""
    notes: tuple[str, ...] = ()
    """What is otherwise than declared."""


def strict_schema(schema: JsonSchema, *, cut_after: int | None = None) -> StrictSchema:
    """A function's schema in the strict dialect.

    Args:
        schema: As the function publishes it; not changed.
        cut_after: As in `plain_schema`, for servers that know no references. What is cut is
            an open object, which cannot be strict.
    """
    notes: list[str] = []
    plain = plain_schema(schema, cut_after=cut_after, notes=notes)
    reasons = [
        f"{place_of(path)} takes keys or values that are not declared"
        for path, part in subschemas(plain)
        if is_open(part) and (path or part.get("additionalProperties"))
    ]
    if reasons:
        return StrictSchema(None, tuple(reasons), tuple(notes))
    notes += _lost_defaults(plain)
    definitions = plain.get("$defs", {})
    strict = rebuilt(plain, lambda part: _strict_part(part, definitions))
    faults = [*order_unions(strict), *limit_faults(strict)]
    return StrictSchema(None if faults else strict, tuple(faults), tuple(notes))


def lenient_schema(schema: JsonSchema, *, cut_after: int | None = None) -> JsonSchema:
    """A function's schema for a tool without the promise: plain, with its limits and defaults.

    Args:
        schema: As the function publishes it; not changed.
        cut_after: As in `plain_schema`.
    """
    return rebuilt(plain_schema(schema, cut_after=cut_after), _without_siblings)


def _lost_defaults(plain: JsonSchema) -> list[str]:
    """Where null is a value, so that a model cannot ask for the default any more."""
    definitions = plain.get("$defs", {})
    return [
        f"{place_of(f'{path}/properties/{name}')} takes null as a value, so that its default "
        f"{quoted(str(own['default']))} cannot be asked for"
        for path, part in subschemas(plain)
        for name, own in part.get("properties", {}).items()
        if name not in part.get("required", ())
        and own.get("default") is not None
        and admits_null(own, definitions)
    ]


def _without_siblings(part: JsonSchema) -> JsonSchema:
    """A reference alone; words beside it go around it, since the dialect takes none there."""
    if "$ref" not in part or len(part) == 1:
        return part
    words = {name: value for name, value in part.items() if name != "$ref"}
    return {"anyOf": [{"$ref": part["$ref"]}], **words}


def _strict_part(part: JsonSchema, definitions: dict[str, JsonSchema]) -> JsonSchema:
    if part.get("type") == "object":
        return _strict_object(part, definitions)
    if "type" not in part:
        return _without_siblings(without(part, ["default"]))
    dropped = [*_NOT_KNOWN, "default"]
    if part.get("format") not in FORMATS:
        dropped.append("format")
    if _LOOKAROUND.search(part.get("pattern", "")):
        dropped.append("pattern")
    return _single_types(without(part, dropped))


def _strict_object(part: JsonSchema, definitions: dict[str, JsonSchema]) -> JsonSchema:
    properties = part.get("properties", {})
    required = part.get("required", ())
    if is_set_field(part):
        # `clear` is there for clients that drop a null; here null can be sent, and says it alone.
        properties, required = {"value": _cleared_by_null(properties["value"])}, ("value",)
    strict = without(part, [*_NOT_KNOWN_OF_OBJECTS, "default"])
    return strict | {
        "properties": {
            name: own if name in required or admits_null(own, definitions) else _with_null(own)
            for name, own in properties.items()
        },
        "required": list(properties),
        "additionalProperties": False,
    }


def _cleared_by_null(part: JsonSchema) -> JsonSchema:
    words = [part["description"]] if "description" in part else []
    return {**part, "description": " ".join([*words, "Null clears it."])}


def _with_null(part: JsonSchema) -> JsonSchema:
    """A part that also takes null, which stands for 'left out'."""
    kind = part.get("type")
    if isinstance(kind, str) and kind in SCALARS:
        values = {"enum": [*part["enum"], None]} if "enum" in part else {}
        return {**part, "type": [kind, "null"], **values}
    words = {"description": part["description"]} if "description" in part else {}
    bare = {name: value for name, value in part.items() if name != "description"}
    return {**union_schema([bare, {"type": "null"}]), **words}


def _single_types(part: JsonSchema) -> JsonSchema:
    """One type, or one and null; several others become a union, each with its own limits."""
    kinds = part["type"]
    if isinstance(kinds, str) or (len(kinds) == 2 and "null" in kinds):
        return part
    words = {name: part[name] for name in ("description",) if name in part}
    branches: list[JsonSchema] = []
    for kind in kinds:
        values = [value for value in part.get("enum", ()) if has_kind(value, [kind])]
        branches.append({"type": kind, **({"enum": values} if values else limits_of(part, [kind]))})
    return {**union_schema(branches), **words}
