"""Draws findings for people: by function, each with its words marked where they stand."""

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from appfunctions_mcp.lint.reports import Report, summary_of
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import with_escapes

__all__ = ["draw_report", "excerpt_of"]

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_AROUND = 30
_CUT = "…"


def draw_report(report: Report, console: Console) -> None:
    """Draws what was found, and a line that sums it up.

    Args:
        report: What was found.
        console: Where it is drawn.
    """
    for function_id, group in groupby(report.findings, lambda each: each.function_id):
        findings = list(group)
        console.print(_heading(function_id, findings, report))
        console.print(_rows_of(findings, report.subject))
        console.print()
    for remark in report.remarks:
        console.print(Text(with_escapes(remark), style="dim"))
    style = "bold red" if report.fails() else "bold green" if not report.findings else "bold"
    console.print(Text(summary_of(report), style=style))


def _heading(function_id: str, findings: list[Finding], report: Report) -> Text:
    first = findings[0]
    name = first.tool_name or function_id or report.target
    heading = Text(with_escapes(name), style="bold")
    if not function_id:
        heading.append(" (the app as a whole)", style="dim")
    elif first.source:
        heading.append(f"  {with_escapes(first.source)}", style="dim")
    return heading


def _rows_of(findings: list[Finding], subject: LintSubject) -> Table:
    """Weight, rule, and what there is to say of each finding."""
    rows = Table.grid(padding=(0, 1, 0, 0))
    for finding in findings:
        severity = finding.severity
        rows.add_row(
            Text(f"  {severity.name.lower():<7}", style=_STYLES[severity]),
            Text(finding.rule.id, style="bold"),
            Group(*_lines_of(finding, subject)),
        )
    return rows


def _lines_of(finding: Finding, subject: LintSubject) -> Iterator[Text]:
    line = Text()
    place = with_escapes(finding.fault.place)
    line.append(f"{place}: " if place else "", style="dim")
    line.append(with_escapes(finding.fault.text))
    yield line
    excerpt = excerpt_of(finding, subject)
    if excerpt is not None:
        before, words, after = map(with_escapes, excerpt)
        shown = Text(overflow="ellipsis", no_wrap=True)
        shown.append(before, style="dim")
        shown.append(words, style=f"underline {_STYLES[finding.severity]}")
        shown.append(after, style="dim")
        yield shown
    if not finding.function_id and finding.source:
        yield Text(with_escapes(finding.source), style="dim")
    fix = Text(with_escapes(finding.fault.fix or finding.rule.fix), style="green")
    yield fix.append(f"  [{finding.rule.name}]", style="dim")


def excerpt_of(finding: Finding, subject: LintSubject) -> tuple[str, str, str] | None:
    """What stands before the words at fault, the words, and what stands behind them.

    Args:
        finding: A finding; one that names no words has no excerpt.
        subject: Where the texts are.
    """
    words = finding.fault.words
    for text in _texts_at(finding, subject) if words else ():
        start = text.find(words)
        if start < 0:
            continue
        end = start + len(words)
        first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
        before, after = _one_line(text[first:start]), _one_line(text[end:last])
        return (
            f"{_CUT if first else ''}{before}",
            _one_line(words),
            f"{after}{_CUT if last < len(text) else ''}",
        )
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def _texts_at(finding: Finding, subject: LintSubject) -> Iterator[str]:
    """The texts at the place of a finding; where it names none of ours, all of them."""
    function = next((f for f in subject.functions if f.function_id == finding.function_id), None)
    if function is None:
        yield subject.instructions
        return
    texts = _texts_of(function)
    place = finding.fault.place
    at_place = [text for key, text in texts.items() if place.startswith(key)]
    yield from at_place or texts.values()


def _texts_of(function: AppFunctionMetadata) -> dict[str, str]:
    parameters = {f"parameters.{each.name}": each.description for each in function.parameters}
    return {
        "name": function.tool_name,
        "description": function.description,
        "response": function.response.description,
        "title": function.title or "",
        **parameters,
        **{f"raises.{name}": text for name, text in function.raises.items()},
    }
