"""What the models of all providers have in common, and those over clients that are alike.

A request changes nothing at the provider, as nothing is stored there, so that the client may
send one again after a failure; a stream that has begun is never begun anew.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AbstractContextManager, aclosing, contextmanager
from typing import Any, TypedDict, Unpack

from appfunctions_mcp.assistant.models import ClosingModel, ModelRequest
from appfunctions_mcp.assistant.providers.answers import object_of, unreadable_answers_told
from appfunctions_mcp.assistant.providers.failures import lost_connections_told, no_answer, refusal
from appfunctions_mcp.assistant.providers.parameters import parameters_for
from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.messages import ModelReply
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece

__all__ = ["AlikeClientModel", "ModelOptions", "ProviderModel"]

# Servers of one's own want none, and the clients want something.
_NO_KEY = "none"


class ModelOptions(TypedDict, total=False):
    """What every model takes beside its name; the models say what each is for."""

    api_key: str | None
    base_url: str | None
    timeout_seconds: float
    max_retries: int
    parameters: Mapping[str, Any] | None


class ProviderModel(ClosingModel):
    """A model over a provider's own client.

    Args:
        form: The name of the format.
        provider: Whose, as a message says it.
        key: Where its key comes from, as a message says it.
        defaults: Members of each request, unless `parameters` say otherwise.
        api_key: As it was given, if it was.
        base_url: Of another server than the provider's.
        timeout_seconds: How long an answer, or the next piece of one, may take.
        max_retries: How often the client sends a request again.
        parameters: What else goes into each request.
    """

    def __init__(
        self,
        form: str,
        *,
        provider: str,
        key: str,
        defaults: Mapping[str, Any],
        api_key: str | None = None,
        base_url: str | None = None,
        timeout_seconds: float = 120.0,
        max_retries: int = 2,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._form = format_named(form)
        self._provider = provider
        self._key = key
        self._members = {**defaults, **(parameters or {})}
        self._client = self._new_client(
            _key_to_send(api_key, base_url), base_url, timeout_seconds, max_retries
        )

    @property
    def format(self) -> ModelFormat:
        """The form of its requests and replies."""
        return self._form

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Answers a request as a whole.

        Raises:
            ProviderError: The provider cannot be reached, or refuses.
            ReplyError: What it answered cannot be used.
        """
        body = self._body_of(request)
        with self._told():
            answer = self._object_of(await self._create(body, stream=False))
        return self._form.read_reply(answer, request.tools)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """Answers a request piece by piece; the whole reply comes last.

        Raises:
            ProviderError: As `reply`; also where the stream breaks off.
            ReplyError: As `reply`.
        """
        reader = self._form.reply_reader(request.tools)
        async with aclosing(self._events(self._body_of(request))) as events:
            async for event in events:
                for piece in reader.feed(event):
                    yield piece
        yield reader.reply()

    async def _events(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        with self._told():
            async with await self._create(body, stream=True) as events:
                async for event in events:
                    yield self._object_of(event)

    @abstractmethod
    def _new_client(
        self, api_key: str | None, base_url: str | None, timeout_seconds: float, max_retries: int
    ) -> Any:
        """Makes the provider's client.

        Raises:
            ProviderError: It is not installed, or there is no key.
        """

    @abstractmethod
    def _body_of(self, request: ModelRequest) -> dict[str, Any]:
        """What the client is told of a request."""

    @abstractmethod
    async def _create(self, body: dict[str, Any], *, stream: bool) -> Any:
        """Sends a request; a stream is given as what `async with` opens."""

    @abstractmethod
    def _object_of(self, answer: Any) -> dict[str, Any]:
        """An answer, or an event of a stream, as the JSON object that came."""

    @abstractmethod
    def _told(self) -> AbstractContextManager[None]:
        """Tells of what fails in the block in words that help."""


class AlikeClientModel(ProviderModel):
    """A model over a client of OpenAI or Anthropic: one generator writes both."""

    _library: Any
    """The client's package, which has the errors of it."""

    def __init__(
        self,
        model: str,
        form: str,
        *,
        provider: str,
        key: str,
        defaults: Mapping[str, Any],
        **options: Unpack[ModelOptions],
    ) -> None:
        super().__init__(form, provider=provider, key=key, defaults=defaults, **options)
        self._members["model"] = model

    async def close(self) -> None:
        """Closes the connections to the provider."""
        await self._client.close()

    def _body_of(self, request: ModelRequest) -> dict[str, Any]:
        body = self._form.request(request.history, request.tools)
        return parameters_for(body, self._members) | body

    def _object_of(self, answer: Any) -> dict[str, Any]:
        return object_of(self._provider, answer)

    @contextmanager
    def _told(self) -> Iterator[None]:
        library, provider, key = self._library, self._provider, self._key
        try:
            with lost_connections_told(provider), unreadable_answers_told(provider):
                yield
        except library.APIStatusError as fault:
            raise refusal(provider, fault.status_code, fault.message, key=key) from fault
        except library.APIConnectionError as fault:
            raise no_answer(provider, fault.__cause__ or fault) from fault
        except library.APIError as fault:
            raise refusal(provider, None, fault.message, key=key) from fault


def _key_to_send(api_key: str | None, base_url: str | None) -> str | None:
    """The key that is given; None, for that of the environment, only where the provider gets it."""
    return api_key if api_key is not None or base_url is None else _NO_KEY
