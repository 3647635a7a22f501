"""Functions as the tools of a Chat Completions request."""

from collections.abc import Sequence
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.openai_tools import OpenAiDialect, ToolParts, export_in
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["export_tools", "written"]


def written(parts: ToolParts) -> dict[str, Any]:
    """A tool, with its parts under `function`; `strict` stands there only where it is true.

    Servers that speak OpenAI's format need not know `strict`.
    """
    function: dict[str, Any] = {"name": parts.name}
    if parts.description:
        function["description"] = parts.description
    function["parameters"] = parts.parameters
    if parts.is_strict:
        function["strict"] = True
    return {"type": "function", "function": function}


DIALECT = OpenAiDialect("openai-chat", written)


def export_tools(
    functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
) -> ExportedTools:
    """Functions as the tools of a request; as in `ModelFormat.export_tools`.

    Args:
        functions: Their tool names differ from each other.
        strict: False for no strict tool, else each is strict that can be.
    """
    return export_in(DIALECT, functions, strict=strict)
