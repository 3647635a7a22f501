"""The loop under what real programs do to it: cancelled anywhere, switched, cut, answered badly."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant import (
    Assistant,
    Conversation,
    ModelRequest,
    ProviderError,
    ResultEvent,
    ScriptedCall,
    ScriptedModel,
    StopEvent,
    StopReason,
    ToolDispatcher,
)
from appfunctions_mcp.assistant.trimming import estimated_tokens
from appfunctions_mcp.formats import (
    FORMAT_NAMES,
    FunctionCall,
    History,
    ModelReply,
    Text,
    UserMessage,
    format_named,
)
from tests.assistant.test_providers import MODELS
from tests.support.function_sources import ScriptedSource, calls, done, result
from tests.support.providers import Always, Call, Reply, Request, Thought, provider_server

pytestmark = pytest.mark.anyio


@app_function(read_only=True)
async def measure(length: int) -> dict[str, Any]:
    """Measures something, which takes a while.

    Args:
        length: How long it takes.
    """
    for _ in range(length):
        await asyncio.sleep(0)
    if length == 3:
        raise RuntimeError("broken")
    return {"length": length}


@app_function(requires_confirmation=True)
def erase() -> str:
    """Erases everything."""
    return "erased"


def service() -> AppFunctionService:
    return AppFunctionService.from_functions([measure, erase], name="m", description="Measures.")


async def agree(*_: Any) -> bool:
    await asyncio.sleep(0)
    return True


def busy(request: Request) -> Reply:
    """Calls four functions at once, and one more, and answers."""
    results = len(request.result_texts)
    if not request.tool_names or (request.user_text or "").endswith("!"):
        return Reply("That is enough.")
    if not results:
        unfit, broken = Call("measure", {"length": "x"}), Call("measure", {"length": 3})
        return Reply(Thought("Hm."), "I measure.", Call("measure", {"length": 1}), broken, unfit)
    return Reply("Measured.") if results == 1 else Reply(Thought("More."), Call("erase"))


class _Steps:
    """Counts the steps of all tasks, and cancels one of them after so many."""

    def __init__(self, cancels_after: int) -> None:
        self.count = 0
        self.cancels_after = cancels_after
        self.task: asyncio.Task[Any] | None = None

    def counted(self, work: Coroutine[Any, Any, Any]) -> Any:
        sent, thrown = None, None
        while True:
            try:
                waits_for = work.send(sent) if thrown is None else work.throw(thrown)
            except StopIteration as end:
                return end.value
            self.count += 1
            if self.count == self.cancels_after and self.task is not None:
                asyncio.get_running_loop().call_soon(self.task.cancel)
            sent, thrown = None, None
            try:
                sent = yield waits_for
            except GeneratorExit:
                work.close()
                raise
            except BaseException as raised:  # noqa: BLE001 - thrown into the work
                thrown = raised

    def make_task(
        self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any
    ) -> asyncio.Task[Any]:
        return asyncio.Task(self.counted(work), loop=loop, **options)


async def asked(assistant: Assistant, *, is_streamed: bool) -> None:
    async with assistant:
        if not is_streamed:
            await assistant.ask("How long?")
            return
        async with aclosing(assistant.stream("How long?")) as events:
            async for _ in events:
                pass


async def cancelled_after(steps: int, assistant: Assistant, *, is_streamed: bool) -> bool:
    """Cancels a question after so many steps of all tasks; whether it had not ended before."""
    loop = asyncio.get_running_loop()
    counting = _Steps(steps)
    crashes: list[Any] = []
    loop.set_task_factory(counting.make_task)
    loop.set_exception_handler(lambda _, crash: crashes.append(crash))
    before = asyncio.all_tasks()
    counting.task = asyncio.create_task(asked(assistant, is_streamed=is_streamed))
    await asyncio.wait([counting.task])
    loop.set_task_factory(None)
    loop.set_exception_handler(None)
    assert counting.task.cancelled() or counting.task.exception() is None
    left = asyncio.all_tasks() - before
    if left:  # a client's generator, which the event loop closes by itself
        _, left = await asyncio.wait(left, timeout=5)
    assert not left
    assert crashes == []
    assert assistant.conversation.open_calls == ()
    return counting.count >= steps


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("name", sorted(MODELS))
async def test_a_question_cancelled_at_any_step_leaves_what_its_provider_takes(
    name: str, is_streamed: bool
) -> None:
    is_running, steps = True, 1
    with provider_server(Always(busy)) as server:
        while is_running:
            async with MODELS[name](server, max_retries=0) as model:
                assistant = Assistant(model, service(), confirm=agree)
                is_running = await cancelled_after(steps, assistant, is_streamed=is_streamed)
                async with assistant:
                    assert (await assistant.ask("Enough!")).text == "That is enough."
            steps += 2
    assert server.refused == []
    assert steps > 30


async def test_a_question_cancelled_at_any_step_leaves_what_all_providers_take() -> None:
    for is_streamed in (False, True):
        is_running, steps = True, 1
        while is_running:
            called: list[Any] = [ScriptedCall("measure", {"length": n}) for n in (1, 4, 3)]
            assistant = Assistant(ScriptedModel([called, "Done."]), service())
            is_running = await cancelled_after(steps, assistant, is_streamed=is_streamed)
            copy = Conversation.from_json(assistant.conversation.to_json())
            copy.add_user("And now?")
            for name in FORMAT_NAMES:
                form = format_named(name)
                assert form.check_request(copy.render(form)) == []
            steps += 1
        assert steps > 10


async def test_whoever_gives_up_twice_still_waits_for_what_runs() -> None:
    """A task that is cancelled again while its stream closes leaves no call behind."""
    ends: list[str] = []
    has_begun = asyncio.Event()

    async def hang(_: Any) -> Any:
        has_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ends.append("ended")

    model = ScriptedModel([ScriptedCall("hang"), "Yes."])
    assistant = Assistant(model, ScriptedSource({"hang": hang}))
    answering = asyncio.create_task(asked(assistant, is_streamed=True))
    await has_begun.wait()
    for _ in range(3):
        answering.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await answering
    assert ends == ["ended"]
    assert (await assistant.ask("Go on?")).text == "Yes."


async def test_a_dispatcher_that_is_cancelled_while_it_closes_closes_its_source() -> None:
    source = ScriptedSource({"hang": lambda _: asyncio.sleep(0.05)})
    dispatcher = await ToolDispatcher(source).__aenter__()
    running = asyncio.create_task(dispatcher.dispatch(calls("hang")))
    await asyncio.sleep(0)
    closing = asyncio.create_task(dispatcher.__aexit__(None, None, None))
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert not source.is_open
    await running


@pytest.mark.parametrize("second", sorted(MODELS))
@pytest.mark.parametrize("first", sorted(MODELS))
async def test_another_model_may_be_set_between_two_rounds(first: str, second: str) -> None:
    asks = Reply(Thought("Hm."), Call("measure", {"length": 1}))
    with provider_server(asks, "One.", "Two.") as server:
        one, other = MODELS[first](server), MODELS[second](server)
        async with one, other, Assistant(one, service()) as assistant:

            def switch(event: Any) -> None:
                if isinstance(event, ResultEvent):
                    assistant.model = other

            assistant.subscribe(switch)
            async with aclosing(assistant.stream("How long?")) as events:
                (stop,) = [event async for event in events if isinstance(event, StopEvent)]
            assert stop.answer.text == "One."
            assistant.model = one
            await assistant.ask("Sure?")
    assert [request.format for request in server.requests] == [first, second, first]
    assert all(request.tool_names for request in server.requests)
    assert server.refused == []


class _Made:
    """A model of somebody else: what it replies was made by hand."""

    def __init__(self, *replies: ModelReply) -> None:
        self.format = format_named("openai-chat")
        self._replies = iter(replies)

    async def reply(self, _: ModelRequest) -> ModelReply:
        return next(self._replies)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        yield await self.reply(request)


async def test_calls_of_one_id_keep_their_own_results_whichever_ends_first() -> None:
    async def wait(call: Any) -> Any:
        for _ in range(call.arguments["n"]):
            await asyncio.sleep(0)
        return result(call, f"waited {call.arguments['n']}")

    made = [
        FunctionCall(own, "wait", {"n": n}) for own, n in (("", 9), ("", 1), ("a", 5), ("a", 0))
    ]
    model = _Made(ModelReply(tuple(made)), ModelReply((Text("Done."),)))
    told: list[tuple[Any, str]] = []
    async with Assistant(model, ScriptedSource({"wait": wait})) as assistant:

        def listen(event: Any) -> None:
            if isinstance(event, ResultEvent):
                told.append((event.call.arguments["n"], event.result.text))

        assistant.subscribe(listen)
        await assistant.ask("Wait.")
    (step,) = assistant.conversation.exchanges[0].steps
    assert [each.text for each in step.results] == [f"waited {n}" for n in (9, 1, 5, 0)]
    assert sorted(told) == sorted((n, f"waited {n}") for n in (9, 1, 5, 0))
    assert len({call.id for call in step.reply.calls}) == 4


async def test_arguments_that_are_not_kept_do_not_run() -> None:
    """What the model reads of a call and what is done are the same."""
    source = ScriptedSource({"save": done})
    for arguments in ([1], {"n": float("nan")}, {1: 2}):
        call = FunctionCall("a", "save", arguments)  # type: ignore[arg-type]
        model = _Made(ModelReply((call,)), ModelReply((Text("I see."),)))
        async with Assistant(model, source) as assistant:
            await assistant.ask("Save.")
        (step,) = assistant.conversation.exchanges[0].steps
        assert "no JSON object" in step.results[0].text
    assert source.calls == []


async def test_what_is_too_old_is_dropped_before_each_request() -> None:
    """The results of one question alone may be too much."""

    async def read(call: Any) -> Any:
        return result(call, f"page {call.id} " * 1_000)

    def read_on(request: ModelRequest) -> Any:
        return [ScriptedCall("read"), ScriptedCall("read")] if request.tools else "Done."

    model = ScriptedModel([read_on] * 9)
    source = ScriptedSource({"read": read})
    async with Assistant(model, source, max_history_tokens=9_000, max_iterations=6) as assistant:
        assert (await assistant.ask("Read.")).rounds == 6
    sizes = [estimated_tokens(request.history) for request in model.requests]
    assert max(sizes) <= 9_000
    assert len(model.requests[-1].history.messages) < 2 * 6


async def test_a_call_that_nobody_confirms_ends_the_loop_too() -> None:
    """What a call is confirmed with differs each time, and is not news."""

    def again(request: ModelRequest) -> Any:
        return "I could not." if request.tools is None else ScriptedCall("erase")

    async with Assistant(ScriptedModel([again] * 9), service()) as assistant:
        answer = await assistant.ask("Erase it.")
    assert (answer.stop, answer.rounds) == (StopReason.REPEATED_CALL, 5)


async def test_functions_that_go_away_with_odd_names_stay_in_the_history() -> None:
    """A provider refuses names of its history that it would refuse as tools, offered or not."""
    names = ["files/read.it now", "x" * 90]
    for provider, make in sorted(MODELS.items()):
        source = ScriptedSource(dict.fromkeys(names, done))

        def call_all(request: Request) -> Reply:
            called = [Call(each) for each in request.tool_names]
            return Reply(Thought("All."), *called) if called else Reply("Done.")

        with provider_server(Always(call_all)) as server:
            async with make(server) as model, Assistant(model, source, max_iterations=1) as talk:
                await talk.ask("Call them.")
                source.bodies.clear()
                await talk.ask("And now?")
                assert talk.conversation.exchanges[0].steps[0].results[1].name == names[1]
        assert server.refused == [], provider


async def test_big_results_and_parallel_questions_to_one_dispatcher() -> None:
    async def read(call: Any) -> Any:
        return result(call, "é\n" * 500_000)

    dispatcher = ToolDispatcher(ScriptedSource({"read": read}))
    steps = Always(
        lambda asked: Reply("Read.") if asked.result_texts else Reply(Call("read"), Call("read"))
    )
    with provider_server(steps) as server:
        assistants = [Assistant(make(server), dispatcher) for make in MODELS.values()]
        answers = await asyncio.gather(*(each.ask("Read.") for each in assistants))
        assert {answer.text for answer in answers} == {"Read."}
        for each in assistants:
            await each.model.close()  # type: ignore[attr-defined]
    assert server.refused == []


async def test_a_scripted_model_refuses_what_a_provider_would_and_tells_where_it_ends() -> None:
    model = ScriptedModel(["Hello."])
    call = ModelReply((FunctionCall("a", "measure"),))
    with pytest.raises(ProviderError, match="the request breaks the rules of openai-chat: /mess"):
        await model.reply(ModelRequest(History((UserMessage(("Hi.",)), call))))
    asked = ModelRequest(History((UserMessage(("Hi.",)),)))
    assert (await model.reply(asked)).text == "Hello."
    with pytest.raises(ProviderError, match="the script"):
        await model.reply(asked)
