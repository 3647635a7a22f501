"""Servers and inputs in the file of Visual Studio Code."""

import json
from pathlib import Path

from appfunctions_mcp.install.vscode_document import VisualStudioCodeDocument

DOCUMENT = VisualStudioCodeDocument()
PATH = Path("mcp.json")
ENTRY = {"command": "/p", "env": {"A": "${input:notes-A}", "B": "${input:shared}"}}
ASKED = {
    "type": "promptString",
    "id": "notes-A",
    "description": "A of the server notes",
    "password": True,
}


def test_an_entry_brings_its_own_inputs_along_and_takes_them_away() -> None:
    before = b'{"servers": {"a": {}}, "inputs": [{"id": "shared"}]}'
    after = DOCUMENT.with_entry(before, PATH, "notes", ENTRY)
    assert json.loads(after)["inputs"] == [{"id": "shared"}, ASKED]
    assert DOCUMENT.with_entry(after, PATH, "notes", ENTRY) == after
    assert DOCUMENT.without_entry(after, PATH, "notes") == before


def test_an_input_that_another_server_uses_stays() -> None:
    before = b'{"servers": {"a": {"env": {"X": "${input:notes-A}"}}}}'
    after = DOCUMENT.with_entry(before, PATH, "notes", ENTRY)
    taken_out = DOCUMENT.without_entry(after, PATH, "notes")
    assert json.loads(taken_out) == {**json.loads(before), "inputs": [ASKED]}


def test_an_input_that_is_there_in_other_words_is_left() -> None:
    before = b'{"inputs": [1, {"id": "notes-A", "description": "mine"}]}'
    after = json.loads(DOCUMENT.with_entry(before, PATH, "notes", ENTRY))
    assert after["inputs"] == [1, {"id": "notes-A", "description": "mine"}]


def test_inputs_that_somebody_removed_are_not_missed() -> None:
    gone = json.dumps({"servers": {"notes": ENTRY}}).encode()
    assert json.loads(DOCUMENT.without_entry(gone, PATH, "notes")) == {"servers": {}}
    other = json.dumps({"servers": {"notes": ENTRY}, "inputs": [{"id": "x"}]}).encode()
    assert json.loads(DOCUMENT.without_entry(other, PATH, "notes"))["inputs"] == [{"id": "x"}]
