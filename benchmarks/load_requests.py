"""The requests of the load test as whole HTTP messages, each with the answer that it must get."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import messages

MAX_BODY_BYTES = 64 * 1024
"""What the server is told to accept: bodies above it cost the client little."""
_ECHO_SIZES = (10, 10, 200, 2_000, 20_000)


class LostAnswerError(Exception):
    """A request was not answered as it must be."""


@dataclass
class Request:
    """One request and what its answer must be."""

    kind: str
    number: int
    body: bytes
    era: str
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    check: Callable[[dict[str, Any]], bool] = lambda _: True
    """Whether the JSON-RPC response is right, beside its id."""

    def head(self, *, chunked: bool = False) -> bytes:
        """The request's first bytes, up to the body."""
        framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(self.body)}"
        lines = [
            "POST /mcp HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            f"MCP-Protocol-Version: {self.era}",
            framing,
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode()


class Requests:
    """Makes requests of every kind, under ids that are never used twice.

    Args:
        seed: Makes the same requests again.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a mix that can be had again
        self._number = 0

    def next(self) -> Request:
        """A request that a well-behaved client may send."""
        calls = (self._add, self._add, self._echo, self._echo, self._pause, self._count, self._find)
        return self._random.choice([*calls, self._list, self._unknown])()

    def wait(self) -> Request:
        """A call that takes longer than anybody waits."""
        return self._call("wait", {"seconds": 25}, lambda _: False)

    def too_large(self) -> Request:
        """A request above the limit of bytes."""
        size = MAX_BODY_BYTES + self._random.randint(1, MAX_BODY_BYTES)
        request = self._call("echo", {"text": "x" * size}, lambda _: True)
        request.kind, request.status = "too large", 413
        return request

    def tally(self) -> Request:
        """Asks a worker what has begun and ended in it."""
        return self._call("tally", {}, lambda _: True)

    def chance(self) -> float:
        """A number from 0 to 1."""
        return self._random.random()

    def _add(self) -> Request:
        a, b = self._random.randint(0, 1_000_000), self._random.randint(0, 1_000_000)
        return self._call("add", {"a": a, "b": b}, _has_result(a + b))

    def _echo(self) -> Request:
        text = f"{self._random.getrandbits(64):x}" + "y" * self._random.choice(_ECHO_SIZES)
        return self._call("echo", {"text": text}, _has_text(text))

    def _pause(self) -> Request:
        milliseconds = self._random.randint(1, 20)
        return self._call("pause", {"milliseconds": milliseconds}, _has_result(milliseconds))

    def _count(self) -> Request:
        steps = self._random.randint(1, 5)
        return self._call("count", {"steps": steps}, _has_result(steps), progressToken=self._number)

    def _find(self) -> Request:
        name = f"{self._random.getrandbits(64):x}"
        return self._call(
            "find", {"name": name}, lambda a: name in a["result"]["content"][0]["text"]
        )

    def _unknown(self) -> Request:
        request = self._call("nothing", {}, lambda a: a["error"]["code"] == -32602)
        request.status = 400 if request.era == messages.STATELESS else 200
        return request

    def _list(self) -> Request:
        return self._made("tools/list", {}, lambda a: len(a["result"]["tools"]) == 7)

    def _call(
        self,
        name: str,
        arguments: dict[str, Any],
        check: Callable[[dict[str, Any]], bool],
        **meta: Any,
    ) -> Request:
        params = {"name": name, "arguments": arguments}
        request = self._made("tools/call", params, check, **meta)
        request.kind = name
        if request.era == messages.STATELESS:
            request.headers["Mcp-Name"] = name
        return request

    def _made(
        self,
        method: str,
        params: dict[str, Any],
        check: Callable[[dict[str, Any]], bool],
        **meta: Any,
    ) -> Request:
        self._number += 1
        era = self._random.choice(messages.ERAS)
        message = json.loads(messages.request(era, self._number, method, params))
        if meta:
            message["params"].setdefault("_meta", {}).update(meta)
        body = json.dumps(message).encode()
        headers = {"Mcp-Method": method} if era == messages.STATELESS else {}
        return Request(method, self._number, body, era, headers, check=check)


def check_answer(request: Request, status: int, body: bytes) -> dict[str, Any]:
    """The response to a request.

    Raises:
        LostAnswerError: It is not the one that the request must get.
    """
    if status != request.status:
        raise LostAnswerError(
            f"{request.kind}: status {status}, not {request.status}: {body[:200]!r}"
        )
    if status == 413:
        return {}
    if body.startswith((b"event:", b"data:", b":", b"id:")):
        events = [line[6:] for line in body.splitlines() if line.startswith(b"data: ")]
        body = events[-1] if events else b"{}"
    answer: dict[str, Any] = json.loads(body)
    if answer.get("id") != request.number:
        raise LostAnswerError(f"{request.kind} {request.number}: another id: {body[:200]!r}")
    if not request.check(answer):
        raise LostAnswerError(f"{request.kind} {request.number}: wrong: {body[:200]!r}")
    return answer


def _has_result(value: int) -> Callable[[dict[str, Any]], bool]:
    return lambda answer: bool(answer["result"]["structuredContent"] == {"result": value})


def _has_text(text: str) -> Callable[[dict[str, Any]], bool]:
    return lambda answer: bool(answer["result"]["content"][0]["text"] == text)
