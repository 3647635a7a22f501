"""How findings are drawn: the words marked where they stand."""

import io

import pytest
from rich.console import Console

from appfunctions_mcp.cli.lint_drawing import draw_report, excerpt_of
from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.reports import Report, summary_of
from appfunctions_mcp.lint.rules import Fault, Finding, Rule, Severity

ERROR = Rule("AF900", "name-odd", Severity.ERROR, "a guideline", "Rename it.", {}, {})
NOTE = Rule("AF901", "text-long", Severity.NOTE, "a guideline", "Shorten it.", {}, {})
LONG = "a " * 60
SUBJECT = subject_of(
    {
        "app": "Manages notes. Call 'send' first.",
        "tools": [
            {
                "name": "find_notes",
                "description": f"{LONG}\nFinds notes, IMPORTANT ones.\n{LONG}",
                "inputSchema": {
                    "properties": {"text": {"description": "Some \x1b[2Jwords\u202e here."}}
                },
            }
        ],
    }
)


def _finding(rule: Rule, place: str, words: str, function: str = "find_notes") -> Finding:
    return Finding(rule, Fault("It is so.", place, words), function, function, "a.py:3")


def _report(*findings: Finding, **options: int) -> Report:
    return Report("app", "guidelines", SUBJECT, (), findings, remarks=("a remark",), **options)


def _drawn(report: Report) -> str:
    stream = io.StringIO()
    draw_report(
        report, Console(file=stream, force_terminal=True, width=100, color_system="standard")
    )
    return stream.getvalue()


def test_words_are_shown_with_what_stands_around_them() -> None:
    excerpt = excerpt_of(_finding(NOTE, "description", "IMPORTANT"), SUBJECT)
    assert excerpt is not None
    before, words, after = excerpt
    assert before.startswith("…")
    assert before.endswith(" Finds notes, ")
    assert words == "IMPORTANT"
    assert after.startswith(" ones. a a")
    assert after.endswith("…")


@pytest.mark.parametrize(
    ("place", "words", "function", "shown"),
    [
        ("app description", "'send'", "", "'send'"),
        ("parameters.text", "words", "find_notes", "words"),
        ("elsewhere", "Finds notes", "find_notes", "Finds notes"),
        ("name", "Finds notes", "find_notes", None),
        ("description", "not there", "find_notes", None),
        ("description", "", "find_notes", None),
    ],
)
def test_words_are_looked_for_at_their_place_alone_if_it_is_known(
    place: str, words: str, function: str, shown: str | None
) -> None:
    excerpt = excerpt_of(_finding(NOTE, place, words, function), SUBJECT)
    assert (excerpt[1] if excerpt else None) == shown


def test_a_report_is_drawn_by_function_with_the_fix() -> None:
    drawn = _drawn(
        _report(
            _finding(NOTE, "app description", "'send'", ""),
            _finding(ERROR, "parameters.text", "words"),
        )
    )
    assert drawn.index("app") < drawn.index("the app as a whole") < drawn.index("find_notes")
    assert "\x1b[4;36m'send'\x1b[0m" in drawn
    assert "Rename it." in drawn
    assert "[name-odd]" in drawn
    assert "a remark" in drawn
    assert "1 error, 1 note in 1 function" in drawn


def test_what_a_server_says_cannot_draw() -> None:
    drawn = _drawn(_report(_finding(ERROR, "parameters.text", "words")))
    assert "\x1b[2J" not in drawn
    assert "\u202e" not in drawn
    assert "\\u001b[2J" in drawn


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (_report(), "no findings in 1 function"),
        (
            _report(_finding(ERROR, "", ""), _finding(ERROR, "", "x"), ignored=2, known=1),
            "2 errors in 1 function (2 ignored, 1 in the baseline)",
        ),
    ],
)
def test_one_line_sums_it_up(report: Report, line: str) -> None:
    assert summary_of(report) == line
    assert line in _drawn(report)
