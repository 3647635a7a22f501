"""Labels on notes: a second module, served with the prefix `labels`.

The metadata turns on `optionalDefaults="declared"` for it, so a declared default is passed and
published, as Python itself has it.
"""

from typing import Annotated

from pydantic import Field

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionInvalidArgumentException,
    app_function,
)
from appfunctions_mcp.quoting import quoted
from sample_app.models import Label, Note, note_uri
from sample_app.storage import NoteStore

LabelText = Annotated[str, Field(min_length=1, max_length=50)]


@app_function(destructive=False, idempotent=True, open_world=False)
def add(context: AppFunctionContext, note_id: str, label: LabelText) -> Note:
    """Adds a label to a note: tags or marks it as something.

    A note that has the label already stays as it is.

    Args:
        note_id: The ID of the note, for example "note-12".
        label: The label's text, 1 to 50 characters; case makes no difference.

    Returns:
        The note with its labels.

    Raises:
        AppFunctionElementNotFoundException: No note has this ID; find_notes finds IDs by text.
        AppFunctionInvalidArgumentException: The label is blank; a label has a letter or a sign.
    """
    note = _store(context).add_label(note_id, _clean(label))
    if note is None:
        raise AppFunctionElementNotFoundException(f"No note has the ID {quoted(note_id)}.")
    context.resource_updated(note_uri(note.id))
    return note


@app_function(destructive=True, idempotent=True, open_world=False)
def remove(context: AppFunctionContext, note_id: str, label: LabelText) -> Note:
    """Removes a label from a note, or untags it: takes the label off; the note itself stays.

    Args:
        note_id: The ID of the note, for example "note-12".
        label: The label's text; case makes no difference.

    Returns:
        The note with the labels that it still has.

    Raises:
        AppFunctionElementNotFoundException: The note does not exist or does not have the label;
            get_note shows the labels that it has.
        AppFunctionInvalidArgumentException: The label is blank; a label has a letter or a sign.
    """
    note = _store(context).remove_label(note_id, _clean(label))
    if note is None:
        raise AppFunctionElementNotFoundException(
            f"There is no note {quoted(note_id)} with the label {quoted(label)}."
        )
    context.resource_updated(note_uri(note.id))
    return note


@app_function(read_only=True, open_world=False)
def list_all(
    context: AppFunctionContext, limit: Annotated[int, Field(ge=1, le=200)] = 50
) -> list[Label]:
    """Lists the labels, or tags, in use and how many notes each has, those with the most first.

    Args:
        limit: How many labels to list at most.

    Returns:
        Each label with the number of its notes.
    """
    return _store(context).labels(limit)


def _store(context: AppFunctionContext) -> NoteStore:
    store: NoteStore = context.lifespan
    return store


def _clean(label: str) -> str:
    cleaned = " ".join(label.split())
    if not cleaned:
        raise AppFunctionInvalidArgumentException("The label is blank.")
    return cleaned
