"""Anthropic's models over Anthropic's own client."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from appfunctions_mcp.assistant.models import ClosingModel, ModelRequest
from appfunctions_mcp.assistant.providers.answers import object_of, unreadable_answers_told
from appfunctions_mcp.assistant.providers.failures import (
    library_missing,
    lost_connections_told,
    no_answer,
    no_key,
    refusal,
)
from appfunctions_mcp.assistant.providers.keys import key_to_send
from appfunctions_mcp.assistant.providers.parameters import parameters_for
from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.messages import ModelReply
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece

__all__ = ["AnthropicModel"]

TIMEOUT_SECONDS = 120.0
MAX_RETRIES = 2
MAX_OUTPUT_TOKENS = 8_192

_KEY = "ANTHROPIC_API_KEY"


class AnthropicModel(ClosingModel):
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
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        try:
            import anthropic
        except ImportError as fault:
            raise library_missing("anthropic", "anthropic") from fault
        self._anthropic = anthropic
        self._form = format_named("anthropic")
        self._members = {"max_tokens": max_output_tokens, **(parameters or {}), "model": model}
        self._client = anthropic.AsyncAnthropic(
            api_key=key_to_send(api_key, base_url),
            base_url=base_url,
            timeout=timeout_seconds,
            max_retries=max_retries,
        )
        if base_url is not None:
            self._client.auth_token = None  # the environment's is not for another server
        if not (self._client.api_key or self._client.auth_token):
            raise no_key("Anthropic", _KEY)

    @property
    def format(self) -> ModelFormat:
        """The form of its requests and replies."""
        return self._form

    async def close(self) -> None:
        """Closes the connections to the provider."""
        await self._client.close()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Answers a request as a whole.

        Raises:
            ProviderError: The provider cannot be reached, or refuses.
            ReplyError: What it answered cannot be used.
        """
        with self._told():
            message = await self._client.messages.create(**self._body_of(request), stream=False)
        return self._form.read_reply(object_of("Anthropic", message), request.tools)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """Answers a request piece by piece; the whole reply comes last.

        Raises:
            ProviderError: As `reply`; also where the stream breaks off.
            ReplyError: As `reply`.
        """
        reader = self._form.reply_reader(request.tools)
        with self._told():
            stream = await self._client.messages.create(**self._body_of(request), stream=True)
            async with stream:
                async for event in stream:
                    for piece in reader.feed(object_of("Anthropic", event)):
                        yield piece
        yield reader.reply()

    def _body_of(self, request: ModelRequest) -> dict[str, Any]:
        body = self._form.request(request.history, request.tools)
        return parameters_for(body, self._members) | body

    @contextmanager
    def _told(self) -> Iterator[None]:
        anthropic = self._anthropic
        try:
            with lost_connections_told("Anthropic"), unreadable_answers_told("Anthropic"):
                yield
        except anthropic.APIStatusError as fault:
            raise refusal("Anthropic", fault.status_code, fault.message, key=_KEY) from fault
        except anthropic.APIConnectionError as fault:
            raise no_answer("Anthropic", fault.__cause__ or fault) from fault
        except anthropic.APIError as fault:
            raise refusal("Anthropic", None, fault.message, key=_KEY) from fault
