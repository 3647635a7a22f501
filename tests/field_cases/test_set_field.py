"""Field cases about updates: set a field, clear it, leave it."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from appfunctions_mcp.fields import SetField, apply_fields
from tests.support.calls import INVALID, properties_of, refusal_of, value_of

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Note:
    """A note."""

    title: str
    content: str | None


notes = {"n1": Note("T", "C")}
given: list[list[str]] = []


@pytest.fixture(autouse=True)
def _one_note() -> None:
    notes["n1"] = Note("T", "C")
    given.clear()


async def update(
    id: str,  # noqa: A002 - what an agent would call it
    title: SetField[str] | None = None,
    content: SetField[str | None] | None = None,
) -> Note:
    """Updates a note."""
    notes[id], names = apply_fields(notes[id], title=title, content=content)
    given.append(names)
    return notes[id]


async def updated(**fields: Any) -> tuple[str, str | None]:
    """The note after an update."""
    note = await value_of(update, {"id": "n1", **fields})
    return note["title"], note["content"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("T", "C")),
        ({"content": None}, ("T", "C")),
        ({"content": {"value": None}}, ("T", None)),
        ({"content": {"clear": True}}, ("T", None)),
        ({"content": {"value": None, "clear": True}}, ("T", None)),
        ({"content": {"value": "x", "clear": False}}, ("T", "x")),
        ({"content": {"value": ""}}, ("T", "")),
        ({"content": {"value": "x"}}, ("T", "x")),
        ({"content": {"value": "null"}}, ("T", "null")),
        ({"content": '{"clear": true}'}, ("T", None)),
        ({"title": {"value": "New"}, "content": {"value": "x"}}, ("New", "x")),
    ],
)
async def test_a_field_is_set_cleared_or_left(
    fields: dict[str, Any], expected: tuple[str, str | None]
) -> None:
    """F66: omission wiped tags; null changed nothing and the answer said "updated"."""
    assert await updated(**fields) == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"title": {"clear": True}},
        {"title": "null"},
        {"content": {}},
        {"content": {"clear": False}},
        {"content": {"value": "x", "clear": True}},
        {"content": "null"},
    ],
)
async def test_what_is_ambiguous_is_refused_with_the_forms_to_send(fields: dict[str, Any]) -> None:
    """F66: and the note is as it was."""
    text = await refusal_of(update, {"id": "n1", **fields})
    assert text.startswith(INVALID)
    (name,) = fields
    assert name in text
    assert '{"value": …}' in text
    assert ('{"clear": true}' in text) is (name == "content")
    assert notes["n1"] == Note("T", "C")


async def test_null_inside_a_field_that_admits_none_is_refused() -> None:
    """F66."""
    text = await refusal_of(update, {"id": "n1", "title": {"value": None}})
    assert text.startswith(INVALID)
    assert "title" in text
    assert notes["n1"] == Note("T", "C")


async def test_a_set_field_is_published_as_one_closed_object() -> None:
    """F66."""
    published = await properties_of(update)
    assert published["title"] == {
        "type": "object",
        "properties": {"value": {"type": "string"}},
        "required": ["value"],
        "additionalProperties": False,
    }
    assert published["content"] == {
        "type": "object",
        "properties": {"value": {"type": ["string", "null"]}, "clear": {"type": "boolean"}},
        "additionalProperties": False,
    }


async def test_nulls_for_everything_that_was_not_meant_change_nothing() -> None:
    """F67: the strict form of a provider sends null for every field; its export is another part."""
    assert await updated(title=None, content=None) == ("T", "C")
    assert given == [[]]


async def test_null_for_a_nullable_with_a_default_is_none() -> None:
    """F67: the choice that is documented."""
    seen: list[object] = []

    async def find(x: int | None = 5) -> None:
        seen.append(x)

    await value_of(find, {"x": None}, optional_defaults="declared")
    assert seen == [None]


async def test_a_bare_value_sets_and_only_what_is_given_is_written() -> None:
    """F70: a plain value turned authentication off; untouched fields were written."""
    assert await updated(title="New") == ("New", "C")
    assert given == [["title"]]


async def test_a_bare_list_sets() -> None:
    """F70."""
    seen: list[object] = []

    async def tag(tags: SetField[list[str]] | None = None) -> None:
        seen.append(tags)

    await value_of(tag, {"tags": ["a"]})
    await value_of(tag, {"tags": json.dumps(["b"])})
    assert seen == [SetField(["a"]), SetField(["b"])]


async def test_a_bare_object_never_sets() -> None:
    """F70: ambiguous."""

    async def configure(title: SetField[dict[str, Any]] | None = None) -> None:
        raise AssertionError("must not run")

    for sent in ({"a": 1}, '{"a": 1}', {"value": {}, "extra": 1}):
        text = await refusal_of(configure, {"title": sent})
        assert text.startswith(INVALID)
        assert "title" in text


async def test_a_key_beside_value_is_refused() -> None:
    """F70."""
    text = await refusal_of(update, {"id": "n1", "title": {"value": "x", "extra": 1}})
    assert text.startswith(INVALID)
    assert "extra" in text
    assert notes["n1"] == Note("T", "C")
