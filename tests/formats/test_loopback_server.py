"""What the loopback server does beside replying: refusing, failing, hanging, replaying."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest
from google.genai import errors as genai_errors

from tests.support.broken_requests import CASES, Case, gemini, openai_chat, openai_responses
from tests.support.broken_requests import anthropic as claude
from tests.support.corpus import corpus
from tests.support.providers import (
    Always,
    Call,
    Dropped,
    Failure,
    Hang,
    ProviderServer,
    Recorded,
    Reply,
    ReplyStop,
    Request,
    provider_server,
    recorded,
)
from tests.support.providers.clients import anthropic_client, generate, openai_client, post
from tests.support.providers.exchange import read_request


def recorded_files() -> list[Any]:
    try:
        files = sorted(corpus("messages").glob("*.json"))
    except pytest.skip.Exception as skipped:
        return [pytest.param([], marks=pytest.mark.skip(str(skipped)))]
    return [pytest.param(json.loads(f.read_text(encoding="utf-8")), id=f.stem) for f in files]


PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/gemini-x:generateContent",
    "mistral": "/mistral/v1/chat/completions",
    "ollama": "/api/chat",
}


def sound(name: str, rule: str) -> dict[str, Any]:
    return next(case.sound for case in CASES[name] if case.rule == rule)


@pytest.mark.parametrize("name", CASES)
def test_every_broken_request_is_answered_with_400(name: str) -> None:
    listed: list[Case] = [case for case in CASES[name] if isinstance(case.broken, dict)]
    with provider_server() as server:
        for case in listed:
            more = {} if name == "gemini" else {"model": "x", "max_tokens": 9}
            status, content = post(server.url + PATHS[name], {**case.broken, **more})
            assert status == 400, case
            assert f"{case.rule} at {case.path}:" in content.decode(), case

    assert len(server.refused) == len(listed) >= 10


FAILURES: list[tuple[int, type[Exception], type[Exception], type[Exception]]] = [
    (401, openai.AuthenticationError, anthropic.AuthenticationError, genai_errors.ClientError),
    (429, openai.RateLimitError, anthropic.RateLimitError, genai_errors.ClientError),
    (500, openai.InternalServerError, anthropic.InternalServerError, genai_errors.ServerError),
    (529, openai.InternalServerError, anthropic.OverloadedError, genai_errors.ServerError),
]


@pytest.mark.parametrize(("status", "of_openai", "of_anthropic", "of_google"), FAILURES)
def test_failures_are_the_errors_of_each_client(
    status: int,
    of_openai: type[Exception],
    of_anthropic: type[Exception],
    of_google: type[Exception],
) -> None:
    failure = Failure(status, "So it is.", retry_after=3)
    with provider_server(Always(failure)) as server:
        with pytest.raises(of_openai, match="So it is") as refused:
            openai_client(server).responses.create(model="x", input="Hi.")
        with pytest.raises(of_anthropic, match="So it is"):
            anthropic_client(server).messages.create(
                model="x", max_tokens=9, messages=[{"role": "user", "content": "Hi."}]
            )
        with pytest.raises(of_google, match="So it is"):
            generate(server, gemini.user())

    error: Any = refused.value
    assert error.response.headers["retry-after"] == "3"


def test_a_client_tries_again_and_uses_up_the_script() -> None:
    with provider_server(Failure(429, retry_after=0), Failure(500, retry_after=0), "Hi.") as server:
        made = openai_client(server, max_retries=2).responses.create(model="x", input="Hi.")

    assert made.output_text == "Hi."
    assert [request.status for request in server.requests] == [429, 500, 200]


def streamed_chat(server: ProviderServer) -> list[Any]:
    asked: Any = [{"role": "user", "content": "Hi."}]
    client = openai_client(server)
    return list(client.chat.completions.create(model="x", messages=asked, stream=True))


def streamed_messages(server: ProviderServer) -> list[Any]:
    asked: Any = [{"role": "user", "content": "Hi."}]
    client = anthropic_client(server)
    return list(client.messages.create(model="x", max_tokens=9, messages=asked, stream=True))


@pytest.mark.parametrize(
    "ask", [streamed_chat, streamed_messages, lambda s: generate(s, gemini.user(), stream=True)]
)
def test_a_connection_ends_in_the_middle_of_a_stream(
    ask: Callable[[ProviderServer], list[Any]],
) -> None:
    with (
        provider_server(Dropped(Reply("A longer text than nine."), after=2)) as server,
        pytest.raises(Exception, match=r"(?i)connection error|peer closed|incomplete|disconnect"),
    ):
        ask(server)


def test_a_connection_ends_in_the_middle_of_a_body() -> None:
    with (
        provider_server(Dropped(Reply("Hi."))) as server,
        pytest.raises(openai.APIConnectionError),
    ):
        openai_client(server).responses.create(model="x", input="Hi.")


@pytest.mark.anyio
async def test_a_client_that_waits_goes_away() -> None:
    steps = [Hang(), Hang(Reply("A longer text than nine."), after=2)]
    with provider_server(*steps) as server:
        client = openai.AsyncOpenAI(base_url=server.openai_url, api_key="any", max_retries=0)
        waiting = asyncio.ensure_future(client.responses.create(model="x", input="Hi."))
        await asyncio.to_thread(server.wait_for, 1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with client.responses.stream(model="x", input="Hi.") as stream:
            assert (await anext(aiter(stream))).type == "response.created"
        await client.close()
        await asyncio.to_thread(server.wait_for_hang_ups, 2)


def test_arguments_are_cut_where_the_limit_is_reached() -> None:
    cut = Reply(Call("get_time", '{"place": "Os'), stop=ReplyStop.LENGTH)
    with provider_server(Always(cut)) as server:
        body: Any = openai_chat.body(openai_chat.USER)
        chat = openai_client(server).chat.completions.create(model="x", **body).choices[0]
        body = openai_responses.body(openai_responses.USER)
        response: Any = openai_client(server).responses.create(model="x", **body)
        body = claude.body(claude.user())
        message: Any = anthropic_client(server).messages.create(model="x", max_tokens=9, **body)
        generated = generate(server, gemini.user())

    calls: Any = chat.message.tool_calls
    assert (chat.finish_reason, calls[0].function.arguments) == ("length", '{"place": "Os')
    assert (response.status, response.output[0].arguments) == ("incomplete", '{"place": "Os')
    assert response.incomplete_details.reason == "max_output_tokens"
    assert (message.stop_reason, message.content[0].input) == ("max_tokens", {})
    assert generated.candidates[0].finish_reason == "MAX_TOKENS"


def test_recorded_bodies_are_replayed_in_order() -> None:
    steps = [
        *recorded("anthropic.tool_with_thinking.json"),
        *recorded("openai.tool_request_reject.json"),
        *recorded("gemini.thought_signature_stream.json"),
    ]
    with provider_server(*steps) as server:
        first = anthropic_client(server).messages.create(
            model="x", max_tokens=9, messages=[{"role": "user", "content": "Hi."}]
        )
        thought, said, call = (b.model_dump(exclude_none=True) for b in first.content)
        replied = claude.model(thought, said, call)
        body: Any = claude.body(claude.user(), replied, claude.user(claude.result(call["id"])))
        second = anthropic_client(server).messages.create(model="x", max_tokens=9, **body)
        streamed = [
            list(openai_client(server).responses.create(model="x", input="Hi.", stream=True))
            for _ in range(2)
        ]
        chunks = generate(server, gemini.user(), stream=True)
        made = chunks[0].candidates[0].content
        generate(
            server, gemini.user(), made, gemini.user(gemini.response("get_country")), stream=True
        )

    assert second.content[0].type == "text"
    assert streamed[0][-1].type == "response.completed"
    assert server.refused == []


@pytest.mark.parametrize("entries", recorded_files())
def test_recorded_traffic_passes_as_it_was(entries: list[dict[str, Any]]) -> None:
    """What a provider answered with 200 is accepted here, signatures and stored ids included."""
    with provider_server(*(Recorded(entry["response"]) for entry in entries)) as server:
        for entry in entries:
            path = entry["uri"].partition(".com")[2]
            status, content = post(server.url + path, entry["request"])

            expected = entry["response"]
            received = content.decode() if isinstance(expected, str) else json.loads(content)
            assert (status, received) == (200, expected)


def test_signatures_from_elsewhere_can_be_made_known() -> None:
    body = {"model": "claude-x", "max_tokens": 9, **claude.TWO}
    with provider_server("Hi.") as server:
        unknown, _ = post(f"{server.url}/v1/messages", body)
        server.know(body)
        known, _ = post(f"{server.url}/v1/messages", body)

    assert (unknown, known) == (400, 200)


def test_without_checks_everything_is_answered() -> None:
    with provider_server("Hi.", checked=False) as server:
        status, _ = post(f"{server.url}/v1/chat/completions", {"messages": [7]})

    assert (status, server.refused) == (200, [])


def test_a_script_that_ends_too_early_fails_the_test() -> None:
    def play() -> None:
        with provider_server("Hi.") as server:
            for _ in range(2):
                post(f"{server.url}/v1/responses", {"model": "x", "input": "Hi."})

    with pytest.raises(AssertionError, match="beyond the end"):
        play()


def test_a_step_that_fails_fails_the_test() -> None:
    def step(request: Request) -> Reply:
        raise ValueError(request.user_text)

    def play() -> None:
        with provider_server(step) as server:
            answers.append(post(f"{server.url}/v1/responses", {"model": "x", "input": "Hi there."}))

    answers: list[tuple[int, bytes]] = []
    with pytest.raises(ValueError, match="Hi there"):
        play()

    assert answers[0][0] == 400
    assert b"the script of the test failed: Hi there." in answers[0][1]


def test_a_script_can_be_prolonged_and_unknown_paths_are_not_found() -> None:
    with provider_server() as server:
        server.add(Recorded({"output": []}))
        status, content = post(
            f"{server.url_of('openai-responses')}/responses", {"model": "x", "input": "a"}
        )
        missing, _ = post(f"{server.url}/v2/replies", {})

    assert (status, json.loads(content)) == (200, {"output": []})
    assert missing == 404
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_an_empty_reply_can_be_given(name: str, is_streamed: bool) -> None:
    path = PATHS[name]
    if is_streamed:
        path = path.replace(":generateContent", ":streamGenerateContent?alt=sse")
    body = {**sound(name, "role"), "model": "x", "max_tokens": 9, "stream": is_streamed}
    with provider_server(Reply()) as server:
        status, content = post(server.url + path, body)

    assert status == 200
    assert content
    assert server.requests[0].is_streamed == is_streamed


@pytest.mark.parametrize(
    ("name", "body", "texts"),
    [
        ("openai-chat", sound("openai-chat", "call-type"), ["12:00"]),
        ("openai-responses", {"input": "Hi."}, []),
        ("openai-responses", sound("openai-responses", "call-name"), ["12:00"]),
        ("anthropic", sound("anthropic", "results-first"), ["12:00"]),
        ("gemini", sound("gemini", "response"), ["12:00"]),
        ("mistral", sound("mistral", "role"), []),
        ("ollama", sound("ollama", "role"), ["12:00"]),
        ("gemini", {"contents": []}, []),
        ("anthropic", {}, []),
    ],
)
def test_results_are_read_out_of_every_form(
    name: str, body: dict[str, Any], texts: list[str]
) -> None:
    request = Request(name, PATHS[name], {}, body, "x", is_streamed=False)

    assert request.result_texts == texts
    assert request.tool_names == (["get_time"] if "tools" in body else [])


@pytest.mark.anyio
async def test_a_body_may_come_in_chunks_and_a_connection_without_a_request() -> None:
    head = b"POST /v1/responses HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    reader = asyncio.StreamReader()
    reader.feed_data(head + b"2\r\n{}\r\n0\r\n\r\n")
    reader.feed_eof()

    read = await read_request(reader)
    assert read is not None
    assert (read.path, read.content) == ("/v1/responses", b"{}")
    assert await read_request(reader) is None


def test_no_json_is_a_broken_request() -> None:
    with provider_server() as server:
        status, _ = post(f"{server.openai_url}/chat/completions", b"no JSON")

    assert status == 400
    assert server.requests[0].body == {}
