"""The end of a server over HTTP: what runs is answered, and others are told to come again."""

import asyncio
import json
import os
import signal
import socket
import threading
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from appfunctions_mcp.deadlines import deadline, expire_all
from appfunctions_mcp.exceptions import AppFunctionCancelledException
from appfunctions_mcp.server.asgi import app_functions_asgi
from tests.support.asgi_client import AsgiRequest, asgi_request
from tests.support.http_server import Answer, http_server
from tests.support.served_functions import served_functions
from tests.support.stdio_server import DEADLINE_SECONDS

pytestmark = pytest.mark.anyio


def waiting(seconds: float, marker: Path) -> dict[str, object]:
    """A call that waits, and says so on the way."""
    params = {"name": "wait", "arguments": {"seconds": seconds, "marker": str(marker)}}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


async def test_a_server_that_drains_is_not_ready(tmp_path: Path) -> None:
    app = app_functions_asgi(served_functions())

    async def ready() -> int:
        headers = {"accept": "*/*"}
        return (await AsgiRequest(app, [b""], headers, "GET", "/readyz").run()).status

    assert await ready() == 200
    app.drain()
    assert await ready() == 503


async def test_a_request_that_is_cut_off_while_the_server_ends_is_told_to_come_again(
    tmp_path: Path,
) -> None:
    app = app_functions_asgi(served_functions())
    request = asgi_request(app, waiting(20, tmp_path / "marker"), accept="application/json")
    running = asyncio.create_task(request.run())
    await request.until_asked(1)
    await asyncio.sleep(0.2)
    app.drain()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    answer = request.answer()
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")


async def test_every_call_under_a_deadline_can_be_ended_with_a_reason() -> None:
    async def call() -> str:
        try:
            with deadline(30):
                await asyncio.sleep(20)
        except AppFunctionCancelledException as cancelled:
            return str(cancelled)
        return "went on"

    calls = [asyncio.create_task(call()) for _ in range(3)]
    await asyncio.sleep(0)
    expire_all("the server is ending")
    assert await asyncio.gather(*calls) == ["the server is ending"] * 3
    expire_all("nobody is left")


async def test_a_call_whose_user_thinks_can_be_ended_with_a_reason_too() -> None:
    async def call(*, resumes: bool) -> str:
        limit = deadline(30)
        try:
            with limit:
                limit.pause()
                if resumes:
                    limit.resume()
                try:
                    await asyncio.sleep(20)
                finally:
                    limit.resume()
        except AppFunctionCancelledException as cancelled:
            return str(cancelled)
        return "went on"

    calls = [asyncio.create_task(call(resumes=resumes)) for resumes in (False, True)]
    await asyncio.sleep(0)
    expire_all("the server is ending")
    assert await asyncio.gather(*calls) == ["the server is ending"] * 2
    expire_all("nobody is left")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_second_signal_ends_the_server_at_once_without_a_traceback(tmp_path: Path) -> None:
    accept = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
    with (
        http_server("-m", "tests.support.served_functions", "http", "0") as server,
        closing(HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE_SECONDS)) as client,
    ):
        client.request("POST", "/mcp", json.dumps(waiting(40, tmp_path / "marker")), accept)
        client.getresponse()  # of a stream: the call runs
        begun = time.monotonic()
        server.process.signal(signal.SIGINT)
        while is_listening(server.port):
            assert time.monotonic() < begun + DEADLINE_SECONDS
            time.sleep(0.01)
        server.process.signal(signal.SIGINT)
        assert server.process.wait() == 0
        assert time.monotonic() - begun < 6
        assert "Traceback" not in server.process.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_connection_that_was_accepted_has_its_first_request_answered_and_then_ends() -> None:
    """Its client cannot know that the server ends, and has never been refused."""
    with http_server("-m", "tests.support.served_functions", "http", "0") as server:
        address = ("127.0.0.1", server.port)
        with (
            socket.create_connection(address, timeout=DEADLINE_SECONDS) as early,
            socket.create_connection(address, timeout=DEADLINE_SECONDS) as unused,
        ):
            assert server.ask(body=ping()).status == 200  # so both were accepted before it
            server.process.signal(signal.SIGTERM)
            while is_listening(server.port):
                time.sleep(0.01)
            body = json.dumps(ping()).encode()
            early.sendall(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
            )
            answer = b"".join(iter(lambda: early.recv(65_536), b""))
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert answer.endswith(b'"result":{}}')
            assert unused.recv(1) == b""
        assert server.process.wait() == 0


def ping() -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def is_listening(port: int) -> bool:
    """Whether a connection to this machine's port is taken."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_a_call_that_does_not_end_in_time_is_answered_before_the_server_ends(
    accept: str, tmp_path: Path
) -> None:
    program = ("-m", "tests.support.served_functions", "http", "0")
    with http_server(*program) as server:
        answers: list[Answer] = []
        body, headers = waiting(40, tmp_path / "marker"), {"Accept": accept}
        calling = threading.Thread(
            target=lambda: answers.append(server.ask(body=body, headers=headers))
        )
        calling.start()
        time.sleep(0.8)
        begun = time.monotonic()
        server.process.signal(signal.SIGTERM)
        calling.join(DEADLINE_SECONDS)
        error = answers[0].message["result"]["_meta"]["appfunctions/error"]
        assert error["type"] == "AppFunctionCancelledException"
        assert error["message"] == "the server is ending; call again"
        assert server.process.wait() == 0
        assert time.monotonic() - begun < 16
        assert (tmp_path / "marker").read_text("utf-8") == "ended"
