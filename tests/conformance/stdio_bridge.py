"""HTTP in front of a stdio server, so that the conformance suite, which speaks HTTP, can test it.

    python tests/conformance/stdio_bridge.py PORT COMMAND...

A session (`Mcp-Session-Id`) is a process of its own, and so is each client of the newest
revision, which has no sessions: the process that its requests share. Each answer is an event
stream of what the process writes up to the response, its questions to the client among it, whose
answers are posted; standing streams get the rest. Nothing of the protocol is done here beyond
what HTTP adds to it.
"""

import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Json = dict[str, Any]
_VERSION = "io.modelcontextprotocol/protocolVersion"
_OPENING: Json = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "server/discover",
    "params": {"_meta": {_VERSION: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}},
}
_STATUS = {
    -32700: 400,
    -32600: 400,
    -32602: 400,
    -32020: 400,
    -32021: 400,
    -32022: 400,
    -32601: 404,
}
"""HTTP statuses of errors of the newest revision; other errors are 200."""
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


class StdioProcess:
    """One stdio server; its responses find the request that waits for them."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[Any, asyncio.Queue[Json]] = {}
        self.standing: asyncio.Queue[Json] = asyncio.Queue()
        self._ids = 0
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: list[str]) -> "StdioProcess":
        """Starts the command."""
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, limit=16 * 1024 * 1024
            )
        )

    def send(self, message: Json) -> None:
        """Writes a message."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def exchange(self, message: Json) -> AsyncIterator[Json]:
        """Sends a request under an id of ours and gives what belongs to it, the response last."""
        self._ids += 1
        ours, theirs = f"bridge-{self._ids}", message["id"]
        answers: asyncio.Queue[Json] = asyncio.Queue()
        self._waiting[ours] = answers
        try:
            self.send({**message, "id": ours})
            while True:
                got = _renamed(await answers.get(), ours, theirs)
                yield got
                if "method" not in got:
                    return
        finally:
            if self._waiting.pop(ours, None) is not None and answers.empty():
                with suppress(ConnectionError):
                    params = {"requestId": ours}
                    method = "notifications/cancelled"
                    self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def end(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        self._reading.cancel()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            message = json.loads(line)
            self._queue_of(message).put_nowait(message)

    def _queue_of(self, message: Json) -> asyncio.Queue[Json]:
        """Whose message it is; one that names no request of ours is that of the newest one."""
        meta = (message.get("params") or {}).get("_meta") or {}
        named = message.get("id", meta.get("io.modelcontextprotocol/subscriptionId"))
        if named in self._waiting:
            return self._waiting[named]
        changes = str(message.get("method", "")).endswith(("/list_changed", "/updated"))
        return self.standing if changes or not self._waiting else [*self._waiting.values()][-1]


def _renamed(message: Json, ours: str, theirs: Any) -> Json:
    """The message with the client's id in place of ours."""
    text = json.dumps(message)
    renamed = json.loads(text.replace(json.dumps(ours), json.dumps(theirs)))
    assert isinstance(renamed, dict)
    return renamed


class Bridge:
    """The HTTP side.

    Args:
        command: Starts a stdio server.
    """

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._sessions: dict[str, StdioProcess] = {}
        self._modern: StdioProcess | None = None

    async def handle(self, request: Request) -> Response:
        """One HTTP request."""
        if request.headers.get("host", "").rpartition(":")[0] not in _LOOPBACK:
            return Response("this Host is not served", 421)
        session = self._sessions.get(request.headers.get("mcp-session-id", ""))
        if request.method == "GET":
            return Response(status_code=405) if session is None else self._standing(session)
        if request.method == "DELETE":
            return await self._delete(request.headers.get("mcp-session-id", ""))
        message = await request.json()
        if request.headers.get("mcp-protocol-version") == "2026-07-28" or _is_enveloped(message):
            return await self._post_modern(message)
        headers = {}
        if message.get("method") == "initialize":
            name = uuid.uuid4().hex
            session = self._sessions[name] = await StdioProcess.start(self._command)
            headers["Mcp-Session-Id"] = name
        if session is None:
            return Response("no session", 404 if "mcp-session-id" in request.headers else 400)
        return self._post(session, message, headers)

    def _post(self, session: StdioProcess, message: Json, headers: dict[str, str]) -> Response:
        if "id" not in message or "method" not in message:
            session.send(message)
            return Response(status_code=202)
        events = _events(session.exchange(message))
        return StreamingResponse(events, media_type="text/event-stream", headers=headers)

    async def _post_modern(self, message: Json) -> Response:
        if self._modern is None:
            self._modern = await StdioProcess.start(self._command)
            # The first request decides the era of a connection, and the suite's may be a bad one.
            async for _ in self._modern.exchange(_OPENING):
                continue
        if "id" not in message:
            return Response(status_code=202)
        answers = self._modern.exchange(message)
        first = await anext(answers)
        if "method" in first:
            return StreamingResponse(_events(answers, first), media_type="text/event-stream")
        code = first.get("error", {}).get("code", 0)
        return JSONResponse(first, _STATUS.get(code, 200))

    def _standing(self, session: StdioProcess) -> Response:
        async def changes() -> AsyncIterator[Json]:
            while True:
                yield await session.standing.get()

        return StreamingResponse(_events(changes()), media_type="text/event-stream")

    async def _delete(self, name: str) -> Response:
        session = self._sessions.pop(name, None)
        if session is None:
            return Response(status_code=404)
        await session.end()
        return Response(status_code=200)


def _is_enveloped(message: Json) -> bool:
    meta = (message.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and _VERSION in meta


async def _events(messages: AsyncIterator[Json], *first: Json) -> AsyncIterator[bytes]:
    for message in first:
        yield _event(message)
    async for message in messages:
        yield _event(message)


def _event(message: Json) -> bytes:
    return b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n"


def main(port: int, command: list[str]) -> None:
    """Serves until it is ended."""
    route = Route("/mcp", Bridge(command).handle, methods=["GET", "POST", "DELETE"])
    uvicorn.run(Starlette(routes=[route]), host="localhost", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
