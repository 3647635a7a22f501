import json
from collections.abc import Callable
from pathlib import Path

import pytest

from appfunctions_mcp import AppFunctionCancelledException, AppFunctionContext
from appfunctions_mcp.requests import SilentChannel
from sample_app import labels, notes
from sample_app.models import Attachment
from sample_app.storage import NoteStore


class ReportsChannel(SilentChannel):
    """Keeps what a caller would be told, and says so to somebody else too."""

    def __init__(self) -> None:
        self.reports: list[tuple[float, float | None]] = []
        self.on_report: Callable[[], None] = lambda: None

    def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        assert message == f"{progress} notes written"
        self.reports.append((progress, total))
        self.on_report()


def fill(context: AppFunctionContext, count: int) -> None:
    for number in range(count):
        notes.create_note(context, f"Note {number}")


def test_a_json_export_holds_every_note_whole(context: AppFunctionContext) -> None:
    first = notes.create_note(
        context, "Заметка", "Text\n", [Attachment(name="a", uri="file:///a")], "Ann"
    )
    first = labels.add(context, first.id, "home")
    second = notes.create_note(context, "Second")

    export = notes.export_notes(context, "json")

    assert export.notes == 2
    assert [first.model_dump(mode="json"), second.model_dump(mode="json")] == json.loads(
        Path(export.path).read_text(encoding="utf-8")
    )


def test_a_markdown_export_can_be_read_by_people(context: AppFunctionContext) -> None:
    note = notes.create_note(
        context, "Plan", "First\nsecond", [Attachment(name="a", uri="file:///a")], "Ann"
    )
    labels.add(context, note.id, "home")

    text = Path(notes.export_notes(context, "markdown").path).read_text(encoding="utf-8")

    assert text == (
        f"# Plan\n\n- ID: note-1\n- Owner: Ann\n- Labels: home\n- Attachment: [a](<file:///a>)\n"
        f"- Created: {note.created_at.isoformat()}\n\nFirst\nsecond\n\n"
    )


def test_an_export_of_nothing_is_a_file_too(context: AppFunctionContext) -> None:
    export = notes.export_notes(context, "json")

    assert (export.notes, json.loads(Path(export.path).read_text(encoding="utf-8"))) == (0, [])


def test_progress_is_reported_and_ends_at_the_total(store: NoteStore) -> None:
    channel = ReportsChannel()
    context = AppFunctionContext(lifespan=store, channel=channel)
    fill(context, 25)

    notes.export_notes(context, "json")

    assert channel.reports == [(10, 25), (20, 25), (25, 25)]


def test_a_cancelled_export_leaves_no_file(store: NoteStore) -> None:
    channel = ReportsChannel()
    context = AppFunctionContext(lifespan=store, channel=channel)
    channel.on_report = context.end
    fill(context, 70)
    before = set(store.path.parent.iterdir())

    with pytest.raises(AppFunctionCancelledException):
        notes.export_notes(context, "markdown")

    assert before == set(store.path.parent.iterdir())
