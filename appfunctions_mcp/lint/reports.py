"""What judging came to, as a record and as JSON."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lint.rule_set import AnyRule
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.quoting import with_escapes
from appfunctions_mcp.records import record

__all__ = ["Report", "line_of", "message_of", "place_in", "report_json", "summary_of"]


@record(frozen=True, slots=True)
class Report:
    """One judgement."""

    target: str
    """What was judged, as people call it."""
    profile: str
    subject: LintSubject
    rules: tuple[AnyRule, ...]
    """Those that applied."""
    findings: tuple[Finding, ...]
    """What is to be told."""
    ignored: int = 0
    """How many findings the author lets stand."""
    known: int = 0
    """How many the baseline holds."""
    remarks: tuple[str, ...] = ()
    """What concerns the judging itself, such as a rule that is ignored for nothing."""

    def count(self, severity: Severity) -> int:
        """How many findings weigh exactly this."""
        return sum(each.severity is severity for each in self.findings)

    def fails(self, *, strict: bool = False) -> bool:
        """Whether there is an error, or, when strict, a warning."""
        least = Severity.WARNING if strict else Severity.ERROR
        return any(each.severity >= least for each in self.findings)


def report_json(report: Report) -> dict[str, Any]:
    """A report as a JSON value; the order of its members and lists is always the same."""
    return {
        "version": 1,
        "target": report.target,
        "profile": report.profile,
        "functions": len(report.subject.functions),
        "counts": {each.name.lower(): report.count(each) for each in reversed(Severity)},
        "ignored": report.ignored,
        "known": report.known,
        "rules": list(_rules_json(report)),
        "findings": [_finding_json(each) for each in report.findings],
        "remarks": list(report.remarks),
    }


def _rules_json(report: Report) -> Iterator[dict[str, Any]]:
    """The rules that found anything, with the share of functions of which they did."""
    found = Counter(each.rule.id for each in report.findings)
    total = len(report.subject.functions)
    for each in report.rules:
        rule = each.rule
        if rule.id in found:
            about = {f.function_id for f in report.findings if f.rule.id == rule.id} - {""}
            yield {
                "id": rule.id,
                "name": rule.name,
                "severity": rule.severity.name.lower(),
                "source": rule.source,
                "fix": rule.fix,
                "findings": found[rule.id],
                "share_of_functions": round(len(about) / total, 3) if total else 0.0,
            }


def _finding_json(finding: Finding) -> dict[str, Any]:
    file, line = place_in(finding.source)
    return {
        "rule": finding.rule.id,
        "name": finding.rule.name,
        "severity": finding.severity.name.lower(),
        "function_id": finding.function_id,
        "tool_name": finding.tool_name,
        "place": finding.fault.place,
        "words": finding.fault.words,
        "text": finding.fault.text,
        "fix": finding.fault.fix or finding.rule.fix,
        "file": file,
        "line": line,
    }


def place_in(source: str) -> tuple[str, int | None]:
    """The file and the line of a source; no file where it is no `FILE:LINE`."""
    file, _, line = source.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else ("", None)


def line_of(finding: Finding) -> str:
    """A finding in one line, `FILE:LINE: ID severity: what; fix`, for programs and logs.

    Where there is no file, the function's name takes its place.
    """
    rule = f"{finding.rule.id} {finding.severity.name.lower()}"
    if place_in(finding.source)[0]:
        return with_escapes(f"{finding.source}: {rule}: {message_of(finding)}")
    return with_escapes(f"{finding.tool_name or 'app'}: {rule}: {_what_and_fix(finding)}")


def message_of(finding: Finding) -> str:
    """What is wrong with which function, and what would mend it."""
    name = f"{finding.tool_name}: " if finding.tool_name else ""
    return f"{name}{_what_and_fix(finding)}"


def _what_and_fix(finding: Finding) -> str:
    return f"{finding.fault.text.removesuffix('.')}. {finding.fault.fix or finding.rule.fix}"


def summary_of(report: Report) -> str:
    """A line such as `1 error, 2 warnings in 13 functions (3 ignored)`."""
    counts = [
        _counted(report.count(severity), severity.name.lower()) for severity in reversed(Severity)
    ]
    found = ", ".join(filter(None, counts)) or "no findings"
    functions = _counted(len(report.subject.functions), "function") or "no functions"
    kept_back = [
        f"{count} {what}"
        for count, what in ((report.ignored, "ignored"), (report.known, "in the baseline"))
        if count
    ]
    rest = f" ({', '.join(kept_back)})" if kept_back else ""
    return f"{found} in {functions}{rest}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}" if count else ""
