"""One call, from what a caller sends to what it gets back.

Records between the engines, the manager and the functions. Knows nothing of MCP.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, Protocol

from appfunctions_mcp.media import Audio, BlobResource, Image, Media, ResourceLink, TextResource
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller
from appfunctions_mcp.records import record

LogLevel = Literal["debug", "info", "warning", "error"]


class CallChannel(Protocol):
    """The way back to the caller while a call runs; both methods may be called in any thread."""

    def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tells the caller how far the call is; dropped where nobody asked for it."""

    def log(self, level: LogLevel, message: str, fields: Mapping[str, Any]) -> None:
        """Sends a log message to the caller; dropped where nobody asked for it."""


class SilentChannel:
    """A channel that nobody listens to."""

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

    @property
    def size(self) -> int:
        """Bytes of text and media, as they go out: media are base64, four bytes for three."""
        size = 0 if self.text is None else _text_size(self.text)
        return size + sum(map(_size_of, self.media)) if self.media else size


def _text_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _size_of(media: Media | str) -> int:
    match media:
        case str():
            return _text_size(media)
        case Image() | Audio() | BlobResource():
            return (len(media.data) + 2) // 3 * 4
        case TextResource():
            return _text_size(media.text)
        case ResourceLink():
            return len(media.uri.encode())
