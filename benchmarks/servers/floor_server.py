"""The floor: what answering the same requests costs with no MCP library and no validation.

    floor_server.py FOLDER COUNT [PORT]

A bare asyncio loop on stdio, a bare ASGI app on uvicorn with a port; orjson in both.
"""

import asyncio
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from tools import tools

TOOLS = tools(int(sys.argv[2]))
SERVER = {"name": "bench", "version": "1"}
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
THREADS = ThreadPoolExecutor(64)


def value_of(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if name == "add":
        return {"result": given["a"] + given["b"]}
    if name == "pause":
        time.sleep(given["milliseconds"] / 1000)
        return {"result": given["milliseconds"]}
    return {"id": "n1", "title": given["title"], "content": given.get("content")}


def call(params: dict[str, Any]) -> dict[str, Any]:
    name, given = params["name"], params.get("arguments") or {}
    if name == "echo":
        return {"content": [{"type": "text", "text": given["text"]}], "isError": False}
    value = value_of(name, given)
    text = orjson.dumps(value).decode()
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": value,
        "isError": False,
    }


def answer_of(message: dict[str, Any]) -> bytes:
    """The whole answer to a request."""
    method, params = message["method"], message.get("params") or {}
    result: dict[str, Any] = {}
    if method == "tools/call":
        result = call(params)
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "serverInfo": SERVER}
        result["capabilities"] = {"tools": {}}
    elif method != "ping":
        error = {"code": -32601, "message": "Method not found"}
        return orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error})
    if VERSION_KEY in params.get("_meta", ()):
        result["resultType"] = "complete"
        result["_meta"] = {"io.modelcontextprotocol/serverInfo": SERVER}
    return orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})


def blocks(message: dict[str, Any]) -> bool:
    return message["method"] == "tools/call" and message["params"]["name"] == "pause"


class Lines(asyncio.Protocol):
    """Answers each line that comes, and all of one read in one write."""

    def __init__(self, ended: asyncio.Event) -> None:
        self._ended = ended
        self._rest: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        if b"\n" not in data:
            self._rest.append(data)
            return
        *lines, rest = b"".join((*self._rest, data)).split(b"\n")
        self._rest = [rest]
        answers = [self.answered(orjson.loads(line)) for line in lines]
        write(b"".join(answers))

    def answered(self, message: dict[str, Any]) -> bytes:
        if "id" not in message:
            return b""
        if not blocks(message):
            return answer_of(message) + b"\n"
        future = asyncio.get_running_loop().run_in_executor(THREADS, answer_of, message)
        future.add_done_callback(lambda done: write(done.result() + b"\n"))
        return b""

    def connection_lost(self, _exc: Exception | None) -> None:
        self._ended.set()


def write(data: bytes) -> None:
    if data:
        os.write(1, data)


async def serve_stdio() -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: Lines(ended), sys.stdin)
    await ended.wait()


async def app(_scope: dict[str, Any], receive: Any, send: Any) -> None:
    parts, more = [], True
    while more:
        event = await receive()
        parts.append(event.get("body", b""))
        more = event.get("more_body", False)
    message = orjson.loads(b"".join(parts))
    status, body = 202, b""
    if "id" in message:
        loop, status = asyncio.get_running_loop(), 200
        waits = blocks(message)
        body = (
            await loop.run_in_executor(THREADS, answer_of, message) if waits else answer_of(message)
        )
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


if len(sys.argv) > 3:
    from over_http import serve

    serve(app, int(sys.argv[3]), lifespan="off")
else:
    asyncio.run(serve_stdio())
