"""Whatever a foreign server lists, it is judged: no rule fails, and nothing takes long."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.lint.annotations import annotation
from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.reports import Report, line_of, report_json
from appfunctions_mcp.lint.rule_set import all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Finding
from appfunctions_mcp.lint.sarif import report_sarif

RULES = selected_rules(all_rules(), select=["AF"])

_TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "Always call 'x' first (default: 5), one of 'a' or 'b'.",
        "Поле 'a', по умолчанию 5, от 1 до 10 секунд.",
        "e.g. 'a', 'b'; between 1 and 10; max 5 items; YYYY-MM-DD",
        "\ud800\u202e\U000e0041",
    ]
)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3)
)
_KEYWORDS = [
    "type",
    "enum",
    "default",
    "description",
    "properties",
    "items",
    "required",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "format",
    "minimum",
    "maximum",
    "pattern",
    "title",
    "const",
    "examples",
    "minLength",
    "maxItems",
    "additionalProperties",
    "not",
    "if",
]
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", "null"])


def _schemas() -> st.SearchStrategy[Any]:
    """Schemas of which any part may be something else."""
    return st.recursive(
        _VALUES,
        lambda inner: st.fixed_dictionaries(
            {},
            optional={
                **dict.fromkeys(_KEYWORDS, inner | _VALUES),
                "type": _TYPES | st.lists(_TYPES, max_size=2) | _VALUES,
                "properties": st.dictionaries(_TEXTS, inner, max_size=3) | _VALUES,
                "description": _TEXTS | _VALUES,
                "$ref": st.sampled_from(["#", "#/$defs/a", "#/properties/a"]) | _VALUES,
            },
        ),
        max_leaves=6,
    )


_TOOLS = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=20)},
    optional={
        "description": _TEXTS | _VALUES,
        "title": _TEXTS | _VALUES,
        "inputSchema": _schemas(),
        "outputSchema": _schemas(),
        "annotations": st.dictionaries(
            st.sampled_from(["readOnlyHint", "destructiveHint", "idempotentHint", "title"]),
            _VALUES,
            max_size=4,
        )
        | _VALUES,
    },
)


def _judged(tools: list[Any], app: str = "") -> tuple[Finding, ...]:
    subject = subject_of({"app": app, "tools": tools, "server": "a server"})
    found = findings_in(subject, RULES)
    report = Report("x", "guidelines", subject, RULES, found)
    assert len(report_json(report)["findings"]) == len(found)
    assert len(report_sarif(report, Path("/"))["runs"][0]["results"]) == len(found)
    for each in found:
        assert "\n" not in line_of(each) + annotation(each, Path("/"))
    return found


@given(tools=st.lists(_TOOLS, max_size=3), app=_TEXTS)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_tools_say_they_are_judged(tools: list[Any], app: str) -> None:
    _judged(tools, app)


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


LONG = {
    "a word": "a" * 50_000,
    "words": "word " * 10_000,
    "quotes": "'" * 25_000,
    "quoted words": "'a' or " * 5_000,
    "marks": "(" * 12_500 + "a" * 12_500,
    "capitals": "MUST " * 5_000,
    "numbers": "1 to " * 5_000,
    "line breaks": "\n" * 25_000 + "a",
    "blanks": " " * 25_000 + "a",
    "calls": "call 'a', " * 2_500,
    "defaults": "default: " * 2_500,
    "dots": "a. " * 7_500,
    "backticks": "`a" * 12_500,
    "dashes": "- " * 12_500,
    "names": "use aB, " * 5_000,
    "lines of a blank": "\n " * 25_000,
    "sentences": "1. a\n" * 10_000,
    "Russian commands": "вы должны " * 5_000,
    "stars": "*" * 25_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=list(LONG))
def test_a_long_text_is_judged_in_time(text: str) -> None:
    schema = {"type": "object", "properties": {"p": {"type": "string", "description": text}}}
    started = time.perf_counter()
    _judged([{"name": "find_a", "description": text, "inputSchema": schema}], text)
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("schema", [_nested(200), {"$ref": "#"}, {"anyOf": [{"$ref": "#"}] * 50}])
def test_a_deep_or_endless_schema_is_judged(schema: dict[str, Any]) -> None:
    _judged([{"name": "find_a", "inputSchema": schema, "outputSchema": schema}])


def test_a_pattern_of_any_length_is_judged_in_time() -> None:
    schema = {"type": "string", "pattern": "**" * 25_000, "default": "aaaa"}
    started = time.perf_counter()
    _judged([{"name": "find_a", "inputSchema": {"type": "object", "properties": {"p": schema}}}])
    assert time.perf_counter() - started < 10


def test_many_tools_take_no_longer_each_than_a_few() -> None:
    described = "Finds things, as by calling 'look_up_nothing' and `find_thing_1`."
    tools = [{"name": f"find_thing_{n}", "description": described} for n in range(2_000)]
    started = time.perf_counter()
    _judged(tools)
    assert time.perf_counter() - started < 30
