"""Providers' forms of tools, calls, results and histories, and the checkers of their rules.

    from appfunctions_mcp.formats import FunctionCall, ModelReply, format_named

Pure functions on records: nothing is sent from here, and no provider's library is imported. Only
what is used is imported.
"""

from typing import TYPE_CHECKING

from appfunctions_mcp.lazy_names import lazy_names

if TYPE_CHECKING:
    from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
    from appfunctions_mcp.formats.messages import (
        FunctionCall,
        FunctionResult,
        History,
        Message,
        ModelReply,
        Opaque,
        ReplyPart,
        ReplyStop,
        ResultsMessage,
        Text,
        Usage,
        UserMessage,
        UserPart,
    )
    from appfunctions_mcp.formats.model_format import (
        CallStarted,
        ModelFormat,
        ReplyError,
        ReplyReader,
        StreamPiece,
        TextPiece,
        Violation,
    )

__all__ = [
    "FORMAT_NAMES",
    "CallStarted",
    "ExportedTool",
    "ExportedTools",
    "FunctionCall",
    "FunctionResult",
    "History",
    "Message",
    "ModelFormat",
    "ModelReply",
    "Opaque",
    "ReplyError",
    "ReplyPart",
    "ReplyReader",
    "ReplyStop",
    "ResultsMessage",
    "StreamPiece",
    "Text",
    "TextPiece",
    "Usage",
    "UserMessage",
    "UserPart",
    "Violation",
    "format_named",
]

_HOME = {
    name: module
    for module, names in {
        "exported_tools": "ExportedTool ExportedTools",
        "messages": "FunctionCall FunctionResult History Message ModelReply Opaque ReplyPart "
        "ReplyStop ResultsMessage Text Usage UserMessage UserPart",
        "model_format": "CallStarted ModelFormat ReplyError ReplyReader StreamPiece TextPiece "
        "Violation",
    }.items()
    for name in names.split()
}

FORMAT_NAMES = ("openai-chat", "openai-responses", "anthropic", "gemini", "mistral", "ollama")
"""The names of all formats."""


def format_named(name: str) -> "ModelFormat":
    """The format of a provider.

    Args:
        name: One of `FORMAT_NAMES`.

    Raises:
        ValueError: No format has the name; names those that there are.
    """
    if name == "gemini":
        from appfunctions_mcp.formats.gemini import GeminiFormat

        return GeminiFormat()
    if name in FORMAT_NAMES:
        from appfunctions_mcp.formats.provider_format import ProviderFormat

        return ProviderFormat(name)
    from appfunctions_mcp.quoting import quoted

    accepted = ", ".join(FORMAT_NAMES)
    raise ValueError(f"there is no format {quoted(name)}; accepted are {accepted}")


__getattr__ = lazy_names(__name__, _HOME)
