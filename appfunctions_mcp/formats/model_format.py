"""What every provider's format can do, each in its own form."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import History, ModelReply
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record

__all__ = [
    "CallStarted",
    "ModelFormat",
    "ReplyError",
    "ReplyReader",
    "StreamPiece",
    "TextPiece",
    "Violation",
]

Json = dict[str, Any]


class ReplyError(AppFunctionsError):
    """What came from a provider cannot be used; the text names what it is."""


@record(frozen=True, slots=True)
class Violation:
    """Where a body breaks a rule that the provider documents."""

    path: str
    """A JSON pointer into what was checked, such as `/messages/2/tool_calls/0`."""
    rule: str
    """A short name of the rule, the same wherever it is broken, such as `call-without-result`."""
    text: str
    """What is there and what is accepted."""


@record(frozen=True, slots=True)
class TextPiece:
    """Text that has come in a stream."""

    text: str


@record(frozen=True, slots=True)
class CallStarted:
    """A call whose name has come in a stream; its arguments follow."""

    name: str


StreamPiece = TextPiece | CallStarted


class ReplyReader(Protocol):
    """Puts a streamed reply together."""

    def feed(self, event: Mapping[str, Any]) -> Sequence[StreamPiece]:
        """Takes one event of the stream, and gives what a person may see of it at once.

        Raises:
            ReplyError: The event tells of a failure, or is none of the provider's.
        """

    def reply(self) -> ModelReply:
        """The whole reply, after the last event or where the stream broke off.

        Raises:
            ReplyError: Nothing usable has come; names what did.
        """


class ModelFormat(Protocol):
    """One provider's form of tools, calls, results and histories.

    All methods are pure: nothing is sent, and no provider's library is needed.
    """

    @property
    def name(self) -> str:
        """Such as `openai-chat`."""

    def export_tools(
        self, functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
    ) -> ExportedTools:
        """Functions in the provider's form.

        Args:
            functions: Their tool names differ from each other.
            strict: Whether the provider should hold the model to the schemas: None where it can,
                False nowhere, True as None.
        """

    def request(self, history: History, tools: ExportedTools | None = None) -> Json:
        """The members of a request that hold the history and the tools.

        Args:
            history: Every call has its result right behind its reply.
            tools: Of this format; what the model may call.
        """

    def read_reply(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> ModelReply:
        """A reply out of a response body.

        Raises:
            ReplyError: There is neither text nor a call in it; names what is.
        """

    def reply_reader(self, tools: ExportedTools | None = None) -> ReplyReader:
        """Reads a streamed reply, event by event."""

    def read_history(self, body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
        """The history that a request body holds; nothing of it is lost or mended.

        Raises:
            ReplyError: A member has a form that the provider does not document; names it.
        """

    def check_tools(self, tools: Any) -> list[Violation]:
        """Checks the member `tools` of a request by the provider's documented rules."""

    def check_request(self, body: Mapping[str, Any]) -> list[Violation]:
        """Checks the history of a request, with its tools, by the provider's documented rules."""
