"""Both engines put a function's questions alike: live after a handshake, else in rounds."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.server.asgi import app_functions_asgi
from tests.server.test_engines_agree import (
    CAPABILITIES,
    ENVELOPE,
    LOG_LEVEL,
    OPENING,
    Json,
    notification,
    request,
    require_agreement,
    sorted_answers,
)
from tests.support.asgi_client import ask
from tests.support.engines import Messages, Reply
from tests.support.talking_functions import talking_functions

pytestmark = pytest.mark.anyio

ALL: Json = {"elicitation": {}, "sampling": {}, "roots": {}}
SOME: tuple[Json, ...] = (
    ALL,
    {},
    {"elicitation": {"form": {}}},
    {"elicitation": {"url": {}}},
    {"sampling": {}},
    {"roots": {"listChanged": True}, "elicitation": {}},
)
ANSWERS: dict[str, list[Json]] = {
    "elicitation/create": [
        {"action": "accept", "content": {"name": "Ada", "color": "blue"}},
        {"action": "accept", "content": {"name": "Ada"}},
        {"action": "accept", "content": {}},
        {"action": "accept", "content": {"name": 5}},
        {"action": "accept"},
        {"action": "decline"},
        {"action": "cancel"},
        {"action": "perhaps"},
        {},
    ],
    "sampling/createMessage": [
        {"role": "assistant", "content": {"type": "text", "text": "Hi ★"}, "model": "m"},
        {"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "model": "m"},
        {"role": "assistant", "content": {"type": "video"}, "model": "m"},
        {"content": {"type": "text", "text": "Hi"}},
    ],
    "roots/list": [
        {"roots": [{"uri": "file:///a", "name": "A"}]},
        {"roots": []},
        {"roots": [{}]},
        {},
    ],
}
FITTING = {
    "elicitation/create": {0, 1, 5, 6},
    "sampling/createMessage": {0, 1},
    "roots/list": {0, 1},
}
"""The answers that a call goes on with, by their place."""
ERRORS: list[Json] = [
    {"error": {"code": -32601, "message": "Method not found"}},
    {"error": {"code": -1, "message": "the user said no"}},
]
ASKING: tuple[tuple[str, Json], ...] = (
    *(("tools/call", {"name": name}) for name in ("greet", "introduce", "sign_up", "agree")),
    ("tools/call", {"name": "greet_in_thread"}),
    ("tools/call", {"name": "erase", "arguments": {"note_id": "milk"}}),
    ("tools/call", {"name": "erase", "arguments": {"note_id": 5}}),
    ("resources/read", {"uri": "asking://user"}),
    ("prompts/get", {"name": "plan"}),
)
TAKEN_BACK = "notifications/cancelled"
"""Where one of several answers ends the call, it depends on the time whether others came first."""
CHOICES = st.fixed_dictionaries({m: st.sampled_from(given_) for m, given_ in ANSWERS.items()})
ASKED = st.sampled_from(ASKING)
CAPABLE = st.sampled_from(SOME)


def is_race(asked: tuple[str, Json], answers: dict[str, Json]) -> bool:
    """Whether several answers to questions put at once end the call.

    Which is first, and how often the others were asked by then, is a matter of time.
    """
    unfit = {m for m, answer in answers.items() if ANSWERS[m].index(answer) not in FITTING[m]}
    return asked[1].get("name") == "introduce" and len(unfit) > 1


def replying(answers: Mapping[str, Json]) -> Reply:
    """A client that has one answer to each kind of question."""
    return lambda asked: {"result": answers[asked["method"]]}


@settings(max_examples=80, deadline=None)
@given(ASKED, CAPABLE, CHOICES, st.booleans())
async def test_both_engines_ask_a_client_with_a_handshake_alike(
    asked: tuple[str, Json], capabilities: Json, answers: dict[str, Json], wants_reports: bool
) -> None:
    assume(not is_race(asked, answers))
    method, params = asked
    opening = {**OPENING, "capabilities": capabilities}
    meta = {"_meta": {"progressToken": "t"}} if wants_reports else {}
    await require_agreement(
        [
            [request(0, "initialize", opening), notification("notifications/initialized")],
            [request(1, "logging/setLevel", {"level": "info" if wants_reports else "error"})],
            [request(2, method, {**params, **meta})],
            [request(3, "ping")],
        ],
        make_service=talking_functions,
        reply=replying(answers),
        besides=TAKEN_BACK,
    )


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", ["greet", "introduce", "erase"])
async def test_both_engines_take_an_error_for_an_answer_alike(error: Json, name: str) -> None:
    arguments = {"note_id": "milk"} if name == "erase" else {}
    said = await require_agreement(
        [
            [request(0, "initialize", {**OPENING, "capabilities": ALL})],
            [request(1, "tools/call", {"name": name, "arguments": arguments})],
        ],
        make_service=talking_functions,
        reply=lambda _: error,
        besides=TAKEN_BACK,
    )
    assert said[-1]["result"]["isError"]


async def test_both_engines_take_a_question_back_when_its_call_is_cancelled() -> None:
    said = await require_agreement(
        [
            [request(0, "initialize", {**OPENING, "capabilities": ALL})],
            [request("g", "tools/call", {"name": "greet", "_meta": {"progressToken": "g"}})],
            [request(1, "ping")],
            [notification("notifications/cancelled", {"requestId": "g"})],
            [request(2, "ping")],
        ],
        ["g"],
        make_service=talking_functions,
    )
    methods = [message["method"] for message in said if "method" in message]
    assert methods == ["elicitation/create", "notifications/cancelled"]


# Rounds: the client brings the answers, and the sealed state, with the next request.


@settings(max_examples=60, deadline=None)
@given(ASKED, CAPABLE, CHOICES, st.booleans())
async def test_both_engines_ask_in_the_same_rounds(
    asked: tuple[str, Json], capabilities: Json, answers: dict[str, Json], wants_reports: bool
) -> None:
    method, params = asked
    meta: Json = {**ENVELOPE, CAPABILITIES: capabilities}
    if wants_reports:
        meta |= {"progressToken": "t", LOG_LEVEL: "info"}
    said = [
        await rounds_of(engine, method, {**params, "_meta": meta}, answers)
        for engine in ("lean", "sdk")
    ]
    assert sorted_answers(said[0]) == sorted_answers(said[1])


async def rounds_of(
    engine: Any, method: str, params: Json, answers: Mapping[str, Json], most: int = 4
) -> Messages:
    """Everything that a server says until it has an answer, or has asked often enough."""
    app = app_functions_asgi(talking_functions(), engine=engine)
    name = params.get("name", params.get("uri"))
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": method, "mcp_name": name}
    said: Messages = []
    continuing: Json = {}
    async with app.running():
        for n in range(most):
            answer = await ask(app, request(n, method, {**params, **continuing}), **headers)
            said += answer.messages
            result = said[-1].get("result", {})
            if result.get("resultType") != "input_required":
                break
            given_ = {key: answers[r["method"]] for key, r in result["inputRequests"].items()}
            continuing = {"inputResponses": given_, "requestState": result["requestState"]}
    return said


@pytest.mark.parametrize("http_engine", ["lean", "sdk"])
async def test_questions_that_are_asked_together_make_one_round(http_engine: str) -> None:
    answers = {method: first[0] for method, first in ANSWERS.items()}
    meta = {**ENVELOPE, CAPABILITIES: ALL}
    call = {"name": "introduce", "_meta": meta}
    said = await rounds_of(http_engine, "tools/call", call, answers)
    assert [len(m["result"].get("inputRequests", {})) for m in said] == [3, 0]
    assert said[-1]["result"]["content"][0]["text"] == "Ada: Hi ★ ['file:///a']"


@pytest.mark.parametrize("http_engine", ["lean", "sdk"])
async def test_a_state_of_another_call_is_refused(http_engine: Any) -> None:
    app = app_functions_asgi(talking_functions(), engine=http_engine)
    meta = {**ENVELOPE, CAPABILITIES: ALL}
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    call = request(1, "tools/call", {"name": "greet", "_meta": meta})
    async with app.running():
        first = await ask(app, call, **headers, mcp_name="greet")
        state = first.message["result"]["requestState"]
        for name, brought in (("agree", state), ("greet", state + "x"), ("greet", "x")):
            params = {"name": name, "_meta": meta, "requestState": brought}
            answer = await ask(app, request(2, "tools/call", params), **headers, mcp_name=name)
            assert answer.status == 400
            assert answer.message["error"]["code"] == -32602
