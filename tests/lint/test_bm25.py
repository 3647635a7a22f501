"""The ranking of functions by their texts."""

import json
from typing import Any

import pytest

from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.lint.bm25 import WEIGHTS, Ranking
from appfunctions_mcp.metadata import AppFunctionMetadata
from tests.support.corpus import corpus
from tests.support.evaluated import MAIL, functions_of


def ranked(functions: tuple[AppFunctionMetadata, ...], text: str) -> list[str]:
    matches = Ranking(functions).matches(text)
    return [match.function.tool_name for match in matches if match.score > 0]


def test_other_endings_of_a_word_are_found() -> None:
    assert ranked(MAIL, "deleting messages") == ["delete_mail", "send_mail"]
    assert Ranking(MAIL).matches("deleting it")[0].words == ("delete",)


def test_a_russian_user_reaches_english_functions_and_the_other_way_round() -> None:
    assert ranked(MAIL, "Удали это сообщение")[0] == "delete_mail"
    russian = functions_of(("one", "Удаляет сообщение."), ("other", "Показывает папки."))
    assert ranked(russian, "delete the message") == ["one"]
    assert ranked(russian, "удали") == ["one"]


def test_a_translation_steps_back_where_a_function_has_the_word_itself() -> None:
    functions = functions_of(("one", "Deletes."), ("other", "Удаляет."))
    assert ranked(functions, "удали") == ["other"]


def test_a_translation_that_all_functions_have_does_not_spoil_another() -> None:
    """What is written down and a note are one word in Russian."""
    functions = functions_of(("write_note", "Writes a note."), ("drop_note", "Drops a note."))
    assert ranked(functions, "Новая запись") == ["write_note"]


def test_a_word_that_all_functions_have_tells_nothing() -> None:
    functions = functions_of(("add_note", "Adds a note."), ("get_note", "Gets a note."))
    assert ranked(functions, "my note") == []
    assert ranked(functions_of(("add_note", "Adds a note.")), "note") == ["add_note"]


def test_what_nobody_said_reaches_nothing() -> None:
    assert ranked(MAIL, "What is the weather like?") == []
    assert ranked(MAIL, "") == []
    assert Ranking(()).matches("anything") == []
    assert Ranking(MAIL).unknown("Delete the weather, weather now") == ["weather", "now"]


PLACES: dict[str, dict[str, Any]] = {
    "name": {"name": "x_apple"},
    "summary": {"name": "x", "description": "Has an apple. More."},
    "description": {"name": "x", "description": "More. Has an apple."},
    "parameter": {
        "name": "x",
        "inputSchema": {"properties": {"apple": {"type": "string"}}},
    },
    "choice": {"name": "x", "inputSchema": {"properties": {"a": {"enum": ["apple", 3]}}}},
    "parameter description": {
        "name": "x",
        "inputSchema": {"properties": {"a": {"description": "An apple."}}},
    },
}


@pytest.mark.parametrize("place", PLACES)
def test_every_place_counts(place: str) -> None:
    assert set(PLACES) == set(WEIGHTS)
    functions = functions_of(PLACES[place], ("other", "Nothing."))
    (found,) = ranked(functions, "apples")
    assert found in {"x", "x_apple"}


def test_the_name_counts_most_and_a_parameter_s_description_least() -> None:
    alone = [
        Ranking(functions_of(PLACES[place], ("other", "Nothing."))).matches("apple")[0].score
        for place in ("name", "summary", "description", "parameter description")
    ]
    assert alone[0] > alone[1] > alone[3]
    assert alone[2] > alone[3]


def test_schemas_are_read_at_every_depth() -> None:
    inner = {"type": "object", "properties": {"apple": {"const": "cherry"}}}
    schema = {
        "properties": {
            "a": {"type": "array", "items": {"anyOf": [{"type": "null"}, inner]}},
            "b": {"additionalProperties": {"description": "A plum."}},
            "c": True,
        },
        "oneOf": [{"properties": {"pear": {}}}],
        "anyOf": "none",
    }
    functions = functions_of({"name": "x", "inputSchema": schema}, ("other", "Nothing."))
    for word in ("apple", "cherry", "plum", "pear"):
        assert ranked(functions, word) == ["x"], word


def test_a_schema_that_is_endlessly_deep_is_read_to_a_depth() -> None:
    schema: dict[str, object] = {"properties": {"last": {}}}
    for _ in range(200):
        schema = {"properties": {"item": schema}}
    functions = functions_of({"name": "x", "inputSchema": schema}, ("other", "Nothing."))
    assert ranked(functions, "item") == ["x"]
    assert ranked(functions, "last") == []


def test_a_text_that_names_another_function_does_not_count_for_it() -> None:
    functions = functions_of(
        ("find_pages", "Looks pages up."),
        ("drop", "Drops one; find_pages tells which, and drop_all drops the rest."),
    )
    assert ranked(functions, "find pages") == ["find_pages"]


def test_a_name_in_words_is_no_description() -> None:
    functions = functions_of({"name": "open_door"}, ("other", "Nothing."))
    described = functions_of(("open_door", "Open door"), ("other", "Nothing."))
    plain, told = (Ranking(each).matches("door")[0].score for each in (functions, described))
    assert plain < told


def test_the_order_of_functions_changes_no_score() -> None:
    def scores(functions: tuple[AppFunctionMetadata, ...]) -> dict[str, float]:
        matches = Ranking(functions).matches("delete the message and list all folders")
        return {match.function.tool_name: match.score for match in matches}

    assert scores(MAIL) == scores(MAIL[::-1])
    equal = functions_of(("one", "Apple."), ("two", "Apple."), ("three", "Pear."))
    assert ranked(equal, "apple") == ["one", "two"]


def test_functions_with_the_same_texts_are_alike_and_others_are_not() -> None:
    functions = functions_of(
        ("get_user", "Returns a user by id."),
        ("fetch_user", "Returns a user by id."),
        ("play_song", "Plays music in a room."),
    )
    (pair,) = Ranking(functions).alike(0.3)
    assert {pair.first.tool_name, pair.second.tool_name} == {"get_user", "fetch_user"}
    assert 0.3 < pair.likeness < 1
    assert "user" in pair.words


def test_two_functions_alone_can_be_alike_and_nothing_is_like_nothing() -> None:
    functions = functions_of(("a", "Plays music."), ("b", "Plays music."))
    assert len(Ranking(functions).alike(0.9)) == 1
    assert Ranking(functions_of(("a", "The."), ("b", "The."))).alike(0.1) == []


def test_real_lists_have_few_pairs_that_are_alike_and_the_right_ones() -> None:
    """Of the file system server, the two ways to list a folder; of the git server none."""
    listed = json.loads(corpus("tools", "server-filesystem.tools.json").read_text("utf-8"))
    (pair,) = Ranking(metadata_of_tools(listed)).alike(0.6)
    assert pair.second.tool_name == "list_directory_with_sizes"
    listed = json.loads(corpus("tools", "mcp-server-git.tools.json").read_text("utf-8"))
    assert Ranking(metadata_of_tools(listed)).alike(0.6) == []


def test_real_functions_are_reached_by_their_own_descriptions() -> None:
    for path in sorted(corpus("tools").glob("*.json")):
        functions = metadata_of_tools(json.loads(path.read_text("utf-8")))
        ranking = Ranking(functions)
        first = [ranking.matches(f.description)[0].function.tool_name for f in functions]
        own = sum(name == f.tool_name for name, f in zip(first, functions, strict=True))
        assert own >= 0.8 * len(functions), path.name
