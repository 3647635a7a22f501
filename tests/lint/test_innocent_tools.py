"""What careful authors write has no errors, alone and together."""

from typing import Any

import pytest

from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.reports import line_of
from appfunctions_mcp.lint.rule_set import all_rules, findings_in
from appfunctions_mcp.lint.rules import Severity
from tests.lint.innocent_english import INNOCENT_ENGLISH
from tests.lint.innocent_russian import INNOCENT_RUSSIAN

RULES = all_rules()
INNOCENT_TOOLS = [*INNOCENT_ENGLISH, *INNOCENT_RUSSIAN]


def _errors(tools: list[dict[str, Any]]) -> list[str]:
    found = findings_in(subject_of({"tools": tools}), RULES)
    return [line_of(each) for each in found if each.severity is Severity.ERROR]


@pytest.mark.parametrize("tool", INNOCENT_TOOLS, ids=lambda tool: str(tool["name"]))
def test_an_innocent_tool_has_no_error(tool: dict[str, Any]) -> None:
    assert _errors([tool]) == []


def test_sixty_innocent_tools_have_no_error_together() -> None:
    assert len({tool["name"] for tool in INNOCENT_TOOLS}) == len(INNOCENT_TOOLS) == 60
    assert _errors(INNOCENT_TOOLS) == []
