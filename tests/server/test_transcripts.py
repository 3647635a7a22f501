"""Golden transcripts: what clients send and, to the letter, what the server answers.

Each line of `tests/wire/*.jsonl` is `{"client": …}` or `{"server": …}`; a client line that is a
text is sent as it stands. Those in `tests/wire/talking` are of the app that talks back.
`pytest --update-wire` writes the server's lines anew.
"""

import json
import queue
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.stdio_server import PROJECT, StdioServer, stdio_server

TRANSCRIPTS = sorted((PROJECT / "tests" / "wire").rglob("*.jsonl"))
START_SECONDS = 5.0
QUIET_SECONDS = 0.5
"""How long the server says nothing before a new transcript takes its answer as complete."""


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda p: p.stem)
def test_a_client_gets_what_the_transcript_says(path: Path, pytestconfig: pytest.Config) -> None:
    expected = [json.loads(line) for line in path.read_bytes().splitlines()]
    app = "talking_functions" if path.parent.name == "talking" else "served_functions"
    with stdio_server("-m", f"tests.support.{app}", "stdio") as server:
        if pytestconfig.getoption("--update-wire"):
            got = _record(server, expected)
            path.write_text("".join(map(_line, got)), "utf-8")
            return
        got = _play(server, expected)
        server.close_input()
        got += [{"server": _steady(message)} for message in server.rest()]
        assert server.wait() == 0
    assert got == expected


def _play(server: StdioServer, expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sends the client's lines, and after each reads as many answers as are expected."""
    got = []
    state = ""
    for entry in expected:
        if "client" in entry:
            server.send(_sent(entry["client"], state))
            got.append(entry)
        else:
            message = server.read()
            state = _state_in(message) or state
            got.append({"server": _steady(message)})
    return got


def _record(server: StdioServer, expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sends the client's lines, and after each takes what comes until the server is quiet."""
    got: list[dict[str, Any]] = []
    state = ""
    for entry in expected:
        if "client" not in entry:
            continue
        server.send(_sent(entry["client"], state))
        # The first answer has to wait for the start of the process.
        timeout = START_SECONDS if not got or "id" in entry["client"] else QUIET_SECONDS
        got.append(entry)
        with suppress(queue.Empty):
            while True:
                message = server.read(timeout)
                state = _state_in(message) or state
                got.append({"server": _steady(message)})
                timeout = QUIET_SECONDS
    return got


def _sent(client: Any, state: str) -> Any:
    """What is sent: the last state that the server has sealed stands for `<state>`."""
    if isinstance(client, str):
        return client.encode()
    return json.loads(json.dumps(client).replace("<state>", state))


def _state_in(message: dict[str, Any]) -> str | None:
    state: str | None = message.get("result", {}).get("requestState")
    return state


def _steady(message: dict[str, Any]) -> Any:
    """The message with one error id and one state instead of the random ones."""
    text = json.dumps(message)
    text = re.sub(r"error id [0-9a-f]{12}", "error id 000000000000", text)
    text = re.sub(r'"requestState": "[^"]+"', '"requestState": "<state>"', text)
    return json.loads(re.sub(r'"error_id": "[0-9a-f]{12}"', '"error_id": "000000000000"', text))


def _line(entry: dict[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False) + "\n"
