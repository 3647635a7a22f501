"""Google's models over Google's own client."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

from appfunctions_mcp.assistant.models import ClosingModel, ModelRequest
from appfunctions_mcp.assistant.providers.answers import unreadable
from appfunctions_mcp.assistant.providers.failures import (
    library_missing,
    lost_connections_told,
    no_key,
    refusal,
)
from appfunctions_mcp.assistant.providers.keys import key_to_send
from appfunctions_mcp.assistant.providers.parameters import parameters_for
from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.messages import ModelReply
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece

__all__ = ["GeminiModel"]

TIMEOUT_SECONDS = 120.0
MAX_RETRIES = 2

_KEY = "GEMINI_API_KEY"
# Answers that say to try later; the request has changed nothing.
_AGAIN = [408, 429, 500, 502, 503, 504]


class GeminiModel(ClosingModel):
    """A model over Gemini's generateContent.

    A request changes nothing at the provider, so that the client may send one again after a
    failure; a stream that has begun is never begun anew. `async with` closes its connections, and
    so does `close`.

    Args:
        model: Its name, such as `gemini-3.8-flash`.
        api_key: The key; that of `GEMINI_API_KEY` or `GOOGLE_API_KEY` when left out, but only for
            Google itself.
        base_url: Of another server.
        timeout_seconds: How long an answer may take.
        max_retries: How often a request is sent again where the answer says to try later.
        parameters: What else goes into each request's configuration, such as `temperature`.

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
        try:
            from google import genai
            from google.genai import errors, types
        except ImportError as fault:
            raise library_missing("google-genai", "gemini") from fault
        self._errors = errors
        self._form = format_named("gemini")
        self._model = model
        self._config_type = types.GenerateContentConfig
        # Functions are run here, never by the client.
        self._config = {"automatic_function_calling": {"disable": True}, **(parameters or {})}
        retry = types.HttpRetryOptions(attempts=max_retries + 1, http_status_codes=_AGAIN)
        options = types.HttpOptions(
            base_url=base_url, timeout=int(timeout_seconds * 1000), retry_options=retry
        )
        try:
            self._client = genai.Client(
                api_key=key_to_send(api_key, base_url), vertexai=False, http_options=options
            )
        except ValueError as fault:
            raise no_key("Gemini", _KEY) from fault

    @property
    def format(self) -> ModelFormat:
        """The form of its requests and replies."""
        return self._form

    async def close(self) -> None:
        """Closes the connections to the provider."""
        await self._client.aio.aclose()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Answers a request as a whole.

        Raises:
            ProviderError: The provider cannot be reached, or refuses.
            ReplyError: What it answered cannot be used.
        """
        asked = self._asked(request)
        with self._told():
            response = _json_of(await self._client.aio.models.generate_content(**asked))
        return self._form.read_reply(response, request.tools)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """Answers a request piece by piece; the whole reply comes last.

        Raises:
            ProviderError: As `reply`; also where the stream breaks off.
            ReplyError: As `reply`.
        """
        reader = self._form.reply_reader(request.tools)
        async with aclosing(self._responses(self._asked(request))) as responses:
            async for response in responses:
                for piece in reader.feed(response):
                    yield piece
        yield reader.reply()

    async def _responses(self, asked: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        with self._told():
            stream: Any = await self._client.aio.models.generate_content_stream(**asked)
            async with aclosing(stream):
                async for response in stream:
                    yield _json_of(response)

    def _asked(self, request: ModelRequest) -> dict[str, Any]:
        body = self._form.request(request.history, request.tools)
        contents = body.pop("contents")
        # Checked here, so that what is wrong with it is told apart from what is with an answer.
        config = self._config_type.model_validate(parameters_for(body, self._config) | body)
        return {"model": self._model, "contents": contents, "config": config}

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            with lost_connections_told("Gemini"):
                yield
        except self._errors.APIError as fault:
            raise refusal("Gemini", fault.code, fault.message or str(fault), key=_KEY) from fault
        except (ValueError, TypeError, LookupError, AttributeError) as fault:
            # The client takes an answer apart before it looks at what it is.
            raise unreadable("Gemini", fault) from fault


def _json_of(response: Any) -> dict[str, Any]:
    """A response as it came, without what the client has added of its own."""
    shown: dict[str, Any] = response.model_dump(mode="json", by_alias=True, exclude_none=True)
    shown.pop("sdkHttpResponse", None)
    shown.pop("automaticFunctionCallingHistory", None)
    return shown
