"""The bodies that activities have for functions of the scope ACTIVITY, one for each of them.

An activity is what its program says: a window, a document, a player. Such a function is declared
once and called with an activity's id; what runs is the body that this activity has registered.
"""

from collections.abc import Callable, Mapping

from appfunctions_mcp.exceptions import (
    AppFunctionDeclarationError,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.functions import AppFunction, MetadataCall
from appfunctions_mcp.metadata import AppFunctionScope
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.registrations import AppFunctionRegistration, taken_away_once
from appfunctions_mcp.registry import AppFunctionRegistry


class Activities:
    """The activities of one service.

    Args:
        registry: Where the functions are declared.
        announce: Tells of functions that can be called in one activity more, or less.
    """

    def __init__(
        self, registry: AppFunctionRegistry, announce: Callable[[frozenset[str]], None]
    ) -> None:
        self._registry = registry
        self._announce = announce
        self._bodies: dict[str, dict[str, MetadataCall]] = {}
        """By function and activity."""

    def register(
        self, activity_id: str, bodies: Mapping[str, MetadataCall]
    ) -> AppFunctionRegistration:
        """Adds the bodies of one activity, all of them or none (registerAppFunctions).

        Args:
            activity_id: The activity.
            bodies: By the id or tool name of a function what runs: it gets the checked arguments
                and the context.

        Raises:
            ValueError: There are no bodies, or the id is empty.
            AppFunctionDeclarationError: A function is not declared or not of the scope
                ACTIVITY, or the activity has a body for it; names all of them.
        """
        if not activity_id or not bodies:
            raise ValueError("give the id of an activity and at least one function")
        found = {name: self._registry.find(name) for name in bodies}
        faults = [fault for n, f in found.items() if (fault := self._fault(activity_id, n, f))]
        by_id: dict[str, MetadataCall] = {}
        for name, function in found.items():
            function_id = function.names.function_id if function is not None else name
            if by_id.setdefault(function_id, bodies[name]) is not bodies[name]:
                faults.append(f"{function_id} gets two bodies, by its id and by its tool name")
        if faults:
            raise AppFunctionDeclarationError(faults)
        for function_id, body in by_id.items():
            self._bodies.setdefault(function_id, {})[activity_id] = body
        ids = frozenset(by_id)
        self._announce(ids)

        def remove(gone: frozenset[str]) -> None:
            for function_id in gone:
                self._bodies[function_id].pop(activity_id)
            self._announce(gone)

        return AppFunctionRegistration(ids, taken_away_once(ids, remove))

    def ids_of(self, function_id: str) -> frozenset[str]:
        """The activities in which a function can be called."""
        return frozenset(self._bodies.get(function_id, ()))

    def body_of(self, function: AppFunction, activity_id: str | None) -> AppFunction:
        """What runs when a function is called in an activity, or without one.

        Raises:
            AppFunctionFunctionNotFoundException: The function is of the other scope, or the
                activity has no body for it.
        """
        name = function.names.tool_name
        if function.metadata.scope is AppFunctionScope.GLOBAL:
            if activity_id is None:
                return function
            raise _not_there(f"{name} belongs to no activity; leave the activity's id out")
        if activity_id is None:
            raise _not_there(f"{name} belongs to an activity, and the request names none")
        bodies = self._bodies.get(function.names.function_id, {})
        body = bodies.get(activity_id)
        if body is None:
            raise _not_there(f"the activity {quoted(activity_id)} has no {name}")
        return function.with_body(body)

    def _fault(self, activity_id: str, name: str, function: AppFunction | None) -> str | None:
        if function is None:
            near = nearest_names(name, [each.names.function_id for each in self._registry], limit=1)
            return f"{quoted(name)} is not declared" + (f"; near it: {near[0]}" if near else "")
        names = function.names
        if function.metadata.scope is not AppFunctionScope.ACTIVITY:
            return (
                f"{names.source}: {names.function_id} is called without an activity; declare it "
                "with scope=AppFunctionScope.ACTIVITY"
            )
        if activity_id in self._bodies.get(names.function_id, ()):
            return f"the activity {quoted(activity_id)} has registered {names.function_id} already"
        return None


def _not_there(what: str) -> AppFunctionFunctionNotFoundException:
    return AppFunctionFunctionNotFoundException(what).as_refusal("unknown")
