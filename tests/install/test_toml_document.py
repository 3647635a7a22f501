"""Edits of one entry in the text of a TOML document."""

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.toml_document import TomlDocument
from appfunctions_mcp.install.toml_source import find_statements
from appfunctions_mcp.install.toml_values import render_key, render_table, render_value

PATH = Path("/home/ann/.codex/config.toml")
DOCUMENT = TomlDocument("mcp_servers")
ENTRY = {"command": "/p", "args": ["-m", "x"], "env": {"A": "1"}}
BLOCK = """[mcp_servers.notes]
command = "/p"
args = ["-m", "x"]

[mcp_servers.notes.env]
A = "1"
"""
LONG = '''# Codex
model = "gpt-5" # the newest

[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
  "]", # no end
]

[[rules]]
text = """
[mcp_servers.notes]
\\"""
"""

# end
'''


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("", id="an empty file"),
        pytest.param("# a comment\n", id="a comment alone"),
        pytest.param(LONG, id="tables, lists over lines, a text that looks like ours"),
        pytest.param(LONG.replace("\n", "\r\n"), id="line ends of Windows"),
        pytest.param("\ufeff" + LONG, id="a byte order mark"),
        pytest.param("a = 1\n\n\n", id="blank lines at the end"),
        pytest.param('[mcp_servers]\nfiles = { command = "npx" }\n', id="a table of inline tables"),
        pytest.param('mcp_servers.files.command = "npx"\n', id="dotted keys"),
        pytest.param("[mcp_servers]\n", id="an empty table"),
    ],
)
def test_an_entry_comes_to_the_end_and_goes_without_a_trace(before: str) -> None:
    after = DOCUMENT.with_entry(before.encode(), PATH, "notes", ENTRY)
    newline = "\r\n" if "\r\n" in before else "\n"
    above = newline if before else ""
    assert after.decode() == before + above + BLOCK.replace("\n", newline)
    assert DOCUMENT.read_entries(after, PATH)["notes"] == ENTRY
    assert DOCUMENT.without_entry(after, PATH, "notes").decode() == before


def test_a_file_without_a_last_line_end_gets_one() -> None:
    after = DOCUMENT.with_entry(b"a = 1", PATH, "notes", ENTRY)
    assert after.decode() == f"a = 1\n\n{BLOCK}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            f"a = 1\n\n# ours\n{BLOCK}\n# theirs\n[b]\nc = 1\n",
            'a = 1\n\n# ours\n[mcp_servers.notes]\ncommand = "new"\n\n# theirs\n[b]\nc = 1\n',
            id="where it stands",
        ),
        pytest.param(
            '[mcp_servers]\nnotes = { command = "x" } # old\nb = {}\n',
            '[mcp_servers]\nb = {}\n\n[mcp_servers.notes]\ncommand = "new"\n',
            id="an inline table",
        ),
        pytest.param(
            '[mcp_servers.notes]\ncommand = "x"\n[z]\na = 1\n\n[mcp_servers.notes.env]\nA = "1"\n',
            '[mcp_servers.notes]\ncommand = "new"\n[z]\na = 1\n',
            id="tables apart from each other",
        ),
    ],
)
def test_an_entry_is_replaced(before: str, after: str) -> None:
    replaced = DOCUMENT.with_entry(before.encode(), PATH, "notes", {"command": "new"})
    assert replaced.decode() == after


def test_only_the_entry_is_taken_out() -> None:
    between = '[a]\nb = 1\n\n[mcp_servers."notes"]\ncommand = "x"\n\n# of c\n[c]\n'
    taken_out = DOCUMENT.without_entry(between.encode(), PATH, "notes")
    assert taken_out.decode() == "[a]\nb = 1\n\n# of c\n[c]\n"
    assert DOCUMENT.without_entry(between.encode(), PATH, "other").decode() == between
    assert DOCUMENT.without_entry(None, PATH, "other") == b""


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"a = \n", r"no TOML \(.*line 1, column"),
        (b"a = 1\nb = \xff\n", ":2: the file is not UTF-8"),
        ("a = 1".encode("utf-16"), "UTF-16"),
        (b"mcp_servers = 1\n", "no table"),
        (b'mcp_servers = { b = { command = "x" } }\n', "by hand with the output of --print"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_edited_is_refused(content: bytes, what: str) -> None:
    with pytest.raises(InstallError, match=what):
        DOCUMENT.with_entry(content, PATH, "notes", ENTRY)


def test_an_entry_inside_an_inline_table_is_not_cut_out() -> None:
    content = b'mcp_servers = { notes = { command = "x" }, b = {} }\n'
    with pytest.raises(InstallError, match="taken out of"):
        DOCUMENT.without_entry(content, PATH, "notes")


def test_what_is_not_a_number_does_not_hinder() -> None:
    after = DOCUMENT.with_entry(b"a = nan\nb = [inf]\n", PATH, "notes", ENTRY)
    assert after.endswith(BLOCK.encode())


def test_statements_are_found_under_their_tables() -> None:
    text = "a.b = 1\n['x y'.c]\n d = '''\n[e]'''\n[[f]]\ng = {h = [1]}"
    found = [(each.key, each.is_header) for each in find_statements(text)]
    assert found == [
        (("a", "b"), False),
        (("x y", "c"), True),
        (("x y", "c", "d"), False),
        (("f",), True),
        (("f", "g"), False),
    ]


def test_values_of_every_type_are_written_as_they_are_read() -> None:
    table = {
        "text": 'a"\\\n\x7f\u2028й',
        "flag": True,
        "count": -3,
        "ratio": 1e16,
        "day": date(2026, 12, 1),
        "list": [1, [{"a": "b"}, {}]],
        "inner table": {"deep": {"er": False}},
    }
    assert tomllib.loads("\n".join(render_table(("t",), table))) == {"t": table}
    assert render_key("a b") == '"a b"'
    with pytest.raises(TypeError, match="NoneType"):
        render_value(None)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(
    others=st.dictionaries(TEXTS.filter(lambda key: key != "mcp_servers"), VALUES, max_size=3),
    servers=st.dictionaries(
        TEXTS.filter(lambda key: key != "notes"),
        st.dictionaries(TEXTS, VALUES, max_size=3),
        max_size=3,
    ),
    entry=st.dictionaries(TEXTS, VALUES, max_size=3),
)
def test_nothing_else_in_a_document_changes(
    others: dict[str, Any], servers: dict[str, Any], entry: dict[str, Any]
) -> None:
    lines = [
        f"{render_key(key)} = {render_value(value)} # {key!a}" for key, value in others.items()
    ]
    for name, table in servers.items():
        lines += ["", *render_table(("mcp_servers", name), table)]
    before = "".join(f"{line}\n" for line in lines)
    after = DOCUMENT.with_entry(before.encode(), PATH, "notes", entry)
    assert tomllib.loads(after.decode()) == {**others, "mcp_servers": {**servers, "notes": entry}}
    assert after.decode().startswith(before)
    replaced = DOCUMENT.with_entry(after, PATH, "notes", ENTRY)
    assert DOCUMENT.without_entry(replaced, PATH, "notes").decode() == before
