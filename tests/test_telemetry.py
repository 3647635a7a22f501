"""One line per execution, on stderr, without secrets, and nothing at stdio's default level."""

import dataclasses
import io
import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from appfunctions_mcp.exceptions import AppFunctionAppUnknownException
from appfunctions_mcp.redaction import REDACTED, is_sensitive, redacted
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.telemetry import ExecutionLog, ExecutionRecord, configure_logging, warn

SUCCESS = ExecutionRecord("m#find", "success", 12.3456, "ann", request_id=7, result_bytes=20)
REQUEST = ExecuteAppFunctionRequest("find")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def fail(message: str) -> None:
    raise RuntimeError(message)


def crash() -> ExecutionRecord:
    """A crash as the caller got it, said again by the loop guard."""
    answer = AppFunctionAppUnknownException("failed", extras={"error_id": "e1"})
    noted = AppFunctionAppUnknownException("failed again", extras=answer.extras)
    noted.__cause__ = answer
    try:
        fail("connect failed: db://app:PASS@host/x")
    except RuntimeError as exc:
        answer.__cause__ = exc
    return ExecutionRecord(
        "m#find", "crash", 1, "ann", error_type=answer.kind, error_id="e1", crash=noted
    )


def test_a_success_is_one_json_line_with_every_field() -> None:
    stream = io.StringIO()
    configure_logging("info", stream=stream)

    ExecutionLog().record(SUCCESS)

    line = json.loads(stream.getvalue())
    assert stream.getvalue().count("\n") == 1
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "execution",
        "level": "info",
        "logger": "appfunctions_mcp.executions",
        "function_id": "m#find",
        "outcome": "success",
        "duration_ms": 12.346,
        "request_id": 7,
        "caller": "ann",
        "result_bytes": 20,
    }


def test_an_anticipated_error_is_info_without_a_traceback() -> None:
    stream = io.StringIO()
    configure_logging("info", stream=stream)

    ExecutionLog().record(ExecutionRecord("f", "error", 1, "ann", error_type="SomeException"))

    line = json.loads(stream.getvalue())
    assert (line["level"], line["outcome"]) == ("info", "error")
    assert line["error_type"] == "SomeException"
    assert "exception" not in line


def test_a_crash_is_an_error_with_its_traceback_and_its_id() -> None:
    """F62: the details are on stderr only."""
    stream = io.StringIO()
    configure_logging("error", stream=stream)

    ExecutionLog().record(crash())

    line = json.loads(stream.getvalue())
    assert (line["level"], line["outcome"], line["error_id"]) == ("error", "crash", "e1")
    assert line["error_type"] == "AppFunctionAppUnknownException"
    assert "Traceback" in line["exception"]
    assert line["exception"].endswith("RuntimeError: connect failed: db://app:PASS@host/x")


def test_a_program_of_ones_own_sees_executions_in_its_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        ExecutionLog().record(SUCCESS)
        ExecutionLog().record(crash())

    assert [record.levelname for record in caplog.records] == ["INFO", "ERROR"]
    assert "function_id='m#find' outcome='success'" in caplog.messages[0]
    assert caplog.records[1].exc_info is not None


def test_the_default_level_writes_nothing_and_imports_no_structlog() -> None:
    code = """if True:
        import sys
        from appfunctions_mcp.requests import *
        from appfunctions_mcp.telemetry import *
        configure_logging("warning")
        request = ExecuteAppFunctionRequest("f")
        for log in ExecutionLog(), ExecutionLog(log_arguments=True):
            assert not log.wants_all
            log.record(ExecutionRecord("f", "success", 1, "ann"))
            log.record(ExecutionRecord("f", "error", 1, "ann", error_type="E"))
            log.dropped_arguments(request, ["sessionId"])
        warn("a.xml:3: odd; mend it")
        sys.exit("structlog" in sys.modules)
    """

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert run.returncode == 0
    assert run.stderr == "appfunctions-mcp: warning: a.xml:3: odd; mend it\n"
    assert run.stdout == ""


def test_what_other_libraries_log_takes_the_same_way() -> None:
    stream = io.StringIO()
    configure_logging("warning", stream=stream)

    logging.getLogger("other").info("not this")
    logging.getLogger("other").warning("taken %d", 7)

    line = json.loads(stream.getvalue())
    assert (line["event"], line["level"], line["logger"]) == ("taken 7", "warning", "other")


def test_configuring_again_replaces_what_was_configured() -> None:
    first, second = io.StringIO(), io.StringIO()
    configure_logging("info", stream=first)
    configure_logging("info", stream=second)

    ExecutionLog().record(SUCCESS)

    assert (first.getvalue(), second.getvalue().count("\n")) == ("", 1)


def test_lines_go_to_stderr_whatever_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")

    ExecutionLog().record(SUCCESS)

    out, err = capsys.readouterr()
    assert out == ""
    assert json.loads(err)["function_id"] == "m#find"


def test_a_terminal_gets_text_with_colours() -> None:
    stream = Terminal()
    configure_logging("info", stream=stream)

    ExecutionLog().record(SUCCESS)

    assert "\x1b[" in stream.getvalue()
    assert "function_id" in stream.getvalue()


def test_a_terminal_gets_no_colours_where_none_are_wanted() -> None:
    stream = Terminal()
    configure_logging("info", colours=False, stream=stream)

    ExecutionLog().record(crash())

    text = stream.getvalue()
    assert "\x1b[" not in text
    assert "execution" in text
    assert "function_id='m#find'" in text
    assert text.endswith("RuntimeError: connect failed: db://app:PASS@host/x\n")
    # A traceback with the values of local variables would show secrets.
    assert "locals" not in text


def test_a_callers_text_does_not_reach_the_terminal_raw() -> None:
    stream = Terminal()
    configure_logging("info", colours=False, stream=stream)
    hostile = "\x1b[2J\nfake line\u202e"

    ExecutionLog().record(ExecutionRecord(hostile, "success", 1, hostile, request_id=hostile))
    ExecutionLog().dropped_arguments(ExecuteAppFunctionRequest(hostile), [hostile])
    logging.getLogger("other").warning("%s", "\x1b[2J")
    try:
        fail("\x1b[2J")
    except RuntimeError as exc:
        ExecutionLog().record(ExecutionRecord("f", "crash", 1, "ann", crash=exc))

    assert "\x1b" not in stream.getvalue()
    assert "\u202e" not in stream.getvalue()
    assert "\nfake" not in stream.getvalue()


def test_dropped_arguments_are_named() -> None:
    stream = io.StringIO()
    configure_logging("info", stream=stream)

    ExecutionLog().dropped_arguments(REQUEST, ["sessionId", "chatInput"])

    assert "'find': dropped the arguments 'sessionId', 'chatInput'" in stream.getvalue()


@pytest.mark.parametrize(
    ("log_arguments", "input_schema", "logged"),
    [
        (False, {}, None),
        (True, None, None),
        (True, {}, {"query": "milk", "api_key": REDACTED}),
    ],
)
def test_arguments_are_logged_only_on_request_and_redacted(
    *, log_arguments: bool, input_schema: dict[str, Any] | None, logged: object
) -> None:
    stream = io.StringIO()
    configure_logging("debug", stream=stream)
    arguments = {"query": "milk", "api_key": "CANARY"}

    ExecutionLog(log_arguments=log_arguments).record(
        dataclasses.replace(SUCCESS, arguments=arguments, input_schema=input_schema)
    )

    assert json.loads(stream.getvalue()).get("arguments") == logged
    assert "CANARY" not in stream.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        *("password", "PASSWORD", "newPassword", "db_passwd", "passphrase", "mypassword"),
        *("token", "accessToken", "access-token", "ACCESS_TOKEN", "refreshtoken", "tokens"),
        *("secret", "client_secret", "key", "apiKey", "APIKey", "api_key", "apikey", "X-API-Key"),
        *("authorization", "Authorization", "auth", "cookie", "Set-Cookie", "cookies"),
        *("credentials", "pin", "otp", "private_key"),
    ],
)
def test_secrets_are_known_by_their_name(name: str) -> None:
    assert is_sensitive(name)
    assert redacted({name: "CANARY"}) == {name: REDACTED}


@pytest.mark.parametrize(
    "name",
    ["title", "keyword", "monkey", "author", "spinner", "compass", "", "note_id", "опция", "_"],
)
def test_other_names_are_not_taken_for_secrets(name: str) -> None:
    assert not is_sensitive(name)
    assert redacted({name: "text"}) == {name: "text"}


@pytest.mark.parametrize(
    ("schema", "value", "logged"),
    [
        ({"type": "string", "writeOnly": True}, "CANARY", REDACTED),
        ({"type": "string", "format": "password"}, "CANARY", REDACTED),
        ({"anyOf": [{"type": "null"}, {"format": "password"}]}, "CANARY", REDACTED),
        ({"items": {"writeOnly": True}}, ["CANARY"], [REDACTED]),
        (
            {"properties": {"a": {"writeOnly": True}}},
            {"a": "CANARY", "b": 1},
            {"a": REDACTED, "b": 1},
        ),
        ({"additionalProperties": {"writeOnly": True}}, {"a": "CANARY"}, {"a": REDACTED}),
        ({"$ref": "#/$defs/Login"}, {"pass_": "CANARY", "inner": [{"x": "CANARY"}]}, None),
    ],
)
def test_secrets_are_known_by_their_schema(
    schema: dict[str, Any], value: object, logged: object
) -> None:
    login = {
        "properties": {
            "pass_": {"writeOnly": True},
            "inner": {"items": {"properties": {"x": {"format": "password"}}}},
        }
    }
    root = {"properties": {"value": schema}, "$defs": {"Login": login}}

    result = redacted({"value": value}, root)

    assert "CANARY" not in repr(result)
    assert logged is None or result == {"value": logged}


def test_nested_secrets_are_hidden_and_long_values_are_cut() -> None:
    deep: Any = "CANARY"
    for _ in range(2_000):
        deep = {"a": deep}
    arguments = {
        "rows": [{"user": "u", "password": "CANARY"}],
        "text": "x" * 1_000,
        "many": list(range(1_000)),
        "deep": deep,
    }

    result = redacted(arguments)

    assert "CANARY" not in repr(result)
    assert result["rows"] == [{"user": "u", "password": REDACTED}]
    assert result["text"] == "x" * 200 + "… (1000 characters)"
    assert result["many"] == [*range(20), "… (1000 items)"]
    assert arguments["rows"] == [{"user": "u", "password": "CANARY"}]


def test_a_warning_is_one_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    warn("odd \x1b[2J")

    assert capsys.readouterr().err == "appfunctions-mcp: warning: odd \\x1b[2J\n"


def test_a_warning_is_not_written_where_only_errors_are_wanted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging("error")

    warn("odd")

    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", [None, "closed", "broken"])
def test_a_stderr_that_nobody_reads_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, stream: str | None
) -> None:
    class Broken(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    streams = {None: None, "closed": io.StringIO(), "broken": Broken()}
    monkeypatch.setattr(sys, "stderr", streams[stream])
    if stream == "closed":
        sys.stderr.close()
    configure_logging("info")

    warn("odd")
    ExecutionLog().record(SUCCESS)
