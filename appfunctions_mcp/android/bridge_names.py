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
_DIGEST_CHARACTERS = 6


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
    names = [_fitted(each.prefix, _method(each), "") for each in functions]
    twice = _repeated(names)
    names = [
        _fitted(each.prefix, f"{_class(each)}_{_method(each)}" if _class(each) else name, "")
        if name in twice
        else name
        for each, name in zip(functions, names, strict=True)
    ]
    twice = _repeated(names)
    return [
        _fitted(each.prefix, _method(each), _digest(_longest_id(each))) if name in twice else name
        for each, name in zip(functions, names, strict=True)
    ]


def unique_ids(functions: Sequence[Named]) -> list[str]:
    """Ids that tell all functions apart: their own, with package or device where needed."""
    own = _repeated([each.function_id for each in functions])
    of_app = _repeated([f"{each.package}/{each.function_id}" for each in functions])
    ids = []
    for each in functions:
        longer = f"{each.package}/{each.function_id}"
        if each.function_id not in own:
            ids.append(each.function_id)
        elif longer not in of_app:
            ids.append(longer)
        else:
            ids.append(_longest_id(each))
    return ids


def _longest_id(named: Named) -> str:
    return f"{named.serial}/{named.package}/{named.function_id}"


def _method(named: Named) -> str:
    end = named.function_id.rpartition("#")[2].rpartition("/")[2]
    return _plain(end) or f"function_{_digest(named.function_id)}"


def _class(named: Named) -> str:
    before = named.function_id.rpartition("#")[0]
    return _plain(before.rpartition(".")[2])


def _fitted(prefix: str, name: str, digest: str) -> str:
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


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGEST_CHARACTERS]


def _repeated(names: Sequence[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
