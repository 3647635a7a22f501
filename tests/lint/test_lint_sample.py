"""What the page about lint says of the real lists of tools, and how its findings were drawn."""

import re
from collections import Counter

import pytest

from appfunctions_mcp.lint.rule_set import all_rules
from appfunctions_mcp.lint.rules import Severity
from tests.support.documents import ROOT
from tests.support.lint_sample import (
    Found,
    android_files,
    drawn,
    found_in,
    main,
    shares,
    tool_lists,
)
from tests.support.seeded_faults import seeded_rules

PAGE = (ROOT / "docs" / "lint.md").read_text("utf-8")
ROW = re.compile(
    r"^\| (AF\d{3}) `([\w-]+)` \| (\d+) \| ([^|]+) % \| (\d+) \| (\d+) \|$", re.MULTILINE
)
RULES = {each.rule.id: each.rule for each in all_rules()}


def _all_found() -> list[Found]:
    return [*found_in(tool_lists()), *found_in(android_files())]


def test_the_page_has_a_row_for_each_rule_that_fires() -> None:
    rows = {
        id_: (name, int(judged), int(true)) for id_, name, _, _, judged, true in ROW.findall(PAGE)
    }

    assert set(rows) == {each.finding.rule.id for each in _all_found()}
    assert {id_: name for id_, (name, *_) in rows.items()} == {id_: RULES[id_].name for id_ in rows}
    assert (sum(j for _, j, _ in rows.values()), sum(t for *_, t in rows.values())) == (134, 132)


def test_the_page_counts_the_findings_about_as_they_are() -> None:
    """A rule that is changed may find a few more or less; what is off by more is told anew."""
    told = {id_: int(count) for id_, _, count, *_ in ROW.findall(PAGE)}
    found = Counter(each.finding.rule.id for each in _all_found())

    off = {id_: (told[id_], found[id_]) for id_ in told if abs(told[id_] - found[id_]) > 3}
    assert {id_: pair for id_, pair in off.items() if abs(pair[0] - pair[1]) > 0.1 * pair[0]} == {}


def test_no_rule_fires_by_default_on_more_than_60_in_a_hundred_tools() -> None:
    lists = tool_lists()

    assert (len(lists), sum(len(each.functions) for each in lists.values())) == (18, 225)
    assert max(shares(lists).values()) < 0.6
    assert f"one for each of {len(seeded_rules())} rules" in PAGE


def test_a_draw_has_a_hundred_findings_and_each_rule_and_is_always_the_same() -> None:
    found = _all_found()
    first, again, other = (drawn(found, seed) for seed in (3, 3, 4))

    assert first == again != other
    assert len(first) == len({id(each.finding) for each in first}) == 100
    assert {each.finding.rule.id for each in first} == {each.finding.rule.id for each in found}


def test_what_is_printed_has_all_errors_and_the_texts_to_judge_by(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(3)
    head, errors, sample = re.split(
        r"\n(?:Every error|A sample, seed 3):\n", capsys.readouterr().out
    )
    count = sum(each.finding.severity is Severity.ERROR for each in _all_found())

    assert "AF020: " in head
    assert len(re.findall(r"^AF\d{3} error ", errors, re.MULTILINE)) == count
    assert len(re.findall(r"^AF\d{3} (?:error|warning|note) ", sample, re.MULTILINE)) == 100
    assert len(re.findall(r"^    \| ", sample, re.MULTILINE)) >= 100
