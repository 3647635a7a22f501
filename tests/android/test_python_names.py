"""Names of Android as names of Python."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.python.names import (
    MAX_NAME,
    NameTable,
    candidates_for,
    class_names_for,
    constant_for,
    is_identifier,
    module_for,
)
from tests.support.android_documents import odd_names


@pytest.mark.parametrize("name", ["query", "contactType", "größe", "名前", "match", "x1"])
def test_a_name_that_python_accepts_stays(name: str) -> None:
    assert is_identifier(name)
    assert candidates_for(name, "parameter") == (name, f"{name}_")


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("class", ("class_",)),
        ("l", ("l_",)),
        ("note-id", ("note_id", "note_id_")),
        ("9lives", ("n9lives", "n9lives_")),
        ("__init__", ("init", "init_")),
        ("ﬁeld", ("field", "field_")),
        ("a\u200bb", ("a_b", "a_b_")),
        ("€", ("parameter", "parameter_")),
        ("", ("parameter", "parameter_")),
        ("None", ("None_",)),
        ("x" * 100, ("x" * MAX_NAME, "x" * MAX_NAME + "_")),
    ],
)
def test_of_another_name_an_identifier_is_made(name: str, candidates: tuple[str, ...]) -> None:
    assert candidates_for(name, "parameter") == candidates


@given(odd_names() | st.text())
def test_whatever_a_name_is_what_is_made_of_it_is_an_identifier(name: str) -> None:
    made = [
        *candidates_for(name, "parameter"),
        *class_names_for(name, "Model"),
        *(constant_for(name, "VALUE_1"), module_for(name, "functions")),
    ]
    for each in made:
        assert each.isidentifier()
        assert not keyword.iskeyword(each)
        assert not each.startswith("_")


@pytest.mark.parametrize(
    ("qualified", "names"),
    [
        ("com.example.Note", ("Note", "ExampleNote", "ComExampleNote")),
        ("com.a.Outer$Inner", ("Inner", "OuterInner", "AOuterInner", "ComAOuterInner")),
        ("com.a.Optional<kotlin.Int>", ("OptionalInt", "AOptionalInt", "ComAOptionalInt")),
        (
            "Pair<kotlin.String, com.a.Box<kotlin.Int>>",
            ("PairStringBoxInt",),
        ),
        ("person", ("Person",)),
        ("com.example.None", ("ExampleNone", "ComExampleNone")),
        ("€", ("Model",)),
        ("", ("Model",)),
    ],
)
def test_a_class_is_called_as_shortly_as_it_can_be(qualified: str, names: tuple[str, ...]) -> None:
    assert class_names_for(qualified, "Model") == names


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("INDIVIDUAL", "INDIVIDUAL"),
        ("in progress", "IN_PROGRESS"),
        ("inProgress", "IN_PROGRESS"),
        ("HTTPServer", "HTTP_SERVER"),
        ("1", "N1"),
        ("None", "NONE"),
        ("", "VALUE_7"),
        ("*", "VALUE_7"),
    ],
)
def test_a_member_of_an_enumeration_is_called_after_its_value(value: str, name: str) -> None:
    assert constant_for(value, "VALUE_7") == name


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("chat_app_function_service", "chat_app_function_service"),
        ("ChatAppService", "chat_app_service"),
        ("app-functions v2", "app_functions_v2"),
        ("type", "type"),
        ("import", "functions"),
        ("__init__", "init"),
        ("漢字", "functions"),
    ],
)
def test_a_module_is_called_after_its_file(file: str, module: str) -> None:
    assert module_for(file, "functions") == module


def test_a_table_gives_each_name_out_once() -> None:
    table = NameTable({"list"})
    assert table.claim("note", "note_") == "note"
    assert table.claim("note", "note_") == "note_"
    assert table.claim("note", "note_") == "note__2"
    assert table.claim("list") == "list_2"
    table.reserve(["free"])
    assert table.claim("free", "other") == "other"
