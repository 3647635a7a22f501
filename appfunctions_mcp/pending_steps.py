"""The steps of PendingIntents with an action: taken once, within a time, by one caller.

Whoever can be asked is asked first; elsewhere the reading of the link is the user's doing.
"""

import time
import types
from collections.abc import Callable
from typing import Any, Literal

from appfunctions_mcp.context import (
    QUESTION_SECONDS,
    MissingClientCapabilityException,
    answer_within,
)
from appfunctions_mcp.deadlines import deadline
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionDeniedException,
    AppFunctionElementNotFoundException,
)
from appfunctions_mcp.function_metadata import FunctionNames
from appfunctions_mcp.functions import AppFunction, read_function
from appfunctions_mcp.media import PendingIntent, TextResource, time_in_words
from appfunctions_mcp.offered_functions import offered_function
from appfunctions_mcp.reading import STEP_NAME
from appfunctions_mcp.requests import ReadAppResourceRequest
from appfunctions_mcp.resource_contents import Contents, ContentWriter, content_writer
from appfunctions_mcp.resource_declaration import AppResourceDeclaration
from appfunctions_mcp.schema.annotations import EMPTY
from appfunctions_mcp.schema.responses import returned_type
from appfunctions_mcp.schema.result_faults import function_at_fault
from appfunctions_mcp.telemetry import warn

Clock = Callable[[], float]


class PendingStep:
    """One step that was handed out to one caller.

    Args:
        intent: What the function returned; has an action.
        tool_name: The function, which can be called again for a new one.
        clock: The time in seconds, from whenever.

    Raises:
        AppFunctionAppUnknownException: The action is none that can be called and read.
    """

    def __init__(
        self, intent: PendingIntent, tool_name: str, clock: Clock = time.monotonic
    ) -> None:
        self._intent = intent
        self._tool_name = tool_name
        self._clock = clock
        self._lifetime = intent.expires_in or 0.0
        self._ends_at = clock() + self._lifetime
        self._end: Literal["", "taken", "declined"] = ""
        self._function, self._writer = _compiled(intent)

    @property
    def is_over(self) -> bool:
        """Whether nobody can take the step any more."""
        return bool(self._end) or self._clock() >= self._ends_at

    async def agree(self, request: ReadAppResourceRequest) -> None:
        """Asks the user, where the caller's program can.

        Raises:
            AppFunctionElementNotFoundException: The step was taken or declined, or has expired.
            AppFunctionDeniedException: The user declines now.
        """
        self._require_open()
        if not request.channel.can_ask("elicitation"):
            return
        from appfunctions_mcp.questions import CONFIRMATION_FORM, UserQuestion

        question = UserQuestion(self._intent.instructions, CONFIRMATION_FORM)
        try:
            # The question has its own limit; this one is there for a server that ends before it.
            with deadline(2 * QUESTION_SECONDS):
                answer = await answer_within(QUESTION_SECONDS, request.channel, question)
        except MissingClientCapabilityException:
            return  # a client may declare what it refuses in the end
        self._require_open()
        if answer["action"] == "accept":
            return
        if answer["action"] == "decline":
            self._end = "declined"
            raise _denied("the user declined")
        raise _denied("the user dismissed the question")

    def claim(self) -> AppFunction:
        """Uses the step up.

        Returns:
            What takes it.

        Raises:
            AppFunctionElementNotFoundException: It was taken or declined, or has expired.
        """
        self._require_open()
        self._end = "taken"
        return self._function

    def reopen(self) -> None:
        """Lets it be taken after all: what `claim` returned was refused before it began."""
        self._end = ""

    def contents(self, value: object) -> Contents:
        """What is read of the step, once it was taken.

        Raises:
            AppFunctionAppUnknownException: The value does not fit the action's declared type.
        """
        uri = self._intent.uri
        done = TextResource(uri, "The step has been taken.")
        return self._writer.contents(value, uri) or (done,)

    def _require_open(self) -> None:
        if self._end == "taken":
            raise self._gone("was taken already, and works once")
        if self._end == "declined":
            raise self._gone("was declined by the user")
        if self.is_over:
            raise self._gone(f"has expired: it worked for {time_in_words(self._lifetime)}")

    def _gone(self, what: str) -> AppFunctionElementNotFoundException:
        return AppFunctionElementNotFoundException(
            f"this step {what}",
            recovery=f"If the user still wants it, call {self._tool_name} again for a new one.",
            extras={"uri": self._intent.uri},
        )


def _denied(what: str) -> AppFunctionDeniedException:
    return AppFunctionDeniedException(
        f"{what}; nothing has been done", recovery="Do not ask again unless the user wants it."
    )


def _useless(why: str) -> AppFunctionAppUnknownException:
    """What the caller gets, who shall not see where the code lies; its author reads the log."""
    warn(f"the action of a PendingIntent cannot be called: {why}")
    return function_at_fault("it holds a PendingIntent whose action cannot be called")


def _compiled(intent: PendingIntent) -> tuple[AppFunction, ContentWriter]:
    action: Any = intent.action
    try:
        read = read_function(action)
        annotation = read.signature.return_annotation
        if annotation is not EMPTY and returned_type(annotation) in (None, types.NoneType):
            annotation = EMPTY
        source = read.source
        writer = content_writer(annotation, None, docstring=read.docstring, source=source)
    except AppFunctionDeclarationError as fault:
        raise _useless(str(fault)) from fault
    if read.arguments.parameters:
        raise _useless(f"{source}: it takes more than the context; bind the rest, as partial does")
    names = FunctionNames(*(STEP_NAME,) * 3, getattr(action, "__module__", "") or "", source)
    declared = AppResourceDeclaration(uri=intent.uri, description=intent.instructions)
    return offered_function(action, read, declared, names, response=writer.response), writer
