"""`AppResources`: the one path by which anybody reads a resource of a service.

`read` finds what the address names, checks access, refuses what leads out of its place, calls
the function under the limits of all calls and makes contents of the result. Knows nothing of
MCP.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from appfunctions_mcp.access import has_access
from appfunctions_mcp.exceptions import (
    AppFunctionElementNotFoundException,
    AppFunctionException,
)
from appfunctions_mcp.execution_records import Execution
from appfunctions_mcp.manager import AppFunctionManager
from appfunctions_mcp.metadata import (
    LOCAL_CALLER,
    AppFunctionCaller,
    AppFunctionMetadata,
    AppResourceMetadata,
    ResourcesChanged,
    ResourceUpdated,
)
from appfunctions_mcp.offered_calls import OfferedParts, parameter_named
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.requests import Completion, ReadAppResourceRequest, size_of
from appfunctions_mcp.resource_registry import AppResourceRegistry, FoundResource
from appfunctions_mcp.telemetry import warn

if TYPE_CHECKING:
    from appfunctions_mcp.handed_out import HandedOut
    from appfunctions_mcp.library_models import AppFunctionUriGrant
    from appfunctions_mcp.pending_steps import PendingStep
    from appfunctions_mcp.resource_contents import Contents
    from appfunctions_mcp.resources import AppResource


class AppResources(OfferedParts["AppResource"]):
    """Lists, reads, completes and announces the resources of one service.

    False where there are none.

    Args:
        manager: Whose limits hold, whose log is told and who announces changes.
        compiled: Makes a resource of a declared function, under the app's rules.
    """

    def __init__(
        self, manager: AppFunctionManager, compiled: "Callable[[Callable[..., Any]], AppResource]"
    ) -> None:
        super().__init__(manager, compiled)
        self.registry = AppResourceRegistry()
        self._told: set[str] = set()
        self._handed: HandedOut | None = None

    def __bool__(self) -> bool:
        return len(self.registry) > 0 or self._handed is not None

    @property
    def revision(self) -> int:
        """Rises with each resource that is added or removed."""
        return self.registry.revision

    @property
    def has_entries(self) -> bool:
        """Whether a template lists resources of its own, so that `static` is not all."""
        return any(resource.entries is not None for resource in self.registry)

    def static(self, caller: AppFunctionCaller = LOCAL_CALLER) -> list[AppResourceMetadata]:
        """The single resources that a caller may read, in the order of declaration."""
        return [r.metadata for r in self._seen_by(caller) if r.template is None]

    def templates(self, caller: AppFunctionCaller = LOCAL_CALLER) -> list[AppResourceMetadata]:
        """The templates whose resources a caller may read, in the order of declaration."""
        return [r.metadata for r in self._seen_by(caller) if r.template is not None]

    async def listed(self, caller: AppFunctionCaller = LOCAL_CALLER) -> list[AppResourceMetadata]:
        """The single resources that a caller may read, and those that templates list.

        A template whose list fails lists nothing; its author finds out from the log.
        """
        listed: dict[str, AppResourceMetadata] = {m.uri: m for m in self.static(caller)}
        for resource in self._seen_by(caller):
            if resource.entries is not None:
                for entry in await self._entries_of(resource, caller):
                    listed.setdefault(entry.uri, entry)
        return list(listed.values())

    def is_visible(self, uri: str, caller: AppFunctionCaller = LOCAL_CALLER) -> bool:
        """Whether an address is one of a resource or template that a caller may read."""
        found = self.registry.find(uri)
        return found is not None and self._may_read(found, uri, caller) and found.fault is None

    def hand_out(
        self, metadata: AppFunctionMetadata, caller: AppFunctionCaller, parts: Sequence[Any]
    ) -> None:
        """Gives a caller what a result of a function holds: grants, and steps to be taken once.

        Args:
            metadata: The function.
            caller: Who gets the result.
            parts: What the result holds.

        Raises:
            AppFunctionAppUnknownException: The action of a step is none that can be called.
        """
        from appfunctions_mcp.handed_out import HandedOut
        from appfunctions_mcp.library_models import AppFunctionUriGrant

        self._handed = self._handed or HandedOut()
        self._handed.give(parts, caller, metadata.tool_name)
        for part in parts:
            if isinstance(part, AppFunctionUriGrant) and not self._can_be_read(part):
                self._warn_once(
                    f"{metadata.source}: {metadata.tool_name} grants {quoted(part.uri)}, which is "
                    "the address of no resource that is declared with granted=True, so that its "
                    "caller cannot read it"
                )

    async def read(self, request: ReadAppResourceRequest) -> "Contents":
        """Reads what stands at an address, with every check.

        Args:
            request: The address and the caller.

        Returns:
            The contents, each under its own address.

        Raises:
            AppFunctionElementNotFoundException: Nothing stands there, or not for this caller:
                the text is the same.
            AppFunctionException: Whatever else kept it from contents; the class says what.
        """
        step = self._handed.step(request.uri, request.caller) if self._handed else None
        if step is not None:
            execution = Execution("resource", STEP_NAME, STEP_NAME, request)
            return await self._calls.told(execution, self._taken(step, request), _size_of)
        found = self.registry.find(request.uri)
        values = found.values if found else {}
        execution = self._execution_of(found.resource if found else None, request, values)
        return await self._calls.told(execution, self._read(request, found), _size_of)

    def updated(self, uri: str) -> None:
        """Tells whoever listens to a resource that what stands there has changed.

        May be called in any thread.
        """
        self._manager.announce(ResourceUpdated(uri))

    async def complete(
        self,
        uri_template: str,
        argument: str,
        value: str,
        arguments: Mapping[str, str] | None = None,
        caller: AppFunctionCaller = LOCAL_CALLER,
    ) -> Completion:
        """The values that complete a variable of a template.

        Args:
            uri_template: The template as it is listed, or an address of it.
            argument: The variable.
            value: What has been typed of it.
            arguments: The values of the other variables, as far as they are known.
            caller: Who types.

        Raises:
            AppFunctionElementNotFoundException: There is no such template for this caller.
            AppFunctionInvalidArgumentException: It has no such variable.
        """
        resource = self.registry.declared(uri_template)
        if resource is None:
            found = self.registry.find(uri_template)
            resource = found.resource if found else None
        if resource is None or not may_read(resource, caller):
            raise nothing_at(uri_template)
        parameters = resource.metadata.parameters
        parameter = parameter_named(argument, parameters, quoted(resource.uri))
        request = ReadAppResourceRequest(uri_template, caller)
        execution = self._execution_of(resource, request, {argument: value})
        typed = (value, arguments or {})
        return await self._calls.complete(resource.completers, parameter, typed, request, execution)

    def _put(self, parts: "Sequence[AppResource]") -> frozenset[str]:
        self.registry.add(parts)
        return frozenset(resource.uri for resource in parts)

    def _drop(self, names: frozenset[str]) -> None:
        self.registry.remove(names)

    def _announce(self, names: frozenset[str]) -> None:
        self._manager.announce(ResourcesChanged(names))

    def _seen_by(self, caller: AppFunctionCaller) -> "list[AppResource]":
        return [resource for resource in self.registry if may_read(resource, caller)]

    def _may_read(self, found: FoundResource, uri: str, caller: AppFunctionCaller) -> bool:
        """Whether a caller may read what stands at an address, by itself or by a grant."""
        resource = found.resource
        if may_read(resource, caller):
            return True
        handed = self._handed
        return resource.takes_grants and handed is not None and handed.is_granted(uri, caller)

    def _can_be_read(self, grant: "AppFunctionUriGrant") -> bool:
        """Whether a grant to read leads somewhere: here, or where a client goes by itself."""
        if grant.is_prefix or not grant.may_read or grant.uri.lower().startswith(_ELSEWHERE):
            return True
        found = self.registry.find(grant.uri)
        return found is not None and found.resource.takes_grants

    async def _taken(self, step: "PendingStep", request: ReadAppResourceRequest) -> "Contents":
        """Takes a step, once the user agrees."""
        await step.agree(request)
        function = step.claim()
        try:
            value = await self._calls.run(function, {}, request)
        except AppFunctionException as failure:
            if failure.refusal is not None:  # it has not begun
                step.reopen()
            raise
        finally:
            if request.channel.has_asked:  # the next round runs it from its start
                step.reopen()
        contents = step.contents(value)
        self._calls.require_size(function, _size_of(contents))
        return contents

    async def _read(
        self, request: ReadAppResourceRequest, found: FoundResource | None
    ) -> "Contents":
        uri = request.uri
        if found is None:
            raise nothing_at(uri)
        resource = found.resource
        if not self._may_read(found, uri, request.caller):
            raise nothing_at(uri, "denied")
        if found.fault is not None:
            warn(f"{resource.names.source}: refused the address {quoted(uri)}: {found.fault}")
            raise nothing_at(uri, "denied")
        value = await self._calls.run(resource.function, found.values, request)
        contents = resource.contents(value, uri)
        if contents is None:
            raise nothing_at(uri)
        self._calls.require_size(resource.function, _size_of(contents))
        return contents

    async def _entries_of(
        self, resource: "AppResource", caller: AppFunctionCaller
    ) -> list[AppResourceMetadata]:
        assert resource.entries is not None  # noqa: S101 - asked before, told to the type checker
        request = ReadAppResourceRequest(resource.uri, caller)
        execution = self._execution_of(resource, request, {})
        try:
            made = await self._calls.run_aside(resource.entries, {}, request, execution)
        except AppFunctionException as failure:
            self._warn_once(f"{resource.names.source}: entries of {resource.uri}: {failure}")
            return []
        entries: list[AppResourceMetadata] = []
        for entry in cast("list[object]", made):
            try:
                entries.append(resource.entry(entry))
            except ValueError as fault:
                self._warn_once(f"{resource.names.source}: entries of {resource.uri}: {fault}")
        return entries

    def _warn_once(self, text: str) -> None:
        if text not in self._told and len(self._told) < _MOST_WARNINGS:
            self._told.add(text)
            warn(text)

    def _execution_of(
        self,
        resource: "AppResource | None",
        request: ReadAppResourceRequest,
        values: Mapping[str, Any],
    ) -> Execution:
        if resource is None:
            return Execution("resource", request.uri, "", request)
        schema = resource.function.metadata.input_schema
        return Execution("resource", resource.uri, resource.metadata.name, request, values, schema)


STEP_NAME = "pending-intent"
"""What logs and metrics call every step of a PendingIntent: the address is its caller's alone."""
_ELSEWHERE = ("http:", "https:")
"""What the addresses begin with that clients fetch by themselves."""
_MOST_WARNINGS = 100
"""How many different faults of entries are told; more say nothing new."""


def may_read(resource: "AppResource", caller: AppFunctionCaller) -> bool:
    """Whether a caller may read a resource, or some of a template, without a grant."""
    metadata = resource.function.metadata
    is_for_grants_alone = resource.takes_grants and metadata.access is None
    return not is_for_grants_alone and has_access(metadata, caller)


def nothing_at(uri: str, reason: str = "unknown") -> AppFunctionElementNotFoundException:
    """The one answer for what is not there, what is hidden and what is refused."""
    return AppFunctionElementNotFoundException(
        f"there is no resource {quoted(uri, 200)}", extras={"uri": uri}
    ).as_refusal(reason)


def _size_of(contents: Sequence[Any]) -> int:
    return sum(map(size_of, contents))
