"""What happens while an assistant answers, as records for whoever listens."""

from enum import Enum

from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult, Usage
from appfunctions_mcp.records import record

__all__ = [
    "Answer",
    "AssistantEvent",
    "CallEvent",
    "ResultEvent",
    "StopEvent",
    "StopReason",
    "TextEvent",
]


class StopReason(Enum):
    """Why an assistant stopped."""

    ANSWERED = "answered"
    MAX_ITERATIONS = "max_iterations"
    """The model called functions up to the limit, and then had to answer without (F81)."""
    REPEATED_CALL = "repeated_call"
    """The model made the same call again and again, to the same end (F64)."""
    LENGTH = "length"
    """The answer was cut at the model's limit of output tokens."""
    REFUSED = "refused"
    """The model or a filter of its provider refused."""


@record(frozen=True, slots=True)
class Answer:
    """What an assistant answered, and how it came to it."""

    text: str
    """The text of the last reply; empty where it had none."""
    stop: StopReason
    usage: Usage
    """The tokens of all requests together."""
    rounds: int
    """How often functions were called; calls of one reply are one round."""


@record(frozen=True, slots=True)
class TextEvent:
    """Text of the model: a piece of it while streaming, else that of a whole reply."""

    text: str


@record(frozen=True, slots=True)
class CallEvent:
    """A function is about to be called."""

    call: FunctionCall


@record(frozen=True, slots=True)
class ResultEvent:
    """A call has ended; those of one reply end in any order."""

    call: FunctionCall
    result: FunctionResult


@record(frozen=True, slots=True)
class StopEvent:
    """The assistant has stopped; nothing follows."""

    answer: Answer


AssistantEvent = TextEvent | CallEvent | ResultEvent | StopEvent
