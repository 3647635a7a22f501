"""What counts as a command to the model, and what is context."""

import pytest

from appfunctions_mcp.lint.commands import CommandKind, commands_of, shouts_of
from appfunctions_mcp.lint.texts import language_of

C = CommandKind


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Finds notes. You must call it first.", C.SECOND_PERSON, "You must call"),
        ("Finds notes. The assistant must ask.", C.SECOND_PERSON, "The assistant must ask"),
        ("Finds notes. Use this tool first.", C.ALWAYS_NEVER, "Use this tool first"),
        ("Finds notes. Answer in Russian.", C.USER_TALK, "Answer in Russian"),
        ("Находит заметки. Модель должна вызвать её.", C.SECOND_PERSON, "Модель должна вызвать"),
        ("Находит заметки. Запрещено вызывать дважды.", C.SECOND_PERSON, "Запрещено вызывать"),
        ("Находит заметки. Вызови её сразу.", C.ALWAYS_NEVER, "Вызови"),
        ("Находит заметки. Отвечай на русском языке.", C.USER_TALK, "Отвечай на русском"),
        ("Finds notes. Before that, you should look.", C.SECOND_PERSON, "you should look"),
        ("Finds notes. Always call this first.", C.ALWAYS_NEVER, "Always call"),
        ("Finds notes. NEVER EVER use another.", C.ALWAYS_NEVER, "NEVER EVER use"),
        ("Creates a note. Never guess an ID.", C.ALWAYS_NEVER, "Never guess"),
        ("Creates a note. Ask the user for it.", C.USER_TALK, "Ask the user"),
        ("Creates a note. Then tell the user.", C.USER_TALK, "Then tell the user"),
        ("Creates a note (check with the user).", C.USER_TALK, "check with the user"),
        ("Creates a note. Show the ID to the user.", C.USER_TALK, "Show the ID to the user"),
        ("Creates a note. Make sure it is new.", C.REMINDER, "Make sure"),
        ("Creates a note. Please give a title.", C.REMINDER, "Please give"),
        ("Creates a note.\n3. Don't invent IDs.", C.PROHIBITION, "Don't invent"),
        ("Создаёт заметку. Вы должны найти её.", C.SECOND_PERSON, "Вы должны найти"),
        ("Создаёт заметку. Всегда вызывайте её.", C.ALWAYS_NEVER, "Всегда вызывайте её"),
        ("Создаёт заметку. Спросите у пользователя.", C.USER_TALK, "Спросите у пользователя"),
        ("Создаёт заметку. Уточни у пользователя.", C.USER_TALK, "Уточни у пользователя"),
        ("Создаёт заметку. Убедитесь, что она нова.", C.REMINDER, "Убедитесь"),
        ("Создаёт заметку. Не придумывайте ID.", C.PROHIBITION, "Не придумывайте"),
    ],
)
def test_a_command_is_found_with_its_words(text: str, kind: CommandKind, words: str) -> None:
    found = commands_of(text, language_of(text))

    assert [(each.kind, each.words.text) for each in found] == [(kind, words)]
    assert text[found[0].words.start : found[0].words.end] == words


@pytest.mark.parametrize(
    "text",
    [
        "Finds notes. Use when the user names a product.",
        "Finds notes. The model should be loaded before.",
        "Находит заметки. Вызывайте, когда назван товар.",
        "Находит заметки. В имени нельзя использовать пробелы.",
        "Finds notes. Do not use for images.",
        "Finds notes. Use it when you need to see a note.",
        "Finds notes. Lists what you should see today.",
        "Returns times that are always read in UTC.",
        "Deletes a note. The file never changes.",
        "Creates a note. The title must not be empty.",
        "Ask the user a question and returns the answer.",
        "Notify the user about a message.",
        "Deletes a note. Asks the user to confirm.",
        "Finds notes. Fields that you don't pass stay.",
        "Finds notes. Labels never describe notes of others.",
        "Finds notes. Empty ones are without a title and always set to it.",
        "Like stat, but do not follow links.",
        "Finds notes. It should never return an empty text.",
        'Finds notes. The text "you must" is found.',
        "Находит заметки. Используется, когда пользователь называет товар.",
        "Находит заметки. Не используйте для изображений.",
        "Спрашивает пользователя перед удалением.",
        "Находит заметки. Никогда не удаляет файлы.",
        "Находит заметки. Сначала идут новые.",
    ],
)
def test_context_and_facts_are_no_commands(text: str) -> None:
    assert commands_of(text, language_of(text)) == ()


def test_nothing_is_known_of_other_languages() -> None:
    assert commands_of("Du musst dies immer aufrufen. You must call it.", "other") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IMPORTANT: a title", ["IMPORTANT"]),
        ("It is NOT reversible, and for ALL notes", ["NOT", "ALL"]),
        ("VERY IMPORTANT and **bold**", ["VERY IMPORTANT", "**bold**"]),
        ("Deletes it!!", ["!!"]),
        ("⚠️ Deletes it", ["⚠️"]),
        ("ВАЖНО: заголовок", ["ВАЖНО"]),
        ("STANDARD PROCESS FOR ANY FILE", ["STANDARD PROCESS FOR ANY FILE"]),
    ],
)
def test_emphasis_is_found(text: str, words: list[str]) -> None:
    assert [each.text for each in shouts_of(text)] == words


@pytest.mark.parametrize(
    "text",
    [
        "Supports AND, OR and NOT.",
        "It is NOT reversible",
        "Uses the HTTP GET method and returns JSON.",
        "A column that is NOT NULL",
        "Files such as *.py and **/*.txt",
        "The method __init__ is called",
        "2 ** 3 ** 4",
        "Status: OPEN or CLOSED",
        "The value `IMPORTANT` is kept",
        "Wow! That works.",
        "Levels are INFO, WARNING or CRITICAL.",
        "The level is logging.WARNING.",
        "One of CRITICAL | ERROR",
    ],
)
def test_abbreviations_constants_and_operators_do_not_shout(text: str) -> None:
    assert shouts_of(text) == ()
