"""The functions of a service, found by id or tool name.

What is listed is what can be called: both come from here. Refuses ids and names that would
clash. Knows nothing of state, callers or limits.
"""

from collections.abc import Iterable, Iterator

from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.function_metadata import FunctionNames
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.metadata import AppFunctionMetadata, AppFunctionSearchSpec


class AppFunctionRegistry:
    """Functions in the order in which they were added."""

    def __init__(self) -> None:
        self._by_id: dict[str, AppFunction] = {}
        self._by_tool_name: dict[str, AppFunction] = {}
        self.revision = 0
        """Rises with each change."""
        self.hands_out = False
        """Whether results of some function may hold links that only their caller may use."""

    def __iter__(self) -> Iterator[AppFunction]:
        return iter(tuple(self._by_id.values()))

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, functions: Iterable[AppFunction]) -> None:
        """Adds functions, all of them or none.

        Raises:
            AppFunctionDeclarationError: An id or a tool name is taken; every clash is named,
                and the prefix that would resolve it.
        """
        by_id, by_tool_name = dict(self._by_id), dict(self._by_tool_name)
        faults = []
        for function in functions:
            names = function.names
            twin = by_id.get(names.function_id) or by_tool_name.get(names.tool_name)
            if twin is not None:
                faults.append(_clash(names, twin.names))
                continue
            by_id[names.function_id] = function
            by_tool_name[names.tool_name] = function
        if faults:
            raise AppFunctionDeclarationError(faults)
        self._take(by_id, by_tool_name)

    def remove(self, function_ids: Iterable[str]) -> None:
        """Removes functions; ids that are not here are passed over."""
        gone = set(function_ids)
        by_id = {i: f for i, f in self._by_id.items() if i not in gone}
        self._take(by_id, {f.names.tool_name: f for f in by_id.values()})

    def _take(self, by_id: dict[str, AppFunction], by_tool_name: dict[str, AppFunction]) -> None:
        self._by_id, self._by_tool_name = by_id, by_tool_name
        self.hands_out = any(function.hands_out for function in by_id.values())
        self.revision += 1

    def find(self, name: str) -> AppFunction | None:
        """The function with this tool name or id, None where there is none."""
        return self._by_tool_name.get(name) or self._by_id.get(name)

    def long_names(self, server: str) -> list[str]:
        """Tools that clients would hide: server and tool name may have 60 characters together."""
        return [
            f"{f.names.source}: the names {server!r} and {f.names.tool_name!r} have "
            f"{len(server) + 1 + len(f.names.tool_name)} characters together, and some clients "
            "hide a tool above 60; shorten one of them"
            for f in self
            if len(server) + 1 + len(f.names.tool_name) > 60
        ]

    def search(self, spec: AppFunctionSearchSpec, package: str = "") -> list[AppFunction]:
        """The functions that every filter of the spec admits, in their order.

        Args:
            spec: The filters.
            package: The app's own package, of functions that name none.
        """
        return [f for f in self if _admits(spec, f.metadata, package)]


def _admits(spec: AppFunctionSearchSpec, metadata: AppFunctionMetadata, package: str) -> bool:
    schema = metadata.schema
    return (
        (spec.package_names is None or (metadata.package or package) in spec.package_names)
        and (spec.function_ids is None or metadata.function_id in spec.function_ids)
        and (spec.scopes is None or metadata.scope in spec.scopes)
        and (
            spec.schema_category is None
            or (schema is not None and schema.category == spec.schema_category)
        )
        and (spec.schema_name is None or (schema is not None and schema.name == spec.schema_name))
        and (
            spec.min_schema_version == 0
            or (schema is not None and schema.version >= spec.min_schema_version)
        )
    )


def _clash(added: FunctionNames, present: FunctionNames) -> str:
    if added.function_id == present.function_id:
        return (
            f"{added.source}: the id {added.function_id!r} is declared already at "
            f"{present.source}; give one of them another id="
        )
    prefix = added.module.rpartition(".")[2] or "other"
    return (
        f"{added.source}: the tool name {added.tool_name!r} is taken by {present.function_id} "
        f'({present.source}); give the module a prefix, for example prefix="{prefix}"'
    )
