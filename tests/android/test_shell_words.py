"""How the words of a shell command are taken."""

import pytest

from appfunctions_mcp.android.shell.words import (
    ShellError,
    ShellWords,
    UnknownOptionError,
    whole_number,
)


def test_options_stand_in_any_order_and_the_later_of_two_counts() -> None:
    words = ShellWords(["--user", "0", "--package", "a", "--brief", "--package", "b"])

    options = words.options(("--package", "--user"), flags=("--brief",))

    assert options == {"--user": "0", "--package": "b", "--brief": ""}


def test_the_first_word_that_is_no_option_ends_them() -> None:
    """What a shell split at blanks is ignored on a device too."""
    words = ShellWords(["--parameters", '{"a":', "1}", "--unknown"])

    assert words.options(("--parameters",)) == {"--parameters": '{"a":'}


def test_two_dashes_end_the_options() -> None:
    words = ShellWords(["--", "--package"])

    assert words.options(()) == {}
    assert words.word() == "--package"
    assert words.word() is None


def test_an_argument_may_begin_with_a_dash() -> None:
    assert ShellWords(["--package", "-x"]).options(("--package",)) == {"--package": "-x"}


def test_an_argument_that_is_missing_is_told_of() -> None:
    with pytest.raises(
        ShellError,
        match=r'^java\.lang\.IllegalArgumentException: Argument expected after "--package"$',
    ):
        ShellWords(["--package"]).options(("--package",))


def test_text_may_be_joined_to_a_short_option() -> None:
    assert ShellWords(["-pa"]).options(("-p",)) == {"-p": "a"}


def test_text_joined_to_an_option_without_argument_is_told_of() -> None:
    with pytest.raises(ShellError, match='No argument expected after "-pa"'):
        ShellWords(["-pa"]).options((), flags=("-p",))


@pytest.mark.parametrize("word", ["--nope", "-", "-n"])
def test_an_unknown_option_is_named(word: str) -> None:
    with pytest.raises(UnknownOptionError, match=f"^{word}$"):
        ShellWords([word]).options(("--package",))


@pytest.mark.parametrize(
    ("word", "bits", "number"),
    [("0", 32, 0), ("+7", 32, 7), ("-5", 64, -5), ("9223372036854775807", 64, 2**63 - 1)],
)
def test_a_whole_number_is_read_as_java_reads_it(word: str, bits: int, number: int) -> None:
    assert whole_number(word, bits) == number


@pytest.mark.parametrize(
    "word", ["", "1_0", " 1", "1\n", "1.0", "\u0661", "2147483648", "-2147483649", "9" * 5000]
)
def test_what_java_reads_as_no_whole_number_is_none(word: str) -> None:
    with pytest.raises(ValueError, match="no whole number of 32 bits"):
        whole_number(word, 32)
