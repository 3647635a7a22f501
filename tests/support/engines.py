"""Both engines in this process, on pipes: bytes in, messages out."""

import asyncio
import json
import os
import select
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


async def exchange(
    engine: str,
    service: AppFunctionService,
    chunks: Sequence[Sequence[bytes]],
    lasting: Collection[str | int] = (),
) -> Messages:
    """Serves one connection and returns everything that the server wrote.

    Args:
        engine: Which engine answers.
        service: What is served.
        chunks: Lines that are sent at once; before the next ones, they are answered.
        lasting: Ids of requests whose answers are not waited for.
    """
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    transport = StdioTransport(ProtocolDescriptors(to_server, from_server))
    reading = asyncio.create_task(asyncio.to_thread(_read_all, to_client))
    async with service.running():
        serving = asyncio.create_task(_serve(ENGINES[engine](service, transport), transport))
        for lines in chunks:
            os.write(from_client, b"".join(line + b"\n" for line in lines))
            await asyncio.wait_for(_until_answered(transport, to_server, lasting), 20)
        os.close(from_client)
        await serving
    os.close(to_server)
    os.close(from_server)
    return [json.loads(line) for line in (await reading).splitlines()]


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


def _read_all(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()
