"""What a function may ask of the call that it serves.

A parameter annotated `AppFunctionContext` gets one; it never shows in a schema.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionInvalidArgumentException,
    AppFunctionNotSupportedException,
)
from appfunctions_mcp.metadata import (
    LOCAL_CALLER,
    AppFunctionCaller,
    ResourcesChanged,
    ResourceUpdated,
)
from appfunctions_mcp.requests import CallChannel, LogLevel, SilentChannel

if TYPE_CHECKING:
    from appfunctions_mcp.questions import Question, Root, Sample, SampleInput

T = TypeVar("T")

QUESTION_SECONDS = 300.0
"""How long a user may take for one question."""
MAX_TIMES_ASKED = 3
"""How often a form is put to a user whose answers do not fit it."""


class MissingClientCapabilityException(AppFunctionNotSupportedException):
    """The call needs something of the client that it has not declared.

    Where the protocol has an error of its own for that (MCP 2026-07-28), the engine sends it;
    else the agent reads an AppFunctionNotSupportedException.

    Args:
        capability: MCP's name of it, such as `sampling`.
        is_declared: Whether the client has declared it, and only the connection is no way to it.
    """

    def __init__(self, capability: str, *, is_declared: bool = False) -> None:
        where = (
            "a connection over which the client can be asked for"
            if is_declared
            else ("a client that supports")
        )
        super().__init__(
            f"this needs {where} {capability}",
            recovery="Tell the user that this client cannot do it.",
        )
        self.capability = capability


class Pausable(Protocol):
    """The deadline of a call, which stands still while a user is asked."""

    def pause(self) -> None:
        """Stops the clock."""

    def resume(self) -> None:
        """Lets the clock go on."""


class AppFunctionContext:
    """One call as its function sees it: who calls, with which settings, and the way back.

    `report_progress`, `log`, `cancelled` and `raise_if_cancelled` are plain and may be used in
    any thread.

    Args:
        caller: Who calls.
        request_id: The id of the request, None outside a server.
        settings: The app's settings by name, as the user gave them.
        lifespan: What the app's lifespan yielded.
        channel: The way back to the caller.
        client_capabilities: What the caller's program has declared.
        confirm: How a user confirms where the client cannot ask.
        announce: Tells who listens of a change of resources.
    """

    def __init__(
        self,
        *,
        caller: AppFunctionCaller | None = None,
        request_id: str | int | None = None,
        settings: Mapping[str, Any] | None = None,
        lifespan: Any = None,
        channel: CallChannel | None = None,
        client_capabilities: Mapping[str, Any] | None = None,
        confirm: Callable[[str], Awaitable[bool]] | None = None,
        announce: Callable[[ResourceUpdated | ResourcesChanged], None] | None = None,
    ) -> None:
        self.caller = caller or LOCAL_CALLER
        self.request_id = request_id
        self.settings: Mapping[str, Any] = settings or {}
        self.lifespan = lifespan
        self.client_capabilities: Mapping[str, Any] = client_capabilities or {}
        self._channel = channel or SilentChannel()
        self._confirm = confirm
        self._announce = announce
        self._has_ended = False
        self._deadline: Pausable | None = None
        self._open_questions = 0
        self._asking: set[asyncio.Task[Any]] | None = None
        """The tasks that wait for an answer, once there were any."""
        self._waits: set[concurrent.futures.Future[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread = 0

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tells the caller how far the call is; nothing is sent after the call ended.

        Args:
            progress: How much is done; rises from report to report.
            total: How much there is to do, if known, in the same unit.
            message: What is being done, for people.
        """
        if not self._has_ended:
            self._channel.report_progress(progress, total, message)

    def log(self, message: str, *, level: LogLevel = "info", **fields: Any) -> None:
        """Sends a log message to a caller that listens; nothing is sent after the call ended."""
        if not self._has_ended:
            self._channel.log(level, message, fields)

    def resource_updated(self, uri: str) -> None:
        """Tells clients that listen to a resource that what stands there has changed."""
        if self._announce is not None:
            self._announce(ResourceUpdated(uri))

    def resources_changed(self, *uris: str) -> None:
        """Tells clients that the list of resources is another: these came or went."""
        if self._announce is not None:
            self._announce(ResourcesChanged(frozenset(uris)))

    async def confirm(self, message: str, *, key: str | None = None) -> bool:
        """Asks the user to agree before the function goes on.

        Where the client cannot ask, the call ends here with a token for the agent, and the same
        call with it goes on once the user has agreed: ask before anything is changed.

        Args:
            message: What the user agrees to, whole: which thing, and what happens to it.
            key: A name for the question, where clients shall see one.

        Returns:
            Whether the user agrees; declining and dismissing are both no.
        """
        from appfunctions_mcp.questions import CONFIRMATION_FORM, UserQuestion

        in_two_calls = self._confirm
        if in_two_calls is None or self._channel.can_ask("elicitation"):
            try:
                answer = await self._answer_to(UserQuestion(message, CONFIRMATION_FORM, key))
            except MissingClientCapabilityException:
                # A client may declare what it refuses in the end.
                if in_two_calls is None:
                    raise
            else:
                return bool(answer["action"] == "accept")
        return await in_two_calls(message)

    @overload
    async def ask(self, message: str, form: type[T], *, key: str | None = None) -> T | None: ...

    @overload
    async def ask(
        self, message: str, form: Mapping[str, Any], *, key: str | None = None
    ) -> dict[str, Any] | None: ...

    async def ask(
        self, message: str, form: type[T] | Mapping[str, Any], *, key: str | None = None
    ) -> T | dict[str, Any] | None:
        """Asks the user to fill in a form. Never ask for passwords: the client sees them.

        Args:
            message: What is asked, and what for.
            form: A pydantic model, a dataclass or a TypedDict of flat fields, or the JSON
                Schema of an object with such properties.
            key: A name for the question, where clients shall see one.

        Returns:
            The filled in form, checked; None where the user declined or dismissed it.

        Raises:
            MissingClientCapabilityException: The client cannot ask.
            AppFunctionInvalidArgumentException: What the client sent three times is no answer.
            TypeError: A form cannot have such a field; names it.
        """
        from appfunctions_mcp.questions import UserQuestion
        from appfunctions_mcp.schema.forms import form_of

        prepared = form_of(form)
        said, faults = message, ""
        for _ in range(MAX_TIMES_ASKED):
            answer = await self._answer_to(UserQuestion(said, prepared.schema, key))
            if answer["action"] != "accept":
                return None
            try:
                filled: T | dict[str, Any] = prepared.read(answer.get("content") or {})
            except AppFunctionInvalidArgumentException as fault:
                faults = fault.message
            else:
                return filled
            said = f"{message}\n\nThe answer did not fit: {faults}"
        raise AppFunctionInvalidArgumentException(f"the user's answers do not fit: {faults}")

    async def sample(
        self,
        messages: "SampleInput | Iterable[SampleInput]",
        *,
        max_tokens: int = 1000,
        system: str | None = None,
        temperature: float | None = None,
        stop_sequences: Iterable[str] = (),
        hints: Iterable[str] = (),
        key: str | None = None,
    ) -> "Sample":
        """Lets the model of the caller's program write something.

        Args:
            messages: What it answers: a text, Image or Audio of the user's, or UserMessages
                and AssistantMessages, one or several.
            max_tokens: How much it may write at most.
            system: What it is told before.
            temperature: How free it is, from 0 on.
            stop_sequences: Where it stops.
            hints: Names of models, or parts of names, the best one first.
            key: A name for the question, where clients shall see one.

        Returns:
            What it wrote, by which model.

        Raises:
            MissingClientCapabilityException: The client lends no model.
            AppFunctionDeniedException: The client, or its user, refused.
        """
        from appfunctions_mcp.questions import SampleRequest, read_sample, sample_messages

        request = SampleRequest(
            sample_messages(messages),
            max_tokens,
            system,
            temperature,
            tuple(stop_sequences),
            tuple(hints),
            key,
        )
        return read_sample(await self._answer_to(request))

    async def roots(self, *, key: str | None = None) -> "list[Root]":
        """Asks for the folders and files that the caller's program works on.

        Raises:
            MissingClientCapabilityException: The client tells of none.
        """
        from appfunctions_mcp.questions import RootsRequest, read_roots

        return read_roots(await self._answer_to(RootsRequest(key)))

    def can_ask(self, capability: str) -> bool:
        """Whether such a question reaches somebody.

        Args:
            capability: MCP's name of what it needs: `elicitation` for `confirm` and `ask`,
                `sampling`, or `roots`.
        """
        return self._channel.can_ask(capability)

    def require_client_capability(self, name: str) -> None:
        """Ends a call that needs something of the client which it has not declared.

        Args:
            name: MCP's name of the capability: `sampling`, `elicitation` or `roots`.

        Raises:
            MissingClientCapabilityException: The client has not declared it.
        """
        if name not in self.client_capabilities:
            raise MissingClientCapabilityException(name)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more: cancelled, or past the deadline."""
        return self._has_ended

    def raise_if_cancelled(self) -> None:
        """Ends a plain function whose answer nobody waits for any more.

        Raises:
            AppFunctionCancelledException: The call was cancelled or is past its deadline.
        """
        if self._has_ended:
            raise AppFunctionCancelledException("the call was cancelled")

    def wait(self, awaitable: Awaitable[T]) -> T:
        """Waits, in a plain `def`, for something that only the event loop can do.

        Args:
            awaitable: What to wait for.

        Returns:
            Its result.

        Raises:
            RuntimeError: Called on the event loop's own thread, where `await` is the way.
        """
        if self._loop is None or self._loop.is_closed():
            raise RuntimeError("context.wait works while a call runs on an event loop")
        if threading.get_ident() == self._loop_thread:
            raise RuntimeError("context.wait would block the event loop; use await here")

        async def settle() -> T:
            return await awaitable

        waits = asyncio.run_coroutine_threadsafe(settle(), self._loop)
        self._waits.add(waits)
        if self._has_ended:
            waits.cancel()
        try:
            return waits.result()
        except concurrent.futures.CancelledError:
            # On a loop, too, this passes every `except Exception` of a body that is to end.
            raise asyncio.CancelledError from None
        finally:
            self._waits.discard(waits)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Binds the context to the loop that `wait` uses; the manager calls it."""
        self._loop = loop
        self._loop_thread = threading.get_ident()

    def limit_by(self, deadline: Pausable) -> None:
        """Names the deadline that stands still while a user is asked; the manager calls it."""
        self._deadline = deadline
        if self._open_questions:
            deadline.pause()

    def end(self) -> None:
        """Marks the call as over: nothing is sent after its answer; the manager calls it.

        A thread that still waits for something on the loop waits no longer, nor does a task of
        the body's own that has asked something.
        """
        self._has_ended = True
        for waits in tuple(self._waits):
            waits.cancel()
        for task in tuple(self._asking or ()):
            task.cancel()

    async def _answer_to(self, question: "Question") -> dict[str, Any]:
        """Puts a question; the time that the answer takes is the user's, not the call's."""
        self.raise_if_cancelled()
        capability = question.capability
        if not self._channel.can_ask(capability):
            declared = self.client_capabilities.get(capability) is not None
            raise MissingClientCapabilityException(capability, is_declared=declared)
        self._open_questions += 1
        if self._open_questions == 1 and self._deadline is not None:
            self._deadline.pause()
        task = asyncio.current_task()
        asking = self._asking = self._asking or set()
        if task is not None:
            asking.add(task)
        try:
            return await answer_within(QUESTION_SECONDS, self._channel, question)
        finally:
            asking.discard(task)
            self._open_questions -= 1
            if not self._open_questions and self._deadline is not None:
                self._deadline.resume()


async def answer_within(
    seconds: float, channel: CallChannel, question: "Question"
) -> dict[str, Any]:
    """Puts a question and waits so long for the answer.

    Raises:
        AppFunctionCancelledException: Nobody has answered in that time.
        AppFunctionException: As the channel's `ask`.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            return await channel.ask(question)
    except TimeoutError:
        if not limit.expired():
            raise
        raise AppFunctionCancelledException(f"nobody has answered within {seconds:g} s") from None
