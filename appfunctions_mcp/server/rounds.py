"""One round of a modern request that may put questions: what was answered, what is still open.

A request is answered in rounds from 2026-07-28 on: with questions and a sealed state, until a
client has answered all of them. Each round runs the whole body anew.
"""

from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.asking import QuestionsAskedError, RoundQuestions
from appfunctions_mcp.server.request_state import RequestStates, binding_of
from appfunctions_mcp.server.wire import Json
from appfunctions_mcp.server.wire_questions import (
    input_required_result,
    read_answers,
    read_state,
)

T = TypeVar("T")


class Round:
    """The questions of one request.

    Args:
        states: Opens what the client brings back, and seals what it takes along.
        method: The method of the request.
        params: Its params, whose shape is checked.
        caller: Who sends it.
        capabilities: What its client has declared.
        info: What the server says of itself.

    Raises:
        ProtocolError: The state that it brings back is none that belongs to it.
    """

    def __init__(
        self,
        states: RequestStates,
        method: str,
        params: Mapping[str, Any],
        *,
        caller: AppFunctionCaller,
        capabilities: Mapping[str, Any],
        info: Json,
    ) -> None:
        self._states = states
        self._binding = binding_of(method, params, caller)
        self._info = info
        self.has_asked = False
        """Whether the client has to answer first."""
        state = read_state(params)
        kept = {} if state is None else states.open(state, self._binding)
        self.questions = RoundQuestions(kept, read_answers(params), capabilities)

    async def run(self, begun: Awaitable[T]) -> T | None:
        """Waits for the end of the request, or for all of its questions.

        Returns:
            What it ended in; None where `has_asked`.
        """
        try:
            return await self.questions.run(begun)
        except QuestionsAskedError:
            self.has_asked = True
            return None

    def result(self) -> Json:
        """The result that puts the questions."""
        state = self._states.seal(self.questions.kept(), self._binding)
        return input_required_result(self.questions.pending, state, self._info)
