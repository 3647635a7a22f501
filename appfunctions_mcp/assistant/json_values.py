"""JSON values as a conversation keeps them: checked, copied, and free of what cannot be sent."""

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["MAX_DEPTH", "NotJsonError", "copied", "is_object", "mentions", "sendable"]

MAX_DEPTH = 100
"""How deep arrays and objects of a kept value may be nested; nothing sensible comes near."""

_UNPAIRED = "\ufffd"


class NotJsonError(ValueError):
    """A value is no JSON value; the text names the place, as a JSON pointer, and what is there."""


def copied(value: Any, path: str = "", depth: int = MAX_DEPTH) -> Any:
    """A copy of a JSON value that shares nothing changeable with it.

    Args:
        value: What is copied; any mapping counts as an object.
        path: Where it stands, for the error.
        depth: How deep it may be nested.

    Raises:
        NotJsonError: It is no JSON value, holds NaN or an infinite number, or is too deep.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJsonError(f"{path}: {value} is no JSON number")
        return value
    if not isinstance(value, (Mapping, list, tuple)):
        raise NotJsonError(f"{path}: {type(value).__name__} is no JSON value")
    if not depth:
        raise NotJsonError(f"{path}: nested deeper than {MAX_DEPTH} levels")
    if not isinstance(value, Mapping):
        return [copied(each, f"{path}/{place}", depth - 1) for place, each in enumerate(value)]
    for name in value:
        if not isinstance(name, str):
            raise NotJsonError(f"{path}: a member is named by {type(name).__name__}, not by text")
    return {name: copied(each, f"{path}/{name}", depth - 1) for name, each in value.items()}


def is_object(value: Any) -> bool:
    """Whether something is a JSON object through and through."""
    if not isinstance(value, Mapping):
        return False
    try:
        copied(value)
    except NotJsonError:
        return False
    return True


def sendable(value: Any) -> Any:
    """A JSON value as UTF-8 can carry it: half a surrogate becomes U+FFFD.

    Models write such halves where they are cut inside a picture sign. Equal where there is none.
    """
    if isinstance(value, str):
        if value.isascii():
            return value
        return "".join(_UNPAIRED if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, Mapping):
        return {sendable(name): sendable(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(each) for each in value]
    return value


def mentions(value: Any, text: str) -> bool:
    """Whether a text is one of the values inside a JSON value."""
    if isinstance(value, Mapping):
        return any(mentions(each, text) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(mentions(each, text) for each in value)
    return isinstance(value, str) and value == text
