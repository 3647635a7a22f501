"""Findings that an author has looked at and lets stand, by the rule's id.

They are named on the function itself, `# lint: ignore[AF012]` in the lines from its decorators to
the end of its signature, or by `<mcp:lint ignore="AF012" />` in the metadata.
"""

import ast
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from appfunctions_mcp.function_metadata import innermost
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.rule_set import AnyRule
from appfunctions_mcp.lint.rules import Finding
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.records import record

__all__ = ["Ignore", "ignores_of", "is_ignored", "unused_ignores"]

_COMMENT = regex(r"#.*?\blint:\s*ignore\[(?P<ids>[^\]]*)\]")


@record(frozen=True, slots=True)
class Ignore:
    """One place that names rules of which nothing more is to be said."""

    rules: tuple[str, ...]
    function_id: str | None
    """Of which function; None means everywhere."""
    source: str
    """`FILE:LINE` of that place."""

    def covers(self, finding: Finding) -> bool:
        """Whether it is about a finding."""
        is_there = self.function_id is None or self.function_id == finding.function_id
        return is_there and finding.rule.id in self.rules


def ignores_of(subject: LintSubject) -> tuple[Ignore, ...]:
    """Every place in the code and the metadata of an app that names rules to be ignored.

    Args:
        subject: The app; of servers that are not ours there is no such place.
    """
    found: list[Ignore] = []
    for function_id, body in subject.bodies.items():
        found += _ignores_on(function_id, body)
    if subject.app is not None:
        found += (
            Ignore(each.rules, each.function_id, f"{subject.app.path}:{each.line}")
            for each in subject.app.lint_ignores
        )
    return tuple(found)


def _ignores_on(function_id: str, body: Callable[..., Any]) -> Iterator[Ignore]:
    inner = inspect.unwrap(innermost(body))
    try:
        lines, first = inspect.getsourcelines(inner)
    except (OSError, TypeError):
        return  # made in code, so nobody has written a comment on it
    for line, text in _comments_of(lines):
        found = _COMMENT.search(text)
        if found is not None:
            ids = tuple(found["ids"].replace(",", " ").split())
            file = inspect.getsourcefile(inner)
            yield Ignore(ids, function_id, f"{file}:{first + line - 1}")


def _comments_of(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The comments before a function's body, each with its line."""
    text = textwrap.dedent("".join(lines))
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return  # a lambda or a part of a line; nothing can be written on it
    statement = tree.body[0] if tree.body else None
    inside = getattr(statement, "body", None)
    start = inside[0].lineno if isinstance(inside, list) and inside else 0
    for token in tokens:
        on_header = token.start[0] < start or token.start[0] == getattr(statement, "lineno", 0)
        if token.type == tokenize.COMMENT and on_header:
            yield token.start[0], token.string


def is_ignored(finding: Finding, ignores: Iterable[Ignore]) -> bool:
    """Whether any of the places is about a finding."""
    return any(each.covers(finding) for each in ignores)


def unused_ignores(
    ignores: Iterable[Ignore], findings: Sequence[Finding], applied: Iterable[AnyRule]
) -> Iterator[str]:
    """Tells of each rule that is ignored where it finds nothing, `FILE:LINE: what; fix`.

    Args:
        ignores: The places.
        findings: Everything that was found, ignored or not.
        applied: The rules that were asked; of others nothing can be said.
    """
    asked = {each.rule.id for each in applied}
    for each in ignores:
        for rule in each.rules:
            used = any(each.covers(f) and f.rule.id == rule for f in findings)
            if rule in asked and not used:
                yield f"{each.source}: {rule} is ignored, but finds nothing here; take it out"
