"""What is found as JSON, SARIF, annotations, lines and a baseline."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from appfunctions_mcp.lint.annotations import annotation
from appfunctions_mcp.lint.baseline import BaselineError, baseline_text, read_baseline
from appfunctions_mcp.lint.examples import subject_of
from appfunctions_mcp.lint.reports import Report, line_of, place_in, report_json
from appfunctions_mcp.lint.rules import Fault, Finding, Rule, SetRule, Severity
from appfunctions_mcp.lint.sarif import report_sarif
from appfunctions_mcp.records import replaced

ERROR = Rule("AF900", "name-odd", Severity.ERROR, "a guideline", "Rename it.", {}, {})
NOTE = Rule("AF901", "text-long", Severity.NOTE, "a guideline", "Shorten it.", {}, {})
BASE = Path("/work/app")
FINDINGS = (
    Finding(NOTE, Fault("The text is long.", "app description"), source="/work/app/m d.xml:4"),
    Finding(
        ERROR, Fault("The name is odd.", "name", "b%", fix="Call it b."), "a#b", "b", "/x/a.py:12"
    ),
    Finding(NOTE, Fault("It is long.", severity=Severity.WARNING), "a#c", "c", "tool 'c'"),
)
REPORT = Report(
    "app",
    "guidelines",
    subject_of([{"name": "b"}, {"name": "c"}]),
    tuple(SetRule(rule, lambda _: iter(())) for rule in (ERROR, NOTE)),
    FINDINGS,
    ignored=2,
    known=1,
    remarks=("a remark",),
)

SARIF_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
    },
    "additionalProperties": False,
    "$defs": {
        "text": {
            "type": "object",
            "required": ["text"],
            "properties": {"text": {"type": "string", "minLength": 1}},
            "additionalProperties": False,
        },
        "level": {"enum": ["none", "note", "warning", "error"]},
        "artifact": {
            "type": "object",
            "properties": {
                "uri": {"type": "string", "pattern": r"^[^ \\]+$"},
                "uriBaseId": {"type": "string"},
            },
            "additionalProperties": False,
        },
        "rule": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string"},
                "name": {"type": "string", "pattern": "^[A-Za-z]+$"},
                "shortDescription": {"$ref": "#/$defs/text"},
                "fullDescription": {"$ref": "#/$defs/text"},
                "help": {"$ref": "#/$defs/text"},
                "defaultConfiguration": {
                    "type": "object",
                    "properties": {
                        "level": {"$ref": "#/$defs/level"},
                        "enabled": {"type": "boolean"},
                    },
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        },
        "location": {
            "type": "object",
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "properties": {
                        "artifactLocation": {"$ref": "#/$defs/artifact"},
                        "region": {
                            "type": "object",
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                            "additionalProperties": False,
                        },
                    },
                    "additionalProperties": False,
                },
                "logicalLocations": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string"},
                            "fullyQualifiedName": {"type": "string"},
                            "kind": {"type": "string"},
                        },
                        "additionalProperties": False,
                    },
                },
            },
            "additionalProperties": False,
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/text"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                },
            },
            "additionalProperties": False,
        },
        "run": {
            "type": "object",
            "required": ["tool"],
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["driver"],
                    "properties": {
                        "driver": {
                            "type": "object",
                            "required": ["name"],
                            "properties": {
                                "name": {"type": "string"},
                                "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
                                "rules": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {"$ref": "#/$defs/rule"},
                                },
                            },
                            "additionalProperties": False,
                        }
                    },
                    "additionalProperties": False,
                },
                "originalUriBaseIds": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "properties": {"uri": {"type": "string", "pattern": "^file:///.*/$"}},
                    },
                },
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
            "additionalProperties": False,
        },
    },
}


def test_json_says_what_was_found_of_what() -> None:
    told = report_json(REPORT)
    assert told["counts"] == {"error": 1, "warning": 1, "note": 1}
    assert (told["functions"], told["ignored"], told["known"]) == (2, 2, 1)
    assert told["rules"][1] | {"source": ""} == {
        "id": "AF901",
        "name": "text-long",
        "severity": "note",
        "source": "",
        "fix": "Shorten it.",
        "findings": 2,
        "share_of_functions": 0.5,
    }
    assert told["findings"][1] == {
        "rule": "AF900",
        "name": "name-odd",
        "severity": "error",
        "function_id": "a#b",
        "tool_name": "b",
        "place": "name",
        "words": "b%",
        "text": "The name is odd.",
        "fix": "Call it b.",
        "file": "/x/a.py",
        "line": 12,
    }
    assert (told["findings"][2]["file"], told["findings"][2]["line"]) == ("", None)


def test_errors_fail_and_warnings_when_strict() -> None:
    assert REPORT.fails()
    warned = replaced(REPORT, findings=FINDINGS[2:])
    assert not warned.fails()
    assert warned.fails(strict=True)
    assert not replaced(REPORT, findings=FINDINGS[:1]).fails(strict=True)


def test_sarif_has_the_structure_that_its_specification_asks_for() -> None:
    log = report_sarif(REPORT, BASE)
    jsonschema.validate(log, SARIF_SCHEMA, jsonschema.Draft202012Validator)
    (run,) = log["runs"]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == ["AF900", "AF901"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    first, second, third = run["results"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "m%20d.xml", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 4},
    }
    assert second["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "file:///x/a.py"
    }
    assert third["level"] == "warning"
    assert "physicalLocation" not in third["locations"][0]
    bare = replaced(REPORT, findings=(Finding(NOTE, Fault("x"), source=""),))
    assert "locations" not in report_sarif(bare, BASE)["runs"][0]["results"][0]


def test_a_fingerprint_stays_when_lines_move() -> None:
    moved = replaced(FINDINGS[1], source="/x/a.py:99")
    logs = [report_sarif(replaced(REPORT, findings=(f,)), BASE) for f in (FINDINGS[1], moved)]
    first, second = (each["runs"][0]["results"][0]["partialFingerprints"] for each in logs)
    assert first == second


def test_annotations_are_one_line_that_nobody_can_break_out_of() -> None:
    assert annotation(FINDINGS[1], BASE) == (
        "::error file=/x/a.py,line=12,title=AF900 name-odd::b: The name is odd. Call it b."
    )
    evil = Finding(ERROR, Fault("100%\n::error::x"), "a", "b\n::stop", "/work/app/a,b:c.py:1")
    assert annotation(evil, BASE) == (
        "::error file=a%2Cb%3Ac.py,line=1,title=AF900 name-odd::"
        "b\\n::stop: 100%25\\n::error::x. Rename it."
    )
    assert annotation(FINDINGS[2], BASE).startswith("::warning title=AF901 text-long::c: ")


def test_a_line_names_place_rule_weight_and_fix() -> None:
    assert line_of(FINDINGS[1]) == "/x/a.py:12: AF900 error: b: The name is odd. Call it b."
    assert line_of(replaced(FINDINGS[0], source="")).startswith("app: AF901 note: The text is long")
    assert line_of(FINDINGS[2]) == "c: AF901 warning: It is long. Shorten it."


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("C:\\a.py:3", ("C:\\a.py", 3)),
        ("a.zip!/b.xml:3", ("a.zip!/b.xml", 3)),
        ("tool 'c'", ("", None)),
        ("", ("", None)),
        (":3", ("", None)),
    ],
)
def test_a_source_is_a_file_and_a_line_or_nothing(
    source: str, place: tuple[str, int | None]
) -> None:
    assert place_in(source) == place


def test_a_baseline_hides_what_it_holds_as_often_as_it_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(baseline_text(FINDINGS[:2]), encoding="utf-8")
    baseline = read_baseline(path)
    again = (*FINDINGS, replaced(FINDINGS[0], source="elsewhere:1"))
    assert baseline.new_among(again) == again[2:]
    assert baseline.gone_from(FINDINGS) == 0
    assert baseline.gone_from(FINDINGS[:1]) == 1


def test_a_baseline_is_the_same_text_whatever_the_order() -> None:
    assert baseline_text(FINDINGS) == baseline_text(FINDINGS[::-1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "this is no baseline"),
        ("[]", "this is no baseline"),
        ('{"version": 2, "findings": []}', "has the version 2; 1 is read"),
        (json.dumps({"version": 1, "findings": [{"rule": "AF900"}]}), "lacks rule, function"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "baseline.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(BaselineError, match=told):
        read_baseline(path)
