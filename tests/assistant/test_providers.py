"""The providers' own clients behind our models, against a server that knows the rules."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService, app_function
from appfunctions_mcp.assistant.assistant import Assistant
from appfunctions_mcp.assistant.events import StopEvent, StopReason, TextEvent
from appfunctions_mcp.assistant.models import ModelRequest, ProviderError
from appfunctions_mcp.assistant.providers.anthropic_model import AnthropicModel
from appfunctions_mcp.assistant.providers.gemini_model import GeminiModel
from appfunctions_mcp.assistant.providers.named import PROVIDERS, model_named
from appfunctions_mcp.assistant.providers.openai_models import (
    OpenAiChatModel,
    OpenAiResponsesModel,
)
from appfunctions_mcp.assistant.scripted import ScriptedModel
from appfunctions_mcp.assistant.typed import TypedModel
from appfunctions_mcp.formats import ReplyError
from appfunctions_mcp.formats.messages import History, UserMessage
from tests.support.providers import (
    Call,
    Dropped,
    Failure,
    Hang,
    ProviderServer,
    Recorded,
    Reply,
    ReplyStop,
    Step,
    Thought,
    Usage,
    provider_server,
)

pytestmark = pytest.mark.anyio

Make = Callable[..., Any]

MODELS: dict[str, Make] = {
    "openai-chat": lambda server, **options: OpenAiChatModel(
        "any", base_url=server.openai_url, **options
    ),
    "openai-responses": lambda server, **options: OpenAiResponsesModel(
        "any", base_url=server.openai_url, **options
    ),
    "anthropic": lambda server, **options: AnthropicModel(
        "any", api_key="any", base_url=server.anthropic_url, **options
    ),
    "gemini": lambda server, **options: GeminiModel(
        "any", api_key="any", base_url=server.gemini_url, **options
    ),
    "mistral": lambda server, **options: OpenAiChatModel(
        "any", base_url=server.mistral_url, form="mistral", **options
    ),
}
ASKED = ModelRequest(History((UserMessage(("Hello?",)),)))


@app_function(read_only=True)
async def temperature_of(city: str) -> int:
    """Measures the temperature of a city in degrees Celsius.

    Args:
        city: Its name.
    """
    return len(city)


def service() -> AppFunctionService:
    return AppFunctionService.from_functions([temperature_of], name="weather", description="W.")


@pytest.fixture(params=sorted(MODELS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def whole(stream: AsyncIterator[Any]) -> list[Any]:
    return [piece async for piece in stream]


async def test_parallel_calls_are_answered_and_then_the_question(name: str) -> None:
    calls = [Call("temperature_of", {"city": city}) for city in ("Oslo", "Bergen")]
    with provider_server(Reply("I measure.", *calls), "4 and 6 degrees.") as server:
        async with Assistant(MODELS[name](server), service()) as assistant:
            answer = await assistant.ask("How warm are Oslo and Bergen?")
        await assistant.model.close()  # type: ignore[attr-defined]
    assert answer.text == "4 and 6 degrees."
    assert answer.rounds == 1
    assert server.refused == []
    assert [text.strip() for text in server.requests[1].result_texts] == ["4", "6"] or [
        "4" in text for text in server.requests[1].result_texts
    ] == [True, False]


async def test_a_stream_brings_text_in_pieces_and_the_calls(name: str) -> None:
    call = Call("temperature_of", {"city": "Oslo"})
    with provider_server(Reply("I measure it now.", call), "It is 4 degrees warm.") as server:
        async with Assistant(MODELS[name](server), service()) as assistant:
            events = [event async for event in assistant.stream("How warm is Oslo?")]
    texts = [event.text for event in events if isinstance(event, TextEvent)]
    assert "".join(texts) == "I measure it now.It is 4 degrees warm."
    assert len(texts) > 2
    assert all(request.is_streamed for request in server.requests)
    last = events[-1]
    assert isinstance(last, StopEvent)
    assert (last.answer.text, last.answer.stop) == ("It is 4 degrees warm.", StopReason.ANSWERED)


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_thoughts_go_back_to_their_own_provider_unchanged(
    name: str, is_streamed: bool
) -> None:
    """F80: the server refuses a history whose signed parts are gone or changed."""
    call = Call("temperature_of", {"city": "Oslo"})
    replies: list[Step] = [
        Reply(Thought("Hm."), call),
        Reply(Thought("Aha."), "4 degrees."),
        "Indeed.",
    ]
    with provider_server(*replies) as server:
        async with Assistant(MODELS[name](server), service()) as assistant:
            for question in ("How warm is Oslo?", "Really?"):
                if is_streamed:
                    await whole(assistant.stream(question))
                else:
                    await assistant.ask(question)
    assert server.refused == []
    assert len(server.requests) == 3


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_tokens_are_counted(name: str, is_streamed: bool) -> None:
    with provider_server(Reply("Yes.", usage=Usage(100, 7, 40))) as server:
        model = MODELS[name](server)
        reply = (await whole(model.stream(ASKED)))[-1] if is_streamed else await model.reply(ASKED)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 7)


async def test_the_last_request_says_nothing_of_tools_that_it_does_not_declare(name: str) -> None:
    """F81: providers refuse how tools are to be called where there are none."""
    said: dict[str, dict[str, Any]] = {
        "anthropic": {"tool_choice": {"type": "auto"}},
        "gemini": {"tool_config": {"function_calling_config": {"mode": "VALIDATED"}}},
    }
    parameters = said.get(name, {"tool_choice": "auto", "parallel_tool_calls": True})
    call = Call("temperature_of", {"city": "Oslo"})
    with provider_server(Reply(call), "4 degrees.") as server:
        model = MODELS[name](server, parameters=parameters)
        async with Assistant(model, service(), max_iterations=1) as assistant:
            answer = await assistant.ask("How warm is Oslo?")
    assert answer.text == "4 degrees."
    assert server.refused == []
    has_choice = ["tool" in "".join(request.body).lower() for request in server.requests]
    assert has_choice == [True, False]


async def test_a_cut_call_is_told_to_the_model_and_not_run(name: str) -> None:
    """F78: nothing of the cut arguments is sent again."""
    cut = Reply(Call("temperature_of", '{"city": "Os'), stop=ReplyStop.LENGTH)
    with provider_server(cut, "I try to be shorter.") as server:
        async with Assistant(MODELS[name](server), service()) as assistant:
            answer = await assistant.ask("How warm is Oslo?")
    assert answer.text == "I try to be shorter."
    assert server.refused == []


@pytest.mark.parametrize(
    ("status", "told"), [(401, "check the key in"), (404, "no such model"), (400, "400")]
)
async def test_what_a_provider_refuses_is_told_with_what_helps(
    name: str, status: int, told: str
) -> None:
    with provider_server(Failure(status), Failure(status)) as server:
        model = MODELS[name](server)
        with pytest.raises(ProviderError, match=told):
            await model.reply(ASKED)
        with pytest.raises(ProviderError, match=told):
            await whole(model.stream(ASKED))
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_request_is_sent_again_where_that_may_help(name: str, status: int) -> None:
    with provider_server(Failure(status, retry_after=0), "Yes.") as server:
        assert (await MODELS[name](server).reply(ASKED)).text == "Yes."
    assert len(server.requests) == 2


async def test_it_is_sent_as_often_as_was_said_and_no_more(name: str) -> None:
    failing = provider_server(Failure(503, retry_after=0))
    with failing as server, pytest.raises(ProviderError, match="503"):
        await MODELS[name](server, max_retries=0).reply(ASKED)
    assert len(server.requests) == 1


async def test_a_stream_that_breaks_off_is_an_error_and_not_begun_anew(name: str) -> None:
    breaking = provider_server(Dropped(Reply("One two three four five."), after=2))
    with breaking as server, pytest.raises(ProviderError, match="cannot be reached"):
        await whole(MODELS[name](server).stream(ASKED))
    assert len(server.requests) == 1


BAD_ANSWERS: list[Any] = ["<html>Log in</html>", "", "data: [1]\n\n", [], None, "hello", 5, {}]


@pytest.mark.parametrize("body", BAD_ANSWERS, ids=repr)
async def test_an_answer_that_is_no_reply_is_told_as_such(name: str, body: Any) -> None:
    """A proxy, a captive portal or a wrong address answers with anything."""
    with provider_server(Recorded(body), "Hello.") as server:
        async with MODELS[name](server) as model:
            with pytest.raises(ReplyError):
                await model.reply(ASKED)
            assert (await model.reply(ASKED)).text == "Hello."


BAD_EVENTS = ["[1]", "5", "null", '"x"', "no JSON", "{}"]


@pytest.mark.parametrize("event", BAD_EVENTS)
async def test_an_event_that_is_none_is_told_as_such(name: str, event: str) -> None:
    head = "event: message_start\n" if name == "anthropic" else ""
    with provider_server(Recorded(f"{head}data: {event}\n\n")) as server:
        async with MODELS[name](server) as model:
            with pytest.raises(ReplyError):
                await whole(model.stream(ASKED))


async def test_members_of_other_types_are_taken_without_a_warning() -> None:
    """Mistral's thinking models answer with a list where OpenAI has a text."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    message = {"role": "assistant", "content": [thought, {"type": "text", "text": "Hello."}]}
    body = {"id": "1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    with provider_server(Recorded(body)) as server:
        async with MODELS["mistral"](server) as model:
            assert (await model.reply(ASKED)).text == "Hello."


async def test_a_wrong_parameter_is_an_error_of_the_program(name: str) -> None:
    with provider_server() as server:
        async with MODELS[name](server, parameters={"temprature": 0}) as model:
            with pytest.raises((TypeError, ValueError), match="temprature"):
                await model.reply(ASKED)


async def test_whoever_stops_listening_to_a_stream_hangs_up(name: str) -> None:
    text = "One two three four five six seven eight. " * 9
    with provider_server(Hang(Reply(text), after=20)) as server:
        model = MODELS[name](server)
        async with model, Assistant(model, service()) as assistant:
            async with asyncio.timeout(20), aclosing(assistant.stream("Count.")) as events:
                assert isinstance(await anext(events), TextEvent)
            await asyncio.to_thread(server.wait_for_hang_ups, 1)
            assert assistant.conversation.exchanges == ()


async def test_a_model_is_closed_by_async_with(name: str) -> None:
    with provider_server("Hello.") as server:
        async with MODELS[name](server, max_retries=0) as model:
            assert (await model.reply(ASKED)).text == "Hello."
        with pytest.raises((ProviderError, RuntimeError)):
            await model.reply(ASKED)
    for unconnected in (ScriptedModel(["Hello."]), TypedModel()):
        async with unconnected as model:
            assert (await model.reply(ASKED)).text


async def test_no_answer_in_time_is_an_error(name: str) -> None:
    with provider_server(Hang()) as server:
        model = MODELS[name](server, timeout_seconds=0.2, max_retries=0)
        with pytest.raises(ProviderError, match="cannot be reached"):
            async with asyncio.timeout(30):
                await model.reply(ASKED)


async def test_a_server_that_is_not_there_is_told(name: str) -> None:
    with provider_server() as server:
        pass
    with pytest.raises(ProviderError, match="cannot be reached"):
        await MODELS[name](server, max_retries=0).reply(ASKED)


async def test_a_cancelled_request_hangs_up(name: str) -> None:
    with provider_server(Hang()) as server:
        asked = asyncio.ensure_future(MODELS[name](server).reply(ASKED))
        await asyncio.to_thread(server.wait_for, 1)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.to_thread(server.wait_for_hang_ups, 1)


def test_a_key_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    for provider, example in PROVIDERS.items():
        if provider == "ollama":
            continue
        with pytest.raises(ProviderError, match=r"there is no key for \w+; set \w+_API_KEY"):
            model_named(f"{provider}:{example}", environ={})


def test_a_name_that_names_no_model_is_answered_with_those_that_do() -> None:
    for wrong in ("gpt-5", "openai:", "opnai:gpt-5.2", ""):
        with pytest.raises(ProviderError, match="accepted is PROVIDER:MODEL, such as"):
            model_named(wrong, environ={})


def test_a_key_for_one_server_is_never_told_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI", "ANTHROPIC", "GEMINI", "GOOGLE", "MISTRAL"):
        monkeypatch.setenv(f"{variable}_API_KEY", "CANARY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "CANARY")

    async def ask(server: ProviderServer) -> None:
        for provider in PROVIDERS:
            url = {"anthropic": server.anthropic_url, "gemini": server.gemini_url}.get(
                provider, server.mistral_url if provider == "mistral" else server.openai_url
            )
            async with model_named(f"{provider}:any", base_url=url) as model:
                await model.reply(ASKED)

    with provider_server(*"abcdef") as server:
        asyncio.run(ask(server))
    assert len(server.requests) == len(PROVIDERS)
    assert not any("CANARY" in str(request.headers) for request in server.requests)


@pytest.mark.parametrize(
    ("package", "provider"),
    [("openai", "openai"), ("anthropic", "anthropic"), ("google.genai", "gemini")],
)
def test_a_client_that_is_not_installed_is_named_with_its_extra(
    package: str, provider: str
) -> None:
    extra = "gemini" if provider == "gemini" else provider
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from appfunctions_mcp.assistant.providers.named import model_named\n"
        f"model_named('{provider}:x', environ={{}})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f'run pip install "appfunctions-mcp[{extra}]"' in run.stderr


def test_formats_and_the_loop_need_no_client_of_a_provider() -> None:
    code = (
        "import sys, appfunctions_mcp.assistant.assistant, appfunctions_mcp.assistant.scripted\n"
        "from appfunctions_mcp.formats import FORMAT_NAMES, format_named\n"
        "[format_named(name).export_tools([]) for name in FORMAT_NAMES]\n"
        "print({'openai', 'anthropic', 'google.genai'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
