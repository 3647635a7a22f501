"""Which rules apply, and the order of what they find."""

from collections.abc import Iterator

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import AnyRule, all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, SetRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata import AppFunctionMetadata


def _rule(number: int, name: str, severity: Severity = Severity.WARNING, **options: object) -> Rule:
    return Rule(f"AF{number}", name, severity, "a source", "a fix", {}, {}, **options)  # type: ignore[arg-type] # what a test gives


def _about_each(function: AppFunctionMetadata, _: LintSubject) -> Iterator[Fault]:
    yield Fault("It is there.", "name", function.tool_name)
    yield Fault("It is there.", "name", function.tool_name)


def _about_all(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    yield "", Fault("The whole.")
    yield subject.functions[1].function_id, Fault("The second.", severity=Severity.ERROR)


RULES: tuple[AnyRule, ...] = (
    FunctionRule(_rule(900, "each-there"), _about_each),
    SetRule(_rule(901, "all-there", Severity.NOTE), _about_all),
    SetRule(_rule(910, "only-skill", profiles=frozenset({"skill"})), _about_all),
    SetRule(_rule(920, "never-by-default", is_default=False), _about_all),
)


def _ids(**options: object) -> list[str]:
    return [each.rule.id for each in selected_rules(RULES, **options)]  # type: ignore[arg-type] # what a test gives


def test_rules_of_the_profile_apply_that_are_default() -> None:
    assert _ids() == ["AF900", "AF901"]
    assert _ids(profile="skill") == ["AF900", "AF901", "AF910"]


def test_rules_are_picked_by_id_beginning_or_name_whatever_the_default() -> None:
    assert _ids(select=["af920", "each-there"]) == ["AF900", "AF920"]
    assert _ids(select=["AF9"], ignore=["AF90", "only-skill"]) == ["AF920"]


@pytest.mark.parametrize(
    ("word", "hint"), [("each-their", "perhaps each-there"), ("AF8", ""), ("zzzz", "")]
)
def test_a_word_that_names_no_rule_is_refused(word: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        selected_rules(RULES, ignore=[word])
    assert f"there is no rule '{word}'" in str(caught.value)
    assert hint in str(caught.value)


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(SettingsError, match="accepted is guidelines or skill"):
        selected_rules(RULES, profile="strict")


def test_findings_come_once_in_the_order_of_functions_the_weighty_first() -> None:
    subject = subject_of([{"name": "b"}, {"name": "a"}])
    found = findings_in(subject, RULES[:2])
    assert [(f.tool_name, f.rule.id, f.severity.name) for f in found] == [
        ("", "AF901", "NOTE"),
        ("b", "AF900", "WARNING"),
        ("a", "AF901", "ERROR"),
        ("a", "AF900", "WARNING"),
    ]


def test_what_holds_for_two_tools_of_one_name_alike_is_told_once() -> None:
    subject = subject_of([{"name": "a"}, {"name": "a"}])
    assert [f.tool_name for f in findings_in(subject, RULES[:1])] == ["a"]


def test_all_rules_come_by_id() -> None:
    ids = [each.rule.id for each in all_rules()]
    assert ids == sorted(set(ids))
    assert {"AF201", "AF212"} <= set(ids)


def test_two_rules_of_one_id_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from appfunctions_mcp.lint import rules_app

    monkeypatch.setattr(rules_app, "RULES", (*rules_app.RULES, rules_app.RULES[0]))
    with pytest.raises(ValueError, match="more than one rule is called AF200"):
        all_rules()


def test_rules_that_are_selected_and_ignored_leave_none() -> None:
    with pytest.raises(SettingsError, match="no rule is left"):
        selected_rules(all_rules(), select=["AF101"], ignore=["AF101"])
