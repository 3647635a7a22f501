"""How a call is confirmed: by the user whom its channel can ask, else in two calls.

In two calls the first one changes nothing and ends with a token for the agent; the same call
with the token runs. Knows nothing of how tokens are signed.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from appfunctions_mcp.confirmation import Confirmations
from appfunctions_mcp.context import (
    QUESTION_SECONDS,
    MissingClientCapabilityException,
    answer_within,
)
from appfunctions_mcp.deadlines import deadline
from appfunctions_mcp.exceptions import AppFunctionDeniedException
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import as_it_is_read, with_escapes
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.threads import WorkerThreads

PARAMETER = "confirmation"
"""The argument that carries the token of a call."""

_SEPARATOR = "."
_TOKENS = regex(r"\s*[A-Za-z0-9_-]{36}(\.[A-Za-z0-9_-]{36})*\s*")


def takes_token(function: AppFunction, parameters: Mapping[str, Any]) -> bool:
    """Whether an argument that the function does not declare is a token for its questions."""
    sent = parameters[PARAMETER]
    return (
        function.takes_context
        and isinstance(sent, str)
        and _TOKENS.fullmatch(sent) is not None
        and all(known.name != PARAMETER for known in function.metadata.parameters)
    )


class CallConfirmation:
    """The confirmations of one call; next to nothing is done before one is asked for.

    Args:
        confirmations: Makes and redeems tokens.
        threads: Where tokens are redeemed, since that may wait for the disk.
        metadata: The function.
        request: The call.
        arguments: The validated ones.
        sent: The token that came with it; several are joined by a point.
    """

    __slots__ = (
        "_agreed",
        "_arguments",
        "_confirmations",
        "_metadata",
        "_request",
        "_sent",
        "_threads",
    )

    def __init__(
        self,
        confirmations: Confirmations,
        threads: WorkerThreads,
        metadata: AppFunctionMetadata,
        request: ExecuteAppFunctionRequest,
        arguments: Mapping[str, Any],
        sent: object = None,
    ) -> None:
        self._confirmations = confirmations
        self._threads = threads
        self._metadata = metadata
        self._request = request
        self._arguments = arguments
        self._sent = sent.strip().split(_SEPARATOR) if isinstance(sent, str) else ()
        self._agreed: tuple[str, ...] = ()
        """What the user has agreed to before, in this call."""

    async def require(self) -> None:
        """Lets a call of a function that always needs a confirmation pass once it has one.

        Raises:
            AppFunctionDeniedException: The user declined, or there is no good token; then with
                a fresh one.
        """
        if await self._redeem(""):
            return
        if self._request.channel.can_ask("elicitation"):
            try:
                await self._ask_user()
            except MissingClientCapabilityException:
                pass  # a client may declare what it refuses in the end
            else:
                return
        raise self._denied(
            f"Nothing has been changed. {self._metadata.tool_name} would run with {self._shown()}.",
            self._issue(""),
        )

    async def confirm(self, message: str) -> bool:
        """Lets a running call go on where its token is for what it asks now.

        Args:
            message: What the user is to agree to.

        Returns:
            True: the user has agreed.

        Raises:
            AppFunctionDeniedException: There is no good token; with fresh ones, for this
                question and for all that the user has agreed to before.
        """
        if await self._redeem(message):
            self._agreed += (message,)
            return True
        fresh = _SEPARATOR.join(map(self._issue, (*self._agreed, message)))
        raise self._denied(
            f"{self._metadata.tool_name} has stopped to ask the user: {as_it_is_read(message)}",
            fresh,
        )

    def _issue(self, question: str) -> str:
        caller = self._request.caller
        return self._confirmations.issue(self._called, self._arguments, caller, question=question)

    @property
    def _called(self) -> str:
        """What is called: the function, and the activity that it belongs to."""
        activity_id, function_id = self._request.activity_id, self._metadata.function_id
        return function_id if activity_id is None else f"{function_id} {activity_id}"

    async def _redeem(self, question: str) -> bool:
        redeem = partial(
            self._confirmations.redeem,
            function_id=self._called,
            arguments=self._arguments,
            caller=self._request.caller,
            question=question,
        )
        for token in self._sent:
            if await self._threads.run(self._metadata.function_id, partial(redeem, token)):
                return True
        return False

    async def _ask_user(self) -> None:
        from appfunctions_mcp.questions import CONFIRMATION_FORM, UserQuestion

        name = self._metadata.title or self._metadata.tool_name
        question = UserQuestion(f"Run {name} with {self._shown()}?", CONFIRMATION_FORM)
        # The question has its own limit; this one is there for a server that ends before it.
        with deadline(2 * QUESTION_SECONDS):
            answer = await answer_within(QUESTION_SECONDS, self._request.channel, question)
        if answer["action"] != "accept":
            did = "declined" if answer["action"] == "decline" else "dismissed the question"
            raise AppFunctionDeniedException(
                f"the user {did}; nothing has been changed",
                recovery="Do not call again unless the user asks for it.",
            )

    def _shown(self) -> str:
        from appfunctions_mcp.redaction import without_sensitive

        parameters = without_sensitive(self._request.parameters, self._metadata.input_schema)
        given = (
            f"{name} = {write_json(value).decode()}"
            for name, value in parameters.items()
            if name != PARAMETER
        )
        return with_escapes(", ".join(given)) or "no arguments"

    def _denied(self, what: str, token: str) -> AppFunctionDeniedException:
        denied = AppFunctionDeniedException(
            f"confirmation needed\n{what}",
            recovery="Once the user agrees, the same call with the same arguments and "
            f'"confirmation": "{token}" runs it; the token works once, within five minutes.',
            extras={PARAMETER: token},
        )
        denied.retryable = True
        return denied
