"""JSON as Android reads and writes it."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.shell.org_json import (
    MAX_DEPTH,
    java_text,
    json_text,
    read_json_object,
    type_mismatch,
)
from appfunctions_mcp.android.shell.words import ShellError

# A whole float is written as an integer, and half a surrogate cannot be written.
TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


@given(OBJECTS)
def test_strict_json_is_read_as_any_reader_reads_it(members: dict[str, Any]) -> None:
    assert read_json_object(json.dumps(members)) == members


@given(OBJECTS, st.sampled_from([None, 2]))
def test_what_is_written_is_json_of_the_same_value(
    members: dict[str, Any], indent: int | None
) -> None:
    text = json_text(members, indent=indent)

    assert json.loads(text) == members
    assert read_json_object(text) == members


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{title:Milk}", {"title": "Milk"}),
        ("{addNoteParams:{content:AdbTest}}", {"addNoteParams": {"content": "AdbTest"}}),
        ("{'a':'b\"c'}", {"a": 'b"c'}),
        ("{a=1;b=>2}", {"a": 1, "b": 2}),
        ("\ufeff {a:true,b:FALSE,c:Null} rest", {"a": True, "b": False, "c": None}),
        ("{a:0x1F,b:010,c:-5,d:+5,e:08}", {"a": 31, "b": 8, "c": -5, "d": 5, "e": 8.0}),
        ("{a:1.5,b:1e3,c:.5}", {"a": 1.5, "b": 1e3, "c": 0.5}),
        ("{a:5.,b:1f,c:2.5D}", {"a": 5.0, "b": 1.0, "c": 2.5}),
        ("{a:9223372036854775808}", {"a": 9223372036854775808.0}),
        (f"{{a:{'9' * 30}}}", {"a": float("9" * 30)}),
        ("{a:0xZ,b:12ab,c:0-}", {"a": "0xZ", "b": "12ab", "c": "0-"}),
        ("{/* x */a:1, // y\nb:2 # z\r,c:3}", {"a": 1, "b": 2, "c": 3}),
        ("{a:[1,,2],b:[,]}", {"a": [1, None, 2], "b": [None, None]}),
        ("{a:[1,],b:[]}", {"a": [1, None], "b": []}),
        (r"{'a':'\t\b\n\r\f\"\/\x\u00e9'}", {"a": '\t\b\n\r\f"/x\u00e9'}),
        (r"{a:'\ud83d\ude00 \ud83d'}", {"a": "\U0001f600 \ufffd"}),
        ("{a:1,a:2}", {"a": 2}),
        ("{}# x", {}),
    ],
)  # fmt: skip
def test_what_a_shell_leaves_of_json_is_read(text: str, expected: dict[str, Any]) -> None:
    assert read_json_object(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "End of input at character 0 of "),
        ("{a:", "End of input at character 3 of {a:"),
        ("{", "End of input at character 1 of {"),
        ("{a:1", "Unterminated object at character 4 of {a:1"),
        ("{a:1 b", "Unterminated object at character 6 of {a:1 b"),
        ("{a", "Expected ':' after a at character 2 of {a"),
        ("{a:[1", "Unterminated array at character 5 of {a:[1"),
        ("{a:[", "Unterminated array at character 4 of {a:["),
        ("{a:[1 2]", "Unterminated array at character 7 of {a:[1 2]"),
        ("{'a", "Unterminated string at character 3 of {'a"),
        ("{'a\\", "Unterminated escape sequence at character 4 of {'a\\"),
        ("{'a\\u00", "Unterminated escape sequence at character 5 of {'a\\u00"),
        ("{'\\u00zz", "Invalid escape sequence: 00zz at character 8 of {'\\u00zz"),
        ("{/*", "Unterminated comment at character 3 of {/*"),
        ('{"key": "value",}', 'Expected literal value at character 16 of {"key": "value",}'),
        (
            "{1:2}",
            "Names must be strings, but 1 is of type java.lang.Integer at character 2 of {1:2}",
        ),
        ("title", "Value title of type java.lang.String cannot be converted to JSONObject"),
        ("[1]", "Value [1] of type org.json.JSONArray cannot be converted to JSONObject"),
        ("4294967296", "Value 4294967296 of type java.lang.Long cannot be converted to JSONObject"),
        ("null", "Value null of type org.json.JSONObject$1 cannot be converted to JSONObject"),
        ("{a:NaN}", "Forbidden numeric value: NaN"),
        ("{a:-Infinity}", "Forbidden numeric value: -Infinity"),
        ("{a:1e999}", "Forbidden numeric value: Infinity"),
    ],
)
def test_what_cannot_be_read_is_told_of_as_on_a_device(text: str, message: str) -> None:
    with pytest.raises(ShellError) as caught:
        read_json_object(text)

    assert str(caught.value) == f"org.json.JSONException: {message}"


@given(st.text(st.sampled_from("{}[]'\":,=;>#/* \n\\au01.eE+-x"), max_size=30))
def test_no_text_gets_anything_but_an_object_or_a_fault(text: str) -> None:
    try:
        found = read_json_object(text)
    except ShellError as fault:
        assert str(fault).startswith("org.json.JSONException: ")  # noqa: PT017 - one of two ends
    else:
        assert isinstance(found, dict)


def test_nesting_ends_in_a_fault_and_not_in_a_crash() -> None:
    deep = "{a:" * MAX_DEPTH + "1" + "}" * MAX_DEPTH

    assert read_json_object(deep)["a"]
    with pytest.raises(ShellError, match="levels of nesting"):
        read_json_object("{a:" + deep + "}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5.0"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (0.0009, "9.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12345678.5, "1.23456785E7"),
        (-1.5e300, "-1.5E300"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        (7, "7"),
        (True, "true"),
        (None, "null"),
        ("a", "a"),
        ({"a": [1, "b"]}, '{"a":[1,"b"]}'),
    ],
)
def test_values_become_text_as_in_java(value: object, text: str) -> None:
    assert java_text(value) == text


def test_the_writer_escapes_slashes_and_shortens_whole_floats() -> None:
    assert json_text({"a/b": [5.0, 1e300, "c/d"]}) == '{"a\\/b":[5,1e+300,"c\\/d"]}'
    assert json_text([-0.0, 0.0]) == "[-0.0,0]"


def test_a_mismatch_in_a_list_names_its_index() -> None:
    assert str(type_mismatch(True, "long", 2)) == (
        "org.json.JSONException: Value true at 2 of type java.lang.Boolean cannot be converted to "
        "long"
    )
