"""An app that talks back: functions that ask, resources, prompts, completions and changes.

Run as `python -m tests.support.talking_functions stdio`, or `http PORT [--sessions]`, like
`served_functions`, whose app has functions alone.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

if __name__ == "__main__" and sys.argv[1] == "stdio":
    from appfunctions_mcp.server.descriptors import guard_stdout

    guard_stdout()

from pydantic import BaseModel

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionService,
    AssistantMessage,
    BlobResource,
    Image,
    ResourceLink,
    TextResource,
    UserMessage,
    app_function,
    app_prompt,
    app_resource,
)
from tests.support.serving import serve

NOTES = {"milk": "Buy milk.", "rent": "Pay the rent.", "räder": "Räder wechseln ★"}


class Person(BaseModel):
    """Who somebody is."""

    name: str
    age: int | None = None


class Color(BaseModel):
    """What somebody likes."""

    color: Literal["red", "blue"] = "red"


@app_function
async def add(a: int, b: int) -> int:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@app_function
async def greet(context: AppFunctionContext) -> str:
    """Asks who the user is, and greets them."""
    person = await context.ask("Who are you?", Person, key="person")
    return "Hello, stranger!" if person is None else f"Hello, {person.name}!"


@app_function
def greet_in_thread(context: AppFunctionContext) -> str:
    """Asks, from a thread, who the user is."""
    person = context.wait(context.ask("Who are you?", Person))
    return "Hello, stranger!" if person is None else f"Hello, {person.name}!"


@app_function
async def introduce(context: AppFunctionContext) -> str:
    """Asks the user, the client's model and the client itself at once."""
    person, sample, roots = await asyncio.gather(
        context.ask("Who are you?", Person),
        context.sample("Greet somebody.", max_tokens=50, system="Be brief."),
        context.roots(),
    )
    return f"{person and person.name}: {sample.text} {[root.uri for root in roots]}"


@app_function
async def sign_up(context: AppFunctionContext) -> str:
    """Asks one thing after the other, and says how far it is."""
    context.report_progress(0, 2, "first question")
    person = await context.ask("Who are you?", Person)
    context.log("the first answer is there", half="a\ud800b", raw=b"\xff")
    context.report_progress(1, 2, "second question: \ud800")
    color = await context.ask("What do you like? \ud800", Color)
    return f"{person and person.name} likes {color and color.color}"


@app_function
async def agree(context: AppFunctionContext) -> bool:
    """Asks for an agreement."""
    return await context.confirm("Do you agree?")


@app_function(requires_confirmation=True)
async def erase(note_id: str) -> str:
    """Deletes a note.

    Args:
        note_id: The id.
    """
    return f"erased {note_id}"


@app_function
async def touch(context: AppFunctionContext, uri: str) -> str:
    """Says that something else stands at an address now.

    Args:
        context: The call.
        uri: The address.
    """
    context.resource_updated(uri)
    return "touched"


@app_function
async def change_lists(context: AppFunctionContext) -> str:
    """Adds a resource and a prompt, and takes both away again."""
    service = context.lifespan

    @app_resource("shelf://new")
    def new_shelf() -> str:
        """A new shelf."""
        return "empty"

    @app_prompt
    def new_prompt() -> str:
        """A new prompt."""
        return "new"

    service.resources.add([new_shelf]).unregister()
    service.prompts.add([new_prompt]).unregister()
    return "changed"


@app_resource("notes://all", title="All notes", mime_type="text/plain", size=12)
async def all_notes() -> str:
    """Every note."""
    return "\n".join(NOTES.values())


def note_entries() -> list[ResourceLink]:
    """The notes, as resources."""
    return [ResourceLink(uri=f"note://{note_id}", name=note_id) for note_id in ("milk", "rent")]


@app_resource("note://{note_id}", entries=note_entries, complete={"note_id": sorted(NOTES)})
def note(note_id: str) -> str:
    """One note.

    Args:
        note_id: The id.
    """
    if note_id not in NOTES:
        raise AppFunctionElementNotFoundException(f"no note {note_id}")
    return NOTES[note_id]


@app_resource("picture://cover", mime_type="image/png")
async def cover() -> bytes:
    """A picture."""
    return b"\x89PNG"


@app_resource("folder://{+path}")
def folder(path: str) -> list[TextResource | BlobResource]:
    """What a folder has.

    Args:
        path: Where it lies.
    """
    return [
        TextResource(uri=f"file://{path}/a.txt", text="a\ud800b\u2028c", mime_type="text/plain"),
        BlobResource(
            uri=f"file://{path}/b.bin", data=b"\x00", mime_type="application/octet-stream"
        ),
    ]


@app_resource("broken://all")
async def broken() -> str:
    """Fails in a way that nobody foresaw."""
    raise ValueError("secret")


@app_resource("half://surrogate")
async def half_surrogate() -> str:
    """Fails with a text that UTF-8 cannot hold."""
    raise AppFunctionElementNotFoundException("a\ud800b")


@app_resource("hidden://all", access=lambda _: False)
async def hidden() -> str:
    """Nobody may read this."""
    return "secret"


@app_resource("asking://user")
async def asking(context: AppFunctionContext) -> dict[str, Any]:
    """Asks who the user is."""
    person = await context.ask("Who are you?", Person)
    return {"name": person and person.name}


@app_prompt(title="Review a note", complete={"note_id": sorted(NOTES)})
def review(
    note_id: str, tone: Literal["kind", "strict"] | None = None, most: int | None = None
) -> list[UserMessage | AssistantMessage | str]:
    """Reviews a note.

    Args:
        note_id: The note.
        tone: How.
        most: How many remarks at most.
    """
    return [
        UserMessage(TextResource(uri=f"note://{note_id}", text=NOTES.get(note_id, "?"))),
        AssistantMessage("I have read it."),
        f"Review it in a {tone or 'kind'} way, with at most {most} remarks.",
    ]


@app_prompt
async def draw() -> list[UserMessage | str]:
    """Asks for a drawing."""
    return [UserMessage(Image(b"\x89PNG", "image/png")), "Draw this."]


@app_prompt
async def plan(context: AppFunctionContext) -> str:
    """Asks who the user is, for a plan."""
    context.report_progress(1)
    person = await context.ask("Who are you?", Person)
    return f"A plan for {person and person.name}."


@app_prompt
async def broken_prompt() -> str:
    """Fails in a way that nobody foresaw."""
    raise ValueError("secret")


@app_prompt(access=lambda _: False)
async def hidden_prompt() -> str:
    """Nobody may have this."""
    return "secret"


FUNCTIONS = (
    *(add, greet, greet_in_thread, introduce, sign_up, agree, erase, touch, change_lists),
    *(all_notes, note, cover, folder, broken, half_surrogate, hidden, asking),
    *(review, draw, plan, broken_prompt, hidden_prompt),
)


def talking_functions() -> AppFunctionService:
    """A service of all of them, which they reach as their lifespan's value."""

    @asynccontextmanager
    async def itself() -> AsyncIterator[AppFunctionService]:
        yield made

    made = AppFunctionService.from_functions(
        FUNCTIONS,
        name="talking",
        description="Talks back.",
        version="1.2.3",
        lifespan=itself,
    )
    return made


if __name__ == "__main__":
    serve(talking_functions(), *sys.argv[1:])
