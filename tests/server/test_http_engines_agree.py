"""Over HTTP, too, the lean engine answers what the SDK's engine answers.

The SDK is the oracle; requests stand alone here. What may differ stands in `ALLOWED_DIFFERENCES`;
what is compared either keeps clear of it or takes it out first.
"""

import asyncio
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.server.asgi import app_functions_asgi
from tests.server.test_engines_agree import (
    BAD_LINES,
    COUNTING,
    ENVELOPE,
    GOOD_CALLS,
    LOG_LEVEL,
    NOTIFICATIONS,
    OPENING,
    VERSION,
    Json,
    request,
    requests,
    without_chance,
)
from tests.support.asgi_client import BOTH, DEADLINE_SECONDS, asgi_request, ask
from tests.support.http_server import Answer
from tests.support.served_functions import served_functions

pytestmark = pytest.mark.anyio

ALLOWED_DIFFERENCES = {
    "the form of an answer where the client takes both": (
        "the SDK always streams in the handshake era; JSON costs less until something is told"
    ),
    "the form of an answer where the client takes a stream only": (
        "the SDK answers with JSON from 2026-07-28 on, though nobody asked for it"
    ),
    "log messages of calls in the handshake era": (
        "without a session nobody can ask for them; the lean engine sends them from info up"
    ),
    "the error for a body that is no message, or whose id is none": (
        "400 from both, but for an id of a wrong kind, which the SDK takes for a notification; "
        "the lean engine has JSON-RPC's codes and repeats the id where it can be read"
    ),
    "a version in the header that nobody knows": (
        "F53: it counts for nothing at the handshake, and is told with the versions served later"
    ),
    "the body of a refusal for its length or for its Accept header": (
        "the lean engine's is a JSON-RPC error, and after a body too long the connection ends"
    ),
    "results nested deeper than 200": "the SDK's transport cannot write them",
}
"""What may differ, and why."""


def plain(answer: Answer) -> tuple[int, list[Any]]:
    """Status and messages, without what is random or may differ."""
    body = without_chance(answer.body.decode()).encode()
    messages = Answer(answer.status, answer.headers, body).messages if body else []
    return answer.status, [m for m in messages if m.get("method") != "notifications/message"]


def goes_deep(message: Json) -> bool:
    """Whether a request asks for a result nested deeper than the SDK's transport can write."""
    params = message.get("params")
    return isinstance(params, dict) and params.get("name") == "nest"


async def require_agreement(body: object, **headers: str | None) -> Answer:
    """Sends the same to both engines and compares; returns what the lean one answered."""
    answers = {}
    for engine in ("lean", "sdk"):
        service = served_functions(loop_guard=False)
        answers[engine] = await ask(app_functions_asgi(service, engine=engine), body, **headers)
    assert plain(answers["lean"]) == plain(answers["sdk"])
    return answers["lean"]


ACCEPTED = st.sampled_from([BOTH, BOTH, "application/json", "text/event-stream", "*/*", None])
HANDSHAKE_HEADERS = st.sampled_from([None, "2024-11-05", "2025-11-25"])
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@settings(max_examples=120, deadline=None)
@given(requests(is_modern=False), HANDSHAKE_HEADERS, ACCEPTED)
async def test_both_engines_answer_the_handshake_era_alike(
    message: Json, version: str | None, accept: str | None
) -> None:
    assume(not goes_deep(message))
    message["id"] = 7
    answer = await require_agreement(message, mcp_protocol_version=version, accept=accept)
    assert answer.status == 200


@st.composite
def modern_requests(draw: st.DrawFn) -> tuple[Json, dict[str, str | None]]:
    """A request with the headers that belong to it, or with some others."""
    message = draw(requests(is_modern=True))
    message["id"] = draw(st.sampled_from([0, "a", "7"]))
    params = message.get("params") or {}
    name = params.get(NAMES.get(message["method"], ""))
    right = {
        "mcp_protocol_version": "2026-07-28",
        "mcp_method": message["method"],
        "mcp_name": name if isinstance(name, str) and name.isascii() else None,
    }
    if draw(st.integers(0, 3)) == 0:
        header = draw(st.sampled_from(["mcp_method", "mcp_name"]))
        right[header] = draw(st.sampled_from([None, "", "tools/call", "add", "=?base64?YWRk?="]))
    return message, right


@settings(max_examples=150, deadline=None)
@given(modern_requests(), ACCEPTED)
async def test_both_engines_answer_the_modern_era_alike(
    sent: tuple[Json, dict[str, str | None]], accept: str | None
) -> None:
    message, headers = sent
    if message["method"] != "subscriptions/listen" and not goes_deep(message):
        await require_agreement(message, **headers, accept=accept)


@settings(max_examples=60, deadline=None)
@given(GOOD_CALLS | COUNTING, st.booleans(), ACCEPTED)
async def test_both_engines_answer_calls_alike(
    call: Json, is_modern: bool, accept: str | None
) -> None:
    headers: dict[str, str | None] = {}
    if is_modern:
        meta = {**call.get("_meta", {}), **ENVELOPE}
        call = {**call, "_meta": meta}
        name = call["name"]
        headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
        headers["mcp_name"] = name
    if not goes_deep({"params": call}):
        await require_agreement(request("c", "tools/call", call), **headers, accept=accept)


@settings(max_examples=60, deadline=None)
@given(NOTIFICATIONS, st.sampled_from([None, "2025-06-18", "2026-07-28", "2099-01-01", "x"]))
async def test_both_engines_take_notifications_alike(message: Json, version: str | None) -> None:
    await require_agreement(message, mcp_protocol_version=version)


@settings(max_examples=40, deadline=None)
@given(BAD_LINES, st.sampled_from([None, "2026-07-28"]))
async def test_both_engines_refuse_what_is_no_message(body: bytes, version: str | None) -> None:
    answers = {}
    for engine in ("lean", "sdk"):
        app = app_functions_asgi(served_functions(), engine=engine)
        answers[engine] = await ask(app, body, mcp_protocol_version=version)
    if answers["sdk"].status != 202:
        assert answers["lean"].status == answers["sdk"].status
    if answers["lean"].status != 202:
        assert answers["lean"].message["error"]["code"] in {-32700, -32600, -32602}


@pytest.mark.parametrize(
    ("params", "headers"),
    [
        ({"_meta": {**ENVELOPE, VERSION: "2099-01-01"}}, {"mcp_protocol_version": "2099-01-01"}),
        ({"_meta": {**ENVELOPE, VERSION: "2025-11-25"}}, {"mcp_protocol_version": "2026-07-28"}),
        ({"_meta": {**ENVELOPE, VERSION: 5}}, {"mcp_protocol_version": "2026-07-28"}),
        ({"_meta": {VERSION: "2026-07-28"}}, {"mcp_protocol_version": "2026-07-28"}),
        ({}, {"mcp_protocol_version": "2026-07-28"}),
        ({"_meta": ENVELOPE}, {"mcp_protocol_version": None}),
    ],
)
async def test_both_engines_check_the_version_alike(
    params: Json, headers: dict[str, str | None]
) -> None:
    await require_agreement(request(1, "tools/list", params), mcp_method="tools/list", **headers)


async def test_both_engines_refuse_a_handshake_in_the_modern_era_alike() -> None:
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "initialize"}
    opening = request(1, "initialize", {**OPENING, "_meta": ENVELOPE})
    assert (await require_agreement(opening, **headers)).status == 404
    assert (await require_agreement(request(1, "initialize", OPENING), **headers)).status == 400


@pytest.mark.parametrize("level", ["debug", "error", "emergency"])
async def test_both_engines_send_the_log_messages_that_were_asked_for(level: str) -> None:
    meta = {**ENVELOPE, LOG_LEVEL: level}
    call = request(1, "tools/call", {"name": "write_log", "_meta": meta})
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    said = []
    for engine in ("lean", "sdk"):
        app = app_functions_asgi(served_functions(), engine=engine)
        said.append((await ask(app, call, **headers, mcp_name="write_log")).messages)
    assert said[0] == said[1]


@pytest.mark.parametrize("engine", ["lean", "sdk"])
async def test_an_engine_is_heard_while_a_stream_is_open(
    engine: Literal["lean", "sdk"],
) -> None:
    """A bridge asks nothing of its device while nobody is."""
    service = served_functions()
    app = app_functions_asgi(service, engine=engine)
    headers = {"mcp_protocol_version": "2026-07-28"}
    listing = request(1, "tools/list", {"_meta": ENVELOPE})
    assert (await ask(app, listing, **headers, mcp_method="tools/list")).status == 200
    assert not service.manager.is_heard
    wanted = {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}
    listen = request("l", "subscriptions/listen", wanted)
    listening = asgi_request(app, listen, **headers, mcp_method="subscriptions/listen")
    stream = asyncio.create_task(listening.run())
    await listening.until_events(1)
    assert service.manager.is_heard
    app.end_streams()
    await asyncio.wait_for(stream, DEADLINE_SECONDS)
    assert not service.manager.is_heard


@pytest.mark.parametrize("wanted", [{"toolsListChanged": True}, {"promptsListChanged": True}, {}])
async def test_both_engines_stream_changes_alike(wanted: Json) -> None:
    said = []
    for engine in ("lean", "sdk"):
        service = served_functions()
        app = app_functions_asgi(service, engine=engine)
        listen = request("l", "subscriptions/listen", {"notifications": wanted, "_meta": ENVELOPE})
        headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "subscriptions/listen"}
        listening = asgi_request(app, listen, **headers)
        stream = asyncio.create_task(listening.run())
        await listening.until_events(2)
        switch = {"name": "switch", "arguments": {"name": "wipe", "on": True}}
        assert (await ask(app, request(1, "tools/call", switch))).status == 200
        if wanted.get("toolsListChanged"):
            await listening.until_events(3)
        app.end_streams()
        said.append((await asyncio.wait_for(stream, DEADLINE_SECONDS)).messages)
    assert said[0] == said[1]
