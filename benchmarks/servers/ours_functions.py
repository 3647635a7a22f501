"""The functions that every compared server offers, declared with this framework."""

from dataclasses import dataclass

from appfunctions_mcp import app_function


@dataclass
class Note:
    """A note."""

    id: str
    title: str
    content: str | None


@app_function
async def add(a: int, b: int) -> int:
    """Adds two integers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@app_function
async def create_note(title: str, content: str | None = None) -> Note:
    """Creates a note.

    Args:
        title: The title of the note.
        content: The body text of the note.
    """
    return Note("n1", title, content)


@app_function
async def echo(text: str) -> str:
    """Returns the text.

    Args:
        text: Any text.
    """
    return text
