"""The server that the official MCP conformance suite is run against.

    python tests/conformance/server.py PORT [--stateless]
    python tests/conformance/server.py stdio    behind tests/conformance/stdio_bridge.py

With `APPFUNCTIONS_ENGINE=sdk` the SDK's engine serves alone. Needs nothing but the installed
package. The names and answers of tools, resources and prompts are the suite's.
"""

import asyncio
import base64
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from pydantic import BaseModel, Field

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionInvalidArgumentException,
    AppFunctionMetadata,
    AppFunctionService,
    Audio,
    Image,
    TextResource,
    UserMessage,
    app_function,
    app_prompt,
    app_resource,
)

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
def test_trigger_prompt_change(context: AppFunctionContext) -> str:
    """Adds a prompt and takes it away again, so that clients hear of a change."""

    @app_prompt
    def comes_and_goes() -> str:
        """Comes and goes."""
        return "here"

    context.lifespan.prompts.add([comes_and_goes]).unregister()
    return "changed"


@app_function
async def test_streaming_elicitation(context: AppFunctionContext) -> str:
    """Streams progress before its result."""
    for done in (1, 2):
        context.report_progress(done, 2)
        await asyncio.sleep(0.05)
    return "streamed"


# What asks the client, in whichever way its protocol era has.


class Contact(BaseModel):
    """Who the user is."""

    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


class Defaults(BaseModel):
    """One field of each primitive type, each with a default."""

    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


class Name(BaseModel):
    """A name."""

    name: str


class Color(BaseModel):
    """A color."""

    color: str


class Agreement(BaseModel):
    """Whether the user agrees."""

    ok: bool


class Setting(BaseModel):
    """What a prompt is about."""

    context: str


OPTIONS = ["option1", "option2", "option3"]
CHOICES = [
    {"const": f"value{n}", "title": f"{word} Choice"}
    for n, word in enumerate(("First", "Second", "Third"), 1)
]
ENUMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": CHOICES},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": CHOICES}},
    },
}


@app_function
async def test_sampling(context: AppFunctionContext, prompt: str) -> str:
    """Lets the client's model answer.

    Args:
        context: The call.
        prompt: What the model is asked.
    """
    return f"LLM response: {(await context.sample(prompt, max_tokens=100)).text}"


@app_function
async def test_elicitation(context: AppFunctionContext, message: str) -> str:
    """Asks the user who they are.

    Args:
        context: The call.
        message: What the user reads.
    """
    return f"User response: {await context.ask(message, Contact)}"


@app_function
async def test_elicitation_sep1034_defaults(context: AppFunctionContext) -> str:
    """Asks with a default in each field."""
    return f"Elicitation completed: {await context.ask('Check these values', Defaults)}"


@app_function
async def test_elicitation_sep1330_enums(context: AppFunctionContext) -> str:
    """Asks with every form of a choice."""
    return f"Elicitation completed: {await context.ask('Choose', ENUMS)}"


@app_function
async def test_input_required_result_elicitation(context: AppFunctionContext) -> str:
    """Asks for a name and greets."""
    return await greeting_of_user(context)


@app_function
async def test_input_required_result_sampling(context: AppFunctionContext) -> str:
    """Lets the client's model answer a question."""
    return (await context.sample("What is the capital of France?", max_tokens=100)).text


@app_function
async def test_input_required_result_list_roots(context: AppFunctionContext) -> list[str]:
    """Lists the client's roots."""
    return [root.uri for root in await context.roots()]


@app_function
async def test_input_required_result_request_state(context: AppFunctionContext) -> str:
    """Asks for an agreement, and needs its state back."""
    return "state-ok" if await context.ask("Please confirm", Agreement) else "declined"


@app_function
async def test_input_required_result_tampered_state(context: AppFunctionContext) -> str:
    """Asks for an agreement, and takes no state that was changed."""
    return "agreed" if await context.ask("Please confirm", Agreement) else "declined"


@app_function
async def test_input_required_result_multiple_inputs(context: AppFunctionContext) -> str:
    """Asks three things at once."""
    greeting, sample, roots = await asyncio.gather(
        greeting_of_user(context),
        context.sample("Generate a greeting", max_tokens=50),
        context.roots(),
    )
    return f"{greeting} {sample.text} {len(roots)} roots"


@app_function
async def test_input_required_result_multi_round(context: AppFunctionContext) -> str:
    """Asks one thing after the other."""
    name = await context.ask("Step 1: What is your name?", Name)
    color = await context.ask("Step 2: What is your favorite color?", Color)
    return f"{name and name.name} likes {color and color.color}"


@app_function
async def test_input_required_result_capabilities(context: AppFunctionContext) -> str:
    """Asks only what the client can answer."""
    said = []
    if "elicitation" in context.client_capabilities:
        said.append(await greeting_of_user(context))
    if "sampling" in context.client_capabilities:
        said.append((await context.sample("Generate a greeting", max_tokens=50)).text)
    return " ".join(said)


async def greeting_of_user(context: AppFunctionContext) -> str:
    """Asks for the user's name."""
    answer = await context.ask("What is your name?", Name, key="user_name")
    return "Hello!" if answer is None else f"Hello, {answer.name}!"


@app_resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text that stays the same."""
    return "This is the content of the static text resource."


@app_resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture of one red pixel."""
    return PNG


@app_resource("test://template/{id}/data", mime_type="application/json")
def template_data(id: str) -> dict[str, Any]:  # noqa: A002 - the suite's name
    """What there is for an id.

    Args:
        id: The id.
    """
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@app_resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    """A text that clients may watch."""
    return "Watched."


@app_prompt
def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


@app_prompt(complete={"arg1": ["paris", "park", "party", "test"]})
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with two arguments.

    Args:
        arg1: The first argument.
        arg2: The second argument.
    """
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@app_prompt
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage | str]:  # noqa: N803 - the suite's name
    """A prompt that holds a resource.

    Args:
        resourceUri: What the resource is called.
    """
    text = "Embedded resource content for testing."
    return [
        UserMessage(TextResource(uri=resourceUri, text=text, mime_type="text/plain")),
        "Please process the embedded resource above.",
    ]


@app_prompt
def test_prompt_with_image() -> list[UserMessage | str]:
    """A prompt that holds a picture."""
    return [UserMessage(Image(PNG, "image/png")), "Please analyze the image above."]


@app_prompt
async def test_input_required_result_prompt(context: AppFunctionContext) -> str:
    """A prompt that has to ask what it is about."""
    answer = await context.ask("What context should the prompt use?", Setting)
    return f"Use this context: {answer and answer.context}"


SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
REPEATED_IN_A_HEADER: dict[str, Any] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
    "additionalProperties": False,
}
READY_SCHEMAS = {
    "json_schema_2020_12_tool": ("Tool with JSON Schema 2020-12 features", SCHEMA_2020_12),
    "test_custom_header": (
        "Returns what came, which clients name in a header too",
        REPEATED_IN_A_HEADER,
    ),
}
"""Tools whose schemas go out as they stand, with their descriptions."""


def service() -> AppFunctionService:
    """Everything in this file as one app, which functions reach as their lifespan's value."""

    @asynccontextmanager
    async def itself() -> AsyncIterator[AppFunctionService]:
        yield made

    declared = [f for name, f in globals().items() if name.startswith("test_")]
    made = AppFunctionService.from_functions(
        [*declared, static_text, static_binary, template_data, watched_resource],
        name="conformance",
        description="Answers the official MCP conformance suite.",
        version="1.0.0",
        lifespan=itself,
    )
    made.register_all(
        [
            (
                AppFunctionMetadata(
                    f"conformance#{name}", name, description=description, input_schema=schema
                ),
                lambda arguments, _context: arguments,
            )
            for name, (description, schema) in READY_SCHEMAS.items()
        ]
    )
    return made


def main(transport: str, *options: str) -> None:
    """Serves until the client is gone or a signal comes."""
    is_sdk = os.environ.get("APPFUNCTIONS_ENGINE") == "sdk"
    engine: Literal["lean", "sdk"] = "sdk" if is_sdk else "lean"
    if transport == "stdio":
        from appfunctions_mcp.server.engine import serve_stdio

        serve_stdio(service(), engine=engine)
    else:
        from appfunctions_mcp.server.http import serve_http

        serve_http(
            service(),
            "127.0.0.1",
            int(transport),
            sessions="--stateless" not in options,
            engine=engine,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
