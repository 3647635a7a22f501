"""Languages, sentences and words of descriptions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.lint.texts import (
    ENGLISH,
    OTHER,
    RUSSIAN,
    first_sentence,
    language_of,
    prose_of,
    sentences_of,
    words_of,
    words_of_name,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Creates a note and returns its ID.", ENGLISH),
        ("List Git branches", ENGLISH),
        ("Search", ENGLISH),
        ("Creates a note in the folder «Заметки».", ENGLISH),
        ("Создаёт заметку и возвращает её ID.", RUSSIAN),
        ("Находит issue в GitHub", RUSSIAN),
        ("Створює нотатку і повертає її", OTHER),
        ("Crear una nota", OTHER),
        ("Supprime la note de l'utilisateur", OTHER),
        ("Löscht eine Notiz", OTHER),
        ("查询12306余票信息。", OTHER),
        ("ノートを作成します", OTHER),
        ("", OTHER),
        ("42 + 1", OTHER),
        ("`SELECT 1`", OTHER),
    ],
)
def test_a_text_is_english_russian_or_other(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Creates a note. Returns its ID.", ["Creates a note.", "Returns its ID."]),
        ("Takes text, e.g. a title. Ends.", ["Takes text, e.g. a title.", "Ends."]),
        ("Работает с текстом, т.е. со строками.", ["Работает с текстом, т.е. со строками."]),
        ("Version 2.5 is read.", ["Version 2.5 is read."]),
        ("One line\nthat goes on.", ["One line\nthat goes on."]),
        ("One line\nAnother line", ["One line", "Another line"]),
        ("Head:\n- one\n- two", ["Head:", "- one", "- two"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("1. First step. 2. Second step.", ["1. First step.", "2. Second step."]),
        ("查询余票。返回列表。", ["查询余票。", "返回列表。"]),
        ("Wait… what?! Yes.", ["Wait… what?!", "Yes."]),
        ('He says "stop." Then goes.', ['He says "stop."', "Then goes."]),
        ("...", []),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert [each.text for each in sentences_of(text)] == sentences


@given(st.text(alphabet="aB.!? \n-1「。", max_size=60))
def test_sentences_stand_where_they_say_and_keep_all_words(text: str) -> None:
    found = sentences_of(text)

    assert all(text[each.start : each.end] == each.text for each in found)
    kept = "".join(each.text for each in found)
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


def test_the_first_sentence_is_on_one_line() -> None:
    assert first_sentence("  Creates a note\n  with a title. More.") == (
        "Creates a note with a title."
    )
    assert first_sentence(" \n") == ""


@pytest.mark.parametrize(
    "text",
    [
        "Call `must_not` now",
        "See https://example.com/you/must here",
        'The value "you must" counts',
        "Значение «вы должны» считается",
        "A {placeholder: must} stays",
        "Text ```you must\nalways``` text",
        "An <b class='must'>x</b> tag",
        "It's 'must' that counts",
    ],
)
def test_code_addresses_and_quoted_words_are_no_prose(text: str) -> None:
    prose = prose_of(text)

    assert len(prose) == len(text)
    assert "must" not in prose
    assert "должны" not in prose


def test_an_apostrophe_quotes_nothing() -> None:
    assert prose_of("the user's notes and the team's notes") == (
        "the user's notes and the team's notes"
    )


def test_words_keep_apostrophes_and_hyphens() -> None:
    assert [w.text for w in words_of("Don't re-open the user’s 3 notes")] == [
        "Don't",
        "re-open",
        "the",
        "user’s",
        "notes",
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("create_note", ("create", "note")),
        ("createNote", ("create", "note")),
        ("get-HTTPStatus2", ("get", "http", "status", "2")),
        ("com.example.Notes#sendMessage", ("send", "message")),
        ("", ()),
    ],
)
def test_names_are_cut_into_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of_name(name) == words
