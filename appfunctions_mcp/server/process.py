"""A server process on stdio from its first message to its end.

Puts the transport, the engine, the service's lifespan and the process's end together, in the
order that keeps the promises: answers first, then the lifespan's clean-up, and the end on time
whatever hangs. Knows nothing of the protocol's methods.
"""

import asyncio
import gc
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Protocol

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.descriptors import guard_stdout
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.event_loop import run_to_end
from appfunctions_mcp.server.shutdown import ExitDeadline, stop_signals, watch_parent
from appfunctions_mcp.server.stdio import StdioTransport

STDIO_CALLER = AppFunctionCaller(connection="stdio", local_user=True)
"""Who calls: whoever has started the process."""
_CANCEL_SECONDS = 0.2
"""How long cancelled calls may take to end before the lifespan is closed without them."""


class Runnable(Protocol):
    """What runs as long as it is served: a service."""

    def running(self) -> AbstractAsyncContextManager[Any]:
        """Opens the lifespan, and closes it in the end."""


class Engine(Protocol):
    """What answers the messages of one connection."""

    async def run(self) -> None:
        """Serves until `close`."""

    def receive(self, message: Message) -> None:
        """Takes one valid message; must not wait."""

    def end_input(self) -> None:
        """Is told that no message follows; what would wait for one ends now."""

    def close(self) -> None:
        """Cancels what still runs."""


def serve_process(
    service: Runnable,
    make_engine: Callable[[StdioTransport], Engine],
    *,
    threads: bool = False,
    watch_parent: bool = False,
    unread: bytes = b"",
    unsent: bytes = b"",
) -> None:
    """Serves a service on stdin and stdout until the client is gone or a signal comes.

    Args:
        service: What is served; its lifespan is opened and closed here.
        make_engine: Makes the engine for the connection.
        threads: Reads and writes in threads though the platform could do without.
        watch_parent: Ends, too, when the process that started this one has ended.
        unread: What has been read already.
        unsent: The end of what has been written only in part.
    """
    transport = partial(
        StdioTransport, guard_stdout(), threads=threads, unread=unread, unsent=unsent
    )
    process = _StdioProcess(service, transport)
    run_to_end(process.serve(make_engine, watches_parent=watch_parent))


class _StdioProcess:
    def __init__(self, service: Runnable, make_transport: Callable[[], StdioTransport]) -> None:
        self._service = service
        self._make_transport = make_transport
        self._deadline = ExitDeadline()

    async def serve(
        self, make_engine: Callable[[StdioTransport], Engine], *, watches_parent: bool
    ) -> None:
        transport = self._make_transport()
        with stop_signals(transport.stop, self._deadline):
            if watches_parent:
                watch_parent(transport.stop)
            # Before the lifespan is opened, which may never end.
            self._deadline.arm_on_hangup(transport.descriptors.input)
            async with self._service.running():
                gc.freeze()
                gc.enable()
                await self._serve(transport, make_engine(transport))

    async def _serve(self, transport: StdioTransport, engine: Engine) -> None:
        def on_end() -> None:
            self._deadline.arm()
            engine.end_input()

        serving = asyncio.create_task(engine.run())
        serving.add_done_callback(lambda _: transport.stop())
        try:
            await transport.run(engine.receive, on_end)
        finally:
            engine.close()
            await asyncio.wait({serving}, timeout=_CANCEL_SECONDS)
            serving.cancel()
        if serving.done() and not serving.cancelled():
            serving.result()
