"""For authors of functions and of loops: a client in the same process and a model by a script.

Example:
    async with connect(service) as client:
        result = await client.call_tool("create_note", {"title": "Milk"})
        assert result.structured_content["title"] == "Milk"
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client

from appfunctions_mcp.assistant.scripted import ScriptedCall, ScriptedModel
from appfunctions_mcp.client import connect_client
from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.manager import Proceed
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.server.sdk import build_server
from appfunctions_mcp.service import AppFunctionService

__all__ = [
    "CapturedExecution",
    "ScriptedCall",
    "ScriptedModel",
    "captured_executions",
    "connect",
]


@asynccontextmanager
async def connect(
    service: AppFunctionService, *, mode: str = "auto", **options: Any
) -> AsyncIterator[Client]:
    """Connects an MCP client to a service without a process or a socket between them.

    What a test sees is what any client sees: the same listing, the same checks, the same errors.
    A client that can be asked something is one with a callback for it.

    Args:
        service: From `load_service` or `AppFunctionService.from_functions`.
        mode: `"auto"`, `"legacy"` for a handshake-era session, or a protocol revision such as
            `"2026-07-28"`.
        options: What else the SDK's `Client` takes, such as `elicitation_callback`,
            `sampling_callback` and `list_roots_callback`.

    Returns:
        The SDK's `Client`: `list_tools()`, `call_tool(name, arguments)` and the rest.
    """
    server = build_server(service)
    async with service.running(), connect_client(server, mode=mode, **options) as client:
        yield client


@dataclass(frozen=True, slots=True)
class CapturedExecution:
    """One execution of a service: what was asked for, and what it ended in."""

    request: ExecuteAppFunctionRequest
    response: ExecuteAppFunctionResponse | None = None
    """What the function returned; None where the call failed."""
    exception: AppFunctionException | None = None
    """Why there is no response."""


@contextmanager
def captured_executions(service: AppFunctionService) -> Iterator[list[CapturedExecution]]:
    """Notes every execution of a service, whoever asks for it, in the order of their ends.

    Enter it before the service runs, that is before `connect`.

    Args:
        service: The service.

    Returns:
        A list that grows with each execution inside the block.
    """
    executions: list[CapturedExecution] = []
    captures = True

    async def capture(
        request: ExecuteAppFunctionRequest, proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        try:
            response = await proceed(request)
        except AppFunctionException as failure:
            if captures:
                executions.append(CapturedExecution(request, exception=failure))
            raise
        if captures:
            executions.append(CapturedExecution(request, response))
        return response

    service.around(capture)
    try:
        yield executions
    finally:
        captures = False
