"""One call, from what a caller sends to what it gets back.

Records between the engines, the manager and the functions. Knows nothing of MCP.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from appfunctions_mcp.media import Audio, BlobResource, Image, Media, ResourceLink, TextResource
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from appfunctions_mcp.library_models import AppFunctionUriGrant
    from appfunctions_mcp.media import PendingIntent
    from appfunctions_mcp.prompt_messages import PromptMessage
    from appfunctions_mcp.questions import Question

LogLevel = Literal["debug", "info", "warning", "error"]


class QuestionChannel(Protocol):
    """The way from a running call to its caller's side and back; used on the event loop."""

    def can_ask(self, capability: str, /) -> bool:
        """Whether a question of that kind can be put: the caller takes it, and there is a way."""

    async def ask(self, question: "Question") -> dict[str, Any]:
        """Puts a question and waits for the answer, which has the shape that belongs to it.

        Raises:
            AppFunctionException: There is no answer; says why.
        """

    @property
    def has_asked(self) -> bool:
        """Whether the call ends without an answer of its own, as its questions come first."""


class CallChannel(QuestionChannel, Protocol):
    """The way back to the caller while a call runs.

    Progress and log messages may be sent from any thread.
    """

    def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tells the caller how far the call is; dropped where nobody asked for it."""

    def log(self, level: LogLevel, message: str, fields: Mapping[str, Any]) -> None:
        """Sends a log message to the caller; dropped where nobody asked for it."""


class SilentChannel:
    """A channel that nobody listens to, and nobody answers on."""

    @property
    def has_asked(self) -> bool:
        """No: it asks nothing."""
        return False

    def can_ask(self, _capability: str, /) -> bool:
        """No: nobody answers."""
        return False

    async def ask(self, question: "Question") -> dict[str, Any]:
        """Refuses: nobody answers.

        Raises:
            AppFunctionNotSupportedException: In any case.
        """
        from appfunctions_mcp.exceptions import AppFunctionNotSupportedException

        raise AppFunctionNotSupportedException(f"nobody can be asked for {question.capability}")

    def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Drops the report."""

    def log(self, level: LogLevel, message: str, fields: Mapping[str, Any]) -> None:
        """Drops the message."""


@record(frozen=True, slots=True)
class ExecuteAppFunctionRequest:
    """A request to execute one function (Android: ExecuteAppFunctionRequest)."""

    function: str
    """The function's id or its tool name."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The raw arguments as JSON values, before any check."""
    caller: AppFunctionCaller = LOCAL_CALLER
    request_id: str | int | None = None
    channel: CallChannel = field(default_factory=SilentChannel)
    client_capabilities: Mapping[str, Any] = field(default_factory=dict)
    """What the caller's program says it can do, such as `sampling` or `elicitation`."""
    trace_context: Mapping[str, Any] | None = None
    """What holds the caller's `traceparent`, if it sends one: MCP's `_meta` as it came."""
    activity_id: str | None = None
    """In which activity; what belongs to none is called without."""


@record(frozen=True, slots=True)
class ExecuteAppFunctionResponse:
    """What a function returned, ready for any edge.

    `text` and `structured` are each complete on their own, since clients read one or the other.
    """

    value: Any = None
    """The returned value as JSON, without the `result` wrapper."""
    structured: dict[str, Any] | None = None
    """The object that the output schema describes; None for plain text and for media."""
    text: str | None = None
    """The compact JSON of `structured`, or the returned text itself; None for media."""
    media: tuple[Media | str, ...] = ()
    """Blocks of their own, in order; a text among media is one too."""
    handed_out: "tuple[PendingIntent | AppFunctionUriGrant, ...]" = ()
    """What the value holds that its caller alone may use, from now on."""

    @property
    def size(self) -> int:
        """Bytes of text and media, as they go out: media are base64, four bytes for three."""
        size = 0 if self.text is None else _text_size(self.text)
        return size + sum(map(size_of, self.media)) if self.media else size


@record(frozen=True, slots=True)
class ReadAppResourceRequest:
    """A request to read what stands at one address."""

    uri: str
    caller: AppFunctionCaller = LOCAL_CALLER
    request_id: str | int | None = None
    channel: CallChannel = field(default_factory=SilentChannel)
    client_capabilities: Mapping[str, Any] = field(default_factory=dict)
    trace_context: Mapping[str, Any] | None = None


@record(frozen=True, slots=True)
class GetAppPromptRequest:
    """A request for the messages of one prompt."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The raw arguments, before any check; clients send texts."""
    caller: AppFunctionCaller = LOCAL_CALLER
    request_id: str | int | None = None
    channel: CallChannel = field(default_factory=SilentChannel)
    client_capabilities: Mapping[str, Any] = field(default_factory=dict)
    trace_context: Mapping[str, Any] | None = None


AppRequest = ExecuteAppFunctionRequest | ReadAppResourceRequest | GetAppPromptRequest
"""What a context may be made for."""


@record(frozen=True, slots=True)
class AppPromptResponse:
    """The messages of a prompt, with what it is good for."""

    description: str
    messages: "tuple[PromptMessage, ...]"

    @property
    def size(self) -> int:
        """Bytes of all contents, as they go out."""
        return sum(size_of(message.content) for message in self.messages)


@record(frozen=True, slots=True)
class Completion:
    """Values that complete what somebody types, best first."""

    values: tuple[str, ...] = ()
    """At most 100 of them."""
    total: int | None = None
    """How many there are in all; None where nobody knows."""
    has_more: bool = False


def _text_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def size_of(media: Media | str) -> int:
    """Bytes of one block, as it goes out."""
    match media:
        case str():
            return _text_size(media)
        case Image() | Audio() | BlobResource():
            return (len(media.data) + 2) // 3 * 4
        case TextResource():
            return _text_size(media.text)
        case ResourceLink():
            return len(media.uri.encode())
