"""Findings as workflow commands, which GitHub shows beside the changed lines."""

from pathlib import Path

from appfunctions_mcp.lint.reports import message_of, place_in
from appfunctions_mcp.lint.rules import Finding, Severity
from appfunctions_mcp.quoting import with_escapes

__all__ = ["annotation"]

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_IN_MESSAGES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTIES = (*_IN_MESSAGES, (":", "%3A"), (",", "%2C"))


def annotation(finding: Finding, base: Path) -> str:
    """One line that GitHub reads from a step's output.

    Args:
        finding: What was found.
        base: The root of the repository, to which files are relative.
    """
    properties = {}
    file, line = place_in(finding.source)
    if file:
        properties["file"] = _relative(Path(file), base)
        properties["line"] = str(line)
    properties["title"] = f"{finding.rule.id} {finding.rule.name}"
    shown = ",".join(f"{key}={_escaped(v, _IN_PROPERTIES)}" for key, v in properties.items())
    # A foreign name may hold anything, a further command too.
    message = _escaped(with_escapes(message_of(finding)), _IN_MESSAGES)
    return f"::{_COMMANDS[finding.severity]} {shown}::{message}"


def _relative(file: Path, base: Path) -> str:
    absolute = file.absolute()
    if absolute.is_relative_to(base.absolute()):
        return absolute.relative_to(base.absolute()).as_posix()
    return str(file)


def _escaped(text: str, replacements: tuple[tuple[str, str], ...]) -> str:
    for character, escape in replacements:
        text = text.replace(character, escape)
    return text
