"""The messages of a history as one format sends them: without what only others understand.

What a format does not understand goes as a whole; what is empty then goes too, and replies that
follow each other become one. Knows no provider.
"""

from collections.abc import Callable, Iterable, Iterator

from appfunctions_mcp.formats.messages import (
    FunctionCall,
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
from appfunctions_mcp.records import replaced

__all__ = ["BEGINNING", "sent_turns"]

BEGINNING = "(What was said before is not part of this conversation.)"
"""What the user says where a history begins with the model."""


def sent_turns(
    history: History,
    format_name: str,
    is_sent: Callable[[str], bool] = bool,
    *,
    joins_users: bool = True,
) -> list[Message]:
    """The messages that are sent, in their order; the user speaks first.

    Args:
        history: Every call has its result right behind its reply.
        format_name: What is of another format is left out.
        is_sent: Whether a provider takes a text.
        joins_users: Whether messages of the user that follow each other become one, too.
    """
    kept = (_kept(message, format_name, is_sent) for message in history.messages)
    turns = list(_merged((each for each in kept if each is not None), joins_users=joins_users))
    if turns and not isinstance(turns[0], UserMessage):
        turns.insert(0, UserMessage((BEGINNING,)))
    return turns


def _kept(
    message: Message, format_name: str, is_sent: Callable[[str], bool]
) -> UserMessage | ModelReply | ResultsMessage | None:
    if isinstance(message, ResultsMessage):
        return message if message.results else None
    if isinstance(message, UserMessage):
        said = tuple(part for part in message.parts if _is_said(part, format_name, is_sent))
        return UserMessage(said) if said else None
    replied = (_replied(part, format_name, is_sent) for part in message.parts)
    parts = tuple(part for part in replied if part is not None)
    if not parts:
        return None
    return replaced(message, parts=parts, verbatim=_own(message.verbatim, format_name))


def _is_said(part: UserPart, format_name: str, is_sent: Callable[[str], bool]) -> bool:
    if isinstance(part, str):
        return is_sent(part)
    return not isinstance(part, Opaque) or part.format == format_name


def _replied(part: ReplyPart, format_name: str, is_sent: Callable[[str], bool]) -> ReplyPart | None:
    if isinstance(part, Opaque):
        return _own(part, format_name)
    verbatim = _own(part.verbatim, format_name)
    if isinstance(part, FunctionCall):
        return replaced(part, verbatim=verbatim)
    return Text(part.text, verbatim) if verbatim is not None or is_sent(part.text) else None


def _own(opaque: Opaque | None, format_name: str) -> Opaque | None:
    return opaque if opaque is not None and opaque.format == format_name else None


def _merged(messages: Iterable[Message], *, joins_users: bool) -> Iterator[Message]:
    last: Message | None = None
    for message in messages:
        if joins_users and isinstance(last, UserMessage) and isinstance(message, UserMessage):
            last = UserMessage(last.parts + message.parts)
        elif isinstance(last, ModelReply) and isinstance(message, ModelReply) and not last.calls:
            verbatim = message.verbatim or last.verbatim
            last = replaced(message, parts=last.parts + message.parts, verbatim=verbatim)
        else:
            if last is not None:
                yield last
            last = message
    if last is not None:
        yield last
