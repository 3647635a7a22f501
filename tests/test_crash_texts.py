"""What is logged of a crash names the place, and no secret that can be told from other text."""

import io
import json

import pytest

from appfunctions_mcp.crash_texts import without_named_secrets
from appfunctions_mcp.secret_values import HIDDEN
from appfunctions_mcp.telemetry import ExecutionLog, ExecutionRecord, configure_logging


def log_in(password: str) -> None:
    raise RuntimeError(f"the server refused {password!r}")


def crashed(password: str) -> ExecutionRecord:
    try:
        log_in(password)
    except RuntimeError as crash:
        schema = {"properties": {"password": {"type": "string"}}}
        return ExecutionRecord(
            "m#log_in",
            "crash",
            1,
            "ann",
            crash=crash,
            arguments={"password": password},
            input_schema=schema,
        )
    raise AssertionError


def test_the_secrets_of_a_call_are_not_in_its_traceback() -> None:
    stream = io.StringIO()
    configure_logging("error", stream=stream)

    ExecutionLog().record(crashed("CAN'ARY"))

    line = json.loads(stream.getvalue())
    assert "ARY" not in stream.getvalue()
    assert line["exception"].startswith("Traceback")
    assert "in log_in" in line["exception"]
    assert line["exception"].endswith(f'RuntimeError: the server refused "{HIDDEN}"')


def test_the_log_of_another_program_gets_the_same_text(caplog: pytest.LogCaptureFixture) -> None:
    ExecutionLog().record(crashed("CANARY"))

    assert "CANARY" not in caplog.text
    assert "in log_in" in caplog.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ValueError: password=CANARY, user=ann", f"ValueError: password={HIDDEN}, user=ann"),
        ("E: {'api_key': 'CANARY x', 'n': 1}", f"E: {{'api_key': {HIDDEN}, 'n': 1}}"),
        ('E: {"token":"CANARY"}', f'E: {{"token":{HIDDEN}}}'),
        ("E: Authorization: Bearer CANARY.x-y", f"E: Authorization: {HIDDEN}"),
        ("E: sent Basic Q0FOQVJZ", f"E: sent Basic {HIDDEN}"),
        ("E: ?access_token=CANARY&n=1", f"E: ?access_token={HIDDEN}&n=1"),
        ("KeyError: 'note'", "KeyError: 'note'"),
        ("m.TokenError: it has ended", "m.TokenError: it has ended"),
        ("    connect(password=password)", "    connect(password=password)"),
        ('  File "key=3.py", line 3, in f', '  File "key=3.py", line 3, in f'),
        ("E: a bearer token is needed", "E: a bearer token is needed"),
        ("E: size=5, note: milk", "E: size=5, note: milk"),
    ],
)
def test_what_stands_behind_a_sensitive_name_is_hidden(text: str, shown: str) -> None:
    assert without_named_secrets(text) == shown
