"""What the loop needs of a model, whoever serves it."""

from collections.abc import AsyncGenerator
from typing import Protocol, Self, runtime_checkable

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import History, ModelReply
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece
from appfunctions_mcp.records import record

__all__ = ["ClosingModel", "Model", "ModelRequest", "ProviderError"]


class ProviderError(AppFunctionsError):
    """A provider cannot be used or has refused a request; says what helps."""


@record(frozen=True, slots=True)
class ModelRequest:
    """One request to a model."""

    history: History
    tools: ExportedTools | None = None
    """In the model's format; None asks for an answer without calls."""


@runtime_checkable
class Model(Protocol):
    """A model that answers requests."""

    @property
    def format(self) -> ModelFormat:
        """The form of its requests and replies."""

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Answers a request as a whole.

        Raises:
            ProviderError: The provider cannot be reached, or refuses.
            ReplyError: What it answered cannot be used.
        """

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """Answers a request piece by piece; the whole reply comes last.

        Raises:
            ProviderError: As `reply`.
            ReplyError: As `reply`.
        """


class ClosingModel(Model):
    """What the models of this package have in common: `async with` closes them."""

    async def close(self) -> None:
        """Closes the connections to the provider, where there are any."""

    async def __aenter__(self) -> Self:
        """Gives the model itself; connections are made when they are needed."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes the connections to the provider."""
        await self.close()
