"""`tools/list` as bytes, written once and kept until something changes.

Where access differs between callers, one list is kept for each set of functions that a caller
may see. Knows nothing of connections.
"""

from appfunctions_mcp.access import has_access, is_restricted
from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.metadata import AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.eras import Era
from appfunctions_mcp.service import AppFunctionService

_MOST_LISTS = 32
"""How many differing lists are kept; beyond them all are written anew."""


class ToolLists:
    """The lists of a service's tools.

    Args:
        service: What is listed.
        info: What `wire.server_info` says of the server.
    """

    def __init__(self, service: AppFunctionService, info: wire.Json) -> None:
        self._service = service
        self._info = info
        self._revision: object = None
        self._enabled: tuple[AppFunctionMetadata, ...] = ()
        self._restricted: tuple[AppFunctionMetadata, ...] = ()
        self._lists: dict[tuple[Era, tuple[bool, ...]], bytes] = {}

    def result(self, caller: AppFunctionCaller, era: Era) -> bytes:
        """The JSON of the result of `tools/list`.

        Args:
            caller: Functions that it may not execute are left out.
            era: In which form.

        Raises:
            JsonTextError: A description holds what JSON cannot.
        """
        self._refresh()
        # A predicate is asked once: its answer decides both the key and what is written.
        key = (era, tuple(has_access(m, caller) for m in self._restricted))
        known = self._lists.get(key)
        if known is None:
            if len(self._lists) >= _MOST_LISTS:
                self._lists.clear()
            known = self._lists[key] = self._written(*key)
        return known

    def _refresh(self) -> None:
        """Forgets the lists when functions or states have changed since."""
        manager = self._service.manager
        revision = manager.revision()
        if revision == self._revision:
            return
        self._lists.clear()
        self._enabled = tuple(manager.offered())
        self._restricted = tuple(filter(is_restricted, self._enabled))
        self._revision = revision

    def _written(self, era: Era, may_see: tuple[bool, ...]) -> bytes:
        answers = iter(may_see)
        seen = (m for m in self._enabled if not is_restricted(m) or next(answers))
        result = wire.tools_list(map(wire.tool, seen))
        if era == "modern":
            result = wire.modern_result(result, self._info, is_list=True)
        return write_json(result)
