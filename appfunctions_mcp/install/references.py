"""How each client writes a reference to something that is not in its file.

A secret that stands in an entry as a reference comes from the client's own environment, or from
a question that the client asks. Knows nothing of files.
"""

import re
from collections.abc import Mapping

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"


@record(frozen=True, slots=True)
class ReferenceStyle:
    """How references look in an entry."""

    pattern: re.Pattern[str] | None = None
    """Its groups `name` and `default`; None where the client replaces nothing."""
    form: str = ""
    """How one is written; empty where the client passes variables on by their names alone."""
    optional_form: str = ""
    """How one is written that may have no value, where that differs."""

    def write(self, server: str, variable: str, *, is_optional: bool) -> str | None:
        """A reference to a variable; None where its name alone is passed on.

        Args:
            server: The name of the entry.
            variable: The variable.
            is_optional: Whether it may have no value.
        """
        form = (self.optional_form if is_optional else "") or self.form
        return form.format(id=input_id(server, variable), name=variable) or None

    def expand(self, text: str, environ: Mapping[str, str]) -> str:
        """The text as the client reads it; a variable that is missing gives its default."""
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda found: _value(found, environ), text)

    def find(self, text: str) -> list[str]:
        """The variables that a text refers to without a default."""
        if self.pattern is None:
            return []
        found = (match.groupdict() for match in self.pattern.finditer(text))
        return [
            groups["name"] or groups.get("bare") or ""
            for groups in found
            if groups.get("default") is None
        ]


def input_id(server: str, variable: str) -> str:
    """The id under which Visual Studio Code asks for a variable of a server."""
    return f"{server}-{variable}"


def _value(found: re.Match[str], environ: Mapping[str, str]) -> str:
    groups = found.groupdict()
    return environ.get(groups["name"] or groups.get("bare") or "") or groups.get("default") or ""


NOTHING = ReferenceStyle()
"""Nothing is replaced: Claude Desktop, Codex."""

SHELL = ReferenceStyle(
    regex(rf"\$\{{(?P<name>{_NAME})(?::-(?P<default>[^}}]*))?\}}"), "${{{name}}}", "${{{name}:-}}"
)
"""`${NAME}` and `${NAME:-default}`: Claude Code."""

DOLLAR = ReferenceStyle(
    regex(rf"\$(?:\{{(?P<name>{_NAME})(?::-(?P<default>[^}}]*))?\}}|(?P<bare>{_NAME}))"),
    "${{{name}}}",
    "${{{name}:-}}",
)
"""`$NAME` as well: Gemini CLI."""

BRACES = ReferenceStyle(regex(rf"\$\{{(?P<name>{_NAME})\}}"), "${{{name}}}")
"""`${NAME}` alone: Copilot CLI."""

ENV = ReferenceStyle(regex(rf"\$\{{env:(?P<name>{_NAME})\}}"), "${{env:{name}}}")
"""`${env:NAME}`: Cursor, Windsurf."""

INPUT = ReferenceStyle(
    regex(rf"\$\{{(?:env:|input:(?:[A-Za-z0-9_-]+-)?)(?P<name>{_NAME})\}}"), "${{input:{id}}}"
)
"""`${env:NAME}`, and `${input:ID}`, which is asked for: Visual Studio Code."""
