"""Functions as the tools of a request to Ollama's own API.

Ollama keeps `type`, `properties`, `required`, `items`, `enum`, `anyOf` and `description` of a
schema and hands them to the model's template; the rest is dropped on the way, so that it is told
in the descriptions. Every part names its types, since templates print them.
"""

from collections.abc import Sequence

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.openai_chat.tools import written
from appfunctions_mcp.formats.openai_tools import OpenAiDialect, export_in
from appfunctions_mcp.formats.schema_keywords import KEYWORDS, distinct
from appfunctions_mcp.formats.schema_trees import rebuilt
from appfunctions_mcp.formats.schema_words import without
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema

__all__ = ["KEPT", "export_tools"]

KEPT = frozenset({"type", "properties", "required", "items", "enum", "anyOf", "description"})
"""The keywords that reach the model's template."""


def _changed(schema: JsonSchema) -> JsonSchema:
    return rebuilt(schema, _part)


def _part(part: JsonSchema) -> JsonSchema:
    told = sorted(KEYWORDS - KEPT - {"additionalProperties", "$defs", "$ref"})
    kept = without({k: v for k, v in part.items() if k != "additionalProperties"}, told)
    return {"type": _types(kept), **kept}


def _types(part: JsonSchema) -> str | list[str]:
    """The types of a part, or those of all its alternatives."""
    written_types = [part["type"]] if "type" in part else [b["type"] for b in part["anyOf"]]
    names = distinct(
        name for each in written_types for name in ([each] if isinstance(each, str) else each)
    )
    return str(names[0]) if len(names) == 1 else names


DIALECT = OpenAiDialect(
    "ollama",
    written,
    most_tools=None,
    cut_after=3,
    not_strict_because="Ollama holds no model to a schema; the function checks the arguments",
    change_schema=_changed,
)


def export_tools(
    functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
) -> ExportedTools:
    """Functions as the tools of a request; as in `ModelFormat.export_tools`.

    Args:
        functions: Their tool names differ from each other.
        strict: Makes no difference but for a note; no tool is strict.
    """
    return export_in(DIALECT, functions, strict=strict)
