"""Functions described as a functions XML does: parameters, results, and what is said of them."""

import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, create_model

from appfunctions_mcp import (
    AppFunction,
    AppFunctionAccessLevel,
    AppFunctionIntValueConstraint,
    AppFunctionMetadata,
    AppFunctionOneOf,
    AppFunctionParameterMetadata,
    AppFunctionParameterName,
    AppFunctionParcelable,
    AppFunctionPatternMatcher,
    AppFunctionResponseMetadata,
    AppFunctionSchema,
    AppFunctionScope,
    AppFunctionService,
    AppFunctionStringValueConstraint,
    AppFunctionTextResource,
    AppFunctionTypeDescription,
    AppFunctionUriGrant,
    AppFunctionUriValueConstraint,
    AppMetadata,
    Audio,
    BlobResource,
    Float32,
    Image,
    Instant,
    Int32,
    LocalDate,
    LocalDateTime,
    LocalTime,
    PendingIntent,
    ResourceLink,
    SetField,
    TextResource,
    Uri,
    ZoneId,
    app_function,
    load_service,
)
from appfunctions_mcp.android.data_types import (
    AndroidDocument,
    AndroidFunction,
    AndroidProperty,
    AndroidResponse,
    ArrayType,
    DataType,
    ObjectType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.describing.classes import ModelReader
from appfunctions_mcp.android.describing.functions import (
    described_document,
    described_functions,
    described_modules,
)
from appfunctions_mcp.android.describing.types import Components, TypeDescriber
from appfunctions_mcp.android.standard_types import DATE_TYPES
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.schema.shapes import FormShape
from appfunctions_mcp.schema.text_forms import TEXT_FORMS
from appfunctions_mcp.values import PatternType
from tests.support.arguments import function_of
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT

STRING = ScalarType(kind=TypeNumber.STRING)
LONG = ScalarType(kind=TypeNumber.LONG)
INT = ScalarType(kind=TypeNumber.INT)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Priority(IntEnum):
    LOW = 1
    HIGH = 2


class Access(IntFlag):
    READ = 1
    WRITE = 2


class Half(Enum):
    ONE = 0.5


def document_of(*functions: Any, **options: Any) -> AndroidDocument:
    return described_document(map(AppFunction.from_function, functions), **options)


def described(function: Any) -> AndroidFunction:
    (found,) = document_of(function).functions
    return found


def response_of(function: Any) -> AndroidResponse:
    response = described(function).response
    assert response is not None
    return response


def type_of(annotation: Any) -> DataType:
    """The type of a parameter; its components are not looked at."""
    (parameter,) = described(function_of(annotation)).parameters
    return parameter.type


def result_of(annotation: Any) -> DataType:
    def read() -> None: ...

    read.__annotations__["return"] = annotation
    return response_of(read).type


def fault_of(*functions: Any) -> tuple[str, ...]:
    with pytest.raises(AppFunctionDeclarationError) as caught:
        document_of(*functions)
    return caught.value.faults


def text(format: str) -> ScalarType:  # noqa: A002 - the field's name
    return ScalarType(kind=TypeNumber.STRING, format=format)


def scalar(kind: TypeNumber) -> ScalarType:
    return ScalarType(kind=kind)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int, LONG),
        (Int32, INT),
        (Annotated[int, Field(ge=0, le=5)], LONG),
        (float, scalar(TypeNumber.DOUBLE)),
        (Float32, scalar(TypeNumber.FLOAT)),
        (bool, scalar(TypeNumber.BOOLEAN)),
        (str, STRING),
        (bytes, scalar(TypeNumber.BYTES)),
        (Decimal, text("decimal")),
        (UUID, text("uuid")),
        (Path, text("path")),
        (timedelta, text("duration")),
        (datetime, text("date-time")),
        (time, text("time")),
        (IPv4Address, text("ipv4")),
        (Access, LONG),
        (list[int], ArrayType(items=LONG)),
        (set[str], ArrayType(items=STRING)),
        (tuple[str, ...], ArrayType(items=STRING)),
        (list[list[int]], ArrayType(items=ArrayType(items=LONG))),
        (PendingIntent, ParcelableType()),
        (
            Annotated[str, AppFunctionParcelable("android.graphics.Bitmap")],
            ParcelableType(name="android.graphics.Bitmap"),
        ),
        (Uri, uri_type()),
        (
            Annotated[Uri, AppFunctionUriValueConstraint(("content", "https"))],
            uri_type(patterns=(StringPattern("content:", 1), StringPattern("https:", 1))),
        ),
    ],
    ids=str,
)
def test_a_type_is_described_alike_as_a_parameter_and_as_a_result(
    annotation: Any, expected: DataType
) -> None:
    assert type_of(annotation) == expected
    assert result_of(annotation) == expected


@pytest.mark.parametrize("form", sorted(TEXT_FORMS.keys() - {"pending-intent"}))
def test_every_form_of_text_has_a_type(form: str) -> None:
    describer = TypeDescriber(Components(), "result", ModelReader)
    assert not describer.describe(FormShape(form=form), "x").nullable


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (LocalDate, "java.time.LocalDate"),
        (date, "java.time.LocalDate"),
        (LocalTime, "java.time.LocalTime"),
        (LocalDateTime, "java.time.LocalDateTime"),
        (Instant, "java.time.Instant"),
        (ZoneId, "java.time.ZoneId"),
    ],
    ids=str,
)
def test_dates_refer_to_the_component_that_android_has_for_them(annotation: Any, name: str) -> None:
    document = document_of(function_of(annotation), function_of(annotation | None))
    first, second = (each.parameters[0].type for each in document.functions)
    assert first == ReferenceType(name=name)
    assert second == ReferenceType(name=name, nullable=True)
    assert [(each.name, each.type) for each in document.components] == [(name, DATE_TYPES[name])]


@pytest.mark.parametrize(
    ("annotation", "kind", "values"),
    [
        (Colour, TypeNumber.STRING, ("red", "blue")),
        (Literal["a", "b"], TypeNumber.STRING, ("a", "b")),
        (Priority, TypeNumber.INT, ("1", "2")),
        (Literal[-1, 7], TypeNumber.INT, ("-1", "7")),
        (Annotated[int, AppFunctionIntValueConstraint((3, 4))], TypeNumber.INT, ("3", "4")),
        (Annotated[Int32, AppFunctionIntValueConstraint((3,))], TypeNumber.INT, ("3",)),
    ],
    ids=str,
)
def test_a_list_of_values_is_kept(
    annotation: Any, kind: TypeNumber, values: tuple[str, ...]
) -> None:
    assert type_of(annotation) == ScalarType(kind=kind, enum_values=values)


def test_values_patterns_and_format_of_a_text_are_kept_on_lists_too() -> None:
    constraint = AppFunctionStringValueConstraint(
        ("ab", "ac"),
        (
            AppFunctionPatternMatcher("a", PatternType.PREFIX),
            AppFunctionPatternMatcher("z", 42),
        ),
        "code",
    )
    expected = ScalarType(
        kind=TypeNumber.STRING,
        enum_values=("ab", "ac"),
        patterns=(StringPattern("a", 1), StringPattern("z", 42)),
        format="code",
    )
    assert type_of(Annotated[str, constraint]) == expected
    assert type_of(Annotated[list[str], constraint]) == ArrayType(items=expected)


def test_null_belongs_to_the_place_where_a_type_is_used() -> None:
    nullable = ScalarType(kind=TypeNumber.STRING, nullable=True)
    assert type_of(str | None) == nullable
    assert type_of(list[str | None] | None) == ArrayType(items=nullable, nullable=True)
    assert type_of(Annotated[str | None, AppFunctionParcelable("a.B")]) == ParcelableType(
        name="a.B", nullable=True
    )
    assert result_of(list[PendingIntent] | None) == ArrayType(items=ParcelableType(), nullable=True)


def test_required_comes_from_the_default_and_null_from_the_type() -> None:
    def read(needed: str | None, left_out: str | None = None, count: int = 0) -> None: ...

    found = described(read).parameters
    assert [(each.name, each.required, each.type.nullable) for each in found] == [
        ("needed", True, True),
        ("left_out", False, True),
        ("count", False, False),
    ]


def test_descriptions_of_function_parameter_and_result_are_kept() -> None:
    def read(title: str, count: Annotated[int, Field(description="How many.")]) -> str:
        """Reads a note.

        It changes nothing.

        Args:
            title: Which one.

        Returns:
            Its text.
        """
        return title * count

    found = described(read)
    assert found.description == "Reads a note.\n\nIt changes nothing."
    assert [(each.description, each.type.description) for each in found.parameters] == [
        ("Which one.", ""),
        ("How many.", ""),
    ]
    assert found.response is not None
    assert (found.response.description, found.response.type) == ("Its text.", STRING)


def test_a_name_in_words_is_no_description() -> None:
    def read_it() -> None: ...

    assert described(read_it).description == ""


def test_a_result_is_described_beside_its_type_where_no_docstring_would_do() -> None:
    def read() -> Annotated[str | None, Field(description="@return it")]:
        """Reads.

        Returns:
            Something else.
        """

    def write() -> Annotated[int, "How many."]:
        return 1

    assert response_of(read).description == "@return it"
    assert response_of(write).description == "How many."


def test_a_type_is_described_apart_from_the_parameter() -> None:
    def read(
        title: Annotated[str | None, AppFunctionTypeDescription("A title."), "Which one."],
        tags: list[Annotated[str, Field(description="A tag.")]],
    ) -> Annotated[None, AppFunctionTypeDescription("Nothing.")]: ...

    title, tags = described(read).parameters
    assert title.description == "Which one."
    assert title.type == ScalarType(kind=TypeNumber.STRING, nullable=True, description="A title.")
    assert tags.type == ArrayType(items=ScalarType(kind=TypeNumber.STRING, description="A tag."))
    assert response_of(read).type == ScalarType(kind=TypeNumber.UNIT, description="Nothing.")


def test_a_parameter_may_have_a_name_that_python_cannot_have() -> None:
    def send(from_: Annotated[str, AppFunctionParameterName("from")]) -> None:
        """Sends.

        Args:
            from_: Who sends.
        """

    (parameter,) = described(send).parameters
    assert (parameter.name, parameter.description) == ("from", "Who sends.")


def test_what_is_said_of_a_function_is_told_and_what_is_not_is_not() -> None:
    @app_function
    def plain() -> None: ...

    @app_function(
        id="com.example.Notes#all",
        enabled=False,
        scope=AppFunctionScope.GLOBAL,
        access_level=AppFunctionAccessLevel.ANDROID_TRUSTED,
        access_level_compat=True,
        schema=AppFunctionSchema("notes", "readAll", 2),
        deprecated="Use read.",
    )
    def everything() -> None: ...

    nothing, all_of_it = document_of(plain, everything).functions
    assert nothing == AndroidFunction(
        id=f"{__name__}#plain", enabled_by_default=True, response=nothing.response
    )
    assert all_of_it == AndroidFunction(
        id="com.example.Notes#all",
        enabled_by_default=False,
        scope=AppFunctionScope.GLOBAL,
        response=nothing.response,
        schema=AppFunctionSchema("notes", "readAll", 2),
        deprecation="Use read.",
        access_level=AppFunctionAccessLevel.ANDROID_TRUSTED,
        compat_enforcement=True,
    )
    assert nothing.response is not None
    assert nothing.response.type == scalar(TypeNumber.UNIT)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, True),
        ({"enabled": None}, None),
        ({"enabled": True}, True),
        ({"enabled": False}, False),
        ({"scope": AppFunctionScope.ACTIVITY}, None),
        ({"scope": AppFunctionScope.ACTIVITY, "enabled": True}, True),
        ({"scope": AppFunctionScope.ACTIVITY, "enabled": False}, False),
    ],
    ids=str,
)
def test_a_document_says_whether_a_function_is_on_unless_it_is_registered_at_run_time(
    options: dict[str, Any], expected: bool | None
) -> None:
    @app_function(**options)
    def read() -> None: ...

    assert described(read).enabled_by_default is expected


def test_an_empty_deprecation_is_one() -> None:
    @app_function(deprecated="")
    def read() -> None: ...

    assert described(read).deprecation == ""


def test_set_field_is_a_generic_component_of_the_module() -> None:
    def update(
        title: SetField[str] | None = None,
        content: SetField[str | None] | None = None,
        tags: SetField[list[str]] | None = None,
        sizes: SetField[list[int]] | None = None,
        addresses: SetField[list[Uri]] | None = None,
    ) -> None: ...

    document = document_of(update)
    assert [each.type for each in document.functions[0].parameters] == [
        ReferenceType(name=f"{__name__}.SetField<{of}>", nullable=True)
        for of in (
            "kotlin.String",
            "kotlin.String?",
            "kotlin.collections.List<kotlin.String>",
            "kotlin.LongArray",
            "kotlin.collections.List<android.net.Uri>",
        )
    ]
    name = f"{__name__}.SetField<kotlin.String?>"
    assert document.component(name) == ObjectType(
        name=name,
        nullable=True,
        properties=(AndroidProperty("value", ScalarType(kind=TypeNumber.STRING, nullable=True)),),
        required=("value",),
    )


def test_set_field_of_what_is_more_than_its_type_is_a_class_of_its_own() -> None:
    constraint = AppFunctionStringValueConstraint(format="code")

    def update_note(
        priority: SetField[Priority | None] | None = None,
        codes: SetField[list[Annotated[str, constraint]]] | None = None,
        link: SetField[Annotated[Uri, AppFunctionUriValueConstraint(("content",))]] | None = None,
        told: SetField[list[Annotated[str, AppFunctionTypeDescription("It.")]]] | None = None,
        plain: SetField[Annotated[str, AppFunctionTypeDescription("It.")]] | None = None,
    ) -> None: ...

    document = document_of(update_note)
    assert [each.type for each in document.functions[0].parameters] == [
        ReferenceType(name=f"{__name__}.{of}", nullable=True)
        for of in (
            "SetUpdateNotePriority",
            "SetUpdateNoteCodes",
            "SetUpdateNoteLink",
            "SetUpdateNoteTold",
            "SetField<kotlin.String>",
        )
    ]
    component = document.component(f"{__name__}.SetUpdateNotePriority")
    assert isinstance(component, ObjectType)
    assert component.properties[0].type == ScalarType(
        kind=TypeNumber.INT, nullable=True, enum_values=("1", "2")
    )


def test_texts_and_grants_have_the_names_that_android_gives_them() -> None:
    def read() -> AppFunctionTextResource | None: ...

    def show() -> TextResource:
        raise NotImplementedError

    def grant() -> list[AppFunctionUriGrant]:
        return []

    document = document_of(read, show, grant)
    text_name, grant_name = (
        f"androidx.appfunctions.AppFunction{each}" for each in ("TextResource", "UriGrant")
    )
    assert [each.response and each.response.type for each in document.functions] == [
        ReferenceType(name=text_name, nullable=True),
        ReferenceType(name=text_name),
        ArrayType(items=ReferenceType(name=grant_name)),
    ]
    assert document.component(text_name) == ObjectType(
        name=text_name,
        nullable=True,
        properties=(AndroidProperty("mimeType", STRING), AndroidProperty("content", STRING)),
        required=("mimeType", "content"),
    )
    assert document.component(grant_name) == ObjectType(
        name=grant_name,
        nullable=True,
        properties=(AndroidProperty("uri", uri_type()), AndroidProperty("modeFlags", INT)),
        required=("uri", "modeFlags"),
    )


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (dict[str, int], "is a dict"),
        (Any, "is Any"),
        (int | str, "is a union"),
        (tuple[int, str], "is a tuple of fixed places"),
        (list[bytes], "is a list of bytes"),
        (Half, "is one of 0.5"),
        (Literal[True], "is one of True"),
        (Literal["a", 1], "is one of 'a', 1"),
        (Literal[2147483648], "has the value 2147483648"),
        (None, "is always null"),
        (list[dict[str, int]], "an item of x is a dict"),
        (SetField[dict[str, int]], "the value of x is a dict"),
        (Annotated[int | str, AppFunctionOneOf("a.B")], "a branch of x is no model"),
    ],
    ids=str,
)
def test_what_android_has_no_type_for_is_refused_by_name(annotation: Any, words: str) -> None:
    (fault,) = fault_of(function_of(annotation))
    assert words in fault
    assert "arguments.py:" in fault
    assert ": take: " in fault


@pytest.mark.parametrize("returned", [Image, Audio, BlobResource, ResourceLink])
def test_media_have_no_type_on_android(returned: type) -> None:
    def read() -> None: ...

    read.__annotations__["return"] = returned
    (fault,) = fault_of(read)
    assert f"read: the result is {returned.__name__}" in fault


def test_all_faults_of_all_functions_come_at_once() -> None:
    def read(a: dict[str, int], b: str, c: Any) -> None: ...

    def write() -> tuple[int, str]:
        return 1, ""

    def fine() -> None: ...

    faults = fault_of(read, fine, write)
    assert [fault.partition(" is ")[0].rpartition(": ")[2] for fault in faults] == [
        "a",
        "c",
        "the result",
    ]
    collected: list[str] = []
    document = document_of(read, fine, write, faults=collected)
    assert tuple(collected) == faults
    assert [each.id for each in document.functions] == [f"{__name__}#fine"]


class Faulty(BaseModel):
    """Has a field that Android has no type for, after one that it has."""

    holder: "Holder | None" = None
    numbers: dict[str, int] = {}


class Holder(BaseModel):
    """Holds one of them."""

    faulty: Faulty


def test_a_model_without_a_type_is_a_fault_of_every_function_that_uses_it() -> None:
    def first(x: Faulty) -> None: ...

    def second(x: Holder) -> None: ...

    def third(x: Holder) -> Faulty:
        raise NotImplementedError(x)

    def fine(x: int) -> None: ...

    collected: list[str] = []
    document = document_of(first, second, third, fine, faults=collected)
    names = [fault.split(": ")[1] for fault in collected]
    assert names == ["first", "second", "third"]
    assert [each.id for each in document.functions] == [f"{__name__}#fine"]
    assert document.components == ()


def test_models_that_hold_others_too_deep_to_be_followed_are_a_fault() -> None:
    model: Any = Holder
    for level in range(400):
        model = create_model(f"Level{level}", a=(model, ...), b=(model | None, None))
    deep = model

    def read(x: int) -> None: ...

    read.__annotations__["x"] = deep
    (fault,) = fault_of(read)
    assert fault.endswith("x holds models in each other, more than can be followed; leave some out")


def test_functions_of_ready_metadata_are_described_from_their_schemas() -> None:
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Which one."},
            "count": {"type": "integer", "format": "int32"},
            "tags": {"type": "array", "items": {"type": ["string", "null"]}},
            "picture": {"type": "string", "contentEncoding": "base64"},
            "where": {
                "type": "object",
                "properties": {"x": {"type": "number", "description": "East."}},
                "required": ["x"],
                "additionalProperties": False,
            },
            "tree": {"$ref": "#/$defs/Node"},
        },
        "required": ["title"],
        "$defs": {
            "Node": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
                "additionalProperties": False,
            }
        },
    }
    metadata = AppFunctionMetadata(
        function_id="far.Away#read",
        tool_name="read",
        description="Reads.",
        input_schema=schema,
        parameters=(AppFunctionParameterMetadata("title", "Which one.", True, {}),),
        scope=AppFunctionScope.ACTIVITY,
        enabled_by_default=False,
        module="far",
    )
    document = described_document([AppFunction.from_metadata(metadata, lambda *_: None)])
    (function,) = document.functions
    assert function.description == "Reads."
    assert (function.scope, function.enabled_by_default) == (AppFunctionScope.ACTIVITY, False)
    assert function.access_level is None
    assert [(each.name, each.required, each.type) for each in function.parameters] == [
        ("title", True, STRING),
        ("count", False, INT),
        ("tags", False, ArrayType(items=ScalarType(kind=TypeNumber.STRING, nullable=True))),
        ("picture", False, scalar(TypeNumber.BYTES)),
        (
            "where",
            False,
            ObjectType(
                name="",
                properties=(
                    AndroidProperty("x", ScalarType(kind=TypeNumber.DOUBLE, description="East.")),
                ),
                required=("x",),
            ),
        ),
        ("tree", False, ReferenceType(name="far.Node")),
    ]
    assert document.component("far.Node") == ObjectType(
        name="far.Node",
        nullable=True,
        properties=(AndroidProperty("children", ArrayType(items=ReferenceType(name="far.Node"))),),
    )
    assert function.response is not None
    assert function.response.type == STRING


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {
                "type": "object",
                "properties": {"result": {"type": "integer"}},
                "required": ["result"],
                "additionalProperties": False,
            },
            LONG,
        ),
        (
            {
                "type": "object",
                "properties": {"id": {"type": "string"}},
                "additionalProperties": False,
            },
            ObjectType(name="", properties=(AndroidProperty("id", STRING),)),
        ),
    ],
)
def test_a_ready_output_schema_is_described_without_its_wrapping(
    schema: dict[str, Any], expected: DataType
) -> None:
    metadata = AppFunctionMetadata(
        "far#read", "read", response=AppFunctionResponseMetadata("It.", schema)
    )
    document = described_document([AppFunction.from_metadata(metadata, lambda *_: None)])
    response = document.functions[0].response
    assert response is not None
    assert (response.type, response.description) == (expected, "It.")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object"}, "is a dict"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}},
            "may hold keys of any name",
        ),
        ({"type": "object", "additionalProperties": False}, "has no fields"),
        ({}, "is Any"),
        ({"$ref": "#/$defs/L"}, "holds itself and is no model"),
    ],
    ids=str,
)
def test_a_ready_schema_that_tells_too_little_is_refused(
    schema: dict[str, Any], words: str
) -> None:
    metadata = AppFunctionMetadata(
        "far#read",
        "read",
        input_schema={
            "type": "object",
            "properties": {"x": schema},
            "$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}},
        },
    )
    function = AppFunction.from_metadata(metadata, lambda *_: None)
    with pytest.raises(AppFunctionDeclarationError, match=words):
        described_document([function])


class Kept(BaseModel):
    title: str


@pytest.fixture
def named_module() -> Iterator[Any]:
    """This module, as one that an import has made."""
    module: Any = sys.modules[__name__]
    yield module
    for name in ("__app_function_service__", "__app_function_components__"):
        if hasattr(module, name):
            delattr(module, name)


def test_a_module_names_the_service_and_types_that_no_function_uses(named_module: Any) -> None:
    def read() -> None: ...

    assert document_of(read).service is None
    named_module.__app_function_service__ = "com.example.BaseService"
    named_module.__app_function_components__ = (Kept, LocalDate)
    document = document_of(read)
    assert document.service == "com.example.BaseService"
    assert [each.name for each in document.components] == [
        "java.time.LocalDate",
        f"{__name__}.Kept",
    ]
    assert document_of(read, service="com.example.Other").service == "com.example.Other"
    assert document_of(modules=[__name__]).components == document.components


def test_a_listed_type_that_android_has_not_is_refused(named_module: Any) -> None:
    named_module.__app_function_components__ = (dict[str, int],)
    with pytest.raises(AppFunctionDeclarationError, match=f"{__name__}: __app_function_comp"):
        document_of(modules=[__name__])


def test_the_sample_app_is_described_by_module_and_as_a_whole() -> None:
    service = load_service(PROJECT / "metadata" / "app_metadata.xml")
    by_module = described_modules(service)
    assert list(by_module) == ["sample_app.notes", "sample_app.labels"]
    whole = described_functions(service)
    assert [each.id for each in whole.functions] == [
        each.id for document in by_module.values() for each in document.functions
    ]
    update = next(each for each in whole.functions if each.id.endswith("#update_note"))
    assert update.parameters[1].type == ReferenceType(
        name="sample_app.notes.SetField<kotlin.String>", nullable=True
    )


def test_what_the_metadata_xml_says_of_a_function_is_described(tmp_path: Path) -> None:
    (tmp_path / "overridden.py").write_text(
        "from appfunctions_mcp import app_function\n\n\n@app_function\ndef read() -> None: ...\n"
    )
    path = write_metadata(
        tmp_path,
        content='<mcp:functions module="overridden"/>'
        '<mcp:function id="overridden#read" description="Reads." enabledByDefault="false"/>',
    )
    (function,) = described_functions(load_service(path)).functions
    assert (function.description, function.enabled_by_default) == ("Reads.", False)


def test_faults_of_several_modules_come_in_one_report() -> None:
    def read(x: dict[str, int]) -> None: ...

    def write(x: Any) -> None: ...

    write.__module__ = "elsewhere"
    functions = [AppFunction.from_function(each) for each in (read, write)]
    service = AppFunctionService(AppMetadata("both", "Both."), functions)
    with pytest.raises(AppFunctionDeclarationError) as caught:
        described_modules(service)
    assert len(caught.value.faults) == 2
