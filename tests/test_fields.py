import dataclasses
from typing import Any, NamedTuple, TypedDict

import pytest
from pydantic import BaseModel, TypeAdapter

from appfunctions_mcp.fields import SetField, apply_fields


class NoteModel(BaseModel):
    title: str
    content: str | None


@dataclasses.dataclass(frozen=True)
class NoteRecord:
    title: str
    content: str | None


class NoteTuple(NamedTuple):
    title: str
    content: str | None


class NoteDict(TypedDict, total=False):
    title: str
    content: str | None


NOTES: list[Any] = [
    NoteModel(title="T", content="C"),
    NoteRecord("T", "C"),
    NoteTuple("T", "C"),
    NoteDict(title="T", content="C"),
]
KINDS = ["model", "dataclass", "named tuple", "dict"]


def state_of(note: Any) -> tuple[Any, Any]:
    if isinstance(note, dict):
        return note["title"], note["content"]
    return note.title, note.content


@pytest.mark.parametrize("note", NOTES, ids=KINDS)
@pytest.mark.parametrize(
    ("fields", "state", "given"),
    [
        ({}, ("T", "C"), []),
        ({"title": None, "content": None}, ("T", "C"), []),
        ({"title": None, "content": SetField(None)}, ("T", None), ["content"]),
        ({"title": None, "content": SetField("")}, ("T", ""), ["content"]),
        ({"title": SetField("N"), "content": None}, ("N", "C"), ["title"]),
        ({"content": SetField("D"), "title": SetField("N")}, ("N", "D"), ["content", "title"]),
    ],
)
def test_only_given_fields_are_set_and_named(
    note: Any, fields: dict[str, Any], state: tuple[Any, Any], given: list[str]
) -> None:
    """F66 and F70: three states, and nothing is written that was not given."""
    updated, names = apply_fields(note, **fields)

    assert (state_of(updated), names) == (state, given)
    assert isinstance(updated, type(note))
    assert state_of(note) == ("T", "C")


@pytest.mark.parametrize("note", NOTES[:3], ids=KINDS[:3])
def test_a_field_that_does_not_exist_is_the_authors_mistake(note: Any) -> None:
    with pytest.raises(TypeError, match=r"has no field titel; it has title, content"):
        apply_fields(note, titel=SetField("N"))


def test_a_key_that_a_dictionary_lacks_is_added() -> None:
    assert apply_fields(NoteDict(title="T"), content=SetField("C")) == (
        {"title": "T", "content": "C"},
        ["content"],
    )


def test_a_plain_value_is_no_set_field() -> None:
    with pytest.raises(TypeError, match="title is str; a SetField or None is accepted"):
        apply_fields(NOTES[0], title="N")  # type: ignore[arg-type] # what is tested


def test_an_object_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="not object"):
        apply_fields(object(), title=SetField("N"))


def test_a_dataclass_itself_is_no_object_of_it() -> None:
    with pytest.raises(TypeError, match="not type"):
        apply_fields(NoteRecord, title=SetField("N"))


def test_a_set_field_is_a_value() -> None:
    assert SetField(1) == SetField(1)
    assert SetField(1) != SetField(2)
    assert SetField(1) != 1
    assert len({SetField("a"), SetField("a"), SetField(None)}) == 2
    assert repr(SetField("a")) == "SetField('a')"
    match SetField(5):
        case SetField(value):
            assert value == 5


def test_a_set_field_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        SetField(1).value = 2  # type: ignore[misc] # what is tested


def test_pydantic_reads_and_writes_a_set_field() -> None:
    adapter: TypeAdapter[SetField[int | None]] = TypeAdapter(SetField[int | None])

    assert adapter.validate_python({"value": None}) == SetField(None)
    assert adapter.dump_python(SetField(3), mode="json") == {"value": 3}


def test_a_set_field_without_a_type_takes_anything() -> None:
    assert TypeAdapter(SetField).validate_python({"value": [1]}) == SetField([1])
