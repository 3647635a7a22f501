"""The estimate of tokens against counts that a real tokenizer gave."""

import pytest

from appfunctions_mcp.formats.mcp_tools import metadata_of_tool
from appfunctions_mcp.lint.example_tools import example_tool
from appfunctions_mcp.lint.tokens import function_tokens, tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Creates a note and returns its new ID.", 9),
        (
            "Создаёт заметку с заголовком и текстом и возвращает её идентификатор.",
            20,
        ),
        ('{"name":"create_note","description":"Creates a note."}', 14),
    ],
)
def test_the_estimate_is_near_the_count_of_the_encoding_o200k(text: str, tokens: int) -> None:
    assert tokens_of(text) == pytest.approx(tokens, rel=0.25, abs=1)


def test_nothing_costs_nothing() -> None:
    assert tokens_of("") == 0


def test_more_text_costs_more() -> None:
    assert tokens_of("word " * 200) > tokens_of("word " * 100) > tokens_of("word")


def test_a_function_costs_its_name_description_and_parameters_but_not_its_result() -> None:
    tool = example_tool()
    without_result = {name: each for name, each in tool.items() if name != "outputSchema"}
    longer = {**tool, "description": tool["description"] + " A title is one line of text."}

    costs = [function_tokens(metadata_of_tool(each)) for each in (tool, without_result, longer)]

    assert costs[0] == costs[1] < costs[2]
