"""Replies of Mistral's chat completions; their form is OpenAI's, with thoughts as parts."""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import ModelReply
from appfunctions_mcp.formats.openai_chat.replies import reply_of

__all__ = ["FORMAT", "read_reply"]

FORMAT = "mistral"


def read_reply(body: Mapping[str, Any], tools: ExportedTools | None = None) -> ModelReply:
    """A reply out of a response body; as in `ModelFormat.read_reply`.

    Raises:
        ReplyError: There is neither text nor a call in it; names what is.
    """
    return reply_of(body, tools, FORMAT)
