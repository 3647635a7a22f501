"""An evaluation as text."""

import pytest

from appfunctions_mcp.cli.eval_text import print_evaluation
from appfunctions_mcp.lint.evaluation import Evaluation, Outcome, evaluate_texts
from tests.support.evaluated import MAIL, functions_of, said

LONG = "archive_a_very_long_thing_that_has_a_name_of_many_words"
WORD = "Достопримечательностямипревысокомногорассмотрительствующими"


def test_many_functions_are_listed_by_their_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    functions = functions_of(*[(f"f{chr(97 + n)}{chr(97 + n)}", "") for n in range(20)])
    utterances = [said(f"f{chr(97 + n)}{chr(97 + n)}", "faa") for n in range(20)]
    print_evaluation(evaluate_texts(functions, utterances), "many")

    confusion = capsys.readouterr().out.partition("confusion")[2]
    assert "ftt" in confusion
    assert "1   " not in confusion.partition("ftt")[0].splitlines()[-1]


def test_names_and_words_that_are_too_long_are_folded_and_never_cut(
    capsys: pytest.CaptureFixture[str],
) -> None:
    functions = functions_of((LONG, "Archives."), ("open_door", "Opens doors."))
    print_evaluation(evaluate_texts(functions, [said(f"{WORD} door", LONG)]), "long")

    out = capsys.readouterr().out
    assert "…" not in out
    assert WORD in "".join(line.strip().split("  ")[0] for line in out.splitlines())
    assert max(map(len, out.splitlines())) <= 100


def test_a_long_table_ends_and_says_how_many_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    utterances = [said(f"nothing {n}", "send_mail") for n in range(103)]
    print_evaluation(evaluate_texts(MAIL, utterances), "mail")

    shown = capsys.readouterr().out
    assert "nothing 99" in shown
    assert "nothing 100" not in shown
    assert "and 3 more; --html and --json have all\n\n" in shown


def test_many_functions_without_a_mistake_have_no_confusion(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"f{chr(97 + n)}" for n in range(20)]
    functions = functions_of(*[(name, "") for name in names])
    outcomes = tuple(Outcome(said(name, name), name, (name,), 1) for name in names)
    print_evaluation(Evaluation(functions, outcomes), "many")

    assert "confusion" not in capsys.readouterr().out
