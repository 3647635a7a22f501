"""Names of Android → names of Python: identifiers, each once, none that means something else.

A name that Python accepts stays as it is. Of any other one an identifier is made that looks
alike; what it is called on Android is then said beside it. Knows nothing of types.
"""

import keyword
from collections.abc import Iterable
from functools import cache
from unicodedata import normalize

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import with_escapes

MAX_NAME = 64
"""How long an identifier may be."""
TYPES = frozenset({"bool", "bytes", "float", "int", "list", "str"})
"""Names of Python's own that the types of a module are written with."""

_AMBIGUOUS = frozenset({"I", "O", "l"})
_WORD = regex(r"[^\W_]+")
_CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_QUALIFIED = regex(r"[^<>,\s]+")


class NameTable:
    """Gives out the names of one namespace, each once.

    Args:
        reserved: Names that are taken from the start.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def reserve(self, names: Iterable[str]) -> None:
        """Takes names, whether they are free or not."""
        self._taken.update(names)

    def claim(self, *candidates: str) -> str:
        """The first candidate that is free; else the last one with a number."""
        number, chosen = 2, next((each for each in candidates if each not in self._taken), None)
        while chosen is None:
            numbered = f"{candidates[-1]}_{number}"
            chosen = None if numbered in self._taken else numbered
            number += 1
        self._taken.add(chosen)
        return chosen


def is_identifier(text: str) -> bool:
    """Whether a name can stand in Python as it is, and reads as what it is."""
    return (
        text.isidentifier()
        and len(text) <= MAX_NAME
        and not keyword.iskeyword(text)
        and not text.startswith("_")
        and text not in _AMBIGUOUS
        and normalize("NFKC", text) == text
        and with_escapes(text) == text
    )


def candidates_for(text: str, otherwise: str) -> tuple[str, ...]:
    """What a parameter, property or function may be called, best first.

    Args:
        text: Its name on Android.
        otherwise: A word for it where nothing can be made of the name.
    """
    made = _identifier_of(text) or otherwise
    after = f"{made}_"
    if is_identifier(text):
        return text, after
    return (made, after) if is_identifier(made) else (after,)


def class_names_for(qualified: str, otherwise: str) -> tuple[str, ...]:
    """What a class may be called, shortest first: its own name, with its outer classes, all of it.

    Args:
        qualified: Its name on Android, such as `com.example.Outer$Inner<kotlin.Int>`.
        otherwise: A word for it where nothing can be made of the name.
    """
    first, *arguments = _QUALIFIED.findall(qualified) or [""]
    behind = "".join(_titled(argument.split(".")[-1]) for argument in arguments)
    package, _, own = first.rpartition(".")
    nested = own.split("$")
    packages = package.split(".")
    spellings = [
        nested[-1:],
        nested,
        [*packages[-1:], *nested],
        [*packages, *nested],
    ]
    made = (_titled("_".join(parts)) + behind for parts in spellings)
    named = dict.fromkeys(each[:MAX_NAME] for each in made)
    return tuple(each for each in named if is_identifier(each)) or (otherwise,)


def constant_for(value: str, otherwise: str) -> str:
    """What a member of an enumeration is called.

    Args:
        value: Its value.
        otherwise: What to call one of whose value no name can be made.
    """
    made = _identifier_of("_".join(_CAMEL.split(value))).upper()
    return made if is_identifier(made) else otherwise


def module_for(text: str, otherwise: str) -> str:
    """What a module is called that is made of a file.

    Args:
        text: The file's name without its ending.
        otherwise: What to call one of whose name nothing can be made.
    """
    made = _identifier_of("_".join(_CAMEL.split(text))).lower()
    return made if made.isascii() and is_identifier(made) else otherwise


@cache
def names_of_models() -> frozenset[str]:
    """What every model has already, so that none of its fields may be called so."""
    from pydantic import BaseModel

    return frozenset(dir(BaseModel))


def _identifier_of(text: str) -> str:
    """The letters, digits and underscores of a text as an identifier; empty if there are none."""
    text = normalize("NFKC", text[: 4 * MAX_NAME])
    kept = "".join(each if _may_stand_in_a_name(each) else "_" for each in text)
    made = "_".join(_WORD.findall(kept))[:MAX_NAME].rstrip("_")
    if made[:1].isdigit():
        made = f"n{made}"
    return made if made.isidentifier() and normalize("NFKC", made) == made else ""


def _may_stand_in_a_name(character: str) -> bool:
    return f"a{character}".isidentifier() and with_escapes(character) == character


def _titled(text: str) -> str:
    """A text as the name of a class: its words joined, each with a capital letter."""
    made = _identifier_of(text)
    return "".join(word[:1].upper() + word[1:] for word in made.split("_"))
