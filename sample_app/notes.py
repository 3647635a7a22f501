"""The functions of the notes app: create, read, find, change, delete and export notes.

Each docstring is what an agent reads. How the functions work together is said once, in the
description of `metadata/app_metadata.xml`.
"""

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    SetField,
    app_function,
    apply_fields,
)
from appfunctions_mcp.quoting import quoted
from sample_app.export_file import write_export
from sample_app.models import (
    Attachments,
    Content,
    Count,
    Export,
    ExportFormat,
    Note,
    NotePage,
    Owner,
    Query,
    Title,
    note_uri,
)
from sample_app.storage import NoteStore


@app_function(destructive=False, open_world=False)
def create_note(
    context: AppFunctionContext,
    title: Title,
    content: Content | None = None,
    attachments: Attachments = [],  # noqa: B006 - only read; each call gets a list of its own
    owner: Owner | None = None,
) -> Note:
    """Makes a new note: writes down and saves a text, a list or links under a title.

    Adds it to the notes that exist already.

    Args:
        title: The title of the note, 1 to 200 characters.
        content: The body text of the note, up to 100,000 characters; Markdown is kept as it is.
        attachments: Links to the files and web pages that belong to the note, at most 20.
        owner: The name of the person whose note it is.

    Returns:
        The note with its new ID.
    """
    note = _store(context).create(title, content, owner, list(attachments))
    context.resources_changed(note_uri(note.id))
    return note


@app_function(read_only=True, open_world=False)
def get_note(context: AppFunctionContext, note_id: str) -> Note:
    """Opens one note and shows everything in it: its text, owner, attachments and labels.

    Reads out what the note says, tells whose it is and which labels it has.

    Args:
        note_id: The ID of the note, for example "note-12".

    Returns:
        The note.

    Raises:
        AppFunctionElementNotFoundException: No note has this ID; find_notes finds IDs by text.
    """
    return _existing(_store(context).get(note_id), note_id)


@app_function(read_only=True, open_world=False)
def find_notes(
    context: AppFunctionContext,
    query: Query,
    owner: Owner | None = None,
    label: str | None = None,
    offset: Count = 0,
) -> NotePage:
    """Finds notes about a subject, or that mention it: searches titles and texts for words.

    Tells whether anything is written about something, and where: 20 notes at a time, best match
    first. Every word must occur. A word also matches longer words that begin with it, and other
    endings of a Russian word. Case does not matter. An empty query shows all notes, those
    changed most recently first.

    Args:
        query: The words to look for, as plain text without operators.
        owner: Only notes of the person with exactly this name; any case.
        label: Only notes that have this label; any case.
        offset: How many matches to skip: the next_offset of the page before, 0 for the first.

    Returns:
        A page of IDs, titles and snippets, the number of matches, and how to get the next page.
    """
    notes, total = _store(context).find(query, owner=owner, label=label, offset=offset)
    end = offset + len(notes)
    next_offset = end if notes and end < total else None
    return NotePage(
        notes=notes, total=total, next_offset=next_offset, hint=_hint(offset, end, total)
    )


@app_function(destructive=True, idempotent=True, open_world=False)
def update_note(
    context: AppFunctionContext,
    note_id: str,
    title: SetField[Title] | None = None,
    content: SetField[Content | None] | None = None,
    owner: SetField[Owner | None] | None = None,
    attachments: SetField[Attachments] | None = None,
) -> Note:
    """Changes an existing note: edits or corrects its text, renames it, or replaces its owner.

    Omitted fields keep their values.

    Args:
        note_id: The ID of the note to update, for example "note-12".
        title: The new title of the note.
        content: The new body text of the note; it replaces the whole text.
        owner: The new owner of the note.
        attachments: The new attachments of the note; they replace all that it had.

    Returns:
        The note as it is now.

    Raises:
        AppFunctionElementNotFoundException: No note has this ID; find_notes finds IDs by text.
    """

    def change(note: Note) -> Note:
        changed, _ = apply_fields(
            note, title=title, content=content, owner=owner, attachments=attachments
        )
        return changed

    note = _existing(_store(context).update(note_id, change), note_id)
    context.resource_updated(note_uri(note.id))
    return note


@app_function(
    enabled=False,
    destructive=True,
    idempotent=True,
    open_world=False,
    requires_confirmation=True,
)
def delete_note(context: AppFunctionContext, note_id: str) -> None:
    """Deletes a note that is no longer needed: throws it away for good.

    Its labels and attachments go with it.

    Args:
        note_id: The ID of the note to delete, for example "note-12".

    Raises:
        AppFunctionElementNotFoundException: No note has this ID, or it is deleted already;
            find_notes finds the IDs that exist.
    """
    if not _store(context).delete(note_id):
        raise _not_found(note_id)
    context.resource_updated(note_uri(note_id))
    context.resources_changed(note_uri(note_id))


@app_function(timeout_seconds=300, destructive=False, open_world=False)
def export_notes(context: AppFunctionContext, format: ExportFormat) -> Export:  # noqa: A002 - what an agent would call it
    """Exports all notes: saves them to one new file beside the notes database.

    Reports how many notes are written while it runs. A cancelled export leaves no file.

    Args:
        format: What the file holds: "markdown" for people to read or print, "json" for a backup or
            another program.

    Returns:
        The path of the file and the number of notes in it.
    """
    return write_export(_store(context), format, context)


def _store(context: AppFunctionContext) -> NoteStore:
    store: NoteStore = context.lifespan
    return store


def _existing(note: Note | None, note_id: str) -> Note:
    if note is None:
        raise _not_found(note_id)
    return note


def _not_found(note_id: str) -> AppFunctionElementNotFoundException:
    return AppFunctionElementNotFoundException(f"No note has the ID {quoted(note_id)}.")


def _hint(offset: int, end: int, total: int) -> str:
    if not total:
        return "No note matches; fewer or shorter words find more."
    if end <= offset:
        return f"There are only {total} matches; offset 0 is the first page."
    shown = f"Matches {offset + 1} to {end} of {total}"
    return f"{shown}; the next page begins at offset {end}." if end < total else f"{shown}."
