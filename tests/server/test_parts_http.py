"""Resources, prompts, questions and changes over stateless HTTP, by the lean engine."""

import asyncio
from typing import Any

import pytest

from appfunctions_mcp.server.asgi import AppFunctionsApp, app_functions_asgi
from tests.support.asgi_client import AsgiRequest, asgi_request, ask
from tests.support.http_server import Answer
from tests.support.talking_functions import talking_functions

pytestmark = pytest.mark.anyio

Json = dict[str, Any]


@pytest.fixture
def app() -> AppFunctionsApp:
    """The app, not yet started."""
    return app_functions_asgi(talking_functions())


def modern(
    app: AppFunctionsApp, method: str, params: Json, capabilities: Json | None = None, **meta: Any
) -> AsgiRequest:
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        **meta,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": envelope}}
    named = params.get("uri", params.get("name"))
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": named}
    return asgi_request(app, body, **headers)


async def handshake(app: AppFunctionsApp, method: str, params: Json) -> Answer:
    return await ask(app, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


async def test_resources_and_prompts_are_answered_in_both_eras(app: AppFunctionsApp) -> None:
    asked: list[tuple[str, Json]] = [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "notes://all"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "review", "arguments": {"note_id": "milk"}}),
    ]
    for method, params in asked:
        old = (await handshake(app, method, params)).message["result"]
        new = (await modern(app, method, params).run()).message["result"]
        assert old.items() <= new.items()
        assert new["resultType"] == "complete"


async def test_an_unknown_address_has_a_status_in_the_modern_era(app: AppFunctionsApp) -> None:
    params = {"uri": "notes://absent"}
    new = await modern(app, "resources/read", params).run()
    assert (new.status, new.message["error"]["data"]["uri"]) == (400, "notes://absent")
    old = await handshake(app, "resources/read", params)
    assert (old.status, old.message["error"]) == (200, new.message["error"])


async def test_a_name_in_a_header_has_to_be_that_of_the_body(app: AppFunctionsApp) -> None:
    request = modern(app, "resources/read", {"uri": "notes://all"})
    request.headers = {**request.headers, "mcp-name": "notes://else"}
    assert (await request.run()).message["error"]["code"] == -32020


async def test_a_prompt_tells_of_its_progress_on_a_stream(app: AppFunctionsApp) -> None:
    answer = await modern(
        app, "prompts/get", {"name": "plan"}, {"elicitation": {}}, progressToken=5
    ).run()
    assert answer.headers["content-type"] == "text/event-stream"
    progress, result = answer.messages
    assert progress["params"] == {"progressToken": 5, "progress": 1}
    assert result["result"]["resultType"] == "input_required"


async def test_a_question_is_an_answer_and_its_own_answer_comes_with_the_next_request(
    app: AppFunctionsApp,
) -> None:
    params: Json = {"name": "greet", "arguments": {}}
    able: Json = {"elicitation": {}}
    asked = await modern(app, "tools/call", params, able).run()
    assert asked.status == 200
    result = asked.message["result"]
    params["inputResponses"] = {"person": {"action": "accept", "content": {"name": "Ada"}}}
    params["requestState"] = result["requestState"]
    done = await modern(app, "tools/call", params, able).run()
    assert done.message["result"]["content"][0]["text"] == "Hello, Ada!"
    params["requestState"] += "x"
    refused = await modern(app, "tools/call", params, able).run()
    assert (refused.status, refused.message["error"]["code"]) == (400, -32602)


async def test_who_cannot_be_asked_is_told_so(app: AppFunctionsApp) -> None:
    params: Json = {"name": "greet", "arguments": {}}
    new = await modern(app, "tools/call", params).run()
    assert (new.status, new.message["error"]["code"]) == (400, -32021)
    old = await handshake(app, "tools/call", params)
    assert old.message["result"]["_meta"]["appfunctions/error"]["code"] == 3501


async def test_without_a_connection_a_subscription_is_taken_but_not_offered(
    app: AppFunctionsApp,
) -> None:
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    opened = await handshake(app, "initialize", params)
    assert opened.message["result"]["capabilities"]["resources"]["subscribe"] is False
    for method in ("resources/subscribe", "resources/unsubscribe"):
        taken = await handshake(app, method, {"uri": "notes://all"})
        assert taken.message["result"] == {}


async def test_a_stream_tells_of_the_resources_and_lists_that_it_was_opened_for(
    app: AppFunctionsApp,
) -> None:
    wanted = {"resourceSubscriptions": ["note://milk"], "promptsListChanged": True}
    request = modern(app, "subscriptions/listen", {"notifications": wanted})
    listening = asyncio.create_task(request.run())
    await request.until_events(2)
    for uri in ("note://rent", "note://milk"):
        params = {"name": "touch", "arguments": {"uri": uri}}
        await modern(app, "tools/call", params).run()
    await modern(app, "tools/call", {"name": "change_lists", "arguments": {}}).run()
    while not all(kind in request.answer().body for kind in (b"/updated", b"/list_changed")):
        await request.until_events(len(request.events) + 1)
    request.leave()
    acknowledged, *told = (await listening).messages
    assert acknowledged["params"]["notifications"] == wanted
    meta = {"io.modelcontextprotocol/subscriptionId": 1}
    assert {m["method"]: m["params"] for m in told} == {
        "notifications/resources/updated": {"uri": "note://milk", "_meta": meta},
        "notifications/prompts/list_changed": {"_meta": meta},
    }
