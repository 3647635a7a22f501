"""A secret, wherever it comes from, is in no log, span, metric, audit line or answer."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.http_server import HttpServer, http_server
from tests.support.operated_app import run_operated
from tests.support.stdio_server import StdioServer, stdio_server

ARGUMENT = "CANARY-argument'1"
UNKNOWN_ARGUMENT = "CANARY-unknown-2"
SETTING = 'CANARY-setting"3'
HEADER = "CANARY-header-4"
TOKEN = "CANARY-token-5"
STATE_KEY = "CANARY-state-key-of-32-letters-6"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("log_in", {"password": ARGUMENT, "word": ARGUMENT}),
    ("log_in", {"password": [ARGUMENT], "word": {"deep": ARGUMENT}}),
    ("log_in", {"password": ARGUMENT, "word": ARGUMENT, "passwrd": UNKNOWN_ARGUMENT}),
    ("log_in_hidden", {"password": ARGUMENT}),
    ("log_in_hidden", {"password": 5}),
    ("connect", {}),
    ("ask_for_permission", {}),
    ("greet", {"name": "Ann", "token": ARGUMENT}),
    ("wipe", {"key": ARGUMENT}),
    ("made_up", {"key": ARGUMENT}),
]
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *(("tools/call", {"name": name, "arguments": arguments}) for name, arguments in CALLS),
    ("resources/read", {"uri": f"vault://{HEADER}"}),
    ("prompts/get", {"name": "sign_in", "arguments": {"password": ARGUMENT}}),
]
LEVELS = ["info", "debug"]


@dataclass
class Places:
    """Where a secret could be found."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the server is started with."""
        return {
            "SPANS_FILE": str(self.folder / "spans.jsonl"),
            "OPERATED_KEY": SETTING,
            "SERVER_TOKEN": TOKEN,
            "APPFUNCTIONS_STATE_KEYS": STATE_KEY,
        }

    def command(self, *options: str) -> tuple[str, ...]:
        """Starts a server that tells as much as it can, of whatever may be told."""
        audit = ("--audit-file", str(self.folder / "audit.jsonl"), "--audit-arguments")
        return run_operated(self.folder, *audit, *options)

    def read(self) -> str:
        """All that was written to files."""
        files = [p for p in self.folder.rglob("*") if p.is_file() and p.suffix != ".xml"]
        return "".join(path.read_text("utf-8", "replace") for path in files)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def assert_hidden(*texts: str) -> None:
    for text in texts:
        position = text.find("CANARY")
        assert position < 0, text[max(0, position - 300) : position + 60]


def answers_over_stdio(server: StdioServer) -> Iterator[str]:
    server.initialize()
    for method, params in REQUESTS:
        yield json.dumps(server.request(method, params))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("development", [(), ("--debug",)], ids=["", "debug"])
def test_on_stdio_no_secret_gets_out(
    places: Places, engine: str, level: str, development: tuple[str, ...]
) -> None:
    """In development too, where the caller sees a crash whole."""
    command = places.command("--log-level", level, *development)
    with stdio_server(*command, env=places.environment) as server:
        answers = list(answers_over_stdio(server))
        server.close_input()
        server.wait()
        server.join()

    assert_hidden(server.stderr, places.read(), *answers)
    assert '"outcome": "crash"' in server.stderr
    assert "execute tests.support.operated_app#log_in" in places.read()
    assert '"event":"execution"' in places.read()
    assert ("RuntimeError" in "".join(answers)) == bool(development)


def answers_over_http(server: HttpServer) -> Iterator[str]:
    secret = {"Cookie": f"session={HEADER}", "X-Api-Key": HEADER}
    good, bad = f"Bearer {TOKEN}", f"Bearer {HEADER}"
    for authorization in (good, bad, f"Basic {HEADER}", f"Bearer {TOKEN}x", None):
        headers = {"Authorization": authorization, **secret}
        for method, params in REQUESTS:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = server.ask(body=body, headers=headers)
            assert (answer.status == 401) == (authorization != good)
            yield answer.body.decode() + repr(answer.headers)
        for path in ("/metrics", "/readyz", "/healthz", "/nothing"):
            answer = server.ask("GET", path, headers=headers)
            yield answer.body.decode() + repr(answer.headers)


def test_over_http_no_secret_gets_out(places: Places, engine: str) -> None:
    command = places.command("--http", "0", "--token-env", "SERVER_TOKEN", "--log-level", "debug")
    with http_server(*command, env=places.environment) as server:
        answers = list(answers_over_http(server))
    server.process.wait()
    server.process.join()

    assert_hidden(server.process.stderr, places.read(), *answers)
    assert any("appfunctions_calls_total{" in answer for answer in answers)
    denials = [line for line in places.read().splitlines() if '"event":"denial"' in line]
    assert {json.loads(line).get("status") for line in denials} >= {401}
