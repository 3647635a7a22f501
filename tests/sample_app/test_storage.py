import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from appfunctions_mcp import (
    AppFunctionInvalidArgumentException,
    AppFunctionSystemUnknownException,
    StateFileError,
)
from sample_app.database import MIGRATIONS
from sample_app.models import Attachment, Note
from sample_app.storage import NoteStore, database_path, open_database

ROOT = Path(__file__).resolve().parents[2]

VERSION_1 = """
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, content TEXT, owner TEXT,
    attachments TEXT NOT NULL DEFAULT '[]', created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
INSERT INTO notes VALUES (
    7, 'Old', 'written by version one', 'Ann', '[{"name": "plan", "uri": "file:///plan.txt"}]',
    '2026-01-02T03:04:05.678+00:00', '2026-01-02T03:04:05.678+00:00'
);
PRAGMA user_version = 1;
"""
SECOND_STEP = """
CREATE TABLE labels (
    note INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    folded TEXT NOT NULL, label TEXT NOT NULL, PRIMARY KEY (note, folded)
) WITHOUT ROWID;
CREATE INDEX labels_by_text ON labels (folded);
INSERT INTO labels VALUES (7, 'home', 'Home');
PRAGMA user_version = 2;
"""
VERSION_2 = VERSION_1 + SECOND_STEP
WRITER = """
import sys
from pathlib import Path
from sample_app.storage import NoteStore
store = NoteStore(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    note = store.create(f"{sys.argv[3]} {number}", "text", None, [])
    store.add_label(note.id, sys.argv[3])
    store.update(note.id, lambda n: n.model_copy(update={"content": n.content + "!"}))
    print(note.id, flush=True)
store.close()
"""


def write_database(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def start_writer(path: Path, count: int, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(count), name],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_note_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    attachment = Attachment(name="plan", uri="https://example.org/plan")
    with closing(NoteStore(tmp_path / "notes.db")) as store:
        written = store.create("Title", "Text", "Ann", [attachment])
    with closing(NoteStore(tmp_path / "notes.db")) as store:
        assert written == store.get(written.id)


def test_a_closed_database_is_one_file(tmp_path: Path) -> None:
    with closing(NoteStore(tmp_path / "notes.db")) as store:
        store.create("Title", None, None, [])

    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["notes.db"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_user_can_read_the_files_and_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "notes.db"
    with closing(NoteStore(path)) as store:
        store.create("Title", None, None, [])
        modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

    assert modes == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_id_is_never_used_again(tmp_path: Path) -> None:
    with closing(NoteStore(tmp_path / "notes.db")) as store:
        first = store.create("One", None, None, [])
        assert store.delete(first.id)
        assert store.create("Two", None, None, []).id != first.id


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Three servers start on a file that does not exist yet, and all write."""
    path = tmp_path / "notes.db"
    writers = [start_writer(path, 40, name) for name in ("one", "two", "three")]
    ids = [line for writer in writers for line in writer.communicate()[0].split()]

    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert len(set(ids)) == 120
    with closing(NoteStore(path)) as store:
        assert [label.notes for label in store.labels(9)] == [40, 40, 40]
        assert {"text!"} == {note.content for note in store.every_note()}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.skipif(os.name == "nt", reason="a POSIX signal")
def test_a_killed_process_loses_no_note_that_it_reported(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    reported: list[str] = []
    for lines in (1, 5, 9):
        writer = start_writer(path, 1000, "killed")
        assert writer.stdout is not None
        reported += [writer.stdout.readline().strip() for _ in range(lines)]
        writer.send_signal(signal.SIGKILL)
        reported += writer.communicate()[0].split("\n")[:-1]

    with closing(NoteStore(path)) as store:
        notes = {note.id: note for note in store.every_note()}
    assert [i for i in reported if notes[i].content != "text!"] == []


@pytest.mark.parametrize("script", [VERSION_1, VERSION_2], ids=["version 1", "version 2"])
def test_an_older_database_is_migrated_with_its_notes(tmp_path: Path, script: str) -> None:
    path = tmp_path / "notes.db"
    write_database(path, script)

    with closing(NoteStore(path)) as store:
        old = store.get("note-7")
        assert old is not None
        assert (old.title, old.owner) == ("Old", "Ann")
        assert [Attachment(name="plan", uri="file:///plan.txt")] == old.attachments
        assert old.created_at.isoformat() == "2026-01-02T03:04:05.678000+00:00"
        found, total = store.find("version", owner=None, label=None, offset=0)
        assert ([note.id for note in found], total) == (["note-7"], 1)
        assert store.create("New", None, None, []).id == "note-8"
    with closing(sqlite3.connect(path)) as connection:
        assert [(len(MIGRATIONS),)] == connection.execute("PRAGMA user_version").fetchall()


def test_a_newer_database_is_refused_by_name_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    write_database(path, "CREATE TABLE future (x); PRAGMA user_version = 99;")
    before = path.read_bytes()

    with pytest.raises(StateFileError, match=r"notes\.db: database version 99 is newer than 3"):
        NoteStore(path)

    assert before == path.read_bytes()


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("my shopping list " * 100)
    before = path.read_bytes()

    with pytest.raises(StateFileError, match=r"notes\.db: not a usable notes database"):
        NoteStore(path)

    assert before == path.read_bytes()


def test_a_place_where_no_file_can_be_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StateFileError, match=r"cannot be opened.*name another file in NOTES_DB"):
        NoteStore(tmp_path / "file" / "notes.db")


def test_a_database_that_stays_busy_is_an_error_worth_a_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sample_app.database.BUSY_TIMEOUT_SECONDS", 0.05)
    path = tmp_path / "notes.db"
    with closing(NoteStore(path)) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(AppFunctionSystemUnknownException) as caught:
            store.create("Title", None, None, [])
        other.rollback()

        assert caught.value.retryable
        assert store.create("Title", None, None, []).title == "Title"


def test_text_that_no_file_can_hold_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    """F36: a model's text may be cut in the middle of an emoji."""
    with closing(NoteStore(tmp_path / "notes.db")) as store:
        with pytest.raises(AppFunctionInvalidArgumentException, match="half of a two-part"):
            store.create("Title", "\ud83d", None, [])
        assert store.count() == 0


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    with closing(NoteStore(tmp_path / "notes.db")) as store:
        note = store.create("Title", None, None, [])
        with pytest.raises(ZeroDivisionError):
            store.update(note.id, lambda _: 1 / 0)  # type: ignore[arg-type, return-value] # fails
        assert note == store.get(note.id)
        assert store.update(note.id, lambda n: n.model_copy(update={"title": "x"})) is not None


def test_the_database_stands_in_the_users_data_folder_unless_said_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert database_path({}).parts[-2:] == ("appfunctions-mcp", "notes.db")
    assert database_path({"NOTES_DB": ""}) == database_path({"NOTES_DB": None})
    assert database_path({"NOTES_DB": "my.db"}) == tmp_path / "my.db"
    assert database_path({"NOTES_DB": "~/my.db"}) == Path.home() / "my.db"


@pytest.mark.anyio
async def test_the_lifespan_opens_the_database_and_closes_it(tmp_path: Path) -> None:
    async with open_database({"NOTES_DB": str(tmp_path / "notes.db")}) as store:
        assert store.create("Title", None, None, []).id == "note-1"

    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        store.count()


def test_closing_does_not_wait_for_a_thread_that_is_stuck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sample_app.storage.CLOSE_SECONDS", 0.05)
    path = tmp_path / "notes.db"
    store = NoteStore(path)
    note = store.create("Title", None, None, [])
    begun, may_end = threading.Event(), threading.Event()

    def change(unchanged: Note) -> Note:
        begun.set()
        may_end.wait(10)
        return unchanged

    stuck = threading.Thread(target=store.update, args=(note.id, change))
    stuck.start()
    begun.wait(10)
    store.close()
    may_end.set()
    stuck.join(10)
    store.close()

    with closing(NoteStore(path)) as reopened:
        assert reopened.get(note.id) == note
