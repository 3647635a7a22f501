"""How a running call puts its questions to a client, in the way of each protocol era.

With a handshake, a question is a request of the server's own, and the call waits for the
response (`LiveQuestions`). From 2026-07-28 on a question is part of the answer: the call ends,
and runs again from its start when the client calls again with the answers (`RoundQuestions`).
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from appfunctions_mcp.context import MissingClientCapabilityException
from appfunctions_mcp.eager_tasks import begin_task
from appfunctions_mcp.exceptions import AppFunctionSystemUnknownException
from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.questions import Question
from appfunctions_mcp.requests import SilentChannel
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.wire_questions import (
    answer_fault,
    askable,
    question_request,
    refused,
)

T = TypeVar("T")

_QUIET_TURNS = 10
"""After how many turns of the loop without a new question a round is complete.

What a body asks or raises beside a question takes some: one for each task on the way.
"""


class QuestionsAskedError(Exception):
    """A call that ends for now, since the client has to answer its questions first.

    Args:
        pending: The questions by key.
    """

    def __init__(self, pending: Mapping[str, Question]) -> None:
        super().__init__(f"{len(pending)} questions have to be answered first")
        self.pending = pending


class LiveQuestions(SilentChannel):
    """Questions to one client over a connection on which the server may send requests.

    It serves all calls of the connection, and is the channel of those that want nothing else
    told. Used on one event loop.

    Args:
        send: Sends a request or a notification on.
        capabilities: What the client has declared, at the time of a question.
    """

    def __init__(
        self,
        send: Callable[[Message], Awaitable[None]],
        capabilities: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._send = send
        self._capabilities = capabilities
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._last_id = 0

    def can_ask(self, capability: str, /) -> bool:
        """Whether the client takes questions of that kind."""
        return capability in askable(self._capabilities())

    async def ask(self, question: Question) -> dict[str, Any]:
        """Puts a question and waits for the answer; cancelling that takes the question back.

        Raises:
            MissingClientCapabilityException: The client takes no such question.
            AppFunctionDeniedException: The client has refused it.
            AppFunctionSystemUnknownException: The answer cannot be used, or the client is gone.
        """
        if not self.can_ask(question.capability):
            raise MissingClientCapabilityException(question.capability)
        self._last_id = request_id = self._last_id + 1
        response = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = response
        asked = question_request(question)
        request = {"jsonrpc": "2.0", "id": request_id, "method": asked["method"]}
        if asked["params"]:
            request["params"] = asked["params"]
        try:
            await self._send(request)
            return _answer_in(await response, question)
        except asyncio.CancelledError:
            await self._take_back(request_id)
            raise
        finally:
            del self._waiting[request_id]

    def receive(self, response: Message) -> bool:
        """Takes a response of the client.

        Returns:
            Whether it belongs to a question that waits for one.
        """
        request_id = response.get("id")
        # JSON's true is equal to 1 in Python.
        if not isinstance(request_id, int) or isinstance(request_id, bool):
            return False
        waiting = self._waiting.get(request_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(response)
        return True

    def close(self) -> None:
        """Ends all that still waits: the client is gone."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(
                    AppFunctionSystemUnknownException("the client left before it answered")
                )

    async def _take_back(self, request_id: int) -> None:
        params = {"requestId": request_id, "reason": "caller cancelled"}
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        await self._send(notice)


class RoundQuestions(SilentChannel):
    """The questions of one call that is answered in rounds.

    A question whose answer is there returns it. Any other is noted, and its body waits; once
    nothing more is asked, the call ends, and `pending` is put to the client.

    Args:
        kept: What `kept` of the round before has returned; empty in the first one.
        answers: What the client has answered since, by key.
        capabilities: What the client has declared.
    """

    def __init__(
        self,
        kept: Mapping[str, Any],
        answers: Mapping[str, Any],
        capabilities: Mapping[str, Any],
    ) -> None:
        self._kept = dict(kept)
        self._answers = answers
        self._capabilities = capabilities
        self._keys: set[str] = set()
        self._complete: asyncio.Future[None] | None = None
        self._waits = False
        self.pending: dict[str, Question] = {}

    @property
    def has_asked(self) -> bool:
        """Whether the call ends for now, since the client has to answer first."""
        return self._complete is not None and self._complete.done()

    def can_ask(self, capability: str, /) -> bool:
        """Whether the client takes questions of that kind."""
        return capability in askable(self._capabilities)

    async def ask(self, question: Question) -> dict[str, Any]:
        """Returns the answer where the client has given it; else waits until it is cancelled.

        Raises:
            MissingClientCapabilityException: The client takes no such question.
        """
        if not self.can_ask(question.capability):
            raise MissingClientCapabilityException(question.capability)
        mark = _mark_of(question)
        key = self._key_of(question, mark)
        answer = self._answer_to(key, mark, question)
        if answer is not None:
            self._kept[key] = [mark, answer]
            return answer
        self._kept[key] = [mark]
        self.pending[key] = question
        self._await_others()
        await asyncio.get_running_loop().create_future()
        raise AssertionError("nobody answers a question within its own round")

    def kept(self) -> dict[str, Any]:
        """What the next round needs: JSON values, to be sealed.

        An answer to a question that this round has not come to again is kept as well.
        """
        for key, (mark, *answer) in self._kept.items():
            if not answer and key not in self.pending and key in self._answers:
                self._kept[key] = [mark, self._answers[key]]
        return self._kept

    async def run(self, begun: Awaitable[T]) -> T:
        """Waits for a call's end, or for all of its questions.

        Args:
            begun: The rest of the call; it is cancelled once its questions are complete.

        Raises:
            QuestionsAskedError: The client has to answer first.
        """
        # It begins at once: what was begun before would be left to itself if it never did.
        task = begin_task(_awaited(begun))
        complete = self._completion()
        complete.add_done_callback(lambda _: task.cancel())
        try:
            value = await task
        except BaseException:
            if complete.done():
                raise QuestionsAskedError(self.pending) from None
            raise
        if complete.done():
            raise QuestionsAskedError(self.pending)
        return value

    def _completion(self) -> asyncio.Future[None]:
        if self._complete is None:
            self._complete = asyncio.get_running_loop().create_future()
        return self._complete

    def _key_of(self, question: Question, mark: str) -> str:
        """A name that is the same in every round, as long as the same questions are asked."""
        name = key = question.key or f"{question.capability}-{mark[:12]}"
        times = 1
        while key in self._keys:
            times += 1
            key = f"{name}-{times}"
        self._keys.add(key)
        return key

    def _answer_to(self, key: str, mark: str, question: Question) -> dict[str, Any] | None:
        """An answer counts for the question that was put, whatever asks under its key now."""
        asked, *given = self._kept.get(key, [mark])
        if asked != mark:
            return None
        answer: Any = given[0] if given else self._answers.get(key)
        return None if answer_fault(question, answer) else answer

    def _await_others(self) -> None:
        """Lets whatever runs beside this question ask as well, before the round is complete."""
        if not self._waits:
            self._waits = True
            self._look(len(self.pending), _QUIET_TURNS)

    def _look(self, known: int, turns: int) -> None:
        if len(self.pending) > known:
            known, turns = len(self.pending), _QUIET_TURNS
        if turns:
            asyncio.get_running_loop().call_soon(self._look, known, turns - 1)
            return
        complete = self._completion()
        if not complete.done():
            complete.set_result(None)


async def _awaited(begun: Awaitable[T]) -> T:
    return await begun


def _answer_in(response: Message, question: Question) -> dict[str, Any]:
    # Some clients send an error that is null beside a result.
    if response.get("error") is not None:
        raise refused(question, response["error"])
    answer: Any = response.get("result")
    fault = answer_fault(question, answer)
    if fault is not None:
        raise AppFunctionSystemUnknownException(
            f"the client's answer to {question.capability} cannot be used: {fault}"
        )
    return dict(answer)


def _mark_of(question: Question) -> str:
    """Equal for equal questions."""
    return hashlib.sha256(write_json(question_request(question))).hexdigest()[:32]
