"""Questions to a client: live ones, and those that are answered in rounds."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from appfunctions_mcp.context import AppFunctionContext, MissingClientCapabilityException
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionDeniedException,
    AppFunctionSystemUnknownException,
)
from appfunctions_mcp.questions import RootsRequest, UserQuestion
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.server.asking import LiveQuestions, QuestionsAskedError, RoundQuestions
from appfunctions_mcp.service import AppFunctionService
from tests.support.calls import make_service
from tests.support.questions import ACCEPTED, accepted, until

pytestmark = pytest.mark.anyio

ALL: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
QUESTION = UserQuestion("Who?", NAME)
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"}
ROOTS = {"roots": [{"uri": "file:///work"}]}


class Wire:
    """What a live connection sends."""

    def __init__(self, capabilities: dict[str, Any] | None = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self.questions = LiveQuestions(
            self._send, lambda: ALL if capabilities is None else capabilities
        )

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    async def until_sent(self, count: int) -> None:
        await until(lambda: len(self.sent) >= count)

    def respond(self, request_id: Any, **outcome: Any) -> bool:
        return self.questions.receive({"jsonrpc": "2.0", "id": request_id, **outcome})


async def test_a_live_question_is_a_request_that_waits_for_its_own_response() -> None:
    wire = Wire()
    first = asyncio.ensure_future(wire.questions.ask(QUESTION))
    second = asyncio.ensure_future(wire.questions.ask(RootsRequest()))
    await wire.until_sent(2)
    assert [message["method"] for message in wire.sent] == ["elicitation/create", "roots/list"]
    ids = [message["id"] for message in wire.sent]
    assert len(set(ids)) == 2
    assert wire.sent[0]["params"] == {"message": "Who?", "requestedSchema": NAME}

    assert not wire.respond(99, result={})
    assert not wire.respond("1", result={})
    assert not wire.respond(True, result=ROOTS)
    assert not wire.respond(None, result={})
    assert wire.respond(ids[1], result=ROOTS)
    assert wire.respond(ids[0], result=accepted(name="Ann"))

    assert await second == ROOTS
    assert await first == accepted(name="Ann")
    assert not wire.respond(ids[0], result={})
    assert len(wire.sent) == 2


async def test_a_live_question_is_taken_back_when_nobody_waits_for_the_answer() -> None:
    wire = Wire()
    asked = asyncio.ensure_future(wire.questions.ask(QUESTION))
    await wire.until_sent(1)
    asked.cancel()
    await asyncio.wait({asked})
    assert wire.sent[1]["method"] == "notifications/cancelled"
    assert wire.sent[1]["params"]["requestId"] == wire.sent[0]["id"]
    assert not wire.respond(wire.sent[0]["id"], result=ACCEPTED)


@pytest.mark.parametrize(
    ("error", "raised", "told"),
    [
        ({"code": -1, "message": "User rejected"}, AppFunctionDeniedException, "'User rejected'"),
        ({"code": -1}, AppFunctionDeniedException, "the client refused elicitation"),
        ({"code": [], "message": 5}, AppFunctionDeniedException, "the client refused elicitation"),
        ("?", AppFunctionDeniedException, "the client refused elicitation"),
        ({"code": -32601, "message": "x"}, MissingClientCapabilityException, "elicitation"),
        ({"code": -32600, "message": "x"}, MissingClientCapabilityException, "elicitation"),
    ],
)
async def test_a_client_that_refuses_says_why(
    error: Any, raised: type[Exception], told: str
) -> None:
    wire = Wire()
    asked = asyncio.ensure_future(wire.questions.ask(QUESTION))
    await wire.until_sent(1)
    wire.respond(wire.sent[0]["id"], error=error)
    with pytest.raises(raised, match=told):
        await asked


@pytest.mark.parametrize("outcome", [{}, {"result": []}, {"result": {"action": "maybe"}}])
async def test_a_response_of_the_wrong_shape_is_no_answer(outcome: dict[str, Any]) -> None:
    wire = Wire()
    asked = asyncio.ensure_future(wire.questions.ask(QUESTION))
    await wire.until_sent(1)
    wire.respond(wire.sent[0]["id"], **outcome)
    with pytest.raises(AppFunctionSystemUnknownException, match="cannot be used: it"):
        await asked


async def test_a_client_that_leaves_answers_nothing_any_more() -> None:
    wire = Wire()
    asked = asyncio.ensure_future(wire.questions.ask(QUESTION))
    await wire.until_sent(1)
    wire.questions.close()
    wire.questions.close()
    with pytest.raises(AppFunctionSystemUnknownException, match="left"):
        await asked


async def test_only_what_a_client_has_declared_is_asked() -> None:
    wire = Wire({"roots": {}})
    assert wire.questions.can_ask("roots")
    assert not wire.questions.can_ask("elicitation")
    assert not wire.questions.has_asked
    with pytest.raises(MissingClientCapabilityException):
        await wire.questions.ask(QUESTION)
    rounds = RoundQuestions({}, {}, {"roots": {}})
    with pytest.raises(MissingClientCapabilityException):
        await rounds.ask(QUESTION)
    assert wire.sent == []


class Rounds:
    """Plays the rounds of one call as an engine and a client do."""

    def __init__(self, service: AppFunctionService, name: str = "body") -> None:
        self._service = service
        self._name = name
        self.kept: dict[str, Any] = {}

    async def play(self, **answers: Any) -> Any:
        """One round: what the call returned, or the questions by key."""
        questions = RoundQuestions(self.kept, answers, ALL)
        request = ExecuteAppFunctionRequest(
            self._name, {}, channel=questions, client_capabilities=ALL
        )
        async with asyncio.timeout(10):
            try:
                response = await questions.run(self._service.manager.execute(request))
            except QuestionsAskedError as asked:
                assert questions.has_asked
                self.kept = questions.kept()
                return asked.pending
        assert not questions.has_asked
        return response.value


Body = Callable[[AppFunctionContext], Awaitable[str]]


def rounds_of(body: Body) -> Rounds:
    @app_function(id="tests#body")
    async def body_(context: AppFunctionContext) -> str:
        """Asks."""
        return await body(context)

    return Rounds(make_service(body_))


async def test_a_question_ends_the_round_and_its_answer_is_there_in_the_next() -> None:
    async def body(context: AppFunctionContext) -> str:
        answer = await context.ask("Who?", NAME, key="user_name")
        return f"Hello, {(answer or {})['name']}"

    rounds = rounds_of(body)
    assert await rounds.play() == {"user_name": UserQuestion("Who?", NAME, "user_name")}
    assert await rounds.play(user_name=accepted(name="Ann"), other={}) == "Hello, Ann"


async def test_answers_of_all_rounds_are_kept() -> None:
    async def body(context: AppFunctionContext) -> str:
        first = await context.confirm("One?", key="one")
        second = await context.confirm("Two?", key="two")
        return f"{first} {second}"

    rounds = rounds_of(body)
    assert list(await rounds.play()) == ["one"]
    assert list(await rounds.play(one=ACCEPTED)) == ["two"]
    assert await rounds.play(two={"action": "decline"}) == "True False"


async def _gathered(context: AppFunctionContext) -> tuple[Any, ...]:
    return tuple(
        await asyncio.gather(
            context.ask("Who?", NAME), context.sample("Greet!"), context.roots(), context.roots()
        )
    )


async def _grouped(context: AppFunctionContext) -> tuple[Any, ...]:
    async with asyncio.TaskGroup() as group:
        asks: list[Any] = [
            context.ask("Who?", NAME),
            context.sample("Greet!"),
            context.roots(),
            context.roots(),
        ]
        tasks = [group.create_task(ask) for ask in asks]
    return tuple(task.result() for task in tasks)


async def _nested(context: AppFunctionContext) -> tuple[Any, ...]:
    async def roots() -> Any:
        return await asyncio.gather(context.roots(), context.roots())

    name, sample, both = await asyncio.gather(
        context.ask("Who?", NAME), context.sample("Greet!"), roots()
    )
    return (name, sample, *both)


@pytest.mark.parametrize("ask_all", [_gathered, _grouped, _nested])
async def test_questions_that_are_asked_at_once_make_one_round(
    ask_all: Callable[[AppFunctionContext], Awaitable[tuple[Any, ...]]],
) -> None:
    async def body(context: AppFunctionContext) -> str:
        name, sample, *roots = await ask_all(context)
        return f"{name['name']} {sample.text} {len(roots)}"

    rounds = rounds_of(body)
    pending = await rounds.play()
    assert sorted(question.capability for question in pending.values()) == [
        "elicitation",
        "roots",
        "roots",
        "sampling",
    ]
    of = {"elicitation": accepted(name="Ann"), "sampling": SAMPLE, "roots": ROOTS}
    answers = {key: of[question.capability] for key, question in pending.items()}
    (missing,) = (key for key in answers if key.startswith("roots") and key.endswith("-2"))
    del answers[missing]
    assert list(await rounds.play(**answers)) == [missing]
    assert await rounds.play(**{missing: ROOTS}) == "Ann Hi 2"


async def test_a_plain_function_asks_in_rounds_too() -> None:
    @app_function(id="tests#body")
    def body(context: AppFunctionContext) -> str:
        """Asks from a thread."""
        first = context.wait(context.confirm("One?", key="one"))
        second = context.wait(context.confirm("Two?", key="two"))
        return f"{first} {second}"

    service = make_service(body)
    rounds = Rounds(service)
    assert list(await rounds.play()) == ["one"]
    assert list(await rounds.play(one=ACCEPTED)) == ["two"]
    assert await rounds.play(two=ACCEPTED) == "True True"
    await until(lambda: not service.manager.executor.runner.threads.statistics().stuck)


async def test_a_confirmation_before_the_function_is_a_round_too() -> None:
    @app_function(id="tests#body", requires_confirmation=True)
    async def body() -> str:
        """Deletes."""
        return "deleted"

    rounds = Rounds(make_service(body))
    (key,) = await rounds.play()
    assert await rounds.play(**{key: ACCEPTED}) == "deleted"


async def test_keys_are_the_same_in_every_round_and_tell_equal_questions_apart() -> None:
    async def body(context: AppFunctionContext) -> str:
        said = [await context.confirm("Again?") for _ in range(3)]
        return str(said.count(True))

    rounds, others = rounds_of(body), rounds_of(body)
    (first,) = await rounds.play()
    assert list(await others.play()) == [first]
    (second,) = await rounds.play(**{first: ACCEPTED})
    assert second == f"{first}-2"
    (third,) = await rounds.play(**{second: {"action": "cancel"}})
    assert await rounds.play(**{third: ACCEPTED}) == "2"


async def test_an_answer_counts_only_for_the_question_that_was_put() -> None:
    """What a user has agreed to is never another thing that stands under the same key later."""
    notes = 3

    async def body(context: AppFunctionContext) -> str:
        agreed = await context.confirm(f"Delete {notes} notes?", key="confirm")
        return f"{agreed} {notes}"

    rounds = rounds_of(body)
    await rounds.play()
    notes = 400
    pending = await rounds.play(confirm=ACCEPTED)
    assert pending["confirm"].message == "Delete 400 notes?"
    assert await rounds.play(confirm=ACCEPTED) == "True 400"


@pytest.mark.parametrize("answer", [5, {}, {"action": "yes"}, SAMPLE, None])
async def test_an_answer_of_the_wrong_shape_is_asked_for_again(answer: Any) -> None:
    async def body(context: AppFunctionContext) -> str:
        return str(await context.confirm("Sure?", key="sure"))

    rounds = rounds_of(body)
    assert list(await rounds.play()) == ["sure"]
    assert list(await rounds.play(sure=answer)) == ["sure"]
    assert await rounds.play(sure=ACCEPTED) == "True"


async def test_a_form_that_does_not_fit_is_asked_again_under_another_key() -> None:
    async def body(context: AppFunctionContext) -> str:
        return str(await context.ask("Who?", NAME, key="who"))

    rounds = rounds_of(body)
    await rounds.play()
    assert list(await rounds.play(who=accepted(name=5))) == ["who-2"]
    assert await rounds.play(**{"who-2": accepted(name="Ann")}) == "{'name': 'Ann'}"


async def test_a_body_that_swallows_the_end_of_its_round_has_nothing_said() -> None:
    async def body(context: AppFunctionContext) -> str:
        try:
            await context.confirm("Sure?", key="sure")
        except BaseException:  # noqa: BLE001 - what is tested
            return "swallowed"
        return "done"

    rounds = rounds_of(body)
    assert list(await rounds.play()) == ["sure"]
    assert await rounds.play(sure=ACCEPTED) == "done"


async def test_a_body_goes_no_further_than_its_question() -> None:
    steps: list[str] = []

    async def body(context: AppFunctionContext) -> str:
        steps.append("before")
        async with asyncio.TaskGroup() as group:
            group.create_task(context.confirm("Sure?", key="sure"))
        steps.append("after")
        return "done"

    rounds = rounds_of(body)
    await rounds.play()
    assert steps == ["before"]
    await rounds.play(sure=ACCEPTED)
    assert steps == ["before", "before", "after"]


async def test_cancelling_a_round_is_no_question() -> None:
    async def body(_context: AppFunctionContext) -> str:
        await asyncio.sleep(60)
        return "late"

    service_rounds = rounds_of(body)
    begun = asyncio.ensure_future(service_rounds.play())
    await asyncio.sleep(0)
    begun.cancel()
    await asyncio.wait({begun}, timeout=10)
    assert begun.cancelled()


async def test_what_a_body_raises_beside_its_question_is_raised() -> None:
    async def body(context: AppFunctionContext) -> str:
        async def fail() -> None:
            raise AppFunctionDeniedException("not you")

        await asyncio.gather(context.confirm("Sure?"), fail())
        return "done"

    with pytest.raises(AppFunctionDeniedException, match="not you"):
        await rounds_of(body).play()


async def test_an_answer_is_kept_though_the_next_round_asks_something_else_first() -> None:
    turns = iter([("one", "two"), ("zero", "one", "two"), ("one", "two", "zero")])

    async def body(context: AppFunctionContext) -> str:
        said = await asyncio.gather(*(context.confirm(name, key=name) for name in next(turns)[:2]))
        return str(said)

    rounds = rounds_of(body)
    assert set(await rounds.play()) == {"one", "two"}
    assert set(await rounds.play(one=ACCEPTED, two=ACCEPTED)) == {"zero"}
    assert await rounds.play() == "[True, True]"


async def test_a_name_that_looks_like_a_second_time_is_no_second_time() -> None:
    async def body(context: AppFunctionContext) -> str:
        keys = ("a-2", "a", "a")
        said = [await context.ask(f"{n}?", NAME, key=key) for n, key in enumerate(keys)]
        return " ".join(str((answer or {})["name"]) for answer in said)

    rounds = rounds_of(body)
    assert list(await rounds.play()) == ["a-2"]
    assert list(await rounds.play(**{"a-2": accepted(name="x")})) == ["a"]
    assert list(await rounds.play(a=accepted(name="y"))) == ["a-3"]
    assert await rounds.play(**{"a-3": accepted(name="z")}) == "x y z"
