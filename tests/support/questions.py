"""A channel whose caller answers at once, for tests of functions that ask."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from appfunctions_mcp.questions import Question
from appfunctions_mcp.requests import SilentChannel

ACCEPTED: dict[str, Any] = {"action": "accept", "content": {}}
DECLINED: dict[str, Any] = {"action": "decline"}
DISMISSED: dict[str, Any] = {"action": "cancel"}

Answer = Callable[[Question], Mapping[str, Any]]


def accepted(**content: Any) -> dict[str, Any]:
    """A form that was filled in."""
    return {"action": "accept", "content": content}


class AnsweringChannel(SilentChannel):
    """Answers the questions of a call; keeps them in `asked`.

    Args:
        answers: One for each question in turn, or what makes one.
        takes: The kinds of questions that the caller takes.
    """

    def __init__(
        self,
        *answers: Mapping[str, Any] | Answer,
        takes: frozenset[str] = frozenset({"elicitation", "sampling", "roots"}),
    ) -> None:
        self._answers = list(answers)
        self._takes = takes
        self.asked: list[Question] = []

    def can_ask(self, capability: str, /) -> bool:
        """Whether the caller takes such questions."""
        return capability in self._takes

    async def ask(self, question: Question) -> dict[str, Any]:
        """Keeps the question and gives the next answer."""
        self.asked.append(question)
        await asyncio.sleep(0)
        answer = self._answers.pop(0)
        return dict(answer(question) if callable(answer) else answer)


class PatientChannel(AnsweringChannel):
    """Answers once `answer` is called; until then, a call waits."""

    def __init__(self) -> None:
        super().__init__()
        self._answered: asyncio.Future[dict[str, Any]] | None = None
        self.was_taken_back = False

    async def ask(self, question: Question) -> dict[str, Any]:
        """Waits for `answer`."""
        self.asked.append(question)
        self._answered = asyncio.get_running_loop().create_future()
        try:
            return await self._answered
        except asyncio.CancelledError:
            self.was_taken_back = True
            raise

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Answers the open question."""
        assert self._answered is not None
        self._answered.set_result(dict(answer))


async def until(is_true: Callable[[], object]) -> None:
    """Gives the loop and the threads their turns until something is so, 10 s at most."""
    async with asyncio.timeout(10):
        while not is_true():  # noqa: ASYNC110 - turns of the loop, and of threads
            await asyncio.sleep(0.001)
