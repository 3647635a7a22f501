"""The SQLite file behind the notes: opening, versions and transactions.

A version is a number in `PRAGMA user_version`; an older file is migrated step by step in one
transaction, a newer one is refused and left as it is. Knows nothing of notes but their tables.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from appfunctions_mcp import StateFileError

BUSY_TIMEOUT_SECONDS: Final = 10.0

# One tuple of statements a version; a step that has been released is never edited.
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """CREATE TABLE notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            content TEXT,
            owner TEXT,
            attachments TEXT NOT NULL DEFAULT '[]',
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        )""",
    ),
    (
        """CREATE TABLE labels (
            note INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
            folded TEXT NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (note, folded)
        ) WITHOUT ROWID""",
        "CREATE INDEX labels_by_text ON labels (folded)",
    ),
    (
        """CREATE VIRTUAL TABLE notes_text USING fts5 (
            title, content, content = 'notes', content_rowid = 'id',
            tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4'
        )""",
        """CREATE TRIGGER notes_text_insert AFTER INSERT ON notes BEGIN
            INSERT INTO notes_text (rowid, title, content)
            VALUES (new.id, new.title, new.content);
        END""",
        """CREATE TRIGGER notes_text_delete AFTER DELETE ON notes BEGIN
            INSERT INTO notes_text (notes_text, rowid, title, content)
            VALUES ('delete', old.id, old.title, old.content);
        END""",
        """CREATE TRIGGER notes_text_update AFTER UPDATE OF title, content ON notes BEGIN
            INSERT INTO notes_text (notes_text, rowid, title, content)
            VALUES ('delete', old.id, old.title, old.content);
            INSERT INTO notes_text (rowid, title, content)
            VALUES (new.id, new.title, new.content);
        END""",
        "INSERT INTO notes_text (notes_text) VALUES ('rebuild')",
    ),
)


def open_file(path: Path) -> sqlite3.Connection:
    """Opens the database file, brings it to the newest version and returns the connection.

    Args:
        path: The file; it is created for its owner only, with its folder, where there is none.

    Returns:
        A connection that begins no transaction by itself and may be used in any thread, by
        one at a time.

    Raises:
        StateFileError: The file cannot be opened, is no database, or is a newer version's.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as fault:
        raise StateFileError(
            f"{path}: the notes cannot be opened: {fault}; name another file in NOTES_DB"
        ) from fault
    try:
        _prepare(connection, path)
    except sqlite3.Error as fault:
        connection.close()
        raise StateFileError(
            f"{path}: not a usable notes database: {fault}; name another file in NOTES_DB"
        ) from fault
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    _require_known_version(connection, path)
    _use_write_ahead_log(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    with transaction(connection):
        # Looked at again: another process may have migrated the file while this one waited.
        for version in range(_require_known_version(connection, path), len(MIGRATIONS)):
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")


def _require_known_version(connection: sqlite3.Connection, path: Path) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise StateFileError(
            f"{path}: database version {version} is newer than {len(MIGRATIONS)}, the newest "
            "that this program knows; update the program, or name another file in NOTES_DB"
        )
    return version


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Turns WAL on; SQLite does not wait here for another process that does the same."""
    end = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Takes the write lock at the start, so that what is read inside stays true."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has rolled back by itself after some errors
            connection.execute("ROLLBACK")
        raise
