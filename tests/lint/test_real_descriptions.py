"""The rules about descriptions, safety, sets, cost and portability over real lists of tools."""

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.lint.rule_set import AnyRule, all_rules, findings_in
from appfunctions_mcp.lint.rules import Finding, FunctionRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from tests.support.corpus import corpus

RULES = [each for each in all_rules() if each.rule.id.startswith("AF1")]
SEEDED = (
    "server-filesystem",
    "mcp-server-git",
    "office-word",
    "docker-mcp",
    "excel-mcp-server",
    "mcp-playwright",
    "server-memory",
    "mcp-server-time",
    "open-streetmap",
    "random-number",
)


def _tools(name: str) -> list[Any]:
    tools: list[Any] = json.loads(corpus("tools", f"{name}.tools.json").read_text("utf-8"))["tools"]
    return tools


def _subject(tools: list[Any], server: str) -> LintSubject:
    return LintSubject(
        metadata_of_tools(tools), Origin.FOREIGN, server_name=server, tools=tuple(tools)
    )


@cache
def _found_in_all() -> tuple[int, tuple[tuple[str, Finding], ...]]:
    count, found = 0, []
    usual = [each for each in RULES if each.rule.is_default]
    for path in sorted(corpus("tools").glob("*.tools.json")):
        server = path.name.partition(".")[0]
        subject = _subject(_tools(path.name.removesuffix(".tools.json")), server)
        count += len(subject.functions)
        found += [(server, each) for each in findings_in(subject, usual)]
    return count, tuple(found)


def test_no_rule_that_warns_by_default_fires_on_most_tools() -> None:
    count, found = _found_in_all()
    tools = {
        (each.rule.id, server, each.function_id)
        for server, each in found
        if each.severity >= Severity.WARNING
    }

    assert count > 200
    shares = {rule: n / count for rule, n in Counter(rule for rule, *_ in tools).items()}
    assert {rule: share for rule, share in shares.items() if share > 0.6} == {}


def test_well_kept_servers_have_no_error_in_what_they_say() -> None:
    _, found = _found_in_all()

    errors = [(server, f.rule.id, f.function_id) for server, f in found if f.severity > 2]

    assert errors == []


@pytest.mark.parametrize(
    ("server", "function", "rule"),
    [
        ("context7", "resolve-library-id", "AF111"),
        ("context7", "get-library-docs", "AF116"),
        ("desktop-commander", "start_process", "AF115"),
        ("desktop-commander", "start_process", "AF136"),
        ("desktop-commander", "start_process", "AF182"),
        ("desktop-commander", "read_file", "AF153"),
        ("github-mcp-server", "add_comment_to_pending_review", "AF112"),
        ("github-mcp-server", "actions_list", "AF103"),
        ("github-mcp-server", "", "AF181"),
        ("mcp-server-fetch", "fetch", "AF132"),
        ("mcp-text-editor", "edit_text_file_contents", "AF104"),
        ("mcp-text-editor", "edit_text_file_contents", "AF117"),
        ("office-word", "protect_document", "AF134"),
        ("random-number", "random_int", "AF108"),
        ("server-sequentialthinking", "sequentialthinking", "AF170"),
    ],
)
def test_a_known_fault_of_a_real_server_is_found(server: str, function: str, rule: str) -> None:
    _, found = _found_in_all()

    assert (server, function, rule) in {(name, f.function_id, f.rule.id) for name, f in found}


@pytest.mark.parametrize("server", ["mcp-server-git", "docker-mcp", "mcp-server-time"])
def test_short_plain_descriptions_have_no_warning(server: str) -> None:
    _, found = _found_in_all()

    warned = [(f.rule.id, f.function_id) for s, f in found if s == server and f.severity > 1]

    assert warned == []


def _seeds(each: AnyRule) -> tuple[list[Any], str]:
    """The tools of a bad example, and the name of its server."""
    bad = each.rule.bad
    if isinstance(bad, dict) and "tools" in bad:
        return bad["tools"], bad.get("server", "")
    return (bad if isinstance(bad, list) else [bad]), ""


@pytest.mark.parametrize("server", SEEDED)
def test_faults_put_into_a_real_list_are_found(server: str) -> None:
    """At least 95 in a hundred; what is said of single functions, each time."""
    tools = _tools(server)
    missed = []
    for each in RULES:
        seeds, name = _seeds(each)
        found = findings_in(_subject([*tools, *seeds], name or server), [each])
        names = {seed["name"] for seed in seeds} | {""}
        if not any(f.function_id in names for f in found):
            missed.append(each)

    assert [each.rule.id for each in missed if isinstance(each, FunctionRule)] == []
    assert len(missed) / len(RULES) <= 0.05, [each.rule.id for each in missed]
