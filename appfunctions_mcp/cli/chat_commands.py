"""What a person can ask the program itself in a conversation: lines such as `/tools`."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.cli.chat_history import path_of
from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import as_it_is_read, quoted
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from appfunctions_mcp.cli.chat_session import ChatSession

COMMAND = regex(r"\s*/([a-z?]+)(?:\s+(.*?))?\s*\Z")
"""A line that is a command, and not a question such as `/etc/hosts says what?`."""


@record(frozen=True, slots=True)
class _Command:
    """One command."""

    takes: str
    summary: str
    run: "Callable[[ChatSession, str], Awaitable[None]]"


async def run_command(session: "ChatSession", line: str) -> int:
    """Runs a command that was typed.

    Returns:
        0, or 1 where it cannot be done; why is shown.
    """
    found = COMMAND.match(line)
    name, rest = (found[1], found[2] or "") if found else ("", "")
    command = COMMANDS.get(name)
    if command is None:
        near = nearest_names(name, COMMANDS, limit=1)
        hint = f"perhaps /{near[0]}" if near else "/help shows those that are"
        session.screen.fail(f"there is no command {quoted('/' + name)}; {hint}")
        return 1
    try:
        await command.run(session, rest)
    except AppFunctionsError as fault:
        session.fail(fault)
        return 1
    except OSError as fault:
        session.screen.fail(str(fault))
        return 1
    return 0


async def _tools(session: "ChatSession", name: str) -> None:
    functions = await session.dispatcher.functions()
    exported = session.traced.format.export_tools(functions)
    if name:
        _show_tool(session, name, exported)
        return
    for function in functions:
        session.screen.tell(_in_words(function, exported))
    for note in exported.notes:
        session.screen.tell(f"note: {note}")
    if not functions:
        session.screen.tell("there are no functions")


def _show_tool(session: "ChatSession", name: str, exported: ExportedTools) -> None:
    tool = exported.by_name.get(name)
    if tool is None:
        near = nearest_names(name, exported.by_name)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise AppFunctionsError(f"there is no function {quoted(name)}{hint}")
    session.screen.tell(json.dumps(tool.value, ensure_ascii=False, indent=2))


def _in_words(function: AppFunctionMetadata, exported: ExportedTools) -> str:
    """A function, what the model reads of it first, and how it is exported."""
    marks = []
    if function.read_only:
        marks.append("reads only")
    elif function.destructive:
        marks.append("destructive")
    if function.requires_confirmation:
        marks.append("asks for confirmation")
    tool = exported.by_name.get(function.tool_name)
    if tool is not None and tool.exported_name != function.tool_name:
        marks.append(f"exported as {tool.exported_name}")
    first = as_it_is_read(function.description.strip().partition("\n")[0])
    lines = [function.tool_name + (f" ({', '.join(marks)})" if marks else ""), f"  {first}"]
    lines += [f"  note: {note}" for note in (tool.notes if tool is not None else ())]
    return "\n".join(lines)


async def _trace(session: "ChatSession", _rest: str) -> None:
    session.traced.is_on = not session.traced.is_on
    session.screen.note(f"tracing is {'on' if session.traced.is_on else 'off'}")


async def _save(session: "ChatSession", file: str) -> None:
    path = path_of(file) if file else session.kept.path
    session.kept.conversation.save(path)
    session.screen.note(f"saved to {path}")


async def _new(session: "ChatSession", _rest: str) -> None:
    session.kept.move_to_new_file()
    session.replace_conversation(Conversation(session.kept.conversation.system))
    session.screen.note("a new conversation; the one before is kept")


async def _undo(session: "ChatSession", _rest: str) -> None:
    conversation = session.kept.conversation
    if not conversation.exchanges:
        raise AppFunctionsError("there is nothing to undo")
    *before, last = conversation.exchanges
    conversation.exchanges = tuple(before)
    session.keep()
    asked = " ".join(message.text for message in last.user)
    kept = "; what its calls have done stays done" if last.steps else ""
    session.screen.note(f"forgotten: {quoted(asked)}{kept}")


async def _log(session: "ChatSession", _rest: str) -> None:
    text = session.streams.logged()
    if text is None:
        session.screen.note("modules and servers print to stderr")
    else:
        session.screen.tell(text.rstrip("\n") or "modules and servers have printed nothing")


async def _help(session: "ChatSession", _rest: str) -> None:
    for name, command in COMMANDS.items():
        session.screen.tell(f"/{f'{name} {command.takes}':<13} {command.summary}")
    if session.streams.is_terminal:
        session.screen.tell(
            "Ctrl+C cancels an answer; at the prompt, twice, or Ctrl+D, ends the conversation"
        )
    session.screen.note(f"kept in {session.kept.path}")


async def _quit(session: "ChatSession", _rest: str) -> None:
    session.is_over = True


COMMANDS = {
    "tools": _Command("[NAME]", "the functions; with NAME, one as the model gets it", _tools),
    "trace": _Command("", "show requests and replies as they are sent, or no more", _trace),
    "save": _Command("[FILE]", "write the conversation to its own place, or to FILE", _save),
    "new": _Command("", "begin a new conversation", _new),
    "undo": _Command("", "forget the last question and its answer", _undo),
    "log": _Command("", "what modules and servers have printed", _log),
    "help": _Command("", "these commands", _help),
    "quit": _Command("", "end the conversation", _quit),
}
