"""The loopback server against the providers' own clients: text, calls, streams, refusals."""

import json
from typing import Any

import anthropic
import openai
import pytest
from google.genai import errors as genai_errors

from tests.support.broken_requests import anthropic as claude
from tests.support.broken_requests import gemini, ollama, openai_chat, openai_responses
from tests.support.providers import (
    Always,
    Call,
    ProviderServer,
    Reply,
    Thought,
    Usage,
    provider_server,
)
from tests.support.providers.clients import (
    anthropic_client,
    gemini_client,
    generate,
    openai_client,
    post,
)

TWO_CALLS = Reply(
    Thought("Both places."),
    "I look.",
    Call("get_time", {"place": "Oslo"}),
    Call("get_time", {"place": "Røm"}),
)
ASKED = [("get_time", {"place": "Oslo"}), ("get_time", {"place": "Røm"})]


def test_chat_completions_give_text_and_what_was_counted() -> None:
    with provider_server(Reply("Hello.", usage=Usage(7, 2, 3))) as server:
        made = openai_client(server).chat.completions.create(
            model="gpt-x", messages=[{"role": "user", "content": "Hi."}]
        )

    assert made.choices[0].message.content == "Hello."
    assert made.choices[0].finish_reason == "stop"
    assert made.usage is not None
    assert (made.usage.prompt_tokens, made.usage.completion_tokens) == (7, 2)
    assert server.requests[0].body["messages"] == [{"role": "user", "content": "Hi."}]
    assert server.requests[0].headers["authorization"] == "Bearer any"


def test_chat_completions_give_parallel_calls_and_take_their_results() -> None:
    with provider_server(TWO_CALLS, lambda r: Reply(" ".join(r.result_texts))) as server:
        client = openai_client(server)
        body: Any = openai_chat.body(openai_chat.USER)
        first = client.chat.completions.create(model="gpt-x", **body).choices[0]
        calls: Any = first.message.tool_calls
        results = [openai_chat.result(call.id, f"at {i}") for i, call in enumerate(calls)]
        replied = openai_chat.calls(*(call.model_dump() for call in calls))
        body = openai_chat.body(openai_chat.USER, replied, *results)
        second = client.chat.completions.create(model="gpt-x", **body).choices[0]

    assert first.finish_reason == "tool_calls"
    assert [(c.function.name, json.loads(c.function.arguments)) for c in calls] == ASKED
    assert second.message.content == "at 0 at 1"
    assert server.requests[0].tool_names == ["get_time"]
    assert server.requests[1].user_text == openai_chat.USER["content"]


def test_chat_completions_come_in_pieces() -> None:
    with provider_server(TWO_CALLS) as server:
        body: Any = openai_chat.body(openai_chat.USER)
        with openai_client(server).chat.completions.stream(
            model="gpt-x", stream_options={"include_usage": True}, **body
        ) as stream:
            events = [event.type for event in stream]
            made = stream.get_final_completion()

    calls: Any = made.choices[0].message.tool_calls
    assert made.choices[0].message.content == "I look."
    assert [(c.function.name, json.loads(c.function.arguments)) for c in calls] == ASKED
    assert made.usage is not None
    assert events.count("tool_calls.function.arguments.delta") > 2
    assert server.requests[0].is_streamed


def test_chat_completions_refuse_a_broken_history() -> None:
    with provider_server() as server:
        body: Any = openai_chat.body(openai_chat.USER, openai_chat.TWO)
        with pytest.raises(openai.BadRequestError, match="call-without-result at /messages/1") as e:
            openai_client(server).chat.completions.create(model="gpt-x", **body)

    assert e.value.type == "invalid_request_error"
    assert [request.status for request in server.refused] == [400]


def test_responses_give_text_calls_and_thoughts_and_keep_them() -> None:
    def ask(server: ProviderServer, **body: Any) -> Any:
        return openai_client(server).responses.create(model="gpt-x", **body)

    with provider_server(TWO_CALLS, "It is noon.") as server:
        first = ask(server, **openai_responses.body(openai_responses.USER))
        calls = [item for item in first.output if item.type == "function_call"]
        outputs = [openai_responses.output(call.call_id) for call in calls]
        with pytest.raises(openai.BadRequestError, match="call-without-result"):
            ask(server, previous_response_id=first.id, input=outputs[:1])
        with pytest.raises(openai.BadRequestError, match="previous-response"):
            ask(server, previous_response_id="resp_0", input="Hi.")
        second = ask(server, previous_response_id=first.id, input=outputs)

    assert [item.type for item in first.output] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert [(call.name, json.loads(call.arguments)) for call in calls] == ASKED
    assert second.output_text == "It is noon."


def test_responses_want_a_thought_back_with_what_came_of_it() -> None:
    def ask(*items: Any) -> Any:
        body: Any = openai_responses.body(openai_responses.USER, *items, store=False)
        include: Any = ["reasoning.encrypted_content"]
        return openai_client(server).responses.create(model="gpt-x", include=include, **body)

    with provider_server(TWO_CALLS, "Noon.", "Noon.") as server:
        made = [item.model_dump(exclude_none=True) for item in ask().output]
        outputs = [openai_responses.output(i["call_id"]) for i in made if "call_id" in i]
        ask(*made, *outputs)
        with pytest.raises(openai.BadRequestError, match="thought-apart at /input/2"):
            ask(*made[1:], *outputs)
        ask(*({k: v for k, v in i.items() if k != "id"} for i in made[1:]), *outputs)

    assert len(server.refused) == 1


def test_responses_come_in_pieces() -> None:
    with provider_server(TWO_CALLS) as server:
        body: Any = openai_responses.body(openai_responses.USER)
        with openai_client(server).responses.stream(model="gpt-x", **body) as stream:
            events = [event.type for event in stream]
            made = stream.get_final_response()

    calls: list[Any] = [item for item in made.output if item.type == "function_call"]
    assert made.output_text == "I look."
    assert [(call.name, json.loads(call.arguments)) for call in calls] == ASKED
    assert events[0] == "response.created"
    assert events[-1] == "response.completed"
    assert "response.reasoning_summary_text.delta" in events


def test_messages_give_thoughts_and_calls_and_take_them_back_unchanged() -> None:
    def ask(*messages: Any) -> Any:
        body: Any = claude.body(*messages, thinking=claude.THINKING)
        return anthropic_client(server).messages.create(model="claude-x", max_tokens=99, **body)

    with provider_server(TWO_CALLS, lambda r: Reply(" ".join(r.result_texts))) as server:
        first = ask(claude.user())
        made = [block.model_dump(exclude_none=True) for block in first.content]
        results = claude.user(*(claude.result(b["id"]) for b in made if b["type"] == "tool_use"))
        changed = [{**made[0], "thinking": "Other."}, *made[1:]]
        with pytest.raises(anthropic.BadRequestError, match="thought-changed at /messages/1"):
            ask(claude.user(), claude.model(*changed), results)
        foreign = [{**made[0], "signature": "Eqo="}, *made[1:]]
        with pytest.raises(anthropic.BadRequestError, match="signature-unknown"):
            ask(claude.user(), claude.model(*foreign), results)
        second = ask(claude.user(), claude.model(*made), results)

    assert first.stop_reason == "tool_use"
    assert [(b["name"], b["input"]) for b in made if b["type"] == "tool_use"] == ASKED
    assert second.content[0].text == "12:00 12:00"
    assert server.requests[-1].user_text == "What time is it?"


def test_messages_come_in_pieces() -> None:
    with provider_server(TWO_CALLS) as server:
        body: Any = claude.body(claude.user())
        with anthropic_client(server).messages.stream(
            model="claude-x", max_tokens=99, **body
        ) as stream:
            events = [event.type for event in stream]
            made = stream.get_final_message()

    assert [block.type for block in made.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert [(b.name, b.input) for b in made.content if b.type == "tool_use"] == ASKED
    assert made.stop_reason == "tool_use"
    assert events.count("content_block_delta") > 4


def test_messages_refuse_a_broken_history_and_a_request_without_a_limit() -> None:
    with provider_server() as server:
        body: Any = claude.body(claude.user(), claude.model(claude.call()), claude.user())
        with pytest.raises(anthropic.BadRequestError, match="call-without-result") as refused:
            anthropic_client(server).messages.create(model="claude-x", max_tokens=99, **body)
        status, _ = post(f"{server.url}/v1/messages", {"model": "x", **claude.ONE})

    assert refused.value.type == "invalid_request_error"
    assert status == 400
    assert [v.rule for v in server.requests[1].violations] == ["max-tokens"]


def test_gemini_gives_signed_calls_and_wants_the_signature_back() -> None:
    with provider_server(TWO_CALLS, lambda r: Reply(" ".join(r.result_texts))) as server:
        first = generate(server, gemini.user())
        made = first.candidates[0].content
        responses = gemini.user(gemini.response(), gemini.response())
        unsigned = made.model_copy(deep=True)
        for part in unsigned.parts:
            part.thought_signature = None
        with pytest.raises(genai_errors.ClientError, match="thought-signature at /contents/1"):
            generate(server, gemini.user(), unsigned, responses)
        second = generate(server, gemini.user(), made, responses)

    assert [(call.name, call.args) for call in first.function_calls] == ASKED
    assert second.text == "12:00 12:00"
    assert server.requests[0].model == "gemini-3-pro"


def test_gemini_comes_in_pieces() -> None:
    with provider_server(TWO_CALLS) as server:
        chunks = generate(server, gemini.user(), stream=True)

    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    calls = [(p.function_call.name, p.function_call.args) for p in parts if p.function_call]
    assert calls == ASKED
    assert "".join(p.text for p in parts if p.text and not p.thought) == "I look."
    assert len([p for p in parts if p.thought_signature]) == 1
    assert chunks[-1].candidates[0].finish_reason == "STOP"


def test_gemini_refuses_a_broken_history() -> None:
    with provider_server() as server, pytest.raises(genai_errors.ClientError) as refused:
        generate(server, gemini.user(), gemini.model(gemini.call()), gemini.user())

    assert (refused.value.code, refused.value.status) == (400, "INVALID_ARGUMENT")
    assert "result-count at /contents/2" in str(refused.value)


def test_mistral_has_its_own_rules_and_ids() -> None:
    with provider_server(Always(TWO_CALLS)) as server:
        client = openai.OpenAI(base_url=server.mistral_url, api_key="any", max_retries=0)
        body: Any = openai_chat.body(openai_chat.USER)
        made = client.chat.completions.create(model="mistral-x", **body)
        chunks = list(client.chat.completions.create(model="mistral-x", stream=True, **body))
        openai_ids: Any = openai_chat.ONE
        with pytest.raises(openai.BadRequestError, match="call-id"):
            client.chat.completions.create(model="mistral-x", **openai_ids)
        body = openai_chat.body(openai_chat.USER, openai_chat.REPLY)
        with pytest.raises(openai.BadRequestError, match="last-turn"):
            client.chat.completions.create(model="mistral-x", **body)

    calls: Any = made.choices[0].message.tool_calls
    assert [len(call.id) for call in calls] == [9, 9]
    assert chunks[-1].usage is not None
    assert [request.format for request in server.requests] == ["mistral"] * 4


def test_ollama_streams_lines_unless_it_is_told_not_to() -> None:
    with provider_server(TWO_CALLS, TWO_CALLS) as server:
        url = f"{server.ollama_url}/api/chat"
        _, whole = post(
            url, {"model": "llama", "stream": False, **openai_chat.body(openai_chat.USER)}
        )
        _, lines = post(url, {"model": "llama", **openai_chat.body(openai_chat.USER)})
        refused, error = post(
            url, {"model": "llama", **openai_chat.body(openai_chat.USER, ollama.result())}
        )

    message = json.loads(whole)["message"]
    pieces = [json.loads(line) for line in lines.splitlines()]
    asked = [(c["function"]["name"], c["function"]["arguments"]) for c in message["tool_calls"]]
    assert asked == ASKED
    assert "".join(piece["message"]["content"] for piece in pieces) == message["content"]
    assert [piece["done"] for piece in pieces[-2:]] == [False, True]
    assert refused == 400
    assert "result-without-call" in json.loads(error)["error"]


@pytest.mark.anyio
async def test_clients_that_do_not_block_work_as_well() -> None:
    with provider_server(Always("Hello.")) as server:
        of_openai = openai.AsyncOpenAI(base_url=server.openai_url, api_key="any")
        of_anthropic = anthropic.AsyncAnthropic(base_url=server.anthropic_url, api_key="any")
        of_google = gemini_client(server).aio
        response = await of_openai.responses.create(model="x", input="Hi.")
        async with of_anthropic.messages.stream(
            model="x", max_tokens=9, messages=[{"role": "user", "content": "Hi."}]
        ) as stream:
            message = await stream.get_final_text()
        asked = await of_google.models.generate_content_stream(model="gemini-3-pro", contents="Hi.")
        chunks = [chunk.text or "" async for chunk in asked]
        await of_openai.close()
        await of_anthropic.close()
        await of_google.aclose()

    assert (response.output_text, message, "".join(chunks)) == ("Hello.", "Hello.", "Hello.")
