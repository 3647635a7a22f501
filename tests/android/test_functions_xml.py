"""What a reader of functions XML accepts in each form, what it refuses and what it leaves out."""

import time
from pathlib import Path

import pytest

from appfunctions_mcp.android.data_types import (
    AndroidDocument,
    AndroidFunction,
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
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.android.xml.functions_xml import MAX_FUNCTIONS_XML_BYTES, read_functions_xml
from appfunctions_mcp.android.xml.functions_xml_writing import functions_xml
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from tests.support.android_documents import INT, STRING

NOTE = (
    "<dataTypes><dataTypeMetadata><objectQualifiedName>n.Note</objectQualifiedName>"
    "<properties><dataTypeMetadata><type>8</type></dataTypeMetadata><name>title</name></properties>"
    "<required>title</required><type>3</type></dataTypeMetadata><name>n.Note</name></dataTypes>"
)
OLD_URI = (
    "<dataTypes><dataTypeMetadata><isNullable>true</isNullable>"
    "<objectQualifiedName>android.net.Uri</objectQualifiedName><description>{description}"
    "</description><properties><dataTypeMetadata><type>{type}</type></dataTypeMetadata>"
    "<name>uri</name></properties><required>uri</required><type>3</type></dataTypeMetadata>"
    "<name>android.net.Uri</name></dataTypes>"
)


def written(folder: Path, text: str) -> Path:
    path = folder / "functions.xml"
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, functions: str = "", components: str = "") -> AndroidDocument:
    """Reads functions from the second line on, and components after them."""
    if components:
        components = (
            f"<AppFunctionComponentMetadataDocument>\n{components}\n"
            "</AppFunctionComponentMetadataDocument>\n"
        )
    text = f"<appfunctions>\n{functions}\n{components}</appfunctions>\n"
    return read_functions_xml(written(folder, text))


def of_type(parts: str) -> str:
    """A function whose parameter `x` has the type; its first part stands in line 4."""
    return (
        "<appfunction><id>n#f</id>\n<parameters><name>x</name><dataTypeMetadata>\n"
        f"{parts}</dataTypeMetadata></parameters></appfunction>"
    )


def read_type(folder: Path, parts: str, components: str = "") -> DataType:
    return read(folder, of_type(parts), components).functions[0].parameters[0].type


def faults(folder: Path, functions: str = "", components: str = "") -> list[str]:
    """What the reader says of a file, without the path."""
    with pytest.raises(MetadataXmlError) as caught:
        read(folder, functions, components)
    prefix = f"{folder / 'functions.xml'}:"
    assert all(fault.startswith(prefix) for fault in caught.value.faults)
    return [shown(fault.removeprefix(prefix)) for fault in caught.value.faults]


def warnings(document: AndroidDocument) -> list[str]:
    return [shown(each.partition("functions.xml:")[2]) for each in document.warnings]


def shown(text: str) -> str:
    """A message with the place that all of `of_type` have as `x`."""
    return text.replace("function 'n#f', parameter 'x'", "x")


def test_a_v1_file_says_nothing_of_parameters_and_results(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "<appfunction><schema_version>2</schema_version><function_id>n#f</function_id>"
        "<schema_name>create</schema_name><enabled_by_default>false</enabled_by_default>"
        "<schema_category>notes</schema_category></appfunction>",
    )
    assert document == AndroidDocument(
        functions=(
            AndroidFunction(
                id="n#f",
                enabled_by_default=False,
                schema=AppFunctionSchema("notes", "create", 2),
            ),
        )
    )
    assert document.warnings == ()
    assert document.functions[0].line == 2


def test_a_v2_function_may_say_everything_in_any_order(tmp_path: Path) -> None:
    (function,) = read(
        tmp_path,
        "<appfunction><functionId>n#f</functionId><id>n#f</id><scope>activity</scope>"
        "<accessLevel>system</accessLevel><enabledByDefault>true</enabledByDefault>"
        "<isCompatEnforcementEnabled>false</isCompatEnforcementEnabled>"
        "<deprecation><message>Use g.</message><id>unused</id></deprecation>"
        "<schemaVersion>1</schemaVersion><schemaName>a</schemaName>"
        "<schemaCategory>b</schemaCategory><description>Does &lt;f&gt;. </description>"
        "<response><valueType><type>7</type></valueType><description>F.</description></response>"
        "</appfunction>",
    ).functions
    assert function == AndroidFunction(
        id="n#f",
        enabled_by_default=True,
        scope=AppFunctionScope.ACTIVITY,
        description="Does <f>. ",
        response=AndroidResponse(type=INT, description="F."),
        schema=AppFunctionSchema("b", "a", 1),
        deprecation="Use g.",
        access_level=AppFunctionAccessLevel.SYSTEM,
        compat_enforcement=False,
    )


def test_what_a_file_does_not_say_stays_unsaid(tmp_path: Path) -> None:
    document = read(tmp_path, "<appfunction><id>n#f</id></appfunction>")
    assert document == AndroidDocument(functions=(AndroidFunction(id="n#f"),))
    written_again = functions_xml(document)
    assert "enabledByDefault" not in written_again
    assert "scope" not in written_again


def test_the_second_id_alone_is_the_id(tmp_path: Path) -> None:
    document = read(tmp_path, "<appfunction><functionId> n#f\n</functionId></appfunction>")
    assert document.functions[0].id == "n#f"


def test_a_deprecation_without_a_message_is_one(tmp_path: Path) -> None:
    document = read(tmp_path, "<appfunction><id>n#f</id><deprecation/></appfunction>")
    assert document.functions[0].deprecation == ""
    assert "<message></message>" in functions_xml(document)


def test_texts_keep_their_blanks_and_names_do_not(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "<appfunction><id>\n  n#f\n  </id><description> one\n  two <![CDATA[<3>]]>\n</description>"
        "</appfunction>",
    )
    assert document.functions[0].id == "n#f"
    assert document.functions[0].description == " one\n  two <3>\n"


def test_a_file_may_be_in_any_encoding_that_xml_files_have(tmp_path: Path) -> None:
    path = tmp_path / "functions.xml"
    path.write_bytes(
        "<appfunctions><appfunction><id>é#f</id></appfunction></appfunctions>".encode("utf-16")
    )
    assert read_functions_xml(path).functions[0].id == "é#f"


def test_the_id_of_the_components_is_the_service(tmp_path: Path) -> None:
    assert read(tmp_path, "", f"{NOTE}<id>n.BaseService</id>").service == "n.BaseService"
    assert read(tmp_path, "", f"{NOTE}<id>unused</id>").service is None
    assert read(tmp_path, "", NOTE).service is None


def test_a_nullable_response_of_an_older_form_has_a_nullable_type(tmp_path: Path) -> None:
    (function,) = read(
        tmp_path,
        "<appfunction><id>n#f</id><response><isNullable>true</isNullable>"
        "<valueType><type>8</type></valueType></response></appfunction>",
    ).functions
    expected = ScalarType(kind=TypeNumber.STRING, nullable=True)
    assert function.response == AndroidResponse(type=expected)


def test_a_parcelable_without_a_name_is_a_pending_intent(tmp_path: Path) -> None:
    assert read_type(tmp_path, "<type>13</type>") == ParcelableType(
        name="android.app.PendingIntent"
    )


def test_numbers_among_the_accepted_values_are_written_in_one_way(tmp_path: Path) -> None:
    parts = "<enumValues>+7</enumValues><enumValues>-01</enumValues><type>7</type>"
    assert read_type(tmp_path, parts) == ScalarType(kind=TypeNumber.INT, enum_values=("7", "-1"))


def test_an_empty_text_may_be_an_accepted_value(tmp_path: Path) -> None:
    parts = "<enumValues/><enumValues> a</enumValues><type>8</type>"
    assert read_type(tmp_path, parts) == ScalarType(kind=TypeNumber.STRING, enum_values=("", " a"))


def test_a_pattern_of_a_kind_that_nobody_knows_is_kept(tmp_path: Path) -> None:
    parts = "<patterns><value>x</value><type>42</type><id>unused</id></patterns><type>8</type>"
    expected = ScalarType(kind=TypeNumber.STRING, patterns=(StringPattern("x", 42),))
    assert read_type(tmp_path, parts) == expected


def test_an_older_pattern_is_read_as_what_says_the_same(tmp_path: Path) -> None:
    parts = "<pattern>^[a-z]+-\\d{4}$</pattern><type>8</type>"
    patterns = (StringPattern("[a-z]+-[0-9]{4}", 3),)
    assert read_type(tmp_path, parts) == ScalarType(kind=TypeNumber.STRING, patterns=patterns)


def test_an_older_pattern_without_an_equal_is_left_out_and_told(tmp_path: Path) -> None:
    document = read(tmp_path, of_type("<pattern>(?=a).*</pattern>\n<type>8</type>"))
    assert document.functions[0].parameters[0].type == STRING
    assert warnings(document) == [
        (
            "3: x: the <pattern> '(?=a).*', a regular expression of an "
            "older form, has no exact equal among Android's patterns and is not carried over"
        )
    ]


def test_an_empty_older_pattern_is_none(tmp_path: Path) -> None:
    document = read(tmp_path, of_type("<pattern/><type>8</type>"))
    assert (document.functions[0].parameters[0].type, document.warnings) == (STRING, ())


@pytest.mark.parametrize(
    ("described", "expected"), [("", "An address."), ("Where from.", "Where from.")]
)
def test_a_reference_to_an_address_is_the_address_itself(
    tmp_path: Path, described: str, expected: str
) -> None:
    use = (
        "<dataTypeReference>android.net.Uri</dataTypeReference><isNullable>false</isNullable>"
        f"<description>{described}</description><type>11</type>"
    )
    document = read(tmp_path, of_type(use), OLD_URI.format(type=8, description="An address."))
    assert document.functions[0].parameters[0].type == uri_type(description=expected)
    assert document.components == ()


def test_an_address_is_inlined_wherever_it_is_used(tmp_path: Path) -> None:
    use = "<dataTypeReference>android.net.Uri</dataTypeReference><isNullable>true</isNullable>"
    parts = f"<itemType>{use}<type>11</type></itemType><type>10</type>"
    response = f"<response><valueType>{use}<type>11</type></valueType></response></appfunction>"
    of_note = (
        f"<dataTypes><name>n.A</name><dataTypeMetadata><type>12</type><allOf><type>3</type>"
        f"<properties><name>u</name><dataTypeMetadata>{use}<type>11</type></dataTypeMetadata>"
        "</properties></allOf></dataTypeMetadata></dataTypes>"
    )
    functions = of_type(parts).replace("</appfunction>", response)
    document = read(tmp_path, functions, of_note + OLD_URI.format(type=8, description=""))
    (function,) = document.functions
    uri = uri_type(nullable=True)
    assert function.parameters[0].type == ArrayType(items=uri)
    assert function.response == AndroidResponse(type=uri)
    (component,) = document.components
    assert component.name == "n.A"
    assert "android.net.Uri</dataTypeReference>" not in functions_xml(document)


def test_a_component_that_only_bears_the_name_of_an_address_stays_one(tmp_path: Path) -> None:
    use = "<dataTypeReference>android.net.Uri</dataTypeReference><type>11</type>"
    document = read(tmp_path, of_type(use), OLD_URI.format(type=7, description=""))
    assert document.functions[0].parameters[0].type == ReferenceType(name="android.net.Uri")
    assert len(document.components) == 1


def test_a_bare_string_with_the_format_uri_stays_a_string(tmp_path: Path) -> None:
    expected = ScalarType(kind=TypeNumber.STRING, format="uri")
    assert read_type(tmp_path, "<format>uri</format><type>8</type>") == expected


def test_references_may_form_cycles(tmp_path: Path) -> None:
    tree = (
        "<dataTypes><name>n.Tree</name><dataTypeMetadata><type>3</type><properties><name>sub</name>"
        "<dataTypeMetadata><type>10</type><itemType><type>11</type>"
        "<dataTypeReference>n.Tree</dataTypeReference></itemType></dataTypeMetadata></properties>"
        "</dataTypeMetadata></dataTypes>"
    )
    document = read(tmp_path, "", tree)
    found = document.component("n.Tree")
    assert isinstance(found, ObjectType)
    assert found.properties[0].type == ArrayType(items=ReferenceType(name="n.Tree"))


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    document = read(tmp_path, of_type("<type>8</type>"))
    (function,) = document.functions
    assert (function.line, function.parameters[0].line) == (2, 3)
    assert function.parameters[0].type.line == 3


PROPERTY_A = (
    "<properties><name>a</name><dataTypeMetadata><type>8</type></dataTypeMetadata></properties>"
)
REFUSED_TYPES = {
    "no type": ("", "3: x: <dataTypeMetadata> has no <type>; add it"),
    "an unknown number": (
        "\n<type>9</type>",
        (
            "3: x: the type number is 9; accepted: 0 unit, 1 boolean, "
            "2 bytes, 3 object, 4 double, 5 float, 6 long, 7 int, 8 string, 10 array, 11 "
            "reference, 12 allOf, 13 parcelable, 14 oneOf"
        ),
    ),
    "no number": (
        "<type>string</type>",
        "4: x: <type> is 'string'; accepted: whole numbers",
    ),
    "an array without items": (
        "<type>10</type>",
        "3: x: <dataTypeMetadata> has no <itemType>; add it",
    ),
    "a reference without a name": (
        "<type>11</type>",
        "3: x: <dataTypeMetadata> has no <dataTypeReference>; add it",
    ),
    "a reference with an empty name": (
        "<dataTypeReference> </dataTypeReference><type>11</type>",
        "4: x: <dataTypeReference> is empty; write a name",
    ),
    "a dangling reference": (
        "<dataTypeReference>n.Not</dataTypeReference><type>11</type>",
        "3: x: the reference 'n.Not' names no component; perhaps 'n.Note'",
    ),
    "a reference that resembles nothing": (
        "<dataTypeReference>quite.Different</dataTypeReference><type>11</type>",
        (
            "3: x: the reference 'quite.Different' names no component; "
            "add the component, or correct the name"
        ),
    ),
    "an object without properties": (
        "<type>3</type>",
        "3: x: an object has no properties; add at least one",
    ),
    "a oneOf without a name": (
        "<oneOf><dataTypeReference>n.Note</dataTypeReference><type>11</type></oneOf><type>14</type>",
        "3: x: a oneOf has no objectQualifiedName; add it",
    ),
    "a oneOf without members": (
        "<objectQualifiedName>n.S</objectQualifiedName><type>14</type>",
        "3: x: oneOf has no members; add at least one <oneOf>",
    ),
    "an allOf without members": (
        "<type>12</type>",
        "3: x: allOf has no members; add at least one <allOf>",
    ),
    "an allOf of a text": (
        "<allOf><type>8</type></allOf><type>12</type>",
        "3: x: the member of allOf is no object; accepted are objects",
    ),
    "a oneOf of nameless objects": (
        (
            "<oneOf><type>3</type><properties><name>a</name><dataTypeMetadata><type>8</type>"
            "</dataTypeMetadata></properties></oneOf><type>14</type>"
            "<objectQualifiedName>n.S</objectQualifiedName>"
        ),
        (
            "3: x: an object among the members of oneOf has no "
            "objectQualifiedName, by which they are told apart; add it"
        ),
    ),
    "a required name without a property": (
        (
            "<properties><name>title</name><dataTypeMetadata><type>8</type></dataTypeMetadata>"
            "</properties><required>titles</required><type>3</type>"
        ),
        "3: x: required 'titles' names no property; perhaps 'title'",
    ),
    "a required name like no property": (
        (
            "<properties><name>title</name><dataTypeMetadata><type>8</type></dataTypeMetadata>"
            "</properties><required>zzz</required><type>3</type>"
        ),
        "3: x: required 'zzz' names no property; remove it",
    ),
    "a property twice": (
        PROPERTY_A + PROPERTY_A.replace("8", "7") + "<type>3</type>",
        "3: x: property 'a' is declared twice; rename or remove one",
    ),
    "a name required twice": (
        PROPERTY_A + "<required>a</required><required>a</required><type>3</type>",
        "3: x: required 'a' is declared twice; rename or remove one",
    ),
    "a property without a name": (
        (
            "<properties><dataTypeMetadata><type>8</type></dataTypeMetadata></properties>"
            "<type>3</type>"
        ),
        "4: x, property '' has no name; add one",
    ),
    "a property without a type": (
        "<properties><name>a</name></properties><type>3</type>",
        "4: x, property 'a': <properties> has no <dataTypeMetadata>; add it",
    ),
    "a number that is none": (
        "<enumValues>1.5</enumValues><type>7</type>",
        "3: x: enum value '1.5' is no int; accepted are whole numbers of 32 bits",
    ),
    "a number that is too large": (
        "<enumValues>2147483648</enumValues><type>7</type>",
        "3: x: enum value '2147483648' is no int; accepted are whole numbers of 32 bits",
    ),
    "a pattern that Android refuses": (
        "<patterns><type>3</type><value>[</value></patterns><type>8</type>",
        (
            "3: x: the pattern '[' has a set that is empty or not closed "
            "by ']'; Android would not list the function"
        ),
    ),
    "a pattern without a value": (
        "<patterns><type>3</type></patterns><type>8</type>",
        "4: x, pattern: <patterns> has no <value>; add it",
    ),
    "another truth": (
        "<isNullable>yes</isNullable><type>8</type>",
        "4: x: <isNullable> is 'yes'; accepted: true, false",
    ),
    "an element twice": (
        "<type>8</type>\n<type>8</type>",
        "5: x: <type> stands twice (first in line 4); once is accepted",
    ),
    "elements in a text": (
        "<description>A <b>B</b></description><type>8</type>",
        "4: x: <description> holds <b>; accepted is text alone",
    ),
    "text among elements": (
        "string <type>8</type>",
        "3: x: text in <dataTypeMetadata>: 'string'; accepted are elements alone",
    ),
    "items that cannot be read": (
        "<itemType><type>99</type></itemType><type>10</type>",
        (
            "4: x, items: the type number is 99; accepted: 0 unit, "
            "1 boolean, 2 bytes, 3 object, 4 double, 5 float, 6 long, 7 int, 8 string, 10 array, "
            "11 reference, 12 allOf, 13 parcelable, 14 oneOf"
        ),
    ),
}


@pytest.mark.parametrize(("parts", "expected"), REFUSED_TYPES.values(), ids=REFUSED_TYPES)
def test_a_type_that_cannot_be_is_refused(tmp_path: Path, parts: str, expected: str) -> None:
    assert faults(tmp_path, of_type(parts), NOTE) == [expected]


REFUSED_FUNCTIONS = {
    "no id": ("<appfunction/>", "2: function '' has no name; add one"),
    "an empty v1 id": (
        "<appfunction><function_id/></appfunction>",
        "2: function '' has no name; add one",
    ),
    "two ids": (
        "<appfunction><id>n#f</id><functionId>n#g</functionId></appfunction>",
        "2: <id> is 'n#f' and <functionId> is 'n#g'; they are to be the same",
    ),
    "an id twice": (
        "<appfunction><id>n#f</id></appfunction>\n<appfunction><id>n#f</id></appfunction>",
        "3: function 'n#f' is declared twice (first in line 2); rename or remove one",
    ),
    "another scope": (
        "<appfunction><id>n#f</id>\n<scope>window</scope></appfunction>",
        "3: function 'n#f': <scope> is 'window'; accepted: global, activity",
    ),
    "another level": (
        "<appfunction><id>n#f</id>\n<accessLevel>300</accessLevel></appfunction>",
        "3: function 'n#f': <accessLevel> is '300'; accepted: self, system, androidTrusted",
    ),
    "another truth": (
        "<appfunction><id>n#f</id><enabledByDefault>1</enabledByDefault></appfunction>",
        "2: function 'n#f': <enabledByDefault> is '1'; accepted: true, false",
    ),
    "a version that is no number": (
        "<appfunction><id>n#f</id><schemaVersion>v1</schemaVersion></appfunction>",
        "2: function 'n#f': <schemaVersion> is 'v1'; accepted: whole numbers",
    ),
    "a response without a type": (
        "<appfunction><id>n#f</id><response><id>unused</id></response></appfunction>",
        "2: function 'n#f', response: <response> has no <valueType>; add it",
    ),
    "a response of a kind that nobody knows": (
        (
            "<appfunction><id>n#f</id><response><valueType><type>x</type></valueType></response>"
            "</appfunction>"
        ),
        "2: function 'n#f', response: <type> is 'x'; accepted: whole numbers",
    ),
    "a parameter twice": (
        of_type("<type>8</type>").replace(
            "</appfunction>",
            "\n<parameters><name>x</name><dataTypeMetadata><type>8</type></dataTypeMetadata>"
            "</parameters></appfunction>",
        ),
        (
            "5: function 'n#f': parameter 'x' is declared twice (first in line 3); rename or "
            "remove one"
        ),
    ),
    "a parameter without a type": (
        "<appfunction><id>n#f</id>\n<parameters><name>x</name></parameters></appfunction>",
        "3: x: <parameters> has no <dataTypeMetadata>; add it",
    ),
}


@pytest.mark.parametrize(
    ("functions", "expected"), REFUSED_FUNCTIONS.values(), ids=REFUSED_FUNCTIONS
)
def test_a_function_that_cannot_be_is_refused(
    tmp_path: Path, functions: str, expected: str
) -> None:
    assert expected in faults(tmp_path, functions)


def component(name: str, parts: str) -> str:
    return (
        f"<dataTypes><name>{name}</name><dataTypeMetadata>{parts}</dataTypeMetadata></dataTypes>\n"
    )


REFUSED_COMPONENTS = {
    "twice": (
        NOTE + "\n" + NOTE,
        ["5: component 'n.Note' is declared twice (first in line 4); rename or remove one"],
    ),
    "no name": (
        "<dataTypes><dataTypeMetadata><type>8</type></dataTypeMetadata></dataTypes>",
        ["4: component '' has no name; add one"],
    ),
    "itself": (
        component("n.A", "<type>11</type><dataTypeReference>n.A</dataTypeReference>"),
        [
            "4: component 'n.A' is made of itself: 'n.A' → 'n.A'; take it out of its own members",
        ],
    ),
    "a list of itself": (
        component(
            "n.A",
            "<type>10</type><itemType><type>11</type><dataTypeReference>n.A</dataTypeReference>"
            "</itemType>",
        ),
        ["4: component 'n.A' is made of itself: 'n.A' → 'n.A'; take it out of its own members"],
    ),
    "a member that is no object": (
        component("n.N", "<type>7</type>")
        + component(
            "n.A",
            "<type>12</type><allOf><type>11</type><dataTypeReference>n.N</dataTypeReference>"
            "</allOf>",
        ),
        ["5: component 'n.A': the member 'n.N' of allOf is no object; accepted are objects"],
    ),
    "a dangling member": (
        component(
            "n.A",
            "<type>12</type><allOf><type>11</type><dataTypeReference>nowhere</dataTypeReference>"
            "</allOf>",
        ),
        [
            (
                "4: component 'n.A', member: the reference 'nowhere' names no component; add the "
                "component, or correct the name"
            )
        ],
    ),
    "a type that cannot be read, which nobody else is blamed for": (
        component("n.N", "<type>99</type>")
        + component(
            "n.A",
            "<type>12</type><allOf><type>11</type><dataTypeReference>n.N</dataTypeReference>"
            "</allOf>",
        ),
        [
            (
                "4: component 'n.N': the type number is 99; accepted: 0 unit, 1 boolean, 2 bytes, "
                "3 object, 4 double, 5 float, 6 long, 7 int, 8 string, 10 array, 11 reference, "
                "12 allOf, 13 parcelable, 14 oneOf"
            )
        ],
    ),
}


@pytest.mark.parametrize(
    ("components", "expected"), REFUSED_COMPONENTS.values(), ids=REFUSED_COMPONENTS
)
def test_a_component_that_cannot_be_is_refused(
    tmp_path: Path, components: str, expected: list[str]
) -> None:
    assert faults(tmp_path, "", components) == expected


def test_inheritance_in_a_circle_is_refused(tmp_path: Path) -> None:
    members = "<{0}><type>11</type><dataTypeReference>{1}</dataTypeReference></{0}>"
    first = component("n.A", "<type>12</type>" + members.format("allOf", "n.B"))
    second = component("n.B", "<type>12</type>" + members.format("allOf", "n.A"))
    (fault,) = faults(tmp_path, "", first + second)
    assert "is made of itself: 'n." in fault


def test_inheritance_over_too_many_classes_is_refused(tmp_path: Path) -> None:
    parents = "".join(
        component(
            f"n{i}",
            f"<type>12</type><allOf><type>11</type><dataTypeReference>n{i + 1}</dataTypeReference>"
            "</allOf>",
        )
        for i in range(100)
    )
    assert faults(tmp_path, "", parents + NOTE.replace("n.Note", "n100")) == [
        "59: component 'n55' is made of others, more than 45 one above the other; leave some out"
    ]


def test_a_reference_in_a_file_without_components_is_told_so(tmp_path: Path) -> None:
    parts = "<dataTypeReference>n.Note</dataTypeReference><type>11</type>"
    assert faults(tmp_path, of_type(parts)) == [
        "3: x: the reference 'n.Note' names no component; the document has no components; add it"
    ]


def test_a_second_part_for_components_is_refused(tmp_path: Path) -> None:
    twice = f"{NOTE}</AppFunctionComponentMetadataDocument>\n<AppFunctionComponentMetadataDocument>"
    assert faults(tmp_path, "", twice) == [
        "5: <AppFunctionComponentMetadataDocument> stands twice (first in line 3); once is accepted"
    ]


def test_all_faults_of_a_file_come_in_one_report(tmp_path: Path) -> None:
    """The report is sorted by line, whatever was found first."""
    functions = of_type("<dataTypeReference>n.X</dataTypeReference><type>11</type>")
    functions += "\n<appfunction><id>n#g</id><scope>wide</scope></appfunction>"
    found = faults(tmp_path, functions, component("n.A", "<type>12</type>"))
    assert [fault.partition(":")[0] for fault in found] == ["3", "5", "7"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<functions/>", "1: the root element is <functions>; accepted is <appfunctions>"),
        (
            '<a:appfunctions xmlns:a="urn:a"/>',
            "1: the root element is <a:appfunctions> of the namespace 'urn:a', where none is",
        ),
        ("<appfunctions>", "1: not well-formed XML"),
        ("<!DOCTYPE a><appfunctions/>", "1: a document type declaration"),
        ("", "1: this file is empty"),
    ],
)
def test_what_is_no_functions_xml_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    """Field case F91 for the functions: no DTD is ever read."""
    path = written(tmp_path, text)
    with pytest.raises(MetadataXmlError) as caught:
        read_functions_xml(path)
    assert str(caught.value).startswith(f"{path}:{expected}")


def test_a_file_that_is_too_large_is_refused_and_a_large_one_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "<appfunctions>" + " " * 1_500_000 + "</appfunctions>")
    assert read_functions_xml(path) == AndroidDocument()
    path.write_text(" " * (MAX_FUNCTIONS_XML_BYTES + 1), encoding="utf-8")
    with pytest.raises(MetadataXmlError, match="larger than 2,097,152 bytes"):
        read_functions_xml(path)


def test_many_wrong_names_are_reported_in_no_time(tmp_path: Path) -> None:
    """A hostile file costs what its size costs, whatever it holds."""
    chain = "".join(
        component(f"n{i}", f"<type>11</type><dataTypeReference>n{i + 1}</dataTypeReference>")
        for i in range(4000)
    )
    wrong = "".join(
        component(
            f"m{i}",
            f"<type>12</type><allOf><type>11</type><dataTypeReference>n{i}</dataTypeReference>"
            f"</allOf><allOf><type>11</type><dataTypeReference>o{i}</dataTypeReference></allOf>",
        )
        for i in range(4000)
    )
    before = time.perf_counter()
    found = faults(tmp_path, "", chain + wrong)
    assert time.perf_counter() - before < 10
    assert found[-1] == "1: more than 100 faults; the rest is left out"


def test_many_warnings_are_cut(tmp_path: Path) -> None:
    unknown = "".join(f"<x{i}/>" for i in range(200))
    document = read(tmp_path, f"<appfunction><id>n#f</id>{unknown}</appfunction>")
    assert len(document.warnings) == 101
    assert warnings(document)[-1] == "1: more than 100 warnings; the rest is left out"


def test_types_that_stand_too_deep_in_each_other_are_refused(tmp_path: Path) -> None:
    parts = "<itemType>" * 46 + "<type>8</type>" + "<type>10</type></itemType>" * 46
    found = faults(tmp_path, of_type(parts + "<type>10</type>"))
    assert any("types stand in each other more than 45 deep" in fault for fault in found)


LEFT_OUT = {
    "an unknown element": (
        of_type("<maxLength>5</maxLength><type>8</type>"),
        "4: x: the unknown element <maxLength> is not carried over",
    ),
    "a misspelled element": (
        of_type("<descriptions>D</descriptions><type>8</type>"),
        (
            "4: x: the unknown element <descriptions> is not carried over; "
            "perhaps <description> is meant"
        ),
    ),
    "an element of another namespace": (
        '<appfunction><id>n#f</id><a:scope xmlns:a="urn:a">x</a:scope></appfunction>',
        (
            "2: function 'n#f': the unknown element <a:scope> is not carried over; perhaps "
            "<scope> is meant"
        ),
    ),
    "an element that means nothing there": (
        of_type("<enumValues>1</enumValues><type>6</type>"),
        "4: x: <enumValues> means nothing to type 6 (long) and is not carried over",
    ),
    "an attribute": (
        '<appfunction version="2"><id>n#f</id></appfunction>',
        "2: the attribute 'version' is not carried over",
    ),
    "an attribute of a text": (
        '<appfunction><id lang="en">n#f</id></appfunction>',
        "2: the attribute 'lang' is not carried over",
    ),
    "a value twice": (
        of_type("<enumValues>a</enumValues><enumValues>a</enumValues><type>8</type>"),
        "3: x: a value stands twice among the enumValues; one is carried over",
    ),
    "half a schema": (
        "<appfunction><id>n#f</id><schemaName>a</schemaName></appfunction>",
        (
            "2: function 'n#f': the schema is not carried over, as Android ignores it: it needs a "
            "category, a name and a version from 1"
        ),
    ),
    "a schema of version 0": (
        (
            "<appfunction><function_id>n#f</function_id><schema_category>a</schema_category>"
            "<schema_name>a</schema_name><schema_version>0</schema_version></appfunction>"
        ),
        (
            "2: function 'n#f': the schema is not carried over, as Android ignores it: it needs a "
            "category, a name and a version from 1"
        ),
    ),
}


@pytest.mark.parametrize(("functions", "expected"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_android_ignores_is_left_out_and_told(
    tmp_path: Path, functions: str, expected: str
) -> None:
    document = read(tmp_path, functions)
    assert warnings(document) == [expected]
    assert document.functions[0].schema is None
