"""Findings that an author lets stand: on the function, and in the metadata."""

from collections.abc import Iterator
from pathlib import Path

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import findings_in
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, SetRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.suppression import Ignore, ignores_of, is_ignored, unused_ignores
from appfunctions_mcp.metadata import AppFunctionMetadata, AppMetadata, LintIgnore
from appfunctions_mcp.records import replaced

SOURCE = '''
from appfunctions_mcp import app_function

@app_function(
    optional_defaults="declared",  # lint: ignore[AF900] the verb is the app's own
)
def frob(
    first: str,
    second: str = "# lint: ignore[AF901]",  # why not: lint:ignore[AF902, AF903]
) -> str:
    """Frobs."""
    # lint: ignore[AF904]
    return first + second

@app_function
def plain() -> str:
    """Does nothing.  # lint: ignore[AF905]"""
    return ""
'''


def _each(_: AppFunctionMetadata, __: LintSubject) -> Iterator[Fault]:
    yield Fault("It is there.")


def _all(_: LintSubject) -> Iterator[tuple[str, Fault]]:
    yield "", Fault("The whole.")


RULES = (
    FunctionRule(Rule("AF900", "each", Severity.NOTE, "s", "f", {}, {}), _each),
    SetRule(Rule("AF901", "all", Severity.NOTE, "s", "f", {}, {}), _all),
)


def test_comments_from_the_decorators_to_the_signatures_end_count() -> None:
    assert ignores_of(subject_of({"python": SOURCE})) == (
        Ignore(("AF900",), "example#frob", "<example>:5"),
        Ignore(("AF902", "AF903"), "example#frob", "<example>:9"),
    )


def test_a_comment_is_about_its_function_and_its_rules_alone() -> None:
    subject = subject_of({"python": SOURCE})
    found = findings_in(subject, RULES)
    left = [f for f in found if not is_ignored(f, ignores_of(subject))]
    assert [(f.rule.id, f.tool_name) for f in left] == [("AF901", ""), ("AF900", "plain")]


def test_the_metadata_is_about_one_function_or_everything() -> None:
    app = AppMetadata(
        name="a",
        description="A.",
        path=Path("a.xml"),
        lint_ignores=(LintIgnore(("AF901",), line=7), LintIgnore(("AF900",), "example#plain", 8)),
    )
    subject = replaced(subject_of({"python": SOURCE}), app=app, bodies={})
    ignores = ignores_of(subject)
    left = [f for f in findings_in(subject, RULES) if not is_ignored(f, ignores)]
    assert [(f.rule.id, f.tool_name) for f in left] == [("AF900", "frob")]
    assert [each.source for each in ignores] == ["a.xml:7", "a.xml:8"]


def test_what_is_ignored_for_nothing_is_told_if_its_rule_was_asked() -> None:
    subject = subject_of({"python": SOURCE})
    ignores = (
        Ignore(("AF900", "AF901", "AF999"), "example#plain", "a.py:3"),
        *ignores_of(subject),
    )
    assert list(unused_ignores(ignores, findings_in(subject, RULES), RULES)) == [
        "a.py:3: AF901 is ignored, but finds nothing here; take it out"
    ]


def test_a_function_without_source_has_no_comments() -> None:
    subject = replaced(subject_of({"python": SOURCE}), bodies={"a#len": len})
    assert ignores_of(subject) == ()


def test_a_part_of_an_expression_is_no_definition_to_comment_on() -> None:
    bodies = {
        "a#b": lambda: 1,  # lint: ignore[AF900]
    }
    assert ignores_of(replaced(subject_of({"app": "A."}), bodies=bodies)) == ()
