"""What connecting to an address shows, and the words for each way in which it fails."""

import json
import socket
import threading

import pytest

from appfunctions_mcp.install.address_probe import probe_address
from tests.support.answering_server import Answer, Request, answering, as_mcp


def status(code: int, body: bytes = b"", kind: str = "text/plain", **headers: str) -> Answer:
    """Answers everything with this status."""
    return lambda request: request.reply(code, body, kind, **headers)


def test_the_tools_of_a_server_are_counted_with_its_headers() -> None:
    with answering(as_mcp("a", "b", token="t-1")) as served:
        report = probe_address(served.url, {"Authorization": "Bearer t-1"})
    assert report.failure is None
    assert report.tools == ("a", "b")
    assert report.start_seconds is not None
    first, *later = served.seen
    assert "mcp-protocol-version" not in first
    assert {each["mcp-protocol-version"] for each in later} == {"2025-06-18"}


def test_names_of_tools_cannot_draw_on_a_terminal() -> None:
    with answering(as_mcp("a\x1b[31mb\u202ec")) as served:
        assert probe_address(served.url, {}).tools == ("a[31mbc",)


def test_events_sessions_and_pages_are_understood() -> None:
    def answer(request: Request) -> None:
        message = json.loads(request.body)
        page = message.get("params", {}).get("cursor")
        result: dict[str, object] = {"tools": [{"name": f"tool{page or ''}"}]}
        if message["method"] == "tools/list" and page is None:
            result["nextCursor"] = "2"
        asked = {"jsonrpc": "2.0", "id": message.get("id"), "method": "ping"}
        reply = {"jsonrpc": "2.0", "id": message.get("id"), "result": result}
        events = "".join(
            f"event: message\r\ndata: {json.dumps(each)}\r\n\r\n" for each in (asked, reply)
        )
        request.reply(
            200, b": hello\n\n" + events.encode(), "text/event-stream", Mcp_Session_Id="s1"
        )

    with answering(answer) as served:
        report = probe_address(served.url, {})
    assert (report.failure, report.tools) == (None, ("tool", "tool2"))
    assert served.seen[1]["mcp-session-id"] == "s1"
    assert served.seen[-1] == {"deleted": "s1"}


@pytest.mark.parametrize(
    ("answer", "what", "fix"),
    [
        (status(401), "status 401: it asks for a token", "--bearer-env NAME"),
        (status(403), "status 403: it does not let this client in", "--allowed-host"),
        (status(404), "status 404: no MCP server is there", "mostly /mcp"),
        (status(405), "status 405: no MCP server is there", "mostly /mcp"),
        (status(421), "status 421: it does not serve this host name", "--allowed-host"),
        (status(502), "status 502", "read the log"),
        (status(308, Location="https://h/\x1b[31m"), "to 'https://h/[31m'", "leads to"),
        (status(200, b"<html>", "text/html"), "text/html and no JSON-RPC", "mostly /mcp"),
        (status(200, b"{}", "application/json"), "and no JSON-RPC", "mostly /mcp"),
        (status(200, b"data: 1\n\n", "text/event-stream"), "gave no answer to init", "mostly /mcp"),
        (lambda request: request.connection.close(), "cannot be reached", "that the server runs"),
    ],
)
def test_each_refusal_has_its_own_words_and_its_fix(answer: Answer, what: str, fix: str) -> None:
    with answering(answer) as served:
        report = probe_address(served.url, {})
    assert report.failure is not None
    assert report.failure.startswith(served.url)
    assert what in report.failure
    assert fix in report.fix
    assert report.tools == ()


def test_a_token_that_is_not_taken_is_told_apart_from_none() -> None:
    with answering(as_mcp("a", token="t-1")) as served:
        report = probe_address(served.url, {"authorization": "Bearer canary"})
    assert "it does not take this token" in (report.failure or "")
    assert "canary" not in f"{report.failure}{report.fix}"


def test_an_error_of_the_server_is_shown() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no database"}}
    with answering(status(200, json.dumps(error).encode(), "application/json")) as served:
        report = probe_address(served.url, {})
    assert "answered initialize with" in (report.failure or "")
    assert "no database" in (report.failure or "")


def test_a_token_is_not_carried_to_another_host() -> None:
    with answering(as_mcp("a")) as other, answering(status(307, Location=other.url)) as served:
        report = probe_address(served.url, {"Authorization": "Bearer canary"})
    assert "status 307" in (report.failure or "")
    assert other.seen == []


@pytest.mark.parametrize("first", [b"", b": a comment of the stream\n"])
def test_a_server_that_hangs_ends_the_probe_on_time(first: bytes) -> None:
    """It says nothing, or begins an answer that never comes."""
    leave = threading.Event()

    def answer(request: Request) -> None:
        if first:
            request.send_response(200)
            request.send_header("Content-Type", "text/event-stream")
            request.end_headers()
        while first and not leave.wait(0.02):
            request.wfile.write(first)
        leave.wait(10)

    with answering(answer) as served:
        report = probe_address(served.url, {}, 0.3)
        leave.set()
    assert report.timed_out
    assert "did not answer within" in (report.failure or "")
    assert report.seconds < 5


def test_nobody_there_and_no_such_host_are_told() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    assert "refuses connections" in (probe_address(f"http://127.0.0.1:{port}/", {}).failure or "")
    report = probe_address("http://no-such-host.invalid/mcp", {}, 5)
    assert "no-such-host.invalid/mcp" in (report.failure or "")


def test_a_secure_address_of_a_plain_server_is_told() -> None:
    with answering(as_mcp("a")) as served:
        report = probe_address(served.url.replace("http:", "https:"), {})
    assert "no secure connection" in (report.failure or "")


def test_what_speaks_no_http_is_told() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def speak() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"SSH-2.0-x\r\n")

        thread = threading.Thread(target=speak)
        thread.start()
        report = probe_address(f"http://127.0.0.1:{listening.getsockname()[1]}/", {}, 5)
        thread.join()
    assert "does not speak HTTP" in (report.failure or "")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "x", "ftp://h/"])
def test_another_scheme_is_never_opened(url: str) -> None:
    assert "no address of http or https" in (probe_address(url, {}).failure or "")
