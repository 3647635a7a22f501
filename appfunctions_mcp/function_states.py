"""Which functions are on now, and who is told when that changes.

Puts a store's states over what functions declare. Knows nothing of callers or executions.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.metadata import (
    AppChangeEvent,
    AppFunctionMetadata,
    AppFunctionsChangeEvent,
    AppFunctionState,
    MetadataChanged,
    StatesChanged,
)
from appfunctions_mcp.state import StateStore
from appfunctions_mcp.telemetry import warn

Listener = Callable[[AppChangeEvent], object]


class FunctionStates:
    """The states in force, taken over from a store that other processes may change.

    Args:
        store: Where states are kept.

    Raises:
        StateFileError: What is kept cannot be read.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._states = store.read()
        self._fault: tuple[str, ...] = ()
        self._listeners: list[Listener] = []
        self.is_held = False
        """While True, `refresh` does nothing: what was taken over last is new enough."""

    @property
    def current(self) -> Mapping[str, AppFunctionState]:
        """What was set, as it was last read; the same object while nothing has changed."""
        return self._states

    def is_enabled(self, metadata: AppFunctionMetadata) -> bool:
        """Whether the function may be executed now, by its state and its default."""
        state = self.state_of(metadata.function_id)
        if state is AppFunctionState.DEFAULT:
            return metadata.enabled_by_default
        return state is AppFunctionState.ENABLED

    def state_of(self, function_id: str) -> AppFunctionState:
        """The state that somebody set, DEFAULT where nobody did."""
        return self._states.get(function_id, AppFunctionState.DEFAULT)

    def set_state(self, function_id: str, state: AppFunctionState) -> None:
        """Keeps a state and tells the listeners.

        Raises:
            StateFileError: The state cannot be kept.
        """
        self._store.write(function_id, state)
        self._take_over()

    def refresh(self) -> None:
        """Takes over what the store has now; a store that cannot be read changes nothing."""
        if not self.is_held:
            self._take_over()

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        """Calls the listener for each change, in the thread that made it; returns how to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def announce(self, event: AppChangeEvent) -> None:
        """Tells every listener of a change."""
        for listener in tuple(self._listeners):
            listener(event)

    def observe(self) -> AsyncIterator[AppFunctionsChangeEvent]:
        """Functions' changes from now on; listens from the moment of this call, on a loop."""
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[AppFunctionsChangeEvent] = asyncio.Queue()

        def on_event(event: AppChangeEvent) -> None:
            if isinstance(event, MetadataChanged | StatesChanged):
                loop.call_soon_threadsafe(events.put_nowait, event)

        stop = self.add_listener(on_event)

        async def changes() -> AsyncIterator[AppFunctionsChangeEvent]:
            try:
                while True:
                    yield await events.get()
            finally:
                stop()

        return changes()

    def _take_over(self) -> None:
        try:
            states = self._store.read()
        except StateFileError as fault:
            if self._fault != fault.faults:
                self._fault = fault.faults
                warn(f"{fault}; the states known so far stay in force")
            return
        self._fault = ()
        known, self._states = self._states, states
        if states is not known:
            changed = {i for i in {*states, *known} if states.get(i) is not known.get(i)}
            self.announce(StatesChanged(frozenset(changed)))
