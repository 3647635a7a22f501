"""Docstring text → `ParsedDocstring`: Google, NumPy, reST and KDoc, told apart by themselves.

What is parsed leaves the description; sections that are not parsed (`Note:`, `Example:`) stay
in it. Tolerant of what people write, and never an error. Knows nothing of signatures: names
that no parameter has are the schema's matter.
"""

from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from typing import Any, cast

from appfunctions_mcp.docstring_blocks import split_docstring
from appfunctions_mcp.docstring_entries import Entry, read_entries, read_text, without_kdoc_markup
from appfunctions_mcp.field_docstrings import lineage_of, own_field_docstrings
from appfunctions_mcp.records import record


@record(frozen=True, slots=True)
class ParsedDocstring:
    """What a docstring says, part by part; a part that it does not mention is empty."""

    description: str = ""
    """The summary and all that is no parsed section, indentation cleaned."""
    parameters: dict[str, str] = field(default_factory=dict)
    """Parameter name, without stars, to its text."""
    returns: str = ""
    raises: dict[str, str] = field(default_factory=dict)
    """Exception class, without its module, to its text."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Field name to its text, from `Attributes:`, `:ivar:` or `@property`."""
    deprecated: str | None = None
    """Since when, or what to use instead; None for what is not deprecated."""


def parse_docstring(text: str | None) -> ParsedDocstring:
    """Parses a docstring of any of the four styles, or a mixture of them.

    Args:
        text: The docstring as it stands in the source; None and blanks are an empty one.
    """
    if text is None or not text.strip():
        return ParsedDocstring()
    split = split_docstring(text)
    plain = without_kdoc_markup if split.is_kdoc else str
    entries: dict[str, list[Entry]] = {"parameters": [], "raises": [], "attributes": []}
    texts: dict[str, str] = {}
    for block in split.blocks:
        if block.kind in entries:
            entries[block.kind].extend((names, plain(said)) for names, said in read_entries(block))
        elif block.kind != "dropped":
            said = plain(read_text(block))
            texts[block.kind] = texts.get(block.kind) or said
    return ParsedDocstring(
        description=plain(split.description),
        parameters=_first_texts(entries["parameters"]),
        returns=texts.get("returns", ""),
        raises=_texts_of_classes(entries["raises"]),
        attributes=_first_texts(entries["attributes"]),
        deprecated=texts.get("deprecated"),
    )


def docstring_later(text: str | None) -> ParsedDocstring:
    """What `parse_docstring` returns, parsed when a part of it is asked for.

    Args:
        text: The docstring as it stands in the source.
    """
    return cast("ParsedDocstring", _LaterDocstring(text))


class _LaterDocstring:
    def __init__(self, text: str | None) -> None:
        self._text = text

    @cached_property
    def _parsed(self) -> ParsedDocstring:
        return parse_docstring(self._text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parsed, name)


def _first_texts(entries: Iterable[Entry]) -> dict[str, str]:
    """The first text of each name that has one."""
    texts: dict[str, str] = {}
    for names, text in entries:
        for name in names:
            if name and text:
                texts.setdefault(name, text)
    return texts


def _texts_of_classes(entries: Iterable[Entry]) -> dict[str, str]:
    """All texts of each exception class: one class may be raised for several reasons."""
    texts: dict[str, str] = {}
    for names, text in entries:
        for name in names:
            simple = name.rpartition(".")[2]
            if simple and text:
                texts[simple] = f"{texts[simple]} {text}" if simple in texts else text
    return texts


def field_descriptions(cls: type) -> dict[str, str]:
    """The texts that describe the fields of a model, dataclass or TypedDict.

    They come from the class docstring (its parameters, then its attributes) and from the
    docstrings under the fields, which win. The nearest class in the MRO wins over all of its
    parents. A class without source has only its docstring.

    Args:
        cls: The class whose fields are described.
    """
    texts: dict[str, str] = {}
    for ancestor in reversed(lineage_of(cls)):
        docstring = ancestor.__dict__.get("__doc__")
        if isinstance(docstring, str):
            parsed = parse_docstring(docstring)
            texts |= parsed.parameters | parsed.attributes
        texts |= own_field_docstrings(ancestor)
    return texts
