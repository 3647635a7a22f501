"""OpenAI's models, and servers that speak its form, over OpenAI's own client."""

from collections.abc import Mapping
from typing import Any, Unpack

from appfunctions_mcp.assistant.providers.failures import missing_library_told, no_key
from appfunctions_mcp.assistant.providers.provider_models import AlikeClientModel, ModelOptions

__all__ = ["OpenAiChatModel", "OpenAiResponsesModel"]

_KEY = "OPENAI_API_KEY"


class _OpenAiModel(AlikeClientModel):
    """What both of OpenAI's interfaces have in common."""

    def __init__(
        self, model: str, form: str, defaults: Mapping[str, Any], **options: Unpack[ModelOptions]
    ) -> None:
        base_url = options.get("base_url")
        super().__init__(
            model,
            form,
            provider="OpenAI" if base_url is None else base_url,
            key=_KEY if base_url is None else "api_key",
            defaults=defaults,
            **options,
        )

    def _new_client(
        self, api_key: str | None, base_url: str | None, timeout_seconds: float, max_retries: int
    ) -> Any:
        with missing_library_told("openai", "openai"):
            import openai
        self._library = openai
        try:
            return openai.AsyncOpenAI(
                api_key=api_key, base_url=base_url, timeout=timeout_seconds, max_retries=max_retries
            )
        except openai.OpenAIError as fault:
            raise no_key("OpenAI", _KEY) from fault


class OpenAiChatModel(_OpenAiModel):
    """A model over Chat Completions: OpenAI's, Mistral's, Ollama's, vLLM's and many others.

    `async with` closes its connections, and so does `close`.

    Args:
        model: Its name, such as `gpt-5.4-mini`.
        api_key: The key; that of `OPENAI_API_KEY` when left out, but only for OpenAI itself.
        base_url: Of another server, such as `http://127.0.0.1:11434/v1` for Ollama.
        form: `openai-chat`, or `mistral` where that server's rules hold.
        timeout_seconds: How long an answer, or the next piece of one, may take.
        max_retries: How often a request is sent again where there was no answer, or one that
            says to try later.
        parameters: What else goes into each request, such as `temperature`.

    Raises:
        ProviderError: The client is not installed, or there is no key.
    """

    def __init__(
        self, model: str, *, form: str = "openai-chat", **options: Unpack[ModelOptions]
    ) -> None:
        super().__init__(model, form, {}, **options)

    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        if stream and self._form.name == "openai-chat":
            # Without it a stream tells nothing of the tokens.
            body = {"stream_options": {"include_usage": True}} | body
        return await self._client.chat.completions.create(**body, stream=stream)


class OpenAiResponsesModel(_OpenAiModel):
    """A model over OpenAI's Responses, whose thoughts come back encrypted and go with the history.

    `async with` closes its connections, and so does `close`.

    Args:
        model: Its name, such as `gpt-5.5`.
        api_key: The key; that of `OPENAI_API_KEY` when left out, but only for OpenAI itself.
        base_url: Of another server.
        timeout_seconds: How long an answer, or the next piece of one, may take.
        max_retries: How often a request is sent again where there was no answer, or one that
            says to try later.
        parameters: What else goes into each request, such as `reasoning`.

    Raises:
        ProviderError: The client is not installed, or there is no key.
    """

    def __init__(self, model: str, **options: Unpack[ModelOptions]) -> None:
        # Nothing is stored there, so thoughts have to travel.
        kept = {"store": False, "include": ["reasoning.encrypted_content"]}
        super().__init__(model, "openai-responses", kept, **options)

    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        return await self._client.responses.create(**body, stream=stream)
