"""OpenAI's models, and servers that speak its form, over OpenAI's own client.

A request changes nothing at the provider, as nothing is stored there, so that the client may
send one again after a failure; a stream that has begun is never begun anew.
"""

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

__all__ = ["OpenAiChatModel", "OpenAiResponsesModel"]

TIMEOUT_SECONDS = 120.0
MAX_RETRIES = 2


class _OpenAiModel(ClosingModel):
    """What both of OpenAI's interfaces have in common."""

    def __init__(
        self,
        model: str,
        model_form: str,
        *,
        api_key: str | None,
        base_url: str | None,
        timeout_seconds: float,
        max_retries: int,
        parameters: Mapping[str, Any] | None,
    ) -> None:
        try:
            import openai
        except ImportError as fault:
            raise library_missing("openai", "openai") from fault
        self._openai = openai
        self._form = format_named(model_form)
        self._provider = "OpenAI" if base_url is None else base_url
        self._key = "OPENAI_API_KEY" if base_url is None else "api_key"
        self._members = {**(parameters or {}), "model": model}
        try:
            self._client = openai.AsyncOpenAI(
                api_key=key_to_send(api_key, base_url),
                base_url=base_url,
                timeout=timeout_seconds,
                max_retries=max_retries,
            )
        except openai.OpenAIError as fault:
            raise no_key("OpenAI", "OPENAI_API_KEY") from fault

    @property
    def format(self) -> ModelFormat:
        """The form of its requests and replies."""
        return self._form

    async def close(self) -> None:
        """Closes the connections to the provider."""
        await self._client.close()

    def _body_of(self, request: ModelRequest) -> dict[str, Any]:
        body = self._form.request(request.history, request.tools)
        return parameters_for(body, self._members) | body

    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        raise NotImplementedError

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Answers a request as a whole.

        Raises:
            ProviderError: The provider cannot be reached, or refuses.
            ReplyError: What it answered cannot be used.
        """
        with self._told():
            response = await self._create(self._body_of(request), stream=False)
        return self._form.read_reply(object_of(self._provider, response), request.tools)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """Answers a request piece by piece; the whole reply comes last.

        Raises:
            ProviderError: As `reply`; also where the stream breaks off.
            ReplyError: As `reply`.
        """
        reader = self._form.reply_reader(request.tools)
        with self._told():
            stream = await self._create(self._body_of(request), stream=True)
            async with stream:
                async for event in stream:
                    for piece in reader.feed(object_of(self._provider, event)):
                        yield piece
        yield reader.reply()

    @contextmanager
    def _told(self) -> Iterator[None]:
        openai = self._openai
        try:
            with lost_connections_told(self._provider), unreadable_answers_told(self._provider):
                yield
        except openai.APIStatusError as fault:
            raise refusal(
                self._provider, fault.status_code, fault.message, key=self._key
            ) from fault
        except openai.APIConnectionError as fault:
            raise no_answer(self._provider, fault.__cause__ or fault) from fault
        except openai.APIError as fault:
            raise refusal(self._provider, None, fault.message, key=self._key) from fault


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
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        form: str = "openai-chat",
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            model,
            form,
            api_key=api_key,
            base_url=base_url,
            timeout_seconds=timeout_seconds,
            max_retries=max_retries,
            parameters=parameters,
        )

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

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        # Nothing is stored there, so thoughts have to travel.
        kept = {"store": False, "include": ["reasoning.encrypted_content"]}
        super().__init__(
            model,
            "openai-responses",
            api_key=api_key,
            base_url=base_url,
            timeout_seconds=timeout_seconds,
            max_retries=max_retries,
            parameters={**kept, **(parameters or {})},
        )

    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        return await self._client.responses.create(**body, stream=stream)
