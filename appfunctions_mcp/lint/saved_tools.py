"""Reads a list of tools that somebody saved: of one server, in any form that it has on the way.

Accepted are an array of tools, the result of `tools/list`, the whole response around it, and a
transcript with one message a line, in the encodings that shells write.
"""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.mcp_tools import ToolListError
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.targets import tools_subject
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

__all__ = ["SavedToolsError", "saved_subject"]

MAX_BYTES = 64 * 1_048_576
_ACCEPTED = (
    "accepted is an array of tools, a result or response of tools/list, or a transcript of one "
    "message a line"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class SavedToolsError(AppFunctionsError):
    """A file holds no list of tools; says where and why."""


@record(slots=True)
class _Found:
    """What the messages of a file tell together."""

    tools: list[Any]
    has_list: bool = False
    name: str = ""
    instructions: str = ""
    error: str = ""
    """The message of the last response that is an error."""


def saved_subject(path: Path, *, server_name: str = "") -> LintSubject:
    """The tools that a file holds.

    Args:
        path: The file; what a server said of itself counts where it stands there too.
        server_name: By which clients prefix the names.

    Raises:
        SavedToolsError: The file cannot be read, or holds no list of tools.
    """
    text = _text_of(path)
    found = _Found([])
    for message in _messages_of(text, path):
        _take(message, found)
    if not found.has_list:
        told = f"; the server answered with the error {quoted(found.error)}" if found.error else ""
        raise SavedToolsError(f"{path}:1: there is no list of tools in it{told}; {_ACCEPTED}")
    try:
        return tools_subject(
            found.tools,
            server_name=server_name or found.name,
            instructions=found.instructions,
            source=str(path),
            lines=_lines_of(found.tools, text),
        )
    except ToolListError as fault:
        raise SavedToolsError(f"{path}:1: {each}" for each in fault.faults) from fault


def _lines_of(tools: list[Any], text: str) -> list[int]:
    """The line of each tool's name, as far as the text shows it; else the line before."""
    lines: list[int] = []
    place, line = 0, 1
    for tool in tools:
        name = tool.get("name") if isinstance(tool, Mapping) else None
        written = re.compile(rf'"name"\s*:\s*{re.escape(json.dumps(name, ensure_ascii=False))}')
        found = written.search(text, place)
        if found is not None:
            line += text.count("\n", place, found.start())
            place = found.start()
        lines.append(line)
    return lines


def _text_of(path: Path) -> str:
    try:
        if path.is_dir():
            raise SavedToolsError(f"{path}: this is a folder; give a file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise SavedToolsError(f"{path}: cannot be read: {fault.strerror or fault}") from fault
    if len(content) > MAX_BYTES:
        raise SavedToolsError(f"{path}: holds more than {MAX_BYTES:,} bytes")
    encoding = next((name for mark, name in _BOMS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise SavedToolsError(f"{path}:{line}: this is no text in UTF-8; save it so") from fault


def _messages_of(text: str, path: Path) -> Iterator[Any]:
    """The JSON values of a file: one, or one in each line that holds any."""
    try:
        yield json.loads(text)
    except (ValueError, RecursionError) as fault:
        values = list(_values_in_lines(text))
        if values:
            yield from values
            return
        line = getattr(fault, "lineno", 1)
        # Python reads no whole number of more than 4,300 digits.
        is_deep = isinstance(fault, RecursionError)
        what = getattr(fault, "msg", "it nests too deep" if is_deep else "a number is too long")
        raise SavedToolsError(f"{path}:{line}: this is no JSON: {what}; {_ACCEPTED}") from fault


def _values_in_lines(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        # What a log puts before a message is no part of it.
        start = line.find("{")
        try:
            value = json.loads(line[start:]) if start >= 0 else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping):
            yield value


def _take(message: Any, found: _Found) -> None:
    """Adds what one message tells; lists of several pages go together."""
    if isinstance(message, list) and message and all(map(_is_envelope, message)):
        for each in message:
            _take(each, found)
        return
    if isinstance(message, list):
        found.tools += message
        found.has_list = True
        return
    if not isinstance(message, Mapping):
        return
    result = message.get("result")
    value = result if isinstance(result, Mapping) else message
    if isinstance(value.get("tools"), list):
        found.tools += value["tools"]
        found.has_list = True
    error = message.get("error")
    if isinstance(error, Mapping):
        found.error = str(error.get("message", ""))
    told = value.get("serverInfo")
    if isinstance(told, Mapping) and isinstance(told.get("name"), str):
        found.name = told["name"]
    if isinstance(value.get("instructions"), str):
        found.instructions = value["instructions"]


def _is_envelope(value: Any) -> bool:
    return isinstance(value, Mapping) and "jsonrpc" in value
