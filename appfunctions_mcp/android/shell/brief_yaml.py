"""A result in few lines: what `--brief-yaml` prints.

A list of one value is that value, and empty texts and lists are left out. A text stands in single
quotes where it is empty, holds `: ` or `#`; nothing else is quoted, so that this is for people and
models to read, not for a YAML parser.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.android.shell.documents import Document
from appfunctions_mcp.android.shell.org_json import java_text

__all__ = ["brief_yaml"]

_INDENT = "  "


def brief_yaml(document: Document) -> str:
    """A document as its lines, without a line end behind the last one."""
    return "\n".join(_mapping_lines(_members(document)))


def _members(document: Document) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, values in document.properties.items():
        kept = [
            _members(each) if isinstance(each, Document) else each for each in values if each != ""
        ]
        if kept:
            members[name] = kept[0] if len(kept) == 1 else kept
    return members


def _mapping_lines(members: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for name, value in members.items():
        if isinstance(value, dict | list):
            nested = _mapping_lines(value) if isinstance(value, dict) else _list_lines(value)
            lines += [f"{_text(name)}:", *([_INDENT + line for line in nested] or [""])]
        else:
            lines.append(f"{_text(name)}: {_text(value)}")
    return lines


def _list_lines(items: list[Any]) -> list[str]:
    lines: list[str] = []
    for item in items:
        nested = _mapping_lines(item) if isinstance(item, dict) else [_text(item)]
        first, *others = nested or [""]
        lines += [f"- {first}", *(_INDENT + line for line in others)]
    return lines


def _text(value: object) -> str:
    if isinstance(value, str) and (not value or ": " in value or "#" in value):
        return "'" + value.replace("'", "''") + "'"
    return java_text(value)
