"""Python source from syntax nodes: lines, quotes and escapes."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.python.layout import WIDTH, source_text
from appfunctions_mcp.android.python.nodes import (
    Statement,
    annotated,
    assignment,
    call,
    class_of,
    constant,
    declared,
    docstring,
    empty_list,
    function_of,
    import_from,
    name,
    raising,
    subscript,
    tuple_of,
    union,
)


def written(*statements: Statement) -> str:
    return source_text(ast.Module(list(statements), []))


@given(st.text())
def test_a_text_is_the_constant_that_it_was(text: str) -> None:
    source = written(docstring(text), assignment("x", call("f", constant(text), y=constant(text))))
    tree = ast.parse(source)
    constants = [each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)]
    assert constants == [text, text, text]
    assert all(character.isprintable() or character == "\n" for character in source)


@given(st.lists(st.sampled_from(['"', "'", "\\", "a", "\n", " "]), max_size=8).map("".join))
def test_quotes_and_backslashes_never_end_a_text(text: str) -> None:
    tree = ast.parse(written(docstring(text), assignment("x", constant(text))))
    assert [each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)] == [text] * 2


def test_a_text_that_is_too_long_stands_on_several_lines() -> None:
    text = "First line.\n" + "word " * 20
    assert written(assignment("x", call("f", a=constant(text), b=constant(1)))) == (
        'x = f(\n    a=(\n        "First line.\\n"\n        "'
        + "word " * 14
        + 'word"\n        " '
        + "word " * 5
        + '"\n    ),\n    b=1,\n)\n'
    ).replace('word"\n        " ', 'word "\n        "')
    alone = written(assignment("x", call("f", constant(text))))
    assert alone.startswith('x = f(\n    "First line.\\n"\n    "word ')
    unbroken = written(assignment("x", constant("a" * 100)))
    assert unbroken == 'x = "' + "a" * 100 + '"\n'


def test_numbers_bytes_and_nothing_are_written_as_they_are() -> None:
    items = [constant(each) for each in (0, -1, 0.5, True, None, b"")]
    assert written(assignment("x", tuple_of(items))) == 'x = (0, -1, 0.5, True, None, b"")\n'
    assert written(assignment("x", tuple_of([constant(1)]))) == "x = (1,)\n"
    assert written(assignment("x", tuple_of([]))) == "x = ()\n"


def test_a_text_is_quoted_so_that_it_needs_few_escapes() -> None:
    found = written(
        assignment("x", tuple_of(map(constant, ['a"', "a'", "a'\"", "\u202e\U000e0041"])))
    )
    assert found == """x = ('a"', "a'", "a'\\"", "\\u202e\\U000e0041")\n"""


def test_long_imports_classes_and_signatures_are_broken() -> None:
    long = [f"a_long_name_number_{at}" for at in range(4)]
    parameters = [(each, subscript("list", name("int")), None) for each in long]
    source = written(
        docstring("A module."),
        import_from("typing", long),
        import_from("models", ["B", "CONSTANT", "a"], level=1),
        class_of("Child", [each.title() for each in long], []),
        function_of(
            "f", parameters, name("int"), [raising(call("E"))], [call("d", id=constant(1))]
        ),
        function_of("g", [], None, [raising(call("E"))]),
    )
    head = "(\n    a_long_name_number_0,\n    a_long_name_number_1,\n    a_long_name_number_2,\n"
    assert source == (
        f'"""A module."""\n\nfrom typing import {head}    a_long_name_number_3,\n)\n\n'
        "from .models import CONSTANT, B, a\n\n\n"
        f"class Child{head.title()}    A_Long_Name_Number_3,\n):\n    pass\n\n\n"
        "@d(id=1)\nasync def f(\n"
        + "".join(f"    {each}: list[int],\n" for each in long)
        + ") -> int:\n    raise E()\n\n\nasync def g():\n    raise E()\n"
    )


def test_a_parameter_that_is_a_new_list_says_so() -> None:
    made = function_of("f", [("x", name("list"), empty_list())], None, [raising(call("E"))])
    comment = "# noqa: B006 - a new list for each call"
    assert written(made).startswith(f"async def f(\n    x: list = [],  {comment}\n):")


def test_long_types_are_broken_at_their_brackets() -> None:
    mark = call("AMarkOfMany", *(constant("word" * 4) for _ in range(4)))
    kind = subscript("list", annotated(name("str"), [mark]))
    union_of_many = union(*(name(f"Model{'x' * 20}{at}") for at in range(4)))
    source = written(
        declared("field", kind, constant(None)),
        declared("plain", union(kind, constant(None)), None),
        assignment("Choice", annotated(union_of_many, [call("Field")])),
        function_of(
            "f", [("x", union(kind, constant(None)), constant(None))], kind, [raising(mark)]
        ),
    )
    words = ",\n            ".join(['"wordwordwordword"'] * 4)
    assert source.startswith(
        f"field: list[\n    Annotated[\n        str,\n        AMarkOfMany(\n"
        f"            {words},\n        ),\n    ]\n] = None\n\nplain: list[\n"
    )
    assert f"Choice = Annotated[\n    Model{'x' * 20}0\n    | Model{'x' * 20}1\n" in source
    assert "    ]\n    | None = None,\n) -> list[\n" in source
    assert all(len(line) <= WIDTH for line in source.split("\n"))


def test_a_comment_stands_behind_the_first_line() -> None:
    field = declared("x", name("int"), call("Field", default=constant("a" * 90)))
    made = class_of("Model", [], [docstring("A model."), field])
    source = source_text(ast.Module([made], []), {field: "type: ignore[assignment]"})
    assert source.startswith(
        'class Model():\n    """A model."""\n\n    x: int = Field(  # type: ignore[assignment]\n'
    )


def test_source_that_means_something_else_is_refused() -> None:
    """A last line of defence: what is written is read again before anybody else does."""
    with pytest.raises(ValueError, match="not the source that was meant"):
        written(assignment("x", ast.Name("a, b", ast.Load())))
