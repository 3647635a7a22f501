"""Mends a history so that every provider takes it; the last step before it is sent (F73).

What providers ask for: a reply with calls is followed by exactly one result for each call and
by nothing else, no result stands alone, ids are distinct, a user speaks first, and nobody speaks
twice in a row. All functions are pure; what is mended once stays as it is.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from appfunctions_mcp.assistant.exchanges import place_of
from appfunctions_mcp.assistant.json_values import (
    NotJsonError,
    copied,
    is_object,
    mentions,
    sendable,
)
from appfunctions_mcp.formats.call_writing import NO_REASON
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    Opaque,
    ReplyPart,
    ResultsMessage,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.turns import BEGINNING
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record, replaced

__all__ = ["INTERRUPTED", "Repair", "interrupted_result", "repair_of", "repaired"]

INTERRUPTED = (
    "The call was interrupted before its result was known. It may or may not have taken effect: "
    "look before you call it again."
)
"""What a model reads in place of a result that is missing."""
NOT_AN_OBJECT = "The arguments are no JSON object. Call again with one object as arguments."
"""What a model reads of a call whose arguments nobody can use."""
_UNNAMED = "unnamed_function"

T = TypeVar("T")
_Found = list[FunctionResult | None]
_Turn = tuple[UserMessage | ModelReply, _Found]


@record(frozen=True, slots=True)
class Repair:
    """A mended history, and what was mended."""

    history: History
    notes: tuple[str, ...] = ()
    """One text for each thing mended, for people; empty where all was well."""


def interrupted_result(call: FunctionCall) -> FunctionResult:
    """The result of a call that has none: an error that says so, or what is wrong with the call."""
    return FunctionResult(call.id, call.name, call.fault or INTERRUPTED, is_error=True)


def repaired(history: History, *, format: str = "") -> History:  # noqa: A002 - the word for it
    """A history as every provider takes it; the history that was given stays as it was.

    Args:
        history: In any state: cut anywhere, broken off, from another provider, edited by hand.
        format: The name of the format it is sent in: what only other formats understand is left
            out. Everything is kept where it is left out.

    Returns:
        An equal history where there was nothing to mend.
    """
    return repair_of(history, format=format).history


def repair_of(history: History, *, format: str = "") -> Repair:  # noqa: A002 - as above
    """Mends a history, and says what it did.

    - Results go right behind their calls, in the order of the calls, in one message; a result
      whose call is not before it is dropped, and so is a second one for the same call.
    - A call without a result gets one that says that it was interrupted.
    - Arguments that are no object become empty, and the call says so (F77).
    - Ids that are empty or occur again are replaced; what was kept verbatim of such a call goes
      where it holds the old id.
    - Empty texts, parts, messages and replies go; neighbours of one role become one message.
    - Where a model speaks first, a message of the user before it says that the beginning is
      missing.

    Args:
        history: As `repaired`.
        format: As `repaired`.
    """
    notes: list[str] = []
    turns = [
        (cleaned, found)
        for number, (message, found) in enumerate(_with_results(history.messages, notes))
        if (cleaned := _cleaned(message, format, number, notes)) is not None
    ]
    turns = list(_merged(turns, notes))
    if turns and isinstance(turns[0][0], ModelReply):
        notes.append("a model spoke first; a message of the user was put before it")
        turns.insert(0, (UserMessage((BEGINNING,)), []))
    messages = tuple(_closed(_with_distinct_ids(turns, notes), notes))
    return Repair(History(messages, sendable(history.system)), tuple(notes))


def _with_results(messages: Iterable[Message], notes: list[str]) -> list[_Turn]:
    """The messages without results, each reply with those of its calls."""
    turns: list[_Turn] = []
    asking: dict[str, list[int]] = {}
    for message in messages:
        if isinstance(message, ResultsMessage):
            for result in message.results:
                _hand_over(result, turns, asking.get(result.call_id, []), notes)
            continue
        calls = message.calls if isinstance(message, ModelReply) else ()
        for call_id in {call.id for call in calls}:
            asking.setdefault(call_id, []).append(len(turns))
        turns.append((message, [None] * len(calls)))
    return turns


def _hand_over(
    result: FunctionResult, turns: list[_Turn], asking: list[int], notes: list[str]
) -> None:
    """Gives a result to the latest call of its id: some providers count anew in every reply."""
    name = f"the result of {quoted(result.name)} for call {quoted(result.call_id)}"
    while asking:
        reply, found = turns[asking[-1]]
        calls = reply.calls if isinstance(reply, ModelReply) else ()
        place = place_of(result, calls, found)
        if place is not None:
            found[place] = result
            if asking[-1] < len(turns) - 1:
                notes.append(f"{name} was put behind its call")
            return
        # All calls of this reply with the id have their results.
        asking.pop()
    notes.append(f"{name} has no call before it; it was dropped")


def _cleaned(
    message: UserMessage | ModelReply, format_name: str, number: int, notes: list[str]
) -> UserMessage | ModelReply | None:
    """A message without what nobody can read; None where nothing is left."""
    cleaned: UserMessage | ModelReply
    if isinstance(message, UserMessage):
        said = (_said(part, format_name) for part in message.parts)
        cleaned = UserMessage(tuple(part for part in said if part is not None))
    else:
        replied = (_replied(part, format_name) for part in message.parts)
        parts = tuple(part for part in replied if part is not None)
        cleaned = replaced(message, parts=parts, verbatim=_own(message.verbatim, format_name))
    if cleaned != message:
        who = "the user" if isinstance(message, UserMessage) else "the model"
        what = "was left out" if not cleaned.parts else "was cleaned"
        notes.append(f"turn {number}, of {who}, {what}")
    return cleaned if cleaned.parts else None


def _said(part: UserPart, format_name: str) -> UserPart | None:
    if isinstance(part, str):
        return str(sendable(part)) if part.strip() else None
    return _own(part, format_name) if isinstance(part, Opaque) else part


def _replied(part: ReplyPart, format_name: str) -> ReplyPart | None:
    if isinstance(part, Opaque):
        return _own(part, format_name)
    verbatim = _own(part.verbatim, format_name)
    if isinstance(part, Text):
        if not part.text.strip() and verbatim is None:
            return None
        return Text(sendable(part.text), verbatim)
    arguments: Mapping[str, Any] = part.arguments
    fault = part.fault
    if not is_object(arguments):
        arguments, fault = {}, fault or NOT_AN_OBJECT
    return FunctionCall(
        sendable(part.id),
        sendable(part.name) or _UNNAMED,
        sendable(arguments),
        sendable(fault),
        None if fault or not part.name else verbatim,
    )


def _own(opaque: Opaque | None, format_name: str) -> Opaque | None:
    if opaque is None or (format_name and opaque.format != format_name):
        return None
    try:
        value = sendable(copied(opaque.value))
    except NotJsonError:
        return None
    return opaque if value == opaque.value else Opaque(opaque.format, value)


def _merged(turns: Iterable[_Turn], notes: list[str]) -> Iterator[_Turn]:
    """Neighbours of one role as one message; a reply with calls has results behind it."""
    last: _Turn | None = None
    for turn in turns:
        if last is None:
            last = turn
        elif isinstance(last[0], UserMessage) and isinstance(turn[0], UserMessage):
            notes.append("two messages of the user became one")
            last = (UserMessage(last[0].parts + turn[0].parts), [])
        elif isinstance(last[0], ModelReply) and isinstance(turn[0], ModelReply) and not last[1]:
            notes.append("two replies of the model became one")
            last = (_joined(last[0], turn[0]), turn[1])
        else:
            yield last
            last = turn
    if last is not None:
        yield last


def _joined(first: ModelReply, second: ModelReply) -> ModelReply:
    return ModelReply(
        first.parts + second.parts,
        second.stop,
        first.usage + second.usage,
        second.model or first.model,
        second.verbatim or first.verbatim,
    )


def _with_distinct_ids(turns: Sequence[_Turn], notes: list[str]) -> Iterator[_Turn]:
    replies = [message for message, _ in turns if isinstance(message, ModelReply)]
    taken = {call.id for reply in replies for call in reply.calls}
    seen: dict[str, int] = {}
    for message, found in turns:
        if isinstance(message, UserMessage):
            yield message, found
            continue
        parts: list[ReplyPart] = []
        for part in message.parts:
            if isinstance(part, FunctionCall):
                number = seen.get(part.id, -1) + 1
                seen[part.id] = number
                if number or not part.id:
                    parts.append(_renamed(part, number, taken, notes))
                    continue
            parts.append(part)
        yield replaced(message, parts=tuple(parts)), found


def _renamed(call: FunctionCall, number: int, taken: set[str], notes: list[str]) -> FunctionCall:
    made = _made_id(call.id, number)
    while made in taken:
        made = _made_id(made, number)
    taken.add(made)
    notes.append(f"a call with the id {quoted(call.id)} got the id {made}")
    holds_id = call.verbatim is not None and mentions(call.verbatim.value, call.id)
    return replaced(call, id=made, verbatim=None if holds_id else call.verbatim)


def _made_id(old: str, number: int) -> str:
    seed = f"{old}\0{number}".encode(errors="surrogatepass")
    return f"call_{hashlib.sha256(seed).hexdigest()[:24]}"


def _closed(turns: Iterable[_Turn], notes: list[str]) -> Iterator[Message]:
    """The messages with the results of all calls."""
    for message, found in turns:
        yield message
        if isinstance(message, ModelReply) and found:
            results = zip(message.calls, found, strict=True)
            yield ResultsMessage(tuple(_fitting(call, each, notes) for call, each in results))


def _fitting(call: FunctionCall, result: FunctionResult | None, notes: list[str]) -> FunctionResult:
    if result is None:
        notes.append(f"call {quoted(call.id)} of {quoted(call.name)} had no result; it got one")
        return interrupted_result(call)
    text = sendable(result.text)
    if result.is_error and not text.strip():
        text = NO_REASON
    structured = sendable(result.structured) if is_object({"": result.structured}) else None
    return replaced(result, call_id=call.id, name=call.name, text=text, structured=structured)
