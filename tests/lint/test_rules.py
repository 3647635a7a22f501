"""Every rule finds its bad example; nothing of its weight is found in its good one."""

from pathlib import Path

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import AnyRule, all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Finding

RULES = all_rules()


def _id(each: AnyRule) -> str:
    return f"{each.rule.id}-{each.rule.name}"


def _told(found: tuple[Finding, ...]) -> list[str]:
    return [f"{f.rule.id} {f.function_id} {f.fault.place}: {f.fault.text}" for f in found]


@pytest.mark.parametrize("each", RULES, ids=_id)
def test_a_rule_finds_its_bad_example(each: AnyRule, tmp_path: Path) -> None:
    assert findings_in(subject_of(each.rule.bad, tmp_path), [each])


@pytest.mark.parametrize("each", RULES, ids=_id)
def test_no_rule_of_this_weight_finds_the_good_example(each: AnyRule, tmp_path: Path) -> None:
    subject = subject_of(each.rule.good, tmp_path)
    for profile in sorted(each.rule.profiles):
        usual = selected_rules(RULES, profile=profile)
        applied = [*usual, *([] if each in usual else [each])]

        found = findings_in(subject, applied)

        weighty = tuple(f for f in found if f.severity >= each.rule.severity)
        assert _told(weighty) == [], f"in the profile {profile}"


@pytest.mark.parametrize("each", RULES, ids=_id)
def test_a_rule_says_what_it_is(each: AnyRule) -> None:
    rule = each.rule
    assert rule.id.startswith("AF")
    assert rule.id[2:].isdigit()
    assert len(rule.id) == 5
    assert rule.name == rule.name.lower().replace(" ", "-").replace("_", "-")
    assert rule.source.strip()
    assert rule.fix.strip()
    assert rule.profiles
