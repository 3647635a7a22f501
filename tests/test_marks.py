"""Marks: what Android says of a type and nobody publishes."""

from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from appfunctions_mcp import (
    AppFunction,
    AppFunctionDeclarationError,
    AppFunctionOneOf,
    AppFunctionParameterName,
    AppFunctionParcelable,
    AppFunctionPatternMatcher,
    AppFunctionService,
    AppFunctionStringValueConstraint,
    AppFunctionTypeDescription,
    AppFunctionUriValueConstraint,
    ExecuteAppFunctionRequest,
    Uri,
    app_function_serializable,
)
from appfunctions_mcp.marks import SerializableMark, serializable_mark
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.shapes import NullableShape, Shape
from appfunctions_mcp.values import PatternType
from tests.support.arguments import arguments_of, published, received, refusal


class Circle(BaseModel):
    schema_type: Literal["a.Circle"] = Field("a.Circle", alias="schemaType")
    radius: int


class Square(BaseModel):
    schema_type: Literal["a.Square"] = Field("a.Square", alias="schemaType")
    side: int
    inner: "list[Shapes]" = []


Shapes = Annotated[
    Circle | Square, Field(discriminator="schema_type"), AppFunctionOneOf("a.Shapes", "Shapes.")
]
Square.model_rebuild()


def shape_of(annotation: Any) -> Shape:
    core_schema: Any = TypeAdapter(annotation).core_schema
    return read_shape(core_schema, "arguments")


def marks_of(annotation: Any) -> dict[str, Any]:
    return dict(shape_of(annotation).marks)


def test_marks_stand_in_the_shape_and_are_not_published() -> None:
    assert marks_of(Annotated[str, AppFunctionParcelable("a.B")]) == {"parcelable": "a.B"}
    assert marks_of(Annotated[int, AppFunctionTypeDescription("It.")]) == {
        "type_description": "It."
    }
    assert published(Annotated[str, AppFunctionParcelable("a.B")]) == {"type": "string"}
    assert published(Annotated[int, AppFunctionTypeDescription("It.")]) == {"type": "integer"}


def test_a_named_union_is_checked_as_one_without_a_name() -> None:
    assert marks_of(Shapes)["one_of"] == ("a.Shapes", "Shapes.", False)
    square = received(Shapes, {"schemaType": "a.Square", "side": 2})
    assert square == Square(schemaType="a.Square", side=2)
    deep = {"schemaType": "a.Square", "side": 2, "inner": [{"schemaType": "a.Circle", "radius": 1}]}
    assert received(Shapes, deep).inner == [Circle(schemaType="a.Circle", radius=1)]
    assert "schemaType" in refusal(Shapes, {"schemaType": "a.Line"})


def test_a_named_union_among_others_keeps_its_name() -> None:
    class Line(BaseModel):
        length: int

    pair = Annotated[Circle | Line, AppFunctionOneOf("a.Pair", inline=True)]
    shape = shape_of(pair | Square)
    assert [each.marks.get("one_of") for each in shape.parts] == [("a.Pair", "", True), None]
    assert published(pair | Square | int) == published(Circle | Line | Square | int)


def test_marks_of_what_may_be_null_are_kept_when_unions_are_opened() -> None:
    described = Annotated[str | None, AppFunctionTypeDescription("It.")]
    shape = shape_of(described | int)
    assert isinstance(shape, NullableShape)
    assert [dict(each.marks) for each in shape.inner.parts] == [{"type_description": "It."}, {}]


def test_patterns_stand_in_the_shape_as_they_were_written() -> None:
    matchers = (AppFunctionPatternMatcher("a"), AppFunctionPatternMatcher("b", 77))
    constraint = AppFunctionStringValueConstraint(pattern_matchers=matchers)
    assert marks_of(Annotated[str, constraint]) == {"patterns": matchers}
    assert marks_of(Annotated[Uri, AppFunctionUriValueConstraint(("content",))]) == {
        "patterns": (AppFunctionPatternMatcher("content:", PatternType.PREFIX),)
    }


def test_a_pattern_of_an_unknown_type_matches_nothing_and_publishes_none() -> None:
    unknown = AppFunctionPatternMatcher("a", 77)
    assert not unknown.matches("a")
    assert unknown.regex is None
    constraint = AppFunctionStringValueConstraint(
        pattern_matchers=(unknown, AppFunctionPatternMatcher("b"))
    )
    constrained = Annotated[str, constraint]
    assert published(constrained) == {"type": "string"}
    assert received(constrained, "b") == "b"
    assert "matches none of the patterns" in refusal(constrained, "a")


def test_the_mark_of_a_class_is_its_own_and_not_its_childs() -> None:
    @app_function_serializable(name="a.Parent", description="A parent.", inline=True)
    class Parent(BaseModel):
        """Written."""

        x: int

    class Child(Parent):
        pass

    assert serializable_mark(Parent) == SerializableMark("a.Parent", "A parent.", inline=True)
    own = "test_the_mark_of_a_class_is_its_own_and_not_its_childs$Child"
    assert serializable_mark(Child) == SerializableMark(f"{__name__}.{own}")


def test_the_description_of_a_mark_is_published() -> None:
    @app_function_serializable(name="a.B", description="Given.")
    class Given(BaseModel):
        """Written."""

        x: int

    @app_function_serializable(name="a.C", description="")
    class Silent(TypedDict):
        """Written."""

        x: int

    assert published(Given)["description"] == "Given."
    assert "description" not in published(Silent)


@pytest.mark.anyio
async def test_a_parameter_is_passed_under_the_name_that_python_cannot_have() -> None:
    def send(
        from_: Annotated[str, AppFunctionParameterName("from")],
        to: str,
        class_: Annotated[int | None, AppFunctionParameterName("class")] = None,
    ) -> str:
        """Sends a letter.

        Args:
            from_: Who sends it.
        """
        return f"{from_} → {to} ({class_})"

    service = AppFunctionService.from_functions([send], name="post", description="Sends.")
    (metadata,) = service.manager.search()
    assert [(each.name, each.description) for each in metadata.parameters] == [
        ("from", "Who sends it."),
        ("to", ""),
        ("class", ""),
    ]
    assert list(metadata.input_schema["properties"]) == ["from", "to", "class"]
    assert metadata.input_schema["required"] == ["from", "to"]

    async def sent(**arguments: Any) -> str | None:
        request = ExecuteAppFunctionRequest("send", arguments)
        return (await service.manager.execute(request)).text

    assert await sent(**{"from": "Ann", "to": "Bob"}) == "Ann → Bob (None)"
    # The second form goes through the patient check.
    assert await sent(**{"from": "Ann", "to": "Bob", "class": "1"}) == "Ann → Bob (1)"
    assert "from_: there is no such argument; did you mean from?" in refusal_of(
        send, {"from_": "Ann", "to": "Bob"}
    )


def refusal_of(function: Any, arguments: dict[str, Any]) -> str:
    from appfunctions_mcp import AppFunctionInvalidArgumentException

    with pytest.raises(AppFunctionInvalidArgumentException) as caught:
        AppFunction.from_function(function).validate(arguments)
    return caught.value.message


def test_two_parameters_of_one_name_are_refused() -> None:
    def send(to: str, to_: Annotated[str, AppFunctionParameterName("to")]) -> None: ...

    with pytest.raises(AppFunctionDeclarationError, match="two parameters have the name 'to'"):
        arguments_of(send)


def test_a_name_of_its_own_hides_no_confirmation() -> None:
    from appfunctions_mcp import app_function

    @app_function(requires_confirmation=True)
    def send(token: Annotated[str, AppFunctionParameterName("confirmation")]) -> None: ...

    with pytest.raises(AppFunctionDeclarationError, match="'confirmation' would hide the token"):
        AppFunction.from_function(send)


def test_a_result_is_described_by_its_annotation_before_the_docstring() -> None:
    def read() -> Annotated[list[int], Field(description="All numbers.")]:
        """Reads.

        Returns:
            Something.
        """
        return []

    metadata = AppFunction.from_function(read).metadata
    assert metadata.response.description == "All numbers."
    assert metadata.response.schema is not None
    assert metadata.response.schema["properties"]["result"]["description"] == "All numbers."


def test_a_function_knows_whether_somebody_described_it() -> None:
    def read_all() -> None: ...

    def write() -> None:
        """Writes."""

    assert AppFunction.from_function(read_all).metadata.is_described is False
    assert AppFunction.from_function(read_all).metadata.description == "Read all"
    assert AppFunction.from_function(write).metadata.is_described
