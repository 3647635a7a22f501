"""What a user puts into a conversation: a note as a resource, and a prompt that sums up notes.

Clients offer both in menus of their own; no model decides about them.
"""

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    ResourceLink,
    TextResource,
    UserMessage,
    app_prompt,
    app_resource,
)
from appfunctions_mcp.quoting import quoted
from sample_app.export_file import as_markdown
from sample_app.models import NoteSummary, Query, note_uri
from sample_app.storage import NoteStore

MOST_LISTED = 100
MOST_LABELS = 200


def latest_notes(context: AppFunctionContext) -> list[ResourceLink]:
    """The notes that a client lists, those changed last first."""
    return [
        ResourceLink(note_uri(n.id), name=n.id, title=n.title, description=n.snippet or None)
        for n in _found(context, "", MOST_LISTED)
    ]


def ids_like(value: str, context: AppFunctionContext) -> list[str]:
    """The IDs that begin so, then those of notes that have the words."""
    begun = [n.id for n in _found(context, "", MOST_LISTED) if n.id.startswith(value)]
    found = [n.id for n in _found(context, value, MOST_LISTED)] if value.strip() else []
    return list(dict.fromkeys([*begun, *found]))


def labels_like(value: str, _arguments: dict[str, str], context: AppFunctionContext) -> list[str]:
    """The labels in use that begin so, in any case."""
    labels = (each.label for each in _store(context).labels(MOST_LABELS))
    return [label for label in labels if label.casefold().startswith(value.casefold())]


@app_resource(
    "notes://{note_id}",
    title="Note",
    mime_type="text/markdown",
    entries=latest_notes,
    complete={"note_id": ids_like},
)
def note(context: AppFunctionContext, note_id: str) -> str | None:
    """A note as Markdown: its title, text, owner, labels and attachments.

    Args:
        note_id: The ID of the note, for example "note-12".
    """
    found = _store(context).get(note_id)
    return None if found is None else as_markdown(found)


@app_prompt(title="Sum up notes", complete={"label": labels_like})
def sum_up_notes(
    context: AppFunctionContext, subject: Query, label: str | None = None
) -> list[UserMessage]:
    """Asks for a summary of the notes about a subject, which are attached whole.

    Args:
        subject: The words that the notes have.
        label: Only notes that have this label.

    Raises:
        AppFunctionElementNotFoundException: Fewer or shorter words find more.
    """
    notes, total = _store(context).find(subject, owner=None, label=label, offset=0)
    texts = [
        TextResource(note_uri(whole.id), as_markdown(whole), "text/markdown")
        for each in notes
        if (whole := _store(context).get(each.id)) is not None
    ]
    if not texts:
        raise AppFunctionElementNotFoundException(f"No note has the words {quoted(subject)}.")
    shown = f"the {len(texts)} best of {total} notes" if total > len(texts) else "the notes"
    request = (
        f"Sum up what {shown} about {quoted(subject)} say, which are attached: what is decided, "
        "what is open, and who has to do what. Name the ID of the note after each point."
    )
    return [UserMessage(request), *map(UserMessage, texts)]


def _found(context: AppFunctionContext, query: str, most: int) -> list[NoteSummary]:
    """The first notes of a search, of as many pages as that takes."""
    found: list[NoteSummary] = []
    while len(found) < most:
        page, total = _store(context).find(query, owner=None, label=None, offset=len(found))
        found += page
        if not page or len(found) >= total:
            break
    return found[:most]


def _store(context: AppFunctionContext) -> NoteStore:
    store: NoteStore = context.lifespan
    return store
