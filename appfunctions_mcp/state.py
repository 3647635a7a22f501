"""Which functions are on and off: AppFunctionState per function, kept across restarts.

`read` is cheap enough for every message, so that a running server enforces what another
process wrote; what it does not need is imported where it is used. Knows nothing of functions:
what DEFAULT means is the declaration's.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.kept_files import FileStamp, KeptFile, make_private_folder
from appfunctions_mcp.metadata import AppFunctionState

if TYPE_CHECKING:
    from appfunctions_mcp.file_events import FileWatch

STATE_FILE_VERSION = 1

_WATCH_AFTER_SECONDS = 0.5

_NO_STATES: Mapping[str, AppFunctionState] = MappingProxyType({})


class StateStore(Protocol):
    """Keeps the states that somebody has set; a function without one is as declared."""

    @property
    def is_durable(self) -> bool:
        """Whether what was written so far outlives this process."""

    def read(self) -> Mapping[str, AppFunctionState]:
        """The states by function id; the same object as before while nothing has changed.

        Raises:
            StateFileError: What is kept cannot be read.
        """

    def write(self, function_id: str, state: AppFunctionState) -> None:
        """Sets one function's state; DEFAULT removes it. May wait for the disk: not on a loop.

        Raises:
            StateFileError: What is kept cannot be read, and is left as it is.
        """

    def watch(self, callback: Callable[[], None]) -> "FileWatch | None":
        """Calls back on the running loop after a change by any process, until closed.

        Returns:
            None where nothing can change from outside, or nothing tells of it.
        """

    def describe(self) -> str:
        """Where the states are kept, for people."""


@contextmanager
def watching_soon(store: StateStore, callback: Callable[[], None]) -> Iterator[None]:
    """While the block runs, calls back on the running loop after each change of a store.

    A client that starts a server waits for its first answers, so the watch begins after them;
    what changed in between is told then.

    Args:
        store: What is watched.
        callback: What to call.
    """
    import asyncio

    watches: list[FileWatch] = []

    def begin() -> None:
        watch = store.watch(callback)
        if watch is not None:
            watches.append(watch)
            callback()

    timer = asyncio.get_running_loop().call_later(_WATCH_AFTER_SECONDS, begin)
    try:
        yield
    finally:
        timer.cancel()
        for watch in watches:
            watch.close()


class InMemoryStateStore:
    """Keeps states as long as the process lives.

    Args:
        states: What is set at first.
    """

    def __init__(self, states: Mapping[str, AppFunctionState] = _NO_STATES) -> None:
        self._states = _without_defaults(states)

    @property
    def is_durable(self) -> bool:
        """False: nothing outlives the process."""
        return False

    def read(self) -> Mapping[str, AppFunctionState]:
        """The states by function id."""
        return self._states

    def write(self, function_id: str, state: AppFunctionState) -> None:
        """Sets one function's state; DEFAULT removes it."""
        if self._states.get(function_id, AppFunctionState.DEFAULT) is not state:
            self._states = _without_defaults({**self._states, function_id: state})

    def watch(self, callback: Callable[[], None]) -> "FileWatch | None":  # noqa: ARG002 - protocol
        """None: no other process can change them."""
        return None

    def describe(self) -> str:
        """Says that the states are in memory."""
        return "in memory, until the server ends"


class JsonFileStateStore:
    """Keeps states in a JSON file that any number of processes may read and change.

    Where the file cannot be written, a change lasts as long as the process, and one warning
    says so; it is written later if the place becomes writable and something else changes.

    Args:
        path: The file; made by the first change.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = KeptFile(path, kind="state file", version=STATE_FILE_VERSION)
        self._seen: tuple[FileStamp | None, Mapping[str, AppFunctionState]] = (None, _NO_STATES)
        self._unwritten: dict[str, AppFunctionState] = {}
        self._fault: tuple[FileStamp | None, StateFileError] | None = None
        self._writing = threading.Lock()
        self._is_writable = True
        self._has_warned = False
        self._was_absent = False

    @property
    def is_durable(self) -> bool:
        """Whether everything written so far is in the file."""
        return not self._unwritten

    def read(self) -> Mapping[str, AppFunctionState]:
        """The states by function id, as the file has them now; one stat when it is unchanged.

        Raises:
            StateFileError: The file is another version's, damaged, or may not be read.
        """
        known, states = self._seen
        if known is None and self._was_absent and self._file.is_out_of_sight():
            return states
        try:
            stamp = self._file.stamp()
            self._was_absent = stamp is None
        except OSError as exc:
            self._warn(exc)
            stamp = None
        if stamp == known:
            return states
        if self._fault is not None and self._fault[0] == stamp:
            raise StateFileError(self._fault[1].faults)
        if stamp is None:
            self._remember(None, {})
        else:
            self._remember(*self._read_file(stamp))
        return self._seen[1]

    def write(self, function_id: str, state: AppFunctionState) -> None:
        """Sets one function's state; DEFAULT removes it. The file has it when this returns.

        Raises:
            StateFileError: The file is another version's, damaged, or may not be read; it is
                left as it is.
        """
        with self._writing:
            self._write({**self._unwritten, function_id: state})

    def watch(self, callback: Callable[[], None]) -> "FileWatch | None":
        """Calls back on the running loop after a change of the file, until closed.

        Returns:
            None where the platform has no file events, or the place cannot be written to.
        """
        from appfunctions_mcp.file_events import watch_file

        try:
            make_private_folder(self.path.parent)
        except OSError as exc:
            self._warn(exc)
            return None
        return watch_file(self.path, callback)

    def describe(self) -> str:
        """Names the file, and says so when it cannot be written."""
        if not self._is_writable:
            return f"in memory, until the server ends ({self.path} cannot be written)"
        return f"in {self.path}"

    def _write(self, wanted: dict[str, AppFunctionState]) -> None:
        try:
            stamp, content = self._file.update(lambda content: self._change(content, wanted))
        except OSError as exc:
            self._unwritten = wanted
            self._warn(exc)
            self._remember(*self._seen)
        else:
            self._unwritten = {}
            self._is_writable = True
            self._remember(stamp, self._states_of(content))

    def _read_file(
        self, stamp: FileStamp
    ) -> tuple[FileStamp | None, Mapping[str, AppFunctionState]]:
        try:
            read_stamp, content = self._file.read()
            return read_stamp, self._states_of(content)
        except StateFileError as exc:
            self._fault = (stamp, exc)
            raise

    def _change(self, content: dict[str, Any], wanted: Mapping[str, AppFunctionState]) -> bool:
        before = self._states_of(content)
        after = _without_defaults({**before, **wanted})
        content["states"] = {name: state.value for name, state in after.items()}
        return before != after

    def _states_of(self, content: dict[str, Any]) -> Mapping[str, AppFunctionState]:
        states = content.get("states", {})
        try:
            return _without_defaults({name: AppFunctionState(v) for name, v in states.items()})
        except (AttributeError, ValueError) as exc:
            raise self._file.fault(f"has a value that is no state ({exc})") from exc

    def _remember(self, stamp: FileStamp | None, states: Mapping[str, AppFunctionState]) -> None:
        self._fault = None
        current = _without_defaults({**states, **self._unwritten})
        self._seen = (stamp, self._seen[1] if current == self._seen[1] else current)

    def _warn(self, exc: OSError) -> None:
        self._is_writable = False
        if not self._has_warned:
            self._has_warned = True
            from appfunctions_mcp import telemetry

            telemetry.warn(
                f"{self.path} cannot be written ({exc.strerror or exc}); functions that are "
                f"switched on or off stay so until the server ends"
            )


def _without_defaults(
    states: Mapping[str, AppFunctionState],
) -> Mapping[str, AppFunctionState]:
    return MappingProxyType(
        {name: state for name, state in states.items() if state is not AppFunctionState.DEFAULT}
    )
