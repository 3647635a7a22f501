"""Draws findings of lint over the corpus, for somebody to judge by hand.

`python -m tests.support.lint_sample SEED` prints how often each rule fires, every error, and a
hundred findings with the texts that they are about: one of each rule, and the rest by chance.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from appfunctions_mcp.lint.android_target import android_subject
from appfunctions_mcp.lint.rule_set import all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.saved_tools import saved_subject
from appfunctions_mcp.lint.subjects import LintSubject
from tests.support.corpus import corpus

_SIZE = 100
_FOLDERS = ("android_xml", "app_metadata")
_NO_TARGETS = ("strings.xml", "AndroidManifest.xml")


class Found(NamedTuple):
    """A finding, and in what it was found."""

    target: str
    finding: Finding
    subject: LintSubject


def tool_lists() -> dict[str, LintSubject]:
    """The lists of tools of real servers, by their names."""
    return {
        path.name.removesuffix(".tools.json"): saved_subject(path)
        for path in sorted(corpus("tools").glob("*.tools.json"))
    }


def android_files() -> dict[str, LintSubject]:
    """Android's functions XML files and descriptions of apps, each different one once.

    A manifest or strings file alone is no app, so what it lacks would be no fault of its author.
    """
    texts: dict[bytes, Path] = {}
    for folder in _FOLDERS:
        for path in sorted(corpus(folder).glob("*.xml")):
            if not path.name.endswith(_NO_TARGETS):
                texts.setdefault(path.read_bytes(), path)
    return {path.name.removesuffix(".xml"): android_subject(path) for path in texts.values()}


def found_in(subjects: dict[str, LintSubject]) -> list[Found]:
    """What the rules that apply by default find."""
    rules = selected_rules(all_rules())
    return [
        Found(target, finding, subject)
        for target, subject in subjects.items()
        for finding in findings_in(subject, rules)
    ]


def shares(lists: dict[str, LintSubject]) -> dict[str, float]:
    """By rule, of how many of all tools it finds something."""
    count = sum(len(subject.functions) for subject in lists.values())
    tools = {
        (each.finding.rule.id, each.target, each.finding.function_id)
        for each in found_in(lists)
        if each.finding.function_id
    }
    return {rule: found / count for rule, found in Counter(rule for rule, *_ in tools).items()}


def drawn(found: list[Found], seed: int) -> list[Found]:
    """One finding of each rule, and others by chance, in the order of the rules."""
    order = random.Random(seed).sample(found, len(found))  # noqa: S311 - to be the same again
    first = {each.finding.rule.id: place for place, each in reversed([*enumerate(order)])}
    rest = [place for place in range(len(order)) if place not in first.values()]
    chosen = [*first.values(), *rest[: max(0, _SIZE - len(first))]]
    return sorted((order[place] for place in chosen), key=lambda each: each.finding.rule.id)


def _texts(each: Found) -> Iterator[str]:
    """What the author wrote, as far as somebody needs it to judge."""
    finding = each.finding
    if not finding.function_id:
        yield each.subject.instructions
    for function in each.subject.functions:
        if function.function_id == finding.function_id:
            yield function.description
            name = re.split(r"[.\[]", finding.fault.place.removeprefix("parameters."))[0]
            properties = function.input_schema.get("properties", {})
            yield json.dumps(properties.get(name, properties), ensure_ascii=False)


def _show(found: list[Found]) -> None:
    for each in found:
        fault, rule = each.finding.fault, each.finding.rule
        weight = each.finding.severity.name.lower()
        print(f"{rule.id} {weight} {each.target} {each.finding.tool_name} {fault.place}")
        print(f"    {fault.text}")
        for text in _texts(each):
            print(f"    | {text}")


def main(seed: int) -> None:
    """Prints all of it."""
    lists = tool_lists()
    found = [*found_in(lists), *found_in(android_files())]
    share = shares(lists)
    for rule, count in sorted(Counter(each.finding.rule.id for each in found).items()):
        print(f"{rule}: {count} findings, {share.get(rule, 0):.0%} of the tools")
    print("\nEvery error:\n")
    _show([each for each in found if each.finding.severity is Severity.ERROR])
    print(f"\nA sample, seed {seed}:\n")
    _show(drawn(found, seed))


if __name__ == "__main__":
    main(int(sys.argv[1]))
