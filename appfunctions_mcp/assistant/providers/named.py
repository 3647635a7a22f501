"""A provider's model by one word, such as `anthropic:claude-sonnet-5-5`."""

import os
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.assistant.models import ClosingModel, ProviderError
from appfunctions_mcp.assistant.providers.failures import no_key
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted

__all__ = ["PROVIDERS", "model_named"]

MISTRAL_URL = "https://api.mistral.ai/v1"
OLLAMA_URL = "http://127.0.0.1:11434/v1"

PROVIDERS = {
    "anthropic": "claude-sonnet-5-5",
    "gemini": "gemini-3.8-flash",
    "mistral": "mistral-large-latest",
    "ollama": "qwen3",
    "openai": "gpt-5.5",
    "openai-chat": "gpt-5.4-mini",
}
"""What a word may begin with, and one model as an example of what follows."""


def model_named(
    name: str, *, base_url: str | None = None, environ: Mapping[str, str] = os.environ
) -> ClosingModel:
    """Makes a model.

    Args:
        name: `PROVIDER:MODEL`. `openai` is Responses and `openai-chat` Chat Completions, which
            many other servers speak too; `ollama` is the one on this machine.
        base_url: Of another server of the same form, which is told no key.
        environ: Where the provider's key is looked for.

    Raises:
        ProviderError: There is no such provider, its client is not installed, or there is no
            key.
    """
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS or not model:
        near = nearest_names(provider, sorted(PROVIDERS), limit=1) or ["anthropic"]
        raise ProviderError(
            f"{quoted(name)} names no model; accepted is PROVIDER:MODEL, such as "
            f"{near[0]}:{PROVIDERS[near[0]]}, with one of {', '.join(PROVIDERS)}"
        )
    if base_url is not None:
        # A key for the provider is not told to another server.
        environ = {}
    options: dict[str, Any] = {"base_url": base_url}
    if provider == "anthropic":
        from appfunctions_mcp.assistant.providers.anthropic_model import AnthropicModel

        return AnthropicModel(model, api_key=_key(environ, "ANTHROPIC_API_KEY"), **options)
    if provider == "gemini":
        from appfunctions_mcp.assistant.providers.gemini_model import GeminiModel

        key = _key(environ, "GEMINI_API_KEY", "GOOGLE_API_KEY")
        return GeminiModel(model, api_key=key, **options)
    return _openai_model(provider, model, base_url, environ)


def _openai_model(
    provider: str, model: str, base_url: str | None, environ: Mapping[str, str]
) -> ClosingModel:
    from appfunctions_mcp.assistant.providers.openai_models import (
        OpenAiChatModel,
        OpenAiResponsesModel,
    )

    if provider == "ollama":
        return OpenAiChatModel(model, base_url=base_url or OLLAMA_URL)
    if provider == "mistral":
        key = _key(environ, "MISTRAL_API_KEY")
        if key is None and base_url is None:
            raise no_key("Mistral", "MISTRAL_API_KEY")
        return OpenAiChatModel(model, api_key=key, base_url=base_url or MISTRAL_URL, form="mistral")
    key = _key(environ, "OPENAI_API_KEY")
    made = OpenAiResponsesModel if provider == "openai" else OpenAiChatModel
    return made(model, api_key=key, base_url=base_url)


def _key(environ: Mapping[str, str], *names: str) -> str | None:
    return next((environ[name] for name in names if environ.get(name)), None)
