"""A server of the official SDK whose tools behave well and badly.

Run as `python tests/support/sdk_tools_server.py`; what became of calls stands in the file named
by the variable DIARY.
"""

import asyncio
import os
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ImageContent, TextContent, ToolAnnotations

server = MCPServer("rough")
diary = Path(os.environ["DIARY"])


def note(line: str) -> None:
    with diary.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


note("started")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(first: int, second: int) -> int:
    """Adds two numbers."""
    return first + second


@server.tool()
async def pause() -> str:
    """Waits for a tenth of a second."""
    await asyncio.sleep(0.1)
    return "waited"


@server.tool()
async def hang() -> str:
    """Waits for long."""
    note("hang begun")
    try:
        await asyncio.sleep(60)
    except BaseException:
        note("hang cancelled")
        raise
    return "over"


@server.tool()
async def work(context: Context, steps: int) -> str:
    """Works and tells of it."""
    for step in range(steps):
        await asyncio.sleep(0.1)
        await context.report_progress(step)
    return "worked"


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("there is no ink left")


@server.tool()
def die() -> str:
    """Ends the server."""
    note("died")
    os._exit(3)


@server.tool()
async def leave() -> str:
    """Ends the server soon."""
    asyncio.get_running_loop().call_later(0.1, os._exit, 3)
    return "leaving"


@server.tool()
def paint() -> list[TextContent | ImageContent]:
    """Paints."""
    return [
        TextContent(type="text", text="a picture"),
        ImageContent(type="image", data="R0lGODlh", mime_type="image/gif"),
    ]


@server.tool()
async def grow(context: Context) -> str:
    """Adds a tool."""

    def grown() -> str:
        """Is new."""
        return "new"

    server.add_tool(grown)
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "grown"


if __name__ == "__main__":
    server.run("stdio")
