"""Writes all notes into a file, and tells on the way how far it is.

The file gets its name when it is complete, so a cancelled export leaves nothing behind.
"""

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from appfunctions_mcp import AppFunctionContext
from sample_app.models import Export, ExportFormat, Note
from sample_app.storage import NoteStore


def write_export(store: NoteStore, kind: ExportFormat, context: AppFunctionContext) -> Export:
    """Writes every note into a new file beside the database.

    Args:
        store: Where the notes are.
        kind: What the file holds.
        context: Is told of the progress, and says when nobody waits any more.

    Returns:
        Where the file is and how many notes it holds.

    Raises:
        AppFunctionCancelledException: Nobody waits for the export any more.
    """
    ending = ".md" if kind == "markdown" else ".json"
    began = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    descriptor, unfinished = tempfile.mkstemp(
        prefix=f"notes-{began}-", suffix=f"{ending}.part", dir=store.path.parent
    )
    complete = Path(unfinished.removesuffix(".part"))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            written = _write_notes(file, store, kind, context)
        Path(unfinished).replace(complete)
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return Export(path=str(complete), notes=written)


def _write_notes(
    file: TextIO, store: NoteStore, kind: ExportFormat, context: AppFunctionContext
) -> int:
    total, written = store.count(), 0
    if kind == "json":
        file.write("[")
    for note in store.every_note():
        context.raise_if_cancelled()
        file.write(as_markdown(note) if kind == "markdown" else _as_json(note, first=not written))
        written += 1
        if written % 10 == 0 or written >= total:
            context.report_progress(written, max(total, written), f"{written} notes written")
    if kind == "json":
        file.write("\n]\n")
    return written


def _as_json(note: Note, *, first: bool) -> str:
    line = json.dumps(note.model_dump(mode="json"), ensure_ascii=False)
    return f"{'' if first else ','}\n{line}"


def as_markdown(note: Note) -> str:
    """A note, whole, for people and models to read."""
    lines = [f"# {note.title}", "", f"- ID: {note.id}"]
    if note.owner:
        lines.append(f"- Owner: {note.owner}")
    if note.labels:
        lines.append(f"- Labels: {', '.join(note.labels)}")
    lines += [f"- Attachment: [{a.name}](<{a.uri}>)" for a in note.attachments]
    lines += [f"- Created: {note.created_at.isoformat()}", ""]
    if note.content:
        lines += [note.content.strip("\n"), ""]
    return "\n".join(lines) + "\n"
