"""OpenAI's Chat Completions, which many other providers speak too."""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import History, ModelReply
from appfunctions_mcp.formats.model_format import ReplyReader, Violation
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["OpenAiChatFormat"]


class OpenAiChatFormat:
    """The `ModelFormat` of OpenAI's Chat Completions; each part is imported when it is used."""

    name = "openai-chat"

    def export_tools(
        self, functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
    ) -> ExportedTools:
        """Functions in the provider's form; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.tools import export_tools

        return export_tools(functions, strict=strict)

    def request(self, history: History, tools: ExportedTools | None = None) -> dict[str, Any]:
        """The members of a request; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.histories import request_of

        return request_of(history, tools)

    def read_reply(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> ModelReply:
        """A reply out of a response body; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.replies import read_reply

        return read_reply(body, tools)

    def reply_reader(self, tools: ExportedTools | None = None) -> ReplyReader:
        """Reads a streamed reply; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.streams import OpenAiChatReplyReader

        return OpenAiChatReplyReader(tools)

    def read_history(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
        """The history that a request body holds; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.histories import history_of

        return history_of(body, tools)

    def check_tools(self, tools: Any) -> list[Violation]:
        """Where tools break a documented rule; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.tool_rules import tool_violations

        return tool_violations(tools)

    def check_request(self, body: Mapping[str, Any]) -> list[Violation]:
        """Where a request breaks a documented rule; as in `ModelFormat`."""
        from appfunctions_mcp.formats.openai_chat.request_rules import request_violations

        return request_violations(body)
