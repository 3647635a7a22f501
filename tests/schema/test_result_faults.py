"""Results that do not fit their type: the function is at fault, and the text says where."""

import datetime as dt
import uuid
from decimal import Decimal
from typing import (
    Annotated,
    Any,
)

import pytest
from pydantic import (
    AfterValidator,
    Field,
)

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
)
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.media import (
    Image,
)
from appfunctions_mcp.values import Instant, LocalDateTime, Uri
from tests.support.result_types import (
    NAIVE,
    NAN,
    NOON,
    Author,
    Cat,
    Change,
    Color,
    Dog,
    Failing,
    Holder,
    Note,
    Numbers,
    Page,
    Pair,
    Positive,
    Row,
    Task,
    Tree,
    response_of,
)


@pytest.mark.parametrize(
    ("annotation", "value", "says"),
    [
        (int, "x", "$ is str, but should be a valid integer"),
        (int, "5", "$ is str"),
        (int, True, "$ is bool"),
        (int, 5.0, "$ is float"),
        (int, None, "$ is None"),
        (float, True, "$ is bool"),
        (float, NAN, "$ is nan, but should be a finite number, or the type should allow None"),
        (bool, 1, "$ is int"),
        (str, 5, "$ is int, but should be a valid string"),
        (str, None, "$ is None"),
        (str, b"x", "$ is bytes"),
        (Annotated[str, Field(max_length=2)], "abc", "$ is str: string should have at most 2"),
        (bytes, "x", "$ is str"),
        (None, 5, "$ is int, but should be None"),
        (Uri, "nope", "$ is str: the text is no absolute URI"),
        (dt.datetime, 5, "$ is int, but should be a valid datetime"),
        (dt.date, NAIVE, "$ is datetime.datetime, but should be a valid date"),
        (Instant, NAIVE, "should have timezone info"),
        (LocalDateTime, NOON, "should not have timezone info"),
        (uuid.UUID, "x", "$ is str, but should be a valid UUID"),
        (Decimal, True, "$ is bool"),
        (Color, "green", "$ is str, but should be 'red' or 'blue'"),
        (list[int], "12", "$ is str, but should be a valid list"),
        (list[int], [1, "x"], "$[1] is str"),
        (tuple[int, str], (1,), "$[1] is missing"),
        (list[float], [0.5, float("inf")], "$[1] is inf"),
        (dict[str, int], {1: 2}, "$[1] is int"),
        (dict[str, int], {"a key": "x"}, "$['a key'] is str"),
        (Note, None, "$ is None, but should be Note"),
        (Note, Author(name="a"), "but should be Note"),
        (Note, {"id": 1}, "$.title is missing; $.created is missing"),
        (Note, Note.model_construct(id="1", title="t", created=NOON), "$.id is str"),
        (Note, Note.model_construct(id=1, title="", created=NOON), "$.title is str: string"),
        (Note, Note.model_construct(id=1, title="t"), "$.created is missing"),
        (list[Author], [{"name": None}], "$[0].name is None"),
        (Task, Task(5), "$.title is int"),  # type: ignore[arg-type] # what is tested
        (Task, Task("t", True), "$.size is bool"),
        (Task, Task("t", score=NAN), "$.score is nan"),
        (Task, {"titel": "t"}, "$.title is missing"),
        (Tree, Tree("a", [Tree("b", [Tree(1)])]), "$.children[0].children[0].name is int"),  # type: ignore[arg-type] # what is tested
        (Row, {"id": None}, "$.id is None"),
        (Row, {}, "$.id is missing"),
        (Numbers, Numbers.model_construct(root=["x"]), "$[0] is str"),  # type: ignore[list-item] # what is tested
        (Pair, Pair("x"), "$.number is str"),  # type: ignore[arg-type] # what is tested
        (Change, Change(SetField(5)), "$.title.value is int"),  # type: ignore[arg-type] # what is tested
        (Page[Author], Page(items=["a"]), "$.items[0] is str, but should be Author"),
        (Page[Author], Author(name="a"), "but should be Page[Author]"),
        (Positive, Positive.model_construct(x=-1), "$ is "),
        (Positive, {"x": -1}, "x is negative"),
        (Failing, Failing(x=1), "it cannot be read to its end"),
        (Cat | Dog, Dog.model_construct(kind="dog", name=5), "$.name is int"),
        (int | str, 1.5, "$ is float, but should be a valid integer or a valid string"),
        (Any, object(), "$ is a value of type object, which has no JSON form"),
        (dict, {"rows": [{"x": object()}]}, "$.rows[0].x is a value of type object"),
        (dict, {(1, 2): 3}, "$ is a dictionary with a key of type tuple"),
        (Holder, Holder(anything=[object()]), "$.anything[0] is a value of type object"),
        (Any, Image(b"x"), "$ is appfunctions_mcp.media.Image, which is only sent when"),
        (Image, b"x", "$ is bytes, but should be Image"),
        (Image, None, "$ is None, but should be Image"),
        (list[Image], [Image(b"x"), "x"], "$[1] is str, but should be Image"),
        (list[Image], Image(b"x"), "but should be list"),
    ],
)
def test_a_value_that_does_not_fit_is_the_functions_fault(
    annotation: Any, value: object, says: str
) -> None:
    """F97, F98 and F100: place and type are named, and that it is not the caller's doing."""
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        response_of(annotation).serialize(value)

    assert says in str(caught.value)
    assert str(caught.value).startswith("the function is at fault")


def test_a_fault_shows_no_values() -> None:
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        response_of(dict[str, int]).serialize({"pin": "hunter2"})

    assert "$.pin is str" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_many_faults_are_cut() -> None:
    with pytest.raises(AppFunctionAppUnknownException, match=r"\$\[4\] is str.*; and 5 more$"):
        response_of(list[int]).serialize(["x"] * 10)


def test_a_crash_in_a_types_own_check_is_the_functions_fault() -> None:
    def check(_number: int) -> int:
        raise KeyError("hunter2")

    with pytest.raises(AppFunctionAppUnknownException, match="failed with KeyError") as caught:
        response_of(Annotated[int, AfterValidator(check)]).serialize(1)

    assert "hunter2" not in str(caught.value)
