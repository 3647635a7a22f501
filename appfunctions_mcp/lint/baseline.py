"""A baseline: the findings that were there when somebody began to judge an app.

Only what is new since then is told. A finding is known by its rule, function, place and words;
where it stands in a file does not matter.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.lint.rules import Finding
from appfunctions_mcp.records import record

__all__ = ["Baseline", "BaselineError", "baseline_text", "read_baseline"]

_VERSION = 1
_MEMBERS = ("rule", "function", "place", "text")

_Key = tuple[str, str, str, str]


class BaselineError(AppFunctionsError):
    """A file is no baseline, or one of a later version; says what it is."""


@record(frozen=True, slots=True)
class Baseline:
    """The findings of a baseline."""

    known: tuple[_Key, ...]

    def new_among(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings that it does not hold; one that it holds once covers one of them."""
        left = Counter(self.known)
        new = []
        for finding in findings:
            key = _key_of(finding)
            if left[key]:
                left[key] -= 1
            else:
                new.append(finding)
        return tuple(new)

    def gone_from(self, findings: Iterable[Finding]) -> int:
        """How many of its findings are not there any more."""
        return (Counter(self.known) - Counter(map(_key_of, findings))).total()


def read_baseline(path: Path) -> Baseline:
    """Reads a baseline.

    Raises:
        BaselineError: The file cannot be read, or is none of this version.
    """
    try:
        value = json.loads(path.read_bytes())
    except OSError as fault:
        raise BaselineError(
            f"{path}: cannot be read: {fault.strerror or fault}; write one with --write-baseline"
        ) from fault
    except (ValueError, RecursionError) as fault:
        raise BaselineError(f"{path}:1: this is no baseline: {fault}") from fault
    if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
        raise BaselineError(f"{path}:1: this is no baseline; write one with --write-baseline")
    if value.get("version") != _VERSION:
        raise BaselineError(
            f"{path}:1: this baseline has the version {value.get('version')!r}; {_VERSION} is read"
        )
    return Baseline(tuple(_key_in(each, path) for each in value["findings"]))


def _key_in(value: Any, path: Path) -> _Key:
    if not isinstance(value, dict) or not all(isinstance(value.get(m), str) for m in _MEMBERS):
        raise BaselineError(f"{path}:1: a finding of this baseline lacks {', '.join(_MEMBERS)}")
    rule, function, place, text = (value[member] for member in _MEMBERS)
    return (rule, function, place, text)


def baseline_text(findings: Sequence[Finding]) -> str:
    """The text of a baseline of these findings, in an order that does not change by itself."""
    entries = [dict(zip(_MEMBERS, key, strict=True)) for key in sorted(map(_key_of, findings))]
    return (
        json.dumps({"version": _VERSION, "findings": entries}, ensure_ascii=False, indent=1) + "\n"
    )


def _key_of(finding: Finding) -> _Key:
    return (finding.rule.id, finding.function_id, finding.fault.place, finding.fault.text)
