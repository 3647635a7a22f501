"""Writes an app's metadata as Android's file: the two texts, without what MCP needs beside them.

The texts are written so that Android and `metadata_xml` read the same: line breaks as `&#10;`,
since a bare one in an attribute is a blank to XML, and Android's escapes where a character would
mean something. Knows nothing of strings folders: texts are written as they were resolved.
"""

from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.metadata_attributes import ANDROIDX
from appfunctions_mcp.metadata_xml import ROOT
from appfunctions_mcp.quoting import quoted

_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'
_LINE_BREAK = regex(r"\r\n|\r")
_NO_CHARACTER = regex("[\0\ud800-\udfff]")
# Controls, which no XML can hold but an escape can, and the two that end XML's range.
_ESCAPED_CODES = regex("[\x01-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}
_WRITTEN_AS_ENTITY = regex('[&<>"\n\t]')


def app_metadata_xml(metadata: AppMetadata) -> str:
    """An app's metadata as the text of an `app_metadata.xml`; to be written as UTF-8.

    Blanks are the reader's business: it makes one of several, and drops those around a line.

    Raises:
        AppFunctionDeclarationError: A text holds a character that no XML can hold.
    """
    attributes = [f'xmlns:appfn="{ANDROIDX}"']
    for name, text in (
        ("description", metadata.description),
        ("displayDescription", metadata.display_description),
    ):
        if text:
            attributes.append(f'appfn:{name}="{_written(name, text)}"')
    lines = (f"    {attribute}" for attribute in attributes)
    return "\n".join([_DECLARATION, f"<{ROOT}", *lines]) + " />\n"


def _written(name: str, text: str) -> str:
    """A text as the value of an attribute."""
    illegal = _NO_CHARACTER.search(text)
    if illegal is not None:
        raise AppFunctionDeclarationError(
            f"the app's {name} {quoted(text)} holds the character U+{ord(illegal[0]):04X}, which "
            "no XML can hold; remove it"
        )
    escaped = _LINE_BREAK.sub("\n", text).replace("\\", "\\\\")
    if escaped.startswith(("@", "?")):
        escaped = f"\\{escaped}"
    escaped = _ESCAPED_CODES.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped)
    return _WRITTEN_AS_ENTITY.sub(lambda found: _ENTITIES[found[0]], _with_edges(escaped))


def _with_edges(text: str) -> str:
    """A text whose first and last characters stay, though they count as blanks."""
    first, last = text[:1], text[-1:]
    if last.isspace() and last not in " \t\n":
        text = f"{text[:-1]}\\u{ord(last):04x}"
    if first.isspace() and first not in " \t\n":
        text = f"\\u{ord(first):04x}{text[1:]}"
    return text
