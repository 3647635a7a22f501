"""Google's models over Google's own client."""

from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Unpack

from appfunctions_mcp.assistant.models import ModelRequest
from appfunctions_mcp.assistant.providers.answers import unreadable
from appfunctions_mcp.assistant.providers.failures import (
    lost_connections_told,
    missing_library_told,
    no_key,
    refusal,
)
from appfunctions_mcp.assistant.providers.parameters import parameters_for
from appfunctions_mcp.assistant.providers.provider_models import ModelOptions, ProviderModel

__all__ = ["GeminiModel"]

_KEY = "GEMINI_API_KEY"
# Answers that say to try later; the request has changed nothing.
_AGAIN = [408, 429, 500, 502, 503, 504]


class GeminiModel(ProviderModel):
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

    def __init__(self, model: str, **options: Unpack[ModelOptions]) -> None:
        # Functions are run here, never by the client.
        defaults = {"automatic_function_calling": {"disable": True}}
        super().__init__("gemini", provider="Gemini", key=_KEY, defaults=defaults, **options)
        self._model = model

    def _new_client(
        self, api_key: str | None, base_url: str | None, timeout_seconds: float, max_retries: int
    ) -> Any:
        with missing_library_told("google-genai", "gemini"):
            from google import genai
            from google.genai import errors, types
        self._errors = errors
        self._config_type = types.GenerateContentConfig
        retry = types.HttpRetryOptions(attempts=max_retries + 1, http_status_codes=_AGAIN)
        http = types.HttpOptions(
            base_url=base_url, timeout=int(timeout_seconds * 1000), retry_options=retry
        )
        try:
            return genai.Client(api_key=api_key, vertexai=False, http_options=http)
        except ValueError as fault:
            raise no_key("Gemini", _KEY) from fault

    async def close(self) -> None:
        """Closes the connections to the provider."""
        await self._client.aio.aclose()

    def _body_of(self, request: ModelRequest) -> dict[str, Any]:
        body = self._form.request(request.history, request.tools)
        contents = body.pop("contents")
        # Checked here, so that what is wrong with it is told apart from what is with an answer.
        config = self._config_type.model_validate(parameters_for(body, self._members) | body)
        return {"model": self._model, "contents": contents, "config": config}

    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        models = self._client.aio.models
        if stream:
            return aclosing(await models.generate_content_stream(**body))
        return await models.generate_content(**body)

    def _object_of(self, answer: Any) -> dict[str, Any]:
        """An answer as it came, without what the client has added of its own."""
        shown: dict[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        shown.pop("sdkHttpResponse", None)
        shown.pop("automaticFunctionCallingHistory", None)
        return shown

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
