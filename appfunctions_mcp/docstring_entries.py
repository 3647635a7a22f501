"""The blocks of a docstring, read into names and texts.

Types written in a docstring are dropped: the signature is what decides. Texts keep their lines,
lists and paragraphs, dedented; KDoc's continuation lines are joined, as Android joins them.
"""

import re

from appfunctions_mcp.docstring_blocks import Block, indent_of
from appfunctions_mcp.lazy_regex import regex

Entry = tuple[list[str], str]
"""The names that a text is about, and the text."""

_NAME = regex(r"(?::[\w:.]+:)?[`\[~]*(?:\\?\*){0,2}([^\W\d][\w.]*)(?:\(\))?[`\]]*(?:\*\*)?[ \t]*")
_COMMA = regex(r",[ \t]*")
_COMMA_OR_WORD = regex(r"(?:,[ \t]*(?:or|and)\b|,|/|\||or\b|and\b)[ \t]*")
_BULLET = regex(r"[-*+•][ \t]+")
_DASH = regex(r"[-\u2013\u2014]+[ \t]+")
_TYPE = regex(r"[\w.]+(?:\[.*\])?(?:[ \t]*\|[ \t]*[\w.]+(?:\[.*\])?)*\Z")
_BUILTIN_TYPES = frozenset(
    {"str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "object", "None"}
)
_LONGEST_TYPE = 120
_VERSION = regex(r"v?\d[\w.]*[.:]?(?=\s|\Z)[ \t]*")
_KDOC_SUBJECT = regex(
    r"(?:\[([^\]]*)\]|([^\s:]+)):?[ \t]*(?:[-\u2013\u2014][ \t]+)?(.*)", re.DOTALL
)
_KDOC_MARKUP = regex(
    r"(`[^`]*`)"
    r"|\{@(?:link|linkplain|code|literal)[ \t]+#?([^\s}]+)[ \t]*([^}]*)\}"
    r"|(?<![\w\]])\[([^\[\]]+)\]\[[^\[\]]*\]"
    r"|(?<![\w\]])\[([^\W\d][\w.#]*(?:\(\))?)\](?![(\[])"
)


def read_entries(block: Block) -> list[Entry]:
    """The names and texts of a block of parameters, exceptions or attributes."""
    if block.style == "google":
        return _google_entries(block.lines, classes=block.kind == "raises")
    if block.style == "numpy":
        return _numpy_entries(block.lines)
    if block.style == "rest":
        return [(_rest_names(block), _dedented(block.lines))]
    found = _KDOC_SUBJECT.match(_one_line(block.lines))
    return [([_bare(found[1] or found[2])], found[3])] if found else []


def read_text(block: Block) -> str:
    """The text of a block about the result, or about what replaces a deprecated function."""
    if block.style == "kdoc":
        text = _one_line(block.lines)
    elif block.style == "numpy" and block.kind == "returns":
        text = _numpy_returns(block.lines)
    else:
        text = _dedented(block.lines)
    if block.kind == "returns" and block.style == "google":
        return _without_type(text)
    if block.kind == "deprecated" and (version := _VERSION.match(text)):
        number, rest = version[0].strip().rstrip(".:"), text[version.end() :].lstrip()
        return f"since {number}: {rest}" if rest else f"since {number}"
    return text


def without_kdoc_markup(text: str) -> str:
    """KDoc's links as plain words: `[X]` is `X`, `[label][Type]` is `label`; code stays."""
    return _KDOC_MARKUP.sub(lambda m: m[1] or m[4] or m[3] or m[2] or m[5], text)


def _google_entries(lines: list[str], *, classes: bool) -> list[Entry]:
    """Entries `name (type): text`, each with the lines that stand deeper than it."""
    entries: list[tuple[list[str], str, list[str]]] = []
    entry_indent, bullets, dashes = None, False, False
    for line in lines:
        if entry_indent is None and line:
            entry_indent = indent_of(line)
            bullets = _BULLET.match(line.lstrip()) is not None
            dashes = _google_entry(line, bullets=bullets, dashes=False, classes=classes) is None
        if line and entry_indent is not None and indent_of(line) <= entry_indent:
            found = _google_entry(line, bullets=bullets, dashes=dashes, classes=classes)
            if found:
                entries.append((*found, []))
                continue
        if entries:
            entries[-1][2].append(line)
    return [(names, _text(first, more)) for names, first, more in entries]


def _google_entry(
    line: str, *, bullets: bool, dashes: bool, classes: bool
) -> tuple[list[str], str] | None:
    """The names and the first text of an entry's line; None for any other line."""
    line = line.strip()
    if bullets and (bullet := _BULLET.match(line)):
        line = line[bullet.end() :]
    names, end = _names_at(line, _COMMA_OR_WORD if classes else _COMMA)
    if not names:
        return None
    if line.startswith("(", end):
        end = _closing(line, end)
    rest = line[end:].lstrip()
    if rest.startswith(":") and not rest.startswith("://"):
        after = rest[1:]
        return (names, after.lstrip()) if after[:1] in ("", " ") or after[0].isalpha() else None
    if dashes and (dash := _DASH.match(rest)):
        return names, rest[dash.end() :]
    return (names, "") if classes and not rest else None


def _names_at(line: str, separator: re.Pattern[str]) -> tuple[list[str], int]:
    """The names that a line begins with, and where they end."""
    names: list[str] = []
    end = 0
    found = _NAME.match(line)
    while found:
        names.append(found[1].rstrip("."))
        end = found.end()
        more = separator.match(line, end)
        found = _NAME.match(line, more.end()) if more else None
    return names, end


def _closing(line: str, start: int) -> int:
    """The position after the parenthesis that closes the one at `start`, else the line's end."""
    depth = 0
    for position in range(start, len(line)):
        depth += (line[position] in "([{") - (line[position] in ")]}")
        if depth == 0:
            return position + 1
    return len(line)


def _numpy_entries(lines: list[str]) -> list[Entry]:
    """Entries `name, name : type`, each with its text on deeper lines."""
    entries: list[tuple[list[str], str, list[str]]] = []
    entry_indent = next((indent_of(line) for line in lines if line), 0)
    for line in lines:
        if line and indent_of(line) <= entry_indent:
            head, colon, annotation = line.partition(":")
            names, end = _names_at(head.strip(), _COMMA)
            if names and end >= len(head.strip()) and (colon or line[-1] != "."):
                entries.append((names, annotation.strip(), []))
                continue
        if entries:
            entries[-1][2].append(line)
    return [
        (names, _text("", body) or (annotation if annotation.endswith(".") else ""))
        for names, annotation, body in entries
    ]


def _numpy_returns(lines: list[str]) -> str:
    """The text below the type of a result; the lines themselves where nothing is deeper."""
    entries: list[tuple[str, list[str]]] = []
    entry_indent = next((indent_of(line) for line in lines if line), 0)
    for line in lines:
        if line and indent_of(line) <= entry_indent:
            entries.append((line.strip(), []))
        elif entries:
            entries[-1][1].append(line)
    if not any(_text("", body) for _, body in entries):
        return _prose_of(lines)
    texts = [(head.partition(" :")[0], _text("", body)) for head, body in entries]
    if len(texts) == 1:
        return texts[0][1]
    return "\n".join(f"{name}: {text}" if text else name for name, text in texts)


def _prose_of(lines: list[str]) -> str:
    """The lines of a result without deeper ones, unless they are only a type."""
    text = _text("", lines)
    head = text.partition(" : ")[2] or text
    return "" if _is_type(head) else text


def _rest_names(block: Block) -> list[str]:
    """The names in `type name` or `name, name` of a field."""
    parts = [""]
    depth = 0
    for character in block.subject:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [_bare(part.split()[-1]) for part in parts if part.strip()]


def _bare(name: str) -> str:
    """A name without stars, quotes, roles and a trailing colon."""
    name = name.rstrip(":")
    found = _NAME.match(name)
    return found[1].rstrip(".") if found else name.strip("`*\\")


def _without_type(text: str) -> str:
    """The text of a result without the `type:` that it may begin with."""
    first, line_break, more = text.partition("\n")
    end = 0
    while end < len(first) and first[end] != ":":
        end = _closing(first, end) if first[end] in "([{" else end + 1
    after = first[end + 1 :]
    if end >= len(first) or after[:1] not in ("", " ") or not _is_type(first[:end].strip("` ")):
        return text
    return (after.lstrip() + line_break + more).lstrip("\n")


def _is_type(text: str) -> bool:
    """Whether a text before a colon is a type and not a word of the sentence."""
    if text.startswith("(") and text.endswith(")"):
        return True
    if text in ("True", "False") or len(text) > _LONGEST_TYPE:
        return False
    first, _, rest = text.partition(" ")
    if rest.startswith(("of ", "or ", "to ")):
        return first.lower() in _BUILTIN_TYPES
    if _TYPE.match(text) is None:
        return False
    return text in _BUILTIN_TYPES or text[0].isupper() or any(sign in text for sign in ".[|")


def _text(first: str, more: list[str]) -> str:
    """The first line of a text and its further lines, dedented by what these have in common."""
    margin = min((indent_of(line) for line in more if line), default=0)
    lines = [first.strip(), *(line[margin:] if line else "" for line in more)]
    return "\n".join(lines).strip()


def _dedented(lines: list[str]) -> str:
    """The lines, of which the first may stand beside a heading or hang over the others."""
    start = next((position for position, line in enumerate(lines) if line), 0)
    return _text("".join(lines[start : start + 1]), lines[start + 1 :])


def _one_line(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())
