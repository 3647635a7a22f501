"""The rules about an app's description, in English and Russian."""

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import findings_in
from appfunctions_mcp.lint.rules import Severity
from appfunctions_mcp.lint.rules_app import RULES
from appfunctions_mcp.lint.subjects import Origin
from appfunctions_mcp.records import replaced
from tests.support.corpus import corpus

TOOLS = [{"name": "find_notes", "description": "Finds notes whose title holds some words."}]


def _found(text: str) -> list[tuple[str, str]]:
    return [
        (f.rule.id, f.fault.words)
        for f in findings_in(subject_of({"app": text, "tools": TOOLS}), RULES)
    ]


@pytest.mark.parametrize(
    ("text", "rule", "words"),
    [
        ("Хранит заметки. Всегда вызывай поиск.", "AF202", "Всегда вызывай поиск"),
        ("Уникальное хранилище заметок.", "AF204", "Уникальное"),
        ("Manages notes effortlessly.", "AF204", "effortlessly"),
        ("Добро пожаловать в заметки.", "AF205", "Добро пожаловать"),
        ("A server that keeps notes.", "AF205", "A server that"),
        ("Manages notes. Act as a librarian.", "AF208", "Act as a"),
        ("Хранит заметки. Ты — опытный помощник.", "AF208", "Ты — опытный помощник"),
        ("Manages notes. Be friendly when it fails.", "AF208", "Be friendly"),
        ("Manages notes. **Titles** are unique.", "AF207", "**Titles**"),
    ],
)
def test_what_belongs_to_no_description_is_found(text: str, rule: str, words: str) -> None:
    assert (rule, words) in _found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Manages notes: create, find and delete them.\n- Use 'find_notes' to learn a note's id.",
        "Controls the power of a machine and the best-effort mode of its fans.",
        "Хранит заметки: создание, поиск, удаление.\n- 'find_notes' возвращает id заметок.",
        "Verwaltet Notizen. Dies ist die beste und mächtigste App.",
        "Manages notes. Answers in JSON are refused.",
        "Manages notes and quotes such as 'this is the best app'.",
    ],
)
def test_plain_descriptions_have_no_findings(text: str) -> None:
    assert _found(text) == []


def test_a_repeated_sentence_is_marked_where_it_stands() -> None:
    assert _found("Keeps notes. Finds notes whose title holds some words. Fast.") == [
        ("AF203", "Finds notes whose title holds some words")
    ]
    assert _found("Keeps notes.\nfinds Notes, whose title\nholds some words") == [("AF203", "")]


def test_short_sentences_may_be_alike() -> None:
    tools = [{"name": "find_notes", "description": "Finds notes."}]
    assert findings_in(subject_of({"app": "Finds notes. Keeps them.", "tools": tools}), RULES) == ()


def test_an_unknown_name_is_an_error_but_where_functions_may_be_switched_off() -> None:
    foreign = subject_of({"app": "Keeps notes. Call 'send' to send one.", "tools": TOOLS})
    (found,) = findings_in(foreign, RULES)
    assert (found.rule.id, found.severity) == ("AF201", Severity.WARNING)
    (found,) = findings_in(replaced(foreign, origin=Origin.OWN), RULES)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize("name", ["agent", "phone-mcp", "chatapp-wear", "eastereggs"])
def test_descriptions_of_real_apps_have_the_findings_that_a_reader_has(name: str) -> None:
    from appfunctions_mcp.lint.android_target import android_subject

    subject = android_subject(corpus("app_metadata", f"{name}.app_metadata.xml"))
    expected = {"chatapp-wear": ["Always call"], "eastereggs": ["This app"]}.get(name, [])
    assert [f.fault.words for f in findings_in(subject, RULES)] == expected
