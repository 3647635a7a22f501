from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.fields import SetField, apply_fields
from tests.support.arguments import arguments_of, published, received, refusal


def test_a_set_field_is_published_as_a_closed_object() -> None:
    """F66."""
    assert published(SetField[str] | None, None) == {
        "type": "object",
        "properties": {"value": {"type": "string"}},
        "required": ["value"],
        "additionalProperties": False,
    }
    assert published(SetField[str | None] | None, None) == {
        "type": "object",
        "properties": {"value": {"type": ["string", "null"]}, "clear": {"type": "boolean"}},
        "additionalProperties": False,
    }
    assert published(SetField[list[str] | None] | None, None)["properties"]["value"] == {
        "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]
    }


def update(
    id: str,  # noqa: A002 - the name that agents see
    title: SetField[str] | None = None,
    content: SetField[str | None] | None = None,
) -> None:
    raise NotImplementedError(id, title, content)


@pytest.mark.parametrize(
    ("sent", "note"),
    [
        ({}, ("T", "C")),
        ({"content": None}, ("T", "C")),
        ({"content": {"value": None}}, ("T", None)),
        ({"content": {"clear": True}}, ("T", None)),
        ({"content": {"value": ""}}, ("T", "")),
        ({"content": {"value": "x"}}, ("T", "x")),
        ({"title": None, "content": None}, ("T", "C")),
        ({"title": "New"}, ("New", "C")),
    ],
)
def test_three_states_reach_the_body(sent: dict[str, Any], note: tuple[str, Any]) -> None:
    """F66, F67 and F70."""
    arguments = arguments_of(update).validate({"id": "n1"} | sent)
    updated, _ = apply_fields(
        {"title": "T", "content": "C"}, title=arguments["title"], content=arguments["content"]
    )

    assert (updated["title"], updated["content"]) == note


TEXT, NULLABLE_TEXT, NUMBER = SetField[str], SetField[str | None], SetField[int | None]
LIST, MAP, NESTED = SetField[list[str]], SetField[dict[str, int]], SetField[list[int] | None]


@pytest.mark.parametrize(
    ("annotation", "sent", "value"),
    [
        (TEXT, {"value": ""}, ""),
        (NUMBER, {"value": 0}, 0),
        (LIST, {"value": []}, []),
        (TEXT, "New", "New"),
        (TEXT, "", ""),
        (TEXT, "5", "5"),
        (NUMBER, 5, 5),
        (NUMBER, "5", 5),
        (LIST, ["a"], ["a"]),
        (LIST, '["a"]', ["a"]),
        (LIST, [], []),
        (NULLABLE_TEXT, {"value": None}, None),
        (NULLABLE_TEXT, {"clear": True}, None),
        (NULLABLE_TEXT, {"clear": "true"}, None),
        (NULLABLE_TEXT, {"value": None, "clear": True}, None),
        (NULLABLE_TEXT, {"value": None, "clear": False}, None),
        (NULLABLE_TEXT, {"value": "x", "clear": False}, "x"),
        (NULLABLE_TEXT, {"value": "x", "clear": None}, "x"),
        (NULLABLE_TEXT, {"value": "null"}, "null"),
        (NUMBER, {"value": "null"}, None),
        (TEXT, {"value": "x", "clear": False}, "x"),
        (TEXT, '{"value": "x"}', "x"),
        (NULLABLE_TEXT, '{"clear": true}', None),
        (NULLABLE_TEXT, '{"value": null}', None),
        (TEXT, '{"a": 1}', '{"a": 1}'),
        (TEXT, '{"value": "x", "a": 1}', '{"value": "x", "a": 1}'),
        (TEXT, "{broken", "{broken"),
        (NUMBER, '{"value": "7"}', 7),
        (MAP, {"value": {"a": "1"}}, {"a": 1}),
        (MAP, '{"value": {"a": 1}}', {"a": 1}),
        (MAP, {"value": '{"a": 1}'}, {"a": 1}),
        (NESTED, {"value": ["1"]}, [1]),
    ],
)
def test_every_form_that_says_what_to_do_is_taken(annotation: Any, sent: Any, value: Any) -> None:
    assert received(annotation | None, sent, None) == SetField(value)


@pytest.mark.parametrize(
    ("annotation", "sent", "said"),
    [
        (TEXT, {"value": None}, "x.value: got null; accepted: text"),
        (TEXT, {"clear": True}, "the field cannot be empty"),
        (TEXT, {}, '{"value": …} to set it (text)'),
        (TEXT, "{}", "neither sets nor clears"),
        (TEXT, {"value": "x", "extra": 1}, "the key 'extra'"),
        (TEXT, "null", "the bare text null"),
        (TEXT, 5, "send it in quotes as text"),
        (NULLABLE_TEXT, {}, '{"value": null} or {"clear": true} to clear it'),
        (NULLABLE_TEXT, {"clear": False}, "neither sets nor clears"),
        (NULLABLE_TEXT, {"clear": None}, "neither sets nor clears"),
        (NULLABLE_TEXT, {"value": "x", "clear": True}, "contradict"),
        (NULLABLE_TEXT, {"clear": 1}, "x.clear: got a whole number; accepted: true or false"),
        (NUMBER, "null", "the bare text null"),
        (NUMBER, '{"a": 1}', "the key 'a'"),
        (NUMBER, {"value": "many"}, "x.value: got text; accepted: a whole number or null"),
        (MAP, {"a": 1}, "the key 'a'"),
        (MAP, '{"a": 1}', "the key 'a'"),
        (MAP, {"value": {"a": "b"}}, "x.value.a"),
        (MAP, "a", 'accepted: {"value": …} to set it (an object, each value '),
        (NUMBER, "many", '{"value": null} or {"clear": true} to clear it'),
    ],
)
def test_what_is_ambiguous_is_refused_with_the_forms(annotation: Any, sent: Any, said: str) -> None:
    """F66 and F70: a guess would erase somebody's data."""
    assert said in refusal(annotation | None, sent, None)


def test_a_required_set_field_may_not_be_null() -> None:
    assert "got null, which does not say what to do" in refusal(TEXT, None)


def test_a_set_field_in_a_model_takes_the_same_forms() -> None:
    class Change(BaseModel):
        title: SetField[str] | None = None
        note: SetField[str | None] | None = None

    assert received(Change, {"title": "N", "note": {"clear": True}}) == Change(
        title=SetField("N"), note=SetField(None)
    )
    assert received(Change, {"title": None}) == Change()
    assert "x.note" in refusal(Change, {"note": {}})


@pytest.mark.parametrize(("mode", "dropped"), [("warn", ["x.extra"]), ("ignore", [])])
def test_an_unknown_key_is_dropped_where_the_app_says_so(mode: str, dropped: list[str]) -> None:
    def take(x: SetField[str] | None = None) -> None:
        raise NotImplementedError(x)

    seen: list[str] = []
    arguments = arguments_of(take, unknown_arguments=mode)

    assert arguments.validate({"x": {"value": "v", "extra": 1}}, seen) == {"x": SetField("v")}
    assert seen == dropped
    with pytest.raises(AppFunctionInvalidArgumentException):
        arguments.validate({"x": {"extra": 1}})


@given(st.one_of(st.none(), st.text(), st.integers()))
def test_the_object_form_says_exactly_what_is_set(value: Any) -> None:
    annotation = SetField[str | int | None]

    assert received(annotation | None, {"value": value}, None) == SetField(value)
