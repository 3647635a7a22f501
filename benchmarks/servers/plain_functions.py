"""Functions for measurements."""

import time
from dataclasses import dataclass


@dataclass
class Note:
    """A note."""

    id: str
    title: str
    content: str | None


async def add(a: int, b: int) -> int:
    """Adds two integers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


async def create_note(title: str, content: str | None = None) -> Note:
    """Creates a note.

    Args:
        title: The title of the note.
        content: The body text of the note.
    """
    return Note(id="n1", title=title, content=content)


async def echo(text: str) -> str:
    """Returns the text.

    Args:
        text: Any text.
    """
    return text


def pause(milliseconds: int) -> int:
    """Blocks its thread for a while.

    Args:
        milliseconds: How long.
    """
    time.sleep(milliseconds / 1000)
    return milliseconds
