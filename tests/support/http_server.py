"""A server process of our own on a port that is free, and plain requests to it."""

import http.client
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.stdio_server import DEADLINE_SECONDS, StdioServer, stdio_server


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The JSON-RPC messages of the body, whichever of its two forms it has."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            data = re.findall(rb"^data: (.+?)\r?$", self.body, re.MULTILINE)
            return [json.loads(d) for d in data]
        return [json.loads(self.body)]

    @property
    def message(self) -> dict[str, Any]:
        """The last message: the response."""
        return self.messages[-1]


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A running server process."""

    process: StdioServer
    port: int

    @property
    def url(self) -> str:
        """Where MCP is served."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def ask(
        self,
        method: str = "POST",
        path: str = "/mcp",
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """Sends a request; a header of None is left out."""
        given: dict[str, str | None] = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **(headers or {}),
        }
        sent = {name: value for name, value in given.items() if value is not None}
        is_ready = isinstance(body, bytes | Iterator | None)
        content: Any = body if is_ready else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_SECONDS)
        try:
            connection.request(method, path, body=content, headers=sent)
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, named, response.read())
        finally:
            connection.close()


@contextmanager
def http_server(*arguments: str, **process: Any) -> Iterator[HttpServer]:
    """Starts a program that writes `ready URL` or `serving URL` to stderr, and waits for it."""
    with stdio_server(*arguments, **process) as server:
        end = time.monotonic() + DEADLINE_SECONDS
        while not (ready := re.search(r"(?:ready|serving) http://\S+?:(\d+)/mcp", server.stderr)):
            assert server.process.poll() is None, server.stderr
            assert time.monotonic() < end, server.stderr
            time.sleep(0.02)
        try:
            yield HttpServer(server, int(ready[1]))
        finally:
            server.process.terminate()
