"""The one MCP client of this project, over the SDK's.

Tests, tools and bridges reach any MCP server through it: one in this process, one started as a
command, or one behind a URL.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

Target = Any
"""What the SDK's `Client` connects to: a server object, a URL, or a transport."""


@asynccontextmanager
async def connect_client(
    target: Target, *, mode: str = "auto", **options: Any
) -> AsyncIterator[Client]:
    """Connects to an MCP server.

    Args:
        target: A low-level server object, the URL of a streamable HTTP endpoint, or a transport.
        mode: `"auto"`, `"legacy"` for a handshake-era session, or a protocol revision such as
            `"2026-07-28"`.
        options: What else the SDK's `Client` takes.

    Returns:
        The connected client.
    """
    async with Client(target, mode=mode, **options) as client:
        yield client


@asynccontextmanager
async def connect_command(
    command: Sequence[str],
    *,
    mode: str = "auto",
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """Starts an MCP server as a command and connects to it over stdio.

    Args:
        command: The program and its arguments.
        mode: As in `connect_client`.
        env: Variables beside the few that a client passes on by default.
        cwd: The folder in which it starts.
        options: What else the SDK's `Client` takes.

    Returns:
        The connected client.
    """
    parameters = StdioServerParameters(
        command=command[0], args=list(command[1:]), env=dict(env) if env else None, cwd=cwd
    )
    async with connect_client(stdio_client(parameters), mode=mode, **options) as client:
        yield client
