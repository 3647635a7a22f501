"""Functions that a description names: those that do not exist are found, words are not."""

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.named_functions import UnknownName, unknown_names

SUBJECT = subject_of(
    {
        "tools": [
            {
                "name": "find_notes",
                "inputSchema": {
                    "type": "object",
                    "properties": {"sort_by": {"type": "string", "enum": ["created_at", "title"]}},
                },
                "outputSchema": {
                    "type": "object",
                    "properties": {"notes": {"items": {"properties": {"note_id": {}}}}},
                },
            },
            {"name": "sendMessage"},
        ]
    }
)


def _names(text: str) -> list[str]:
    return [each.name for each in unknown_names(text, SUBJECT)]


@pytest.mark.parametrize(
    "text",
    [
        "Call 'send' first.",
        "Resolve a name before calling 'find_notes' or 'send'.",
        "Calling \u00absend\u00bb twice sends it twice.",
        "`send()` returns nothing.",
        "The 'send' function takes a text.",
        "Resolve a name before calling find_notes or 'send'.",
        "Сначала вызовите 'send'.",
        "Инструмент знает вызов 'find_notes' и 'send'.",
    ],
)
def test_a_function_that_is_called_and_does_not_exist_is_found(text: str) -> None:
    assert list(unknown_names(text, SUBJECT)) == [
        UnknownName("send", next(e.words for e in unknown_names(text, SUBJECT)), "sendMessage")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Call find_note first.",
        "Before calling find_notes and readNote, wait.",
        "It is what read_note() returns.",
        "The read_note tool is slow.",
        "Use 'find_note' to learn ids.",
        "Ids come from `get_ids`.",
        "Через 'list_notes' видно всё.",
    ],
)
def test_a_name_in_code_that_is_used_is_found(text: str) -> None:
    assert len(_names(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Use 'find_notes' before 'sendMessage'.",
        "Use 'title' or 'created_at' as 'sort_by', and the returned 'note_id'.",
        "Use 'draft' for what is not sent.",
        "A status is one of 'in_progress' or 'done'.",
        "Use 'in_progress' for what has begun.",
        "Don't guess 'ids' and don't call people.",
        "Files such as 'report.pdf' are kept.",
        "It's called 'the inbox' by users.",
        "Use sendMessage to say when to call 'Mom'.",
        "Use read_only mode and find_notes; write names in snake_case.",
        "Calls to https://example.com/get_notes and files/read_me.txt are cheap.",
        "Made for iPhone and eBay.",
        "",
    ],
)
def test_values_parameters_and_quoted_words_are_no_functions(text: str) -> None:
    assert _names(text) == []


def test_each_unknown_name_is_told_once() -> None:
    assert _names("Call 'send'. Then call 'send' again.") == ["send"]


def test_without_functions_nothing_can_be_said() -> None:
    assert list(unknown_names("Call 'send'.", subject_of({"app": "Notes."}))) == []


def test_a_prompt_of_the_app_is_no_unknown_function() -> None:
    from appfunctions_mcp.records import replaced

    subject = replaced(SUBJECT, other_names=frozenset({"send"}))
    assert list(unknown_names("Call 'send'.", subject)) == []
