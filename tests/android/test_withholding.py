"""Hidden characters: which ones count, and what becomes of the texts that hold them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from appfunctions_mcp.android.bridge.hidden_text import first_lines, hidden_characters, visible_text
from appfunctions_mcp.android.bridge.withholding import visible_document
from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidProperty,
    ArrayType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.metadata import AppFunctionSchema
from tests.support.android_documents import (
    compiled_documents,
    document,
    function,
    kotlin_names,
    object_type,
    parameter,
)

HIDDEN = ScalarType(kind=TypeNumber.STRING, description="x\u202ey")


@pytest.mark.parametrize(
    "text",
    [
        "Plain.\nTwo\tlines\r\n",
        "Ünïcode 漢字 עברית العربية",
        "👩‍👩‍👧 ❤️ می‌خواهم",
        "𝒳 é (e\u0301)",
        "",
    ],
)
def test_letters_and_pictures_of_every_language_are_visible(text: str) -> None:
    assert hidden_characters(text) == ""
    assert visible_text(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\U000e0041\U000e0042", "U+E0041, U+E0042"),
        ("a\u202eb", "U+202E"),
        ("a\u200bb\u2060\ufeff\u00ad", "U+200B, U+2060, U+FEFF, U+00AD"),
        ("\x00\x1b\x7f\x85", "U+0000, U+001B, U+007F, U+0085"),
        ("\U000e0100", "U+E0100"),
        ("\ufe05\u3164\ue000", "U+FE05, U+3164, U+E000"),
        ("a\u2028b\ud800", "U+2028, U+D800"),
        ("a\u200d\u200c\u200d\u200cb", "U+200D"),
        (
            "\u200b\u2060\u2061\u2062\u2063\u2064",
            "U+200B, U+2060, U+2061, U+2062, U+2063 and others",
        ),
    ],
)
def test_characters_that_nobody_sees_are_told(text: str, told: str) -> None:
    assert hidden_characters(text) == told
    assert hidden_characters(visible_text(text)) == ""


def test_what_a_program_prints_is_shown_as_one_line() -> None:
    assert first_lines(" a\n\n b\u202e\x1b[0m c " + "x" * 900, 20) == "a b[0m c xxxxxxxxxxx"


@settings(max_examples=40)
@given(compiled_documents(names=kotlin_names()))
def test_nothing_hidden_is_left_in_any_document(drawn: AndroidDocument) -> None:
    visible, _ = visible_document(drawn, "app")
    again, findings = visible_document(visible, "app")
    assert (again, findings) == (visible, ())


def test_descriptions_are_withheld_at_every_depth() -> None:
    inside = object_type(
        "p.O",
        a=HIDDEN,
        b=ArrayType(items=HIDDEN),
        c=OneOfType(name="p.S", members=(object_type("p.M", x=HIDDEN),)),
        d=AllOfType(name="p.A", members=(object_type("p.B", x=HIDDEN),)),
        e=ReferenceType(name="p.Tree"),
    )
    tree = object_type("p.Tree", text=HIDDEN, next=ReferenceType(name="p.Tree", nullable=True))
    drawn = document(function("a#b", parameter("x", inside), returns=HIDDEN), **{"p.Tree": tree})
    visible, findings = visible_document(drawn, "app")
    assert "\u202e" not in repr(visible)
    assert "x\\u202ey" not in repr(visible)
    place = "app: 'a#b', 'x'.a: the description"
    assert f"{place} is withheld: it holds hidden characters (U+202E)" in findings
    assert any("component 'p.Tree'.text" in each for each in findings)


@pytest.mark.parametrize(
    "data_type",
    [
        ScalarType(kind=TypeNumber.STRING, enum_values=("a\u200b",)),
        ScalarType(kind=TypeNumber.STRING, patterns=(StringPattern("\u200b", 0),)),
        ScalarType(kind=TypeNumber.STRING, format="\u200b"),
        object_type("p.O\u200b", a=HIDDEN),
        ObjectType(name="p.O", properties=(AndroidProperty("a\u200b", HIDDEN),)),
        ReferenceType(name="p.Bad"),
        OneOfType(name="p.S\u200b", members=(object_type("p.M", x=HIDDEN),)),
    ],
)
def test_a_function_with_hidden_names_or_values_is_left_out(data_type: ScalarType) -> None:
    bad = ObjectType(
        name="p.Bad",
        properties=(
            AndroidProperty("next", ReferenceType(name="p.Bad")),
            AndroidProperty("x\u200b", HIDDEN),
        ),
    )
    drawn = document(
        function("a#bad", parameter("x", data_type)),
        function("a#worse", returns=data_type),
        function("a#good"),
        **{"p.Bad": bad},
    )
    visible, findings = visible_document(drawn, "app")
    assert [each.id for each in visible.functions] == ["a#good"]
    assert sum("is left out: the name or value" in each for each in findings) == 2


def test_a_schema_with_hidden_characters_leaves_its_function_out() -> None:
    """Clients are shown what a function is of."""
    schema = AppFunctionSchema("notes\u202e", "create", 1)
    shown = replace(function("a#b"), schema=AppFunctionSchema("notes", "create", 1))
    visible, findings = visible_document(
        document(replace(function("a#c"), schema=schema), shown), "app"
    )
    assert visible.functions == (shown,)
    assert "'a#c' is left out: the name or value 'notes' holds hidden characters" in findings[0]
