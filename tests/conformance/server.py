"""The server that the official MCP conformance suite is run against.

    python tests/conformance/server.py PORT [--stateless]
    python tests/conformance/server.py stdio    behind tests/conformance/stdio_bridge.py

Needs nothing but the installed package. The names and answers of the tools are the suite's.
"""

import asyncio
import base64
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionInvalidArgumentException,
    AppFunctionMetadata,
    AppFunctionService,
    Audio,
    Image,
    TextResource,
    app_function,
)
from appfunctions_mcp.server.engine import serve_stdio
from appfunctions_mcp.server.http import serve_http

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = (
    b"RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80>\x00\x00"
    b"\x02\x00\x10\x00data\x00\x00\x00\x00"
)


@app_function
def test_simple_text() -> str:
    """Returns a simple text."""
    return "This is a simple text response for testing."


@app_function
def test_image_content() -> Image:
    """Returns a picture of one red pixel."""
    return Image(PNG, "image/png")


@app_function
def test_audio_content() -> Audio:
    """Returns a sound without a sample."""
    return Audio(WAV, "audio/wav")


@app_function
def test_embedded_resource() -> TextResource:
    """Returns an embedded text resource."""
    return TextResource(
        uri="test://embedded-resource",
        text="This is an embedded resource content.",
        mime_type="text/plain",
    )


@app_function
def test_multiple_content_types() -> list[TextResource | Image | str]:
    """Returns text, a picture and a resource together."""
    return [
        "Multiple content types test:",
        Image(PNG, "image/png"),
        TextResource(
            uri="test://mixed-content-resource",
            text='{"test":"data","value":123}',
            mime_type="application/json",
        ),
    ]


@app_function
def test_error_handling() -> str:
    """Fails on purpose.

    Raises:
        AppFunctionInvalidArgumentException: Always.
    """
    raise AppFunctionInvalidArgumentException("This tool intentionally returns an error")


@app_function
async def test_tool_with_progress(context: AppFunctionContext) -> str:
    """Reports progress three times."""
    for done in (0, 50, 100):
        context.report_progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(0.05)
    return "done"


@app_function
async def test_tool_with_logging(context: AppFunctionContext) -> str:
    """Sends three log messages while it runs."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        context.log(text)
        await asyncio.sleep(0.05)
    return "done"


@app_function
async def test_logging_tool(context: AppFunctionContext) -> str:
    """Logs a message, which only callers that asked for a level get."""
    context.log("a message of the diagnostic tool")
    await asyncio.sleep(0)
    return "logged"


@app_function
def test_missing_capability(context: AppFunctionContext) -> str:
    """Needs a client that lets the server use its model."""
    context.require_client_capability("sampling")
    return "the client can sample"


@app_function
def test_trigger_tool_change(context: AppFunctionContext) -> str:
    """Adds a function and takes it away again, so that clients hear of a change."""
    extra = AppFunctionMetadata("conformance#extra", "extra", description="Comes and goes.")
    context.lifespan.register(extra, lambda _arguments, _context: "extra").unregister()
    return "changed"


@app_function
async def test_streaming_elicitation(context: AppFunctionContext) -> str:
    """Streams progress before its result."""
    for done in (1, 2):
        context.report_progress(done, 2)
        await asyncio.sleep(0.05)
    return "streamed"


def service() -> AppFunctionService:
    """All functions of this file as one app, which they reach as their lifespan's value."""

    @asynccontextmanager
    async def itself() -> AsyncIterator[AppFunctionService]:
        yield made

    functions = [f for name, f in globals().items() if name.startswith("test_")]
    made = AppFunctionService.from_functions(
        functions,
        name="conformance",
        description="Answers the official MCP conformance suite.",
        version="1.0.0",
        lifespan=itself,
    )
    return made


if __name__ == "__main__" and sys.argv[1] == "stdio":
    serve_stdio(service())
elif __name__ == "__main__":
    serve_http(service(), "127.0.0.1", int(sys.argv[1]), sessions="--stateless" not in sys.argv)
