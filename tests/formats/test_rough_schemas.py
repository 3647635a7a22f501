"""What is hardly a schema at all: exporters make one of it, and checkers judge it."""

import json
from typing import Any

import pytest
from hypothesis import given

from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.anthropic import tool_rules as anthropic_rules
from appfunctions_mcp.formats.anthropic import tools as anthropic_tools
from appfunctions_mcp.formats.gemini import tool_rules as gemini_rules
from appfunctions_mcp.formats.gemini import tools as gemini_tools
from appfunctions_mcp.formats.schema_rules import schema_rule_violations
from tests.support.drawn_schemas import ROUGH_JSON
from tests.support.exported import tool_of


@given(ROUGH_JSON)
def test_whatever_is_published_is_exported_by_the_rules(schema: Any) -> None:
    function = tool_of(schema)
    for strict in (None, False):
        tools = anthropic_tools.export_tools([function], strict=strict).value
        assert anthropic_rules.tool_violations(tools) == []
        json.dumps(tools, allow_nan=False)
    exports = [
        gemini_tools.export_tools([function]),
        gemini_tools.export_tools([function], schema_member="parametersJsonSchema"),
    ]
    for exported in exports:
        assert gemini_rules.tool_violations(exported.value) == []
        json.dumps(exported.value, allow_nan=False)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), {"a": [float("-inf")]}])
def test_what_json_does_not_have_is_sent_neither_as_default_nor_as_choice(value: Any) -> None:
    """Python reads `Infinity` and `NaN` (field case F98)."""
    schema = {
        "type": "object",
        "properties": {
            "x": {"default": value},
            "y": {"enum": [value]},
            "z": {"enum": ["a", value]},
        },
    }
    function = tool_of(schema)
    for tools in (
        anthropic_tools.export_tools([function], strict=False).value,
        anthropic_tools.export_tools([function]).value,
        gemini_tools.export_tools([function]).value,
        gemini_tools.export_tools([function], schema_member="parametersJsonSchema").value,
    ):
        assert json.dumps(tools, allow_nan=False).count('"a"') == 1


HALF = "\ud83d"


@pytest.mark.parametrize("name", FORMAT_NAMES)
@pytest.mark.parametrize("strict", [None, False])
def test_half_a_surrogate_leaves_in_no_tool_and_its_keys_and_choices_come_back(
    name: str, strict: bool | None
) -> None:
    """UTF-8 does not hold it, so that a client could not even send the request."""
    part = {"enum": [HALF, "a"], "description": f"One {HALF}.", "default": HALF}
    schema = {
        "type": "object",
        "properties": {HALF: part, HALF * 2: {"type": "array", "items": part}},
        "required": [HALF],
        "additionalProperties": False,
    }
    form = format_named(name)
    tools = form.export_tools([tool_of(schema, f"take {HALF}", f"Takes {HALF}.")], strict=strict)
    json.dumps(tools.value, ensure_ascii=False).encode()
    assert form.check_tools(tools.value) == []
    (tool,) = tools.tools
    arguments = {HALF: HALF, HALF * 2: ["a", HALF]}
    sent = json.loads(json.dumps(tool.rewrite(arguments)).replace(r"\ud83d", r"\ufffd"))
    assert len(sent) == 2
    assert tool.restore(sent) == arguments


@given(ROUGH_JSON)
def test_whatever_stands_for_tools_is_judged(value: Any) -> None:
    for tools in (value, [value], [{"name": "take", "input_schema": value, "strict": True}]):
        for violation in anthropic_rules.tool_violations(tools):
            assert violation.rule
            assert violation.text
    declaration = {"name": "take", "parameters": value, "parametersJsonSchema": value}
    for tools in (value, [value], [{"functionDeclarations": value}]):
        assert isinstance(gemini_rules.tool_violations(tools), list)
    violations = gemini_rules.tool_violations([{"functionDeclarations": [declaration]}])
    assert "both-schemas" in {violation.rule for violation in violations}
    assert isinstance(schema_rule_violations(value, ""), list)
