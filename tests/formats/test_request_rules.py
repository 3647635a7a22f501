"""The documented rules of requests: each is broken once, and no recorded request breaks any."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import appfunctions_mcp.formats
from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.gemini.request_rules import request_violations as gemini_violations
from appfunctions_mcp.formats.mcp_tools import metadata_of_tool
from appfunctions_mcp.formats.messages import History, UserMessage
from appfunctions_mcp.formats.rule_parts import Findings, at, shown
from tests.support.broken_requests import CASES, Case, gemini
from tests.support.providers import recorded_requests
from tests.support.providers.checking import rules_of
from tests.support.providers.paths import format_of, model_of

FOLDER = Path(appfunctions_mcp.formats.__file__).parent
SHARED = ("chat_rules.py", "rule_parts.py")
OF_TOOLS = re.compile(r"tool_rules|strict_rules|schema_rules")


def cases() -> list[Any]:
    return [
        pytest.param(name, case, id=f"{name}-{case.rule}-{i}")
        for name, listed in CASES.items()
        for i, case in enumerate(listed)
    ]


@pytest.mark.parametrize(("name", "case"), cases())
def test_a_broken_rule_is_found_where_it_is_broken(name: str, case: Case) -> None:
    found = rules_of(name, case.broken)

    assert (case.path, case.rule) in [(each.path, each.rule) for each in found]
    assert all(each.text.endswith(".") for each in found)


@pytest.mark.parametrize(("name", "case"), cases())
def test_what_keeps_the_rule_breaks_no_other(name: str, case: Case) -> None:
    assert rules_of(name, case.sound) == []


def rules_in(path: Path) -> Iterator[str]:
    """The names of the rules that a module notes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            place = {"add": 1, "is_text": 2}.get(node.func.attr, len(node.args))
            rule = node.args[place] if place < len(node.args) else None
            if isinstance(rule, ast.Constant) and isinstance(rule.value, str):
                yield rule.value


@pytest.mark.parametrize("name", CASES)
def test_every_rule_of_a_provider_has_a_case(name: str) -> None:
    folder = FOLDER / name.replace("-", "_")
    files = [path for path in folder.glob("*_rules.py") if not OF_TOOLS.search(path.name)]
    files += [FOLDER / file for file in SHARED if name == "openai-chat"]
    rules = {rule for path in files for rule in rules_in(path)}

    assert rules
    assert rules - {case.rule for case in CASES[name]} == set()


def recordings() -> list[Any]:
    try:
        listed = recorded_requests()
    except pytest.skip.Exception as skipped:
        return [pytest.param("", {}, marks=pytest.mark.skip(str(skipped)))]
    return [pytest.param(address, body, id=name) for name, address, body in listed]


@pytest.mark.parametrize(("address", "body"), recordings())
def test_what_a_provider_accepted_breaks_no_rule(address: str, body: dict[str, Any]) -> None:
    """Providers answered these requests with 200, so a rule that refuses one is wrong (F71)."""
    assert rules_of(format_of(address) or "", body, model_of(address)) == []


@pytest.mark.parametrize(
    ("model", "is_wanted"),
    [("gemini-3-pro-preview", True), ("gemini-10-x", True), ("gemini-2.5-pro", False), ("", False)],
)
def test_newer_models_of_gemini_want_the_signature_of_a_call(model: str, is_wanted: bool) -> None:
    found = gemini_violations(gemini.ONE, model=model)

    assert [each.rule for each in found] == ["thought-signature"] * is_wanted


def test_older_models_of_gemini_take_calls_without_a_signature_beside_signed_ones() -> None:
    unsigned = gemini.body(*gemini.SIGNED["contents"][:3], gemini.model(gemini.call("a")))
    body = gemini.body(*unsigned["contents"], gemini.user(gemini.response("a")))

    assert gemini_violations(body, model="gemini-2.5-pro") == []


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@st.composite
def spoiled_requests(draw: st.DrawFn) -> tuple[str, Any]:
    """A sound request in which any one value is another one."""
    name = draw(st.sampled_from(sorted(CASES)))
    body = draw(st.sampled_from(CASES[name])).sound
    spoiled = _spoiled(draw, {k: v for k, v in body.items() if k != "tools"})
    return name, spoiled | {"tools": body.get("tools")} if isinstance(spoiled, dict) else spoiled


def _spoiled(draw: st.DrawFn, value: Any) -> Any:
    if not value or not isinstance(value, dict | list) or draw(st.integers(0, 3)) == 0:
        return draw(json_values)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    copy: Any = value.copy()
    copy[key] = _spoiled(draw, value[key])
    return copy


@settings(max_examples=300)
@given(spoiled_requests())
def test_whatever_stands_in_a_request_the_check_ends_with_findings(
    request_of: tuple[str, Any],
) -> None:
    name, body = request_of

    for each in rules_of(name, body):
        assert each.path == "" or each.path.startswith("/")
        assert each.rule
        assert each.text.endswith(".")


def test_a_path_is_a_json_pointer() -> None:
    assert at("", "a/b", 0, "~") == "/a~1b/0/~0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", "'a b'"),
        ({}, "an empty object"),
        ({"a": 1, "b": 2}, "an object with 'a', 'b'"),
        (
            dict.fromkeys("abcdefghijk"),
            f"an object with {', '.join(repr(c) for c in 'abcdefghij')} …",
        ),
        ([1, 2], "a list of 2"),
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (b"x", "a value of bytes"),
    ],
    ids=str,
)
def test_a_value_is_shown_short(value: Any, text: str) -> None:
    assert shown(value) == text


def test_findings_keep_their_order() -> None:
    findings = Findings()
    findings.add("/b", "second", "…")
    findings.add("/a", "first", "…")

    assert [each.path for each in findings.violations] == ["/b", "/a"]


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_what_is_wrong_with_a_tool_is_found_at_its_place_in_the_request(name: str) -> None:
    form = format_named(name)
    history = History((UserMessage(("Hello?",)),))
    function = metadata_of_tool({"name": "look", "inputSchema": {"type": "object"}})
    body = form.request(history, form.export_tools([function]))
    assert form.check_request(body) == []
    broken = json.loads(json.dumps(body).replace('"look"', '""'))
    found = [each.path for each in form.check_request(broken)]
    assert any(path.startswith("/tools/0") for path in found), found
