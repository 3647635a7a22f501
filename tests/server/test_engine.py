"""A service on stdio, in both eras, as clients use it: by the lean engine and by the SDK's."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.stdio_server import DEADLINE_SECONDS, StdioServer, stdio_server

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file for a function's mark."""
    return tmp_path / "marker"


@pytest.fixture
def server(engine: str, tmp_path: Path) -> Iterator[StdioServer]:
    """A process that serves the functions on stdio, before any handshake."""
    env = {"LIFESPAN_MARKER": str(tmp_path / "lifespan")}
    with stdio_server("-m", "tests.support.served_functions", "stdio", env=env) as running:
        yield running


@pytest.fixture
def legacy(server: StdioServer) -> StdioServer:
    """The same after a handshake."""
    server.initialize()
    return server


def modern_call(
    server: StdioServer, method: str, meta: dict[str, Any] | None = None, **params: Any
) -> dict[str, Any]:
    """Sends a request of the newest revision."""
    return server.request(method, {**params, "_meta": {**MODERN, **(meta or {})}})


def error_record(response: dict[str, Any]) -> dict[str, Any]:
    result = response["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    record = result["_meta"]["appfunctions/error"]
    assert isinstance(record, dict)
    return record


def await_text(path: Path) -> str:
    """What a function has written, as soon as it has."""
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text()):
            return text
        time.sleep(0.01)
    raise AssertionError(f"nothing in {path}")


def test_the_handshake_says_who_serves_and_that_the_list_may_change(server: StdioServer) -> None:
    assert server.initialize() == {
        "protocolVersion": "2025-11-25",
        "capabilities": {"logging": {}, "tools": {"listChanged": True}},
        "serverInfo": {
            "name": "served",
            "version": "1.2.3",
            "description": "Serves tests.\nAdd before you echo.",
        },
        "instructions": "Serves tests.\nAdd before you echo.",
    }


@pytest.mark.parametrize(
    ("asked", "got"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ],
)
def test_a_version_is_agreed_on_or_offered(asked: str, got: str, server: StdioServer) -> None:
    """F41."""
    assert server.initialize(asked)["protocolVersion"] == got
    assert server.call("add", {"a": 1, "b": 2})["result"]["structuredContent"] == {"result": 3}


def test_ping_is_answered_before_the_handshake(server: StdioServer) -> None:
    """F41."""
    assert server.request("ping")["result"] == {}


def test_discover_says_the_same_without_a_handshake(server: StdioServer) -> None:
    result = modern_call(server, "server/discover")["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"logging": {}, "tools": {"listChanged": True}}
    assert result["instructions"] == "Serves tests.\nAdd before you echo."
    assert result["resultType"] == "complete"


def test_the_list_has_every_enabled_function_in_one_page(legacy: StdioServer) -> None:
    """F94, F107."""
    result = legacy.request("tools/list")["result"]
    assert set(result) == {"tools"}
    names = [t["name"] for t in result["tools"]]
    assert names[:3] == ["add", "echo", "crash"]
    assert "wipe" not in names
    assert result["tools"][0] == {
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "The first number."},
                "b": {"type": "integer", "description": "The second number."},
            },
            "required": ["a", "b"],
            "additionalProperties": False,
        },
        "outputSchema": result["tools"][0]["outputSchema"],
        "annotations": {"readOnlyHint": True},
    }
    assert legacy.request("tools/list")["result"] == result


def test_a_bogus_cursor_is_refused(legacy: StdioServer) -> None:
    error = legacy.request("tools/list", {"cursor": "bogus"})["error"]
    assert error["code"] == -32602
    assert "'bogus'" in error["message"]


def test_a_call_is_answered_with_text_and_structure(legacy: StdioServer) -> None:
    assert legacy.call("add", {"a": 2, "b": 3})["result"] == {
        "content": [{"type": "text", "text": '{"result":5}'}],
        "structuredContent": {"result": 5},
        "isError": False,
    }


def test_a_call_of_the_newest_revision_is_complete_and_names_the_server(
    server: StdioServer,
) -> None:
    result = modern_call(server, "tools/call", name="add", arguments={"a": 2, "b": 3})["result"]
    assert result["structuredContent"] == {"result": 5}
    assert (result["isError"], result["resultType"]) == (False, "complete")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "served"
    listed = modern_call(server, "tools/list")["result"]
    assert (listed["ttlMs"], listed["cacheScope"]) == (0, "private")


def test_an_unknown_function_is_a_protocol_error_with_near_names(legacy: StdioServer) -> None:
    """F61, F106."""
    error = legacy.call("ad")["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("AppFunctionFunctionNotFoundException: ")
    assert "add" in error["message"]
    assert error["data"]["code"] == 1003


def test_the_same_exception_from_a_function_is_a_result(legacy: StdioServer) -> None:
    assert error_record(legacy.call("find_function"))["code"] == 1003


def test_a_malformed_call_is_a_protocol_error(legacy: StdioServer) -> None:
    """F61."""
    for params in ({}, {"name": 5}, {"name": "add", "arguments": []}, {"name": "add", "_meta": []}):
        assert legacy.request("tools/call", params)["error"]["code"] == -32602


def test_an_unknown_method_is_a_protocol_error(legacy: StdioServer) -> None:
    """F61."""
    assert legacy.request("tools/sing")["error"]["code"] == -32601
    assert legacy.request("resources/list")["error"]["code"] == -32601


def test_a_raised_exception_reaches_the_model_with_its_recovery(legacy: StdioServer) -> None:
    """F111."""
    response = legacy.call("find_note", {"note_id": "c9"})
    assert response["result"]["content"] == [
        {
            "type": "text",
            "text": "AppFunctionElementNotFoundException: no note c9\n"
            "Recovery: find_notes lists the notes.",
        }
    ]
    record = error_record(response)
    assert (record["type"], record["code"]) == ("AppFunctionElementNotFoundException", 1500)


def test_bad_arguments_are_a_result(legacy: StdioServer) -> None:
    """F61."""
    assert error_record(legacy.call("add", {"a": "x"}))["code"] == 1001


def test_a_crash_shows_an_error_id_and_nothing_of_the_crash(legacy: StdioServer) -> None:
    """F62."""
    response = legacy.call("crash")
    assert error_record(response)["type"] == "AppFunctionAppUnknownException"
    assert "secret" not in json.dumps(response)
    assert error_record(response)["error_id"] in response["result"]["content"][0]["text"]


def test_a_disabled_function_is_neither_listed_nor_run(legacy: StdioServer) -> None:
    """F107."""
    assert error_record(legacy.call("wipe"))["code"] == 1002
    assert "WIPED" not in legacy.stderr


def test_enabling_a_function_is_told_to_a_client_of_the_handshake_era(legacy: StdioServer) -> None:
    """F107."""
    legacy.call("switch", {"name": "wipe", "on": True})
    while not legacy.notifications:
        legacy.notifications.append(legacy.read())
    assert legacy.notifications == [
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    ]
    assert "wipe" in [t["name"] for t in legacy.request("tools/list")["result"]["tools"]]
    assert legacy.call("wipe")["result"]["content"][0]["text"] == "wiped"


def test_enabling_a_function_is_told_to_a_subscriber_of_the_newest_revision(
    server: StdioServer,
) -> None:
    params = {"notifications": {"toolsListChanged": True}, "_meta": MODERN}
    listen = {"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params}
    server.send(listen)
    assert server.read()["method"] == "notifications/subscriptions/acknowledged"
    modern_call(server, "tools/call", name="switch", arguments={"name": "wipe", "on": True})
    while not server.notifications:
        server.notifications.append(server.read())
    [changed] = server.notifications
    assert changed["method"] == "notifications/tools/list_changed"
    assert changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "l"
    started = time.monotonic()
    server.close_input()
    assert server.wait() == 0
    assert time.monotonic() - started < 1.4
    assert [m["id"] for m in server.rest()] == ["l"]


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_progress_rises_with_the_token_and_ends_before_the_result(
    era: str, server: StdioServer
) -> None:
    """F58."""
    if era == "handshake":
        server.initialize()
    envelope = MODERN if era == "modern" else {}
    for function in ("count", "count_in_thread"):
        for token in (0, "", 7, "token"):
            server.notifications.clear()
            meta = {**envelope, "progressToken": token}
            answer = server.call(function, {"steps": 3}, _meta=meta)
            assert answer["result"]["structuredContent"] == {"result": 3}
            reports = [n["params"] for n in server.notifications]
            assert [n["method"] for n in server.notifications] == ["notifications/progress"] * 3
            assert [r["progress"] for r in reports] == [0, 1, 2]
            assert [(type(r["progressToken"]), r["progressToken"]) for r in reports] == (
                [(type(token), token)] * 3
            )
    server.close_input()
    assert server.wait() == 0
    assert server.rest() == []


def test_without_a_token_there_is_no_progress(legacy: StdioServer) -> None:
    """F58."""
    legacy.call("count", {"steps": 3})
    assert legacy.notifications == []


def test_log_messages_are_sent_once_the_client_has_set_a_level(legacy: StdioServer) -> None:
    legacy.call("write_log")
    assert legacy.notifications == []
    assert legacy.request("logging/setLevel", {"level": "info"})["result"] == {}
    legacy.call("write_log")
    assert [n["params"] for n in legacy.notifications] == [
        {
            "level": "info",
            "logger": "served",
            "data": {"message": "to be read", "kind": "note", "path": "a"},
        },
        {"level": "error", "logger": "served", "data": "to be feared"},
    ]


def test_log_messages_of_the_newest_revision_are_asked_for_with_the_call(
    server: StdioServer,
) -> None:
    modern_call(server, "tools/call", name="write_log", arguments={})
    assert server.notifications == []
    level = {"io.modelcontextprotocol/logLevel": "error"}
    modern_call(server, "tools/call", level, name="write_log", arguments={})
    assert [n["params"]["data"] for n in server.notifications] == ["to be feared"]


def cancelled_call(server: StdioServer, function: str, marker: Path) -> None:
    """Starts a call with the id 7 and cancels it, twice and under wrong ids first."""
    params = {
        "name": function,
        "arguments": {"seconds": 60, "marker": str(marker)},
        "_meta": {**MODERN, "progressToken": "t"},
    }
    server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    assert server.read()["method"] == "notifications/progress"
    for request_id in ("7", 7.0, None, 8, [7]):
        server.notify("notifications/cancelled", {"requestId": request_id})
    assert modern_call(server, "tools/call", name="echo", arguments={"text": "x"})["result"]
    assert not marker.exists()
    server.notify("notifications/cancelled", {"requestId": 7, "reason": "user"})
    server.notify("notifications/cancelled", {"requestId": 7, "reason": "user"})


@pytest.mark.parametrize(("function", "mark"), [("wait", "ended"), ("wait_in_thread", "cancelled")])
def test_a_cancelled_call_ends_and_is_never_answered(
    function: str, mark: str, server: StdioServer, marker: Path
) -> None:
    """F57."""
    cancelled_call(server, function, marker)
    assert await_text(marker) == mark
    assert modern_call(server, "tools/call", name="echo", arguments={"text": "x"})["result"]
    server.close_input()
    assert server.wait() == 0
    assert server.rest() == []


def test_calls_that_run_at_the_end_of_input_end_before_the_lifespan(
    server: StdioServer, marker: Path, tmp_path: Path
) -> None:
    """F37."""
    server.initialize()
    arguments = {"seconds": 60, "marker": str(marker)}
    meta = {"progressToken": 1}
    params = {"name": "wait", "arguments": arguments, "_meta": meta}
    server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    assert server.read()["method"] == "notifications/progress"
    started = time.monotonic()
    server.close_input()
    assert server.wait() == 0
    assert time.monotonic() - started < 2.5
    assert server.rest() == []
    assert marker.read_text() == "ended"
    assert (tmp_path / "lifespan").read_text() == "closed\n"


def test_a_picture_is_a_picture_block_alone(legacy: StdioServer) -> None:
    """F96."""
    assert legacy.call("picture")["result"] == {
        "content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}],
        "isError": False,
    }


def test_a_deep_result_is_answered_under_its_own_id(legacy: StdioServer) -> None:
    """F33."""
    text = legacy.call("nest", {"depth": 480})["result"]["content"][0]["text"]
    assert text.count("{") == 480


def test_a_text_that_utf8_cannot_hold_is_still_answered(legacy: StdioServer) -> None:
    """F35, F102."""
    result = legacy.call("half_a_surrogate")["result"]
    assert result["content"] == [{"type": "text", "text": "a\ufffdb\u2028c"}]
    assert "\u2028".encode() not in legacy.raw[-1]


def test_whatever_functions_print_stdout_carries_the_protocol_alone(legacy: StdioServer) -> None:
    """F28."""
    assert legacy.call("print_everywhere")["result"]["isError"] is False
    legacy.close_input()
    assert legacy.wait() == 0
    assert legacy.rest() == []
    for text in ("printed at import", "printed", "written to 1", "from a child"):
        assert text in legacy.stderr


def test_a_whole_session_piped_in_at_once_is_answered_to_the_end(server: StdioServer) -> None:
    """performance.md 6.1: the SDK's own transport leaves requests unanswered here."""
    init = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    server.send(
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": init},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        *(
            {
                "jsonrpc": "2.0",
                "id": n,
                "method": "tools/call",
                "params": {"name": "add", "arguments": {"a": n, "b": 1}},
            }
            for n in range(2, 50)
        ),
    )
    server.close_input()
    answers = server.rest()
    assert sorted(a["id"] for a in answers) == list(range(50))
    assert server.wait() == 0
