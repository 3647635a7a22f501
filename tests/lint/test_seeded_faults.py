"""Of the faults that are put into real lists of tools, lint finds almost all.

The faults are edits of one tool each, made by `tests.support.seeded_faults`, which knows neither
the rules' code nor their examples.
"""

from collections import Counter
from functools import cache
from typing import Any

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.rule_set import all_rules, findings_in
from appfunctions_mcp.lint.saved_tools import saved_subject
from tests.support.corpus import corpus
from tests.support.seeded_faults import UNSEEDABLE, Seeding, seeded, seeded_rules, unseeded

LISTS = (
    "desktop-commander",
    "docker-mcp",
    "excel-mcp-server",
    "github-mcp-server.part1",
    "mcp-playwright",
    "mcp-server-git",
    "office-word",
    "open-streetmap",
    "server-filesystem",
    "server-memory",
)
RULES = {each.rule.id: each for each in all_rules()}


def _found(rule: str, seeding: Seeding) -> Counter[tuple[str, str, str]]:
    """What the rule finds, without the words that count other tools."""
    parts = {"tools": seeding.tools, "server": seeding.server, "app": seeding.app}
    found = findings_in(subject_of(parts), [RULES[rule]])
    return Counter((f.function_id, f.fault.place, f.fault.text) for f in found)


@cache
def _tools(name: str) -> list[Any]:
    return [*saved_subject(corpus("tools", f"{name}.tools.json")).tools]


@cache
def _before(rule: str, name: str) -> Counter[tuple[str, str, str]]:
    return _found(rule, Seeding(_tools(name), _tools(name)[0]))


@cache
def _is_found(rule: str, name: str) -> bool:
    """Whether the rule finds something in the list with the fault that it did not find before."""
    return bool(_found(rule, seeded(_tools(name), rule, name)) - _before(rule, name))


def test_each_rule_has_a_fault_or_a_reason_why_a_list_of_tools_cannot_have_it() -> None:
    assert sorted((*seeded_rules(), *UNSEEDABLE)) == sorted(RULES)


def test_more_than_99_in_a_hundred_faults_are_found_in_ten_real_lists() -> None:
    """A few lists have a fault already that hides the one that is put in."""
    tried = [(rule, name) for rule in seeded_rules() for name in LISTS]
    missed = [(rule, name) for rule, name in tried if not _is_found(rule, name)]
    assert len(tried) == 10 * len(seeded_rules()) > 1000
    assert len(missed) < 0.01 * len(tried), missed


@pytest.mark.parametrize("rule", seeded_rules())
def test_no_rule_misses_its_fault_in_most_lists(rule: str) -> None:
    assert sum(_is_found(rule, name) for name in LISTS) >= 5


def test_nothing_but_the_fault_is_what_is_found() -> None:
    """Making ready the tool that gets it gives no rule anything to find."""
    assert [
        (rule, name)
        for rule in seeded_rules()
        for name in LISTS
        if _found(rule, unseeded(_tools(name), rule, name)) - _before(rule, name)
    ] == []
