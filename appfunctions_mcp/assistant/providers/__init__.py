"""Models of providers, each over the provider's own client, which is an extra.

    from appfunctions_mcp.assistant.providers import AnthropicModel

Only what is used is imported.
"""

from typing import TYPE_CHECKING

from appfunctions_mcp.lazy_names import lazy_names

if TYPE_CHECKING:
    from appfunctions_mcp.assistant.providers.anthropic_model import AnthropicModel
    from appfunctions_mcp.assistant.providers.gemini_model import GeminiModel
    from appfunctions_mcp.assistant.providers.named import PROVIDERS, model_named
    from appfunctions_mcp.assistant.providers.openai_models import (
        OpenAiChatModel,
        OpenAiResponsesModel,
    )

__all__ = [
    "PROVIDERS",
    "AnthropicModel",
    "GeminiModel",
    "OpenAiChatModel",
    "OpenAiResponsesModel",
    "model_named",
]

_HOME = {
    "PROVIDERS": "named",
    "AnthropicModel": "anthropic_model",
    "GeminiModel": "gemini_model",
    "OpenAiChatModel": "openai_models",
    "OpenAiResponsesModel": "openai_models",
    "model_named": "named",
}


__getattr__ = lazy_names(__name__, _HOME)
