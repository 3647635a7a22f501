"""The same tools on the SDK's bare low-level server: ready-made lists, no validation.

lowlevel_server.py FOLDER COUNT [PORT]
"""

import json
import sys
import time
from functools import partial

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from tools import tools

LIST = types.ListToolsResult.model_validate({"tools": tools(int(sys.argv[2]))})


async def list_tools(_ctx: object, _params: object) -> types.ListToolsResult:
    return LIST


async def call_tool(_ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    if params.name == "echo":
        return types.CallToolResult(content=[types.TextContent(type="text", text=given["text"])])
    if params.name == "pause":
        await anyio.to_thread.run_sync(partial(time.sleep, given["milliseconds"] / 1000))
        value = {"result": given["milliseconds"]}
    elif params.name == "add":
        value = {"result": given["a"] + given["b"]}
    else:
        value = {"id": "n1", "title": given["title"], "content": given.get("content")}
    text = types.TextContent(type="text", text=json.dumps(value))
    return types.CallToolResult(content=[text], structured_content=value)


server = Server("bench", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve_stdio() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if len(sys.argv) > 3:
    from over_http import serve

    app = server.streamable_http_app(
        json_response=True, stateless_http=True, max_request_body_size=64_000_000
    )
    serve(app, int(sys.argv[3]))
else:
    anyio.run(serve_stdio)
