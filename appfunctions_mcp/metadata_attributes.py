"""Reads the attributes of one element of the metadata XML, and reports what is wrong with them.

A reader is asked for each attribute that the element has; what nobody asked for is unknown.
"""

from collections.abc import Iterable
from typing import TypeVar

from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata_values import Parser
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.string_escapes import EscapedText
from appfunctions_mcp.string_resources import (
    NOTHING,
    StringResources,
    UnresolvedStringError,
    is_reference,
)
from appfunctions_mcp.xml_elements import XmlAttribute, XmlElement

ANDROIDX = "http://schemas.android.com/apk/androidx.appfunctions"
RES_AUTO = "http://schemas.android.com/apk/res-auto"
MCP = "urn:appfunctions-mcp:metadata:1"

T = TypeVar("T")

_LINE_BREAK = regex(r"\r\n|\r|\n")
_BLANKS = regex(r"[ \t]+")
_ANY_BLANKS = regex(r"[ \t\r\n]+")


class TextReader:
    """Reads attributes that hold text for people or models: escapes, references, line breaks.

    Args:
        strings: Where references are looked up.
        report: Takes faults and warnings.
    """

    def __init__(self, strings: StringResources, report: FaultReport) -> None:
        self._strings = strings
        self._report = report

    def read(
        self, attribute: XmlAttribute, *, several_lines: bool, may_be_missing: bool = False
    ) -> str | None:
        """The text that an attribute gives; None where a fault was reported.

        Args:
            attribute: What is read.
            several_lines: Whether line breaks are kept; else they are blanks.
            may_be_missing: Whether a reference that nothing has gives an empty text and a
                warning; else it is a fault.
        """
        written = attribute.value.strip()
        if written in NOTHING:
            return ""
        if not is_reference(written):
            return self._literal(attribute, written, several_lines=several_lines)
        try:
            return self._strings.resolve(written, strip_lines=several_lines)
        except UnresolvedStringError as error:
            text = f"{attribute.qualified} is {quoted(written)}, but {error}"
            if error.is_missing and may_be_missing:
                self._report.warn(attribute.line, f"{text}; it is left empty")
                return ""
            self._report.fault(attribute.line, text)
            return None

    def _literal(self, attribute: XmlAttribute, written: str, *, several_lines: bool) -> str:
        reading = EscapedText()
        reading.add(written, keep_blanks=True)
        text = reading.finish()
        for fault in reading.faults:
            self._report.fault(attribute.line, f"{attribute.qualified}: {fault}")
        for warning in reading.warnings:
            self._report.warn(attribute.line, f"{attribute.qualified}: {warning}")
        if not several_lines:
            return _ANY_BLANKS.sub(" ", text).strip(" ")
        lines = (_BLANKS.sub(" ", line).strip(" ") for line in _LINE_BREAK.split(text))
        return "\n".join(lines).strip("\n")


class AttributeReader:
    """Reads one element's attributes of one namespace.

    Args:
        element: Whose attributes are read.
        texts: Reads those that hold text.
        report: Takes faults.
        namespace: Which attributes: those without a namespace, or the root's in ours.
    """

    def __init__(
        self, element: XmlElement, texts: TextReader, report: FaultReport, namespace: str = ""
    ) -> None:
        self._element = element
        self._texts = texts
        self._report = report
        self._prefix = "mcp:" if namespace else ""
        self._given = {a.name: a for a in element.attributes if a.namespace == namespace}
        self._asked: dict[str, None] = {}

    def value(self, name: str, parse: Parser[T]) -> T | None:
        """The value of an attribute; None if it is left out or, then reported, not accepted."""
        self._asked[name] = None
        attribute = self._given.get(name)
        if attribute is None:
            return None
        written = attribute.value.strip()
        if is_reference(written):
            self._fault(attribute, "a value of its own, not a reference to a string")
            return None
        try:
            return parse(written)
        except ValueError as accepted:
            self._fault(attribute, str(accepted))
            return None

    def required(self, name: str, parse: Parser[T]) -> T | None:
        """As `value`; that it is left out is reported too."""
        if name not in self._given:
            self._report.fault(
                self._element.line,
                f"<{self._element.qualified}> has no {self._prefix}{name}; add it",
            )
        return self.value(name, parse)

    def text(self, name: str, *, several_lines: bool = False) -> str | None:
        """A text, resolved; None if it is left out or empty."""
        self._asked[name] = None
        attribute = self._given.get(name)
        if attribute is None:
            return None
        return self._texts.read(attribute, several_lines=several_lines) or None

    def report_unknown(self) -> None:
        """Reports the attributes that nobody asked for."""
        for name, attribute in self._given.items():
            if name not in self._asked and not self._report.is_full:
                self._report.fault(
                    attribute.line,
                    f"<{self._element.qualified}> has no attribute {quoted(attribute.qualified)}; "
                    + accepted_names(name, self._asked, self._prefix),
                )

    def _fault(self, attribute: XmlAttribute, accepted: str) -> None:
        self._report.fault(
            attribute.line,
            f"{attribute.qualified} of <{self._element.qualified}> is {quoted(attribute.value)}; "
            f"accepted is {accepted}",
        )


def accepted_names(name: str, known: Iterable[str], prefix: str = "") -> str:
    """The end of a fault: the names that were probably meant, else all there are."""
    nearest = nearest_names(name, known)
    if nearest:
        return "perhaps " + " or ".join(f"{prefix}{name}" for name in nearest)
    return "accepted are " + ", ".join(f"{prefix}{name}" for name in known)
