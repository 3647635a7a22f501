"""For authors of functions: a client in the same process, for tests.

Example:
    async with connect(service) as client:
        result = await client.call_tool("create_note", {"title": "Milk"})
        assert result.structured_content["title"] == "Milk"
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp import Client

from appfunctions_mcp.client import connect_client
from appfunctions_mcp.server.sdk import build_server
from appfunctions_mcp.service import AppFunctionService

__all__ = ["connect"]


@asynccontextmanager
async def connect(service: AppFunctionService, *, mode: str = "auto") -> AsyncIterator[Client]:
    """Connects an MCP client to a service without a process or a socket between them.

    What a test sees is what any client sees: the same listing, the same checks, the same errors.

    Args:
        service: From `load_service` or `AppFunctionService.from_functions`.
        mode: `"auto"`, `"legacy"` for a handshake-era session, or a protocol revision such as
            `"2026-07-28"`.

    Returns:
        The SDK's `Client`: `list_tools()`, `call_tool(name, arguments)` and the rest.
    """
    async with service.running(), connect_client(build_server(service), mode=mode) as client:
        yield client
