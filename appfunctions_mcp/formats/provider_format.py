"""The format of one provider, out of the package that is its own."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import History, ModelReply
from appfunctions_mcp.formats.model_format import ReplyReader, Violation
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["ProviderFormat"]


class ProviderFormat:
    """The `ModelFormat` of a provider; each part is imported when it is used.

    The packages of all providers have the same modules with the same functions in them.

    Args:
        name: Such as `openai-chat`; the package has it with underscores.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def _part(self, module: str) -> Any:
        return import_module(f"{__package__}.{self.name.replace('-', '_')}.{module}")

    def export_tools(
        self, functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
    ) -> ExportedTools:
        """Functions in the provider's form; as in `ModelFormat`."""
        exported: ExportedTools = self._part("tools").export_tools(functions, strict=strict)
        return exported

    def request(self, history: History, tools: ExportedTools | None = None) -> dict[str, Any]:
        """The members of a request; as in `ModelFormat`."""
        members: dict[str, Any] = self._part("histories").request_of(history, tools)
        return members

    def read_reply(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> ModelReply:
        """A reply out of a response body; as in `ModelFormat`."""
        reply: ModelReply = self._part("replies").read_reply(body, tools)
        return reply

    def reply_reader(self, tools: ExportedTools | None = None) -> ReplyReader:
        """Reads a streamed reply; as in `ModelFormat`."""
        reader: ReplyReader = self._part("streams").reply_reader(tools)
        return reader

    def read_history(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
        """The history that a request body holds; as in `ModelFormat`."""
        history: History = self._part("histories").history_of(body, tools)
        return history

    def check_tools(self, tools: Any) -> list[Violation]:
        """Where tools break a documented rule; as in `ModelFormat`."""
        found: list[Violation] = self._part("tool_rules").tool_violations(tools)
        return found

    def check_request(self, body: Mapping[str, Any]) -> list[Violation]:
        """Where a request breaks a documented rule; as in `ModelFormat`."""
        found: list[Violation] = self._part("request_rules").request_violations(body)
        return found
