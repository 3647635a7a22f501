"""Reads the plain JSON that a handshake is made of, without importing anything.

The standard library's parser needs regular expressions, which cost more time than the rest of
a start. Whatever is out of the ordinary is refused here, for a full parser to judge: escapes in
texts, fractions, negative numbers, members named twice, deep nesting.
"""

MAX_DEPTH = 16
MAX_DIGITS = 15

_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class NotPlainError(ValueError):
    """The text is no plain JSON; it may well be JSON."""


def read_plain_json(text: str) -> object:
    """Reads one value.

    Args:
        text: All of it, in one line.

    Returns:
        The value, equal to what any JSON parser makes of the text.

    Raises:
        NotPlainError: The text is not plain, or no JSON at all.
    """
    if "\\" in text or not text.isprintable():
        raise NotPlainError
    try:
        value, end = _value(text, _skip(text, 0), MAX_DEPTH)
        if _skip(text, end) != len(text):
            raise NotPlainError
    except (IndexError, ValueError):
        raise NotPlainError from None
    return value


def _skip(text: str, at: int) -> int:
    """The place of the next character that is no blank."""
    while text[at : at + 1] == " ":
        at += 1
    return at


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    """The value that begins at a place, and where it ends."""
    first = text[at]
    if first == '"':
        end = text.index('"', at + 1)
        return text[at + 1 : end], end + 1
    if first in "{[":
        if not depth:
            raise NotPlainError
        read = _object if first == "{" else _array
        return read(text, _skip(text, at + 1), depth - 1)
    if first in _WORDS:
        word, value = _WORDS[first]
        if text.startswith(word, at):
            return value, at + len(word)
    return _number(text, at)


def _object(text: str, at: int, depth: int) -> tuple[object, int]:
    members: dict[str, object] = {}
    if text[at] == "}":
        return members, at + 1
    while True:
        if text[at] != '"':
            raise NotPlainError
        end = text.index('"', at + 1)
        name = text[at + 1 : end]
        at = _skip(text, end + 1)
        if name in members or text[at] != ":":
            raise NotPlainError
        members[name], at = _value(text, _skip(text, at + 1), depth)
        at = _skip(text, at)
        if text[at] == "}":
            return members, at + 1
        at = _after_comma(text, at)


def _array(text: str, at: int, depth: int) -> tuple[object, int]:
    items: list[object] = []
    if text[at] == "]":
        return items, at + 1
    while True:
        item, at = _value(text, at, depth)
        items.append(item)
        at = _skip(text, at)
        if text[at] == "]":
            return items, at + 1
        at = _after_comma(text, at)


def _after_comma(text: str, at: int) -> int:
    if text[at] != ",":
        raise NotPlainError
    return _skip(text, at + 1)


def _number(text: str, at: int) -> tuple[int, int]:
    end = at
    while "0" <= text[end : end + 1] <= "9":
        end += 1
    digits = text[at:end]
    if not digits or len(digits) > MAX_DIGITS or (digits[0] == "0" and len(digits) > 1):
        raise NotPlainError
    if text[end : end + 1] in {".", "e", "E"}:
        raise NotPlainError
    return int(digits), end
