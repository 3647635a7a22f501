"""What Android's shell makes of JSON before a function sees it."""

from typing import Any

import pytest

from appfunctions_mcp.android.shell.documents import (
    Document,
    document_from_json,
    json_from_document,
)
from appfunctions_mcp.android.shell.words import ShellError


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", ["a"]),
        (5, [5]),
        (5.5, [5.5]),
        (True, [True]),
        (["a", 1, 1.5, True, None, {"b": 1}], ["a", "1", "1.5", "true", "null", '{"b":1}']),
        ([1, 2.9, -2.9, "3.7", "NaN", 1e300], [1, 2, -2, 3, 0, 2**63 - 1]),
        ([1.5, 2, "3.5"], [1.5, 2.0, 3.5]),
        ([True, "False", "TRUE"], [True, False, True]),
        ({"a": [1]}, [{"a": [1]}]),
        ([{"a": 1}, {}], [{"a": [1]}, {}]),
    ],
)
def test_a_list_takes_the_kind_of_its_first_item(value: Any, expected: list[Any]) -> None:
    found = json_from_document(document_from_json({"x": value}))["x"]

    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("value", [None, [], [None, 1], [[1]]])
def test_what_a_document_cannot_hold_is_left_out(value: Any) -> None:
    assert document_from_json({"x": value}) == Document()


@pytest.mark.parametrize(
    ("value", "wanted", "kind"),
    [
        ([1, "a"], "long", "java.lang.String"),
        ([1, True], "long", "java.lang.Boolean"),
        ([1.5, None], "double", "org.json.JSONObject$1"),
        ([True, 1], "boolean", "java.lang.Integer"),
        ([{}, []], "JSONObject", "org.json.JSONArray"),
    ],
)
def test_an_item_that_cannot_be_converted_is_told_of(value: Any, wanted: str, kind: str) -> None:
    with pytest.raises(ShellError, match=rf" at 1 of type {kind.replace('$', '.')} cannot be") as e:
        document_from_json({"x": value})

    assert str(e.value).endswith(f"cannot be converted to {wanted}")


def test_the_class_of_a_document_is_a_property_too() -> None:
    """`schemaType` sets the document's identity and stays among its properties."""
    document = document_from_json({"shape": {"schemaType": "com.example.Circle", "radius": 2}})

    (shape,) = document.properties["shape"]
    assert isinstance(shape, Document)
    assert shape.schema_type == "com.example.Circle"
    assert shape.properties == {"schemaType": ("com.example.Circle",), "radius": (2,)}


def test_a_class_that_is_no_text_is_none() -> None:
    assert document_from_json({"schemaType": 5}).schema_type == ""
