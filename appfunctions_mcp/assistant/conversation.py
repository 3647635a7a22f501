"""A conversation with a model, kept so that any provider can go on with it.

Knows no provider: what is sent is made by a format out of `history`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, overload

from appfunctions_mcp.assistant.exchanges import (
    ConversationError,
    Exchange,
    Step,
    exchanges_of,
    messages_of,
    paired,
    place_of,
)
from appfunctions_mcp.assistant.json_values import NotJsonError, copied, is_object
from appfunctions_mcp.assistant.repairing import NOT_AN_OBJECT, repair_of, repaired
from appfunctions_mcp.assistant.trimming import CountTokens, Trimmed, estimated_tokens, trimmed
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    ReplyPart,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.model_format import ModelFormat
from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import replaced

__all__ = ["Conversation", "ConversationError", "Exchange", "Step"]


class Conversation:
    """What a user, a model and its functions have said, in exchanges.

    An exchange is what the user said, each reply with calls together with the results of all of
    them, and the reply that ends it. `add_user`, `add_reply` and `add_results` change the
    conversation completely or not at all.

    Example:
        >>> conversation = Conversation("Be short.")
        >>> conversation.add_user("What is in my notes?")
        >>> conversation.add_reply(ModelReply((FunctionCall("call_1", "list_notes"),)))
        >>> [call.name for call in conversation.open_calls]
        ['list_notes']
        >>> conversation.add_results([FunctionResult("call_1", "list_notes", "[]")])
        >>> conversation.add_reply(ModelReply((Text("Nothing yet."),)))
        >>> len(conversation.exchanges)
        1

    Args:
        system: What holds for the whole conversation, said by the program and not by the user.
    """

    def __init__(self, system: str = "") -> None:
        self.system = system
        """What holds for the whole conversation; never trimmed."""
        self.exchanges: tuple[Exchange, ...] = ()
        """Everything said so far, the oldest first; may be set to an earlier state."""

    @classmethod
    def from_history(cls, history: History) -> Self:
        """A conversation out of a history in any state; what is broken in it is repaired."""
        whole = repaired(history)
        conversation = cls(whole.system)
        conversation.exchanges = exchanges_of(whole.messages)
        return conversation

    @classmethod
    def from_request(
        cls,
        format: ModelFormat,  # noqa: A002 - the word for it
        body: Mapping[str, Any],
        tools: ExportedTools | None = None,
    ) -> Self:
        """A conversation out of the body of a request; what is broken in it is repaired.

        Args:
            format: The body's.
            body: Of a request to a provider.
            tools: Of the same format; with them, calls get the functions' own names and arguments.

        Raises:
            ReplyError: A member has a form that the provider does not document; names it.
        """
        return cls.from_history(format.read_history(body, tools))

    @property
    def open_calls(self) -> tuple[FunctionCall, ...]:
        """The calls whose results are awaited, in their order."""
        return self.exchanges[-1].open_calls if self.exchanges else ()

    def add_user(self, *parts: UserPart) -> None:
        """Adds what the user says.

        Args:
            parts: Texts, pictures, sound.

        Raises:
            ConversationError: Results are awaited, or nothing is said.
        """
        self._require_no_open_calls("a message of the user")
        kept = tuple(map(_kept_user_part, parts))
        if all(isinstance(part, str) and not part.strip() for part in kept):
            raise ConversationError(
                "a message of the user came with nothing in it; text, a picture or sound was "
                "awaited"
            )
        message = UserMessage(kept)
        last = self.exchanges[-1] if self.exchanges else None
        if last is None or last.steps or last.answer is not None:
            self.exchanges += (Exchange((message,)),)
        else:
            self._replace_last(replaced(last, user=(*last.user, message)))

    def add_reply(self, reply: ModelReply) -> None:
        """Adds what the model replied.

        Calls whose arguments are no JSON object are kept with none, and with a `fault` that says
        so; their results are awaited like all others (F77, F78).

        Args:
            reply: With or without calls.

        Raises:
            ConversationError: Results or a message of the user are awaited, or something in the
                reply is no JSON value.
        """
        self._require_no_open_calls("a reply of the model")
        last = self.exchanges[-1] if self.exchanges else None
        if last is None or last.answer is not None:
            raise ConversationError(
                "a reply of the model came, and a message of the user was awaited"
            )
        kept = replaced(
            reply,
            parts=tuple(map(_kept_reply_part, reply.parts)),
            verbatim=_kept_opaque(reply.verbatim),
        )
        if kept.calls:
            self._replace_last(replaced(last, steps=(*last.steps, Step(kept))))
        else:
            self._replace_last(replaced(last, answer=kept))

    def add_results(self, results: Sequence[FunctionResult]) -> None:
        """Adds results of the calls of the last reply.

        All at once, or as they come: a reply is accepted when every call has one.

        Args:
            results: In any order.

        Raises:
            ConversationError: One is of no call that awaits a result, or is no JSON value.
        """
        last = self.exchanges[-1] if self.exchanges else Exchange(())
        step = last.steps[-1] if last.open_calls else Step(ModelReply(()))
        calls, found = step.reply.calls, paired(step.reply.calls, step.results)
        for result in results:
            place = place_of(result, calls, found)
            if place is None:
                raise ConversationError(
                    f"a result of {quoted(result.name)} for call {quoted(result.call_id)} came, "
                    f"and {self._awaited()} was awaited"
                )
            found[place] = _kept_result(result)
        if results:
            whole = tuple(each for each in found if each is not None)
            steps = (*last.steps[:-1], replaced(step, results=whole))
            self._replace_last(replaced(last, steps=steps))

    def history(self, format: str = "") -> History:  # noqa: A002 - the word for it
        """What a model is sent: a repaired copy; the conversation stays as it is.

        Args:
            format: The name of the format it is sent in; what only other formats understand is
                left out then.
        """
        return repaired(History(tuple(messages_of(self.exchanges)), self.system), format=format)

    def render(self, format: ModelFormat, tools: ExportedTools | None = None) -> dict[str, Any]:  # noqa: A002 - as above
        """The members of a request that hold the conversation and the tools.

        Args:
            format: Of the provider.
            tools: Of the same format; what the model may call.

        Raises:
            ValueError: The tools were exported for another format.
        """
        if tools is not None and tools.format != format.name:
            raise ValueError(
                f"the tools are exported for {tools.format}, and the request is for {format.name}; "
                "export them with the same format"
            )
        return format.request(self.history(format.name), tools)

    def repair(self) -> tuple[str, ...]:
        """Mends the conversation itself, as after a crash: calls without results get one.

        Nothing is left to do a second time. What is sent is repaired in any case.

        Returns:
            One text for each thing mended, for people.
        """
        repair = repair_of(History(tuple(messages_of(self.exchanges)), self.system))
        if repair.notes:
            self.system = repair.history.system
            self.exchanges = exchanges_of(repair.history.messages)
        return repair.notes

    def trim(
        self,
        *,
        max_tokens: int | None = None,
        max_exchanges: int | None = None,
        count_tokens: CountTokens = estimated_tokens,
    ) -> Trimmed:
        """Drops the oldest exchanges, whole, until the rest keeps the limits.

        The system text and the last exchange always stay. Where that exchange alone is above
        `max_tokens`, its oldest steps go, each reply with all its results; what the user said,
        the last step and the answer stay, even above the limit.

        Args:
            max_tokens: What a request may have, by the count; tools and the reply come on top.
            max_exchanges: How many exchanges may be kept; 1 or more.
            count_tokens: Counts a history as it would be sent; a larger history never has less.

        Returns:
            What was dropped; nothing where the limits were kept.

        Raises:
            ValueError: No limit is given, or one that cannot be kept.
        """
        self.exchanges, dropped = trimmed(
            self.exchanges, self.system, max_tokens, max_exchanges, count_tokens
        )
        return dropped

    def to_json(self) -> dict[str, Any]:
        """The whole conversation as a JSON object with a `version`; nothing is left out."""
        from appfunctions_mcp.assistant.conversation_json import conversation_to_json

        return conversation_to_json(self.system, self.exchanges)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """A conversation equal to the one whose `to_json` gave the value.

        Raises:
            ConversationError: A newer version wrote it, or a member is unknown, missing or of
                another kind; names the place.
        """
        from appfunctions_mcp.assistant.conversation_json import conversation_from_json

        system, exchanges = conversation_from_json(value)
        conversation = cls(system)
        conversation.exchanges = exchanges
        return conversation

    def save(self, path: str | Path) -> None:
        """Writes the conversation to a file that only its owner can read.

        The file is replaced in one step: whatever happens meanwhile, it holds this conversation
        or the one before. An empty `.lock` file stays beside it, so that two programs that save
        to one place wait for each other.

        Args:
            path: The file; it and its folder are made where they are missing.

        Raises:
            ConversationError: There is a file that holds no conversation, or a newer version's;
                it stays as it is.
            OSError: The place cannot be written to; an old file stays as it is.
        """
        from appfunctions_mcp.assistant.conversation_json import save_conversation

        save_conversation(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads a conversation from a file; the file is never changed.

        Raises:
            ConversationError: The file holds no conversation, or a newer version's; names the
                file, the place in it and what is there.
            FileNotFoundError: There is no such file.
        """
        from appfunctions_mcp.assistant.conversation_json import load_conversation

        value = load_conversation(Path(path))
        try:
            return cls.from_json(value)
        except ConversationError as exc:
            raise ConversationError(f"{path}: {exc}") from exc

    def _replace_last(self, exchange: Exchange) -> None:
        self.exchanges = (*self.exchanges[:-1], exchange)

    def _require_no_open_calls(self, what: str) -> None:
        if self.open_calls:
            raise ConversationError(
                f"{what} came, and {self._awaited()} was awaited; add the results, or close the "
                "calls with repair()"
            )

    def _awaited(self) -> str:
        """What may come next, in words."""
        if not self.open_calls:
            has_question = self.exchanges and self.exchanges[-1].answer is None
            reply = "a reply of the model or " if has_question else ""
            return f"{reply}a message of the user"
        calls = (f"{quoted(call.id)} of {quoted(call.name)}" for call in self.open_calls)
        return f"the result of call {' and of call '.join(calls)}"


def _kept_user_part(part: UserPart) -> UserPart:
    given: object = part
    if isinstance(part, Opaque):
        return _kept_opaque(part)
    if not isinstance(given, (str, Image, Audio)):
        raise ConversationError(
            f"a message of the user came with {type(given).__name__}; text, Image and Audio are "
            "awaited"
        )
    return part


def _kept_reply_part(part: ReplyPart) -> ReplyPart:
    if isinstance(part, Opaque):
        return _kept_opaque(part)
    if isinstance(part, Text):
        return replaced(part, verbatim=_kept_opaque(part.verbatim))
    if is_object(part.arguments) and not part.fault:
        arguments = copied(part.arguments)
        return replaced(part, arguments=arguments, verbatim=_kept_opaque(part.verbatim))
    arguments = copied(part.arguments) if is_object(part.arguments) else {}
    return replaced(part, arguments=arguments, fault=part.fault or NOT_AN_OBJECT, verbatim=None)


def _kept_result(result: FunctionResult) -> FunctionResult:
    what = f"the result of {quoted(result.name)} for call {quoted(result.call_id)}"
    return replaced(result, structured=_kept_value(result.structured, what))


@overload
def _kept_opaque(opaque: Opaque) -> Opaque: ...
@overload
def _kept_opaque(opaque: Opaque | None) -> Opaque | None: ...
def _kept_opaque(opaque: Opaque | None) -> Opaque | None:
    if opaque is None:
        return None
    return Opaque(opaque.format, _kept_value(opaque.value, f"what {opaque.format} sent"))


def _kept_value(value: Any, what: str) -> Any:
    try:
        return copied(value)
    except NotJsonError as exc:
        raise ConversationError(f"{what} came with {exc}; JSON values are awaited") from exc
