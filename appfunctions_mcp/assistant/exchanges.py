"""Exchanges: what a user said, with everything that a model did about it.

They are the unit in which a conversation is kept and shortened, so that no call is ever parted
from its result (field case F71).
"""

from collections.abc import Iterable, Iterator, Sequence

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    Message,
    ModelReply,
    ResultsMessage,
    UserMessage,
)
from appfunctions_mcp.records import record, replaced

__all__ = ["ConversationError", "Exchange", "Step", "exchanges_of", "messages_of"]


class ConversationError(AppFunctionsError):
    """What came does not fit a conversation; the text says what came and what was awaited."""


@record(frozen=True, slots=True)
class Step:
    """A reply that calls functions, and the results of its calls."""

    reply: ModelReply
    results: tuple[FunctionResult, ...] = ()
    """In the order of the calls; some are missing while calls run."""

    @property
    def open_calls(self) -> tuple[FunctionCall, ...]:
        """The calls that have no result yet, in their order."""
        found = paired(self.reply.calls, self.results)
        return tuple(
            call for call, result in zip(self.reply.calls, found, strict=True) if result is None
        )


@record(frozen=True, slots=True)
class Exchange:
    """What a user said, and what a model did until it answered."""

    user: tuple[UserMessage, ...]
    """One message, or several that had no reply between them."""
    steps: tuple[Step, ...] = ()
    answer: ModelReply | None = None
    """The reply that ended it; None where it has not ended, or broke off."""

    @property
    def open_calls(self) -> tuple[FunctionCall, ...]:
        """The calls of the last step that have no result yet."""
        return self.steps[-1].open_calls if self.steps else ()


def paired(
    calls: Sequence[FunctionCall], results: Iterable[FunctionResult]
) -> list[FunctionResult | None]:
    """Finds the result of each call of one reply; None where there is none.

    Args:
        calls: Their ids may be equal; then the names decide, and then the order.
        results: Those that belong to none of the calls are passed over.
    """
    found: list[FunctionResult | None] = [None] * len(calls)
    for result in results:
        place = place_of(result, calls, found)
        if place is not None:
            found[place] = result
    return found


def place_of(
    result: FunctionResult,
    calls: Sequence[FunctionCall],
    found: Sequence[FunctionResult | None],
) -> int | None:
    """Which of the calls that have no result yet a result belongs to; None where none."""
    places = [
        place
        for place, call in enumerate(calls)
        if call.id == result.call_id and found[place] is None
    ]
    named = [place for place in places if calls[place].name == result.name]
    return next(iter(named or places), None)


def messages_of(exchanges: Iterable[Exchange]) -> Iterator[Message]:
    """The messages of exchanges, in their order."""
    for exchange in exchanges:
        yield from exchange.user
        for step in exchange.steps:
            yield step.reply
            if step.results:
                yield ResultsMessage(step.results)
        if exchange.answer is not None:
            yield exchange.answer


def exchanges_of(messages: Iterable[Message]) -> tuple[Exchange, ...]:
    """Cuts a repaired history into exchanges.

    Args:
        messages: As `repaired` leaves them.
    """
    exchanges: list[Exchange] = []
    for message in messages:
        if isinstance(message, UserMessage):
            exchanges.append(Exchange((message,)))
        elif isinstance(message, ResultsMessage):
            *before, last = exchanges[-1].steps
            steps = (*before, replaced(last, results=message.results))
            exchanges[-1] = replaced(exchanges[-1], steps=steps)
        elif message.calls:
            steps = (*exchanges[-1].steps, Step(message))
            exchanges[-1] = replaced(exchanges[-1], steps=steps)
        else:
            exchanges[-1] = replaced(exchanges[-1], answer=message)
    return tuple(exchanges)
