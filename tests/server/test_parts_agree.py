"""Both engines say the same of resources, prompts, completions and changes, in both eras.

As in `test_engines_agree`, the SDK's server is the oracle, on stdio and over HTTP.
"""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.server.asgi import app_functions_asgi
from tests.server.test_engines_agree import (
    ENVELOPE,
    OPENING,
    PAGES,
    SCALARS,
    Json,
    notification,
    request,
    requests,
    require_agreement,
    sequences,
)
from tests.server.test_http_engines_agree import NAMES, plain
from tests.support.asgi_client import BOTH, DEADLINE_SECONDS, asgi_request, ask
from tests.support.engines import Messages
from tests.support.talking_functions import talking_functions

pytestmark = pytest.mark.anyio

URIS = st.sampled_from(
    [
        "notes://all",
        "note://milk",
        "note://r%C3%A4der",
        "note://r\u00e4der",
        "note://nope",
        "note://..%2F..%2Fetc",
        "note://%252e%252e",
        "picture://cover",
        "folder://a/b",
        "folder://../etc/passwd",
        "folder:///etc/passwd",
        "broken://all",
        "half://surrogate",
        "hidden://all",
        "asking://user",
        "nope://x",
        "no address",
    ]
)
TEMPLATES = st.sampled_from(["note://{note_id}", "folder://{+path}", "note://{other}", "note://x"])
PROMPTS = st.sampled_from(["review", "draw", "plan", "broken_prompt", "hidden_prompt", "revie", ""])
TEXTS = st.sampled_from(["milk", "kind", "loud", "3", "x", "", "\u2605"])
ARGUMENTS: st.SearchStrategy[Any] = (
    st.dictionaries(st.sampled_from(["note_id", "tone", "most", "other"]), TEXTS, max_size=3)
    | SCALARS
    | st.just({"note_id": 5})
)
ROUNDS: dict[str, st.SearchStrategy[Any]] = {
    "requestState": SCALARS,
    "inputResponses": st.sampled_from(
        [None, {}, {"x": {"action": "accept", "content": {}}}, {"x": {}}, {"x": 5}, [], 5]
    ),
}
REFERENCES: st.SearchStrategy[Any] = (
    st.fixed_dictionaries({"type": st.just("ref/prompt"), "name": PROMPTS})
    | st.fixed_dictionaries({"type": st.just("ref/resource"), "uri": TEMPLATES | URIS})
    | st.sampled_from([{"type": "ref/tool", "name": "add"}, {}, None])
)
METHODS: dict[str, st.SearchStrategy[Any]] = {
    "resources/list": st.none() | PAGES,
    "resources/templates/list": st.none() | PAGES,
    "resources/read": st.fixed_dictionaries({"uri": URIS | URIS | SCALARS}, optional=ROUNDS),
    "resources/subscribe": st.fixed_dictionaries({"uri": URIS | SCALARS}),
    "resources/unsubscribe": st.fixed_dictionaries({"uri": URIS | SCALARS}),
    "prompts/list": st.none() | PAGES,
    "prompts/get": st.fixed_dictionaries(
        {"name": PROMPTS | SCALARS}, optional={"arguments": ARGUMENTS, **ROUNDS}
    ),
    "completion/complete": st.fixed_dictionaries(
        {
            "ref": REFERENCES,
            "argument": st.fixed_dictionaries(
                {
                    "name": st.sampled_from(["note_id", "tone", "path", "other"]),
                    "value": st.sampled_from(["", "m", "K", "\u00e4", "zz"]) | SCALARS,
                }
            ),
        },
        optional={"context": st.sampled_from([{}, {"arguments": {"tone": "kind"}}, 5])},
    ),
    "tools/call": st.sampled_from(
        [
            {"name": "touch", "arguments": {"uri": "notes://all"}},
            {"name": "touch", "arguments": {"uri": "hidden://all"}},
            {"name": "change_lists"},
            {"name": "greet"},
            {"name": "erase", "arguments": {"note_id": "milk"}},
        ]
    ),
    "initialize": st.just(OPENING),
    "server/discover": st.none() | PAGES,
    "resources/sing": st.none() | PAGES,
    "prompts": st.none() | PAGES,
}


@settings(max_examples=150, deadline=None)
@given(sequences(methods=METHODS))
async def test_both_engines_say_the_same_of_parts_to_any_sequence(
    chunks: list[list[Json | bytes]],
) -> None:
    await require_agreement(chunks, make_service=talking_functions)


@settings(max_examples=80, deadline=None)
@given(requests(is_modern=False, methods=METHODS))
async def test_both_engines_answer_requests_for_parts_alike_over_http(message: Json) -> None:
    message["id"] = 7
    await require_http_agreement(message, accept=BOTH)


@settings(max_examples=80, deadline=None)
@given(requests(is_modern=True, methods=METHODS))
async def test_both_engines_answer_modern_requests_for_parts_alike_over_http(
    message: Json,
) -> None:
    message["id"] = 7
    name = (message.get("params") or {}).get(NAMES.get(message["method"], ""))
    await require_http_agreement(
        message,
        mcp_protocol_version="2026-07-28",
        mcp_method=message["method"],
        mcp_name=name if isinstance(name, str) and name.isascii() else None,
    )


async def require_http_agreement(message: Json, **headers: str | None) -> None:
    """Sends the same request to both engines over HTTP and compares the answers."""
    answers = []
    for engine in ("lean", "sdk"):
        app = app_functions_asgi(talking_functions(), engine=engine)
        async with app.running():
            answers.append(plain(await ask(app, message, **headers)))
    assert answers[0] == answers[1]


# What needs an order in time.


async def test_both_engines_tell_a_client_with_a_handshake_of_what_it_subscribed_to() -> None:
    said = await require_agreement(
        [
            [request(0, "initialize", OPENING), notification("notifications/initialized")],
            [request(1, "resources/subscribe", {"uri": "notes://all"})],
            [touching(2, "notes://all")],
            [touching(3, "note://milk")],
            [request(4, "resources/unsubscribe", {"uri": "notes://all"})],
            [touching(5, "notes://all")],
            [request(6, "tools/call", {"name": "change_lists"})],
            [request(7, "ping")],
        ],
        make_service=talking_functions,
    )
    assert told(said) == [
        "notifications/resources/updated",
        "notifications/resources/list_changed",
        "notifications/prompts/list_changed",
    ]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"resourcesListChanged": True}, ["notifications/resources/list_changed"]),
        ({"promptsListChanged": True}, ["notifications/prompts/list_changed"]),
        ({"resourceSubscriptions": ["note://milk"]}, ["notifications/resources/updated"]),
        ({"resourceSubscriptions": ["hidden://all"], "toolsListChanged": True}, []),
    ],
)
async def test_both_engines_tell_a_stream_of_what_it_asked_for(
    wanted: Json, expected: list[str]
) -> None:
    said = await require_agreement(
        [
            [request("l", "subscriptions/listen", {"notifications": wanted, "_meta": ENVELOPE})],
            [touching(1, "note://milk", _meta=ENVELOPE)],
            [touching(2, "hidden://all", _meta=ENVELOPE)],
            [request(3, "tools/call", {"name": "change_lists", "_meta": ENVELOPE})],
            [request(4, "tools/list", {"_meta": ENVELOPE})],
        ],
        ["l"],
        make_service=talking_functions,
    )
    assert told(said) == ["notifications/subscriptions/acknowledged", *expected]


@pytest.mark.parametrize(
    "wanted", [{"resourceSubscriptions": ["note://milk"]}, {"resourcesListChanged": True}]
)
async def test_both_engines_stream_changes_of_parts_alike_over_http(wanted: Json) -> None:
    said = []
    for engine in ("lean", "sdk"):
        app = app_functions_asgi(talking_functions(), engine=engine)
        listen = request("l", "subscriptions/listen", {"notifications": wanted, "_meta": ENVELOPE})
        headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "subscriptions/listen"}
        async with app.running():
            listening = asgi_request(app, listen, **headers)
            stream = asyncio.create_task(listening.run())
            await listening.until_events(2)
            for n, name in enumerate(("touch", "change_lists")):
                arguments = {"uri": "note://milk"} if name == "touch" else {}
                call = request(n, "tools/call", {"name": name, "arguments": arguments})
                assert (await ask(app, call)).status == 200
            await listening.until_events(3)
            app.end_streams()
            said.append((await asyncio.wait_for(stream, DEADLINE_SECONDS)).messages)
    assert said[0] == said[1]


def touching(request_id: int, uri: str, **params: Any) -> Json:
    """A call of the function that says that a resource has changed."""
    call = {"name": "touch", "arguments": {"uri": uri}, **params}
    return request(request_id, "tools/call", call)


def told(messages: Messages) -> list[str]:
    """The methods of all notifications, in order."""
    return [message["method"] for message in messages if "method" in message]
