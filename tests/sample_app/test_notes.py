import pytest

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    SetField,
)
from sample_app import labels, notes
from sample_app.models import Attachment, Note

PLAN = Attachment(name="plan", uri="https://example.org/plan")


def titles_found(context: AppFunctionContext, query: str) -> list[str]:
    return [note.title for note in notes.find_notes(context, query).notes]


def test_a_created_note_is_the_note_itself(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "Title", "Text", [PLAN], "Ann")

    assert isinstance(note, Note)
    assert (
        note.title,
        note.content,
        note.attachments,
        note.owner,
    ) == ("Title", "Text", [PLAN], "Ann")
    assert note == notes.get_note(context, note.id)


def test_a_note_may_have_a_title_alone(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "Title")

    assert (note.content, note.attachments, note.owner, note.labels) == (None, [], None, [])


@pytest.mark.parametrize(
    "note_id",
    [
        "",
        "note-2",
        "note-0",
        "note-01",
        "note-１",
        " note-1",
        "1",
        "NOTE-1",
        "note-" + "9" * 40,
        "' OR 1=1 --",
        "../../etc/passwd",
        "\0",
        "\ud800",
        "заметка-1",
        "x" * 100_000,
    ],
)
def test_any_text_that_is_no_notes_id_is_an_element_not_found(
    context: AppFunctionContext, note_id: str
) -> None:
    notes.create_note(context, "Title")

    for function in (notes.get_note, notes.update_note, notes.delete_note):
        with pytest.raises(AppFunctionElementNotFoundException, match="No note has the ID") as said:
            function(context, note_id)
        assert len(said.value.message) < 120
    with pytest.raises(AppFunctionElementNotFoundException, match="No note has the ID"):
        labels.add(context, note_id, "home")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("заметк", True),
        ("заметка", True),
        ("Заметками", True),
        ("МОЛОКА", True),
        ("купить молоко", True),
        ("молок хлеб", False),
        ("заметный", False),
    ],
)
def test_russian_words_are_found_by_their_beginning_and_in_other_forms(
    context: AppFunctionContext, query: str, found: bool
) -> None:
    notes.create_note(context, "Мои заметки", "Купить молоко.")

    assert ["Мои заметки"] * found == titles_found(context, query)


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '""',
        "'",
        'milk"',
        "milk*",
        "milk AND",
        "NOT milk OR",
        "NEAR(milk)",
        "(milk",
        "milk^",
        "title:milk",
        "-milk",
        "milk;DROP TABLE notes",
        "milk\0",
        "{milk}",
        "milk\ud800",
        "+milk",
    ],
)
def test_a_hostile_query_is_plain_text(context: AppFunctionContext, query: str) -> None:
    notes.create_note(context, "Buy milk", "title or not, and near the table: drop by the notes.")
    notes.create_note(context, "Other")

    assert titles_found(context, query) in ([], ["Buy milk"])
    assert titles_found(context, "other") == ["Other"]


def test_a_query_of_signs_alone_finds_the_signs_themselves(context: AppFunctionContext) -> None:
    notes.create_note(context, "Stars", "rated ***")
    notes.create_note(context, "None", "not rated")

    assert titles_found(context, "***") == ["Stars"]
    assert titles_found(context, "\ud800") == []


def test_an_empty_query_lists_all_notes_changed_last_first(context: AppFunctionContext) -> None:
    first = notes.create_note(context, "First")
    notes.create_note(context, "Second")
    labels.add(context, first.id, "home")

    assert titles_found(context, " ") == ["Second", "First"]


def test_a_page_has_twenty_notes_and_says_how_to_get_the_next(context: AppFunctionContext) -> None:
    for number in range(45):
        notes.create_note(context, f"Note {number}")
    pages = [notes.find_notes(context, "note", offset=offset) for offset in (0, 20, 40, 60)]

    assert [len(page.notes) for page in pages] == [20, 20, 5, 0]
    assert [page.total for page in pages] == [45] * 4
    assert [page.next_offset for page in pages] == [20, 40, None, None]
    assert [page.hint for page in pages] == [
        "Matches 1 to 20 of 45; the next page begins at offset 20.",
        "Matches 21 to 40 of 45; the next page begins at offset 40.",
        "Matches 41 to 45 of 45.",
        "There are only 45 matches; offset 0 is the first page.",
    ]
    assert len({note.id for page in pages for note in page.notes}) == 45


def test_a_search_without_matches_says_what_finds_more(context: AppFunctionContext) -> None:
    page = notes.find_notes(context, "nothing")

    assert (page.notes, page.total, page.next_offset) == ([], 0, None)
    assert page.hint == "No note matches; fewer or shorter words find more."


def test_a_summary_shows_where_the_words_are(context: AppFunctionContext) -> None:
    notes.create_note(context, "Long", f"{'before ' * 50}needle\n\nand {'after ' * 50}")

    (summary,) = notes.find_notes(context, "needle").notes

    assert "needle and" in summary.snippet
    assert len(summary.snippet) < 200


def test_a_search_can_be_narrowed_to_an_owner_and_a_label(context: AppFunctionContext) -> None:
    kept = notes.create_note(context, "Plan", owner="Анна")
    notes.create_note(context, "Plan", owner="Boris")
    labels.add(context, kept.id, "Работа")

    assert [kept.id] == [n.id for n in notes.find_notes(context, "plan", owner="АННА").notes]
    assert [kept.id] == [n.id for n in notes.find_notes(context, "", label="работа").notes]
    assert notes.find_notes(context, "plan", owner="Boris", label="Работа").total == 0


def test_only_the_given_fields_are_updated(context: AppFunctionContext) -> None:
    """F66 and F70: an update has three states for each field."""
    note = notes.create_note(context, "T", "C", [PLAN], "Ann")

    retitled = notes.update_note(context, note.id, title=SetField("New"))
    assert (
        retitled.title,
        retitled.content,
        retitled.owner,
        retitled.attachments,
    ) == ("New", "C", "Ann", [PLAN])
    cleared = notes.update_note(
        context, note.id, content=SetField(None), owner=SetField(None), attachments=SetField([])
    )
    assert (cleared.content, cleared.owner, cleared.attachments) == (None, None, [])
    assert notes.update_note(context, note.id, content=SetField("")).content == ""
    assert notes.get_note(context, note.id).title == "New"


def test_an_update_without_fields_changes_nothing(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "T", "C")

    assert note == notes.update_note(context, note.id)


def test_a_search_sees_an_update_and_a_deletion(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "Apples")

    notes.update_note(context, note.id, title=SetField("Pears"))
    assert (titles_found(context, "apples"), titles_found(context, "pears")) == ([], ["Pears"])
    notes.delete_note(context, note.id)
    assert titles_found(context, "pears") == []


def test_a_deleted_note_is_gone_with_its_labels(context: AppFunctionContext) -> None:
    note = notes.create_note(context, "T")
    labels.add(context, note.id, "home")

    notes.delete_note(context, note.id)

    assert labels.list_all(context) == []
    with pytest.raises(AppFunctionElementNotFoundException):
        notes.delete_note(context, note.id)
