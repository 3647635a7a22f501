"""Requests to an ASGI app in this process, without a server between."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from appfunctions_mcp.server.asgi import AppFunctionsApp
from tests.support.http_server import Answer

DEADLINE_SECONDS = 20.0
BOTH = "application/json, text/event-stream"


@dataclass
class AsgiRequest:
    """One request to an app, and what has come back so far.

    The client stays until `leave`, or until the answer is complete.
    """

    app: AppFunctionsApp
    chunks: list[bytes]
    headers: Mapping[str, str | None] = field(default_factory=dict)
    method: str = "POST"
    path: str = "/mcp"

    def __post_init__(self) -> None:
        self.events: list[Any] = []
        self.asked = 0
        """How often the app has asked for more of the request."""
        self._left = asyncio.Event()
        self._went_on = asyncio.Event()

    async def run(self) -> Answer:
        """Sends the request and waits for the end of the answer."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self.app(self._scope(), self._receive, self._send)
        return self.answer()

    def leave(self) -> None:
        """Ends the connection, as a client does that waits no longer."""
        self._left.set()

    def answer(self) -> Answer:
        """What has come back."""
        start = self.events[0]
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        body = b"".join(event.get("body", b"") for event in self.events[1:])
        return Answer(start["status"], headers, body)

    async def until_events(self, count: int) -> None:
        """Waits until so many ASGI events have come back."""
        await self._until(lambda: len(self.events) >= count)

    async def until_asked(self, count: int) -> None:
        """Waits until the app has asked so often for more of the request."""
        await self._until(lambda: self.asked >= count)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not is_so():
                self._went_on.clear()
                await self._went_on.wait()

    def _scope(self) -> dict[str, Any]:
        given: dict[str, str | None] = {
            "host": "localhost",
            "content-type": "application/json",
            "accept": BOTH,
            **self.headers,
        }
        encoded = [(n.encode(), v.encode()) for n, v in given.items() if v is not None]
        return {
            "type": "http",
            "method": self.method,
            "path": self.path,
            "query_string": b"",
            "headers": encoded,
        }

    async def _receive(self) -> Any:
        self.asked += 1
        self._went_on.set()
        if self.asked > len(self.chunks):
            await self._left.wait()
            return {"type": "http.disconnect"}
        body, more_body = self.chunks[self.asked - 1], self.asked < len(self.chunks)
        return {"type": "http.request", "body": body, "more_body": more_body}

    async def _send(self, event: Any) -> None:
        self.events.append(event)
        self._went_on.set()
        if event["type"] == "http.response.body" and not event.get("more_body"):
            self._left.set()


def asgi_request(app: AppFunctionsApp, body: object, **headers: str | None) -> AsgiRequest:
    """A request with a JSON body, or with bytes as they stand; `_` in a header's name is `-`."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return AsgiRequest(app, [content], {n.replace("_", "-"): v for n, v in headers.items()})


async def ask(app: AppFunctionsApp, body: object, **headers: str | None) -> Answer:
    """Sends a request and returns the whole answer."""
    return await asgi_request(app, body, **headers).run()
