"""Questions of a running request, as the lean engine puts them in each protocol era."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.prompt_declaration import app_prompt
from appfunctions_mcp.resource_declaration import app_resource
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.pending_request import PendingRequest
from appfunctions_mcp.server.subscriptions import Subscription
from appfunctions_mcp.service import AppFunctionService
from tests.support.engines import exchange

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
CLIENT = {"name": "test", "version": "1"}
ABLE: Json = {"elicitation": {}, "sampling": {}, "roots": {}}


class Name(BaseModel):
    name: str


@app_function
async def greet(context: AppFunctionContext) -> str:
    """Greets the user by name."""
    answer = await context.ask("Who are you?", Name, key="user_name")
    return "nobody" if answer is None else f"Hello, {answer.name}!"


@app_function
async def greet_both(context: AppFunctionContext) -> str:
    """Greets two users by name."""
    context.report_progress(1)
    first, second = await asyncio.gather(
        context.ask("Who is first?", Name), context.ask("Who is second?", Name)
    )
    assert first is not None
    assert second is not None
    third = await context.ask("Who is third?", Name)
    assert third is not None
    return f"Hello, {first.name}, {second.name} and {third.name}!"


@app_function
async def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app_function(requires_confirmation=True)
async def wipe() -> str:
    """Deletes everything."""
    return "wiped"


@app_prompt
async def about(context: AppFunctionContext) -> str:
    """Asks what it is about."""
    answer = await context.ask("Whom is it about?", Name)
    return "nobody" if answer is None else f"Write about {answer.name}."


@app_resource("notes://mine")
async def mine(context: AppFunctionContext) -> str:
    """Holds what somebody has written."""
    answer = await context.ask("Whose?", Name)
    return "nobody" if answer is None else f"By {answer.name}."


def served() -> AppFunctionService:
    return AppFunctionService.from_functions(
        [greet, greet_both, add, wipe, about, mine], name="asking", description="Serves tests."
    )


def line(method: str, params: Json, request_id: int | None = None) -> bytes:
    message: Json = {"jsonrpc": "2.0", "method": method, "params": params}
    if request_id is not None:
        message["id"] = request_id
    return json.dumps(message).encode()


def opening(capabilities: Json) -> list[bytes]:
    asked = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": CLIENT}
    return [line("initialize", asked, 0), line("notifications/initialized", {})]


def call(name: str, request_id: int = 7) -> bytes:
    return line("tools/call", {"name": name, "arguments": {}}, request_id)


def reply(result: Json, request_id: int = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode()


def accepted(name: str) -> Json:
    return {"action": "accept", "content": {"name": name}}


def text_of(message: Json) -> str:
    text = message["result"]["content"][0]["text"]
    assert isinstance(text, str)
    return text


async def test_a_question_goes_to_the_client_and_its_answer_into_the_function() -> None:
    chunks = [opening(ABLE), [call("greet")], [reply(accepted("Ada"))]]
    _, question, answer = await exchange("lean", served(), chunks, lasting={7})
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"] == "Who are you?"
    assert question["params"]["requestedSchema"]["required"] == ["name"]
    assert text_of(answer) == "Hello, Ada!"


async def test_two_questions_at_once_are_two_requests_answered_in_any_order() -> None:
    chunks = [
        opening(ABLE),
        [call("greet_both")],
        [reply(accepted("Bob"), 2)],
        [reply(accepted("Ada"), 1)],
        [reply(accepted("Eve"), 3)],
    ]
    told = await exchange("lean", served(), chunks, lasting={7})
    assert [message["id"] for message in told] == [0, 1, 2, 3, 7]
    assert text_of(told[-1]) == "Hello, Ada, Bob and Eve!"


async def test_resources_and_prompts_ask_as_well() -> None:
    chunks = [
        opening(ABLE),
        [line("resources/read", {"uri": "notes://mine"}, 7)],
        [reply(accepted("Ada"))],
        [line("prompts/get", {"name": "about"}, 8)],
        [reply(accepted("Bob"), 2)],
    ]
    told = await exchange("lean", served(), chunks, lasting={7, 8})
    assert told[2]["result"]["contents"][0]["text"] == "By Ada."
    assert told[4]["result"]["messages"][0]["content"]["text"] == "Write about Bob."


async def test_a_cancelled_call_takes_its_question_back() -> None:
    chunks = [
        opening(ABLE),
        [call("greet")],
        [line("notifications/cancelled", {"requestId": 7}), line("ping", {}, 8)],
    ]
    told = await exchange("lean", served(), chunks, lasting={7})
    assert [message.get("id") for message in told if "result" in message] == [0, 8]
    taken_back = [m for m in told if m.get("method") == "notifications/cancelled"]
    assert [m["params"]["requestId"] for m in taken_back] == [1]


async def test_a_client_that_leaves_ends_what_waits_for_its_answer() -> None:
    told = await exchange("lean", served(), [opening(ABLE), [call("greet")]], lasting={7})
    assert "left before it answered" in text_of(told[-1])


async def test_answers_that_nobody_waits_for_are_passed_over() -> None:
    chunks = [opening(ABLE), [reply(accepted("Ada"), 5)], [line("ping", {}, 7)]]
    told = await exchange("lean", served(), chunks)
    assert told[-1] == {"jsonrpc": "2.0", "id": 7, "result": {}}


async def test_who_cannot_be_asked_gets_an_error_or_confirms_in_two_calls() -> None:
    chunks = [opening({}), [call("greet")], [call("wipe", 8)]]
    _, unable, unconfirmed = await exchange("lean", served(), chunks)
    assert unable["result"]["_meta"]["appfunctions/error"]["code"] == 3501
    assert "confirmation" in unconfirmed["result"]["_meta"]["appfunctions/error"]
    chunks = [opening(ABLE), [call("wipe")], [reply({"action": "accept", "content": {}})]]
    *_, wiped = await exchange("lean", served(), chunks, lasting={7})
    assert text_of(wiped) == "wiped"


class Rounds:
    """A client of the modern era that sends its requests one by one."""

    def __init__(self, service: AppFunctionService, capabilities: Json = ABLE) -> None:
        self.methods = Methods(service)
        self.capabilities = capabilities
        self.told: list[Json] = []

    async def send(self, method: str, params: Json, **meta: Any) -> Json:
        envelope = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            **meta,
        }
        request = {"jsonrpc": "2.0", "id": 1, "method": method}
        request["params"] = {**params, "_meta": envelope}
        session = ClientSession(AppFunctionCaller(name="test"), era="modern")
        prepared = self.methods.prepare(request, session)
        if isinstance(prepared, PendingRequest):
            prepared = await prepared.run(self._tell)
        assert not isinstance(prepared, Subscription)
        read = json.loads(prepared) if isinstance(prepared, bytes) else prepared
        assert isinstance(read, dict)
        return read

    async def _tell(self, notification: Json) -> None:
        self.told.append(notification)


def continued(params: Json, asked: Json, **answers: Json) -> Json:
    state = asked["result"]["requestState"]
    return {**params, "inputResponses": answers, "requestState": state}


async def test_a_question_is_the_answer_of_a_first_round() -> None:
    client, params = Rounds(served()), {"name": "greet", "arguments": {}}
    asked = await client.send("tools/call", params)
    result = asked["result"]
    assert result["resultType"] == "input_required"
    assert list(result["inputRequests"]) == ["user_name"]
    assert result["inputRequests"]["user_name"]["method"] == "elicitation/create"
    assert "io.modelcontextprotocol/serverInfo" in result["_meta"]
    params = continued(params, asked, user_name=accepted("Ada"))
    assert text_of(await client.send("tools/call", params)) == "Hello, Ada!"


async def test_questions_at_once_are_one_round_and_earlier_answers_are_kept() -> None:
    client, params = Rounds(served()), {"name": "greet_both", "arguments": {}}
    asked = await client.send("tools/call", params, progressToken="p")
    first, second = asked["result"]["inputRequests"]
    answers = {first: accepted("Ada"), second: accepted("Bob")}
    again = await client.send("tools/call", continued(params, asked, **answers))
    (third,) = again["result"]["inputRequests"]
    assert again["result"]["requestState"] != asked["result"]["requestState"]
    last = await client.send("tools/call", continued(params, again, **{third: accepted("Eve")}))
    assert text_of(last) == "Hello, Ada, Bob and Eve!"
    assert [n["params"]["progress"] for n in client.told] == [1]


@pytest.mark.parametrize(
    ("method", "params"),
    [("resources/read", {"uri": "notes://mine"}), ("prompts/get", {"name": "about"})],
)
async def test_resources_and_prompts_are_answered_in_rounds_too(method: str, params: Json) -> None:
    client = Rounds(served())
    asked = await client.send(method, params)
    assert asked["result"]["resultType"] == "input_required"
    assert "ttlMs" not in asked["result"]
    (key,) = asked["result"]["inputRequests"]
    done = await client.send(method, continued(params, asked, **{key: accepted("Ada")}))
    assert "Ada" in json.dumps(done["result"])
    assert done["result"]["resultType"] == "complete"


async def test_answers_to_other_questions_are_asked_for_again() -> None:
    client = Rounds(served())
    params = {"name": "greet", "arguments": {}, "inputResponses": {"other": accepted("Ada")}}
    asked = await client.send("tools/call", params)
    assert list(asked["result"]["inputRequests"]) == ["user_name"]


@pytest.mark.parametrize("name", ["greet", "add"])
async def test_a_state_that_was_changed_is_refused(name: str) -> None:
    client, params = Rounds(served()), {"name": "greet", "arguments": {}}
    asked = await client.send("tools/call", params)
    changed = continued({**params, "name": name}, asked, user_name=accepted("Ada"))
    if name == "greet":
        changed["requestState"] += "-TAMPERED"
    error = (await client.send("tools/call", changed))["error"]
    assert error["code"] == -32602
    assert "requestState" in error["message"]


async def test_a_confirmation_is_a_round_where_the_client_can_ask() -> None:
    client, params = Rounds(served()), {"name": "wipe", "arguments": {}}
    asked = await client.send("tools/call", params)
    (key,) = asked["result"]["inputRequests"]
    agreed: Json = {"action": "accept", "content": {}}
    done = await client.send("tools/call", continued(params, asked, **{key: agreed}))
    assert text_of(done) == "wiped"
    declined = continued(params, asked, **{key: {"action": "decline"}})
    refused = await client.send("tools/call", declined)
    assert "AppFunctionDeniedException" in text_of(refused)


async def test_a_modern_client_that_cannot_be_asked_is_told_what_is_missing() -> None:
    error = (await Rounds(served(), {}).send("tools/call", {"name": "greet"}))["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_function_that_cannot_ask_is_answered_without_a_round() -> None:
    client = Rounds(served())
    params = {"name": "add", "arguments": {"a": 1, "b": 2}}
    assert text_of(await client.send("tools/call", params)) == '{"result":3}'
    assert "_states" not in vars(client.methods)


@pytest.mark.parametrize("engine", ["lean", "sdk"])
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"result": []}, "AppFunctionSystemUnknownException: the client's answer"),
        ({"result": None}, "AppFunctionSystemUnknownException: the client's answer"),
        ({"error": None}, "AppFunctionSystemUnknownException: the client's answer"),
        ({"error": "no"}, "AppFunctionDeniedException: the client refused elicitation"),
        ({"error": {"code": "x"}}, "AppFunctionDeniedException: the client refused elicitation"),
        ({"error": None, "result": accepted("Ada")}, "Hello, Ada!"),
        ({"error": {"code": 1, "message": ""}, "result": accepted("Ada")}, "AppFunctionDenied"),
    ],
)
async def test_an_answer_without_a_valid_form_ends_its_question(
    engine: Any, answer: Json, told: str
) -> None:
    said = await exchange(
        engine,
        served(),
        [opening(ABLE), [call("greet")], [line("ping", {}, 8)]],
        [],
        lambda _: answer,
    )
    assert text_of(next(m for m in said if m.get("id") == 7)).startswith(told)
