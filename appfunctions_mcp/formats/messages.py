"""A conversation with a model in neutral records: what was said, asked for and answered.

Formats read providers' bodies into these records and write bodies from them. Functions have
their own names here, and arguments are as the functions take them. Knows no provider.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.records import record

__all__ = [
    "FunctionCall",
    "FunctionResult",
    "History",
    "Message",
    "ModelReply",
    "Opaque",
    "ReplyPart",
    "ReplyStop",
    "ResultsMessage",
    "Text",
    "Usage",
    "UserMessage",
    "UserPart",
]


@record(frozen=True, slots=True)
class Opaque:
    """What one provider alone understands, such as a signed thought: kept as it came.

    It goes back to its own format unchanged, and to no other (field case F80).
    """

    format: str
    """The name of the format in which it came."""
    value: Any
    """The JSON value, with names and arguments as the provider wrote them."""


@record(frozen=True, slots=True)
class Text:
    """A piece of text in a reply."""

    text: str
    verbatim: Opaque | None = None
    """The whole piece as it came, where that says more than the text."""


@record(frozen=True, slots=True)
class FunctionCall:
    """A call that a model asks for."""

    id: str
    """Pairs the call with its result; made up where the provider gave none."""
    name: str
    """The function's tool name, or what the model said where no function is exported so."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """As the function takes them; empty where they could not be read."""
    fault: str = ""
    """Why the arguments could not be read, for the model; empty where they could."""
    verbatim: Opaque | None = None
    """The whole call as it came; None where its arguments could not be read (F78)."""


ReplyPart = Text | FunctionCall | Opaque


class ReplyStop(Enum):
    """Why a model ended a reply."""

    END = "end"
    CALLS = "calls"
    LENGTH = "length"
    """The limit of output tokens was reached."""
    REFUSED = "refused"
    """The model or a filter of its provider refused."""
    OTHER = "other"


@record(frozen=True, slots=True)
class Usage:
    """The tokens that were counted; 0 where a provider says nothing."""

    input_tokens: int = 0
    """With those that were read from a cache."""
    output_tokens: int = 0
    """With those of thoughts."""
    cached_tokens: int = 0
    """How many of the input came from the provider's cache."""

    def __add__(self, other: "Usage") -> "Usage":
        """The tokens of both."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@record(frozen=True, slots=True)
class ModelReply:
    """One turn of a model."""

    parts: tuple[ReplyPart, ...]
    """In the order in which they came."""
    stop: ReplyStop = ReplyStop.END
    usage: Usage = Usage()
    model: str = ""
    """The model that answered, as the provider names it."""
    verbatim: Opaque | None = None
    """What stands beside the parts and has to go back with them."""

    @property
    def text(self) -> str:
        """All text of the reply."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The calls, in their order."""
        return tuple(part for part in self.parts if isinstance(part, FunctionCall))


@record(frozen=True, slots=True)
class FunctionResult:
    """What one call gave: exactly one for each call."""

    call_id: str
    name: str
    """The name of the call."""
    text: str
    """What the model reads; never empty where `is_error`."""
    is_error: bool = False
    structured: Any = None
    """The result as a JSON value, where there is one."""
    media: tuple[Image | Audio, ...] = ()
    """Pictures and sound, for formats that take them; `text` tells of them otherwise."""


@record(frozen=True, slots=True)
class ResultsMessage:
    """The results of all calls of the reply before it, in the order of the calls."""

    results: tuple[FunctionResult, ...]


UserPart = str | Image | Audio | Opaque


@record(frozen=True, slots=True)
class UserMessage:
    """What the user says."""

    parts: tuple[UserPart, ...]

    @property
    def text(self) -> str:
        """All text of the message."""
        return "".join(part for part in self.parts if isinstance(part, str))


Message = UserMessage | ModelReply | ResultsMessage


@record(frozen=True, slots=True)
class History:
    """What a model is sent of a conversation."""

    messages: tuple[Message, ...]
    system: str = ""
    """What holds for the whole conversation, said by the program and not by the user."""
