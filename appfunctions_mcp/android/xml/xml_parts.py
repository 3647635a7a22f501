"""Asks an element of a functions XML for its parts: texts, truth values, numbers, elements.

Order does not matter. What nobody asked for is not carried over, and the author is told; what
cannot be read is a fault. Knows nothing of what the parts mean.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from appfunctions_mcp.android.xml.document_checks import BLANKS
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.xml_elements import XmlElement, XmlText

T = TypeVar("T")

_NUMBER = regex(r"[+-]?[0-9]{1,18}\Z")
_TRUTH = {"true": True, "false": False}


class ElementReader:
    """Reads the children of one element.

    Args:
        element: What is read.
        report: Takes faults and warnings.
        place: Where in the document it stands, for messages.
    """

    def __init__(self, element: XmlElement, report: FaultReport, place: str = "") -> None:
        self.line = element.line
        self.place = place
        self._element = element
        self._report = report
        self._asked: dict[str, None] = {}
        self._children: dict[str, list[XmlElement]] = {}
        for part in element.content:
            if isinstance(part, XmlText):
                self._refuse_text(part.text)
            else:
                self._children.setdefault(_key_of(part), []).append(part)
        for attribute in element.attributes:
            self.warn(f"the attribute {quoted(attribute.qualified)} is not carried over")

    def fault(self, text: str, line: int | None = None) -> None:
        """Reports what cannot be read."""
        self._report.fault(line or self.line, f"{self.place}: {text}" if self.place else text)

    def warn(self, text: str, line: int | None = None) -> None:
        """Reports what is left out."""
        self._report.warn(line or self.line, f"{self.place}: {text}" if self.place else text)

    def has(self, name: str) -> bool:
        """Whether there is such a child."""
        return name in self._children

    def many(self, name: str) -> list[XmlElement]:
        """The children of this name, in order."""
        self._asked[name] = None
        return self._children.get(name, [])

    def one(self, name: str, *, required: bool = False) -> XmlElement | None:
        """The one child of this name; that it stands twice, or is missing, is a fault."""
        found = self.many(name)
        if len(found) > 1:
            self.fault(
                f"<{name}> stands twice (first in line {found[0].line}); once is accepted",
                found[1].line,
            )
        if required and not found:
            self.fault(f"<{self._element.qualified}> has no <{name}>; add it")
        return found[0] if found else None

    def inside(self, element: XmlElement, what: str = "") -> "ElementReader":
        """A reader of an element that stands in this one."""
        place = f"{self.place}, {what}" if self.place and what else self.place or what
        return ElementReader(element, self._report, place)

    def text(self, name: str) -> str | None:
        """A text as it is written, blanks and line breaks included."""
        found = self.one(name)
        return None if found is None else self._text_of(found)

    def name(self, name: str, *, required: bool = False) -> str | None:
        """A text without the blanks around it; an empty one is none, and a fault if required."""
        found = self.one(name, required=required)
        if found is None:
            return None
        text = self._text_of(found).strip(BLANKS)
        if required and not text:
            self.fault(f"<{name}> is empty; write a name", found.line)
        return text or None

    def texts(self, name: str) -> list[str]:
        """The texts of all children of this name, as they are written."""
        return [self._text_of(found) for found in self.many(name)]

    def truth(self, name: str) -> bool | None:
        """True or false; None where the element is missing or, then reported, says neither."""
        return self.choice(name, _TRUTH.get, _TRUTH)

    def number(self, name: str, *, required: bool = False) -> int | None:
        """A whole number; None where it is missing or, then reported, is none."""
        if required and not self.has(name):
            self.fault(f"<{self._element.qualified}> has no <{name}>; add it")
        return self.choice(name, _number_of, ("whole numbers",))

    def choice(
        self, name: str, parse: Callable[[str], T | None], accepted: Iterable[str]
    ) -> T | None:
        """A value of the accepted ones; None where it is missing or, then reported, another.

        Args:
            name: Of the element.
            parse: Makes a value of a text; None where the text is not accepted.
            accepted: What is accepted, for the message.
        """
        found = self.one(name)
        if found is None:
            return None
        text = self._text_of(found).strip(BLANKS)
        value = parse(text)
        if value is None:
            self.fault(f"<{name}> is {quoted(text)}; accepted: {', '.join(accepted)}", found.line)
        return value

    def leave_out(self, meaningless: Iterable[str] = (), owner: str = "") -> None:
        """Tells the author of the children that nobody asked for.

        Args:
            meaningless: Names that are known, but mean nothing here.
            owner: What they mean nothing to.
        """
        for name, found in self._children.items():
            if name in self._asked:
                continue
            shown = f"<{found[0].qualified}>"
            if name in meaningless:
                text = f"{shown} means nothing to {owner} and is not carried over"
            else:
                known = [each for each in self._asked if each not in self._children]
                nearest = nearest_names(name, known, limit=1)
                advice = f"; perhaps <{nearest[0]}> is meant" if nearest else ""
                text = f"the unknown element {shown} is not carried over{advice}"
            self.warn(text, found[0].line)

    def _text_of(self, leaf: XmlElement) -> str:
        for attribute in leaf.attributes:
            self.warn(f"the attribute {quoted(attribute.qualified)} is not carried over", leaf.line)
        children = leaf.children
        if children:
            self.fault(
                f"<{leaf.qualified}> holds <{children[0].qualified}>; accepted is text alone",
                children[0].line,
            )
        return "".join(part.text for part in leaf.content if isinstance(part, XmlText))

    def _refuse_text(self, text: str) -> None:
        if text.strip(BLANKS):
            self.fault(
                f"text in <{self._element.qualified}>: {quoted(text.strip(BLANKS))}; accepted are "
                "elements alone"
            )


def _number_of(text: str) -> int | None:
    return int(text) if _NUMBER.match(text) else None


def _key_of(element: XmlElement) -> str:
    """The name of an element; one in a namespace is none of ours, whatever its name."""
    return f"{element.namespace}:{element.name}" if element.namespace else element.name
