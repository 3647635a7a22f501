"""Saved lists of tools, in every form in which people save them."""

import json
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.lint import saved_tools
from appfunctions_mcp.lint.saved_tools import SavedToolsError, saved_subject
from tests.support.corpus import corpus

TOOLS: list[dict[str, Any]] = [
    {"name": "find_notes", "description": "Finds notes."},
    {"name": "заметка", "description": "Creates a note."},
]
RESULT = {"tools": TOOLS}
RESPONSE = {"jsonrpc": "2.0", "id": 2, "result": RESULT}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {"serverInfo": {"name": "notes", "version": "1"}, "instructions": "Manages notes."},
}


def _write(folder: Path, content: str | bytes) -> Path:
    path = folder / "tools.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("value", [TOOLS, RESULT, RESPONSE, [INITIALIZE, RESPONSE]])
def test_every_form_gives_the_tools(tmp_path: Path, value: Any) -> None:
    subject = saved_subject(_write(tmp_path, json.dumps(value)))
    assert [each.tool_name for each in subject.functions] == ["find_notes", "заметка"]
    assert subject.tools == tuple(TOOLS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encodings_of_shells_are_read(tmp_path: Path, encoding: str) -> None:
    text = json.dumps(RESULT, ensure_ascii=False, indent=2)
    subject = saved_subject(_write(tmp_path, text.encode(encoding)))
    assert subject.functions[1].tool_name == "заметка"


def test_a_transcript_gives_the_pages_together_and_what_the_server_says(tmp_path: Path) -> None:
    lines = [
        "INFO starting",
        f"<- {json.dumps(INITIALIZE)}",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "result": {"tools": TOOLS[:1]}}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "result": {"tools": TOOLS[1:]}}, ensure_ascii=False),
        "{ broken",
    ]
    subject = saved_subject(_write(tmp_path, "\n".join(lines)))
    assert (subject.server_name, subject.instructions) == ("notes", "Manages notes.")
    assert [each.source.rpartition(":")[2] for each in subject.functions] == ["4", "5"]
    assert saved_subject(tmp_path / "tools.json", server_name="mine").server_name == "mine"


def test_each_tool_is_found_in_its_line(tmp_path: Path) -> None:
    path = _write(tmp_path, json.dumps(RESULT, ensure_ascii=False, indent=2))
    assert [each.source for each in saved_subject(path).functions] == [f"{path}:4", f"{path}:8"]
    escaped = _write(tmp_path, json.dumps(RESULT, indent=2))
    assert saved_subject(escaped).functions[0].source == f"{escaped}:4"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{ broken", ":1: this is no JSON"),
        ("[" * 100_000, "this is no JSON: it nests too deep"),
        ("7", ":1: there is no list of tools in it; accepted is"),
        ('{"tools": {}}', ":1: there is no list of tools in it"),
        ('[{"title": "x"}]', ":1: tool 0 has no name"),
        (b'[\n"\xff"]', ":2: this is no text in UTF-8"),
    ],
)
def test_what_holds_no_tools_says_why(tmp_path: Path, content: str | bytes, told: str) -> None:
    with pytest.raises(SavedToolsError) as caught:
        saved_subject(_write(tmp_path, content))
    assert str(caught.value).startswith(f"{tmp_path / 'tools.json'}:")
    assert told in str(caught.value)


def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SavedToolsError, match="this is a folder"):
        saved_subject(tmp_path)
    with pytest.raises(SavedToolsError, match="cannot be read"):
        saved_subject(tmp_path / "missing.json")
    monkeypatch.setattr(saved_tools, "MAX_BYTES", 8)
    with pytest.raises(SavedToolsError, match="holds more than 8 bytes"):
        saved_subject(_write(tmp_path, json.dumps(RESULT)))


def test_real_lists_are_read_and_no_line_goes_back() -> None:
    for path in sorted(corpus("tools").glob("*.json")):
        subject = saved_subject(path)
        lines = [int(each.source.rpartition(":")[2]) for each in subject.functions]
        assert lines == sorted(lines)
        assert len(set(lines)) == len(lines)


def test_the_error_that_a_server_answered_with_is_told(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text('{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Not here"}}')

    with pytest.raises(SavedToolsError, match="the error 'Not here'"):
        saved_subject(file)


def test_a_number_that_is_too_long_is_told_as_one(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(f'{{"tools": [{"9" * 5000}]}}')

    with pytest.raises(SavedToolsError, match="a number is too long"):
        saved_subject(file)
