"""Reads calls as people type them: `FUNCTION {JSON}` or `FUNCTION key=value …`.

Knows no functions, and so no types: a bare value stays text.
"""

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

__all__ = ["TypedCall", "TypingError", "parse_typed_calls"]

_BETWEEN = regex(r"[\s;]*")
_BLANKS = regex(r"[ \t]*")
_NAME = regex(r"[^\s;{=]*")
_KEY = regex(r"([^\s=;{}\"']+)=")
_WORD = regex(r"[^\s;]*")
_ENDS = ("", "\n", "\r", ";")


class TypingError(ValueError):
    """A text is no call; says what was read and what was expected.

    Args:
        name: The function that was named.
        what: The fault.
    """

    def __init__(self, name: str, what: str) -> None:
        super().__init__(what)
        self.name = name


@record(frozen=True, slots=True)
class TypedCall:
    """One call as it was typed."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Those whose value has a form of its own: JSON, or text in quotes."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Those that are bare words."""


def parse_typed_calls(text: str) -> list[TypedCall]:
    """The calls of a text, in their order.

    Args:
        text: Calls, parted by `;` or line ends.

    Raises:
        TypingError: Something in it is no call.
    """
    reader = _Reader(text)
    calls: list[TypedCall] = []
    while not reader.is_at_end():
        calls.append(reader.call())
    return calls


class _Reader:
    """Goes through a text from its beginning.

    Args:
        text: What was typed.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._name = ""

    def is_at_end(self) -> bool:
        self._take(_BETWEEN)
        return self._at == len(self._text)

    def call(self) -> TypedCall:
        self._name = self._take(_NAME)
        self._take(_BLANKS)
        if self._next() == "{":
            arguments = self._json()
            self._take(_BLANKS)
            if self._next() not in _ENDS:
                raise self._fault("what follows the JSON object")
            return TypedCall(self._name, arguments)
        arguments, texts = {}, {}
        while self._next() not in _ENDS:
            key = _KEY.match(self._text, self._at)
            if key is None:
                raise self._fault(quoted(self._take(_WORD)))
            self._at = key.end()
            if self._next() in {"{", "[", '"'}:
                arguments[key[1]] = self._json()
            elif self._next() == "'":
                arguments[key[1]] = self._in_apostrophes()
            else:
                texts[key[1]] = self._take(_WORD)
            self._take(_BLANKS)
        return TypedCall(self._name, arguments, texts)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: Any) -> str:
        found = pattern.match(self._text, self._at)
        self._at = found.end()
        return str(found[0])

    def _json(self) -> Any:
        try:
            _, end = json.JSONDecoder().raw_decode(self._text, self._at)
            value = read_json(self._text[self._at : end])
        except (JsonTextError, ValueError, RecursionError) as fault:
            what = str(fault).removeprefix("not JSON: ")
            raise TypingError(
                self._name, f"The arguments of {self._name} are no JSON: {what}."
            ) from fault
        self._at = end
        return value

    def _in_apostrophes(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise self._fault("an apostrophe without a second one")
        value = self._text[self._at + 1 : end]
        self._at = end + 1
        return value

    def _fault(self, what: str) -> TypingError:
        return TypingError(
            self._name, f"After {quoted(self._name)} comes {what}; key=value or JSON was expected."
        )
