"""Rules about hints: what clients are told of a function's effects, and what people see of it."""

from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lint.name_words import words_in
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import parameter_parts, result_parts
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.lint.verbs import Effect, effect_of_verb, opening_verb, verb_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_DESTROYING = words_in(
    "delete remove erase purge wipe destroy drop truncate trash overwrite uninstall"
)
# Pins are dropped on maps, and texts truncated, without any loss.
_DROPPING = words_in("remove drop truncate trash")
_SPARING = frozenset({Effect.READS, Effect.CREATES})
_FOR_GOOD = words_in("delete erase purge wipe destroy drop truncate")
_REPEATING = words_in("send append increment decrement post reply submit pay buy order charge")
_ASKS_FIRST = words_in(
    "confirm confirmation confirmed dry preview force approve approved acknowledge"
)


def _verb(function: AppFunctionMetadata) -> str:
    return next(filter(None, map(verb_of, words_of_name(function.tool_name))), "")


def _hints_missing(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    if subject.origin is Origin.OWN and _has_no_hint(function):
        yield Fault("No hint tells clients what the function does to data.", "annotations")


def _foreign_hints_missing(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    if subject.origin is Origin.FOREIGN and _has_no_hint(function):
        yield Fault("No hint tells clients what the tool does to data.", "annotations")


def _has_no_hint(function: AppFunctionMetadata) -> bool:
    hints = (function.read_only, function.destructive, function.idempotent, function.open_world)
    return all(hint is None for hint in hints)


def _reads_and_destroys(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    if function.read_only and function.destructive:
        yield Fault("The hints say that it only reads, and that it destroys.", "annotations")


def _reads_not_idempotent(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    if function.read_only and function.idempotent is False:
        text = "The hints say that it only reads, but that a second call has an effect."
        yield Fault(text, "annotations")


def _destruction_denied(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    verb = _verb(function)
    if verb not in _DESTROYING or function.destructive is not False or function.read_only:
        return
    severity = Severity.WARNING if verb in _DROPPING else None
    if severity and effect_of_verb(opening_verb(function.description) or "") in _SPARING:
        return  # such as remove_background, which returns another picture
    text = f"The name says {quoted(verb)}, the hints say that nothing is destroyed."
    yield Fault(text, "annotations", function.tool_name, severity=severity)


def _destruction_untold(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    is_untold = function.destructive is None and function.read_only is None
    if _verb(function) in _DESTROYING and is_untold and subject.origin is not Origin.ANDROID:
        text = "No hint tells clients that the function destroys something."
        yield Fault(text, "annotations", function.tool_name)


def _unconfirmed(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    if _verb(function) not in _FOR_GOOD or function.requires_confirmation:
        return
    # Other servers leave it to clients to ask, by the hint, which has rules of its own.
    if subject.origin is Origin.FOREIGN:
        return
    words = {word for part in parameter_parts(function) for word in words_of_name(part.name)}
    is_opened = any("PendingIntent" in str(part.schema) for part in result_parts(function))
    if not words & _ASKS_FIRST and not is_opened:
        text = "It deletes for good, and nobody is asked before."
        severity = None if subject.origin is Origin.OWN else Severity.NOTE
        yield Fault(text, "name", function.tool_name, severity=severity)


def _repeats(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    verb = _verb(function)
    if function.idempotent and verb in _REPEATING and not function.read_only:
        text = f"The hints say that a second call has no effect, the name says {quoted(verb)}."
        yield Fault(text, "annotations", function.tool_name)


def _title_missing(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    if subject.origin is Origin.FOREIGN and not function.title:
        yield Fault("People see the bare name of the function.", "title")


def _title_is_name(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    if function.title and function.title == function.tool_name and "_" in function.title:
        yield Fault("The title repeats the name.", "title", function.title)


def _tool(name: str, description: str, **hints: Any) -> Any:
    limit = {"type": "integer", "description": "How many notes are meant at most."}
    schema = {"type": "object", "properties": {"limit": limit}}
    title = {"title": hints.pop("title")} if "title" in hints else {"title": "The user's notes"}
    tool = {"name": name, "description": description, "inputSchema": schema, **title}
    return {**tool, "annotations": hints} if hints else tool


_LISTS = ("list_notes", "Lists the notes of the signed-in user.")
_DELETES = ("delete_notes", "Deletes all notes of the signed-in user.")
_SENDS = ("send_notes", "Sends the notes of the signed-in user to their own address.")
_UNASKED = '''"""Notes."""
from appfunctions_mcp import app_function


@app_function({options})
def delete_note(note_id: str) -> None:
    """Deletes a note for good.

    Args:
        note_id: The ID of the note, for example "note-12".
    """
'''

_CONFIRMED = {"python": _UNASKED.format(options="destructive=True, requires_confirmation=True")}

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF060",
            "hints-missing",
            Severity.NOTE,
            "the MCP specification, and OpenAI's review of apps, which asks for explicit hints",
            "Say whether the function only reads, destroys, and acts on the world outside.",
            bad={"python": _UNASKED.format(options="requires_confirmation=True")},
            good=_CONFIRMED,
        ),
        _hints_missing,
    ),
    FunctionRule(
        Rule(
            "AF061",
            "read-only-and-destructive",
            Severity.ERROR,
            "the MCP specification: what only reads destroys nothing",
            "Keep the hint that is true.",
            bad=_tool(*_LISTS, readOnlyHint=True, destructiveHint=True),
            good=_tool(*_LISTS, readOnlyHint=True, destructiveHint=False),
        ),
        _reads_and_destroys,
    ),
    FunctionRule(
        Rule(
            "AF062",
            "read-only-not-idempotent",
            Severity.NOTE,
            "the MCP specification: idempotence means something only where data are changed; off "
            "by default, since clients do not look at it there",
            "Leave the idempotent hint out.",
            bad=_tool(*_LISTS, readOnlyHint=True, idempotentHint=False),
            good=_tool(*_LISTS, readOnlyHint=True),
            is_default=False,
        ),
        _reads_not_idempotent,
    ),
    FunctionRule(
        Rule(
            "AF063",
            "destruction-denied",
            Severity.ERROR,
            "the MCP specification: a change that only adds is not destructive, this one is",
            "Mark the function as destructive, or rename it.",
            bad=_tool(*_DELETES, destructiveHint=False),
            good=_tool(*_DELETES, destructiveHint=True),
        ),
        _destruction_denied,
    ),
    FunctionRule(
        Rule(
            "AF064",
            "destruction-untold",
            Severity.NOTE,
            "OpenAI's review of apps asks for explicit hints; clients ask the user by them",
            "Mark the function as destructive.",
            bad=_tool(*_DELETES),
            good=_tool(*_DELETES, destructiveHint=True),
        ),
        _destruction_untold,
    ),
    FunctionRule(
        Rule(
            "AF065",
            "destructive-unconfirmed",
            Severity.WARNING,
            "Google's skill for AppFunctions: nothing irreversible without a confirmation",
            "Set requires_confirmation, or return a PendingIntent that asks the user.",
            bad={"python": _UNASKED.format(options="destructive=True")},
            good={
                "python": _UNASKED.format(options="destructive=True, requires_confirmation=True")
            },
        ),
        _unconfirmed,
    ),
    FunctionRule(
        Rule(
            "AF066",
            "idempotent-but-repeats",
            Severity.WARNING,
            "the MCP specification: clients repeat an idempotent call after a failure",
            "Leave the idempotent hint out.",
            bad=_tool(*_SENDS, idempotentHint=True),
            good=_tool(*_SENDS, idempotentHint=False),
        ),
        _repeats,
    ),
    FunctionRule(
        Rule(
            "AF067",
            "title-missing",
            Severity.NOTE,
            "the MCP specification: a title is what people see",
            "Give the function a title of a few words.",
            bad=_tool(*_LISTS, title=""),
            good=_tool(*_LISTS, readOnlyHint=True),
            is_default=False,
        ),
        _title_missing,
    ),
    FunctionRule(
        Rule(
            "AF068",
            "title-is-name",
            Severity.NOTE,
            "the MCP specification: a title is what people see",
            "Write the title as words for people.",
            bad=_tool(*_LISTS, title="list_notes"),
            good=_tool(*_LISTS, readOnlyHint=True),
        ),
        _title_is_name,
    ),
    FunctionRule(
        Rule(
            "AF069",
            "tool-hints-missing",
            Severity.NOTE,
            "the MCP specification, and OpenAI's review of apps; seven tools of ten have none",
            "Say whether the tool only reads, destroys, and acts on the world outside.",
            bad=_tool(*_LISTS),
            good=_tool(*_LISTS, readOnlyHint=True, openWorldHint=False),
            is_default=False,
        ),
        _foreign_hints_missing,
    ),
)
