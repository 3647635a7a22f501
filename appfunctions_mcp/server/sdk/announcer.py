"""Changes of what a service serves, told to every connection in the way of its protocol era."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from appfunctions_mcp.eager_tasks import begin_task
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.announcer import Announcer as ChangeAnnouncer
from appfunctions_mcp.server.announcer import Changes, ListKind
from appfunctions_mcp.server.subscriptions import told_of
from appfunctions_mcp.service import AppFunctionService

_EVENT_OF: dict[ListKind, ServerEvent] = {
    "tools": ToolsListChanged(),
    "prompts": PromptsListChanged(),
    "resources": ResourcesListChanged(),
}
_SUBSCRIBED_KEY = "appfunctions_mcp.subscribed"
_listener: ContextVar[AppFunctionCaller] = ContextVar("listener")
"""Who asks for a stream; the SDK's handler subscribes to the bus without saying for whom."""


class Announcer:
    """Tells every connection what has changed, each in the way of its era.

    Args:
        service: Whose changes are told.
    """

    def __init__(self, service: AppFunctionService) -> None:
        self._service = service
        self._bus = _CallerBus(service)
        self._handler = ListenHandler(self._bus)
        self._connections: dict[Connection, AppFunctionCaller] = {}
        self._news: deque[Changes] = deque()
        self._telling: asyncio.Task[None] | None = None

    def add(self, connection: Connection, caller: AppFunctionCaller) -> None:
        """Takes in a connection of the handshake era, until it is closed."""
        if connection.has_standalone_channel:
            self._connections[connection] = caller
            connection.exit_stack.callback(self._connections.pop, connection, None)

    async def listen(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: SubscriptionsListenRequestParams,
        caller: AppFunctionCaller,
    ) -> SubscriptionsListenResult:
        """Serves one stream of changes to its end."""
        _listener.set(caller)
        return await self._handler(ctx, params)

    def end_streams(self) -> None:
        """Ends every stream of changes, each with its result."""
        self._handler.close()

    @contextmanager
    def announcing(self) -> Iterator[None]:
        """Listens to the service's changes, whatever thread makes them, while the block runs."""
        changes = ChangeAnnouncer()
        changes.add(self._tell_soon)
        try:
            with changes.announcing(self._service, self._is_heard):
                yield
        finally:
            if self._telling is not None:
                self._telling.cancel()

    def _is_heard(self) -> bool:
        return bool(self._connections) or self._bus.is_heard

    def _tell_soon(self, changes: Changes) -> None:
        self._news.append(changes)
        if self._telling is None or self._telling.done():
            # Told at once, as far as nobody has to be waited for: before answers that come later.
            self._telling = begin_task(self._tell())

    async def _tell(self) -> None:
        while self._news:
            changes = self._news.popleft()
            for connection, caller in tuple(self._connections.items()):
                told = told_of(
                    changes, self._service, caller, lists=_EVENT_OF, uris=subscribed(connection)
                )
                for message in told:
                    await connection.notify(message["method"], message.get("params"))
            await self._publish(changes)

    async def _publish(self, changes: Changes) -> None:
        for kind in changes.lists:
            await self._bus.publish(_EVENT_OF[kind])
        for uri in changes.uris:
            await self._bus.publish(ResourceUpdated(uri))


class _CallerBus:
    """The SDK's bus, on which nobody hears of a resource that is hidden from them."""

    def __init__(self, service: AppFunctionService) -> None:
        self._service = service
        self._listeners: dict[object, tuple[AppFunctionCaller, Callable[[ServerEvent], None]]] = {}

    @property
    def is_heard(self) -> bool:
        """Whether any stream is open."""
        return bool(self._listeners)

    async def publish(self, event: ServerEvent) -> None:
        """Tells every listener that may know of it, and lets their streams send it."""
        for caller, listener in tuple(self._listeners.values()):
            is_hidden = isinstance(
                event, ResourceUpdated
            ) and not self._service.resources.is_visible(event.uri, caller)
            if not is_hidden:
                listener(event)
        await asyncio.sleep(0)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Takes in the stream of whoever has asked for it; returns how to stop."""
        key = object()
        self._listeners[key] = (_listener.get(), listener)

        def unsubscribe() -> None:
            with suppress(KeyError):
                del self._listeners[key]

        return unsubscribe


def subscribed(connection: Connection) -> set[str]:
    """The addresses that a connection of the handshake era wants to hear of."""
    uris: set[str] = connection.state.setdefault(_SUBSCRIBED_KEY, set())
    return uris
