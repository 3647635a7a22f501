"""Functions as the tools of a Responses request."""

from collections.abc import Sequence
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.openai_tools import OpenAiDialect, ToolParts, export_in
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["export_tools"]


def _written(parts: ToolParts) -> dict[str, Any]:
    """A tool, flat; `strict` always stands there, since without it the API tries to be strict."""
    tool: dict[str, Any] = {"type": "function", "name": parts.name}
    if parts.description:
        tool["description"] = parts.description
    return tool | {"parameters": parts.parameters, "strict": parts.is_strict}


DIALECT = OpenAiDialect("openai-responses", _written)


def export_tools(
    functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
) -> ExportedTools:
    """Functions as the tools of a request; as in `ModelFormat.export_tools`.

    Args:
        functions: Their tool names differ from each other.
        strict: False for no strict tool, else each is strict that can be.
    """
    return export_in(DIALECT, functions, strict=strict)
