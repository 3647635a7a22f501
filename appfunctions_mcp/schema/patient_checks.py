"""The whole check of a call's arguments: what is safe converts, and every fault is told.

Knows nothing of who calls, nor of confirmations.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.metadata import UnknownArguments
from appfunctions_mcp.schema.argument_types import Argument
from appfunctions_mcp.schema.coercion import compile_coercer
from appfunctions_mcp.schema.coercion_pass import CoercionPass
from appfunctions_mcp.schema.faults import Fault, Path, faults_text, path_text
from appfunctions_mcp.schema.shapes import ObjectShape

CLIENT_KEYS = frozenset({"wait_for_previous", "toolCallId", "sessionId", "chatInput"})
"""Keys that clients add to the arguments of every call; dropped unless they are declared."""


class PatientCheck:
    """Converts what is safe, builds models, fills in what was left out and tells every fault."""

    def __init__(
        self, shape: ObjectShape, arguments: Mapping[str, Argument], unknown: UnknownArguments
    ) -> None:
        self._arguments = arguments
        self._unknown = unknown
        self._names = frozenset(prop.name for prop in shape.properties)
        self._coerce = compile_coercer(shape)

    def check(self, parameters: Mapping[str, Any], dropped: list[str] | None) -> dict[str, Any]:
        """Does what `ArgumentsSchema.validate` says."""
        injected = (parameters.keys() & CLIENT_KEYS) - self._names
        given = {name: value for name, value in parameters.items() if name not in injected}
        state = CoercionPass(self._unknown)
        checked = self._coerced(given, state)
        faults = [] if state.is_too_deep or state.is_full else self._finish(checked, state)
        if dropped is not None:
            dropped += sorted(injected) + [path_text(path) for path in state.dropped]
        if state.faults or faults:
            raise AppFunctionInvalidArgumentException(faults_text([*state.faults, *faults]))
        return checked

    def _coerced(self, given: dict[str, Any], state: CoercionPass) -> dict[str, Any]:
        """The arguments as the values of their types, models still as dictionaries."""
        try:
            checked: dict[str, Any] = self._coerce(given, (), state)
        except RecursionError:
            # The bound on depth leaves room, unless the caller stands deep in the stack itself.
            state.too_deep(())
            return {}
        return checked

    def _finish(self, checked: dict[str, Any], state: CoercionPass) -> list[Fault]:
        """Builds models and fills in what was left out; returns further faults."""
        found: list[Fault] = []
        faulty = [fault.path for fault in state.faults]
        begun = {path[0] for path in faulty if path}
        for name, argument in self._arguments.items():
            if name in checked:
                if argument.type.has_union and name in begun:
                    continue
                try:
                    checked[name] = argument.type.finish(name, checked[name], found)
                except Exception:
                    # An author's own validator may stumble over what is refused already.
                    if name not in begun:
                        raise
            elif argument.value_if_absent is not None:
                checked[name] = argument.value_if_absent()
        return _apart(found, faulty) if faulty else found


def _apart(found: list[Fault], faulty: list[Path]) -> list[Fault]:
    """The faults at places that are none of the faulty ones, nor below or above one."""
    places = set(faulty)
    above = {path[:length] for path in faulty for length in range(len(path))}
    return [
        fault
        for fault in found
        if fault.path not in above
        and not any(fault.path[:length] in places for length in range(len(fault.path) + 1))
    ]
