"""Edits of JSON documents that may have comments and trailing commas."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.json_comments import COMMENTED, JSONC, blanked, end_of_remark
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.json_source import JsonSource

PATH = Path("/home/ann/mcp.json")
DOCUMENT = JsonDocument("servers", JSONC)
ENTRY = {"command": "/p"}
SPREAD = '"notes": {\n      "command": "/p"\n    }'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '{\n  "servers": {\n    "a": {} // one\n  }\n}\n',
            f'{{\n  "servers": {{\n    "a": {{}}, // one\n    {SPREAD}\n  }}\n}}\n',
            id="behind the remark of the last",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": {}, // one\n    // end\n  }\n}\n',
            f'{{\n  "servers": {{\n    "a": {{}}, // one\n    {SPREAD},\n    // end\n  }}\n}}\n',
            id="a trailing comma is kept as a habit",
        ),
        pytest.param(
            '{\n  "servers": {\n    // none yet\n  }\n}\n',
            f'{{\n  "servers": {{\n    // none yet\n    {SPREAD}\n  }}\n}}\n',
            id="an empty object with a comment",
        ),
        pytest.param(
            '{"servers": {"a": {},}}',
            '{"servers": {"a": {}, "notes": {"command": "/p"},}}',
            id="a trailing comma on one line",
        ),
        pytest.param(
            "// mine\n",
            '// mine\n{\n  "servers": {\n    "notes": {\n      "command": "/p"\n    }\n  }\n}\n',
            id="nothing but a comment",
        ),
        pytest.param(
            '{ /* "servers": {} */ "b": "// no, }" }',
            '{ /* "servers": {} */ "b": "// no, }", "servers": {"notes": {"command": "/p"}} }',
            id="strings and comments are told apart",
        ),
    ],
)
def test_an_entry_is_put_in_beside_comments_and_taken_out_again(before: str, after: str) -> None:
    content = DOCUMENT.with_entry(before.encode(), PATH, "notes", ENTRY)
    assert content.decode() == after
    assert DOCUMENT.read_entries(content, PATH)["notes"] == ENTRY
    taken_out = DOCUMENT.without_entry(content, PATH, "notes")
    assert "notes" not in DOCUMENT.read_entries(taken_out, PATH)
    for remark in ("// one", "// end", "// none yet", "// mine", "/* "):
        assert (remark in before) == (remark in taken_out.decode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{"servers": {\n"a": {}, // a\n"notes": {}, // n\n"b": {} // b\n}}',
            '{"servers": {\n"a": {}, // a\n // n\n"b": {} // b\n}}',
        ),
        (
            '{"servers": {\n// of notes\n"notes": {}, // n\n"b": {}\n}}',
            '{"servers": {\n// of notes\n// n\n"b": {}\n}}',
        ),
        ('{"servers": {\n"a": {}, // a\n"notes": {}\n}}', '{"servers": {\n"a": {} // a\n}}'),
        ('{"servers": {\n"a": {}, // a\n"notes": {},\n}}', '{"servers": {\n"a": {}, // a\n}}'),
        ('{"servers": {\n"notes": {}, // n\n}}', '{"servers": { // n\n}}'),
        ('{"servers": {"notes": {},}}', '{"servers": {}}'),
        ('{"servers": {"a": {}, // a\n"notes": {}}}', '{"servers": {"a": {} // a\n}}'),
        (
            '{"servers": {"a": {}, // a\n"notes": {}, "b": {}}}',
            '{"servers": {"a": {}, // a\n "b": {}}}',
        ),
    ],
)
def test_an_entry_is_taken_out_and_no_comment_with_it(before: str, after: str) -> None:
    taken_out = DOCUMENT.without_entry(before.encode(), PATH, "notes")
    assert taken_out.decode() == after
    entries = DOCUMENT.read_entries(before.encode(), PATH)
    del entries["notes"]
    assert DOCUMENT.read_entries(taken_out, PATH) == entries


def test_an_entry_is_replaced_between_its_comments() -> None:
    before = b'{\n  "servers": {\n    /* x */ "notes": {"old": 1} /* y */, // z\n  },\n}'
    after = DOCUMENT.with_entry(before, PATH, "notes", {})
    assert after == b'{\n  "servers": {\n    /* x */ "notes": {} /* y */, // z\n  },\n}'


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ('{"a": 1,, }', "1:9", "trailing comma"),
        ("{,}", "1:2", "trailing comma"),
        ('{"a": [,]}', "1:8", "trailing comma"),
        ('{"a": 1 /* never closed }', "1:9", "comment"),
        ('{"servers": [] // list\n}', "1:13", "no object"),
    ],
)
def test_what_no_client_reads_is_refused(text: str, place: str, what: str) -> None:
    with pytest.raises(InstallError, match=what) as caught:
        DOCUMENT.with_entry(text.encode(), PATH, "notes", ENTRY)
    assert caught.value.faults[0].startswith(f"{PATH}:{place}: ")


def test_a_trailing_comma_is_refused_where_only_comments_are_read() -> None:
    """Gemini CLI reads comments, and ends with an error at a trailing comma."""
    document = JsonDocument("mcpServers", COMMENTED)
    assert document.read_entries(b'{"mcpServers": {"a": 1}} // c', PATH) == {"a": 1}
    with pytest.raises(InstallError, match="trailing comma; remove it"):
        document.read_entries(b'{"mcpServers": {"a": 1,}} // c', PATH)


def test_a_value_with_comments_in_it_is_read() -> None:
    text = b'{"servers": {"a": {"x": [1, /* 2 */ 3,], // four\n}}}'
    assert DOCUMENT.read_entries(text, PATH) == {"a": {"x": [1, 3]}}


def test_an_element_is_put_into_a_list_in_its_own_style() -> None:
    source = JsonSource.decode(b'{"inputs": [1]}', PATH, JSONC)
    inputs = source.find_root("inputs", "[")
    assert inputs is not None
    assert source.with_member(inputs, "", {"id": 2}) == b'{"inputs": [1, {"id": 2}]}'
    with pytest.raises(InstallError, match="no list"):
        JsonSource.decode(b'{"inputs": {}}', PATH).find_root("inputs", "[")


def test_a_remark_ends_with_its_line() -> None:
    assert end_of_remark("a /* b */ // c \nd", 1) == 15
    assert end_of_remark("a // c", 1) == 1
    assert end_of_remark("a  \n", 1) == 1


PIECES = st.sampled_from(
    ['"a"', '"// s"', '"\\\\"', "// c\n", "/* d */", "/* e\r\n */", "{", "}", "[", "]", ",", "\n"]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_blanking_moves_nothing(text: str) -> None:
    plain = blanked(text, JSONC)
    assert len(plain) == len(text)
    assert [at for at, each in enumerate(plain) if each in "\r\n"] == [
        at for at, each in enumerate(text) if each in "\r\n"
    ]
    changed = [each for each, was in zip(plain, text, strict=True) if each != was]
    assert set(changed) <= {" "}


REMARKS = st.sampled_from(["", " // r", " /* r */", "\n    // own line"])


@given(
    names=st.lists(st.sampled_from("abcd"), unique=True, max_size=3),
    remarks=st.lists(REMARKS, min_size=4, max_size=4),
    trailing=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_a_commented_document_is_the_same_after_the_entry_has_come_and_gone(
    names: list[str], remarks: list[str], trailing: bool, newline: str
) -> None:
    members = [
        f'    "{name}": {{}}{"," if trailing or name != names[-1] else ""}{remark}\n'
        for name, remark in zip(names, remarks, strict=False)
    ]
    text = f'{{\n  "servers": {{\n{"".join(members)}  }}\n}}\n'.replace("\n", newline)
    after = DOCUMENT.with_entry(text.encode(), PATH, "notes", ENTRY)
    assert DOCUMENT.read_entries(after, PATH) == {**{name: {} for name in names}, "notes": ENTRY}
    if names:
        assert DOCUMENT.without_entry(after, PATH, "notes").decode() == text
    plain = json.loads(blanked(after.decode(), JSONC))
    assert list(plain["servers"]) == [*names, "notes"]
