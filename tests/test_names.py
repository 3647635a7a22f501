"""Function ids, tool names and near names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.names import TOOL_NAME, name_in_words, nearest_names, tool_name_of

EVERY_CLIENT_ACCEPTS = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")


@pytest.mark.parametrize(
    ("function_id", "prefix", "name"),
    [
        ("sample_app.notes#create_note", None, "create_note"),
        ("sample_app.labels#add", "labels", "labels_add"),
        ("com.example.Notes#createNote", None, "createNote"),
        ("com.example.Outer$Inner#createNote", None, "createNote"),
        ("create_note", None, "create_note"),
        ("create_note", "notes", "notes_create_note"),
        ("create-note", "", "create-note"),
        ("m#_hidden", None, "_hidden"),
        ("m#" + "x" * 64, None, "x" * 64),
    ],
)
def test_an_id_has_a_tool_name(function_id: str, prefix: str | None, name: str) -> None:
    """F13: an AppFunction id holds `#` and dots; a tool name holds neither."""
    assert tool_name_of(function_id, prefix) == name


@pytest.mark.parametrize(
    ("function_id", "prefix", "said"),
    [
        ("notes.create", None, "'notes_create' would do"),
        ("Create CIFS Share", None, "'Create_CIFS_Share' would do"),
        ("a/b", None, "'a_b' would do"),
        ("m#9lives", None, "'_9lives' would do"),
        ("m#создать", None, "letters A to Z"),
        ("m#" + "x" * 65, None, "has 65 characters; at most 64"),
        ("m#" + "x" * 60, "notes", "has 66 characters; at most 64"),
        ("m#", None, "nothing follows its '#'"),
        ("", None, "nothing follows its '#'"),
        ("m#", "notes", "nothing follows its '#'"),
        ("m#create\n", None, "'create' would do"),
        ("m#create", "my notes", "'my_notes_create' would do"),
    ],
)
def test_an_id_without_a_tool_name_is_refused_with_what_would_do(
    function_id: str, prefix: str | None, said: str
) -> None:
    """F13: one bad name has a provider refuse the whole request."""
    with pytest.raises(ValueError, match="has no tool name") as raised:
        tool_name_of(function_id, prefix)

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@given(st.text(), st.none() | st.text())
def test_a_name_is_always_one_that_every_client_accepts(text: str, prefix: str | None) -> None:
    try:
        name = tool_name_of(text, prefix)
    except ValueError as refused:
        assert str(refused)  # noqa: PT017 - either outcome is right, a third is not
        return

    assert EVERY_CLIENT_ACCEPTS.fullmatch(name)
    assert TOOL_NAME.match(name)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("creat_note", "create_note"),
        ("createNote", "create_note"),
        ("CREATE-NOTE", "create_note"),
        ("note_create", "create_note"),
        ("Impl#create_note", "create_note"),
        ("other.package#find_notes", "find_notes"),
        ("find_note", "find_notes"),
    ],
)
def test_the_nearest_name_comes_first(written: str, meant: str) -> None:
    """F106: what was not found is answered with the names that are near."""
    known = ["delete_note", "find_notes", "create_note", "export_notes"]

    assert nearest_names(written, known)[0] == meant


def test_ids_are_compared_by_their_functions() -> None:
    """F106: an id with `Impl#name`, or another package's id."""
    known = ["sample_app.notes#get_note", "sample_app.labels#add"]

    assert nearest_names("com.example.Notes#getNote", known) == ["sample_app.notes#get_note"]


def test_nothing_is_near_to_something_else_entirely() -> None:
    assert nearest_names("launch_rocket", ["create_note", "find_notes"]) == []
    assert nearest_names("", ["create_note"]) == []
    assert nearest_names("#!?", ["create_note"]) == []


def test_at_most_so_many_names_are_near_and_each_once() -> None:
    known = ["note_1", "note_2", "note_3", "note_4", "note_1"]

    assert nearest_names("note_5", known) == ["note_1", "note_2", "note_3"]
    assert nearest_names("note_1", known, limit=1) == ["note_1"]


def test_a_hostile_name_is_compared_by_its_beginning() -> None:
    assert nearest_names("x" * 5_000_000, ["create_note"]) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("create_note", "Create note"),
        ("createNote", "Create note"),
        ("getURLOf", "Get URL of"),
        ("note-id", "Note id"),
        ("HTTPServer", "HTTP server"),
        ("_private__name", "Private name"),
        ("создать_заметку", "Создать заметку"),
        ("x", "X"),
        ("", ""),
    ],
)
def test_a_name_reads_as_words(name: str, words: str) -> None:
    assert name_in_words(name) == words
