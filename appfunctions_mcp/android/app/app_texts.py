"""What an Android app says of itself, as it is written: texts, and the strings they refer to.

References stay references, and every translation of a string comes along. Knows nothing of
what becomes of the texts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata_attributes import ANDROIDX, MCP, RES_AUTO
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.string_escapes import EscapedText
from appfunctions_mcp.string_resources import (
    StringResources,
    UnresolvedStringError,
    is_reference,
    string_name,
    values_folders,
)
from appfunctions_mcp.xml_elements import XmlElement, XmlText, read_xml

_PROLOG_PART = regex(r"\ufeff?\s*(?P<comment><!--.*?-->)?(?(comment)|<\?.*?\?>)\s*", re.DOTALL)
_LOCALE_FOLDER = regex(
    r"values(?:-[a-z]{2,3}(?:-r(?:[A-Z]{2}|[0-9]{3}))?|-b\+[A-Za-z0-9]{2,8}(?:\+[A-Za-z0-9]{2,8})*)?\Z"
)
_REFERENCE = regex(r"@[*+]?(?:[^\s:/@]+:)?string/(?P<name>[^\s/@:]+)\Z")

Strings = Mapping[str, Mapping[str, tuple[XmlText, ...]]]
"""The pieces of each string, by the name of its folder (`values-ru`) and its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTexts:
    """An app's texts, each as it is written, or None."""

    description: str | None = None
    instructions: str | None = None
    display_description: str | None = None
    title: str | None = None
    comments: tuple[str, ...] = ()
    """The comments before the root of the metadata, such as its licence."""
    strings: Strings = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    """What is not carried over, `FILE:LINE: …`."""


def read_app_texts(metadata: Path | None, *, label: str | None, resources: Path) -> AppTexts:
    """Reads what an app says of itself.

    Args:
        metadata: Its `app_metadata.xml`, where it has one.
        label: The app's name in its manifest, as it is written.
        resources: The folder that holds `values*/`, such as `res`.

    Raises:
        MetadataXmlError: The metadata or the strings cannot be used.
    """
    where = metadata or resources / "values" / "strings.xml"
    report = FaultReport(where)
    folders = values_folders(resources)
    given = resources if folders else None
    strings = StringResources(where, locale=None, resources=given, report=report)
    attributes: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    if metadata is not None:
        warnings = parse_metadata(metadata, resources=given).warnings
        attributes = _attributes_of(read_xml(metadata), report)
    display = attributes.get("displayDescription")
    if display is not None and not _is_resolved(display, strings):
        display = None  # the metadata's own warning says so
    if label is not None and not (_is_resolved(label, strings) and _is_text(label)):
        report.warn(1, f"the app's label, {quoted(label)}, gives no text; the project has no title")
        label = None
    description, instructions = attributes.get("description"), attributes.get("instructions")
    carried = _strings_of(folders, (description, instructions, display, label), report)
    report.require_none()
    return AppTexts(
        description=description,
        instructions=instructions,
        display_description=display,
        title=label,
        comments=_comments_of(metadata) if metadata is not None else (),
        strings=carried,
        warnings=(*warnings, *report.warnings),
    )


def _attributes_of(root: XmlElement, report: FaultReport) -> dict[str, str]:
    """Android's attributes by name; androidx wins over the older namespace."""
    found = {
        attribute.name: attribute.value
        for namespace in (RES_AUTO, ANDROIDX)
        for attribute in root.attributes
        if attribute.namespace == namespace
    }
    parts = [each.qualified for each in root.attributes if each.namespace == MCP]
    parts += [f"<{each.qualified}>" for each in root.children if each.namespace == MCP]
    if parts:
        report.warn(
            root.line,
            f"{', '.join(parts[:5])}{' and others' if len(parts) > 5 else ''} not carried over: "
            "the project has its own",
        )
    return found


def _comments_of(path: Path) -> tuple[str, ...]:
    """The comments before the root element of a well-formed document."""
    text = path.read_bytes().decode("utf-8", "replace")
    comments: list[str] = []
    position = 0
    while (match := _PROLOG_PART.match(text, position)) is not None:
        comments += [match["comment"]] if match["comment"] else []
        position = match.end()
    return tuple(comments)


def _is_resolved(text: str, strings: StringResources) -> bool:
    written = text.strip()
    if not is_reference(written):
        return True
    try:
        strings.resolve(written)
    except UnresolvedStringError:
        return False
    return True


def _is_text(written: str) -> bool:
    """Whether a text has no escape that Android does not know."""
    reading = EscapedText()
    reading.add(written, keep_blanks=True)
    reading.finish()
    return not reading.faults


def _strings_of(
    folders: Mapping[str, Path], texts: Iterable[str | None], report: FaultReport
) -> Strings:
    """The strings that texts refer to, and those that these refer to, of every locale."""
    tables = {
        folder.name: _table_of(folder, report)
        for folder in folders.values()
        if _LOCALE_FOLDER.match(folder.name)
    }
    waiting = [name for text in texts if (name := _name_in(text or ""))]
    wanted: dict[str, dict[str, tuple[XmlText, ...]]] = {}
    seen = set(waiting)
    while waiting:
        name = waiting.pop()
        for folder, table in tables.items():
            pieces = table.get(name)
            if pieces is None:
                continue
            wanted.setdefault(folder, {})[name] = pieces
            further = _name_in("".join(piece.text for piece in pieces))
            if further and further not in seen:
                seen.add(further)
                waiting.append(further)
    return {folder: dict(sorted(table.items())) for folder, table in sorted(wanted.items())}


def _name_in(text: str) -> str | None:
    match = _REFERENCE.match(text.strip())
    return match["name"] if match else None


def _table_of(folder: Path, report: FaultReport) -> dict[str, tuple[XmlText, ...]]:
    """The strings of one folder; the first of a name counts."""
    table: dict[str, tuple[XmlText, ...]] = {}
    for path in sorted(folder.glob("*.xml")):
        try:
            root = read_xml(path)
        except MetadataXmlError as fault:
            report.warn(1, f"the strings of this file are left out: {fault.faults[0]}", path)
            continue
        for element in root.children:
            name = string_name(element)
            if name is not None:
                table.setdefault(name, tuple(element.texts()))
    return table
