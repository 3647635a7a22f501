"""The lean engine says what the SDK's engine says: to requests of every kind, in both eras.

The SDK's server is the oracle. What may differ stands in `ALLOWED_DIFFERENCES`, and what is sent
here keeps clear of it. Golden transcripts and the tests of stdio run through both engines too.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.service import AppFunctionService
from tests.support.engines import ENGINES, Messages, Reply, exchange, says_nothing
from tests.support.served_functions import served_functions

pytestmark = pytest.mark.anyio

ALLOWED_DIFFERENCES = {
    "the order in which requests that run at once are answered": "JSON-RPC leaves it open",
    "a cancellation that comes in one read with a request that is answered at once": (
        "the lean engine has answered before it reads on; both are allowed by the protocol"
    ),
    "several requests under one id, or under 7 and '7', at the same time": (
        "the SDK takes their ids for one and cancels the wrong one; the lean engine does not"
    ),
    "more than eight notifications before the first request": (
        "the SDK drops the ninth; the lean engine reads them all"
    ),
    "what is nested deeper than 200 in the params of other methods than tools/call": (
        "the SDK's models give up there; the lean engine reads as deep as the transport"
    ),
}
"""What may differ, and why."""

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
ENVELOPE: dict[str, Any] = {VERSION: "2026-07-28", CAPABILITIES: {}}
OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
Json = dict[str, Any]


def request(request_id: object, method: Any, params: Any = None, **members: Any) -> Json:
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method, **members}
    return message if params is None else {**message, "params": params}


def notification(method: Any, params: Any = None) -> Json:
    message: Json = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def line_of(message: Json | bytes) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


def sorted_answers(messages: Messages) -> tuple[list[str], list[Json]]:
    """Responses in an order of their own; what else was said, in the order in which it came."""
    responses, others = [], []
    for message in messages:
        text = without_chance(json.dumps(message, sort_keys=True))
        if "method" in message:
            # Each engine numbers its own requests.
            others.append({**json.loads(text), **({"id": "<id>"} if "id" in message else {})})
        else:
            responses.append(text)
    return sorted(responses), others


RANDOM = {
    r"[0-9a-f]{12}(?=[)\"])": "<error id>",
    r'"requestState": ?"[^"]+"': '"requestState": "<state>"',
    r'(confirmation\\?": ?\\?")[^"\\]+': r"\1<token>",
}
"""What differs from run to run, and what stands for it."""


def without_chance(text: str) -> str:
    """The JSON of a message, with the same text in place of all that is random."""
    for pattern, stands_for in RANDOM.items():
        text = re.sub(pattern, stands_for, text)
    return text


async def require_agreement(
    chunks: Sequence[Sequence[Json | bytes]],
    lasting: Sequence[str | int] = (),
    *,
    make_service: Callable[[], AppFunctionService] = served_functions,
    reply: Reply = says_nothing,
    besides: str | None = None,
) -> Messages:
    """Sends the same to both engines and compares, besides the notifications of one method.

    Returns what the lean one said.
    """
    said = {}
    for engine in ENGINES:
        lines = [[line_of(message) for message in chunk] for chunk in chunks]
        all_said = await exchange(engine, make_service(), lines, lasting, reply)
        said[engine] = [m for m in all_said if besides is None or m.get("method") != besides]
    assert sorted_answers(said["lean"]) == sorted_answers(said["sdk"])
    return said["lean"]


# Sequences that hypothesis makes.

SCALARS = st.sampled_from(
    [None, True, False, 0, 7, 1.5, "", "7", "x", "info", [], {}, [1], {"a": 1}]
)
TOKENS: st.SearchStrategy[Any] = st.sampled_from([0, 7, "", "t", None, True, 1.5, {}])
ANSWERS: st.SearchStrategy[Any] = st.sampled_from(
    [None, {}, {"x": {}}, {"x": {"action": "accept"}}, {"x": {"action": 5}}, {"x": 5}, [], 5]
)
GOOD_CALLS = st.sampled_from(
    [
        {"name": "add", "arguments": {"a": 1, "b": 2}},
        {"name": "add", "arguments": {"a": "x"}},
        {"name": "add", "arguments": {"a": 1, "b": 2, "c": 3}},
        {"name": "tests.support.served_functions#echo", "arguments": {"text": "by its id"}},
        {"name": "echo", "arguments": {"text": "Gerät ★\u2028"}},
        {"name": "crash"},
        {"name": "find_note", "arguments": {"note_id": "c9"}},
        {"name": "find_function", "arguments": None},
        {"name": "write_log", "arguments": {}},
        {"name": "picture", "arguments": {}},
        {"name": "nest", "arguments": {"depth": 300}},
        {"name": "half_a_surrogate"},
        {"name": "wipe"},
        {"name": "ad"},
        {"name": ""},
    ]
)
COUNTING = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["count", "count_in_thread"]),
        "arguments": st.just({"steps": 3}),
        "_meta": st.fixed_dictionaries({"progressToken": TOKENS}),
    }
)
ODD_CALLS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.just("add") | SCALARS,
        "arguments": st.just({"a": 1, "b": 2}) | SCALARS,
        "_meta": SCALARS,
        "task": SCALARS | st.just({"ttl": 5}),
        "requestState": SCALARS,
        "inputResponses": ANSWERS,
        "unknown": SCALARS,
    },
)
CALLS = GOOD_CALLS | COUNTING | ODD_CALLS
LEVELS = st.sampled_from(["debug", "info", "notice", "warning", "emergency", "loud", "", 5, None])
OPENINGS = st.fixed_dictionaries(
    {},
    optional={
        "protocolVersion": st.sampled_from(
            ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "x", 5, None]
        ),
        "capabilities": st.sampled_from(
            [{}, {"sampling": {}}, {"roots": {"listChanged": True}}, 5]
        ),
        "clientInfo": st.sampled_from([{"name": "c", "version": "1"}, {"name": "c"}, None]),
        "_meta": SCALARS,
    },
) | st.just(OPENING)
PAGES = st.fixed_dictionaries({}, optional={"cursor": SCALARS, "_meta": SCALARS, "x": SCALARS})
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "toolsListChanged": SCALARS,
        "resourceSubscriptions": st.sampled_from([[], ["a"], [5], None]),
    },
)
METHODS: dict[str, st.SearchStrategy[Any]] = {
    "tools/call": CALLS,
    "tools/list": st.none() | PAGES,
    "initialize": st.none() | OPENINGS,
    "ping": st.none() | PAGES,
    "logging/setLevel": st.none() | st.fixed_dictionaries({"level": LEVELS}),
    "server/discover": st.none() | PAGES,
    "resources/list": st.none() | PAGES,
    "resources/read": st.fixed_dictionaries({"uri": SCALARS}),
    "resources/templates/list": st.none() | PAGES,
    "resources/subscribe": st.fixed_dictionaries({"uri": SCALARS}),
    "prompts/list": st.none() | PAGES,
    "prompts/get": st.fixed_dictionaries({"name": SCALARS}),
    "completion/complete": st.none() | PAGES,
    "tasks/list": st.none() | PAGES,
    "roots/list": st.none() | PAGES,
    "notifications/initialized": st.none() | PAGES,
    "tools/sing": st.none() | PAGES,
    "": st.none(),
}
ENVELOPES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        VERSION: st.just("2026-07-28")
        | st.sampled_from(["2026-07-28", "2025-11-25", "x", 5, None]),
        CAPABILITIES: st.sampled_from([{}, {"sampling": {}}, {"sampling": 5}, None, [], {"x": 1}]),
    },
    optional={
        "io.modelcontextprotocol/clientInfo": SCALARS,
        LOG_LEVEL: LEVELS,
        "progressToken": TOKENS,
        "other": SCALARS,
    },
)
HALF_ENVELOPES: st.SearchStrategy[Any] = st.sampled_from(
    [{VERSION: "2026-07-28"}, {CAPABILITIES: {}}, {VERSION: None}]
)
BAD_LINES = st.sampled_from(
    [
        b"{bad",
        b"[]",
        b"null",
        b"",
        b"\xff",
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        b'{"jsonrpc":"1.0","id":"j","method":"ping"}',
        b'{"jsonrpc":"2.0","id":"m","method":5}',
        b'{"jsonrpc":"2.0","id":"p","method":"ping","params":[]}',
        b'{"jsonrpc":"2.0","id":"r","result":{}}',
        b'{"jsonrpc":"2.0","id":"e","error":{"code":1,"message":"m"}}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown","params":5}',
    ]
)
NOTIFICATIONS = st.builds(
    notification,
    st.sampled_from(
        [
            "notifications/initialized",
            "notifications/progress",
            "notifications/roots/list_changed",
            "notifications/cancelled",
            "notifications/unknown",
            "tools/list",
        ]
    ),
    st.none()
    | st.fixed_dictionaries({}, optional={"_meta": SCALARS, "requestId": SCALARS, "x": SCALARS}),
)


Methods = Mapping[str, st.SearchStrategy[Any]]
"""What the params of each method may be."""


@st.composite
def requests(draw: st.DrawFn, *, is_modern: bool, methods: Methods = METHODS) -> Json:
    method = draw(st.sampled_from(sorted(methods)))
    params = draw(methods[method])
    wants_envelope = draw(st.integers(0, 19)) > 0 if is_modern else draw(st.integers(0, 19)) == 0
    if wants_envelope:
        envelope = draw(st.just(ENVELOPE) | ENVELOPES | HALF_ENVELOPES)
        meta = (params or {}).get("_meta")
        kept = meta if isinstance(meta, dict) else {}
        params = {**(params or {}), "_meta": {**kept, **envelope}}
    if params is None and draw(st.booleans()):
        return request("to be replaced", method) | {"params": None}
    return request("to be replaced", method, params)


IDS = st.sampled_from(["{n}", "id {n}", "ä{n}"]) | st.none()


@st.composite
def sequences(
    draw: st.DrawFn, *, methods: Methods = METHODS, opening: Json = OPENING
) -> list[list[Json | bytes]]:
    """Chunks of lines; each request has an id of its own, and is mostly alone in its chunk."""
    is_modern = draw(st.booleans())
    lines: list[Json | bytes] = []
    if not is_modern and draw(st.booleans()):
        lines = [request(0, "initialize", opening), notification("notifications/initialized")]
    kinds = requests(is_modern=is_modern, methods=methods)
    for n in range(draw(st.integers(1, 8))):
        message = draw(kinds | kinds | kinds | NOTIFICATIONS | BAD_LINES)
        if isinstance(message, dict) and "id" in message:
            template = draw(IDS)
            message["id"] = n + 1 if template is None else template.format(n=f"#{n}")
        lines.append(message)
    return [[line] for line in lines]


@settings(max_examples=150, deadline=None)
@given(sequences())
async def test_both_engines_say_the_same_to_any_sequence(chunks: list[list[Json | bytes]]) -> None:
    await require_agreement(chunks)


@settings(max_examples=40, deadline=None)
@given(st.lists(GOOD_CALLS | COUNTING, min_size=1, max_size=12), st.booleans())
async def test_both_engines_say_the_same_to_calls_that_come_at_once(
    calls: list[Json], is_modern: bool
) -> None:
    opening = [] if is_modern else [[request(0, "initialize", OPENING)]]
    sent = []
    for n, call in enumerate(calls):
        token: Json = {"progressToken": f"t{n}"} if "_meta" in call else {}
        meta: Json = {**token, **(ENVELOPE if is_modern else {})}
        sent.append(request(n + 1, "tools/call", {**call, "_meta": meta}))
    said = {}
    for engine in ENGINES:
        lines = [[line_of(m) for m in chunk] for chunk in [*opening, sent]]
        said[engine] = await exchange(engine, served_functions(loop_guard=False), lines)
    lean, sdk = sorted_answers(said["lean"]), sorted_answers(said["sdk"])
    assert lean[0] == sdk[0]
    for n in range(len(calls)):
        assert reports(lean[1], f"t{n}") == reports(sdk[1], f"t{n}")


def reports(notifications: list[Json], token: str) -> list[Json]:
    return [m for m in notifications if m["params"].get("progressToken") == token]


# What needs an order in time.


@pytest.mark.parametrize("envelope", [{}, ENVELOPE], ids=["handshake", "modern"])
@pytest.mark.parametrize("target", ["w", "v", 1, None, "l", 7.0, True])
async def test_both_engines_cancel_the_same(
    envelope: Json, target: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    marker = str(tmp_path_factory.mktemp("calls") / "marker")
    arguments = {"seconds": 60, "marker": marker}
    meta = {"_meta": {**envelope, "progressToken": "w"}}
    call = request("w", "tools/call", {"name": "wait", "arguments": arguments, **meta})
    echo = {"name": "echo", "arguments": {"text": "x"}, **meta}
    opening = [] if envelope else [[request(0, "initialize", OPENING)]]
    said = await require_agreement(
        [
            *opening,
            [call],
            [notification("notifications/cancelled", {"requestId": target})],
            [request("e", "tools/call", echo)],
            [notification("notifications/cancelled", {"requestId": "w"})],
            [notification("notifications/cancelled", {"requestId": "w"})],
        ],
        ["w"],
    )
    assert "w" not in [m.get("id") for m in said]


@pytest.mark.parametrize("wanted", [{"toolsListChanged": True}, {"promptsListChanged": True}, {}])
async def test_both_engines_keep_and_end_subscriptions_alike(wanted: Json) -> None:
    listen = {"notifications": wanted, "_meta": ENVELOPE}
    switch = {"name": "switch", "arguments": {"name": "wipe", "on": True}, "_meta": ENVELOPE}
    said = await require_agreement(
        [
            [request("l", "subscriptions/listen", listen)],
            [request("m", "subscriptions/listen", listen)],
            [request(1, "tools/call", switch)],
            [notification("notifications/cancelled", {"requestId": "m"})],
            [request(2, "tools/list", {"_meta": ENVELOPE})],
        ],
        ["l", "m"],
    )
    assert "l" in [m.get("id") for m in said]
    assert "m" not in [m.get("id") for m in said]


async def test_both_engines_tell_a_client_of_the_handshake_era_of_changes() -> None:
    switch = {"name": "switch", "arguments": {"name": "wipe", "on": True}}
    for ready in ([], [notification("notifications/initialized")]):
        said = await require_agreement(
            [
                [request(0, "initialize", OPENING), *ready],
                [request(1, "tools/call", switch)],
                [request(2, "tools/list")],
            ]
        )
        assert len([m for m in said if "method" in m]) == len(ready)


async def test_what_comes_before_the_first_request_counts_in_both_engines() -> None:
    await require_agreement(
        [
            [notification("notifications/initialized"), notification("notifications/unknown")],
            [request(1, "logging/setLevel", {"level": "info"})],
            [request(2, "tools/call", {"name": "write_log"})],
        ]
    )
