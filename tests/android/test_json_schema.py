"""What is published of Android's types: schemas like those of functions in Python."""

from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from appfunctions_mcp import AppFunctionInvalidArgumentException
from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidResponse,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.json_schema import (
    arguments_of,
    function_metadata,
    input_schema_of,
    is_bare_text,
    output_schema_of,
    unsendable_parameters,
)
from appfunctions_mcp.android.type_shapes import TypeShapes
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.schema.shapes import TextShape
from tests.support.android_documents import (
    BOOLEAN,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    UNIT,
    compiled_documents,
    document,
    documents,
    function,
    object_type,
    parameter,
)

DATE = object_type("java.time.LocalDate", year=INT, month=INT, dayOfMonth=INT)
INSTANT = object_type("java.time.Instant", epochSecond=LONG, nanoAdjustment=INT)
CIRCLE = object_type("p.Circle", ["radius"], radius=DOUBLE)
SQUARE = object_type("p.Square", ["side"], side=INT)


def published(data_type: DataType, **components: DataType) -> Any:
    """The schema of one required parameter of a type."""
    found = function("a#b", parameter("x", data_type))
    schema = input_schema_of(found, document(found, **components))
    assert list(schema["properties"]) == ["x"]
    return schema["properties"]["x"]


def returned(data_type: DataType, **components: DataType) -> Any:
    """The output schema of a function that returns a type."""
    found = function("a#b", returns=data_type)
    return output_schema_of(found, document(found, **components))


@settings(max_examples=40)
@given(documents() | compiled_documents())
def test_every_document_has_schemas(drawn: AndroidDocument) -> None:
    for each in drawn.functions:
        metadata = function_metadata(each, drawn, tool_name="x")
        jsonschema.Draft202012Validator.check_schema(metadata.input_schema)
        assert metadata.input_schema["type"] == "object"
        if metadata.response.schema is not None:
            jsonschema.Draft202012Validator.check_schema(metadata.response.schema)
            assert metadata.response.schema["type"] == "object"
        arguments_of(each, drawn)


def test_an_address_that_is_shared_under_another_name_is_text_all_the_same() -> None:
    address = object_type("android.net.Uri", ["uri"], uri=STRING)
    wrapped = returned(ReferenceType(name="a"), a=address)
    assert wrapped["type"] == "object"
    assert wrapped["properties"]["result"]["type"] == "string"
    assert published(ReferenceType(name="a"), a=address)["type"] == "string"


@pytest.mark.parametrize(
    ("data_type", "schema"),
    [
        (BOOLEAN, {"type": "boolean"}),
        (
            INT,
            {
                "type": "integer",
                "minimum": -2147483648,
                "maximum": 2147483647,
                "format": "int32",
            },
        ),
        (LONG, {"type": "integer", "format": "int64"}),
        (DOUBLE, {"type": "number"}),
        (BYTES, {"type": "string", "contentEncoding": "base64"}),
        (STRING, {"type": "string"}),
        (ArrayType(items=BOOLEAN), {"type": "array", "items": {"type": "boolean"}}),
        (
            ScalarType(kind=TypeNumber.STRING, enum_values=("A", "B"), description="Which."),
            {"type": "string", "enum": ["A", "B"], "description": "Which."},
        ),
        (
            ScalarType(kind=TypeNumber.INT, enum_values=("1", "-2")),
            {"type": "integer", "enum": [1, -2]},
        ),
        (
            ScalarType(kind=TypeNumber.STRING, format="email", patterns=(StringPattern("a.", 0),)),
            {"type": "string", "format": "email", "pattern": r"^a\.$"},
        ),
        (
            ScalarType(
                kind=TypeNumber.STRING, patterns=(StringPattern("a", 1), StringPattern("b", 99))
            ),
            {"type": "string"},
        ),
        (DATE, {"type": "string", "format": "date"}),
        (INSTANT, {"type": "string", "format": "date-time"}),
        (
            uri_type(patterns=(StringPattern("content:", 1),)),
            {"type": "string", "format": "uri", "pattern": "^content:"},
        ),
        (
            object_type("p.Note", ["title"], title=STRING, stars=INT),
            {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "stars": {
                        "type": "integer",
                        "minimum": -2147483648,
                        "maximum": 2147483647,
                        "format": "int32",
                    },
                },
                "required": ["title"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_types_are_published_as_the_core_publishes_them(
    data_type: DataType, schema: dict[str, Any]
) -> None:
    assert published(data_type) == schema


def test_float_has_the_range_of_32_bits() -> None:
    schema = published(FLOAT)
    assert (schema["type"], schema["format"]) == ("number", "float")
    assert schema["maximum"] == -schema["minimum"] == 3.4028234663852886e38


def test_references_are_inlined_unless_they_hold_themselves() -> None:
    node = object_type("p.Tree$Node<kotlin.Int>", ["text"], text=STRING)
    leaf = ReferenceType(name="p.Leaf", nullable=True, description="Here.")
    assert published(leaf, **{"p.Leaf": node})["properties"] == {"text": {"type": "string"}}
    name = "p.Tree$Node<kotlin.Int>"
    recursive = ObjectType(
        name=name,
        properties=(
            *node.properties,
            *object_type("", children=ArrayType(items=ReferenceType(name=name))).properties,
        ),
    )
    found = function("a#b", parameter("x", ReferenceType(name=name)))
    schema = input_schema_of(found, document(found, **{name: recursive}))
    assert schema["properties"]["x"] == {"$ref": "#/$defs/Tree_Node_Int"}
    children = schema["$defs"]["Tree_Node_Int"]["properties"]["children"]
    assert children["items"] == {"$ref": "#/$defs/Tree_Node_Int"}
    metadata = function_metadata(found, document(found, **{name: recursive}), tool_name="b")
    assert "$defs" in metadata.parameters[0].schema


def test_definitions_of_one_simple_name_are_told_apart() -> None:
    def held(name: str, **other: DataType) -> ObjectType:
        return object_type(name, (), next=ReferenceType(name=name, nullable=True), **other)

    both = [
        parameter("x", ReferenceType(name="p.Node")),
        parameter("y", ReferenceType(name="q.Node")),
    ]
    found = function("a#b", *both)
    schema = input_schema_of(
        found, document(found, **{"p.Node": held("p.Node"), "q.Node": held("q.Node", text=STRING)})
    )
    assert set(schema["$defs"]) == {"Node", "Node_2"}


def test_a_oneof_of_oneofs_without_end_is_published_at_once() -> None:
    """Forty levels of two each would be a million million members."""
    types: dict[str, DataType] = {}
    for at in range(40):
        members = (ReferenceType(name=f"p.A{at + 1}"), ReferenceType(name=f"p.B{at + 1}"))
        for letter in "AB":
            types[f"p.{letter}{at}"] = OneOfType(name=f"p.{letter}{at}", members=members)
    types |= {name: object_type(name, text=STRING) for name in ("p.A40", "p.B40")}
    found = function("a#b", parameter("x", ReferenceType(name="p.A0")))
    schema = input_schema_of(found, document(found, **types))
    assert len(schema["properties"]["x"]["anyOf"]) == 2


def test_a_value_that_is_listed_twice_is_published_once() -> None:
    texts = ScalarType(kind=TypeNumber.STRING, enum_values=("a", "b", "a"))
    numbers = ScalarType(kind=TypeNumber.INT, enum_values=("1", "1"))
    found = function("a#b", parameter("x", texts), parameter("y", numbers))
    properties = input_schema_of(found, document(found))["properties"]
    assert [properties[name]["enum"] for name in "xy"] == [["a", "b"], [1]]


def test_a_text_of_listed_values_is_a_result_with_a_schema() -> None:
    texts = ScalarType(kind=TypeNumber.STRING, enum_values=("a", "b"))
    found = function("a#b", returns=texts)
    schema = output_schema_of(found, document(found))
    assert schema is not None
    assert schema["properties"]["result"]["enum"] == ["a", "b"]


def test_the_members_of_an_allof_are_one_object() -> None:
    whole = AllOfType(
        name="p.Dog",
        members=(ReferenceType(name="p.Animal"), object_type("p.Dog", ["barks"], barks=BOOLEAN)),
    )
    schema = published(whole, **{"p.Animal": object_type("p.Animal", called=STRING)})
    assert list(schema["properties"]) == ["called", "barks"]
    assert schema["required"] == ["called", "barks"]


def test_the_members_of_a_oneof_say_which_they_are_in_arguments() -> None:
    shape = OneOfType(name="p.Shape", members=(CIRCLE, ReferenceType(name="p.Square")))
    schema = published(shape, **{"p.Square": SQUARE})
    circle, square = schema["anyOf"]
    assert circle["properties"]["schemaType"] == {"type": "string", "enum": ["p.Circle"]}
    assert circle["required"] == ["schemaType", "radius"]
    assert square["required"] == ["schemaType", "side"]
    result = returned(shape, **{"p.Square": SQUARE})["properties"]["result"]
    assert result["anyOf"][0]["required"] == ["radius"]
    outer = OneOfType(name="p.Outer", members=(shape, object_type("p.Dot", x=INT), CIRCLE))
    names = [
        each["properties"]["schemaType"]["enum"][0]
        for each in published(outer, **{"p.Square": SQUARE})["anyOf"]
    ]
    assert names == ["p.Circle", "p.Square", "p.Dot"]


def test_what_may_be_null_may_be_left_out_of_arguments() -> None:
    """A required nullable too: Android reads its absence as null."""
    nullable = ScalarType(kind=TypeNumber.STRING, nullable=True)
    found = function(
        "a#b", parameter("x", nullable), parameter("y", STRING, required=False), parameter("z", INT)
    )
    schema = input_schema_of(found, document(found))
    assert schema["required"] == ["z"]
    assert schema["properties"]["x"] == {"type": "string"}
    arguments = arguments_of(found, document(found))
    assert arguments.validate({"z": 1}) == {"z": 1}
    assert arguments.validate({"z": 1, "x": None, "y": None}) == {"z": 1, "x": None}
    in_list = published(ArrayType(items=nullable))
    assert in_list["items"] == {"type": ["string", "null"]}


def test_the_description_of_the_place_wins() -> None:
    described = ScalarType(kind=TypeNumber.STRING, description="Any text.")
    found = function("a#b", parameter("x", described, description="The title."))
    schema = input_schema_of(found, document(found))
    assert schema["properties"]["x"]["description"] == "The title."
    assert published(described)["description"] == "Any text."
    note = ObjectType(name="p.Note", properties=CIRCLE.properties, description="A note.")
    referred = ReferenceType(name="p.Note")
    assert published(referred, **{"p.Note": note})["description"] == "A note."
    merged = AllOfType(name="p.All", members=(note,), description="Everything.")
    assert published(merged)["description"] == "Everything."


def test_results_are_objects_or_stand_under_result() -> None:
    note = object_type("p.Note", ["title", "at", "count"], title=STRING, at=INSTANT, count=LONG)
    schema = returned(note)
    assert schema["properties"]["count"] == {"type": ["integer", "string"], "format": "int64"}
    assert schema["required"] == ["count"]
    assert returned(STRING) is None
    assert returned(UNIT)["properties"] == {"result": {"type": "null"}}
    assert returned(ArrayType(items=BOOLEAN))["properties"]["result"]["type"] == "array"
    nullable = ReferenceType(name="p.Note", nullable=True)
    assert "anyOf" in returned(nullable, **{"p.Note": note})["properties"]["result"]
    assert returned(DATE)["properties"]["result"] == {"type": "string", "format": "date"}
    assert returned(ReferenceType(name="p.Note"), **{"p.Note": note}) == schema
    response = AndroidResponse(type=BOOLEAN, description="Whether it worked.")
    described = replace(function("a#b"), response=response)
    assert output_schema_of(described, document(described))["properties"]["result"] == {  # type: ignore[index] # it is there
        "type": "boolean",
        "description": "Whether it worked.",
    }
    name = "p.Node"
    node = object_type(name, next=ReferenceType(name=name, nullable=True))
    wrapped = returned(ArrayType(items=ReferenceType(name=name)), **{name: node})
    assert set(wrapped["$defs"]) == {"Node"}
    silent = replace(function("a#b"), response=None)
    assert output_schema_of(silent, document(silent)) is None
    assert not is_bare_text(silent, document(silent))


def test_what_travels_beside_the_document_is_not_published() -> None:
    intent = ParcelableType()
    found = function(
        "a#b",
        parameter("step", intent, required=False),
        parameter("needed", intent),
        parameter("many", ArrayType(items=intent), required=False),
        parameter("x", object_type("p.O", ["y", "step"], y=INT, step=intent)),
        returns=intent,
    )
    schema = input_schema_of(found, document(found))
    assert list(schema["properties"]) == ["x"]
    assert list(schema["properties"]["x"]["properties"]) == ["y"]
    assert output_schema_of(found, document(found)) is None
    assert unsendable_parameters(found, document(found)) == ["needed"]
    looped = ReferenceType(name="p.Loop")
    loop = document(found, **{"p.Loop": ArrayType(items=ArrayType(items=looped))})
    assert not TypeShapes(loop, "result").is_hidden(looped)
    assert isinstance(TypeShapes(loop, "arguments").shape(intent), TextShape)


def test_dates_are_taken_as_text_and_as_objects() -> None:
    found = function("a#b", parameter("day", DATE), parameter("at", uri_type()))
    arguments = arguments_of(found, document(found))
    given_text = {"day": "2026-05-27", "at": "content://x"}
    given_objects = {"day": {"year": 2026, "month": 5, "dayOfMonth": 27}, "at": {"uri": "a:b"}}
    assert arguments.validate(given_text) == given_text
    assert arguments.validate(given_objects) == given_objects
    assert arguments.input_schema == input_schema_of(found, document(found))
    with pytest.raises(AppFunctionInvalidArgumentException, match="day"):
        arguments.validate({"day": 3, "at": "a:b"})


def test_metadata_keeps_what_android_says_of_the_function() -> None:
    found = replace(function("p.C#makeCall"), deprecation="Use call.", enabled_by_default=False)
    metadata = function_metadata(found, document(found), tool_name="makeCall", module="p")
    assert metadata.description == "Make call"
    assert not metadata.is_described
    assert (metadata.deprecated, metadata.enabled_by_default) == ("Use call.", False)
    assert metadata.package == "p"
    on = function_metadata(found, document(found), tool_name="x", function_id="y", enabled=True)
    assert (on.function_id, on.enabled_by_default) == ("y", True)
