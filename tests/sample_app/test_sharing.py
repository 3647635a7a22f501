"""What users of the notes app put into a conversation."""

from pathlib import Path

import pytest

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionService,
    ExecuteAppFunctionRequest,
    GetAppPromptRequest,
    ReadAppResourceRequest,
    ResourcesChanged,
    ResourceUpdated,
    TextResource,
    load_service,
)
from sample_app import labels, notes
from sample_app.sharing import ids_like, labels_like, latest_notes, note, sum_up_notes
from tests.support.stdio_server import PROJECT

pytestmark = pytest.mark.anyio


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppFunctionService:
    """The sample as it is served, with a database of the test's own."""
    monkeypatch.setenv("NOTES_DB", str(tmp_path / "notes.db"))
    return load_service(PROJECT / "metadata" / "app_metadata.xml")


async def execute(service: AppFunctionService, name: str, **parameters: object) -> None:
    await service.manager.execute(ExecuteAppFunctionRequest(name, parameters))


async def test_a_note_is_listed_and_read_as_markdown(service: AppFunctionService) -> None:
    async with service.running():
        await execute(service, "create_note", title="Milk", content="Two litres.")
        (listed,) = await service.resources.listed()
        (content,) = await service.resources.read(ReadAppResourceRequest(listed.uri))

    assert (listed.uri, listed.title, listed.mime_type) == (
        "notes://note-1",
        "Milk",
        "text/markdown",
    )
    assert isinstance(content, TextResource)
    assert content.mime_type == "text/markdown"
    assert content.text.startswith("# Milk\n")
    assert "Two litres." in content.text


@pytest.mark.parametrize("note_id", ["note-2", "..", "%2e%2e", "x"])
async def test_what_is_no_note_is_not_found(service: AppFunctionService, note_id: str) -> None:
    async with service.running():
        with pytest.raises(AppFunctionElementNotFoundException):
            await service.resources.read(ReadAppResourceRequest(f"notes://{note_id}"))


async def test_every_change_of_a_note_is_told(service: AppFunctionService) -> None:
    events: list[object] = []
    async with service.running():
        service.manager.add_listener(events.append)
        await execute(service, "create_note", title="Milk")
        await execute(service, "update_note", note_id="note-1", title={"value": "Bread"})
        await execute(service, "labels_add", note_id="note-1", label="shop")
        await execute(service, "labels_remove", note_id="note-1", label="shop")

    came = ResourcesChanged(frozenset({"notes://note-1"}))
    assert events == [came, *[ResourceUpdated("notes://note-1")] * 3]


async def test_a_prompt_attaches_the_notes_that_it_is_about(service: AppFunctionService) -> None:
    async with service.running():
        await execute(service, "create_note", title="Milk", content="Two litres.")
        await execute(service, "create_note", title="Bread")
        response = await service.prompts.get(
            GetAppPromptRequest("sum_up_notes", {"subject": "milk", "label": ""})
        )
        with pytest.raises(AppFunctionElementNotFoundException, match="'wine'"):
            await service.prompts.get(GetAppPromptRequest("sum_up_notes", {"subject": "wine"}))

    request, attached = response.messages
    assert isinstance(request.content, str)
    assert request.content.startswith("Sum up what the notes about 'milk' say")
    assert isinstance(attached.content, TextResource)
    assert attached.content.uri == "notes://note-1"


def test_the_latest_hundred_notes_are_listed(context: AppFunctionContext) -> None:
    for number in range(110):
        notes.create_note(context, f"Note {number}")

    listed = latest_notes(context)

    assert len(listed) == 100
    assert listed[0].title == "Note 109"


def test_ids_are_completed_by_their_beginning_and_by_words(context: AppFunctionContext) -> None:
    notes.create_note(context, "Milk")
    notes.create_note(context, "Bread")

    assert ids_like("note-", context) == ["note-2", "note-1"]
    assert ids_like("bre", context) == ["note-2"]
    assert ids_like("", context) == ["note-2", "note-1"]


def test_labels_are_completed_in_any_case(context: AppFunctionContext) -> None:
    created = notes.create_note(context, "Milk")
    for label in ("Shop", "shared", "home"):
        labels.add(context, created.id, label)

    assert sorted(labels_like("SH", {}, context)) == ["Shop", "shared"]


def test_a_prompt_says_that_it_attaches_the_best_matches_only(context: AppFunctionContext) -> None:
    for number in range(25):
        notes.create_note(context, f"Note {number}")

    messages = sum_up_notes(context, "note")

    assert len(messages) == 21
    assert "the 20 best of 25 notes" in str(messages[0].content)


def test_the_functions_are_still_called_as_they_are(context: AppFunctionContext) -> None:
    created = notes.create_note(context, "Milk")

    assert note(context, "note-9") is None
    assert (note(context, created.id) or "").startswith("# Milk")
    assert len(sum_up_notes(context, "milk")) == 2
