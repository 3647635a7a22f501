"""Functions as the tools of a request to Mistral: as OpenAI's, but without references."""

from collections.abc import Sequence

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.openai_chat.tools import written
from appfunctions_mcp.formats.openai_tools import OpenAiDialect, export_in
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["export_tools"]

DIALECT = OpenAiDialect("mistral", written, most_tools=None, cut_after=3)


def export_tools(
    functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
) -> ExportedTools:
    """Functions as the tools of a request; as in `ModelFormat.export_tools`.

    Args:
        functions: Their tool names differ from each other.
        strict: False for no strict tool, else each is strict that can be.
    """
    return export_in(DIALECT, functions, strict=strict)
