"""Writes a table of TOML: plain values first, then each table under a header of its own."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

from appfunctions_mcp.lazy_regex import regex

_BARE_KEY = regex(r"[A-Za-z0-9_-]+")
_NOT_IN_STRINGS = regex(r"[\x7f]")


def render_table(key: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a table and of the tables in it, a blank line between two.

    Args:
        key: Where the table stands, from the root.
        table: What the standard parser makes of a table.
    """
    inner = {name: value for name, value in table.items() if isinstance(value, dict)}
    yield f"[{'.'.join(map(render_key, key))}]"
    for name, value in table.items():
        if name not in inner:
            yield f"{render_key(name)} = {render_value(value)}"
    for name, value in inner.items():
        yield ""
        yield from render_table((*key, name), value)


def render_key(part: str) -> str:
    """One part of a key, quoted where it has to be."""
    return part if _BARE_KEY.fullmatch(part) else _render_string(part)


def render_value(value: Any) -> str:
    """A value on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _render_string(value)
        case int() | float():
            return repr(value)
        case datetime() | date() | time():
            return value.isoformat()
        case list():
            return f"[{', '.join(map(render_value, value))}]"
        case dict():
            members = (f"{render_key(key)} = {render_value(each)}" for key, each in value.items())
            return f"{{ {', '.join(members)} }}" if value else "{}"
    raise TypeError(f"TOML has no value of the type {type(value).__name__}")


def _render_string(text: str) -> str:
    # JSON's escapes are TOML's as well, but that JSON leaves the character "delete" as it is.
    return _NOT_IN_STRINGS.sub(_escaped, json.dumps(text, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
