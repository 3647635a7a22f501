"""An app whose functions, resources and prompts report, last until they are ended, and change.

Run as `python -m tests.support.lasting_functions http PORT [--sessions]`.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionMetadata,
    AppFunctionService,
    AssistantMessage,
    Audio,
    BlobResource,
    Image,
    ResourceLink,
    TextResource,
    UserMessage,
    app_function,
    app_prompt,
    app_resource,
)
from appfunctions_mcp.media import Media
from tests.support.serving import serve

ended_waits: list[str] = []
"""Which waits have come to their end, in order."""
NEW_FUNCTION = AppFunctionMetadata(
    function_id="new#function",
    tool_name="new_function",
    description="A new function.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
)


def _report(context: AppFunctionContext, count: int) -> str:
    for step in range(count):
        context.report_progress(step, count, f"step {step}")
        context.log("done", level="debug" if step else "info", step=step)
    return f"{count} steps"


async def _wait(context: AppFunctionContext, name: str) -> str:
    context.report_progress(0)
    try:
        await asyncio.sleep(60)
    finally:
        ended_waits.append(name)
    return "waited"


@app_function
async def report(context: AppFunctionContext, count: int) -> str:
    """Says how far it is."""
    return _report(context, count)


@app_resource("steps://{count}")
async def steps(context: AppFunctionContext, count: int) -> str:
    """Says how far it is."""
    return _report(context, count)


@app_prompt
def count_steps(context: AppFunctionContext, count: int) -> str:
    """Says, from a thread, how far it is."""
    return _report(context, count)


@app_function
async def wait(context: AppFunctionContext, name: str) -> str:
    """Waits for a minute."""
    return await _wait(context, name)


@app_resource("waiting://{name}")
async def waiting(context: AppFunctionContext, name: str) -> str:
    """Waits for a minute."""
    return await _wait(context, name)


@app_prompt
async def wait_for(context: AppFunctionContext, name: str) -> str:
    """Waits for a minute."""
    return await _wait(context, name)


@app_prompt
async def show_all() -> list[UserMessage | AssistantMessage]:
    """Has a message of each kind."""
    contents: list[str | Media] = [
        "text",
        Image(b"\x89PNG", "image/png"),
        Audio(b"RIFF", "audio/wav"),
        TextResource("a://text", "text"),
        BlobResource("a://blob", b"blob", "a/b"),
        ResourceLink("a://link", name="link"),
    ]
    return [*map(UserMessage, contents), AssistantMessage("Thank you.")]


@app_function
async def ended() -> list[str]:
    """Which waits have come to their end."""
    return ended_waits


@app_function
async def change_lists(context: AppFunctionContext) -> str:
    """Adds a function, a resource and a prompt, and takes all three away again."""
    service: AppFunctionService = context.lifespan

    @app_resource("shelf://new")
    def new_shelf() -> str:
        """A new shelf."""
        return "empty"

    @app_prompt
    def new_prompt() -> str:
        """A new prompt."""
        return "new"

    service.register(NEW_FUNCTION, lambda _arguments, _context: None).unregister()
    service.resources.add([new_shelf]).unregister()
    service.prompts.add([new_prompt]).unregister()
    return "changed"


FUNCTIONS: tuple[Any, ...] = (
    *(report, wait, ended, change_lists),
    *(steps, waiting, count_steps, wait_for, show_all),
)


def lasting_functions() -> AppFunctionService:
    """A service of all of them, which they reach as their lifespan's value."""

    @asynccontextmanager
    async def itself() -> AsyncIterator[AppFunctionService]:
        yield made

    made = AppFunctionService.from_functions(
        FUNCTIONS, name="lasting", description="Takes its time.", lifespan=itself
    )
    return made


if __name__ == "__main__":
    serve(lasting_functions(), *sys.argv[1:])
