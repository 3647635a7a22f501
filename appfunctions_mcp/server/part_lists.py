"""Lists of resources, templates and prompts as bytes, written once and kept until one changes.

Where access differs between callers, one list is kept for each set of things that a caller may
see. Knows nothing of connections.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.eras import Era

T = TypeVar("T")

_MOST_LISTS = 32
"""How many differing lists are kept; beyond them all are written anew."""


class PartLists(Generic[T]):
    """The lists of one kind of things.

    Args:
        member: What the list is called in its result.
        write: Makes an entry of one thing.
        info: What `wire.server_info` says of the server.
    """

    def __init__(self, member: str, write: Callable[[T], wire.Json], info: wire.Json) -> None:
        self._member = member
        self._write = write
        self._info = info
        self._revision: object = None
        self._lists: dict[tuple[Any, ...], bytes] = {}

    def result(self, era: Era, seen: Sequence[T], revision: object) -> bytes:
        """The JSON of the result of the list's method.

        Args:
            era: In which form.
            seen: What the caller may see: the very records as long as the revision is the same.
            revision: Another one when anything has changed.

        Raises:
            JsonTextError: A description holds what JSON cannot.
        """
        if revision != self._revision or len(self._lists) >= _MOST_LISTS:
            self._lists.clear()
            self._revision = revision
        key = (era, *map(id, seen))
        known = self._lists.get(key)
        if known is None:
            result: wire.Json = {self._member: list(map(self._write, seen))}
            if era == "modern":
                result = wire.modern_result(result, self._info, is_list=True)
            known = self._lists[key] = write_json(result)
        return known
