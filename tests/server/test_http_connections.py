"""What a client may do with its connection: offer another protocol, send ahead, leave."""

import asyncio
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from appfunctions_mcp.server.asgi import app_functions_asgi
from appfunctions_mcp.server.http_connection import MAX_KEPT_BYTES
from tests.server.test_engine import await_text
from tests.support.edge_server import parsers
from tests.support.http_server import HttpServer, http_server
from tests.support.raw_http import (
    CALL_ADD,
    INITIALIZE,
    RawConnection,
    call,
    connected,
    head,
    request,
)
from tests.support.served_functions import served_functions
from tests.support.stdio_server import DEADLINE_SECONDS

OFFER = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk"}
"""What Java's HTTP client sends with each request."""
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module", params=parsers())
def server(request: pytest.FixtureRequest) -> Iterator[HttpServer]:
    """A server process by either parser; in the end it must have had nothing to complain about."""
    arguments = ("-m", "tests.support.edge_server", request.param, "alone", "{}")
    with http_server(*arguments) as running:
        yield running
        running.process.process.terminate()
        running.process.wait()
        complaints = running.process.stderr.replace("printed at import\n", "")
        assert re.fullmatch(r"ready \S+\n", complaints), complaints


@pytest.fixture(params=[{}, {"sessions": True}, {"engine": "sdk"}], ids=json.dumps)
def any_server(request: pytest.FixtureRequest) -> Iterator[HttpServer]:
    """A server process of each kind."""
    options = json.dumps(request.param)
    with http_server("-m", "tests.support.edge_server", parsers()[-1], "alone", options) as running:
        yield running


def answers(client: RawConnection, *ids: object) -> None:
    """Reads answers, which must be those to these calls of `add`."""
    for request_id in ids:
        message = client.answer().message
        assert (message["id"], message["result"]["structuredContent"]) == (
            request_id,
            {"result": 3},
        )


def test_blanks_around_a_headers_value_are_no_part_of_it(server: HttpServer) -> None:
    params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": MODERN}
    headers = {
        "Mcp-Protocol-Version": " 2026-07-28\t",
        "Mcp-Method": "tools/call  ",
        "Mcp-Name": "  add ",
    }
    with connected(server.port) as client:
        client.send(request({**CALL_ADD, "params": params}, headers))
        answers(client, 7)


# Offers.


@pytest.mark.parametrize("protocol", ["h2c", "websocket", "TLS/1.0"])
def test_an_offer_to_change_the_protocol_leaves_the_body_where_it_is(
    protocol: str, server: HttpServer
) -> None:
    offer = {**OFFER, "Upgrade": protocol}
    with connected(server.port) as client:
        for _ in range(3):
            client.send(request(CALL_ADD, offer))
            answers(client, 7)
        client.send(request(CALL_ADD))
        answers(client, 7)


def test_the_body_of_an_offer_may_come_in_pieces(server: HttpServer) -> None:
    whole = request(CALL_ADD, OFFER)
    with connected(server.port) as client:
        for cut in (40, whole.index(b"\r\n\r\n") + 4, len(whole) - 5):
            client.send(whole[:cut])
            assert server.ask("GET", "/healthz").status == 200  # what was sent has been read now
            client.send(whole[cut:])
            answers(client, 7)


def test_offers_that_come_at_once_are_answered_in_order(server: HttpServer) -> None:
    with connected(server.port) as client:
        client.send(
            request(CALL_ADD | {"id": 1}, OFFER)
            + request(CALL_ADD | {"id": 2})
            + request(CALL_ADD | {"id": 3}, OFFER)
        )
        answers(client, 1, 2, 3)


# Requests that come before the last one is answered.


def test_requests_that_come_while_one_is_answered_follow_it(
    server: HttpServer, tmp_path: Path
) -> None:
    with connected(server.port) as client:
        client.send(request(call("wait", seconds=0.3, marker=str(tmp_path / "mark"))))
        for request_id in range(10):
            client.send(request(CALL_ADD | {"id": request_id}))
        assert client.answer().message["result"]["content"][0]["text"] == "waited"
        answers(client, *range(10))


def test_more_than_is_kept_is_answered_too(server: HttpServer, tmp_path: Path) -> None:
    body = json.dumps(CALL_ADD).encode().ljust(3 * MAX_KEPT_BYTES)
    with connected(server.port) as client:
        client.send(request(call("wait", seconds=0.3, marker=str(tmp_path / "mark"))))
        sending = threading.Thread(target=client.send, args=(request(body) + request(body),))
        sending.start()
        assert client.answer().message["result"]["content"][0]["text"] == "waited"
        answers(client, 7, 7)
        sending.join(DEADLINE_SECONDS)


@pytest.mark.parametrize("offer", [{}, OFFER], ids=["plain", "offer"])
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "later"])
def test_a_request_that_follows_hides_nobodys_leaving(
    at_once: bool, offer: dict[str, str], server: HttpServer, tmp_path: Path
) -> None:
    marker = tmp_path / "mark"
    first = request(call("wait", seconds=60, marker=str(marker)), offer)
    follower = request(call("wait", seconds=60, marker=str(tmp_path / "never")))
    with connected(server.port) as client:
        client.send(first + follower if at_once else first)
        client.read_until(b": ping")
        if not at_once:
            client.send(follower)
    started = time.monotonic()
    assert await_text(marker) == "ended"
    assert time.monotonic() - started < 5
    assert not (tmp_path / "never").exists()


# Clients that leave.


@pytest.mark.parametrize("leaves", ["closes", "resets"])
@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
@pytest.mark.parametrize(("function", "mark"), [("wait", "ended"), ("wait_in_thread", "cancelled")])
def test_a_client_that_leaves_ends_its_call_in_silence(
    function: str, mark: str, accept: str, leaves: str, server: HttpServer, tmp_path: Path
) -> None:
    """F57."""
    marker = tmp_path / "mark"
    with connected(server.port) as client:
        body = call(function, seconds=60, marker=str(marker))
        client.send(request(body, {"Accept": accept}))
        if "stream" in accept:
            client.read_until(b": ping")
        else:
            assert server.ask(body=CALL_ADD).status == 200  # the call has been read by then
        if leaves == "resets":
            client.reset()
    assert await_text(marker) == mark


def test_a_client_may_leave_at_any_byte_of_its_request(server: HttpServer) -> None:
    whole = request(CALL_ADD)
    body = whole.index(b"\r\n\r\n") + 4
    for end in (0, 5, body - 2, body, body + 10, len(whole)):
        for leaves in ("closes", "resets"):
            with connected(server.port) as client:
                client.send(whole[:end])
                if leaves == "resets":
                    client.reset()
    with connected(server.port) as client:
        client.send(head({"Content-Length": "50000000"}))
        client.send(b" " * 100_000)
        client.reset()
    assert server.ask(body=CALL_ADD).status == 200


def test_nobodys_leaving_is_a_fault_of_the_server(any_server: HttpServer, tmp_path: Path) -> None:
    session = {}
    if opened := any_server.ask(body=INITIALIZE).headers.get("mcp-session-id"):
        session = {"Mcp-Session-Id": opened}
    for number in range(6):
        marker = tmp_path / f"mark {number}"
        with connected(any_server.port) as client:
            body = call("wait", seconds=0.5, marker=str(marker))
            client.send(request(body, session))
            assert any_server.ask("GET", "/healthz").status == 200
            if number % 2:
                client.reset()
        assert await_text(marker) == "ended"
    assert any_server.ask(body=CALL_ADD, headers=session).status == 200
    any_server.process.signal(signal.SIGTERM)
    assert any_server.process.wait() == 0
    assert "Traceback" not in any_server.process.stderr
    assert "Exception" not in any_server.process.stderr


# Where the app stands in another.


def test_one_app_serves_two_event_loops_in_turn() -> None:
    """F52."""
    app = app_functions_asgi(served_functions())
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            config = uvicorn.Config(app, lifespan="off", log_level="warning")
            serving = uvicorn.Server(config)
            thread = threading.Thread(target=asyncio.run, args=(serving.serve([listening]),))
            thread.start()
            try:
                with connected(listening.getsockname()[1]) as client:
                    for _ in range(2):
                        client.send(request(CALL_ADD))
                        answers(client, 7)
            finally:
                serving.should_exit = True
                thread.join(DEADLINE_SECONDS)
        assert not thread.is_alive()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("place", "number"),
    [("bare", signal.SIGINT), ("mount", signal.SIGINT), ("hosted", signal.SIGTERM)],
)
def test_an_app_in_another_is_closed_with_the_loop_or_with_its_hosts_lifespan(
    place: str, number: int, tmp_path: Path
) -> None:
    """F52; uvicorn leaves a loop no time for that when SIGTERM comes."""
    marker = tmp_path / "lifespan"
    arguments = ("-m", "tests.support.edge_server", parsers()[-1], place, "{}")
    with http_server(*arguments, env={"LIFESPAN_MARKER": str(marker)}) as server:
        path = "/mcp" if place == "bare" else "/tools/mcp"
        assert server.ask(path=path, body=CALL_ADD).status == 200
        server.process.signal(number)
        server.process.wait()
        assert await_text(marker) == "closed\n"
