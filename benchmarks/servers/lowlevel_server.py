"""The same three tools on the SDK's bare low-level server: precomputed schemas, no validation."""

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
NOTE = {"type": "object", "properties": {"id": TEXT, "title": TEXT, "content": TEXT}}


def tool(name: str, properties: dict, required: list[str], output: dict | None) -> types.Tool:
    schema = {"type": "object", "properties": properties, "required": required}
    return types.Tool(name=name, description=name, input_schema=schema, output_schema=output)


TOOLS = types.ListToolsResult(
    tools=[
        tool(
            "add",
            {"a": NUMBER, "b": NUMBER},
            ["a", "b"],
            {"type": "object", "properties": {"result": NUMBER}},
        ),
        tool("create_note", {"title": TEXT, "content": TEXT}, ["title"], NOTE),
        tool("echo", {"text": TEXT}, ["text"], None),
    ]
)


async def list_tools(_ctx: object, _params: object) -> types.ListToolsResult:
    return TOOLS


async def call_tool(_ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    if params.name == "echo":
        return types.CallToolResult(content=[types.TextContent(type="text", text=given["text"])])
    if params.name == "add":
        value = {"result": given["a"] + given["b"]}
    else:
        value = {"id": "n1", "title": given["title"], "content": given.get("content")}
    text = types.TextContent(type="text", text=str(value))
    return types.CallToolResult(content=[text], structured_content=value)


async def main() -> None:
    server = Server("bench", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
