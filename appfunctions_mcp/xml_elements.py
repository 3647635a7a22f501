"""Reads an XML file from outside into plain elements, safely.

Keeps what expat's own values lose: the line breaks inside attributes, and the line of each
attribute. Refuses a DTD in any encoding before expat sees it, so that nothing is ever expanded
or opened. Knows nothing of what the elements mean.
"""

import re
import stat
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from xml.parsers import expat

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import fault_text
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

MAX_XML_BYTES = 1_048_576
MAX_DEPTH = 100

_NO_DTD = "a document type declaration (<!DOCTYPE …>) is not accepted; remove it"
_NAMESPACE_END = "\x1f"  # no XML document can hold this character, so no namespace does
_DECLARED_ENCODING = regex(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']")
# Single-byte and self-synchronising encodings only: some of Python's codecs are slow or strange.
_ACCEPTED_ENCODING = regex(r"(utf-?8|ascii|iso8859-\d+|cp125\d|koi8-[ru])\Z")
_ELEMENT_NAME = regex(rb"<([^\s/>]+)")
_ATTRIBUTE = regex(rb"\s+([^\s=<>/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE = regex(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(\w+));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_BLANKS = regex(r"[ \t\r\n]*")
_ADVICE = {
    3: "the document ends too early; close every element that is opened",
    4: "in an attribute write &amp; for &, &lt; for < and &quot; for a double quote",
    7: "close every element that is opened, innermost first",
    8: "each attribute may stand once",
    9: "nothing may follow the root element",
    11: "only &amp; &lt; &gt; &quot; &apos; and &#N; are known",
    27: 'declare the prefix on the root element, xmlns:PREFIX="NAMESPACE"',
}


@record(slots=True)
class XmlAttribute:
    """One attribute; its value keeps its line breaks, as LF."""

    namespace: str
    name: str
    qualified: str
    """The name as it is written, with its prefix; fit to be shown, so cut where it is long."""
    value: str
    line: int


@record(slots=True)
class XmlText:
    """Text between tags."""

    text: str
    literal: bool
    """Whether it stands in a CDATA section."""


@record(slots=True)
class XmlElement:
    """One element with what stands in it, in the order of the document."""

    namespace: str
    name: str
    qualified: str
    line: int
    attributes: list[XmlAttribute] = field(default_factory=list)
    content: list["XmlElement | XmlText"] = field(default_factory=list)

    @property
    def children(self) -> list["XmlElement"]:
        """The elements directly inside."""
        return [part for part in self.content if isinstance(part, XmlElement)]

    def attribute(self, name: str, namespace: str = "") -> XmlAttribute | None:
        """The attribute of this name, if it is there."""
        for attribute in self.attributes:
            if attribute.name == name and attribute.namespace == namespace:
                return attribute
        return None

    def texts(self) -> Iterator[XmlText]:
        """All text inside, at any depth, in order."""
        waiting: list[XmlElement | XmlText] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, XmlText):
                yield part
            else:
                waiting.extend(reversed(part.content))


def read_xml(path: Path, *, max_bytes: int = MAX_XML_BYTES) -> XmlElement:
    """Reads a file into its root element.

    Args:
        path: The file.
        max_bytes: The most that it may hold.

    Raises:
        MetadataXmlError: The file cannot be read, is larger than accepted, is no well-formed XML
            in UTF-8, UTF-16 or its declared single-byte encoding, has a DTD, or nests deeper
            than 100 elements.
    """
    text = _decoded(_content_of(path, max_bytes), path)
    line = _line_of_doctype(text)
    if line:
        raise _error(path, line, _NO_DTD)
    return _TreeBuilder(path, text.encode()).build()


def _content_of(path: Path, max_bytes: int) -> bytes:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise _error(path, 1, "this is a folder; name the XML file in it")
        if not stat.S_ISREG(mode):
            raise _error(path, 1, "this is no regular file; name an XML file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise _error(path, 1, "there is no such file; name an existing XML file") from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise _error(path, 1, f"this file cannot be read: {reason}") from fault
    if len(content) > max_bytes:
        raise _error(path, 1, f"this file is larger than {max_bytes:,} bytes, the most accepted")
    if not content.strip():
        raise _error(path, 1, "this file is empty; an XML document is accepted")
    return content


def _decoded(content: bytes, path: Path) -> str:
    """The text with LF line ends, whatever the encoding."""
    encoding = _encoding_of(content, path)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as fault:
        line = 1 + content[: fault.start].count(b"\n")
        raise _error(
            path, line, f"this is not {encoding.upper()} text: {fault.reason}; save it as UTF-8"
        ) from fault
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    _require_one_reading(text, path)
    return text


def _require_one_reading(text: str, path: Path) -> None:
    """Refuses what would let expat choose another encoding than the one that is checked here."""
    if "\0" in text:
        line = 1 + text.count("\n", 0, text.index("\0"))
        raise _error(path, line, "this is no XML text: it holds a null character; save it as UTF-8")
    if text.startswith("\ufeff"):
        raise _error(path, 1, "this file begins with two byte order marks; save it as UTF-8")


def _encoding_of(content: bytes, path: Path) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if content.startswith((b"<\0", b"\0<")):
        return "utf-16-le" if content[1] == 0 else "utf-16-be"
    declared = _DECLARED_ENCODING.match(content)
    if declared is None or content.startswith(b"\xef\xbb\xbf"):
        return "utf-8"
    return _known_encoding(declared[1].decode("ascii"), path)


def _known_encoding(name: str, path: Path) -> str:
    import codecs

    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if not _ACCEPTED_ENCODING.match(encoding):
        raise _error(
            path,
            1,
            f"this file declares the encoding {quoted(name)} that it cannot have here; "
            "save it as UTF-8",
        )
    return encoding


def _line_of_doctype(text: str) -> int:
    """The line of a document type declaration before the root element, else 0."""
    position = _after_blanks(text, 0)
    while True:
        if text.startswith("<?", position):
            end = text.find("?>", position + 2)
        elif text.startswith("<!--", position):
            end = text.find("-->", position + 4) + 1
        else:
            break
        if end <= position:
            break  # never closed: expat says so
        position = _after_blanks(text, end + 2)
    if text.startswith("<!DOCTYPE", position):
        return 1 + text.count("\n", 0, position)
    return 0


def _after_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


class _TreeBuilder:
    """One run of expat over a document in UTF-8 with LF line ends.

    Args:
        path: The file, for messages.
        content: What is parsed.
    """

    def __init__(self, path: Path, content: bytes) -> None:
        self._path = path
        self._content = content
        self._document = XmlElement("", "", "", 1)
        self._open = [self._document]
        self._in_cdata = False
        # A given encoding overrides what the document declares of itself.
        self._parser = expat.ParserCreate("utf-8", _NAMESPACE_END)
        self._parser.ordered_attributes = True
        self._parser.buffer_text = True
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartCdataSectionHandler = lambda: self._mark_cdata(inside=True)
        self._parser.EndCdataSectionHandler = lambda: self._mark_cdata(inside=False)

    def build(self) -> XmlElement:
        try:
            self._parser.Parse(self._content, True)
        except expat.ExpatError as fault:
            raise self._not_well_formed(fault) from fault
        return self._document.children[0]

    def _not_well_formed(self, fault: expat.ExpatError) -> MetadataXmlError:
        what = f"not well-formed XML: {expat.ErrorString(fault.code)}, column {fault.offset + 1}"
        advice = _ADVICE.get(fault.code, "")
        return _error(self._path, fault.lineno, f"{what}; {advice}" if advice else what)

    def _refuse_doctype(self, *_: object) -> None:
        raise _error(self._path, self._parser.CurrentLineNumber, _NO_DTD)

    def _start(self, name: str, attributes: list[str]) -> None:
        line = self._parser.CurrentLineNumber
        if len(self._open) > MAX_DEPTH:
            raise _error(self._path, line, f"elements nest deeper than {MAX_DEPTH}")
        start = self._parser.CurrentByteIndex
        written = _ELEMENT_NAME.match(self._content, start)
        assert written is not None  # noqa: S101 - expat has just read this very tag
        element = XmlElement(*_parts_of(name), _shown(written[1].decode()), line)
        element.attributes.extend(self._attributes(attributes[::2], start, written.end(), line))
        self._open[-1].content.append(element)
        self._open.append(element)

    def _attributes(
        self, names: list[str], start: int, position: int, line: int
    ) -> Iterator[XmlAttribute]:
        """Pairs the names that expat resolved with the values as they are written."""
        waiting = iter(names)
        while match := _ATTRIBUTE.match(self._content, position):
            qualified = match[1].decode()
            if qualified != "xmlns" and not qualified.startswith("xmlns:"):
                line += self._content.count(b"\n", start, match.start(1))
                start = match.start(1)
                written = match[3] if match[2] is None else match[2]
                value = _REFERENCE.sub(_character, written.decode())
                yield XmlAttribute(*_parts_of(next(waiting)), _shown(qualified), value, line)
            position = match.end()

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].content.append(XmlText(text, literal=self._in_cdata))

    def _mark_cdata(self, *, inside: bool) -> None:
        self._in_cdata = inside


def _parts_of(name: str) -> tuple[str, str]:
    """The namespace and the local name of a name as expat gives it."""
    namespace, _, local = name.rpartition(_NAMESPACE_END)
    return namespace, local


def _shown(name: str) -> str:
    return quoted(name)[1:-1]


def _character(reference: re.Match[str]) -> str:
    hexadecimal, decimal, entity = reference.groups()
    if entity:
        return _ENTITIES[entity]
    return chr(int(hexadecimal, 16) if hexadecimal else int(decimal))


def _error(path: Path, line: int, text: str) -> MetadataXmlError:
    return MetadataXmlError(fault_text(path, line, text))
