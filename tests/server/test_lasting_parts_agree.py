"""Both engines report, cancel and announce alike: functions, resources and prompts, in both eras.

As in `test_engines_agree`, the SDK's server is the oracle.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from appfunctions_mcp.server.asgi import app_functions_asgi
from tests.server.test_engines_agree import (
    ENVELOPE,
    LOG_LEVEL,
    OPENING,
    Json,
    notification,
    request,
    require_agreement,
)
from tests.support.asgi_client import DEADLINE_SECONDS, asgi_request, ask
from tests.support.http_server import HttpServer, http_server
from tests.support.lasting_functions import ended_waits, lasting_functions

pytestmark = pytest.mark.anyio

REPORTING: dict[str, Json] = {
    "tools/call": {"name": "report", "arguments": {"count": 2}},
    "resources/read": {"uri": "steps://2"},
    "prompts/get": {"name": "count_steps", "arguments": {"count": "2"}},
}
WAITING: dict[str, Json] = {
    "tools/call": {"name": "wait", "arguments": {"name": "tools/call"}},
    "resources/read": {"uri": "waiting://resources%2Fread"},
    "prompts/get": {"name": "wait_for", "arguments": {"name": "prompts/get"}},
}
LISTS = ("tools", "resources", "prompts")
PROGRAM = ("-m", "tests.support.lasting_functions", "http", "0")


@pytest.fixture(autouse=True)
def _nothing_has_ended() -> None:
    ended_waits.clear()


@pytest.fixture
def sessions(engine: str) -> Iterator[HttpServer]:
    """A server process with sessions; from 2026-07-28 on either engine answers."""
    with http_server(*PROGRAM, "--sessions", env={"APPFUNCTIONS_ENGINE": engine}) as running:
        yield running


def methods_of(messages: list[Json]) -> list[str]:
    return [message["method"] for message in messages if "method" in message]


@pytest.mark.parametrize("level", ["debug", "info", None])
@pytest.mark.parametrize("method", REPORTING)
@pytest.mark.parametrize("is_modern", [False, True], ids=["handshake", "modern"])
async def test_both_engines_report_alike(is_modern: bool, method: str, level: str | None) -> None:
    meta: Json = {"progressToken": "t"}
    opening: list[list[Json | bytes]] = []
    if is_modern:
        meta |= {**ENVELOPE, **({LOG_LEVEL: level} if level else {})}
    else:
        opening = [[request(0, "initialize", OPENING)]]
        opening += [[request(1, "logging/setLevel", {"level": level})]] if level else []
    said = await require_agreement(
        [*opening, [request(2, method, {**REPORTING[method], "_meta": meta})]],
        make_service=lasting_functions,
    )
    told = methods_of(said)
    assert told.count("notifications/progress") == 2
    assert told.count("notifications/message") == {"debug": 2, "info": 1, None: 0}[level]
    assert said[-1]["id"] == 2


@pytest.mark.parametrize("method", WAITING)
@pytest.mark.parametrize("is_modern", [False, True], ids=["handshake", "modern"])
async def test_both_engines_end_what_is_cancelled(is_modern: bool, method: str) -> None:
    meta = {"_meta": ENVELOPE} if is_modern else {}
    opening = [] if is_modern else [[request(0, "initialize", OPENING)]]
    said = await require_agreement(
        [
            *opening,
            [request("w", method, {**WAITING[method], **meta})],
            [notification("notifications/cancelled", {"requestId": "w"})],
            [request("p", "tools/list", meta)],
        ],
        ["w"],
        make_service=lasting_functions,
    )
    assert ended_waits == [method, method]
    assert "w" not in [message.get("id") for message in said]


async def test_both_engines_tell_a_client_with_a_handshake_of_every_list() -> None:
    said = await require_agreement(
        [
            [request(0, "initialize", OPENING), notification("notifications/initialized")],
            [request(1, "tools/call", {"name": "change_lists"})],
            [request(2, "ping")],
        ],
        make_service=lasting_functions,
    )
    assert methods_of(said) == [f"notifications/{kind}/list_changed" for kind in LISTS]


async def test_both_engines_tell_a_stream_of_every_list() -> None:
    wanted = {f"{kind}ListChanged": True for kind in LISTS}
    said = await require_agreement(
        [
            [request("l", "subscriptions/listen", {"notifications": wanted, "_meta": ENVELOPE})],
            [request(1, "tools/call", {"name": "change_lists", "_meta": ENVELOPE})],
            [request(2, "tools/list", {"_meta": ENVELOPE})],
        ],
        ["l"],
        make_service=lasting_functions,
    )
    assert methods_of(said) == [
        "notifications/subscriptions/acknowledged",
        *(f"notifications/{kind}/list_changed" for kind in LISTS),
    ]


async def test_both_engines_send_messages_of_every_kind() -> None:
    said = await require_agreement(
        [
            [request(0, "initialize", OPENING)],
            [request(1, "prompts/get", {"name": "show_all"})],
        ],
        make_service=lasting_functions,
    )
    messages = said[-1]["result"]["messages"]
    assert [(m["role"], m["content"]["type"]) for m in messages] == [
        ("user", "text"),
        ("user", "image"),
        ("user", "audio"),
        ("user", "resource"),
        ("user", "resource"),
        ("user", "resource_link"),
        ("assistant", "text"),
    ]


# Over HTTP.


@pytest.mark.parametrize("method", REPORTING)
@pytest.mark.parametrize("is_modern", [False, True], ids=["handshake", "modern"])
async def test_both_engines_report_alike_over_http(is_modern: bool, method: str) -> None:
    params, headers = in_era(is_modern, method, REPORTING[method], progressToken="t")
    said = []
    for engine in ("lean", "sdk"):
        app = app_functions_asgi(lasting_functions(), engine=engine)
        async with app.running():
            answer = await ask(app, request(1, method, params), **headers)
        said.append([m for m in answer.messages if m.get("method") != "notifications/message"])
    assert said[0] == said[1]
    assert methods_of(said[0]) == ["notifications/progress"] * 2


@pytest.mark.parametrize("http_engine", ["lean", "sdk"])
@pytest.mark.parametrize("method", WAITING)
@pytest.mark.parametrize("is_modern", [False, True], ids=["handshake", "modern"])
async def test_a_client_that_leaves_ends_what_it_has_asked_for(
    is_modern: bool, method: str, http_engine: Any
) -> None:
    params, headers = in_era(is_modern, method, WAITING[method], progressToken="t")
    app = app_functions_asgi(lasting_functions(), engine=http_engine)
    async with app.running():
        asked = asgi_request(app, request(1, method, params), **headers)
        running = asyncio.create_task(asked.run())
        await asked.until_events(2)  # the head, and the progress that comes before the wait
        asked.leave()
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not ended_waits:  # noqa: ASYNC110 - turns of the loop
                await asyncio.sleep(0)
        await asyncio.wait({running}, timeout=DEADLINE_SECONDS)
    assert ended_waits == [method]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_client_with_a_session_cancels_what_it_has_asked_for(
    mode: str, sessions: HttpServer
) -> None:
    async with Client(sessions.url, mode=mode) as client:
        asked = (
            lambda: client.call_tool("wait", {"name": "tools/call"}),
            lambda: client.read_resource("waiting://resources"),
            lambda: client.get_prompt("wait_for", {"name": "prompts"}),
        )
        for ask_for in asked:
            with anyio.move_on_after(0.5) as given_up:
                await ask_for()
            assert given_up.cancelled_caught
        with anyio.fail_after(DEADLINE_SECONDS):
            names: list[str] = []
            while len(names) < len(asked):
                result = await client.call_tool("ended", {})
                assert result.structured_content is not None
                names = result.structured_content["result"]
    assert names == ["tools/call", "resources", "prompts"]


async def test_a_client_with_a_session_hears_of_every_list(sessions: HttpServer) -> None:
    heard: set[type] = set()
    expected = {
        types.ToolListChangedNotification,
        types.ResourceListChangedNotification,
        types.PromptListChangedNotification,
    }

    async def on_message(message: Any) -> None:
        heard.add(type(message))

    async with Client(sessions.url, mode="legacy", message_handler=on_message) as client:
        with anyio.fail_after(DEADLINE_SECONDS):
            while not expected <= heard:  # until its stream is open, nothing reaches it
                await client.call_tool("change_lists", {})


def in_era(
    is_modern: bool, method: str, params: Json, **meta: Any
) -> tuple[Json, dict[str, str | None]]:
    """Params and headers of a request over HTTP."""
    if not is_modern:
        return {**params, "_meta": meta}, {}
    name = params.get("name", params.get("uri"))
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": method, "mcp_name": name}
    return {**params, "_meta": {**ENVELOPE, **meta}}, headers
