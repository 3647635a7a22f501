"""Changes of a service's functions, told on the event loop: once, however many come at once.

Knows nothing of MCP.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from appfunctions_mcp.service import AppFunctionService

OnChange = Callable[[], None]


class Announcer:
    """Tells whoever wants to hear it that what is listed has changed."""

    def __init__(self) -> None:
        self._listeners: dict[object, OnChange] = {}
        self._is_due = False

    def add(self, on_change: OnChange) -> Callable[[], None]:
        """Calls back after each change; returns how to stop."""
        key = object()
        self._listeners[key] = on_change
        return lambda: self._listeners.pop(key, None) and None

    @contextmanager
    def announcing(self, service: AppFunctionService) -> Iterator[None]:
        """Listens to the service's changes, whatever thread makes them, while the block runs."""
        loop = asyncio.get_running_loop()

        def on_event(_event: object) -> None:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(self._come_due, loop)

        remove = service.manager.add_listener(on_event)
        try:
            yield
        finally:
            remove()

    def _come_due(self, loop: asyncio.AbstractEventLoop) -> None:
        """Several changes in one turn of the loop are one announcement."""
        if not self._is_due:
            self._is_due = True
            loop.call_soon(self._announce)

    def _announce(self) -> None:
        self._is_due = False
        for on_change in tuple(self._listeners.values()):
            on_change()
