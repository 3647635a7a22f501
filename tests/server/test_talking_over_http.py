"""A client that can be asked and told, over HTTP: with sessions and without, in both eras."""

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from tests.server.test_sdk import TALKING, talk, text_of
from tests.support.http_server import Answer, HttpServer, http_server
from tests.support.stdio_server import DEADLINE_SECONDS

pytestmark = pytest.mark.anyio

PROGRAM = ("-m", "tests.support.talking_functions", "http", "0")
OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "t", "version": "1"},
}
ADA = {"action": "accept", "content": {"name": "Ada"}}


@pytest.fixture
def sessions(engine: str) -> Iterator[HttpServer]:
    """A server process with sessions; from 2026-07-28 on either engine answers."""
    with http_server(*PROGRAM, "--sessions", env={"APPFUNCTIONS_ENGINE": engine}) as running:
        yield running


@pytest.fixture
def stateless(engine: str) -> Iterator[HttpServer]:
    """A server process without sessions."""
    with http_server(*PROGRAM, env={"APPFUNCTIONS_ENGINE": engine}) as running:
        yield running


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_client_with_a_session_is_asked_in_either_era(
    mode: str, sessions: HttpServer
) -> None:
    async with Client(sessions.url, mode=mode, **TALKING) as client:
        await talk(client)


async def test_a_client_without_a_session_is_asked_in_rounds(stateless: HttpServer) -> None:
    async with Client(stateless.url, mode="2026-07-28", **TALKING) as client:
        await talk(client)


async def test_a_client_with_a_handshake_and_no_session_confirms_by_a_second_call(
    stateless: HttpServer,
) -> None:
    async with Client(stateless.url, mode="legacy", **TALKING) as client:
        asked = await client.call_tool("greet", {})
        assert asked.is_error
        refused = await client.call_tool("erase", {"note_id": "milk"})
        assert refused.is_error
        assert refused.meta is not None
        token = refused.meta["appfunctions/error"]["confirmation"]
        assert await text_of(client, "erase", note_id="milk", confirmation=token) == "erased milk"


async def test_a_client_with_a_session_hears_of_what_it_subscribed_to(
    sessions: HttpServer,
) -> None:
    heard: list[str] = []

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    async with Client(sessions.url, mode="legacy", message_handler=on_message) as client:
        milk = types.SubscribeRequestParams(uri="note://milk")
        await client.session.send_request(types.SubscribeRequest(params=milk), types.EmptyResult)
        with anyio.fail_after(DEADLINE_SECONDS):
            while not heard:  # until the client has opened its stream, nothing reaches it
                await client.call_tool("touch", {"uri": "note://rent"})
                await client.call_tool("touch", {"uri": "note://milk"})
    assert set(heard) == {"note://milk"}


def test_a_question_is_part_of_the_stream_of_its_own_call(sessions: HttpServer) -> None:
    """Two calls ask at once; each question is on the stream of the call that asks it."""
    opened = sessions.ask(body=_request(0, "initialize", OPENING))
    named = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert sessions.ask(body=ready, headers=named).status == 202
    said: dict[int, list[dict[str, Any]]] = {}

    def be_asked(request_id: int, name: str) -> None:
        said[request_id] = _answered_call(sessions, named, request_id, name)

    calls = [threading.Thread(target=be_asked, args=who) for who in ((1, "Ada"), (2, "Bea"))]
    for thread in calls:
        thread.start()
    for thread in calls:
        thread.join(20)
    for request_id, messages in said.items():
        assert [m.get("method") for m in messages] == ["elicitation/create", None]
        assert messages[-1]["id"] == request_id
    texts = {n: messages[-1]["result"]["content"][0]["text"] for n, messages in said.items()}
    assert texts == {1: "Hello, Ada!", 2: "Hello, Bea!"}


def test_processes_with_equal_keys_go_on_with_each_others_calls(engine: str) -> None:
    """Behind a proxy the answers to a question reach any of several processes."""
    keys = ("k" * 32, "k" * 32 + "," + "l" * 32, "m" * 32)
    with contextlib.ExitStack() as stack:
        one, two, other = (
            stack.enter_context(
                http_server(
                    *PROGRAM, env={"APPFUNCTIONS_ENGINE": engine, "APPFUNCTIONS_STATE_KEYS": key}
                )
            )
            for key in keys
        )
        state = _modern(one, "greet").message["result"]["requestState"]
        brought = {"requestState": state, "inputResponses": {"person": ADA}}
        assert _modern(other, "greet", **brought).message["error"]["code"] == -32602
        greeted = _modern(two, "greet", **brought).message["result"]
        assert greeted["content"][0]["text"] == "Hello, Ada!"

        arguments = {"note_id": "milk"}
        erasing = {"name": "erase", "arguments": arguments}
        asked = one.ask(body=_request(1, "tools/call", erasing)).message["result"]
        arguments["confirmation"] = asked["_meta"]["appfunctions/error"]["confirmation"]
        answers = [
            server.ask(body=_request(1, "tools/call", erasing)).message["result"]
            for server in (other, two, one, two)
        ]
        assert [answer["isError"] for answer in answers] == [True, False, True, True]


def _modern(server: HttpServer, name: str, **params: Any) -> Answer:
    """A call as the newest revision sends it, by a client that can ask its user."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    }
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}
    body = _request(1, "tools/call", {"name": name, **params, "_meta": meta})
    return server.ask(body=body, headers=headers)


def _answered_call(
    server: HttpServer, named: dict[str, str], request_id: int, name: str
) -> list[dict[str, Any]]:
    """Calls a function that asks, answers what comes on the call's own stream, and keeps all."""
    call = json.dumps(_request(request_id, "tools/call", {"name": "greet"}))
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE_SECONDS)
    connection.request("POST", "/mcp", body=call, headers={**accept, **named})
    said = []
    for line in connection.getresponse():
        data = line.removeprefix(b"data: ").strip()
        if not line.startswith(b"data: ") or not data:
            continue
        said.append(json.loads(data))
        if "method" in said[-1]:
            answer = {"action": "accept", "content": {"name": name}}
            reply = {"jsonrpc": "2.0", "id": said[-1]["id"], "result": answer}
            assert server.ask(body=reply, headers=named).status == 202
    connection.close()
    return said


def _request(request_id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
