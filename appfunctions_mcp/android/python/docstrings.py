"""Texts of Android → docstrings, as far as our own parser gives them back unchanged.

A text that it would not give back stands elsewhere: in a decorator or in a `Field`. Docstrings
are indented for where they stand.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field

from appfunctions_mcp.docstrings import ParsedDocstring, parse_docstring

_STEP = "    "


@dataclass(frozen=True, slots=True)
class FunctionTexts:
    """What is said of a function, part by part; an empty text says nothing."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Texts by the parameter's name in Python."""
    returns: str = ""

    def said(self) -> "FunctionTexts":
        """The same without parameters of which nothing is said."""
        parameters = {name: text for name, text in self.parameters.items() if text}
        return FunctionTexts(self.description, parameters, self.returns)


def docstring_part(texts: FunctionTexts) -> FunctionTexts:
    """Those of the texts that can stand in one docstring.

    Args:
        texts: What is said of a function.
    """
    texts = texts.said()
    if _is_faithful(texts):
        return texts
    description = texts.description if _is_faithful(FunctionTexts(texts.description)) else ""
    parameters = {
        name: text
        for name, text in texts.parameters.items()
        if _is_faithful(FunctionTexts(description, {name: text}))
    }
    alone = FunctionTexts(description, returns=texts.returns)
    fitting = FunctionTexts(description, parameters, texts.returns if _is_faithful(alone) else "")
    return fitting if _is_faithful(fitting) else FunctionTexts(description)


def function_docstring(texts: FunctionTexts) -> str | None:
    """The docstring of a function, indented; None where nothing is said.

    Args:
        texts: What is said in it.
    """
    parts = [_indented(texts.description, _STEP)] if texts.description else []
    if texts.parameters:
        entries = (
            _indented(f"{name}: {text}", _STEP * 2, hanging=_STEP)
            for name, text in texts.parameters.items()
        )
        parts.append("\n".join(["Args:", *(f"{_STEP * 2}{entry}" for entry in entries)]))
    if texts.returns:
        parts.append(f"Returns:\n{_STEP * 2}{_indented(texts.returns, _STEP * 2)}")
    return _closed(f"\n\n{_STEP}".join(parts)) if parts else None


def class_docstring(description: str, class_name: str) -> str | None:
    """The docstring of a class, indented; None where none gives the description back.

    Args:
        description: What is said of the class.
        class_name: Its name; what begins with it and a bracket counts as made by a machine.
    """
    if not _is_faithful(FunctionTexts(description)) or description.startswith(f"{class_name}("):
        return None
    return function_docstring(FunctionTexts(description))


def field_docstring(description: str) -> str | None:
    """The docstring under a field, indented; None where none gives the description back.

    Args:
        description: What is said of the field.
    """
    if not description or any(line != line.rstrip() for line in description.split("\n")):
        return None
    text = _indented(description, _STEP)
    return text if inspect.cleandoc(text) == description else None


def _is_faithful(texts: FunctionTexts) -> bool:
    expected = ParsedDocstring(
        description=texts.description, parameters=dict(texts.parameters), returns=texts.returns
    )
    return parse_docstring(function_docstring(texts)) == expected


def _indented(text: str, indent: str, hanging: str = "") -> str:
    """A text whose lines after the first are indented; blank lines stay empty."""
    first, *more = text.split("\n")
    return "\n".join([first, *(f"{indent}{hanging}{line}" if line else "" for line in more)])


def _closed(text: str) -> str:
    """A docstring of several lines ends on a line of its own."""
    return f"{text}\n{_STEP}" if "\n" in text else text
