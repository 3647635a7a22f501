"""Which verb opens a description or a name, and what it does."""

import pytest

from appfunctions_mcp.lint.texts import language_of
from appfunctions_mcp.lint.verbs import (
    Effect,
    effect_of_name,
    effect_of_verb,
    lacks_opening_verb,
    opening_verb,
    verb_of,
)


@pytest.mark.parametrize(
    ("text", "verb", "effect"),
    [
        ("Creates a note", "create", Effect.CREATES),
        ("Create a note", "create", Effect.CREATES),
        ("Searches notes", "search", Effect.READS),
        ("Copies a note", "copy", Effect.CREATES),
        ("**Deletes** a note", "delete", Effect.DELETES),
        ("Safely deletes a note", "delete", Effect.DELETES),
        ("- Sends a message", "send", Effect.ACTS),
        ("Updates a note", "update", Effect.CHANGES),
        ("Manages notes", "manage", None),
        ("Создаёт заметку", "созда", Effect.CREATES),
        ("Удаляет заметку", "удаля", Effect.DELETES),
        ("Удалить заметку", "удал", Effect.DELETES),
        ("Найди заметки", "найд", Effect.READS),
        ("Отправляет сообщение", "отправля", Effect.ACTS),
        ("Присваивает метку", "присваива", Effect.CHANGES),
    ],
)
def test_an_opening_verb_is_known_in_its_forms(text: str, verb: str, effect: Effect | None) -> None:
    assert opening_verb(text) == verb
    assert effect_of_verb(verb) is effect
    assert lacks_opening_verb(text, language_of(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "This function creates notes",
        "A tool that creates notes",
        "Creating a note",
        "Setting a title",
        "List of all notes",
        "When a note exists, it is changed",
        "Эта функция создаёт заметку",
        "Создание заметки",
        "Список всех заметок",
        "Для создания заметок",
    ],
)
def test_an_opening_that_is_surely_no_verb_is_found(text: str) -> None:
    word = lacks_opening_verb(text, language_of(text))

    assert word is not None
    assert text[word.start : word.end] == word.text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Frobnicates notes", "en"),
        ("", "en"),
        ("42", "en"),
        ("`code` alone", "en"),
        ("to_bytes(text) makes bytes of a text", "en"),
        ("Крутит заметки", "ru"),
        ("这个工具", "other"),
        ("Gets rid of a note", "en"),
        ("Disposes of a note", "en"),
    ],
)
def test_what_may_be_a_verb_is_taken_for_one(text: str, language: str) -> None:
    assert lacks_opening_verb(text, language) is None


@pytest.mark.parametrize("word", ["created", "creating", "notes", "ss", "заметка", "создание"])
def test_other_forms_and_other_words_are_no_verbs(word: str) -> None:
    assert verb_of(word) is None


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("get_note", Effect.READS),
        ("github_delete_file", Effect.DELETES),
        ("note_write", Effect.CREATES),
        ("com.example.Chat#sendMessage", Effect.ACTS),
        ("notes", None),
    ],
)
def test_a_name_tells_its_effect(name: str, effect: Effect | None) -> None:
    assert effect_of_name(name) is effect
