"""Streamed replies of Mistral's chat completions."""

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.mistral.replies import FORMAT
from appfunctions_mcp.formats.openai_chat.streams import OpenAiChatReplyReader

__all__ = ["MistralReplyReader"]


class MistralReplyReader(OpenAiChatReplyReader):
    """Puts a streamed reply together; the `ReplyReader` of this format.

    Args:
        tools: What the model could call.
    """

    def __init__(self, tools: ExportedTools | None = None) -> None:
        super().__init__(tools, FORMAT)
