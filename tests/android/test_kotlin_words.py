"""The smallest words of Kotlin: names, strings and comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.kotlin.words import (
    MAX_CONSTANT_BYTES,
    KotlinError,
    annotation,
    camel_case,
    comment,
    identifier,
    is_doc_text,
    is_tag_text,
    qualified,
    snake_case,
    string_literal,
    usable_name,
    wrapped_tag,
)
from tests.support.android_documents import odd_texts
from tests.support.kotlin_lexer import Token, tokens_of
from tests.support.kotlin_reading import doc_description, doc_tags


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("title", "title"),
        ("note_id", "note_id"),
        ("Größe", "Größe"),
        ("заметка", "заметка"),
        ("fun", "`fun`"),
        ("vararg", "`vararg`"),
        ("value", "value"),
        ("_", "`_`"),
        ("9lives", "`9lives`"),
        ("a b", "`a b`"),
        ("a-b", "`a-b`"),
        ("$x", "`$x`"),
        ("e\u0301", "`e\u0301`"),
    ],
)
def test_a_name_is_back_quoted_where_kotlin_would_not_read_it(name: str, written: str) -> None:
    assert written == identifier(name)


@pytest.mark.parametrize(
    "name", ["a.b", "a`b", "a\nb", "<T>", '"', "a/b", "\u202e", "a\u00a0b", "\ue000"]
)
def test_a_name_that_back_quotes_cannot_hold_is_refused_and_named(name: str) -> None:
    with pytest.raises(KotlinError, match=r"U\+[0-9A-F]{4}, which no name in an Android app can"):
        identifier(name)


def test_an_empty_name_and_an_endless_one_are_refused() -> None:
    with pytest.raises(KotlinError, match="is empty"):
        identifier("")
    with pytest.raises(KotlinError, match="has 201 characters"):
        identifier("x" * 201)


def test_each_part_of_a_package_is_quoted_alone() -> None:
    assert qualified("com.object.app") == "com.`object`.app"


def test_a_name_can_be_made_usable() -> None:
    assert usable_name("create/Note\u202e") == "create_Note_"
    assert usable_name(" ") == "_"
    assert identifier(usable_name("```"))


@pytest.mark.parametrize(
    ("text", "camel", "snake"),
    [
        ("sample_app", "SampleApp", "sample_app"),
        ("ChatAppFunctionService", "ChatAppFunctionService", "chat_app_function_service"),
        ("HTTPNotes", "HttpNotes", "http_notes"),
        ("2fast", "N2Fast", "2_fast"),
        ("漢字", "", ""),
    ],
)
def test_words_are_joined_as_classes_and_as_files_have_them(
    text: str, camel: str, snake: str
) -> None:
    assert camel == camel_case(text)
    assert snake == snake_case(text)


@given(st.text() | odd_texts())
def test_a_string_literal_holds_any_text_and_ends_where_it_should(text: str) -> None:
    literal = string_literal(text)
    assert [Token("string", text)] == tokens_of(literal)
    assert literal.encode().isascii() or literal.isprintable()


def test_a_string_holds_half_a_pair_of_surrogates() -> None:
    assert string_literal("\ud83d") == '"\\ud83d"'


def test_what_nobody_sees_in_a_string_is_escaped() -> None:
    assert string_literal('$x "\\" \u202e\u2028\t\U000e0041') == (
        '"\\$x \\"\\\\\\" \\u202e\\u2028\\t\\udb40\\udc41"'
    )


def test_a_text_that_no_class_file_holds_is_refused() -> None:
    string_literal("x" * MAX_CONSTANT_BYTES)
    with pytest.raises(KotlinError, match="longer than the 65535 bytes"):
        string_literal("ж" * (MAX_CONSTANT_BYTES // 2 + 1))


@given(st.text() | odd_texts())
def test_a_text_of_a_kdoc_is_read_back_unchanged(text: str) -> None:
    """What it would change goes into an annotation."""
    if not text or not is_doc_text(text):
        return
    written = "\n".join(comment(text.split("\n"), "    "))
    assert [Token("comment", written.strip())] == tokens_of(written)
    assert text == doc_description(written)


@given(st.text() | odd_texts() | st.text("ab *@/", min_size=80, max_size=200))
def test_a_text_of_a_tag_is_read_back_unchanged(text: str) -> None:
    if not text or not is_tag_text(text, "name"):
        return
    lines = [*wrapped_tag("@param name", text, 70), *wrapped_tag("@return", text, 70)]
    written = "\n".join(comment(["Does.", "", *lines], ""))
    assert ({"name": text}, text) == doc_tags(written)
    assert doc_description(written) == "Does."
    assert [Token("comment", written)] == tokens_of(written)


@pytest.mark.parametrize(
    "text",
    [
        " blank before",
        "blank after ",
        "a\n  b",
        "a\n",
        "*/ fun evil() {}",
        "/* never closed",
        "@param x no parameter",
        "a\n@see b",
        "* a list",
        "\u202eright to left",
        "a\rb",
        "a\u2028b",
    ],
)
def test_a_text_that_a_kdoc_would_change_or_leave_is_not_for_one(text: str) -> None:
    assert not is_doc_text(text)


def test_a_tag_is_for_one_line_and_an_ascii_name() -> None:
    assert is_tag_text("@ * even this", "note_id")
    assert not is_tag_text("two\nlines")
    assert not is_tag_text("one", "naïve")
    assert not is_tag_text("one", "a b")


def test_a_long_tag_is_wrapped_only_where_its_blanks_survive() -> None:
    words = "word " * 30
    assert len(wrapped_tag("@return", words.strip(), 60)) == 3
    apart = f"{'a' * 50}  {'b' * 50}"
    assert wrapped_tag("@return", apart, 60) == [f"@return {apart}"]
    with_tag = f"{'word ' * 10}@see {'word ' * 5}".strip()
    assert wrapped_tag("@return", with_tag, 59) == [f"@return {with_tag}"]


def test_a_long_annotation_has_an_argument_a_line() -> None:
    arguments: list[tuple[str, str | list[str]]] = [("a", '"x"'), ("b", ["1", "2"])]
    assert list(annotation("A", arguments, "  ")) == ['  @A(a = "x", b = [1, 2])']
    long = list(annotation("A" * 90, arguments, ""))
    assert long == [
        f"@{'A' * 90}(",
        '    a = "x",',
        "    b = [",
        "        1,",
        "        2,",
        "    ],",
        ")",
    ]


def test_a_comment_of_nothing_is_none() -> None:
    assert list(comment([], "")) == []
    assert list(comment(["x" * 100], "")) == ["/**", f" * {'x' * 100}", " */"]
