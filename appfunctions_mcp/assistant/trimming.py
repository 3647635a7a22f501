"""Shortens a conversation by whole exchanges, and counts what is left."""

import json
import math
from collections.abc import Callable
from typing import Any

from appfunctions_mcp.assistant.exchanges import Exchange, Step, messages_of
from appfunctions_mcp.assistant.repairing import repaired
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    Message,
    ModelReply,
    Opaque,
    ReplyPart,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.records import record, replaced

__all__ = ["CountTokens", "Trimmed", "estimated_tokens", "trimmed"]

CountTokens = Callable[[History], int]

_BYTES_PER_TOKEN = 4
_BYTES_PER_TOKEN_OF_JSON = 3
_TOKENS_AROUND_A_PIECE = 8
_TOKENS_OF_AN_IMAGE = 1600
_SOUND_BYTES_PER_TOKEN = 500


@record(frozen=True, slots=True)
class Trimmed:
    """What was dropped from a conversation; false where that is nothing."""

    exchanges: tuple[Exchange, ...] = ()
    """The oldest exchanges, as they were."""
    steps: tuple[Step, ...] = ()
    """The oldest steps of the last exchange, where it alone was too large."""

    def __bool__(self) -> bool:
        return bool(self.exchanges or self.steps)


def estimated_tokens(history: History) -> int:
    """Estimates the tokens of a history from its length; no provider counts like this.

    A token is taken as 4 bytes of UTF-8 in texts and 3 in JSON, with 8 tokens around each piece,
    1,600 for a picture and 1 for 500 bytes of sound. For English that is 10 to 20 percent more
    than providers count, for other languages and code it may be as much less: leave room, or
    count with the provider's own counter.
    """
    pieces = sum(map(_tokens_of_message, history.messages))
    return pieces + (_tokens(history.system) if history.system else 0)


def trimmed(
    exchanges: tuple[Exchange, ...],
    system: str,
    max_tokens: int | None,
    max_exchanges: int | None,
    count_tokens: CountTokens,
) -> tuple[tuple[Exchange, ...], Trimmed]:
    """Drops the oldest exchanges; see `Conversation.trim`.

    Returns:
        The exchanges that stay, and what was dropped.

    Raises:
        ValueError: No limit is given, or one that cannot be kept.
    """
    if max_tokens is None and max_exchanges is None:
        raise ValueError("trim needs a limit; accepted are max_tokens and max_exchanges")
    if max_tokens is not None and max_tokens < 0:
        raise ValueError(f"max_tokens is {max_tokens}; accepted is 0 or more")
    if max_exchanges is not None and max_exchanges < 1:
        raise ValueError(f"max_exchanges is {max_exchanges}; accepted is 1 or more")
    kept = exchanges if max_exchanges is None else exchanges[-max_exchanges:]
    steps: tuple[Step, ...] = ()
    if max_tokens is not None and kept:
        limit = max_tokens

        def fits(*tried: Exchange) -> bool:
            return count_tokens(repaired(History(tuple(messages_of(tried)), system))) <= limit

        kept = kept[_fewest(len(kept) - 1, lambda count: fits(*kept[count:])) :]
        last = kept[-1]
        if len(kept) == 1 and len(last.steps) > 1:
            count = _fewest(
                len(last.steps) - 1, lambda count: fits(replaced(last, steps=last.steps[count:]))
            )
            steps, kept = last.steps[:count], (replaced(last, steps=last.steps[count:]),)
    return kept, Trimmed(exchanges[: len(exchanges) - len(kept)], steps)


def _fewest(most: int, fits: Callable[[int], bool]) -> int:
    """The smallest number that fits, or the largest where none does; few are tried."""
    if fits(0):
        return 0
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _tokens_of_message(message: Message) -> int:
    if isinstance(message, UserMessage):
        return sum(map(_tokens_of_user_part, message.parts))
    if isinstance(message, ModelReply):
        beside = message.verbatim
        parts = sum(map(_tokens_of_reply_part, message.parts))
        return parts + (_tokens_of_opaque(beside) if beside is not None else 0)
    return sum(map(_tokens_of_result, message.results))


def _tokens_of_user_part(part: UserPart) -> int:
    if isinstance(part, str):
        return _tokens(part)
    return _tokens_of_opaque(part) if isinstance(part, Opaque) else _tokens_of_media(part)


def _tokens_of_media(media: Image | Audio) -> int:
    if isinstance(media, Image):
        return _TOKENS_OF_AN_IMAGE
    return math.ceil(len(media.data) / _SOUND_BYTES_PER_TOKEN) + _TOKENS_AROUND_A_PIECE


def _tokens_of_reply_part(part: ReplyPart) -> int:
    if isinstance(part, Opaque):
        return _tokens_of_opaque(part)
    own = _tokens(part.text) if isinstance(part, Text) else _tokens_of_call(part)
    return max(own, _tokens_of_opaque(part.verbatim)) if part.verbatim is not None else own


def _tokens_of_call(call: FunctionCall) -> int:
    return _tokens(call.name) + _tokens_of_json(call.arguments)


def _tokens_of_result(result: FunctionResult) -> int:
    return _tokens(result.name) + _tokens(result.text) + sum(map(_tokens_of_media, result.media))


def _tokens_of_opaque(opaque: Opaque) -> int:
    return _tokens_of_json(opaque.value) + _TOKENS_AROUND_A_PIECE


def _tokens(text: str) -> int:
    return _parts(text, _BYTES_PER_TOKEN) + _TOKENS_AROUND_A_PIECE


def _tokens_of_json(value: Any) -> int:
    return _parts(json.dumps(value, ensure_ascii=False), _BYTES_PER_TOKEN_OF_JSON)


def _parts(text: str, size: int) -> int:
    return math.ceil(len(text.encode(errors="replace")) / size)
