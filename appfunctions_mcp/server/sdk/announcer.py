"""Changes of a service's functions, told to every connection in the way of its protocol era."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from appfunctions_mcp.service import AppFunctionService


class Announcer:
    """Tells every connection that the list of tools has changed, each in the way of its era."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self._connections: set[Connection] = set()
        self._announcement: asyncio.Task[None] | None = None

    def add(self, connection: Connection) -> None:
        """Takes in a connection of the handshake era, until it is closed."""
        if connection.has_standalone_channel:
            self._connections.add(connection)
            connection.exit_stack.callback(self._connections.discard, connection)

    @contextmanager
    def announcing(self, service: AppFunctionService) -> Iterator[None]:
        """Listens to the service's changes, whatever thread makes them, while the block runs."""
        loop = asyncio.get_running_loop()
        remove = service.manager.add_listener(
            lambda _: loop.call_soon_threadsafe(self._announce_soon)
        )
        try:
            yield
        finally:
            remove()
            if self._announcement is not None:
                self._announcement.cancel()

    def _announce_soon(self) -> None:
        """Several changes in one turn of the loop are one announcement."""
        if self._announcement is None or self._announcement.done():
            self._announcement = asyncio.create_task(self._announce())

    async def _announce(self) -> None:
        for connection in tuple(self._connections):
            await connection.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())
