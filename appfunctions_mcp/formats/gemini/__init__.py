"""Google's generateContent."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import History, ModelReply
from appfunctions_mcp.formats.model_format import ReplyReader, Violation
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["GeminiFormat", "SchemaMember"]

SchemaMember = Literal["parameters", "parametersJsonSchema"]
"""The member of a function declaration that has the schema."""


class GeminiFormat:
    """The `ModelFormat` of Google's generateContent; each part is imported when it is used.

    Args:
        schema_member: Where schemas stand, and so their dialect: `parameters`, which every model
            reads, or `parametersJsonSchema`, which also says maps and choices of numbers.
    """

    name = "gemini"

    def __init__(self, schema_member: SchemaMember = "parameters") -> None:
        self._schema_member: SchemaMember = schema_member

    def export_tools(
        self, functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
    ) -> ExportedTools:
        """Functions in the provider's form; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.tools import export_tools

        return export_tools(functions, strict=strict, schema_member=self._schema_member)

    def request(self, history: History, tools: ExportedTools | None = None) -> dict[str, Any]:
        """The members of a request; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.histories import request_of

        return request_of(history, tools)

    def read_reply(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> ModelReply:
        """A reply out of a response body; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.replies import read_reply

        return read_reply(body, tools)

    def reply_reader(self, tools: ExportedTools | None = None) -> ReplyReader:
        """Reads a streamed reply; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.streams import GeminiReplyReader

        return GeminiReplyReader(tools)

    def read_history(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
        """The history that a request body holds; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.histories import history_of

        return history_of(body, tools)

    def check_tools(self, tools: Any) -> list[Violation]:
        """Where tools break a documented rule; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.tool_rules import tool_violations

        return tool_violations(tools)

    def check_request(self, body: Mapping[str, Any]) -> list[Violation]:
        """Where a request breaks a documented rule; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.request_rules import request_violations

        return request_violations(body)
