"""Names for the functions of several apps on several devices.

A name is the same whatever else is served, unless two would be the same: then all of those get
a part of their class, or of a digest of their ids, so that none takes another one's place.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from appfunctions_mcp.lazy_regex import regex

__all__ = ["Named", "prefixes", "tool_names", "unique_ids"]

_MOST_CHARACTERS = 64
_NOT_IN_NAMES = regex(r"[^A-Za-z0-9_-]+")
_UNIQUE_CHARACTERS = 32
"""How much of a digest nobody can bring about twice."""


@dataclass(frozen=True, slots=True)
class Named:
    """What is to be named."""

    serial: str
    package: str
    function_id: str
    prefix: str = ""
    """Put before its name, with `_`."""


def prefixes(names: Sequence[str]) -> dict[str, str]:
    """A short prefix for each of several packages or serials; none where there is only one.

    Args:
        names: All of them; the shortest ends that tell them apart are used.
    """
    if len(names) < 2:
        return dict.fromkeys(names, "")
    for parts in range(1, max(each.count(".") for each in names) + 2):
        short = {each: _plain("_".join(each.split(".")[-parts:])) for each in names}
        if len(set(short.values())) == len(names):
            return short
    return {each: f"{_plain(each)}_{_digest(each)}" for each in names}


def tool_names(functions: Sequence[Named]) -> list[str]:
    """The tool names of functions, in their order."""
    return _all_different([_tool_names_of(each) for each in functions])


def unique_ids(functions: Sequence[Named]) -> list[str]:
    """Ids that tell all functions apart: their own, with package or device where needed."""
    return _all_different([_ids_of(each) for each in functions])


def _all_different(wishes: Sequence[Sequence[str]]) -> list[str]:
    """One of each one's wishes, none taken twice.

    All that wish for the same go on to their next wishes, so that none takes another one's
    place, whatever an app calls its functions.

    Args:
        wishes: From the best to one that nobody else can wish for.
    """
    at = [0] * len(wishes)
    while True:
        names = [each[place] for each, place in zip(wishes, at, strict=True)]
        twice = {name for name, count in Counter(names).items() if count > 1}
        later = [
            place + (name in twice and place + 1 < len(each))
            for each, place, name in zip(wishes, at, names, strict=True)
        ]
        if later == at:
            return names
        at = later


def _tool_names_of(named: Named) -> list[str]:
    method, of_class, whole = _method(named), _class(named), _whole(named)
    longer = f"{of_class}_{method}" if of_class else method
    return [
        _fitted(named.prefix, method),
        _fitted(named.prefix, longer),
        _fitted(named.prefix, method, _digest(whole)),
        f"function_{_digest(whole, _UNIQUE_CHARACTERS)}",
    ]


def _ids_of(named: Named) -> list[str]:
    own = f"{named.package}/{named.function_id}"
    longest = f"{named.serial}/{own}"
    digest = _digest(_whole(named), _UNIQUE_CHARACTERS)
    return [named.function_id, own, longest, f"{longest}/{digest}"]


def _whole(named: Named) -> str:
    """A text that is another one for every other function."""
    return f"{named.serial}\0{named.package}\0{named.function_id}"


def _method(named: Named) -> str:
    end = named.function_id.rpartition("#")[2].rpartition("/")[2]
    return _plain(end) or f"function_{_digest(named.function_id)}"


def _class(named: Named) -> str:
    before = named.function_id.rpartition("#")[0]
    return _plain(before.rpartition(".")[2])


def _fitted(prefix: str, name: str, digest: str = "") -> str:
    """A name of letters that is no longer than names may be."""
    whole = "_".join(filter(None, (prefix, name, digest)))
    if not whole[0].isalpha() and whole[0] != "_":
        whole = f"_{whole}"
    if len(whole) > _MOST_CHARACTERS:
        end = f"_{_digest(whole)}"
        whole = whole[: _MOST_CHARACTERS - len(end)] + end
    return whole


def _plain(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text).strip("_")


def _digest(text: str, characters: int = 6) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:characters]
