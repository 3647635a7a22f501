"""Anthropic's models over Anthropic's own client."""

from typing import Any, Unpack

from appfunctions_mcp.assistant.providers.failures import missing_library_told, no_key
from appfunctions_mcp.assistant.providers.provider_models import AlikeClientModel, ModelOptions

__all__ = ["AnthropicModel"]

_KEY = "ANTHROPIC_API_KEY"


class AnthropicModel(AlikeClientModel):
    """A model over Anthropic's Messages.

    A request changes nothing at the provider, so that the client may send one again after a
    failure; a stream that has begun is never begun anew. `async with` closes its connections, and
    so does `close`.

    Args:
        model: Its name, such as `claude-sonnet-5-5`.
        api_key: The key; that of `ANTHROPIC_API_KEY` when left out, but only for Anthropic itself.
        base_url: Of another server.
        max_output_tokens: How long an answer may be, with thoughts.
        timeout_seconds: How long an answer, or the next piece of one, may take.
        max_retries: How often a request is sent again where there was no answer, or one that
            says to try later.
        parameters: What else goes into each request, such as `thinking`.

    Raises:
        ProviderError: The client is not installed, or there is no key.
    """

    def __init__(
        self, model: str, *, max_output_tokens: int = 8_192, **options: Unpack[ModelOptions]
    ) -> None:
        super().__init__(
            model,
            "anthropic",
            provider="Anthropic",
            key=_KEY,
            defaults={"max_tokens": max_output_tokens},
            **options,
        )

    def _new_client(
        self, api_key: str | None, base_url: str | None, timeout_seconds: float, max_retries: int
    ) -> Any:
        with missing_library_told("anthropic", "anthropic"):
            import anthropic
        self._library = anthropic
        client = anthropic.AsyncAnthropic(
            api_key=api_key, base_url=base_url, timeout=timeout_seconds, max_retries=max_retries
        )
        if base_url is not None:
            client.auth_token = None  # the environment's is not for another server
        if not (client.api_key or client.auth_token):
            raise no_key("Anthropic", _KEY)
        return client

    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        return await self._client.messages.create(**body, stream=stream)
