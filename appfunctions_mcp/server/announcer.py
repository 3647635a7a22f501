"""Changes of what a service serves, told on the event loop: once, however many come at once.

Knows nothing of connections.
"""

import asyncio
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from appfunctions_mcp.metadata import PromptsChanged, ResourcesChanged, ResourceUpdated
from appfunctions_mcp.service import AppFunctionService

ListKind = Literal["tools", "resources", "prompts"]


class Changes:
    """What has changed since somebody was last told: lists as a whole, and single resources."""

    __slots__ = ("lists", "uris")

    def __init__(self) -> None:
        self.lists: dict[ListKind, None] = {}
        """Which lists may differ now, in the order of their changes."""
        self.uris: dict[str, None] = {}
        """The addresses of what stands there anew, each once."""

    def __bool__(self) -> bool:
        return bool(self.lists or self.uris)

    def add(self, event: object) -> None:
        """Takes an event of the service's."""
        match event:
            case ResourceUpdated():
                self.uris[event.uri] = None
            case ResourcesChanged():
                self.lists["resources"] = None
            case PromptsChanged():
                self.lists["prompts"] = None
            case _:
                self.lists["tools"] = None

    def merge(self, changes: "Changes") -> None:
        """Takes other changes as well; the same one twice is one."""
        self.lists |= changes.lists
        self.uris |= changes.uris

    def among(self, lists: Container[ListKind], uris: Container[str]) -> "Changes":
        """The part of them that concerns these lists and these addresses."""
        part = Changes()
        part.lists = dict.fromkeys(kind for kind in self.lists if kind in lists)
        part.uris = dict.fromkeys(uri for uri in self.uris if uri in uris)
        return part


OnChange = Callable[[Changes], None]


class Announcer:
    """Tells whoever wants to hear it what has changed."""

    def __init__(self) -> None:
        self._listeners: dict[object, OnChange] = {}
        self._due: Changes | None = None

    def add(self, on_change: OnChange) -> Callable[[], None]:
        """Calls back after each change; returns how to stop."""
        key = object()
        self._listeners[key] = on_change
        return lambda: self._listeners.pop(key, None) and None

    @contextmanager
    def announcing(
        self, service: AppFunctionService, is_heard: Callable[[], bool] | None = None
    ) -> Iterator[None]:
        """Listens to the service's changes, whatever thread makes them, while the block runs.

        Args:
            service: Whose changes are told.
            is_heard: Whether any client wants to hear of them; as long as a listener is added,
                when left out.
        """
        heard = is_heard or self._is_heard
        loop = asyncio.get_running_loop()

        def on_event(event: object) -> None:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(self._come_due, loop, event)

        remove = service.manager.add_listener(on_event)
        service.manager.hearers.append(heard)
        try:
            yield
        finally:
            service.manager.hearers.remove(heard)
            remove()

    def _is_heard(self) -> bool:
        return bool(self._listeners)

    def _come_due(self, loop: asyncio.AbstractEventLoop, event: object) -> None:
        """Several changes in one turn of the loop are one announcement."""
        if self._due is None:
            self._due = Changes()
            loop.call_soon(self._announce)
        self._due.add(event)

    def _announce(self) -> None:
        changes, self._due = self._due, None
        if changes:
            for on_change in tuple(self._listeners.values()):
                on_change(changes)
