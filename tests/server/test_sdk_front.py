"""What stands before the SDK's transport: whose a session is, and comments on silent streams."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.asgi import AppFunctionsApp
from appfunctions_mcp.server.http_access import Headers, HttpAccess
from appfunctions_mcp.server.http_messages import PING, HttpRequest
from appfunctions_mcp.server.sdk.http_endpoint import SdkEndpoint
from appfunctions_mcp.server.sdk_front import SdkFront
from appfunctions_mcp.server.stream_keeping import StreamKeeper
from tests.server.test_http import CALL
from tests.support.asgi_client import ask
from tests.support.raw_http import INITIALIZE
from tests.support.served_functions import served_functions

pytestmark = pytest.mark.anyio

STREAM = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/event-stream")],
}
PART = {"type": "http.response.body", "body": b"data: 1\r\n\r\n", "more_body": True}
END = {"type": "http.response.body", "body": b"data: 2\r\n\r\n"}


class CallersByHeader(HttpAccess):
    """Access for whoever says who he is."""

    def check(
        self,
        headers: Headers,
        scope: Mapping[str, Any] | None = None,  # noqa: ARG002 - as declared
    ) -> AppFunctionCaller:
        """The caller that `X-Caller` names."""
        return AppFunctionCaller(name=headers["x-caller"], connection=headers["x-caller"])


@pytest.fixture
def app() -> AppFunctionsApp:
    """An app with sessions, not yet started."""

    def make_endpoint() -> SdkFront:
        sdk = SdkEndpoint(served_functions(), sessions=True, max_body_bytes=10_000)
        return SdkFront(sdk, max_body_bytes=10_000, keep_alive_seconds=15)

    methods = ("DELETE", "GET", "POST")
    return AppFunctionsApp(make_endpoint, CallersByHeader(), methods=methods, routes={})


async def test_a_session_is_that_of_the_caller_who_opened_it(app: AppFunctionsApp) -> None:
    opened = await ask(app, INITIALIZE, x_caller="ann")
    session = opened.headers["mcp-session-id"]
    unknown = await ask(app, CALL, x_caller="bob", mcp_session_id="dead")
    stolen = await ask(app, CALL, x_caller="bob", mcp_session_id=session)
    assert (stolen.status, stolen.body) == (unknown.status, unknown.body) == (404, unknown.body)
    assert (await ask(app, CALL, x_caller="ann", mcp_session_id=session)).status == 200


class Client:
    """The other end of an answer."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.arrived = asyncio.Event()

    async def send(self, event: Any) -> None:
        """Takes a part of the answer."""
        self.events.append(event)
        self.arrived.set()

    async def until_pings(self, count: int) -> None:
        """Waits for so many comments."""
        async with asyncio.timeout(20):
            while sum(event.get("body") == PING for event in self.events) < count:
                self.arrived.clear()
                await self.arrived.wait()


async def test_a_silent_stream_gets_comments_until_it_ends() -> None:
    """F49."""
    client = Client()
    async with StreamKeeper(client.send, 0.01) as keeper:
        await keeper.send(STREAM)
        await client.until_pings(2)
        await keeper.send(PART)
        await client.until_pings(4)
        await keeper.send(END)
        count = len(client.events)
        await asyncio.sleep(0.05)
    assert len(client.events) == count
    assert client.events[0] == STREAM
    assert client.events[-1] == END
    assert client.events.count(PART) == 1


async def test_an_answer_that_is_no_stream_gets_none() -> None:
    client = Client()
    async with StreamKeeper(client.send, 0.01) as keeper:
        await keeper.send({"type": "http.response.start", "status": 202})
        await asyncio.sleep(0.05)
    assert len(client.events) == 1


async def test_comments_end_with_a_client_that_cannot_be_written_to(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", logger="appfunctions_mcp.server")
    failed = asyncio.Event()

    async def send(event: Any) -> None:
        if event.get("body") == PING:
            failed.set()
            raise BrokenPipeError("gone")

    async with StreamKeeper(send, 0.01) as keeper:
        await keeper.send(STREAM)
        async with asyncio.timeout(20):
            await failed.wait()
    assert caplog.messages == ["a client cannot be written to: gone"]


async def test_a_body_that_was_read_is_read_again() -> None:
    events = [
        {"type": "http.request", "body": b"ab", "more_body": True},
        {"type": "http.request", "body": b"c"},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return events.pop(0)

    request = HttpRequest({"method": "POST", "headers": []}, receive, Client().send)
    for _ in range(2):
        body = await request.body(3)
        assert body == b"abc"
        request.put_back(body)
    assert await request.body(3) == b"abc"
    await request.until_gone()
    assert events == []
