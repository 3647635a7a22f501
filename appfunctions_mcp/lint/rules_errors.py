# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about errors, as the texts tell of them: what an agent learns when a call fails."""

import builtins
import re
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import result_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_SKILL = "Google's skill for AppFunctions: throw a subclass of AppFunctionException"
_ERROR_PROPERTIES = frozenset(
    {"error", "errors", "error_message", "errormessage", "error_code", "errorcode"}
)
_RETURNS_ERROR = regex(
    r"\b(?:returns?|responds?\s+with|outputs?)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,2}error\b"
    r"(?!\s+(?:rate|log|report|page|count|bar|code\s+list)s?\b)"
    r"|\bor\s+an?\s+error\s+(?:message|string|text)\b"
    r"|возвраща\w+\s+(?:[а-яё]+\s+){0,2}(?:сообщение\s+об\s+ошибке|ошибку)",
    re.IGNORECASE,
)
_NOT_FOUND = regex(
    r"\b(?:not\s+found|does\s+not\s+exist|doesn't\s+exist|no\s+such|no\s+\w+\s+(?:has|have|with|match\w*))"
    r"\b|не\s+найден|не\s+существует|нет\s+так",
    re.IGNORECASE,
)
_NEXT_STEP = regex(r"[;:.,—–]\s+\S+\s+\S+")


def _foreign_class(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for name in function.raises:
        # A class of another name may be the author's own subclass of ours.
        if isinstance(getattr(builtins, name.rpartition(".")[2], None), type):
            text = f"Agents see nothing of {quoted(name)}; they are told that the function failed."
            yield Fault(text, "raises", name)


def _without_recovery(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for name, text in function.raises.items():
        if text.strip() and not _NEXT_STEP.search(text):
            yield Fault(f"Nothing says what to do about {quoted(name)}.", "raises", name)


def _returned(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in result_parts(function):
        if part.depth == 1 and part.name.lower() in _ERROR_PROPERTIES:
            text = f"{quoted(part.name)} of the result tells of an error, as if it were a success."
            yield Fault(text, part.place, part.name)
    for place, said in (
        ("description", function.description),
        ("response", function.response.description),
    ):
        if found := _RETURNS_ERROR.search(said):
            yield Fault("The text says that an error is returned.", place, found[0])


def _not_found_as_invalid(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for name, text in function.raises.items():
        if "InvalidArgument" in name and (found := _NOT_FOUND.search(text)):
            said = "What is not found is told as an invalid argument."
            yield Fault(said, "raises", found[0])


_MODULE = '''"""Notes."""
from appfunctions_mcp import (
    AppFunctionElementNotFoundException,
    AppFunctionInvalidArgumentException,
    app_function,
)

NOTES = {{"note-12": "Buy milk."}}


@app_function(read_only=True)
def get_note(note_id: str) -> str:
    """Returns the text of one note.

    Args:
        note_id: The ID of the note, for example "note-12".

    Returns:
        The text of the note.

    Raises:
        {name}: {text}
    """
    if note_id not in NOTES:
        raise {name}("No note has this ID.")
    return NOTES[note_id]
'''


def _raising(text: str, name: str = "AppFunctionElementNotFoundException") -> Any:
    return {"python": _MODULE.format(name=name, text=text)}


def _tool(description: str, result: JsonSchema | None = None) -> Any:
    schema = {"type": "object", "properties": {}}
    tool = {"name": "list_notes", "description": description, "inputSchema": schema}
    return {**tool, "outputSchema": result} if result else tool


_GOOD = _raising('No note has this ID; IDs begin with "note-".')

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF051",
            "error-class-foreign",
            Severity.WARNING,
            _SKILL,
            "Raise an AppFunctionException, such as AppFunctionInvalidArgumentException.",
            bad=_raising("The ID is empty; IDs begin with 'note-'.", "ValueError"),
            good=_GOOD,
        ),
        _foreign_class,
    ),
    FunctionRule(
        Rule(
            "AF052",
            "error-without-recovery",
            Severity.NOTE,
            "Google's skill for AppFunctions: exceptions are documented with steps of recovery",
            "Add what the agent can do, behind a semicolon.",
            bad=_raising("No note has this ID."),
            good=_GOOD,
        ),
        _without_recovery,
    ),
    FunctionRule(
        Rule(
            "AF053",
            "error-returned",
            Severity.WARNING,
            f"{_SKILL}; a result counts as a success",
            "Raise an exception, or answer with isError.",
            bad=_tool("Lists the notes of the user, or returns an error message."),
            good=_tool("Lists the notes of the signed-in user, newest first."),
        ),
        _returned,
    ),
    FunctionRule(
        Rule(
            "AF055",
            "not-found-as-invalid",
            Severity.WARNING,
            "AppFunctions exceptions: what does not exist is an ElementNotFound",
            "Raise AppFunctionElementNotFoundException, or return an empty list.",
            bad=_raising(
                "The note does not exist; IDs begin with 'note-'.",
                "AppFunctionInvalidArgumentException",
            ),
            good=_GOOD,
        ),
        _not_found_as_invalid,
    ),
)
