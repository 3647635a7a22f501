"""The notes in a SQLite file that several server processes share.

Every client starts a server of its own, so two processes often have the file open at once: it
is in WAL mode, each change is one immediate transaction, and a busy file is waited for.
Migrations go by `PRAGMA user_version`. Knows nothing of agents, nor of what they may ask.
"""

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from appfunctions_mcp import (
    AppFunctionInvalidArgumentException,
    AppFunctionSystemUnknownException,
)
from appfunctions_mcp.places import data_folder
from sample_app.database import open_file, transaction
from sample_app.models import PAGE_SIZE, Attachment, Label, Note, NoteSummary
from sample_app.search_text import match_expression, plain_text

CLOSE_SECONDS: Final = 1.0

_NOTE_ID: Final = re.compile(r"note-([1-9][0-9]{0,17})", re.ASCII)
_FILTERS: Final = """
    (:owner IS NULL OR casefold(n.owner) = :owner)
    AND (:label IS NULL OR n.id IN (SELECT note FROM labels WHERE folded = :label))
"""
_FOUND: Final = f"""
    FROM notes_text JOIN notes AS n ON n.id = notes_text.rowid
    WHERE notes_text MATCH :match AND {_FILTERS}
"""
_LISTED: Final = f"""
    FROM notes AS n
    WHERE (:text = '' OR instr(casefold(n.title || ' ' || ifnull(n.content, '')), :text) > 0)
    AND {_FILTERS}
"""
_FOUND_PAGE: Final = f"""
    SELECT n.id, n.title, snippet(notes_text, -1, '', '', '…', 24) {_FOUND}
    ORDER BY notes_text.rank, n.id DESC LIMIT :limit OFFSET :offset
"""
_LISTED_PAGE: Final = f"""
    SELECT n.id, n.title, substr(n.content, 1, 160) {_LISTED}
    ORDER BY n.updated_at DESC, n.id DESC LIMIT :limit OFFSET :offset
"""


@asynccontextmanager
async def open_database(settings: Mapping[str, Any]) -> AsyncIterator["NoteStore"]:
    """Opens the notes for as long as the app runs; this is the app's lifespan.

    Args:
        settings: `NOTES_DB` is the file; without it the notes stand in the user's data folder.

    Yields:
        The store that functions find as `context.lifespan`.

    Raises:
        StateFileError: The file cannot be opened, is no database, or is a newer version's.
    """
    store = await asyncio.to_thread(NoteStore, database_path(settings))
    try:
        yield store
    finally:
        await asyncio.to_thread(store.close)


def database_path(settings: Mapping[str, Any]) -> Path:
    """Where the notes are kept: `NOTES_DB`, or a file in the user's data folder."""
    if chosen := settings.get("NOTES_DB"):
        return Path(chosen).expanduser().absolute()
    return data_folder() / "notes.db"


class NoteStore:
    """The notes in one SQLite file; its methods may be called in any thread.

    A note that does not exist is None, or False where something should have changed.

    Args:
        path: The file; it is created, with its folder, where there is none.

    Raises:
        StateFileError: The file cannot be opened, is no database, or is a newer version's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection = open_file(path)
        self._connection.create_function(
            "casefold", 1, lambda text: text and text.casefold(), deterministic=True
        )

    def close(self) -> None:
        """Ends what is still running and closes the file.

        A thread that waits for another process is not waited for: the file is safe without.
        """
        if not self._lock.acquire(blocking=False):
            self._connection.interrupt()
            if not self._lock.acquire(timeout=CLOSE_SECONDS):
                return
        try:
            self._connection.close()
        finally:
            self._lock.release()

    def create(
        self, title: str, content: str | None, owner: str | None, attachments: list[Attachment]
    ) -> Note:
        """Adds a note and returns it."""
        now = _now()
        row = (title, content, owner, _attachments_text(attachments), now, now)
        with self._changing() as connection:
            cursor = connection.execute(
                "INSERT INTO notes (title, content, owner, attachments, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
            created = _read_note(connection, cursor.lastrowid or 0)
        if created is None:
            raise RuntimeError(f"{self.path}: the note that was just added is not there")
        return created

    def get(self, note_id: str) -> Note | None:
        """The note with this ID."""
        with self._reading() as connection:
            return _read_note(connection, _row_of(note_id))

    def update(self, note_id: str, change: Callable[[Note], Note]) -> Note | None:
        """Changes a note so that no other process changes it in between.

        Args:
            note_id: The ID of the note.
            change: Gets the note as it is and returns it as it shall be.

        Returns:
            The note as it is now.
        """
        with self._changing() as connection:
            row = _row_of(note_id)
            note = _read_note(connection, row)
            if note is None:
                return None
            changed = change(note)
            if changed == note:
                return note
            connection.execute(
                "UPDATE notes SET title = ?, content = ?, owner = ?, attachments = ?,"
                " updated_at = ? WHERE id = ?",
                (
                    changed.title,
                    changed.content,
                    changed.owner,
                    _attachments_text(changed.attachments),
                    _now(),
                    row,
                ),
            )
            return _read_note(connection, row)

    def delete(self, note_id: str) -> bool:
        """Removes a note and its labels; False if there is no such note."""
        with self._changing() as connection:
            cursor = connection.execute("DELETE FROM notes WHERE id = ?", (_row_of(note_id),))
            return cursor.rowcount > 0

    def find(
        self, query: str, *, owner: str | None, label: str | None, offset: int
    ) -> tuple[list[NoteSummary], int]:
        """One page of the notes that have every word of the query, and how many there are.

        Args:
            query: Words or beginnings of words, as plain text; blank finds every note.
            owner: Only notes of this owner.
            label: Only notes with this label.
            offset: How many matches to skip.

        Returns:
            The page, best match first or newest first for a blank query, and the total.
        """
        match = match_expression(query)
        values = {
            "match": match,
            "text": plain_text(query),
            "owner": owner and owner.casefold(),
            "label": label and label.casefold(),
            "limit": PAGE_SIZE,
            "offset": offset,
        }
        matches, page = (_FOUND, _FOUND_PAGE) if match else (_LISTED, _LISTED_PAGE)
        with self._reading() as connection:
            total = connection.execute(f"SELECT count(*) {matches}", values).fetchone()[0]
            rows = connection.execute(page, values).fetchall()
        found = [
            NoteSummary(id=_id_of(row), title=title, snippet=" ".join((text or "").split()))
            for row, title, text in rows
        ]
        return found, int(total)

    def count(self) -> int:
        """How many notes there are."""
        with self._reading() as connection:
            return int(connection.execute("SELECT count(*) FROM notes").fetchone()[0])

    def every_note(self) -> Iterator[Note]:
        """All notes, oldest first; a few at a time, so that other calls go on in between."""
        last = 0
        while True:
            with self._reading() as connection:
                rows = connection.execute(
                    "SELECT id FROM notes WHERE id > ? ORDER BY id LIMIT 50", (last,)
                ).fetchall()
                notes = [_read_note(connection, row) for (row,) in rows]
            if not rows:
                return
            yield from (note for note in notes if note is not None)
            last = rows[-1][0]

    def add_label(self, note_id: str, label: str) -> Note | None:
        """Gives a note a label; one that differs only in case is kept as it is."""
        with self._changing() as connection:
            row = _row_of(note_id)
            if _read_note(connection, row) is None:
                return None
            connection.execute(
                "INSERT OR IGNORE INTO labels (note, folded, label) VALUES (?, ?, ?)",
                (row, label.casefold(), label),
            )
            return _read_note(connection, row)

    def remove_label(self, note_id: str, label: str) -> Note | None:
        """Takes a label from a note; None if the note does not exist or has no such label."""
        with self._changing() as connection:
            row = _row_of(note_id)
            cursor = connection.execute(
                "DELETE FROM labels WHERE note = ? AND folded = ?", (row, label.casefold())
            )
            return _read_note(connection, row) if cursor.rowcount else None

    def labels(self, limit: int) -> list[Label]:
        """The labels that are used most, with the number of their notes."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT min(label), count(*) FROM labels GROUP BY folded"
                " ORDER BY count(*) DESC, folded LIMIT ?",
                (limit,),
            ).fetchall()
        return [Label(label=label, notes=notes) for label, notes in rows]

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _errors_for_the_agent():
            yield self._connection

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _errors_for_the_agent(), transaction(self._connection):
            yield self._connection


@contextmanager
def _errors_for_the_agent() -> Iterator[None]:
    """Turns what an agent can act on into its exception; anything else is a crash."""
    try:
        yield
    except UnicodeEncodeError as fault:
        raise AppFunctionInvalidArgumentException(
            "The text holds half of a two-part character, which cannot be stored.",
            recovery="Send the text again with complete characters.",
        ) from fault
    except sqlite3.OperationalError as fault:
        if getattr(fault, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
            raise
        raise AppFunctionSystemUnknownException(
            "Another program is writing to the notes.", recovery="Repeat the call."
        ) from fault


def _read_note(connection: sqlite3.Connection, row: int) -> Note | None:
    found = connection.execute(
        "SELECT title, content, owner, attachments, created_at, updated_at FROM notes WHERE id = ?",
        (row,),
    ).fetchone()
    if found is None:
        return None
    labels = connection.execute(
        "SELECT label FROM labels WHERE note = ? ORDER BY folded", (row,)
    ).fetchall()
    title, content, owner, attachments, created_at, updated_at = found
    return Note(
        id=_id_of(row),
        title=title,
        content=content,
        owner=owner,
        attachments=[Attachment(**a) for a in json.loads(attachments)],
        labels=[label for (label,) in labels],
        created_at=datetime.fromisoformat(created_at),
        updated_at=datetime.fromisoformat(updated_at),
    )


def _id_of(row: int) -> str:
    return f"note-{row}"


def _row_of(note_id: str) -> int:
    """The row of a note's ID; 0, which no note has, for any other text."""
    found = _NOTE_ID.fullmatch(note_id)
    return int(found[1]) if found else 0


def _attachments_text(attachments: list[Attachment]) -> str:
    return json.dumps([a.model_dump() for a in attachments], ensure_ascii=False)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
