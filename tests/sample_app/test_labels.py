import pytest

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionInvalidArgumentException,
)
from sample_app import labels, notes
from sample_app.models import Label


def test_labels_are_added_and_removed_whatever_their_case(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "T")

    labels.add(context, note.id, "work")
    assert labels.add(context, note.id, " Home ").labels == ["Home", "work"]
    assert labels.add(context, note.id, "HOME").labels == ["Home", "work"]
    assert labels.remove(context, note.id, "home").labels == ["work"]


def test_a_label_that_a_note_does_not_have_is_an_element_not_found(
    context: AppFunctionContext,
) -> None:
    note = notes.create_note(context, "T")

    for note_id in (note.id, "note-99"):
        with pytest.raises(AppFunctionElementNotFoundException, match="with the label"):
            labels.remove(context, note_id, "home")


def test_a_blank_label_is_refused(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "T")

    for function in (labels.add, labels.remove):
        with pytest.raises(AppFunctionInvalidArgumentException, match="blank"):
            function(context, note.id, " \n ")


def test_labels_are_listed_with_the_number_of_their_notes(context: AppFunctionContext) -> None:
    for names in (["b", "a"], ["b"], ["c", "B"]):
        note = notes.create_note(context, "T")
        for name in names:
            labels.add(context, note.id, name)

    expected = [Label(label="B", notes=3), Label(label="a", notes=1), Label(label="c", notes=1)]
    assert expected == labels.list_all(context)
    assert expected[:1] == labels.list_all(context, limit=1)
