"""What real clients send to providers that know the rules: cut, crashed, or begun elsewhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant import Assistant, Conversation
from appfunctions_mcp.assistant.trimming import estimated_tokens
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult, ModelReply
from tests.assistant.test_providers import MODELS
from tests.support.providers import (
    Always,
    Call,
    ProviderServer,
    Reply,
    Request,
    Thought,
    provider_server,
)

pytestmark = pytest.mark.anyio


@app_function(read_only=True)
async def area_of(country: str, unit: str | None = None) -> dict[str, Any]:
    """Looks up the area of a country.

    Args:
        country: Its name.
        unit: In what; square kilometres when left out.
    """
    return {"country": country, "area": len(country), "unit": unit or "km²"}


def service() -> AppFunctionService:
    return AppFunctionService.from_functions([area_of], name="areas", description="Areas.")


def talkative(request: Request) -> Reply:
    """Thinks, calls twice at once, thinks and calls again, and then answers."""
    results = len(request.result_texts)
    if not request.tool_names or (request.user_text or "").endswith("!"):
        return Reply("That is enough.")
    if not results:
        calls = [Call("area_of", {"country": name}) for name in ("Norway", "Peru")]
        return Reply(Thought("Both."), "I look both up.", *calls)
    if results > 1:
        return Reply(Thought("One more."), Call("area_of", {"country": "Chad", "unit": None}))
    return Reply("They differ.")


@asynccontextmanager
async def talked(server: ProviderServer, name: str) -> AsyncIterator[Conversation]:
    """A conversation of three questions with a model of one provider."""
    model = MODELS[name](server)
    async with Assistant(model, service(), system="Be exact.") as assistant:
        for question in ("Norway or Peru?", "And Chad?", "Once more?"):
            await assistant.ask(question)
    yield assistant.conversation
    await model.close()


def copy_of(conversation: Conversation) -> Conversation:
    return Conversation.from_json(conversation.to_json())


async def go_on(server: ProviderServer, name: str, conversation: Conversation) -> None:
    """Asks once more, through the real client of a provider; a refusal is an error."""
    model = MODELS[name](server)
    async with Assistant(model, service(), conversation=conversation) as assistant:
        assert (await assistant.ask("Enough!")).text
    await model.close()


@pytest.mark.parametrize("name", sorted(MODELS))
async def test_a_history_may_be_cut_at_every_point(name: str) -> None:
    """F71, F73."""
    with provider_server(Always(talkative)) as server:
        async with talked(server, name) as conversation:
            for kept in range(1, 4):
                cut = copy_of(conversation)
                cut.trim(max_exchanges=kept)
                await go_on(server, name, cut)
            sizes = set()
            whole = estimated_tokens(conversation.history())
            for tokens in range(1, whole + whole // 16, whole // 16):
                cut = copy_of(conversation)
                cut.trim(max_tokens=tokens)
                sizes.add(len(cut.exchanges))
                await go_on(server, name, cut)
            assert sizes == {1, 2, 3}
    assert server.refused == []


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("results", [0, 1])
async def test_a_crash_between_call_and_result_ends_no_conversation(
    name: str, results: int
) -> None:
    """F74: what is missing is told to the model, and the new question comes after it."""
    calls = [FunctionCall(f"call_{n}", "area_of", {"country": f"c{n}"}) for n in range(2)]
    with provider_server(Always(talkative)) as server:
        async with talked(server, name) as conversation:
            conversation.add_user("And these?")
            conversation.add_reply(ModelReply(tuple(calls)))
            conversation.add_results(
                [FunctionResult(call.id, call.name, "12") for call in calls[:results]]
            )
            await go_on(server, name, copy_of(conversation))
    assert server.refused == []


@pytest.mark.parametrize("first", sorted(MODELS))
@pytest.mark.parametrize("second", sorted(MODELS))
async def test_a_conversation_goes_on_with_another_provider_and_comes_back(
    first: str, second: str
) -> None:
    """F80: what is signed goes back to its own provider and to no other."""
    with provider_server(Always(talkative)) as server:
        async with talked(server, first) as conversation:
            for name in (second, first, second):
                model = MODELS[name](server)
                async with Assistant(model, service(), conversation=conversation) as assistant:
                    assert (await assistant.ask("And now?")).rounds == 2
                await model.close()
    assert server.refused == []


@pytest.mark.parametrize("second", sorted(MODELS))
async def test_a_provider_may_be_switched_between_a_call_and_the_answer(second: str) -> None:
    for first in sorted(MODELS):
        with provider_server(Always(talkative)) as server:
            model = MODELS[first](server)
            async with Assistant(model, service(), max_iterations=1) as assistant:
                stream = assistant.stream("Norway or Peru?")
                async for event in stream:
                    if type(event).__name__ == "ResultEvent":
                        break
                await stream.aclose()
            await model.close()
            await go_on(server, second, assistant.conversation)
        assert server.refused == [], (first, second)
