"""Calls that failed as models made them, and the text of the error that leads to the right one."""

import datetime as dt
import enum
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AwareDatetime, BaseModel, Field, NaiveDatetime

from appfunctions_mcp import AppFunctionService, SetField, app_function
from appfunctions_mcp.assistant.dispatcher import ToolDispatcher
from appfunctions_mcp.exceptions import AppFunctionElementNotFoundException
from appfunctions_mcp.formats.argument_texts import read_arguments
from appfunctions_mcp.formats.messages import FunctionCall
from tests.support.mended_calls import mended

pytestmark = pytest.mark.anyio

MOST_TURNS = 3
seen: list[dict[str, Any]] = []


def see(**arguments: Any) -> str:
    """Keeps what a body got."""
    seen.append({name: value for name, value in arguments.items() if value is not None})
    return "done"


class Person(BaseModel):
    """A person."""

    name: str
    age: int


class Item(BaseModel):
    """A thing to buy."""

    product: str
    count: int


class Priority(enum.Enum):
    """How much something matters."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


def list_notes(limit: Annotated[int, Field(ge=1, le=100)]) -> str:
    """Lists notes."""
    return see(limit=limit)


def delete_alerts(delete_all: bool) -> str:
    """Deletes alerts."""
    return see(delete_all=delete_all)


def tag_note(tags: list[str]) -> str:
    """Tags a note."""
    return see(tags=tags)


def add_person(person: Person) -> str:
    """Adds a person."""
    return see(person=person.model_dump())


def find_notes(query: str, offset: int | None = None) -> str:
    """Finds notes."""
    return see(query=query, offset=offset)


def show_impact(symbol: str, max_depth: int | None = None) -> str:
    """Shows what depends on a symbol."""
    return see(symbol=symbol, max_depth=max_depth)


def set_priority(priority: Priority) -> str:
    """Sets how much a note matters."""
    return see(priority=priority.value)


def export_note(form: Literal["markdown", "json"]) -> str:
    """Exports a note."""
    return see(form=form)


def read_balance(account: str) -> str:
    """Reads a balance."""
    return see(account=account)


def plan_day(day: dt.date) -> str:
    """Plans a day."""
    return see(day=day.isoformat())


def book_room(start: AwareDatetime) -> str:
    """Books a room."""
    return see(start=start.isoformat())


def set_alarm(at: NaiveDatetime) -> str:
    """Sets an alarm."""
    return see(at=at.isoformat())


def set_timer(duration: dt.timedelta) -> str:
    """Sets a timer."""
    return see(seconds=duration.total_seconds())


def update_note(
    note_id: str,
    title: SetField[str] | None = None,
    counts: SetField[dict[str, int]] | None = None,
) -> str:
    """Updates a note."""
    return see(
        note_id=note_id,
        title=title and title.value,
        counts=counts and counts.value,
    )


def buy(items: list[Item]) -> str:
    """Buys things."""
    return see(items=[item.model_dump() for item in items])


def rename(title: Annotated[str, Field(max_length=10)]) -> str:
    """Renames a note."""
    return see(title=title)


def convert(amount: float, currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]) -> str:
    """Converts money."""
    return see(amount=amount, currency=currency)


def set_quarter(quarter: Literal[1, 2, 3, 4]) -> str:
    """Sets a quarter."""
    return see(quarter=quarter)


def open_document(document_id: UUID) -> str:
    """Opens a document."""
    return see(document_id=str(document_id))


def count_words(counts: dict[str, int]) -> str:
    """Counts words."""
    return see(counts=counts)


@app_function(requires_confirmation=True)
def wipe_folder(folder: str) -> str:
    """Wipes a folder."""
    return see(folder=folder)


ONE_ID = "7d0f3a52-6c0f-4e0e-9d0b-3d3b8b6b5a11"
FUNCTIONS: list[Callable[..., Any]] = [
    list_notes,
    delete_alerts,
    tag_note,
    add_person,
    find_notes,
    show_impact,
    set_priority,
    export_note,
    read_balance,
    plan_day,
    book_room,
    set_alarm,
    set_timer,
    update_note,
    buy,
    rename,
    convert,
    set_quarter,
    open_document,
    count_words,
    wipe_folder,
]
CASES: list[tuple[str, str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("F01: a fraction as text", "list_notes", {"limit": "15.5"}, {}, {"limit": 15}),
    ("F01: words around a number", "list_notes", {"limit": "15 notes"}, {}, {"limit": 15}),
    ("F01: a number in a list", "list_notes", {"limit": [15]}, {}, {"limit": 15}),
    ("a number out of range", "list_notes", {"limit": 5000}, {}, {"limit": 100}),
    ("F01: a decimal comma", "convert", {"amount": "1,5", "currency": "usd"}, {},
     {"amount": 1.5, "currency": "USD"}),
    ("F02: yes for a boolean", "delete_alerts", {"delete_all": "yes"}, {}, {"delete_all": True}),
    ("F02: a number for a boolean", "delete_alerts", {"delete_all": 0}, {},
     {"delete_all": False}),
    ("F04: a list as words", "tag_note", {"tags": "home, garden"}, {},
     {"tags": ["home", "garden"]}),
    ("F04: an object as words", "add_person", {"person": "Kim, 25"}, {},
     {"person": {"name": "Kim", "age": 25}}),
    ("F04: a list for an object", "add_person", {"person": ["Kim", 25]}, {},
     {"person": {"name": "Kim", "age": 25}}),
    ("F04: pairs for an object", "count_words", {"counts": [["milk", 2]]}, {},
     {"counts": {"milk": 2}}),
    ("one object for a list of them", "buy", {"items": {"product": "tea", "count": 2}}, {},
     {"items": [{"product": "tea", "count": 2}]}),
    ("faults deep in a list", "buy",
     {"items": [{"product": "tea", "count": "2 bags"}, {"product": "milk"}]},
     {"items[1].count": 1},
     {"items": [{"product": "tea", "count": 2}, {"product": "milk", "count": 1}]}),
    ("F06: null for what is required", "find_notes", {"query": None}, {"query": "milk"},
     {"query": "milk"}),
    ("F09: another name", "find_notes", {"q": "milk"}, {}, {"query": "milk"}),
    ("F09: a name like another", "show_impact", {"symbol": "s", "depth": 1}, {},
     {"symbol": "s", "max_depth": 1}),
    ("F09: a filter that does not exist", "find_notes", {"query": "milk", "hours": 24}, {},
     {"query": "milk"}),
    ("F09: a key that a model does not have", "add_person",
     {"person": {"name": "Kim", "age": "25 years", "mail": "kim@example.org"}}, {},
     {"person": {"name": "Kim", "age": 25}}),
    ("nothing at all", "find_notes", {}, {"query": "milk"}, {"query": "milk"}),
    ("F11: a choice in other words", "set_priority", {"priority": "Highest"}, {},
     {"priority": "high"}),
    ("F11: a choice that does not exist", "set_priority", {"priority": "urgent"},
     {"priority": "high"}, {"priority": "high"}),
    ("F11: a type for a name", "export_note", {"form": "text/markdown"}, {},
     {"form": "markdown"}),
    ("F20: a word for a number", "set_quarter", {"quarter": "Q3"}, {}, {"quarter": 3}),
    ("F12: a number for text", "read_balance", {"account": 123}, {}, {"account": "123"}),
    ("F12: a list for text", "read_balance", {"account": ["a-1"]}, {}, {"account": "a-1"}),
    ("F63: a day that does not exist", "plan_day", {"day": "2026-13-40"}, {"day": "2026-12-24"},
     {"day": "2026-12-24"}),
    ("F63: a date as people write it", "plan_day", {"day": "24.12.2026"}, {},
     {"day": "2026-12-24"}),
    ("F101: no offset", "book_room", {"start": "2026-05-27T18:00:00"}, {},
     {"start": "2026-05-27T18:00:00+03:00"}),
    ("F101: an offset too many", "set_alarm", {"at": "2026-05-27T18:00:00Z"}, {},
     {"at": "2026-05-27T18:00:00"}),
    ("a duration in words", "set_timer", {"duration": "90 minutes"}, {"duration": "PT1H30M"},
     {"seconds": 5400.0}),
    ("F66: null where a field cannot be cleared", "update_note",
     {"note_id": "n1", "title": {"value": None}}, {"title.value": "Milk"},
     {"note_id": "n1", "title": "Milk"}),
    ("F70: an object without its wrapping", "update_note", {"note_id": "n1", "counts": {"a": 1}},
     {}, {"note_id": "n1", "counts": {"a": 1}}),
    ("F70: more than the wrapping", "update_note",
     {"note_id": "n1", "title": {"value": "Milk", "why": "asked"}}, {},
     {"note_id": "n1", "title": "Milk"}),
    ("F70: another word for value", "update_note", {"note_id": "n1", "title": {"set": "Milk"}},
     {}, {"note_id": "n1", "title": "Milk"}),
    ("a text that is too long", "rename", {"title": "Milk and more milk"}, {},
     {"title": "Milk and m"}),
    ("an id that is none", "open_document", {"document_id": "7"}, {"document_id": ONE_ID},
     {"document_id": ONE_ID}),
    ("F59: a name that was made up", "search_notes", {"query": "milk"}, {"verb": "find"},
     {"query": "milk"}),
    ("F13: a prefix that was made up", "functions.find_notes", {"query": "milk"}, {},
     {"query": "milk"}),
    ("F13: another spelling", "findNotes", {"query": "milk"}, {}, {"query": "milk"}),
    ("a name far from all others", "notes", {"query": "milk"}, {"verb": "find"},
     {"query": "milk"}),
    ("a confirmation is needed", "wipe_folder", {"folder": "old"}, {}, {"folder": "old"}),
]  # fmt: skip


def notes_service() -> AppFunctionService:
    seen.clear()
    return AppFunctionService.from_functions(
        FUNCTIONS, name="notes", description="Keeps notes, and more."
    )


async def mend(dispatcher: ToolDispatcher, call: FunctionCall, said: dict[str, Any]) -> None:
    """Calls, reads the error, and calls again, until it succeeds."""
    (answer,) = await dispatcher.dispatch([call])
    assert answer.is_error, "it does not fail"
    assert seen == []
    for _ in range(MOST_TURNS):
        call = mended(call, answer.text, said)
        (answer,) = await dispatcher.dispatch([call])
        if not answer.is_error:
            return
    raise AssertionError(answer.text)


@pytest.mark.parametrize(
    ("name", "arguments", "said", "meant"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
async def test_the_error_of_a_call_leads_to_the_one_that_was_meant(
    name: str, arguments: dict[str, Any], said: dict[str, Any], meant: dict[str, Any]
) -> None:
    async with ToolDispatcher(notes_service()) as dispatcher:
        await mend(dispatcher, FunctionCall("a", name, arguments), said)
    assert seen == [meant]


@pytest.mark.parametrize(
    ("raw", "was_cut"),
    [('["milk"]', False), ('"milk"', False), ("query: milk", False), ('{"query": "mi', True)],
    ids=["F77: a list", "F77: a text", "F77: no JSON", "F78: cut"],
)
async def test_arguments_that_could_not_be_read_are_sent_again_whole(
    raw: str, was_cut: bool
) -> None:
    arguments, fault = read_arguments(raw, was_cut=was_cut)
    assert fault
    async with ToolDispatcher(notes_service()) as dispatcher:
        call = FunctionCall("a", "find_notes", arguments, fault)
        await mend(dispatcher, call, {"query": "milk"})
    assert seen == [{"query": "milk"}]


@pytest.mark.parametrize("name", ["find_notes", "notes.find_notes", "my_find_notes"])
async def test_a_prefix_that_is_missing_or_wrong_is_put_right(name: str) -> None:
    """F13 and F59."""
    async with ToolDispatcher.from_sources({"notes": notes_service()}) as dispatcher:
        call = FunctionCall("a", name, {"query": "milk"})
        if name == "notes.find_notes":
            assert "near it: notes_find_notes" in (await dispatcher.dispatch([call]))[0].text
        await mend(dispatcher, call, {})
    assert seen == [{"query": "milk"}]


def open_note(note_id: str) -> str:
    """Opens a note.

    Args:
        note_id: The ID of the note.

    Raises:
        AppFunctionElementNotFoundException: No note has this ID; search_notes lists them.
    """
    if note_id != "note-7":
        raise AppFunctionElementNotFoundException(f"no note {note_id}")
    return "Two litres of milk"


def search_notes(query: str) -> list[str]:
    """Finds notes.

    Args:
        query: What to look for.
    """
    return [f"note-{len(query) + 3}"]


async def test_what_is_not_found_names_the_function_that_finds_it() -> None:
    """F111."""
    service = AppFunctionService.from_functions(
        [open_note, search_notes], name="notes", description="Keeps notes."
    )
    async with ToolDispatcher(service) as dispatcher:
        (missed,) = await dispatcher.dispatch([FunctionCall("a", "open_note", {"note_id": "milk"})])
        finder = missed.text.partition("Recovery: No note has this ID; ")[2].partition(" ")[0]
        (found,) = await dispatcher.dispatch([FunctionCall("b", finder, {"query": "milk"})])
        (note_id,) = json.loads(found.text)["result"]
        (opened,) = await dispatcher.dispatch(
            [FunctionCall("c", "open_note", {"note_id": note_id})]
        )
    assert opened.text == "Two litres of milk"
