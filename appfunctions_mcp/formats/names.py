"""Names as every provider takes them, made of names as functions have them.

A name that is accepted stays as it is. Any other one is changed, and cut where it is too long,
and ends in a hash of what it was, so that it never depends on the names beside it and two names
hardly ever meet. Knows no provider.
"""

import hashlib
from collections.abc import Iterable
from re import Pattern

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.names import TOOL_NAME
from appfunctions_mcp.quoting import quoted

__all__ = ["PROPERTY_KEY", "ExportedNameError", "any_key", "exported_name", "exported_names"]

MOST_CHARACTERS = 64
"""How long a name may be at every provider (field cases F13, F14, F20)."""
PROPERTY_KEY = regex(r"[A-Za-z0-9_.-]{1,64}\Z")
"""What Anthropic's API accepts as the name of a property."""

_NOT_ACCEPTED = regex(r"[^A-Za-z0-9_-]+")
_HASH_CHARACTERS = 8


class ExportedNameError(AppFunctionsError):
    """Two functions, or two properties of one object, would have one name at a provider."""


def exported_name(
    name: str, *, most: int = MOST_CHARACTERS, accepted: Pattern[str] = TOOL_NAME
) -> str:
    """The name that stands for a name at a provider; the same each time, whatever is beside it.

    Args:
        name: Any text, such as the name of a foreign tool or `com.example.Notes#createNote`.
        most: How many characters the provider accepts, at least 16.
        accepted: Matches names that may stay as they are. What is made of others always begins
            with a letter or `_` and has letters, digits, `_` and `-`.
    """
    if len(name) <= most and accepted.match(name):
        return name
    spelled = _NOT_ACCEPTED.sub("_", name)
    if not spelled[:1].isalpha():
        spelled = "_" + spelled.lstrip("_-")
    # Half a surrogate is no UTF-8, but may stand in a foreign name.
    written = name.encode("utf-8", "surrogatepass")
    ending = hashlib.sha256(written).hexdigest()[:_HASH_CHARACTERS]
    return f"{spelled[: most - _HASH_CHARACTERS - 1].rstrip('_')}_{ending}"


def any_key(name: str) -> str:
    """The key of a property where a provider takes any text; half a surrogate is in none.

    Args:
        name: What the function calls the property.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return exported_name(name)
    return name


def exported_names(
    names: Iterable[str], *, most: int = MOST_CHARACTERS, accepted: Pattern[str] = TOOL_NAME
) -> dict[str, str]:
    """The exported name of each name.

    Args:
        names: What functions, or the properties of one object, are called.
        most: As in `exported_name`.
        accepted: As in `exported_name`.

    Raises:
        ExportedNameError: A name occurs twice, or two have one exported name; names both.
    """
    exported: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        own = exported_name(name, most=most, accepted=accepted)
        if own in owners:
            raise ExportedNameError(
                f"{quoted(owners[own])} and {quoted(name)} would both be {quoted(own)} at the "
                "provider; rename one of them, or give one server a prefix"
            )
        exported[name], owners[own] = own, name
    return exported
