"""What the notes app takes and returns.

The docstrings under the fields become the descriptions that agents read. Knows nothing of
how notes are stored.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from appfunctions_mcp import Instant, Uri

MAX_ATTACHMENTS = 20
PAGE_SIZE = 20

Title = Annotated[str, Field(min_length=1, max_length=200)]
Content = Annotated[str, Field(max_length=100_000)]
Query = Annotated[str, Field(max_length=1000)]
Owner = Annotated[str, Field(min_length=1, max_length=100)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
ExportFormat = Literal["markdown", "json"]


def note_uri(note_id: str) -> str:
    """The address under which clients read a note and hear of its changes."""
    return f"notes://{note_id}"


class Attachment(BaseModel):
    """A file or web page that belongs to a note; the note keeps its address, not a copy."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """What the attachment is called, for example a file name."""
    uri: Annotated[Uri, Field(max_length=2000)]
    """Where the attachment is: a complete address such as https://… or file:///…."""


Attachments = Annotated[list[Attachment], Field(max_length=MAX_ATTACHMENTS)]


class Note(BaseModel):
    """A note, whole."""

    model_config = ConfigDict(frozen=True)

    id: str
    """The ID of the note; it never changes and is never used again."""
    title: str
    """The title of the note."""
    content: str | None
    """The body text of the note; null if it has none."""
    owner: str | None
    """Whose note it is; null if nobody was named."""
    attachments: list[Attachment]
    """The files and pages that belong to the note."""
    labels: list[str]
    """The labels of the note, in alphabetical order."""
    created_at: Instant
    """When the note was created, in UTC."""
    updated_at: Instant
    """When the note last changed, in UTC."""


class NoteSummary(BaseModel):
    """A note as a search shows it: enough to choose one, not its whole text."""

    model_config = ConfigDict(frozen=True)

    id: str
    """The ID of the note."""
    title: str
    """The title of the note."""
    snippet: str
    """The part of the note's text where the words were found, or its beginning."""


class NotePage(BaseModel):
    """One page of the notes that a search found, best match first."""

    model_config = ConfigDict(frozen=True)

    notes: list[NoteSummary]
    """The notes of this page, at most 20."""
    total: Count
    """How many notes match in all."""
    next_offset: Count | None
    """The offset of the next page; null on the last page."""
    hint: str
    """In words: which matches these are and how to get the rest."""


class Label(BaseModel):
    """A label and how much it is used."""

    model_config = ConfigDict(frozen=True)

    label: str
    """The label's text."""
    notes: Count
    """How many notes have it."""


class Export(BaseModel):
    """The file that an export wrote."""

    model_config = ConfigDict(frozen=True)

    path: str
    """The absolute path of the file."""
    notes: Count
    """How many notes the file holds."""
