"""Finds the statements of a TOML document in its text, so that some can be cut out.

The standard parser says what a document means, and not where; this one says where each statement
stands and under which key, and nothing of its value. Only given texts that the standard parser
has accepted.
"""

import tomllib
from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')"""
_BARE_KEY = regex(r"[A-Za-z0-9_-]+")
_KEY = regex(rf"[ \t]*({_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*)[ \t]*")
_TOKEN = regex(
    r'"{3}(?:[^\\]|\\[\s\S])*?"{3,5}'
    r"|'{3}[\s\S]*?'{3,5}"
    r'|"(?:[^"\\\r\n]|\\.)*"'
    r"|'[^'\r\n]*'"
    r"|\#[^\r\n]*"
    r"|[\[{]|[\]}]|\r?\n"
)


@record(frozen=True, slots=True)
class Statement:
    """One table header or one assignment, with its line end."""

    key: tuple[str, ...]
    """From the root."""
    start: int
    """Where its first line begins."""
    end: int
    is_header: bool

    def is_under(self, key: tuple[str, ...]) -> bool:
        """Whether it says something of the value of this key."""
        return self.key[: len(key)] == key


def find_statements(text: str) -> Iterator[Statement]:
    """The statements of a document in their order.

    Args:
        text: A document that the standard parser takes.
    """
    position = 0
    table: tuple[str, ...] = ()
    while position < len(text):
        line_end = text.find("\n", position)
        line = text[position:] if line_end < 0 else text[position:line_end]
        bare = line.strip()
        if not bare or bare.startswith("#"):
            position += len(line) + 1
            continue
        start, is_header = position, bare.startswith("[")
        opening = position + len(line) - len(line.lstrip())
        brackets = 2 if bare.startswith("[[") else 1 if is_header else 0
        found = _KEY.match(text, opening + brackets)
        assert found is not None  # noqa: S101 - the standard parser has found a key here
        key = _parse_key(found[1])
        position = _end_of_statement(text, found.end() + brackets)
        if is_header:
            table = key
            yield Statement(key, start, position, is_header=True)
        else:
            yield Statement((*table, *key), start, position, is_header=False)


def _end_of_statement(text: str, position: int) -> int:
    """Behind the line end of the statement that goes on here."""
    depth = 0
    while found := _TOKEN.search(text, position):
        position = found.end()
        token = found.group()
        if token in {"[", "{"}:
            depth += 1
        elif token in {"]", "}"}:
            depth -= 1
        elif token.endswith("\n") and token.strip() == "" and depth == 0:
            return position
    return len(text)


def _parse_key(text: str) -> tuple[str, ...]:
    """The parts of a dotted key."""
    if _BARE_KEY.fullmatch(text):
        return (text,)
    value: object = tomllib.loads(f"{text} = 0")
    parts = []
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)
