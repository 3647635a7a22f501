"""What is written of a document, what cannot be written, and when two documents are equal."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidProperty,
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
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import canonical, functions_xml
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from appfunctions_mcp.patterns import PatternType
from tests.support.android_documents import (
    INT,
    STRING,
    document,
    documents,
    function,
    object_type,
    parameter,
)

EVERYTHING = AndroidFunction(
    id="n#f",
    enabled_by_default=True,
    scope=AppFunctionScope.GLOBAL,
    description="Does f.",
    parameters=(parameter("x", required=False, description="An x."),),
    response=AndroidResponse(type=INT, description="An f."),
    schema=AppFunctionSchema("notes", "create", 1),
    deprecation="Use g.",
    access_level=AppFunctionAccessLevel.SELF,
    compat_enforcement=False,
)


def names_of(text: str) -> list[str]:
    """The elements that end, in the order of the document."""
    return [line.rpartition("</")[2].rstrip(">") for line in text.splitlines() if "</" in line]


def type_text(data_type: DataType, **components: DataType) -> list[str]:
    """The elements directly inside the type of a parameter."""
    text = functions_xml(document(function("n#f", parameter("x", data_type)), **components))
    inside = text.partition("            <dataTypeMetadata>\n")[2]
    inside = inside.partition("\n            </dataTypeMetadata>")[0]
    lines = [line[16:] for line in inside.splitlines()]
    return [line.strip("</>").partition(">")[0] for line in lines if line[:2] not in {"  ", "</"}]


def faults(of: AndroidDocument) -> list[str]:
    with pytest.raises(AppFunctionDeclarationError) as caught:
        functions_xml(of)
    return list(caught.value.faults)


def test_a_function_is_written_in_the_order_of_the_compiler() -> None:
    text = functions_xml(AndroidDocument(functions=(EVERYTHING,)))
    outer = [line[8:] for line in text.splitlines() if line.startswith("        <")]
    assert [line.strip("</>").partition(">")[0] for line in outer if line[1] != "/"] == [
        *("id", "enabledByDefault", "scope", "description", "parameters", "response"),
        *("schemaCategory", "schemaName", "schemaVersion", "deprecation", "accessLevel"),
        *("isCompatEnforcementEnabled", "functionId"),
    ]
    assert text.startswith(
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<appfunctions>'
    )
    assert text.endswith("</appfunctions>\n")


def test_a_function_that_says_little_is_written_short() -> None:
    assert functions_xml(AndroidDocument(functions=(AndroidFunction(id="n#f"),))) == (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        "<appfunctions>\n"
        "    <appfunction>\n"
        "        <id>n#f</id>\n"
        "        <functionId>n#f</functionId>\n"
        "    </appfunction>\n"
        "</appfunctions>\n"
    )


ORDERS: dict[str, tuple[DataType, list[str]]] = {
    "text": (
        ScalarType(
            kind=TypeNumber.STRING,
            description="A text.",
            enum_values=("a",),
            patterns=(StringPattern("a", 0),),
            format="word",
        ),
        ["id", "isNullable", "description", "enumValues", "patterns", "format", "type"],
    ),
    "list": (ArrayType(items=STRING), ["id", "isNullable", "itemType", "type"]),
    "reference": (ReferenceType(name="A"), ["dataTypeReference", "id", "isNullable", "type"]),
    "object": (
        replace(object_type("n.O", a=STRING), description="An o."),
        [
            *("id", "isNullable", "objectQualifiedName", "description"),
            *("properties", "required", "type"),
        ],
    ),
    "nameless object": (
        object_type("", a=STRING),
        ["id", "isNullable", "properties", "required", "type"],
    ),
    "allOf": (
        AllOfType(name="n.S", members=(ReferenceType(name="A"),)),
        ["allOf", "id", "isNullable", "objectQualifiedName", "type"],
    ),
    "oneOf": (
        OneOfType(name="n.S", members=(ReferenceType(name="A"),)),
        ["oneOf", "id", "isNullable", "objectQualifiedName", "type"],
    ),
    "parcelable": (ParcelableType(), ["id", "isNullable", "objectQualifiedName", "type"]),
}


@pytest.mark.parametrize(("data_type", "expected"), ORDERS.values(), ids=ORDERS)
def test_a_type_is_written_in_the_order_of_the_compiler(
    data_type: DataType, expected: list[str]
) -> None:
    assert type_text(data_type, A=object_type("A", a=STRING)) == expected


def test_every_nested_id_is_unused_and_that_of_the_components_is_the_service() -> None:
    described = document(EVERYTHING, A=object_type("A", a=STRING))
    text = functions_xml(replace(described, service="n.BaseService"))
    assert text.count("<id>n#f</id>") == 1
    assert text.count("<id>unused</id>") == names_of(text).count("id") - 2
    tail = "        <id>n.BaseService</id>\n    </AppFunctionComponentMetadataDocument>\n"
    assert text.endswith(f"{tail}</appfunctions>\n")


def test_the_service_is_written_with_components_only() -> None:
    assert "BaseService" not in functions_xml(AndroidDocument(service="n.BaseService"))
    text = functions_xml(document(A=object_type("A", a=STRING)))
    assert "<id>unused</id>\n    </AppFunctionComponentMetadataDocument>" in text


def test_the_name_of_a_generic_class_is_escaped() -> None:
    name = "n.SetField<kotlin.Int>"
    text = functions_xml(
        AndroidDocument(components=(AndroidComponent(name, object_type(name, value=INT)),))
    )
    assert "<objectQualifiedName>n.SetField&lt;kotlin.Int&gt;</objectQualifiedName>" in text


@pytest.mark.parametrize(
    "text", [" both ends ", "\n\n", "a\r\nb\rc", "]]>", "\u0085\u2028", "&#13;"]
)
def test_a_description_survives_to_the_last_blank(text: str, tmp_path: Path) -> None:
    path = tmp_path / "functions.xml"
    described = replace(EVERYTHING, description=text)
    path.write_bytes(functions_xml(AndroidDocument(functions=(described,))).encode())
    assert read_functions_xml(path).functions[0].description == text


@pytest.mark.parametrize(
    ("text", "code"),
    [("a\0", "U+0000"), ("\x1b[0m", "U+001B"), ("\ud83d", "U+D83D"), ("\uffff", "U+FFFF")],
)
def test_a_character_that_no_xml_holds_is_refused_by_place_and_number(text: str, code: str) -> None:
    described = AndroidDocument(functions=(replace(EVERYTHING, description=text),))
    (fault,) = faults(described)
    assert fault.startswith("function 'n#f': <description> ")
    assert fault.endswith(f"holds the character {code}, which no XML can hold; remove it")


def test_all_that_cannot_be_written_comes_in_one_report() -> None:
    broken = replace(
        EVERYTHING, deprecation="\0", response=AndroidResponse(type=INT, description="\0")
    )
    assert len(faults(AndroidDocument(functions=(broken,)))) == 2
    of = AndroidComponent("A\x01", object_type("B", a=replace(STRING, description="\0")))
    assert [each.partition(" holds")[0] for each in faults(AndroidDocument(components=(of,)))] == [
        "component 'A': <description> ''",
        "component 'A': <name> 'A'",
    ]


REFUSED: dict[str, tuple[AndroidDocument, str]] = {
    "dangling": (
        document(function("n#f", parameter("x", ReferenceType(name="n.Note")))),
        (
            "function 'n#f', parameter 'x': the reference 'n.Note' names no component; the "
            "document has no components; add it"
        ),
    ),
    "blanks around a name": (
        document(function("n#f", parameter(" x"))),
        "function 'n#f', parameter ' x': the name ' x' has blanks around it; remove them",
    ),
    "blanks around a class": (
        document(function("n#f", returns=ParcelableType(name=" a.B"))),
        "function 'n#f', response: the name ' a.B' has blanks around it; remove them",
    ),
    "no name of a parcelable": (
        document(function("n#f", returns=ParcelableType(name=""))),
        "function 'n#f', response: a parcelable has no objectQualifiedName; add it",
    ),
    "a schema without a name": (
        document(replace(EVERYTHING, schema=AppFunctionSchema("notes", "", 1))),
        "function 'n#f': the schema's name is ''; accepted is a name without blanks around",
    ),
    "a schema of version 0": (
        document(replace(EVERYTHING, schema=AppFunctionSchema("notes", "a", 0))),
        "function 'n#f': the schema's version is 0; accepted are whole numbers from 1",
    ),
    "a scalar that is none": (
        document(function("n#f", returns=ScalarType(kind=TypeNumber.OBJECT))),
        "function 'n#f', response: type 3 holds other types, so it is no value of its own",
    ),
    "values of a truth": (
        document(
            function("n#f", returns=ScalarType(kind=TypeNumber.BOOLEAN, enum_values=("true",)))
        ),
        (
            "function 'n#f', response: enumValues stand on a type other than string and int; "
            "remove them"
        ),
    ),
    "a format of a number": (
        document(function("n#f", returns=replace(INT, format="x"))),
        (
            "function 'n#f', response: patterns or a format stand on a type other than string; "
            "remove them"
        ),
    ),
    "a service that is none": (
        AndroidDocument(service="unused"),
        "the service is named 'unused', which means none; rename it",
    ),
    "a nameless service": (AndroidDocument(service=""), "the service has no name; add one"),
}


@pytest.mark.parametrize(("of", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_no_reader_accepts_is_not_written(of: AndroidDocument, expected: str) -> None:
    assert faults(of) == [expected]


def test_types_that_stand_too_deep_in_each_other_are_not_written() -> None:
    found: DataType = STRING
    for _ in range(5000):
        found = ArrayType(items=found)
    (fault,) = faults(document(function("n#f", returns=found)))
    assert fault.endswith("types stand in each other more than 45 deep; make components of some")


def test_the_deepest_types_that_are_written_are_read(tmp_path: Path) -> None:
    found: DataType = ScalarType(
        kind=TypeNumber.STRING, patterns=(StringPattern("a", int(PatternType.LITERAL)),)
    )
    for _ in range(44):
        found = object_type("", a=found)
    described = document(function("n#f", returns=found), A=found)
    path = tmp_path / "functions.xml"
    path.write_text(functions_xml(described), encoding="utf-8")
    assert read_functions_xml(path) == described


def backwards(data_type: DataType) -> DataType:
    """The same type with everything whose order does not count the other way round."""
    if isinstance(data_type, ScalarType):
        return replace(
            data_type,
            enum_values=data_type.enum_values[::-1],
            patterns=data_type.patterns[::-1],
            line=7,
        )
    if isinstance(data_type, ArrayType):
        return replace(data_type, items=backwards(data_type.items))
    if isinstance(data_type, ObjectType):
        properties = [AndroidProperty(p.name, backwards(p.type)) for p in data_type.properties]
        return replace(
            data_type, properties=tuple(properties[::-1]), required=data_type.required[::-1]
        )
    if isinstance(data_type, AllOfType | OneOfType):
        return replace(data_type, members=tuple(map(backwards, data_type.members[::-1])))
    return replace(data_type, line=3)


def parameter_backwards(each: AndroidParameter) -> AndroidParameter:
    return replace(each, type=backwards(each.type), line=9)


@given(documents())
def test_documents_are_equal_whatever_their_order(drawn: AndroidDocument) -> None:
    turned = AndroidDocument(
        functions=tuple(
            replace(
                each,
                parameters=tuple(map(parameter_backwards, each.parameters[::-1])),
                response=each.response
                and replace(each.response, type=backwards(each.response.type)),
            )
            for each in drawn.functions[::-1]
        ),
        components=tuple(
            AndroidComponent(each.name, backwards(each.type)) for each in drawn.components[::-1]
        ),
        service=drawn.service,
        warnings=("functions.xml:1: something",),
    )
    assert canonical(turned) == canonical(drawn)
    assert hash(canonical(turned)) == hash(canonical(drawn))
    assert canonical(canonical(drawn)) == canonical(drawn)


def test_documents_that_say_something_else_are_not_equal() -> None:
    whole = document(EVERYTHING)
    for part, other in {
        "enabled_by_default": None,
        "scope": None,
        "description": "",
        "parameters": (),
        "response": None,
        "schema": None,
        "deprecation": None,
        "access_level": None,
        "compat_enforcement": None,
    }.items():
        changed = replace(EVERYTHING, **{part: other})  # type: ignore[arg-type] # each part its own
        assert canonical(document(changed)) != canonical(whole)


def test_a_pattern_type_of_either_python_type_is_equal() -> None:
    def of(first: int, second: int) -> AndroidDocument:
        members = tuple(
            object_type(
                name, a=ScalarType(kind=TypeNumber.STRING, patterns=(StringPattern("x", number),))
            )
            for name, number in (("", first), ("", second))
        )
        return document(function("n#f", returns=AllOfType(name="", members=members)))

    assert canonical(of(PatternType.SUFFIX, 0)) == canonical(of(4, PatternType.LITERAL))


def test_the_service_of_a_document_without_components_does_not_count() -> None:
    assert canonical(AndroidDocument(service="n.Base")) == AndroidDocument()
    with_one = document(A=object_type("A", a=STRING))
    assert canonical(replace(with_one, service="n.Base")) != canonical(with_one)
