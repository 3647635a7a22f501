"""Models described as objects: names, fields, inheritance, choices, and what stands inline."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NotRequired, Optional, TypedDict, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field
from pydantic.alias_generators import to_camel

from appfunctions_mcp import (
    AppFunction,
    AppFunctionOneOf,
    AppFunctionResourceContainer,
    AppFunctionTypeDescription,
    Instant,
    Int32,
    SetField,
    app_function_serializable,
)
from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.describing.functions import described_document
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from tests.support.arguments import function_of

T = TypeVar("T")
STRING = ScalarType(kind=TypeNumber.STRING)
LONG = ScalarType(kind=TypeNumber.LONG)


def document_of(*annotations: Any) -> AndroidDocument:
    """Functions of one parameter each."""
    functions = []
    for number, annotation in enumerate(annotations):
        function = function_of(annotation)
        function.__name__ = f"take_{number}"
        functions.append(AppFunction.from_function(function))
    return described_document(functions)


def returning(annotation: Any) -> AndroidDocument:
    def read() -> None: ...

    read.__annotations__["return"] = annotation
    return described_document([AppFunction.from_function(read)])


def use_of(document: AndroidDocument) -> DataType:
    return document.functions[0].parameters[0].type


def fault_of(*annotations: Any) -> str:
    with pytest.raises(AppFunctionDeclarationError) as caught:
        document_of(*annotations)
    return str(caught.value)


def an_object(name: str, description: str = "", /, **properties: DataType) -> ObjectType:
    """An object whose properties are all required, as a component."""
    return ObjectType(
        name=name,
        description=description,
        nullable=True,
        properties=tuple(AndroidProperty(*each) for each in properties.items()),
        required=tuple(properties),
    )


@app_function_serializable(name="com.example.Note")
class Note(BaseModel):
    """A note of the user's.

    Attributes:
        title: What it is called.
    """

    title: str
    content: str | None
    """Its text."""
    tags: list[str] = Field(default_factory=list, description="Words on it.")
    size: Int32 = 0


def test_a_model_is_a_component_with_descriptions_and_what_has_no_default_is_required() -> None:
    document = document_of(Note, Note | None)
    assert [each.parameters[0].type for each in document.functions] == [
        ReferenceType(name="com.example.Note"),
        ReferenceType(name="com.example.Note", nullable=True),
    ]
    (component,) = document.components
    assert component.name == "com.example.Note"
    assert component.type == ObjectType(
        name="com.example.Note",
        description="A note of the user's.",
        nullable=True,
        properties=(
            AndroidProperty(
                "title", ScalarType(kind=TypeNumber.STRING, description="What it is called.")
            ),
            AndroidProperty(
                "content",
                ScalarType(kind=TypeNumber.STRING, nullable=True, description="Its text."),
            ),
            AndroidProperty("tags", ArrayType(items=STRING, description="Words on it.")),
            AndroidProperty("size", ScalarType(kind=TypeNumber.INT)),
        ),
        required=("title", "content"),
    )


def test_a_model_is_the_same_as_an_argument_and_as_a_result() -> None:
    def change(note: Note) -> list[Note]:
        return [note]

    document = described_document([AppFunction.from_function(change)])
    assert document.components == document_of(Note).components


def test_a_described_mark_goes_before_the_docstring() -> None:
    @app_function_serializable(name="a.B", description="Given.")
    class Given(BaseModel):
        """Written."""

        x: str

    @app_function_serializable(name="a.C", description="")
    class Silent(BaseModel):
        """Written."""

        x: str

    document = document_of(Given, Silent)
    assert [each.type.description for each in document.components] == ["Given.", ""]


@dataclass
class Place:
    """Where it is."""

    name: str
    aliases: list[str] = field(default_factory=list)


class Size(TypedDict):
    width: int
    height: NotRequired[int]


def test_dataclasses_and_typed_dicts_are_components_too() -> None:
    document = document_of(Place, Size)
    place, size = (each.type for each in document.components)
    assert place == ObjectType(
        name=f"{__name__}.Place",
        description="Where it is.",
        nullable=True,
        properties=(
            AndroidProperty("name", STRING),
            AndroidProperty("aliases", ArrayType(items=STRING)),
        ),
        required=("name",),
    )
    assert size == ObjectType(
        name=f"{__name__}.Size",
        nullable=True,
        properties=(AndroidProperty("width", LONG), AndroidProperty("height", LONG)),
        required=("width",),
    )
    assert returning(Place).components + returning(Size).components == document.components


class Outer(BaseModel):
    class Inner(BaseModel):
        x: int

    inner: Inner


def test_a_nested_class_is_named_as_the_jvm_does() -> None:
    names = [each.name for each in document_of(Outer).components]
    assert names == [f"{__name__}.Outer", f"{__name__}.Outer$Inner"]


def test_properties_have_the_names_that_callers_know() -> None:
    class Camel(BaseModel):
        model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

        note_id: str

    (component,) = document_of(Camel).components
    assert isinstance(component.type, ObjectType)
    assert [each.name for each in component.type.properties] == ["noteId"]
    assert component.type.required == ("noteId",)


def test_computed_fields_are_no_properties_as_android_has_constructor_parameters_only() -> None:
    class Square(BaseModel):
        side: int

        @computed_field  # type: ignore[prop-decorator] # as pydantic documents it
        @property
        def area(self) -> int:
            return self.side**2

    assert returning(Square).components == document_of(Square).components


class Tree(BaseModel):
    name: str
    children: "list[Tree]" = []
    parent: Annotated[Optional["Tree"], AppFunctionTypeDescription("What it hangs on.")] = None


def test_a_model_may_hold_itself() -> None:
    document = document_of(Tree)
    name = f"{__name__}.Tree"
    (component,) = document.components
    assert component.type == ObjectType(
        name=name,
        nullable=True,
        properties=(
            AndroidProperty("name", STRING),
            AndroidProperty("children", ArrayType(items=ReferenceType(name=name))),
            AndroidProperty(
                "parent",
                ReferenceType(name=name, nullable=True, description="What it hangs on."),
            ),
        ),
        required=("name",),
    )


class Box(BaseModel, Generic[T]):
    """Holds one thing."""

    item: T


class Boxed(Box[int]):
    label: str


def test_a_generic_model_bears_its_types_in_its_name() -> None:
    document = document_of(Box[str], Box[list[int] | None], Box[Box[Note]])
    name = f"{__name__}.Box"
    assert [each.parameters[0].type for each in document.functions] == [
        ReferenceType(name=f"{name}<kotlin.String>"),
        ReferenceType(name=f"{name}<kotlin.LongArray?>"),
        ReferenceType(name=f"{name}<{name}<com.example.Note>>"),
    ]
    assert document.component(f"{name}<kotlin.String>") == an_object(
        f"{name}<kotlin.String>", "Holds one thing.", item=STRING
    )


def test_a_model_may_inherit_from_a_generic_one() -> None:
    name = f"{__name__}.Boxed"
    assert document_of(Boxed).component(name) == AllOfType(
        name=name,
        nullable=True,
        members=(
            ReferenceType(name=f"{__name__}.Box<kotlin.Long>", nullable=True),
            an_object(name, label=STRING),
        ),
    )


@app_function_serializable(name="a.Base")
class Base(BaseModel):
    one: int
    again: "list[Derived]" = []


@app_function_serializable(name="a.Capability", inline=True)
class Capability(BaseModel):
    two: str


@app_function_serializable(name="a.Derived")
class Derived(Base, Capability):
    """Is derived."""

    three: bool


Base.model_rebuild()


class Childless(Base):
    pass


def test_a_model_that_inherits_is_all_of_its_parents_and_itself() -> None:
    @app_function_serializable(name="a.Whole")
    class Whole(Base, Capability):
        """Is derived."""

        three: str

    whole = document_of(Whole).component("a.Whole")
    assert whole == AllOfType(
        name="a.Whole",
        description="Is derived.",
        nullable=True,
        members=(
            ReferenceType(name="a.Base", nullable=True),
            an_object("a.Capability", "Is derived.", two=STRING),
            an_object("a.Whole", "Is derived.", three=STRING),
        ),
    )


def test_parents_may_hold_their_children() -> None:
    document = document_of(Base)
    assert [each.name for each in document.components] == ["a.Base", "a.Derived"]


def test_a_child_without_fields_of_its_own_is_all_of_its_parents() -> None:
    name = f"{__name__}.Childless"
    assert document_of(Childless).component(name) == AllOfType(
        name=name, nullable=True, members=(ReferenceType(name="a.Base", nullable=True),)
    )


def test_a_capability_with_a_description_of_its_own_keeps_it() -> None:
    @app_function_serializable(name="a.Silent", description="", inline=True)
    class Silent(BaseModel):
        x: str

    @app_function_serializable(name="a.Told", inline=True)
    class Told(BaseModel):
        """Is told of."""

        y: str

    @app_function_serializable(name="a.All", description="All of it.")
    class All(Silent, Told):
        pass

    found = document_of(All).component("a.All")
    assert isinstance(found, AllOfType)
    assert [each.description for each in found.members] == ["", "Is told of."]


def test_a_result_with_texts_beside_it_is_all_of_the_container_and_itself() -> None:
    @app_function_serializable(name="a.Report")
    class Report(AppFunctionResourceContainer):
        """A report."""

        title: str

    document = returning(Report)
    assert document.component("a.Report") == AllOfType(
        name="a.Report",
        description="A report.",
        nullable=True,
        members=(
            ObjectType(
                name="androidx.appfunctions.AppFunctionResourceContainer",
                description="A report.",
                nullable=True,
                properties=(
                    AndroidProperty(
                        "resources",
                        ArrayType(
                            items=ReferenceType(
                                name="androidx.appfunctions.AppFunctionTextResource"
                            )
                        ),
                    ),
                ),
            ),
            an_object("a.Report", "A report.", title=STRING),
        ),
    )


def test_a_child_that_names_inherited_fields_anew_is_described_flat() -> None:
    class Parent(BaseModel):
        note_id: str

    @app_function_serializable(name="a.Camel")
    class Camel(Parent):
        model_config = ConfigDict(alias_generator=to_camel)

        page_size: int

    document = document_of(Camel)
    assert [each.name for each in document.components] == ["a.Camel"]
    assert document.component("a.Camel") == an_object("a.Camel", noteId=STRING, pageSize=LONG)


def test_parents_without_fields_are_passed_over() -> None:
    class Settings(BaseModel):
        model_config = ConfigDict(extra="forbid")

    @app_function_serializable(name="a.Plain")
    class Plain(Settings):
        x: str

    assert document_of(Plain).component("a.Plain") == an_object("a.Plain", x=STRING)


@app_function_serializable(name="a.Circle")
class Circle(BaseModel):
    schema_type: Literal["a.Circle"] = Field("a.Circle", alias="schemaType")
    radius: float


@app_function_serializable(name="a.Group")
class Group(BaseModel):
    schema_type: Literal["a.Group"] = Field("a.Group", alias="schemaType")
    shapes: "list[Shape]"


Shape = Annotated[
    Circle | Group, Field(discriminator="schema_type"), AppFunctionOneOf("a.Shape", "A shape.")
]
Group.model_rebuild()


def test_a_named_union_is_one_of_its_models_and_the_tag_is_no_property() -> None:
    document = document_of(Shape, list[Shape | None])
    assert [each.parameters[0].type for each in document.functions] == [
        ReferenceType(name="a.Shape"),
        ArrayType(items=ReferenceType(name="a.Shape", nullable=True)),
    ]
    assert document.component("a.Shape") == OneOfType(
        name="a.Shape",
        description="A shape.",
        nullable=True,
        members=(
            ReferenceType(name="a.Circle", nullable=True),
            ReferenceType(name="a.Group", nullable=True),
        ),
    )
    assert document.component("a.Circle") == an_object(
        "a.Circle", radius=ScalarType(kind=TypeNumber.DOUBLE)
    )
    assert document.component("a.Group") == an_object(
        "a.Group", shapes=ArrayType(items=ReferenceType(name="a.Shape"))
    )
    assert returning(Shape).components == document.components


def test_a_named_union_may_be_of_one_model_or_stand_inline() -> None:
    one = Annotated[Note, AppFunctionOneOf("a.One")]
    inline = Annotated[Circle | Note | None, AppFunctionOneOf("a.Two", "Two.", inline=True)]
    document = document_of(one, inline)
    first, second = (each.parameters[0].type for each in document.functions)
    assert first == ReferenceType(name="a.One")
    assert document.component("a.One") == OneOfType(
        name="a.One",
        nullable=True,
        members=(ReferenceType(name="com.example.Note", nullable=True),),
    )
    assert second == OneOfType(
        name="a.Two",
        description="Two.",
        nullable=True,
        members=(
            ReferenceType(name="a.Circle", nullable=True),
            ReferenceType(name="com.example.Note", nullable=True),
        ),
    )
    assert document.component("a.Two") is None


def test_a_tag_of_another_meaning_stays_a_property() -> None:
    class Tagged(BaseModel):
        kind: Literal["note"]
        schema_type: Literal["other"] = Field(alias="schemaType")

    (component,) = document_of(Tagged).components
    assert isinstance(component.type, ObjectType)
    assert [each.name for each in component.type.properties] == ["kind", "schemaType"]


@app_function_serializable(name="a.Inline", inline=True)
class Inline(BaseModel):
    """Stands inline."""

    x: str
    when: Instant


def test_an_inline_model_is_described_where_it_is_used() -> None:
    class Holder(BaseModel):
        first: Inline = Field(description="The first.")
        second: Inline | None

    document = document_of(Holder, Inline)
    assert {each.name for each in document.components} == {
        "java.time.Instant",
        f"{__name__}.test_an_inline_model_is_described_where_it_is_used$Holder",
    }
    holder = document.components[-1].type
    assert isinstance(holder, ObjectType)
    assert [(each.type.description, each.type.nullable) for each in holder.properties] == [
        ("The first.", False),
        ("Stands inline.", True),
    ]
    assert document.functions[1].parameters[0].type == ObjectType(
        name="a.Inline",
        description="Stands inline.",
        properties=(
            AndroidProperty("x", STRING),
            AndroidProperty("when", ReferenceType(name="java.time.Instant")),
        ),
        required=("x", "when"),
    )


def test_a_root_model_is_what_it_holds() -> None:
    class Words(RootModel[list[str]]):
        pass

    assert use_of(document_of(Words)) == ArrayType(items=STRING)


def test_a_set_field_in_a_model_belongs_to_the_package_of_the_model() -> None:
    @app_function_serializable(name="com.example.Update")
    class Update(BaseModel):
        title: SetField[str] | None = None

    names = [each.name for each in document_of(Update).components]
    assert names == ["com.example.SetField<kotlin.String>", "com.example.Update"]


def test_a_set_field_in_a_generic_model_belongs_to_the_package_of_the_model() -> None:
    @app_function_serializable(name="com.example.Update")
    class Update(BaseModel, Generic[T]):
        item: T
        title: SetField[str] | None = None
        kind: SetField[Literal["a"]] | None = None

    names = [each.name for each in document_of(Update[Note]).components]
    assert names == [
        "com.example.Note",
        "com.example.SetField<kotlin.String>",
        "com.example.SetUpdateKind",
        "com.example.Update<com.example.Note>",
    ]


def test_two_models_of_one_name_are_refused_unless_they_are_alike() -> None:
    @app_function_serializable(name="com.example.Label")
    class Label(BaseModel):
        x: str

    @app_function_serializable(name="com.example.Label")
    class Same(BaseModel):
        x: str

    @app_function_serializable(name="com.example.Label")
    class Other(BaseModel):
        x: int

    assert len(document_of(Label, Same).components) == 1
    assert "x is com.example.Label, of which there are two that differ" in fault_of(Label, Other)


def test_a_model_that_differs_as_argument_and_as_result_is_refused() -> None:
    class Two(BaseModel):
        x: str = Field(validation_alias="in", serialization_alias="out")

    def change(two: Two) -> Two:
        return two

    with pytest.raises(AppFunctionDeclarationError, match="make two models"):
        described_document([AppFunction.from_function(change)])


class Loop(BaseModel):
    loops: "list[Loop]" = []


app_function_serializable(name="a.Loop", inline=True)(Loop)


class Ring(BaseModel):
    schema_type: Literal["a.Ring"] = Field("a.Ring", alias="schemaType")
    rings: "list[Rings]" = []


Rings = Annotated[Ring, AppFunctionOneOf("a.Rings", inline=True)]
Ring.model_rebuild()
app_function_serializable(name="a.Ring", inline=True)(Ring)


def test_what_stands_inline_cannot_hold_itself() -> None:
    assert "a.Loop.loops is Loop, which holds itself; leave out inline=True" in fault_of(Loop)
    assert "a.Rings, which holds itself; leave out inline=True" in fault_of(Rings)


class Nothing(BaseModel):
    pass


class Tag(BaseModel):
    schema_type: Literal["a.Tag"] = Field("a.Tag", alias="schemaType")


app_function_serializable(name="a.Tag")(Tag)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    x: str


class Deep(BaseModel):
    note: Note
    extra: list[dict[str, str]]


def test_objects_that_android_cannot_have_are_refused_with_their_place() -> None:
    assert "x has no fields; Android's objects have at least one" in fault_of(Nothing)
    assert "x is Tag, which has no fields" in fault_of(Tag)
    assert "x may hold keys of any name" in fault_of(Open)
    assert f"an item of {__name__}.Deep.extra is a dict" in fault_of(Deep)
