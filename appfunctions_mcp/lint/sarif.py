"""A report as SARIF 2.1.0, which code hosts and editors show beside the code."""

import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from appfunctions_mcp import __version__
from appfunctions_mcp.lint.reports import Report, message_of, place_in
from appfunctions_mcp.lint.rules import Finding, Rule, Severity

__all__ = ["report_sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_BASE = "SRCROOT"


def report_sarif(report: Report, base: Path) -> dict[str, Any]:
    """A report as a SARIF log with one run.

    Args:
        report: What was found.
        base: The folder, such as a repository's root, to which files inside it are relative.
    """
    rules = [each.rule for each in report.rules]
    places = {rule.id: place for place, rule in enumerate(rules)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "appfunctions-mcp lint",
                        "semanticVersion": __version__,
                        "rules": [_rule_sarif(each) for each in rules],
                    }
                },
                "originalUriBaseIds": {_BASE: {"uri": f"{base.absolute().as_uri()}/"}},
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result_sarif(each, places[each.rule.id], base) for each in report.findings
                ],
            }
        ],
    }


def _rule_sarif(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.name.replace("-", " ").capitalize()},
        "fullDescription": {"text": f"{rule.fix} Source: {rule.source}."},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": rule.is_default},
    }


def _result_sarif(finding: Finding, rule_index: int, base: Path) -> dict[str, Any]:
    fault = finding.fault
    known_by = f"{finding.rule.id}\n{finding.function_id}\n{fault.place}\n{fault.text}"
    result = {
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": message_of(finding)},
        "partialFingerprints": {
            "finding/v1": hashlib.sha256(known_by.encode("utf-8", "backslashreplace")).hexdigest()
        },
    }
    location: dict[str, Any] = {}
    file, line = place_in(finding.source)
    if file:
        location["physicalLocation"] = {
            "artifactLocation": _artifact(Path(file), base),
            "region": {"startLine": max(line or 1, 1)},
        }
    if finding.function_id:
        location["logicalLocations"] = [
            {
                "name": finding.tool_name,
                "fullyQualifiedName": finding.function_id,
                "kind": "function",
            }
        ]
    return result | ({"locations": [location]} if location else {})


def _artifact(file: Path, base: Path) -> dict[str, str]:
    absolute = file.absolute()
    if absolute.is_relative_to(base.absolute()):
        relative = absolute.relative_to(base.absolute()).as_posix()
        return {"uri": quote(relative), "uriBaseId": _BASE}
    return {"uri": absolute.as_uri()}
