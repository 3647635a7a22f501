"""Servers that are killed while they write lose nothing that they have acknowledged."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionState, JsonFileStateStore, load_service
from tests.support.stdio_server import PROJECT, StdioServer, stdio_server

METADATA = PROJECT / "metadata" / "app_metadata.xml"
KILLS = 20
UPDATES_BEFORE_A_KILL = 1_000
NOTES = 8
SWITCHED = (
    "sample_app.labels#add",
    "sample_app.labels#remove",
    "sample_app.labels#list_all",
    "sample_app.notes#export_notes",
    "sample_app.notes#delete_note",
)


@dataclass
class Acknowledged:
    """What the client knows to be kept, and what may or may not be."""

    titles: dict[str, int] = field(default_factory=dict)
    """Note id to the number of its last acknowledged title."""
    sent: dict[str, int] = field(default_factory=dict)
    """Note id to the number of the last title that was sent."""
    created: set[str] = field(default_factory=set)
    states: dict[str, AppFunctionState] = field(default_factory=dict)
    in_flight: tuple[str, AppFunctionState] | None = None
    updates: int = 0
    switches: int = 0


@contextmanager
def notes_server(folder: Path) -> Iterator[StdioServer]:
    """The sample app on files of the test's own."""
    words = ("run", str(METADATA), "--state-file", str(folder / "state.json"))
    env = {"NOTES_DB": str(folder / "notes.db")}
    with stdio_server("-m", "appfunctions_mcp", *words, env=env) as server:
        server.initialize()
        yield server


def call_tool(request_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def send_update(server: StdioServer, note_id: str, known: Acknowledged) -> None:
    """Sends the next title of a note; one is on its way at any time, so that their order holds."""
    known.sent[note_id] += 1
    title = {"value": f"Title {known.sent[note_id]}"}
    server.send(call_tool(note_id, "update_note", note_id=note_id, title=title))


def use_until(server: StdioServer, acknowledgements: int, known: Acknowledged) -> None:
    """Keeps an update of every note and one creation on their way."""
    for note_id in known.titles:
        send_update(server, note_id, known)
    server.send(call_tool("create", "create_note", title="Another"))
    while acknowledgements:
        message = server.read()
        if "method" in message:
            continue
        note = message["result"]["structuredContent"]
        if message["id"] == "create":
            known.created.add(note["id"])
            server.send(call_tool("create", "create_note", title="Another"))
        else:
            known.titles[note["id"]] = int(note["title"].removeprefix("Title "))
            assert known.titles[note["id"]] == known.sent[note["id"]]
            send_update(server, note["id"], known)
        acknowledgements -= 1
        known.updates += 1


def read_switches(writer: StdioServer, known: Acknowledged) -> None:
    """Takes over what the killed writer has said, up to a line that it could not end."""
    while (line := writer.read_line()).endswith(b"\n"):
        if line == b"kept\n":
            assert known.in_flight is not None
            function_id, state = known.in_flight
            known.states[function_id], known.in_flight = state, None
            known.switches += 1
        else:
            function_id, state_name = line.decode().split()
            known.in_flight = (function_id, AppFunctionState(state_name))


def check(server: StdioServer, known: Acknowledged) -> None:
    """Everything acknowledged is there; what was on its way is there whole, or not at all."""
    for note_id, title in known.titles.items():
        note = server.call("get_note", {"note_id": note_id})["result"]["structuredContent"]
        found = int(note["title"].removeprefix("Title "))
        assert title <= found <= known.sent[note_id]
        known.titles[note_id] = known.sent[note_id] = found
    for note_id in known.created:
        assert server.call("get_note", {"note_id": note_id})["result"]["isError"] is False


def check_files(folder: Path, known: Acknowledged) -> None:
    """Both files can be read, and every kept state is in force for a service that loads them."""
    with closing(sqlite3.connect(folder / "notes.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    store = JsonFileStateStore(folder / "state.json")
    manager = load_service(METADATA, store=store).manager
    for function_id, state in known.states.items():
        accepted = {state}
        if known.in_flight is not None and known.in_flight[0] == function_id:
            accepted.add(known.in_flight[1])
        found = manager.state_of(function_id)
        assert found in accepted
        known.states[function_id] = found
    known.in_flight = None


@pytest.mark.timeout(400)
def test_twenty_kills_in_the_middle_of_a_thousand_changes_lose_none(tmp_path: Path) -> None:
    known = Acknowledged()
    with notes_server(tmp_path) as server:
        for _ in range(NOTES):
            note = server.call("create_note", {"title": "Title 0"})["result"]["structuredContent"]
            known.titles[note["id"]] = known.sent[note["id"]] = 0
    state_file = str(tmp_path / "state.json")
    for kill in range(KILLS):
        words = ("-m", "tests.support.state_writer", state_file, *SWITCHED)
        with stdio_server(*words) as writer, notes_server(tmp_path) as server:
            check(server, known)
            # Never the same moment: the kill comes while everything is on its way.
            use_until(server, UPDATES_BEFORE_A_KILL + (kill * 7) % 13, known)
            server.process.kill()
            writer.process.kill()
            server.wait()
            writer.wait()
            read_switches(writer, known)
        check_files(tmp_path, known)
    with notes_server(tmp_path) as server:
        check(server, known)
        server.close_input()
        assert server.wait() == 0
    assert known.updates >= KILLS * UPDATES_BEFORE_A_KILL
    assert known.switches >= UPDATES_BEFORE_A_KILL
