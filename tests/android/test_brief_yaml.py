"""What `--brief-yaml` prints."""

from appfunctions_mcp.android.shell.brief_yaml import brief_yaml
from appfunctions_mcp.android.shell.documents import Document


def test_single_values_stand_alone_and_lists_below_their_name() -> None:
    document = Document(
        {
            "title": ("Milk",),
            "count": (3,),
            "price": (2.0,),
            "done": (False,),
            "tags": ("a", "b"),
            "note": (Document({"id": (7,), "inner": (Document({"x": (1,)}),)}),),
            "notes": (Document({"id": (1,), "tags": ("c", "d")}), Document({"id": (2,)})),
        }
    )

    assert brief_yaml(document) == (
        "title: Milk\n"
        "count: 3\n"
        "price: 2.0\n"
        "done: false\n"
        "tags:\n"
        "  - a\n"
        "  - b\n"
        "note:\n"
        "  id: 7\n"
        "  inner:\n"
        "    x: 1\n"
        "notes:\n"
        "  - id: 1\n"
        "    tags:\n"
        "      - c\n"
        "      - d\n"
        "  - id: 2"
    )


def test_empty_texts_and_lists_are_left_out() -> None:
    document = Document({"a": ("",), "b": (), "c": ("", "x"), "d": (0,)})

    assert brief_yaml(document) == "c: x\nd: 0"


def test_texts_are_quoted_only_where_they_hold_a_separator_or_a_hash() -> None:
    document = Document({"a: b": ("it's: so",), "c": ("#1",), "d": ("it's",), "e": ("x:y",)})

    assert brief_yaml(document) == "'a: b': 'it''s: so'\nc: '#1'\nd: it's\ne: x:y"


def test_a_result_of_nothing_is_nothing() -> None:
    assert brief_yaml(Document()) == ""


def test_an_object_of_nothing_leaves_its_name() -> None:
    empty = Document({"a": ("",)})

    assert brief_yaml(Document({"x": (empty,), "y": (empty, empty)})) == "x:\n\ny:\n  - \n  - "
