"""The state of one check of one call's arguments: the faults so far, and how to go on."""

from collections.abc import Callable
from typing import Any

from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.metadata import UnknownArguments
from appfunctions_mcp.records import replaced
from appfunctions_mcp.schema.faults import Fault, Path, accepted, got
from appfunctions_mcp.schema.shapes import Shape

MAX_DEPTH = 100
"""How deep lists and objects of declared types may be nested."""

MAX_FAULTS = 1000
"""More are only counted: nobody reads them, and a hostile list could hold millions."""

_COUNTED = Fault((), "")


class CoercionPass:
    """Collects faults; in an exact pass nothing is converted and no key may be unknown."""

    __slots__ = (
        "ambiguous_depth",
        "depth",
        "dropped",
        "exact",
        "faults",
        "is_too_deep",
        "room",
        "tried",
        "unknown",
    )

    def __init__(self, unknown: UnknownArguments = "refuse", *, exact: bool = False) -> None:
        self.unknown = unknown
        self.exact = exact
        self.faults: list[Fault] = []
        self.room = MAX_FAULTS
        self.dropped: list[Path] = []
        self.depth = 0
        self.ambiguous_depth = 0
        self.is_too_deep = False
        self.tried: dict[tuple[int, Path, bool], tuple[Any, CoercionPass]] = {}
        """Outcomes of union branches: without them, nested unions take exponential time."""

    def trial(self, *, exact: bool) -> "CoercionPass":
        """A pass over one branch of a union, whose faults count only if it is the last one."""
        trial = CoercionPass("refuse" if exact else self.unknown, exact=exact)
        trial.depth, trial.tried = self.depth, self.tried
        trial.ambiguous_depth = self.ambiguous_depth
        trial.room = max(self.room - len(self.faults), 0)
        return trial

    @property
    def is_full(self) -> bool:
        """Whether faults are only counted from now on."""
        return len(self.faults) >= self.room

    def adopt(self, trial: "CoercionPass") -> None:
        """Takes over what a trial found."""
        self.faults += trial.faults
        self.dropped += trial.dropped
        self.is_too_deep = self.is_too_deep or trial.is_too_deep

    def fault(self, path: Path, problem: str, accepted_there: str = "") -> None:
        """Records one fault."""
        told = len(self.faults) < self.room
        self.faults.append(Fault(path, problem, accepted_there) if told else _COUNTED)

    def too_deep(self, path: Path, levels: int = MAX_DEPTH) -> None:
        """Records that a value is nested too deeply to look further."""
        self.is_too_deep = True
        self.fault(path, f"nested deeper than {levels} levels")

    def refuse(self, path: Path, value: Any, shape: Shape, hint: str = "") -> Any:
        """Records that a value does not fit its shape; returns the value as it came."""
        if len(self.faults) >= self.room:
            self.faults.append(_COUNTED)
        elif self.exact:
            # Nobody reads the words of an exact trial, and they are the costly part.
            self.faults.append(Fault(path, ""))
        else:
            self.faults.append(Fault(path, got(value, shape, hint), accepted(shape)))
        return value


Coercer = Callable[[Any, Path, CoercionPass], Any]
"""Makes the Python value of a JSON value, or records faults and returns anything."""

Compile = Callable[[Shape], Coercer]
"""Compiles a shape that is a part of another one."""


def restate_accepted(
    state: CoercionPass, first: int, path: Path, restate: Callable[[str], str]
) -> None:
    """Rewrites what is accepted, in the faults that a place itself has got since `first`."""
    for at in range(first, len(state.faults)):
        fault = state.faults[at]
        if fault.path == path and fault.accepted:
            state.faults[at] = replaced(fault, accepted=restate(fault.accepted))


def decoded(value: Any, kind: type[Any], state: CoercionPass) -> Any:
    """A list or object that was sent as its JSON text; anything else as it is."""
    if state.exact or not isinstance(value, str) or value.lstrip()[:1] not in _OPENING[kind]:
        return value
    try:
        found = read_json(value)
    except JsonTextError:
        return value
    return found if isinstance(found, kind) else value


_OPENING: dict[type, tuple[str]] = {list: ("[",), dict: ("{",)}


def bounded(coerce: Coercer) -> Coercer:
    """The same check, with a fault instead of a descent below `MAX_DEPTH`."""

    def guarded(value: Any, path: Path, state: CoercionPass) -> Any:
        if state.is_too_deep or state.depth >= MAX_DEPTH:
            # One fault of this kind is enough; what holds itself would give them without end.
            if not state.is_too_deep:
                state.too_deep(path)
            return value
        state.depth += 1
        try:
            return coerce(value, path, state)
        finally:
            state.depth -= 1

    return guarded
