import pytest

from sample_app.search_text import match_expression, plain_text


@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ("milk", '"milk"*'),
        ("Milk  BREAD", '"milk"* "bread"*'),
        ("заметка", '"заметк"*'),
        ("ЗАМЕТКАМИ", '"заметк"*'),
        ("кот", '"кот"*'),
        ("лес дома", '"лес"* "дом"*'),
        ('say "hi" OR NOT (x)', '"say"* "hi"* "or"* "not"* "x"*'),
        ("title:x^2 -y NEAR/3", '"title"* "x"* "2"* "y"* "near"* "3"*'),
        ("foo_bar", '"foo"* "bar"*'),
        ("", ""),
        (" *** ", ""),
        ("\0\ud800", ""),
    ],
)
def test_a_query_becomes_words_and_nothing_else(query: str, expression: str) -> None:
    assert expression == match_expression(query)


def test_text_to_compare_has_no_case_no_outer_blanks_and_no_half_characters() -> None:
    assert plain_text("  C++ Ä\ud83d ") == "c++ ä\ufffd"
