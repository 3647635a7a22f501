"""Edits of one entry in the text of a JSON document."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.json_document import JsonDocument

DOCUMENT = JsonDocument("mcpServers")
PATH = Path("/home/ann/config.json")
ENTRY = {"command": "/usr/bin/python3", "args": ["-m", "x"]}

SPREAD_BEFORE = """{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "files"]}
  },
  "ratio": 1.50e0
}
"""
SPREAD_AFTER = """{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "files"]},
    "notes": {
      "command": "/usr/bin/python3",
      "args": [
        "-m",
        "x"
      ]
    }
  },
  "ratio": 1.50e0
}
"""
NO_SERVERS_AFTER = """{
\t"theme": "dark",
\t"mcpServers": {
\t\t"notes": {
\t\t\t"command": "/usr/bin/python3",
\t\t\t"args": [
\t\t\t\t"-m",
\t\t\t\t"x"
\t\t\t]
\t\t}
\t}
}
"""
FRESH = """{
  "mcpServers": {
    "notes": {
      "command": "/usr/bin/python3",
      "args": [
        "-m",
        "x"
      ]
    }
  }
}
"""
ONE_LINE = '"notes": {"command": "/usr/bin/python3", "args": ["-m", "x"]}'
TIGHT = '"notes":{"command":"/usr/bin/python3","args":["-m","x"]}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(SPREAD_BEFORE, SPREAD_AFTER, id="behind-the-last-server"),
        pytest.param('{\n\t"theme": "dark"\n}\n', NO_SERVERS_AFTER, id="no-servers-yet, tabs"),
        pytest.param("", FRESH, id="an-empty-file"),
        pytest.param(" \n", FRESH, id="blanks-only"),
        pytest.param("{}\n", FRESH, id="an-empty-object"),
        pytest.param('{\n  "mcpServers": {}\n}\n', FRESH, id="an-empty-object-of-servers"),
        pytest.param(
            '{"a": 1, "mcpServers": {}}', f'{{"a": 1, "mcpServers": {{{ONE_LINE}}}}}', id="one-line"
        ),
        pytest.param(
            '{"mcpServers":{"b":{}},"a":1}',
            f'{{"mcpServers":{{"b":{{}},{TIGHT}}},"a":1}}',
            id="one-line, no blanks",
        ),
    ],
)
def test_an_entry_is_put_in_as_the_document_is_written(before: str, after: str) -> None:
    assert DOCUMENT.with_entry(before.encode(), PATH, "notes", ENTRY).decode() == after


def test_no_file_becomes_a_document_of_the_entry_alone() -> None:
    assert DOCUMENT.with_entry(None, PATH, "notes", ENTRY).decode() == FRESH


def test_an_entry_is_replaced_where_it_stands() -> None:
    before = '{\n  "mcpServers": {\n    "notes": {"command": "old"},\n    "b": {}\n  }\n}'
    after = DOCUMENT.with_entry(before.encode(), PATH, "notes", {"command": "new"}).decode()
    assert after == (
        '{\n  "mcpServers": {\n    "notes": {\n      "command": "new"\n    },\n    "b": {}\n  }\n}'
    )


def test_a_byte_order_mark_and_windows_line_ends_stay() -> None:
    before = b"\xef\xbb\xbf" + SPREAD_BEFORE.replace("\n", "\r\n").encode()
    after = DOCUMENT.with_entry(before, PATH, "notes", ENTRY)
    assert after == b"\xef\xbb\xbf" + SPREAD_AFTER.replace("\n", "\r\n").encode()
    assert DOCUMENT.read_entries(after, PATH)["notes"] == ENTRY


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"mcpServers": {"notes": {}}}', '{"mcpServers": {}}'),
        ('{"mcpServers": {"notes": {}, "b": {}}}', '{"mcpServers": {"b": {}}}'),
        ('{"mcpServers": {"b": {}, "notes": {}}}', '{"mcpServers": {"b": {}}}'),
        (
            '{"mcpServers": {"b": {}, "notes": {}, "c": {}}}',
            '{"mcpServers": {"b": {}, "c": {}}}',
        ),
        ('{"mcpServers": {"b": {}}}', '{"mcpServers": {"b": {}}}'),
        ('{"other": 1}', '{"other": 1}'),
        ("", ""),
    ],
)
def test_only_the_entry_is_taken_out(before: str, after: str) -> None:
    assert DOCUMENT.without_entry(before.encode(), PATH, "notes").decode() == after


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        pytest.param('{\n  "a": 1,\n}', "2:9", "trailing comma", id="trailing-comma"),
        pytest.param('{"a": [1, 2 , ]}', "1:13", "trailing comma", id="trailing-comma-in-a-list"),
        pytest.param('{\n  // why\n  "a": 1}', "2:3", "comment", id="a-comment"),
        pytest.param('{"a": 1', "1:8", "no strict JSON", id="cut-off"),
        pytest.param("{'a': 1}", "1:2", "no strict JSON", id="single-quotes"),
        pytest.param('{"s": "NaN", "a": NaN}', "1:19", "NaN is no JSON", id="not-a-number"),
        pytest.param("[1]", "1:1", "no JSON object", id="a-list"),
        pytest.param('{"mcpServers": null}', "1:16", "no object", id="servers-are-null"),
        pytest.param('{"mcpServers": {},\n"mcpServers": {}}', "2:1", "twice", id="twins"),
        pytest.param('{"mcpServers": {"a": 1, "a": 2}}', "1:25", "twice", id="twin-servers"),
        pytest.param('{"a": 1} x', "1:10", "no strict JSON", id="more-behind-it"),
    ],
)
def test_a_fault_names_file_line_and_column(text: str, place: str, what: str) -> None:
    """A trailing comma makes Claude Desktop ignore all servers; it is never repaired in silence."""
    with pytest.raises(InstallError) as caught:
        DOCUMENT.with_entry(text.encode(), PATH, "notes", ENTRY)
    assert caught.value.faults[0].startswith(f"{PATH}:{place}: ")
    assert what in caught.value.faults[0]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"a": 1}'.encode("utf-16"), "UTF-16"),
        (b'{\n"a": "\xff"}', ":2: the file is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"mcpServers": {"notes": ' + b"9" * 5000 + b"}}", "cannot be read"),
    ],
)
def test_bytes_that_are_no_document_are_refused(content: bytes, what: str) -> None:
    with pytest.raises(InstallError, match=what):
        DOCUMENT.read_entries(content, PATH)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.builds(
    lambda others, servers, first: (
        {"mcpServers": servers, **others} if first else {**others, "mcpServers": servers}
    ),
    st.dictionaries(st.text().filter(lambda key: key != "mcpServers"), JSON_VALUES, max_size=4),
    st.dictionaries(st.text().filter(lambda key: key != "notes"), JSON_VALUES, max_size=3),
    st.booleans(),
)
LAYOUTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {"indent": 0},
        {},
        {"separators": (",", ":")},
        {"indent": 2, "ensure_ascii": False},
    ]
)


@given(
    document=DOCUMENTS, layout=LAYOUTS, newline=st.sampled_from(["\n", "\r\n"]), entry=JSON_VALUES
)
def test_nothing_else_in_a_document_changes(
    document: dict[str, Any], layout: dict[str, Any], newline: str, entry: Any
) -> None:
    """Round trip: put in, replace, take out."""
    before = json.dumps(document, **layout).replace("\n", newline).encode("utf-8", "surrogatepass")
    try:
        before.decode()
    except UnicodeDecodeError:
        return
    after = DOCUMENT.with_entry(before, PATH, "notes", ENTRY)
    servers = {**document["mcpServers"], "notes": ENTRY}
    assert json.loads(after) == {**document, "mcpServers": servers}
    assert list(json.loads(after)) == list(document)
    replaced = DOCUMENT.with_entry(after, PATH, "notes", {"entry": 1})
    assert json.loads(replaced)["mcpServers"] == {**servers, "notes": {"entry": 1}}
    taken_out = DOCUMENT.without_entry(replaced, PATH, "notes")
    assert json.loads(taken_out) == document
    if document["mcpServers"]:
        assert taken_out == before
    assert b"\r\n" not in after or newline == "\r\n"
    if entry != ENTRY:
        again = DOCUMENT.with_entry(after, PATH, "notes", entry)
        assert json.loads(DOCUMENT.without_entry(again, PATH, "notes")) == document


def test_a_document_of_the_entry_alone_is_valid_json() -> None:
    assert json.loads(DOCUMENT.snippet("notes", ENTRY)) == {"mcpServers": {"notes": ENTRY}}
