"""JSON as `org.json` reads and writes it on Android, which scripts for a device rely on.

A shell that takes the quotes away leaves `{title:Milk}`, and the reader accepts it: names and
texts without quotes or in single ones, `=`, `=>` and `;`, comments, octal and hexadecimal
numbers, and anything after the end. The writer escapes every `/` and writes 5.0 as 5.
"""

import json
import math
from decimal import Decimal
from typing import Any

from appfunctions_mcp.android.shell.words import ShellError
from appfunctions_mcp.json_text import without_half_surrogates
from appfunctions_mcp.lazy_regex import regex

__all__ = ["MAX_DEPTH", "java_text", "json_fault", "json_text", "read_json_object", "type_mismatch"]

MAX_DEPTH = 100
"""How deep values may stand in each other."""

_ENDS_LITERAL = regex(r"[{}\[\]/\\:,=;# \t\f\r\n]")
_LINE_END = regex(r"[\r\n]")
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_WORDS = {"null": None, "true": True, "false": False}
_WHOLE = {
    8: regex(r"[+-]?[0-7]+\Z"),
    10: regex(r"[+-]?[0-9]+\Z"),
    16: regex(r"[+-]?[0-9A-Fa-f]+\Z"),
}
_DECIMAL = regex(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)\Z")
_HEX_DIGITS = regex(r"[0-9A-Fa-f]{4}\Z")
_MAX_LONG_DIGITS = 20
_JAVA_CLASSES = {
    str: "java.lang.String",
    bool: "java.lang.Boolean",
    float: "java.lang.Double",
    list: "org.json.JSONArray",
    dict: "org.json.JSONObject",
    type(None): "org.json.JSONObject$1",
}


def read_json_object(text: str) -> dict[str, Any]:
    """The object that a text begins with.

    Raises:
        ShellError: There is none; the message is that of a device.
    """
    value = _Reader(text.removeprefix("\ufeff")).value()
    if not isinstance(value, dict):
        raise type_mismatch(value, "JSONObject")
    return value


def json_fault(message: str) -> ShellError:
    """What a device says of JSON that cannot be used."""
    return ShellError("org.json.JSONException", message)


def type_mismatch(value: object, wanted: str, index: int | None = None) -> ShellError:
    """What a device says of a value of another type.

    Args:
        value: The value.
        wanted: What was asked for, such as `long`.
        index: Where in a list it stands.
    """
    place = "" if index is None else f" at {index}"
    found = f"Value {java_text(value)}{place} of type {_java_class(value)}"
    return json_fault(f"{found} cannot be converted to {wanted}")


def java_text(value: object) -> str:
    """A JSON value as Java's `toString` writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return _double_text(value)
    return json_text(value)


def json_text(value: object, *, indent: int | None = None) -> str:
    """A JSON value as text.

    Args:
        value: What is written.
        indent: How many blanks a level has; one line, without blanks, where there is none.
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        _with_whole_numbers(value), ensure_ascii=False, indent=indent, separators=separators
    )
    return text.replace("/", "\\/")  # which stands in texts only


def _with_whole_numbers(value: object) -> object:
    # No comprehensions, each of which would stand on the stack with what it calls.
    if isinstance(value, dict):
        return dict(zip(value, map(_with_whole_numbers, value.values()), strict=True))
    if isinstance(value, list | tuple):
        return list(map(_with_whole_numbers, value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return int(value) if value or math.copysign(1, value) > 0 else value  # -0.0 stays so
    return value


def _double_text(value: float) -> str:
    """A float as `Double.toString` writes it: with an exponent from ten million on."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    if not value or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    mantissa, exponent = f"{Decimal(repr(value)).normalize():E}".split("E")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(exponent)}"


def _java_class(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return "java.lang.Integer" if -(2**31) <= value < 2**31 else "java.lang.Long"
    return _JAVA_CLASSES[type(value)]


class _Reader:
    """Reads one value, character by character, with the tolerance of `org.json.JSONTokener`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def value(self) -> Any:
        """The next value.

        Raises:
            ShellError: There is none.
        """
        match self._next_clean():
            case "":
                raise self._fault("End of input")
            case "{":
                return self._nested(self._object)
            case "[":
                return self._nested(self._array)
            case "'" | '"' as quote:
                return self._string(quote)
            case _:
                self._at -= 1
                return self._literal()

    def _fault(self, message: str) -> ShellError:
        return json_fault(f"{message} at character {self._at} of {self._text}")

    def _nested(self, read: Any) -> Any:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fault(f"More than {MAX_DEPTH} levels of nesting")
        found = read()
        self._depth -= 1
        return found

    def _next_clean(self) -> str:
        """The next character behind blanks and comments; empty at the end."""
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character in " \t\r\n":
                continue
            following = self._text[self._at : self._at + 1] if character == "/" else ""
            if character == "#" or following == "/":
                self._skip_line()
            elif following == "*":
                self._skip_comment()
            else:
                return character
        return ""

    def _skip_line(self) -> None:
        end = _LINE_END.search(self._text, self._at)
        self._at = end.end() if end else len(self._text)

    def _skip_comment(self) -> None:
        self._at += 1
        end = self._text.find("*/", self._at)
        if end < 0:
            raise self._fault("Unterminated comment")
        self._at = end + 2

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        first = self._next_clean()
        if first == "}":
            return found
        self._at -= len(first)
        while True:
            name = self.value()
            if not isinstance(name, str):
                what = f"{java_text(name)} is of type {_java_class(name)}"
                raise self._fault(f"Names must be strings, but {what}")
            if self._next_clean() not in {":", "="}:
                raise self._fault(f"Expected ':' after {name}")
            if self._text[self._at : self._at + 1] == ">":
                self._at += 1
            found[name] = self._finite(self.value())
            match self._next_clean():
                case "}":
                    return found
                case "," | ";":
                    continue
                case _:
                    raise self._fault("Unterminated object")

    def _finite(self, value: object) -> object:
        if isinstance(value, float) and not math.isfinite(value):
            raise json_fault(f"Forbidden numeric value: {java_text(value)}")
        return value

    def _array(self) -> list[Any]:
        found: list[Any] = []
        follows = False
        while True:
            match self._next_clean():
                case "":
                    raise self._fault("Unterminated array")
                case "]":
                    return [*found, None] if follows else found
                case "," | ";":
                    found.append(None)
                    follows = True
                    continue
                case _:
                    self._at -= 1
            found.append(self.value())
            match self._next_clean():
                case "]":
                    return found
                case "," | ";":
                    follows = True
                case _:
                    raise self._fault("Unterminated array")

    def _string(self, quote: str) -> str:
        parts: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character == quote:
                return without_half_surrogates("".join(parts))
            parts.append(self._escaped() if character == "\\" else character)
        raise self._fault("Unterminated string")

    def _escaped(self) -> str:
        if self._at == len(self._text):
            raise self._fault("Unterminated escape sequence")
        character = self._text[self._at]
        self._at += 1
        if character != "u":
            return _ESCAPES.get(character, character)
        digits = self._text[self._at : self._at + 4]
        if len(digits) < 4:
            raise self._fault("Unterminated escape sequence")
        self._at += 4
        if not _HEX_DIGITS.match(digits):
            raise self._fault(f"Invalid escape sequence: {digits}")
        return chr(int(digits, 16))

    def _literal(self) -> Any:
        end = _ENDS_LITERAL.search(self._text, self._at)
        start, self._at = self._at, end.start() if end else len(self._text)
        literal = self._text[start : self._at]
        if not literal:
            raise self._fault("Expected literal value")
        if literal.lower() in _WORDS:
            return _WORDS[literal.lower()]
        number = None if "." in literal else _long(literal)
        if number is None and _DECIMAL.match(literal):
            return float(literal.rstrip("fFdD") if literal[-1] in "fFdD" else literal)
        return without_half_surrogates(literal) if number is None else number


def _long(literal: str) -> int | None:
    """What Java reads as a long; None for what it does not."""
    base, digits = 10, literal
    if literal[:2] in {"0x", "0X"}:
        base, digits = 16, literal[2:]
    elif literal[0] == "0" and len(literal) > 1:
        base, digits = 8, literal[1:]
    if not _WHOLE[base].match(digits) or len(digits.lstrip("+-0")) > _MAX_LONG_DIGITS:
        return None
    number = int(digits, base)
    return number if -(2**63) <= number < 2**63 else None
