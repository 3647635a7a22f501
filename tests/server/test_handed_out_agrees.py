"""Both engines hand the same out, ask the same before a step, and let nobody else take it."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.server.asgi import AppFunctionsApp, HttpEngine, app_functions_asgi
from appfunctions_mcp.testing import connect
from tests.server.test_engines_agree import (
    CAPABILITIES,
    ENVELOPE,
    OPENING,
    Json,
    notification,
    request,
    require_agreement,
)
from tests.support.asgi_client import BOTH, ask
from tests.support.engines import Messages
from tests.support.handing_functions import STEP, handing_functions

pytestmark = pytest.mark.anyio

ELICITS: Json = {"elicitation": {"form": {}}}
CALLS: list[tuple[str, Json]] = [
    ("tools/call", {"name": "pay", "arguments": {"amount": 5}}),
    ("tools/call", {"name": "bill", "arguments": {"amount": 7}}),
    ("tools/call", {"name": "silent"}),
    ("tools/call", {"name": "greet"}),
    ("tools/call", {"name": "useless"}),
    ("tools/call", {"name": "share", "arguments": {"uri": "report://2026/7", "mode_flags": 1}}),
    ("tools/call", {"name": "share", "arguments": {"uri": "report://2026", "mode_flags": 129}}),
    ("tools/call", {"name": "share", "arguments": {"uri": "secret://all", "mode_flags": 2}}),
    ("tools/call", {"name": "share", "arguments": {"uri": "x:y", "mode_flags": 128}}),
    *[
        ("resources/read", {"uri": uri})
        for uri in (
            *[STEP + n for n in ("pay", "bill", "nothing", "picture", "missing", "crash", "greet")],
            *["report://2026/7", "report://2026/8", "report://2025/7", "report://x/7"],
            *["secret://all", "tree://a", "pending-intent://nope"],
        )
    ],
    ("resources/subscribe", {"uri": "report://2026/7"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("tools/list", {}),
]
ANSWERS = st.sampled_from(
    [{"action": "accept", "content": {}}, {"action": "decline"}, {"action": "cancel"}]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(CALLS), max_size=12), st.booleans(), st.booleans(), ANSWERS)
async def test_both_engines_hand_the_same_out_to_a_client_with_a_handshake(
    calls: list[tuple[str, Json]], asks: bool, does_open: bool, answer: Json
) -> None:
    opening = {**OPENING, "capabilities": ELICITS if asks else {}}
    chunks = [[request(n, method, params)] for n, (method, params) in enumerate(calls, 1)]
    if does_open:
        chunks.insert(0, [request(0, "initialize", opening)])
        chunks.insert(1, [notification("notifications/initialized")])

    await require_agreement(
        chunks, make_service=handing_functions, reply=lambda _: {"result": answer}
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(CALLS), max_size=12))
async def test_both_engines_hand_the_same_out_in_the_modern_era(
    calls: list[tuple[str, Json]],
) -> None:
    chunks = [
        [request(n, method, {**params, "_meta": ENVELOPE})]
        for n, (method, params) in enumerate(calls)
    ]

    await require_agreement(chunks, make_service=handing_functions)


def pay_and_read(times: int = 2) -> list[list[Json]]:
    reads = [[request(n, "resources/read", {"uri": f"{STEP}pay"})] for n in range(2, 2 + times)]
    call = request(1, "tools/call", {"name": "pay", "arguments": {"amount": 5}})
    opening = request(0, "initialize", {**OPENING, "capabilities": ELICITS})
    return [[opening, notification("notifications/initialized")], [call], *reads]


def by_id(said: Messages, request_id: object) -> Json:
    (message,) = [m for m in said if m.get("id") == request_id and "method" not in m]
    return message


async def test_a_client_that_can_be_asked_is_asked_before_the_step() -> None:
    questions: list[Json] = []

    def accept(asked: Json) -> Json:
        questions.append(asked["params"])
        return {"result": {"action": "accept", "content": {}}}

    said = await require_agreement(pay_and_read(), make_service=handing_functions, reply=accept)

    assert [q["message"] for q in questions] == ["Let pay happen."] * 2  # one of each engine
    assert by_id(said, 2)["result"]["contents"][0]["text"] == "paid 5"
    assert "taken already" in by_id(said, 3)["error"]["message"]
    assert by_id(said, 3)["error"]["data"]["uri"] == f"{STEP}pay"


async def test_who_declines_is_not_asked_again() -> None:
    said = await require_agreement(
        pay_and_read(),
        make_service=handing_functions,
        reply=lambda _: {"result": {"action": "decline"}},
    )

    assert "the user declined; nothing has been done" in by_id(said, 2)["error"]["message"]
    assert by_id(said, 2)["error"]["data"]["type"] == "AppFunctionDeniedException"
    assert "this step was declined by the user" in by_id(said, 3)["error"]["message"]


async def test_who_dismisses_a_question_may_be_asked_again() -> None:
    for engine_answers in (["cancel", "accept"],):
        answers = iter(engine_answers * 2)
        said = await require_agreement(
            pay_and_read(),
            make_service=handing_functions,
            reply=lambda _, answers=answers: {"result": {"action": next(answers)}},  # type: ignore[misc] # bound now
        )

        assert "dismissed the question" in by_id(said, 2)["error"]["message"]
        assert by_id(said, 3)["result"]["contents"][0]["text"] == "paid 5"


async def test_a_client_that_refuses_what_it_has_declared_takes_the_step_by_reading() -> None:
    refused = {"error": {"code": -32601, "message": "Method not found"}}
    said = await require_agreement(
        pay_and_read(), make_service=handing_functions, reply=lambda _: refused
    )

    assert by_id(said, 2)["result"]["contents"][0]["text"] == "paid 5"


async def send(app: AppFunctionsApp, method: str, params: Json) -> Json:
    """Sends one modern request of a client that can be asked."""
    answer = await ask(
        app,
        request(7, method, {**params, "_meta": {**ENVELOPE, CAPABILITIES: ELICITS}}),
        accept=BOTH,
        mcp_protocol_version="2026-07-28",
        mcp_method=method,
        mcp_name=params.get("uri") or params.get("name"),
    )
    body = answer.body.decode()
    lines = [line[6:] for line in body.splitlines() if line.startswith("data: ")]
    message: Json = json.loads(lines[-1] if lines else body)
    return message


def accepted(asked: Json) -> Json:
    """What the next round brings along when the user agrees."""
    assert asked["resultType"] == "input_required"
    (key,) = asked["inputRequests"]
    answer = {key: {"action": "accept", "content": {}}}
    return {"requestState": asked["requestState"], "inputResponses": answer}


async def test_in_the_modern_era_a_step_is_asked_for_in_a_round() -> None:
    answers = []
    for engine in ("lean", "sdk"):
        app = app_functions_asgi(handing_functions(), engine=engine)

        async with app.running():
            await send(app, "tools/call", {"name": "pay", "arguments": {"amount": 5}})
            first = (await send(app, "resources/read", {"uri": f"{STEP}pay"}))["result"]
            again = {"uri": f"{STEP}pay", **accepted(first)}
            last = await send(app, "resources/read", again)
            used = await send(app, "resources/read", again)
        answers.append([first["inputRequests"], last, used])

    assert answers[0] == answers[1]
    assert answers[0][1]["result"]["contents"][0]["text"] == "paid 5"
    assert "taken already" in answers[0][2]["error"]["message"]


@pytest.mark.parametrize("name", ["wait_for_it", "block_for_it"])
@pytest.mark.parametrize("engine", ["lean", "sdk"])
async def test_a_step_that_asks_something_itself_is_taken_in_its_last_round(
    engine: HttpEngine, name: str
) -> None:
    app = app_functions_asgi(handing_functions(), engine=engine)
    params: Json = {"uri": STEP + name}
    async with app.running():
        await send(app, "tools/call", {"name": "curious"})
        for _ in ("the step", "its own question"):
            asked = (await send(app, "resources/read", params))["result"]
            params |= accepted(asked)
        last = await send(app, "resources/read", params)
        used = await send(app, "resources/read", params)

    assert last["result"]["contents"][0]["text"] == "sure: True"
    assert "taken already" in used["error"]["message"]


@pytest.mark.parametrize("engine", ["lean", "sdk"])
async def test_callers_that_nothing_tells_apart_share_what_they_were_given(
    engine: HttpEngine,
) -> None:
    app = app_functions_asgi(handing_functions(), engine=engine)
    share = {"name": "share", "arguments": {"uri": "report://2026/7", "mode_flags": 1}}
    read = request(1, "resources/read", {"uri": "report://2026/7"})
    async with app.running():
        assert b"there is no resource" in (await ask(app, read, accept=BOTH)).body
        await ask(app, request(1, "tools/call", share), accept=BOTH)

        assert b"report 7 of 2026" in (await ask(app, read, accept=BOTH)).body


async def test_the_sdks_client_reads_what_it_was_given() -> None:
    async with connect(handing_functions()) as client:
        result = await client.call_tool("bill", {"amount": 9})
        kinds = [block.type for block in result.content]
        step = await client.read_resource(f"{STEP}bill")

    assert kinds == ["text", "resource_link", "resource"]
    assert result.structured_content is not None
    assert result.structured_content["payment"] == f"{STEP}bill"
    assert step.contents[0].text == '{"paid":9}'  # type: ignore[union-attr] # a text


async def test_of_two_who_read_at_once_one_takes_the_step() -> None:
    service = handing_functions()
    async with connect(service) as client:
        await client.call_tool("pay", {"amount": 5})
        read = [client.read_resource(f"{STEP}pay") for _ in range(5)]
        ended = await asyncio.gather(*read, return_exceptions=True)

    failed = [each for each in ended if isinstance(each, Exception)]
    assert len(failed) == 4
    assert all("taken already" in str(each) for each in failed)
