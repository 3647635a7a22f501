"""Words of texts and names, and their stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.lint.changed_forms import CHANGED_FORMS
from appfunctions_mcp.lint.glossary import MEANINGS, translations
from appfunctions_mcp.lint.stems import is_russian, name_words, stem, stems_of, words_of


@pytest.mark.parametrize(
    "forms",
    [
        "create creates created creating",
        "note notes noted",
        "copy copies copied copying",
        "try tries tried trying",
        "search searches searched",
        "label labels labeled labelled labelling",
        "tag tags tagged",
        "add adds added adding",
        "box boxes",
        "address addresses",
        "заметка заметки заметку заметок заметкой заметках заметками",
        "метка метку меток",
        "создай создать создаёт создание создания создайте",
        "удали удалить удаляй удаляет удаление удалил удалите",
        "добавь добавить",
        "файл файла файлы файлов файлами",
        "список списка списком",
        "выгрузи выгрузить выгрузка",
        "красный красная красную красного",
        "открой открыть",
        "вернись вернуть",
        "открывает открой открыть",
        "показать показывает покажи",
        "запиши записать запись записано записывает",
        "найди найти нашёл",
        "выброси выбрось выбросить",
        "write writes wrote written writing",
        "find finds found",
        "throw threw thrown throws",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len(set(stems_of(forms))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("note", "number"),
        ("thing", "the"),
        ("sing", "sin"),
        ("дом", "дым"),
        ("bed", "bet"),
        ("выбрось", "выбери"),
        ("архив", "арха"),
        ("left", "leave"),
    ],
)
def test_different_words_keep_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["us", "ls", "id", "ай", "ый", "да", "naïve", "メモ", "note12"])
def test_short_words_and_those_of_other_languages_stay_whole(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("create_note", ["create", "note"]),
        ("createNote", ["create", "note"]),
        ("Create-Note.v2", ["create", "note", "v2"]),
        ("exportPDFFile", ["export", "pdf", "file"]),
        ("files/list", ["files", "list"]),
        ("", []),
    ],
)
def test_names_of_every_style_are_split(name: str, words: list[str]) -> None:
    assert name_words(name) == words


def test_numbers_addresses_and_words_of_every_text_are_left_out() -> None:
    text = "Please save https://example.com/a?b=c#d as the 3rd of 12, don't ask Anna's brother"
    assert words_of(text) == ["save", "3rd", "ask", "anna", "brother"]
    assert words_of("Покажи мне, пожалуйста, всё ещё раз") == ["покажи", "все", "раз"]


@given(st.text())
def test_any_text_has_words_without_case(text: str) -> None:
    found = words_of(text)

    assert found == words_of(" ".join(found))
    assert all(stem(word) for word in found)


def test_a_word_is_translated_either_way() -> None:
    assert stem("delete") in translations(stem("удалите"))
    assert stem("удалить") in translations(stem("deletes"))
    assert translations(stem("zebra")) == ()
    assert stem("all") in translations(stem("все"))
    assert not any(map(is_russian, translations(stem("заметка"))))


def test_the_lists_of_words_have_none_that_is_left_out_of_texts() -> None:
    """Such a word would stand there in vain."""
    listed = [*MEANINGS.replace(",", "").replace(":", "").split(), *CHANGED_FORMS.split()]
    assert [word for word in listed if words_of(word) != [word]] == []


def test_no_form_is_listed_of_two_verbs() -> None:
    forms = CHANGED_FORMS.split()
    assert sorted(set(forms)) == sorted(forms)


def test_the_forms_of_each_listed_verb_have_one_stem() -> None:
    for line in CHANGED_FORMS.strip().splitlines():
        assert len(set(stems_of(line))) == 1, line
