"""Writes the page of lint's rules from the rules: `python -m tests.support.rule_table`."""

import json
from typing import Any

from appfunctions_mcp.lint.rule_set import PROFILES, AnyRule, all_rules
from appfunctions_mcp.lint.rules import Rule
from tests.support.documents import ROOT

PAGE = ROOT / "docs" / "lint-rules.md"

_PARTS = (
    (0, "Names"),
    (20, "Parameters"),
    (40, "Results"),
    (50, "Errors"),
    (60, "What a function does to the world"),
    (70, "Contradictions between text and schema"),
    (100, "Descriptions"),
    (130, "Safety"),
    (150, "All functions together"),
    (170, "Cost"),
    (180, "Clients and providers"),
    (200, "What the app says of itself"),
    (210, "Android's files, and safety of what the app says"),
)
_HEAD = """# The rules of lint

What [`appfunctions-mcp lint`](lint.md) looks for.
A rule keeps its id; the examples of each are what it is tested by.
"""


def page_text() -> str:
    """The whole page."""
    parts = [_HEAD]
    rules = all_rules()
    for place, (first, title) in enumerate(_PARTS):
        end = _PARTS[place + 1][0] if place + 1 < len(_PARTS) else 1000
        among = [each for each in rules if first <= int(each.rule.id[2:]) < end]
        if among:
            rows = "".join(map(_row, among))
            head = (
                "| rule | weight | what to do | from | example |\n| --- | --- | --- | --- | --- |\n"
            )
            parts.append(f"## {title}\n\n{head}{rows}")
    return "\n".join(parts)


def _row(each: AnyRule) -> str:
    rule = each.rule
    only = "" if len(rule.profiles) == len(PROFILES) else f", profile {min(rule.profiles)}"
    named = "" if rule.is_default else ", when selected"
    weight = f"{rule.severity.name.lower()}{only}{named}"
    cells = (
        f"{rule.id} `{rule.name}`",
        weight,
        rule.fix,
        rule.source,
        _shown(rule),
    )
    return "".join(f"| {_cell(cell)} " for cell in cells) + "|\n"


def _shown(rule: Rule) -> str:
    """The words of the bad example that the rule is about, where these alone say it."""
    example: Any = rule.bad
    while isinstance(example, list) or (isinstance(example, dict) and "tools" in example):
        if isinstance(example, dict) and "app" in example:
            return _code(str(example["app"]))
        example = example["tools"] if isinstance(example, dict) else example[0]
    number = int(rule.id[2:])
    member = "name" if number < 20 else "description" if 100 <= number < 150 else "app"
    return _code(str(example.get(member, "")))


def _code(text: str) -> str:
    line = json.dumps(text, ensure_ascii=True)[1:-1].replace('\\"', '"').replace("`", "'")
    shown = line if len(line) <= 80 else f"{line[:80]}…"
    return f"`{shown}`" if shown else ""


def _cell(text: str) -> str:
    plain = text if "`" in text else text.replace("<", "&lt;")
    return plain.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
