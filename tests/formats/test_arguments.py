"""Arguments between a function and a model: nothing is lost on the way there and back."""

import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from appfunctions_mcp import SetField, apply_fields
from appfunctions_mcp.formats.arguments import argument_mapping, choice_text
from appfunctions_mcp.formats.names import PROPERTY_KEY, exported_name
from appfunctions_mcp.formats.openai_chat.tools import export_tools
from appfunctions_mcp.formats.schema_keywords import same_json
from tests.support.calls import Function, make_service, refusal_of, value_of
from tests.support.published_schemas import published_schemas, values_of

Json = dict[str, Any]


def exported_key(key: str) -> str:
    return exported_name(key, accepted=PROPERTY_KEY)


def restored(schema: Json, arguments: Json, **options: Any) -> Json:
    return argument_mapping(schema, **options).restore(arguments)


def object_of(required: list[str] | None = None, /, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": required or []}


TEXT: Json = {"type": "string"}
MAYBE_TEXT: Json = {"type": ["string", "null"]}


def test_a_null_for_what_is_optional_means_left_out() -> None:
    """Field case F67."""
    schema = object_of(["id"], id=TEXT, title=TEXT, note=MAYBE_TEXT)
    sent = {"id": None, "title": None, "note": None, "other": None}
    assert restored(schema, sent) == {"id": None, "note": None, "other": None}


def test_nulls_inside_objects_lists_maps_and_recursions_are_left_out_too() -> None:
    inner = object_of(["a"], a=TEXT, b=TEXT)
    schema = {
        **object_of(
            one=inner,
            many={"type": "array", "items": inner},
            named={"type": "object", "additionalProperties": inner},
            tree={"$ref": "#/$defs/Node"},
        ),
        "$defs": {
            "Node": object_of(name=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/Node"}})
        },
    }
    sent = {"a": "x", "b": None}
    tree = {"name": None, "kids": [{"name": "n", "kids": None}]}
    assert restored(schema, {"one": sent, "many": [sent], "named": {"k": sent}, "tree": tree}) == {
        "one": {"a": "x"},
        "many": [{"a": "x"}],
        "named": {"k": {"a": "x"}},
        "tree": {"kids": [{"name": "n"}]},
    }


def test_a_null_in_a_list_or_under_a_free_key_stays() -> None:
    schema = object_of(
        many={"type": "array", "items": TEXT},
        named={"type": "object", "additionalProperties": TEXT},
    )
    sent = {"many": [None], "named": {"k": None}}
    assert restored(schema, sent) == sent


def test_a_required_null_that_was_dropped_is_put_back() -> None:
    schema = object_of(["due", "id"], due=MAYBE_TEXT, id=TEXT)
    assert restored(schema, {}) == {"due": None}


def test_choices_come_back_from_their_texts() -> None:
    """Field case F20."""
    schema = object_of(
        quarter={"type": "integer", "enum": [1, 2]},
        flag={"enum": [True, "true", 0.5]},
        text={"type": "string", "enum": ["2"]},
        many={"type": "array", "items": {"anyOf": [{"const": 7}, {"type": "null"}]}},
        any={},
    )
    sent = {"quarter": "2", "flag": "0.5", "text": "2", "many": ["7", "8"], "any": "1"}
    assert restored(schema, sent) == {**sent, "quarter": 2, "flag": 0.5, "many": [7, "8"]}
    assert restored(schema, {"flag": "true"}) == {"flag": "true"}
    assert restored(schema, {"flag": True, "quarter": 2}) == {"flag": True, "quarter": 2}
    assert choice_text([1, "ä"]) == '[1,"ä"]'


def test_a_choice_in_a_recursion_is_found_and_the_search_ends() -> None:
    schema = {
        **object_of(x={"$ref": "#/$defs/A"}),
        "$defs": {
            "A": {"anyOf": [{"enum": [1]}, {"type": "array", "items": {"$ref": "#/$defs/A"}}]}
        },
    }
    assert restored(schema, {"x": "1"}) == {"x": 1}
    assert restored(schema, {"x": ["1", ["z"]]}) == {"x": [1, ["z"]]}


def test_renamed_keys_come_back() -> None:
    schema = object_of(**{"a b": object_of(**{"c/d": TEXT}), "plain": TEXT})
    mapping = argument_mapping(schema, exported_key=exported_key)
    arguments = {"a b": {"c/d": "x", "e f": 1}, "plain": "y"}
    rewritten = mapping.rewrite(arguments)
    assert list(rewritten) == [exported_key("a b"), "plain"]
    assert rewritten[exported_key("a b")] == {exported_key("c/d"): "x", "e f": 1}
    assert mapping.restore(rewritten) == arguments


CIRCLE = {**object_of(["kind", "r"], kind={"const": "circle"}, r={"type": "number"}, name=TEXT)}
SQUARE = {**object_of(["kind", "a"], kind={"const": "square"}, a={"type": "number"}, b=MAYBE_TEXT)}


@pytest.mark.parametrize("closing", [{}, {"additionalProperties": False}])
def test_an_alternative_is_chosen_by_what_fits(closing: Json) -> None:
    schema = object_of(shape={"oneOf": [{**CIRCLE, **closing}, {**SQUARE, **closing}]})
    square = {"kind": "square", "a": 1, "b": None}
    assert restored(schema, {"shape": {**square, "r": None, "name": None}}) == {"shape": square}
    circle = {"kind": "circle", "r": 1}
    assert restored(schema, {"shape": {**circle, "name": None, "a": None}}) == {"shape": circle}


def test_what_fits_no_alternative_is_left_to_the_functions_own_check() -> None:
    schema = object_of(shape={"oneOf": [CIRCLE, SQUARE]}, n={"anyOf": [TEXT, {"type": "null"}]})
    assert restored(schema, {"shape": {"kind": "line", "name": None}, "n": [1]}) == {
        "shape": {"kind": "line"},
        "n": [1],
    }
    assert restored(schema, {"shape": [None], "n": 5}) == {"shape": [None], "n": 5}


def test_a_union_at_the_root_is_restored_by_its_alternative() -> None:
    schema = {"anyOf": [CIRCLE, SQUARE]}
    assert restored(schema, {"kind": "square", "a": 2, "r": None, "name": None}) == {
        "kind": "square",
        "a": 2,
    }


def test_values_of_another_type_than_declared_stay() -> None:
    schema = object_of(a=object_of(), b={"type": "array", "items": TEXT}, c=TEXT)
    sent = {"a": [1], "b": {"x": None}, "c": {"y": None}}
    assert restored(schema, sent) == sent


def test_arguments_of_any_depth_come_back() -> None:
    schema = {
        **object_of(x={"$ref": "#/$defs/A"}),
        "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
    }
    value: Any = []
    for _ in range(900):
        value = [value]
    mapping = argument_mapping(schema, with_nulls=True, with_choice_texts=True)
    written = json.dumps({"x": value})
    assert json.dumps(mapping.restore({"x": value})) == written
    assert json.dumps(mapping.rewrite({"x": value})) == written


def test_alternatives_that_look_alike_do_not_multiply() -> None:
    same = {
        **object_of(left={"$ref": "#/$defs/A"}, right={"$ref": "#/$defs/A"}, n={"type": "integer"})
    }
    schema = {
        **object_of(x={"$ref": "#/$defs/A"}),
        "$defs": {
            "A": {"anyOf": [{**same, "required": ["n"]}, {**same, "required": ["left"]}, same]}
        },
    }
    value: Json = {"n": "x"}
    for _ in range(25):
        value = {"left": value, "right": None, "n": None}
    mapping = argument_mapping(schema, with_nulls=True)
    assert "left" in mapping.restore({"x": value})["x"]
    assert "left" in mapping.rewrite({"x": value})["x"]


def test_rewriting_puts_in_what_a_strict_schema_requires() -> None:
    schema = object_of(["id"], id=TEXT, title=TEXT, note=MAYBE_TEXT)
    mapping = argument_mapping(schema, with_nulls=True)
    assert mapping.rewrite({"id": "1"}) == {"id": "1", "title": None}
    assert argument_mapping(schema).rewrite({"id": "1"}) == {"id": "1"}


def test_rewriting_puts_no_null_in_where_it_would_mean_something_else() -> None:
    schema = object_of(x={"anyOf": [object_of(a=TEXT), object_of(a=MAYBE_TEXT)]})
    mapping = argument_mapping(schema, with_nulls=True)
    assert mapping.rewrite({"x": {}}) == {"x": {}}
    assert mapping.restore(mapping.rewrite({"x": {"a": None}})) == {"x": {"a": None}}


@settings(max_examples=40)
@given(st.data(), st.booleans())
def test_arguments_go_to_the_provider_and_come_back_equal(data: st.DataObject, nulls: bool) -> None:
    schema = data.draw(published_schemas())
    arguments = data.draw(values_of(schema))
    mapping = argument_mapping(schema, with_nulls=nulls, exported_key=exported_key)
    assert same_json(mapping.restore(mapping.rewrite(arguments)), arguments)


@settings(max_examples=40)
@given(st.data())
def test_choices_go_as_texts_and_come_back_equal(data: st.DataObject) -> None:
    schema = data.draw(published_schemas(unions=False))
    arguments = data.draw(values_of(schema))
    mapping = argument_mapping(schema, with_choice_texts=True, exported_key=exported_key)
    assert same_json(mapping.restore(mapping.rewrite(arguments)), arguments)


@settings(max_examples=40)
@given(st.data())
def test_nulls_for_everything_that_is_optional_change_nothing(data: st.DataObject) -> None:
    schema = data.draw(published_schemas(closed=True, unions=False))
    arguments = data.draw(values_of(schema))
    filled = dict.fromkeys(schema["properties"]) | arguments
    taken = argument_mapping(schema).restore(filled)
    left_out = filled.keys() - taken.keys()
    assert left_out <= filled.keys() - arguments.keys()
    assert {name: taken[name] for name in arguments} == argument_mapping(schema).restore(arguments)


class Address(BaseModel):
    """An address."""

    street: str
    floor: int = 3


def update(
    note_id: str,
    title: SetField[str] | None = None,
    content: SetField[str | None] | None = None,
    tags: list[str] | None = None,
    quarter: Literal[1, 2, 3, 4] | None = None,
    address: Address | None = None,
    limit: int = 0,
) -> str:
    """Updates a note.

    Args:
        note_id: The note.
    """
    fields, given = apply_fields({"title": "T", "content": "C"}, title=title, content=content)
    rest = [repr(value) for value in (tags, quarter, address, limit)]
    return f"{fields['title']}|{fields['content']}|{','.join(given)}|{note_id}|{'|'.join(rest)}"


def mapped(function: Function) -> tuple[Json, Any]:
    (declared,) = make_service(function).registry
    return declared.metadata.input_schema, argument_mapping(declared.metadata.input_schema)


EVERYTHING_NULL = dict.fromkeys(["title", "content", "tags", "quarter", "address", "limit"])
UNTOUCHED = "None|None|None|0"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("sent", "done"),
    [
        ({}, f"T|C||n|{UNTOUCHED}"),
        ({"title": {"value": "x"}}, f"x|C|title|n|{UNTOUCHED}"),
        ({"content": {"value": ""}}, f"T||content|n|{UNTOUCHED}"),
        ({"content": {"value": None}}, f"T|None|content|n|{UNTOUCHED}"),
        ({"content": {"value": None, "clear": True}}, f"T|None|content|n|{UNTOUCHED}"),
        ({"content": {"clear": True}}, f"T|None|content|n|{UNTOUCHED}"),
        ({"content": {"value": "x", "clear": None}}, f"T|x|content|n|{UNTOUCHED}"),
        ({"quarter": "2"}, "T|C||n|None|2|None|0"),
        (
            {"address": {"street": "s", "floor": None}},
            "T|C||n|None|None|Address(street='s', floor=3)|0",
        ),
    ],
)
async def test_nulls_dropped_or_sent_for_everything_mean_what_was_meant(
    sent: Json, done: str
) -> None:
    """Field cases F66 and F67, through a real service."""
    _, mapping = mapped(update)
    assert await value_of(update, mapping.restore({"note_id": "n", **sent})) == done
    with_nulls = mapping.restore({"note_id": "n", **EVERYTHING_NULL, **sent})
    assert await value_of(update, with_nulls) == done


@pytest.mark.anyio
@pytest.mark.parametrize(
    "sent", [{"title": {"value": None}}, {"content": {}}, {"title": {"value": "x", "extra": 1}}]
)
async def test_what_says_nothing_clear_is_refused_by_the_function(sent: Json) -> None:
    _, mapping = mapped(update)
    name = next(iter(sent))
    assert name in await refusal_of(update, mapping.restore({"note_id": "n", **sent}))


@pytest.mark.anyio
async def test_a_required_nullable_whose_null_was_dropped_is_null() -> None:
    def move(due: str | None) -> str:
        """Moves a note."""
        return f"due {due}"

    _, mapping = mapped(move)
    assert await value_of(move, mapping.restore({})) == "due None"
    assert await value_of(move, mapping.restore({"due": "today"})) == "due today"


@pytest.mark.anyio
async def test_a_function_of_this_process_decides_what_null_means_beside_a_default() -> None:
    """The choice for `x: int | None = 5`: null stays null (field case F67)."""

    def count(x: int | None = 5, y: int = 7) -> str:
        """Counts."""
        return f"{x} {y}"

    (function,) = make_service(count, optional_defaults="declared").registry
    schema = function.metadata.input_schema
    (tool,) = export_tools([function.metadata]).tools
    assert tool.is_strict
    assert [note.partition(" is always sent: ")[0] for note in tool.notes] == ["'x'", "'y'"]
    for sent, done in (({"x": None, "y": None}, "None 7"), ({}, "5 7"), ({"x": 1}, "1 7")):
        restored = tool.restore(sent)
        assert await value_of(count, restored, optional_defaults="declared") == done
    assert argument_mapping(schema).restore({"x": None, "y": None}) == {}
    for arguments in ({}, {"x": None}, {"y": 1}):
        assert tool.restore(tool.rewrite(arguments)) == arguments
