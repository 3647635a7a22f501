"""`appfunctions-mcp lint`: judges what functions say of themselves, for people and programs.

Nothing leaves the machine, and the same texts always give the same findings.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from appfunctions_mcp.cli.arguments import add_service_arguments
from appfunctions_mcp.cli.lint_targets import open_target
from appfunctions_mcp.cli.output import print_json
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lint.annotations import annotation
from appfunctions_mcp.lint.baseline import baseline_text, read_baseline
from appfunctions_mcp.lint.reports import Report, line_of, report_json, summary_of
from appfunctions_mcp.lint.rule_set import PROFILES, all_rules, findings_in, selected_rules
from appfunctions_mcp.lint.rules import Finding
from appfunctions_mcp.lint.sarif import report_sarif
from appfunctions_mcp.lint.suppression import ignores_of, is_ignored, unused_ignores
from appfunctions_mcp.quoting import with_escapes
from appfunctions_mcp.records import replaced

USAGE = "[FILE]"
SUMMARY = (
    "Judges names, descriptions, parameters and results of functions: those of a metadata file, "
    "an Android app, an MCP server, or a saved list of tools."
)
EXAMPLE = """appfunctions-mcp lint metadata/app_metadata.xml --strict
         appfunctions-mcp lint app/src/main
         appfunctions-mcp lint --command 'uvx mcp-server-time'
         appfunctions-mcp lint tools.json --sarif --output lint.sarif"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options of the command."""
    add = parser.add_argument
    add(
        "file",
        nargs="?",
        metavar="FILE",
        help="a metadata XML, a functions XML, an app's folder or archive, or a saved tools/list",
    )
    add("--command", metavar="COMMAND", help="judge the MCP server that this command starts")
    add("--url", metavar="URL", help="judge the MCP server at this address")
    add("--name", metavar="NAME", help="the server's name, by which clients prefix tool names")
    add("--profile", choices=PROFILES, default=PROFILES[0], help="whose guidelines count")
    for option, what in (
        ("--select", "only these rules"),
        ("--ignore", "all but these rules"),
    ):
        add(
            option,
            action="append",
            default=[],
            metavar="RULE",
            help=f"{what}: an id, the beginning of one such as AF1, or a name (repeatable)",
        )
    add("--strict", action="store_true", help="exit with 1 on warnings too")
    add("--baseline", metavar="FILE", help="tell only what is not in this baseline")
    add("--write-baseline", metavar="FILE", help="write what is found as a baseline")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0")
    form.add_argument("--github", action="store_true", help="print annotations for GitHub")
    form.add_argument("--rules", action="store_true", help="show the rules and judge nothing")
    add("--output", metavar="FILE", help="write into this file instead of printing")
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Tells what is found; exit code 1 where it is an error, or with --strict a warning."""
    rules = selected_rules(
        all_rules(),
        profile=args.profile,
        select=_words(args.select),
        ignore=_words(args.ignore),
    )
    if args.rules:
        for each in rules:
            rule = each.rule
            print(rule.id, rule.severity.name.lower(), rule.name, rule.fix, sep="\t")
        return 0
    with open_target(args) as target:
        for warning in target.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        found = findings_in(target.subject, rules)
        ignores = ignores_of(target.subject)
        told = tuple(each for each in found if not is_ignored(each, ignores))
        remarks = tuple(unused_ignores(ignores, found, rules))
        if args.write_baseline:
            return _write_baseline(Path(args.write_baseline), told)
        report = Report(
            with_escapes(target.name),
            args.profile,
            target.subject,
            rules,
            told,
            ignored=len(found) - len(told),
            remarks=remarks,
        )
        if args.baseline:
            report = _without_known(report, Path(args.baseline))
        _tell(report, args)
    return int(report.fails(strict=args.strict))


def _words(given: Iterable[str]) -> list[str]:
    """The words of options that may be repeated, and may hold several with commas."""
    return [word for each in given for word in each.replace(",", " ").split()]


def _write_baseline(path: Path, findings: tuple[Finding, ...]) -> int:
    _write(path, baseline_text(findings))
    print(f"Wrote {len(findings)} findings into {path}.", file=sys.stderr)
    return 0


def _write(path: Path, text: str) -> None:
    try:
        # Half a character, which a server may have sent, is written as JSON escapes it.
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as fault:
        raise SettingsError(f"{path}: cannot be written: {fault.strerror or fault}") from fault


def _without_known(report: Report, path: Path) -> Report:
    """The report without what a baseline holds."""
    baseline = read_baseline(path)
    new = baseline.new_among(report.findings)
    gone = baseline.gone_from(report.findings)
    remarks = report.remarks
    if gone:
        count = "1 finding of the baseline is" if gone == 1 else f"{gone} findings of it are"
        remarks += (f"{path}: {count} gone; write it anew with --write-baseline",)
    known = len(report.findings) - len(new)
    return replaced(report, findings=new, known=known, remarks=remarks)


def _tell(report: Report, args: argparse.Namespace) -> None:
    if args.json or args.sarif:
        value = report_sarif(report, Path.cwd()) if args.sarif else report_json(report)
        if args.output:
            _write(Path(args.output), json.dumps(value, ensure_ascii=False, indent=2) + "\n")
        else:
            print_json(value)
        return
    if not args.github and not args.output and sys.stdout.isatty():
        _draw(report)
        return
    lines = [
        annotation(each, Path.cwd()) if args.github else line_of(each) for each in report.findings
    ]
    if args.output:
        _write(Path(args.output), "".join(f"{line}\n" for line in lines))
    else:
        print(*lines, sep="\n", end="\n" if lines else "")
    _tell_summary(report)


def _draw(report: Report) -> None:
    from rich.console import Console

    from appfunctions_mcp.cli.lint_drawing import draw_report

    draw_report(report, Console(highlight=False))


def _tell_summary(report: Report) -> None:
    # Whoever sends both to one place gets the summary last.
    sys.stdout.flush()
    for remark in report.remarks:
        print(with_escapes(remark), file=sys.stderr)
    print(summary_of(report), file=sys.stderr)
