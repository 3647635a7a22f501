"""Values from an address that a function may use as a path: decoded, and looked at first.

What leads out of the place where a value is put is found in every encoding that some decoder
accepts. Knows nothing of templates.
"""

import re
from collections.abc import Mapping

from appfunctions_mcp.lazy_regex import regex

_ENCODED = regex(r"(?:%[0-9A-Fa-f]{2})+")
_OVERLONG = regex(r"(%c1%9c)|(%c0%af|%e0%80%af)|(%c0%ae|%e0%80%ae)", re.IGNORECASE)
"""A backslash, a slash and a dot in forms that UTF-8 forbids and careless decoders accept."""
_DRIVE = regex(r"[A-Za-z]:")
_MOST_ENCODINGS = 8


def decoded(text: str) -> str | None:
    """A text with its percent encodings undone, None where they are not those of UTF-8."""
    if "%" not in text:
        return text
    try:
        plain = _ENCODED.sub(lambda run: _from_hex(run.group()), text)
    except UnicodeDecodeError:
        return None
    return plain if "%" not in _ENCODED.sub("", text) else None


def _from_hex(run: str) -> str:
    return bytes.fromhex(run.replace("%", "")).decode()


def fault_in(values: Mapping[str, str | list[str]]) -> str | None:
    """Why values must not reach a function: one of them, or a list put together, leads out.

    Returns:
        The name of the value and what is wrong with it; None where nothing is.
    """
    for name, value in values.items():
        texts = [value] if isinstance(value, str) else [*value, "/".join(value)]
        for text in texts:
            fault = traversal_in(text)
            if fault is not None:
                return f"{name} {fault}"
    return None


def traversal_in(value: str) -> str | None:
    """Why a value must not reach a function that may use it as a path.

    Looks at the value itself and at what is left when percent encodings in it are undone, as
    often as there are any.

    Returns:
        What is wrong with it; None for a value that stays below wherever it is put.
    """
    for _ in range(_MOST_ENCODINGS):
        fault = _fault_of(value)
        if fault:
            return fault
        plain = _OVERLONG.sub(lambda found: "\\/."[found.lastindex - 1], value)  # type: ignore[operator] # one group always matches
        plain = _ENCODED.sub(_leniently, plain)
        if plain == value:
            return None
        value = plain
    return "is encoded too often"


def _leniently(run: "re.Match[str]") -> str:
    return bytes.fromhex(run.group().replace("%", "")).decode(errors="replace")


def _fault_of(value: str) -> str | None:
    if "\0" in value:
        return "holds a NUL"
    if "\\" in value:
        return "holds a backslash"
    if any(segment.strip() == ".." for segment in value.split("/")):
        return "leads out with '..'"
    if value.startswith("/"):
        return "is an absolute path"
    if _DRIVE.match(value):
        return "names a drive"
    return None
