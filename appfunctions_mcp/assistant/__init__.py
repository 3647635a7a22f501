"""The agent's side of function calling: dispatcher, conversation, the loop, and providers.

    from appfunctions_mcp.assistant import Assistant, Conversation, ToolDispatcher

Only what is used is imported.
"""

from typing import TYPE_CHECKING

from appfunctions_mcp.lazy_names import lazy_names

if TYPE_CHECKING:
    from appfunctions_mcp.assistant.assistant import Assistant
    from appfunctions_mcp.assistant.conversation import Conversation, ConversationError
    from appfunctions_mcp.assistant.dispatcher import Confirm, ToolDispatcher
    from appfunctions_mcp.assistant.events import (
        Answer,
        AssistantEvent,
        CallEvent,
        ResultEvent,
        StopEvent,
        StopReason,
        TextEvent,
    )
    from appfunctions_mcp.assistant.mcp_source import McpSource
    from appfunctions_mcp.assistant.models import Model, ModelRequest, ProviderError
    from appfunctions_mcp.assistant.scripted import ScriptedCall, ScriptedModel
    from appfunctions_mcp.assistant.service_source import ServiceSource
    from appfunctions_mcp.assistant.sources import FunctionSource, SourceCall, SourceError

__all__ = [
    "Answer",
    "Assistant",
    "AssistantEvent",
    "CallEvent",
    "Confirm",
    "Conversation",
    "ConversationError",
    "FunctionSource",
    "McpSource",
    "Model",
    "ModelRequest",
    "ProviderError",
    "ResultEvent",
    "ScriptedCall",
    "ScriptedModel",
    "ServiceSource",
    "SourceCall",
    "SourceError",
    "StopEvent",
    "StopReason",
    "TextEvent",
    "ToolDispatcher",
]

_HOME = {
    name: module
    for module, names in {
        "assistant": "Assistant",
        "conversation": "Conversation ConversationError",
        "dispatcher": "Confirm ToolDispatcher",
        "events": "Answer AssistantEvent CallEvent ResultEvent StopEvent StopReason TextEvent",
        "mcp_source": "McpSource",
        "models": "Model ModelRequest ProviderError",
        "scripted": "ScriptedCall ScriptedModel",
        "service_source": "ServiceSource",
        "sources": "FunctionSource SourceCall SourceError",
    }.items()
    for name in names.split()
}


__getattr__ = lazy_names(__name__, _HOME)
