"""Rules about the bodies of our own functions, against what their texts and hints say."""

from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.lint.body_checks import Body, body_of
from appfunctions_mcp.lint.raised_exceptions import Raised, raised_by
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_CONTRADICTION = "AppFunctions quality guidelines: a description matches the code"
_CHECKED_FOR_AGENTS = (SystemExit, KeyboardInterrupt, NotImplementedError)


def _body(function: AppFunctionMetadata, subject: LintSubject) -> Body | None:
    written = subject.bodies.get(function.function_id)
    body = body_of(written) if written is not None else None
    # What somebody still has to write contradicts nothing that is said of it.
    return body if body is not None and not body.is_stub() else None


def _surely_raised(body: Body | None) -> Iterator[Raised]:
    yield from (each for each in raised_by(body) if each.is_sure) if body is not None else ()


def _documents(function: AppFunctionMetadata, exception: type[BaseException]) -> bool:
    """Whether the docstring names the exception, or a class that it is one of."""
    names = {name.rpartition(".")[2] for name in function.raises}
    return any(each.__name__ in names for each in exception.__mro__)


def _returns_error(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject)
    for seen in body.returned_errors() if body else ():
        text = f"Line {seen.line} returns an error as a result, so that it counts as a success."
        yield Fault(text, "body", seen.text)


def _swallows(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject)
    for seen in body.swallowing() if body else ():
        text = f"Line {seen.line} catches every exception, and the agent is told of none."
        yield Fault(text, "body", seen.text)


def _without_message(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject)
    for raised in _surely_raised(body):
        if not issubclass(raised.exception, AppFunctionException) or raised.has_message:
            continue
        name = raised.exception.__name__
        if raised.is_direct and not function.raises.get(name):
            text = f"Line {raised.line} raises {name} without saying why."
            yield Fault(text, "body", name)


def _foreign_exception(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject)
    for raised in _surely_raised(body):
        is_ours = issubclass(raised.exception, (AppFunctionException, *_CHECKED_FOR_AGENTS))
        if raised.is_direct and not is_ours:
            name = raised.exception.__name__
            text = f"Line {raised.line} raises {name}, of which the agent sees nothing."
            yield Fault(text, "body", name)


def _writes(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject) if function.read_only else None
    for seen in body.changes() if body else ():
        text = f"The hints say that it only reads, but line {seen.line} calls {quoted(seen.text)}."
        yield Fault(text, "body", seen.text)


def _undocumented(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject)
    told = set[str]()
    for raised in _surely_raised(body):
        name = raised.exception.__name__
        if not issubclass(raised.exception, AppFunctionException) or name in told:
            continue
        if not _documents(function, raised.exception):
            told.add(name)
            # Without any section nothing is contradicted; something is only left out.
            severity = None if function.raises else Severity.WARNING
            text = f"Line {raised.line} raises {name}, which 'Raises:' does not tell of."
            yield Fault(text, "body", name, severity=severity)


def _never_raised(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    body = _body(function, subject) if function.raises else None
    if body is None or not body.is_seen_whole():
        return
    raised = {base.__name__ for each in raised_by(body) for base in each.exception.__mro__}
    for name in function.raises:
        if name.rpartition(".")[2] not in raised:
            text = f"'Raises:' tells of {name}, which the body never raises."
            yield Fault(text, "raises", name)


_MODULE = '''"""Notes."""
from appfunctions_mcp import (
    AppFunctionElementNotFoundException,
    AppFunctionInvalidArgumentException,
    app_function,
)

NOTES = {{"note-12": "Buy milk."}}


@app_function({hints})
def get_note(note_id: str) -> str:
    """Returns the text of one note.

    Args:
        note_id: The ID of the note, for example "note-12".

    Returns:
        The text of the note.
{raises}    """
{body}'''
_RAISES = """
    Raises:
        AppFunctionElementNotFoundException: No note has this ID; IDs begin with "note-".
"""
_GOOD_BODY = """
    if note_id not in NOTES:
        raise AppFunctionElementNotFoundException("No note has this ID.")
    return NOTES[note_id]
"""


def _module(body: str, raises: str = _RAISES, hints: str = "read_only=True") -> Any:
    return {"python": _MODULE.format(body=body.lstrip("\n"), raises=raises, hints=hints)}


_GOOD = _module(_GOOD_BODY)

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF054",
            "body-returns-error",
            Severity.WARNING,
            "Google's skill for AppFunctions: throw a subclass of AppFunctionException",
            "Raise an AppFunctionException that says what went wrong.",
            bad=_module('\n    return NOTES.get(note_id) or f"Error: no note {note_id}"\n', ""),
            good=_GOOD,
        ),
        _returns_error,
    ),
    FunctionRule(
        Rule(
            "AF056",
            "body-swallows-exceptions",
            Severity.WARNING,
            "Google's skill for AppFunctions: an agent recovers by the exception that it gets",
            "Catch what can be mended, and let the rest pass.",
            bad=_module(
                "\n    try:\n        return NOTES[note_id]\n"
                "    except Exception:\n        return ''\n",
                "",
            ),
            good=_GOOD,
        ),
        _swallows,
    ),
    FunctionRule(
        Rule(
            "AF057",
            "raises-without-message",
            Severity.WARNING,
            "AppFunctions quality guidelines: type and message of an exception reach the agent",
            "Say what went wrong and what to do, in the message or in 'Raises:'.",
            bad=_module(
                "\n    if note_id not in NOTES:\n"
                "        raise AppFunctionElementNotFoundException\n"
                "    return NOTES[note_id]\n",
                "",
            ),
            good=_GOOD,
        ),
        _without_message,
    ),
    FunctionRule(
        Rule(
            "AF058",
            "raises-no-app-function-exception",
            Severity.WARNING,
            "Google's skill for AppFunctions: throw a subclass of AppFunctionException",
            "Raise the subclass of AppFunctionException that fits.",
            bad=_module(
                "\n    if note_id not in NOTES:\n        raise ValueError('no such note')\n"
                "    return NOTES[note_id]\n",
                "",
            ),
            good=_GOOD,
        ),
        _foreign_exception,
    ),
    FunctionRule(
        Rule(
            "AF085",
            "read-only-body-writes",
            Severity.ERROR,
            "AppFunctions quality guidelines: what is described as read-only must not write",
            "Take the read-only hint away, or the call.",
            bad=_module(
                "\n    with open('last_note', 'w', encoding='utf-8') as file:\n"
                "        file.write(note_id)\n    return NOTES.get(note_id, '')\n",
                "",
            ),
            good=_GOOD,
        ),
        _writes,
    ),
    FunctionRule(
        Rule(
            "AF086",
            "raises-untold",
            Severity.ERROR,
            _CONTRADICTION,
            "Tell of the exception in 'Raises:', with what the agent can do.",
            bad=_module(
                "\n    if not note_id:\n"
                "        raise AppFunctionInvalidArgumentException('The ID is empty.')\n"
                + _GOOD_BODY.lstrip("\n")
            ),
            good=_GOOD,
        ),
        _undocumented,
    ),
    FunctionRule(
        Rule(
            "AF087",
            "raises-never",
            Severity.ERROR,
            _CONTRADICTION,
            "Take the exception out of 'Raises:'.",
            bad=_module("\n    return NOTES['note-12']\n"),
            good=_GOOD,
        ),
        _never_raised,
    ),
)
