"""Both engines in this process, on pipes: bytes in, messages out."""

import asyncio
import json
import os
import select
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any

from appfunctions_mcp.server.descriptors import ProtocolDescriptors
from appfunctions_mcp.server.engine import LeanEngine
from appfunctions_mcp.server.process import Engine
from appfunctions_mcp.server.sdk.stdio_engine import SdkEngine
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.service import AppFunctionService

ENGINES: dict[str, Callable[[AppFunctionService, StdioTransport], Engine]] = {
    "lean": LeanEngine,
    "sdk": SdkEngine,
}
Messages = list[dict[str, Any]]
Reply = Callable[[dict[str, Any]], dict[str, Any] | None]
"""What the client says to a request of the server's, without the id; None says nothing."""


def says_nothing(_request: dict[str, Any]) -> None:
    """A client that never answers."""


async def exchange(
    engine: str,
    service: AppFunctionService,
    chunks: Sequence[Sequence[bytes]],
    lasting: Collection[str | int] = (),
    reply: Reply = says_nothing,
) -> Messages:
    """Serves one connection and returns everything that the server wrote.

    Args:
        engine: Which engine answers.
        service: What is served.
        chunks: Lines that are sent at once; before the next ones, they are answered.
        lasting: Ids of requests whose answers are not waited for.
        reply: Answers the server's own requests.
    """
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    transport = StdioTransport(ProtocolDescriptors(to_server, from_server))
    client = _Client(to_client, from_client, reply)
    reading = asyncio.create_task(asyncio.to_thread(client.read_all))
    async with service.running():
        serving = asyncio.create_task(_serve(ENGINES[engine](service, transport), transport))
        for lines in chunks:
            client.send(*lines)
            await asyncio.wait_for(_until_answered(transport, to_server, lasting), 20)
        client.close()
        await serving
    os.close(to_server)
    os.close(from_server)
    return await reading


class _Client:
    """The other end of both pipes."""

    def __init__(self, descriptor: int, to_server: int, reply: Reply) -> None:
        self._descriptor = descriptor
        self._to_server = to_server
        self._reply = reply
        self._lock = threading.Lock()
        self._is_closed = False

    def send(self, *lines: bytes) -> None:
        """Writes lines, unless the connection is closed already."""
        with self._lock:
            if not self._is_closed:
                os.write(self._to_server, b"".join(line + b"\n" for line in lines))

    def close(self) -> None:
        """Ends what the server reads."""
        with self._lock:
            self._is_closed = True
            os.close(self._to_server)

    def read_all(self) -> Messages:
        """Reads to the end, and answers what the server asks."""
        said: Messages = []
        with os.fdopen(self._descriptor, "rb") as stream:
            for line in stream:
                message = json.loads(line)
                said.append(message)
                answer = self._reply(message) if {"id", "method"} <= message.keys() else None
                if answer is not None:
                    reply = {"jsonrpc": "2.0", "id": message["id"], **answer}
                    self.send(json.dumps(reply).encode())
        return said


async def _serve(engine: Engine, transport: StdioTransport) -> None:
    running = asyncio.create_task(engine.run())
    try:
        await transport.run(engine.receive, engine.end_input)
    finally:
        engine.close()
        await asyncio.wait({running}, timeout=5)
        assert running.done()


async def _until_answered(
    transport: StdioTransport, descriptor: int, lasting: Collection[str | int]
) -> None:
    """Turns of the loop until all was read and answered, since pipes tell of neither."""

    def is_waiting() -> bool:
        is_unread = bool(select.select([descriptor], [], [], 0)[0])
        return is_unread or bool(set(transport._unanswered) - set(lasting))

    while is_waiting():  # noqa: ASYNC110 - as the docstring says
        await asyncio.sleep(0)
