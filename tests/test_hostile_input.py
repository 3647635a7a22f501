"""Ten thousand calls of hostile arguments and lines end no server and hang none."""

import asyncio
import enum
import json
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from appfunctions_mcp import app_function
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.values import Instant, Uri, ZoneId
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import StdioServer, stdio_server

CALLS = 10_000
BATCH = 250
"""How many lines stand unanswered at once: more than run, fewer than may wait with them."""


class Node(BaseModel):
    """A tree."""

    name: str
    children: list["Node"] = []
    parent: "Node | None" = None


class Level(enum.Enum):
    """A level."""

    LOW = "low"
    HIGH = 2


@app_function(optional_defaults="declared")
async def scalars(
    i: int = 1,
    f: Annotated[float, Field(ge=-1e9, le=1e9)] = 0.0,
    b: bool = False,
    s: Annotated[str, Field(max_length=50, pattern="^[^x]*$")] = "",
    raw: bytes = b"",
    price: Decimal = Decimal(0),
    level: Level = Level.LOW,
    word: Literal["a", "A", "b", 1, True] = "a",
) -> str:
    """Takes scalars."""
    return repr((i, f, b, s, raw, price, level, word))


@app_function
def moments(
    d: date, t: datetime, at: Instant, zone: ZoneId, uri: Uri, key: uuid.UUID, path: Path
) -> dict[str, Any]:
    """Takes texts of a form."""
    return {"d": d, "t": t, "at": at, "uri": uri, "key": key, "path": path, "zone": str(zone)}


@app_function
async def containers(
    numbers: list[int],
    names: set[str],
    pair: tuple[int, str],
    table: dict[str, list[float | None]],
    either: int | list[str] | Node | None,
    tree: Node,
) -> Node:
    """Takes containers."""
    return tree


@app_function
async def updates(
    title: SetField[str] | None = None,
    content: SetField[str | None] | None = None,
    tags: SetField[list[int] | None] | None = None,
    node: SetField[Node] | None = None,
) -> list[str]:
    """Takes updates."""
    return [repr(field) for field in (title, content, tags, node)]


@app_function
async def anything(x: Any, rows: list, free: dict[str, Any] | None = None) -> Any:  # type: ignore[type-arg] # what people write
    """Takes anything."""
    return {"x": x, "rows": rows, "free": free}


FUNCTIONS = (scalars, moments, containers, updates, anything)
TREE = {"name": "a", "children": [{"name": "b"}]}
GOOD: dict[str, dict[str, Any]] = {
    "scalars": {
        "i": "5",
        "f": 1,
        "b": "TRUE",
        "s": "a",
        "raw": "/w==",
        "price": "1.50",
        "level": 2,
    },
    "moments": {
        "d": "2026-05-27",
        "t": "2026-05-27T18:00:00",
        "at": "2026-05-27T18:00:00+03:00",
        "zone": "Europe/Berlin",
        "uri": "https://example.org",
        "key": "00000000-0000-0000-0000-000000000001",
        "path": "a/b",
    },
    "containers": {
        "numbers": "[1, 2]",
        "names": ["a", "a"],
        "pair": [1, "x"],
        "table": {"a": [1, None]},
        "either": TREE,
        "tree": TREE,
    },
    "updates": {"title": "a", "content": {"clear": True}, "tags": {"value": None}, "node": None},
    "anything": {"x": {"a": [1]}, "rows": [[1], {}], "free": {"b": None}},
}
"""Arguments that each function takes, to be spoilt."""

CANONICAL = [value for good in GOOD.values() for value in good.values() if isinstance(value, str)]
CANONICAL += ["true", "null", "[]", "{}", "-0", "1e5", "NaN", '{"value": null}', "1" * 4301, "A"]
TEXTS = (
    st.sampled_from(CANONICAL)
    | st.text(max_size=20)
    | st.text('[]{}",:1 \u2028\ud800\x00\x1b', max_size=12)
)
NUMBERS = st.integers() | st.floats() | st.sampled_from([2**53, -(2**63), 10**400, 1e308])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
KEYS = st.sampled_from(["value", "clear", "name", "children", "parent"]) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def call_params(draw: st.DrawFn) -> dict[str, Any]:
    """Good arguments of a function with some of them spoilt, left out, or beside others."""
    name = draw(st.sampled_from(sorted(GOOD)))
    arguments = dict(GOOD[name])
    for parameter in draw(st.lists(st.sampled_from(sorted(arguments)), max_size=3)):
        arguments[parameter] = draw(VALUES)
    if draw(st.integers(0, 2)) == 0:
        arguments |= draw(st.dictionaries(TEXTS, VALUES, max_size=2))
    return {"name": name, "arguments": arguments}


def variants(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same call as a client would spoil it further."""
    name, arguments = params["name"], params["arguments"]
    yield params
    yield {"name": name, "arguments": {k: json.dumps(v) for k, v in arguments.items()}}
    yield {"name": name, "arguments": {k: {"value": v} for k, v in arguments.items()}}
    other = sorted(GOOD)[(sorted(GOOD).index(name) + 1) % len(GOOD)]
    mixed = dict(zip(GOOD[other], arguments.values(), strict=False))
    yield {"name": other, "arguments": GOOD[other] | mixed}
    spoilt = [
        {"name": next(iter(arguments.values()), 1), "arguments": arguments},
        {"name": name, "arguments": list(arguments.values())},
        {"name": name, "arguments": arguments, "_meta": next(iter(arguments.values()), 1)},
        {"name": f"{name}\u202e\x00", "arguments": None},
    ]
    yield spoilt[len(json.dumps(arguments)) % len(spoilt)]


HOSTILE = (
    b"{bad",
    b"\xff\xfe",
    b"",
    b"   \r",
    b"\xef\xbb\xbf",
    b"[]",
    b"null",
    b'"text"',
    b"\x00",
    b"[" * 20_000,
    b'{"a":' * 20_000,
    b'{"jsonrpc":"2.0","id":1,"method":"ping","x":' + b"1" * 5000 + b"}",
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","method":"tools/call"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}',
    b'{"jsonrpc":"2.0","id":"no such request","result":{}}',
    b'{"jsonrpc":"2.0","id":"no such request","error":5}',
    b'{"jsonrpc":"1.0","method":"ping"}',
)
"""Lines without an id that could be answered; those of the first kinds get an error with null."""


@pytest.fixture
def server(engine: str, tmp_path: Path) -> Iterator[StdioServer]:
    """This module's functions on stdio."""
    content = f'<mcp:functions module="{__name__}" />\n'
    file = write_metadata(tmp_path, 'appfn:description="Takes anything."', content)
    with stdio_server("-m", "appfunctions_mcp", "run", str(file), "--no-loop-guard") as running:
        running.initialize()
        yield running


def hostile_params(count: int) -> list[Any]:
    """That many params of `tools/call`, the same ones each time.

    Hypothesis makes a fifth of them, since that is the slow part; the rest are variants.
    """
    made: list[Any] = []

    @settings(
        max_examples=count // 5,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(call_params())
    def collect(params: dict[str, Any]) -> None:
        made.extend(variants(params))

    collect()
    assert len(made) >= count
    return made[:count]


def call_lines(params: list[Any], first_id: int) -> list[bytes]:
    """A request a line; a number that JSON has no form for becomes one that overflows."""
    lines = []
    for request_id, given_params in enumerate(params, first_id):
        text = json.dumps(given_params).replace("NaN", "1e999").replace("Infinity", "1e999")
        lines.append(
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%b}'
            % (request_id, text.encode())
        )
    return lines


def test_every_request_has_one_answer_and_the_server_lives(server: StdioServer) -> None:
    """F28 to F35 between calls that hypothesis made; the same calls in every run."""
    params = hostile_params(CALLS)
    answers: Counter[object] = Counter()
    errors_without_id = 0
    for start in range(0, CALLS, BATCH):
        lines = call_lines(params[start : start + BATCH], start)
        bad = HOSTILE[(start // BATCH) % len(HOSTILE) :] + HOSTILE[:5]
        for n, line in enumerate(bad):
            lines.insert(n * 7, line)
        last = f"ping-{start}"
        lines.append(b'{"jsonrpc":"2.0","id":"%b","method":"ping"}' % last.encode())
        server.send(*lines)
        waiting = {*range(start, start + BATCH), last}
        while waiting:
            message = server.read(30)
            assert ("result" in message) is not ("error" in message), message
            if message["id"] is None:
                errors_without_id += 1
                continue
            answers[message["id"]] += 1
            waiting.discard(message["id"])
    assert errors_without_id > 0
    assert server.request("ping")["result"] == {}
    server.close_input()
    assert server.wait() == 0, server.stderr[-2000:]
    assert server.rest() == []
    assert set(answers.values()) == {1}
    assert len(answers) == CALLS + CALLS // BATCH
    assert "Traceback" not in server.stderr, server.stderr[:3000]


def test_the_calls_are_hostile_and_some_succeed() -> None:
    """What is sent reaches every function, with and without success."""
    from appfunctions_mcp.exceptions import AppFunctionException
    from appfunctions_mcp.requests import ExecuteAppFunctionRequest
    from tests.support.calls import make_service

    service = make_service(*FUNCTIONS)
    outcomes: Counter[str] = Counter()

    async def execute_all() -> None:
        for params in hostile_params(1000):
            name, arguments = params["name"], params.get("arguments") or {}
            if not isinstance(name, str) or not isinstance(arguments, dict):
                outcomes["malformed"] += 1
                continue
            try:
                await service.manager.execute(ExecuteAppFunctionRequest(name, arguments))
                outcomes["success"] += 1
            except AppFunctionException as failure:
                outcomes[failure.kind] += 1

    asyncio.run(execute_all())
    assert outcomes.keys() >= {
        "success",
        "malformed",
        "AppFunctionInvalidArgumentException",
        "AppFunctionFunctionNotFoundException",
    }
    assert "AppFunctionAppUnknownException" not in outcomes, outcomes
