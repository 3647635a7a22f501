"""Streamed replies of Mistral's chat completions."""

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.mistral.replies import FORMAT
from appfunctions_mcp.formats.model_format import ReplyReader
from appfunctions_mcp.formats.openai_chat.streams import OpenAiChatReplyReader

__all__ = ["reply_reader"]


def reply_reader(tools: ExportedTools | None = None) -> ReplyReader:
    """Reads a streamed reply; as in `ModelFormat.reply_reader`."""
    return OpenAiChatReplyReader(tools, FORMAT)
