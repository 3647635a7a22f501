"""Names for providers: accepted, the same each time, and never one for two."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.formats.names import (
    PROPERTY_KEY,
    ExportedNameError,
    exported_name,
    exported_names,
)

ACCEPTED_EVERYWHERE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@pytest.mark.parametrize("name", ["create_note", "_a", "get-note", "a" * 64])
def test_an_accepted_name_stays(name: str) -> None:
    assert exported_name(name) == name


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("notes.create", "notes_create_"),
        ("Create CIFS Share", "Create_CIFS_Share_"),
        ("a/b", "a_b_"),
        ("com.example.Notes#createNote", "com_example_Notes_createNote_"),
        ("2fa", "_2fa_"),
        ("-x", "_x_"),
        ("заметки", "_"),
        ("", "_"),
        ("a\n", "a_"),
        ("n" * 65, "n" * 55 + "_"),
        ("\ud800", "_"),
    ],
)
def test_any_other_name_becomes_one_with_a_hash(name: str, beginning: str) -> None:
    """Field cases F13 and F14."""
    exported = exported_name(name)
    assert exported.startswith(beginning)
    assert ACCEPTED_EVERYWHERE.fullmatch(exported)
    assert re.fullmatch(r"[0-9a-f]{8}", exported[-8:])


@given(st.text())
def test_every_name_becomes_one_that_all_providers_accept(name: str) -> None:
    exported = exported_name(name)
    assert ACCEPTED_EVERYWHERE.fullmatch(exported)
    assert exported_name(exported) == exported


@given(st.lists(st.text(max_size=70), unique=True, max_size=30))
def test_the_mapping_goes_back_and_does_not_depend_on_the_other_names(names: list[str]) -> None:
    exported = exported_names(names)
    back = {own: name for name, own in exported.items()}
    assert [back[exported[name]] for name in names] == names
    assert exported == {name: exported_name(name) for name in names}


def test_long_names_that_begin_alike_stay_different() -> None:
    exported = exported_names(["n" * 80 + "a", "n" * 80 + "b"])
    assert len(set(exported.values())) == 2


def test_two_names_that_would_be_one_are_an_error_that_names_both() -> None:
    taken = exported_name("a/b")
    with pytest.raises(ExportedNameError, match=f"'a/b' and '{taken}' would both be '{taken}'"):
        exported_names(["a/b", taken])


def test_a_name_that_occurs_twice_is_an_error() -> None:
    with pytest.raises(ExportedNameError, match="'list' and 'list'"):
        exported_names(["list", "list"])


def test_keys_of_properties_have_a_rule_of_their_own() -> None:
    keys = exported_names(["a.b", "1st", "a b", "k" * 65], accepted=PROPERTY_KEY)
    assert keys["a.b"] == "a.b"
    assert keys["1st"] == "1st"
    assert all(PROPERTY_KEY.match(key) for key in keys.values())


def test_a_shorter_limit_holds() -> None:
    assert len(exported_name("a" * 40, most=32)) == 32
