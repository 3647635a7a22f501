"""Kotlin of documents: services, classes, what they inherit, and what Kotlin has no word for."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings

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
from appfunctions_mcp.android.kotlin.files import kotlin_files
from appfunctions_mcp.android.references import object_of
from appfunctions_mcp.android.standard_types import DATE_TYPES
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from tests.support.android_documents import compiled_documents, documents, kotlin_names
from tests.support.corpus import corpus
from tests.support.kotlin_documents import moved, plain
from tests.support.kotlin_lexer import tokens_of
from tests.support.kotlin_reading import (
    described_classes,
    described_functions,
    skeleton,
)

PACKAGE = "com.example.app"
OWNER = "com.a.BaseNoteService"
UNIT = AndroidResponse(type=ScalarType(kind=TypeNumber.UNIT))
SLOW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def scalar(kind: TypeNumber, **further: object) -> ScalarType:
    return replace(ScalarType(kind=kind), **further)  # type: ignore[arg-type] # fields of the record


STRING = scalar(TypeNumber.STRING)
INT = scalar(TypeNumber.INT)


def thing(name: str, /, **properties: DataType) -> ObjectType:
    """An object with required properties."""
    return ObjectType(
        name=name,
        nullable=True,
        properties=tuple(AndroidProperty(*each) for each in properties.items()),
        required=tuple(properties),
    )


def document(
    *functions: AndroidFunction, components: dict[str, DataType] | None = None
) -> AndroidDocument:
    return AndroidDocument(
        functions=functions,
        components=tuple(AndroidComponent(*each) for each in (components or {}).items()),
    )


def function(
    name: str = "create", *parameters: AndroidParameter, **further: object
) -> AndroidFunction:
    made = AndroidFunction(id=f"{OWNER}#{name}", parameters=parameters, response=UNIT)
    return replace(made, **further)  # type: ignore[arg-type] # fields of the record


def parameter(of: DataType, name: str = "x", **further: object) -> AndroidParameter:
    made = AndroidParameter(name=name, type=of, required=True)
    return replace(made, **further)  # type: ignore[arg-type] # fields of the record


def written(found: AndroidDocument, *, package: str = PACKAGE) -> dict[str, str]:
    return kotlin_files({"notes": found}, package=package)


def service_of(found: AndroidDocument) -> str:
    return written(found)["com/a/BaseNoteService.kt"]


def class_of(components: dict[str, DataType], name: str) -> str:
    return written(document(components=components))[f"com/a/{name}.kt"]


def refusal(found: AndroidDocument) -> str:
    with pytest.raises(AppFunctionDeclarationError) as raised:
        written(found)
    return str(raised.value)


def test_a_function_is_a_method_of_the_class_that_its_id_names() -> None:
    note = thing("com.a.Note", title=STRING)
    create = function(
        "createNote",
        parameter(STRING, "title", description="The title."),
        description="Creates a note.",
        enabled_by_default=False,
        response=AndroidResponse(type=ReferenceType(name="com.a.Note"), description="The note."),
    )
    assert service_of(document(create, components={"com.a.Note": note})) == (
        """\
package com.a

import androidx.appfunctions.AppFunctionDeclaration
import androidx.appfunctions.AppFunctionNotSupportedException
import androidx.appfunctions.AppFunctionService
import androidx.appfunctions.AppFunctionServiceEntryPoint

@AppFunctionServiceEntryPoint(serviceName = "NoteService", appFunctionXmlFileName = "notes")
abstract class BaseNoteService : AppFunctionService() {
    /**
     * Creates a note.
     *
     * @param title The title.
     * @return The note.
     */
    @AppFunctionDeclaration(isEnabled = false, isDescribedByKDoc = true)
    suspend fun createNote(title: String): Note {
        throw AppFunctionNotSupportedException("createNote is not written yet.")
    }
}
"""
    )


def test_an_id_of_a_python_module_gets_a_service_in_the_given_package() -> None:
    make = replace(function(), id="sample_app.notes#create_note")
    files = written(document(make))
    text = files["com/example/app/BaseNotesService.kt"]
    assert 'serviceName = "NotesService"' in text
    assert "suspend fun create_note()" in text
    assert "com.example.app.BaseNotesService: on Android, the ids" in files["NOTES.md"]
    assert "sample_app.notes#" in files["NOTES.md"]


def test_an_id_that_is_no_class_and_method_is_made_one_of() -> None:
    files = written(document(replace(function(), id="com.example.notes/create note!")))
    assert "suspend fun `create note_`()" in files["com/example/app/BaseNotesService.kt"]
    assert "its id on Android is com.example.app.BaseNotesService#create note_" in files["NOTES.md"]


def test_a_service_that_is_no_base_gets_a_generated_one_of_another_name() -> None:
    names = {"com.a.Notes#a": "NotesService", "com.a.NoteService#a": "NoteServiceImpl"}
    for function_id, expected in names.items():
        files = written(document(replace(function(), id=function_id)))
        assert any(f'serviceName = "{expected}"' in text for text in files.values())


def test_functions_of_several_classes_get_an_xml_each() -> None:
    one = replace(function("a"), id="com.a.One#a")
    two = replace(function("a"), id="com.a.Outer.Two#a")
    files = written(document(one, two))
    assert 'appFunctionXmlFileName = "notes_one"' in files["com/a/One.kt"]
    outer = files["com/a/Outer.kt"]
    assert "object Outer {\n    @AppFunctionServiceEntryPoint(" in outer
    assert '"notes_two"' in outer


def test_a_name_of_an_xml_that_is_none_is_made_of_the_class() -> None:
    files = kotlin_files({"my notes/€": document(function())}, package=PACKAGE)
    assert '"base_note_service"' in files["com/a/BaseNoteService.kt"]


def test_two_ids_that_are_one_name_in_kotlin_stay_two_functions() -> None:
    files = written(document(*(replace(function(), id=f"x/{end}") for end in ("a!", "a?"))))
    text = files["com/example/app/BaseNotesService.kt"]
    assert "fun a_()" in text
    assert "fun a_2()" in text


def test_a_service_never_takes_the_name_of_a_class() -> None:
    note = thing(OWNER, title=STRING)
    files = written(document(function(), components={OWNER: note}))
    assert "data class BaseNoteService(" in files["com/a/BaseNoteService.kt"]
    assert "abstract class BaseNoteService2 " in files["com/a/BaseNoteService2.kt"]


def test_a_method_that_android_has_already_is_named_otherwise() -> None:
    delete = function("deleteFile", parameter(STRING, "name"))
    files = written(document(delete, function("toString")))
    text = files["com/a/BaseNoteService.kt"]
    assert "suspend fun deleteFileFunction(name: String)" in text
    assert "suspend fun toStringFunction()" in text
    assert "Android's services have a method deleteFile already" in files["NOTES.md"]
    other = service_of(document(function("deleteFile", parameter(INT, "name"))))
    assert "suspend fun deleteFile(name: Int)" in other


TYPES: list[tuple[DataType, str, str]] = [
    (INT, "Int", "0"),
    (scalar(TypeNumber.LONG), "Long", "0L"),
    (scalar(TypeNumber.FLOAT), "Float", "0f"),
    (scalar(TypeNumber.DOUBLE), "Double", "0.0"),
    (scalar(TypeNumber.BOOLEAN), "Boolean", "false"),
    (scalar(TypeNumber.BYTES), "ByteArray", "byteArrayOf()"),
    (replace(STRING, nullable=True), "String?", "null"),
    (ArrayType(items=INT), "IntArray", "intArrayOf()"),
    (ArrayType(items=scalar(TypeNumber.LONG), nullable=True), "LongArray?", "null"),
    (ArrayType(items=scalar(TypeNumber.DOUBLE)), "DoubleArray", "doubleArrayOf()"),
    (ArrayType(items=STRING), "List<String>", "emptyList()"),
    (ArrayType(items=replace(STRING, nullable=True)), "List<String?>", "emptyList()"),
    (uri_type(nullable=True), "Uri?", "null"),
    (ArrayType(items=uri_type()), "List<Uri>", "emptyList()"),
    (ParcelableType(nullable=True), "PendingIntent?", "null"),
    (ParcelableType(name="android.graphics.Bitmap", nullable=True), "Bitmap?", "null"),
    (ReferenceType(name="java.time.Instant", nullable=True), "Instant?", "null"),
    (ArrayType(items=ReferenceType(name="java.time.LocalDate")), "List<LocalDate>", "emptyList()"),
]


@pytest.mark.parametrize(("of", "kotlin", "default"), TYPES, ids=[each[1] for each in TYPES])
def test_every_type_has_its_word_and_its_empty_value(
    of: DataType, kotlin: str, default: str
) -> None:
    create = function(
        "create",
        parameter(of),
        parameter(of, "y", required=False),
        response=AndroidResponse(type=of),
    )
    text = service_of(document(create, components=dict(DATE_TYPES)))
    assert f"fun create(x: {kotlin}, y: {kotlin} = {default}): {kotlin} {{" in text


REFUSED: list[tuple[DataType, str]] = [
    (scalar(TypeNumber.UNIT), "unit is no value"),
    (ArrayType(items=scalar(TypeNumber.BYTES)), "a list of bytes has no word in Kotlin"),
    (ArrayType(items=ArrayType(items=INT)), "a list of lists has no word in Kotlin"),
    (ArrayType(items=replace(INT, nullable=True)), "a list of int values that may be null"),
    (ParcelableType(name="android.os.Parcelable"), "android.os.Parcelable is any parcelable"),
    (ParcelableType(name="a.B/C"), "holds U\\+002F"),
    (thing("java.time.Instant", x=INT), "is a class of Android's or of Kotlin's"),
    (thing("kotlin.Pair", x=INT), "is a class of Android's or of Kotlin's"),
    (thing("a.B`", x=INT), "holds U\\+0060"),
]


@pytest.mark.parametrize(("of", "text"), REFUSED, ids=[each[1] for each in REFUSED])
def test_a_type_without_a_word_is_refused_with_file_function_and_parameter(
    of: DataType, text: str
) -> None:
    create = function("create", parameter(of))
    with pytest.raises(
        AppFunctionDeclarationError,
        match=f"app.py:7: function 'com.a.BaseNoteService#create', parameter 'x': .*{text}",
    ):
        kotlin_files({"notes": document(create)}, package=PACKAGE, sources={create.id: "app.py:7"})


@pytest.mark.parametrize(
    "of", [STRING, uri_type(), ParcelableType(), ReferenceType(name="java.time.ZoneId")]
)
def test_what_is_optional_and_has_no_empty_value_is_refused(of: DataType) -> None:
    create = function("create", parameter(of, required=False))
    text = refusal(document(create, components=dict(DATE_TYPES)))
    assert "parameter 'x': what is optional and never null is a number" in text


def test_all_that_has_no_word_comes_in_one_report() -> None:
    bad = parameter(scalar(TypeNumber.UNIT), "a"), parameter(INT, "b*")
    note = thing("com.a.Note", **{"c.d": INT}, e=ArrayType(items=ArrayType(items=INT)))
    found = document(function("create", *bad), components={"com.a.Note": note})
    faults = refusal(found).splitlines()
    assert len(faults) == 4
    assert "type 'com.a.Note', property 'c.d': the name 'c.d' holds U+002E" in faults[2]


def test_a_document_that_no_reader_accepts_is_refused() -> None:
    found = document(function("create", parameter(ReferenceType(name="com.a.Nowhere"))))
    assert "document 'notes': " in refusal(found)
    assert "'com.a.Nowhere' names no component" in refusal(found)


def test_a_package_that_is_none_is_refused() -> None:
    with pytest.raises(AppFunctionDeclarationError, match=r"package .*: the name '' is empty"):
        written(document(function()), package="com..x")


def test_a_value_constraint_stands_where_android_reads_it() -> None:
    word = scalar(
        TypeNumber.STRING,
        enum_values=("A$", 'B"'),
        patterns=(StringPattern("a.*", 2), StringPattern("new", 42)),
        format="word",
    )
    number = scalar(TypeNumber.INT, enum_values=("-2147483648", "7"))
    link = uri_type(patterns=(StringPattern("content:", 1), StringPattern("https:", 1)))
    note = thing("com.a.Note", number=number, links=ArrayType(items=link))
    create = function("create", parameter(word), response=AndroidResponse(type=number))
    files = written(document(create, components={"com.a.Note": note}))
    service = files["com/a/BaseNoteService.kt"]
    assert 'enumValues = [ "A\\$", "B\\"", ],' in " ".join(service.split())
    assert 'AppFunctionPatternMatcher("a.*", PatternMatcher.PATTERN_SIMPLE_GLOB)' in service
    assert 'AppFunctionPatternMatcher("new", 42)' in service
    assert (
        "    @AppFunctionIntValueConstraint(enumValues = [-2147483648, 7])\n    suspend" in service
    )
    assert (
        '    @property:AppFunctionUriValueConstraint(allowedSchemes = ["content", "https"])\n'
        "    val links: List<Uri>,"
    ) in files["com/a/Note.kt"]


def test_a_pattern_of_an_address_that_is_no_scheme_is_noted() -> None:
    link = uri_type(patterns=(StringPattern("https://example.com/", 1),))
    files = written(document(function("create", parameter(link))))
    assert "x: Uri)" in files["com/a/BaseNoteService.kt"]
    assert "parameter 'x': the patterns of the address are no schemes" in files["NOTES.md"]


def test_what_a_function_says_of_itself_stands_in_annotations() -> None:
    create = function(
        "create",
        deprecation='Use "add" for $5.',
        access_level=AppFunctionAccessLevel.SYSTEM,
        compat_enforcement=False,
    )
    text = service_of(document(create, function("add", compat_enforcement=True)))
    assert text.startswith("@file:OptIn(ExperimentalAppFunctionsApi::class)\n\npackage com.a\n")
    assert '@Deprecated("Use \\"add\\" for \\$5.")' in text
    flat = " ".join(text.split())
    assert (
        "@AppFunctionAccessLevel( level = AppFunctionMetadata.ACCESS_LEVEL_SYSTEM, "
        "isCompatEnforcementEnabled = false, )"
    ) in flat
    assert "level = AppFunctionMetadata.ACCESS_LEVEL_ANDROID_TRUSTED, isCompat" in flat


def test_a_schema_is_an_interface_that_the_service_implements() -> None:
    schema = AppFunctionSchema("notes", "create$note", 3)
    create = function(
        "create",
        parameter(INT),
        parameter(STRING, "y"),
        parameter(INT, "z", required=False),
        schema=schema,
        response=AndroidResponse(type=STRING),
    )
    text = service_of(document(create))
    assert "abstract class BaseNoteService : AppFunctionService(), CreateNoteSchema {" in text
    assert "override suspend fun create(x: Int, y: String, z: Int): String {" in text
    assert text.endswith(
        """
@AppFunctionSchemaDefinition(name = "create\\$note", version = 3, category = "notes")
interface CreateNoteSchema {
    suspend fun create(x: Int, y: String, z: Int = 0): String
}
"""
    )
    newer = replace(create, schema=replace_version(schema, 2**31))
    assert "the schema's version is 2147483648" in refusal(document(newer))


def replace_version(schema: AppFunctionSchema, version: int) -> AppFunctionSchema:
    return AppFunctionSchema(schema.category, schema.name, version)


def test_a_function_with_a_scope_is_a_signature() -> None:
    show = replace(
        function("show", parameter(INT, required=False)),
        id="com.a.ShowNote#show",
        scope=AppFunctionScope.ACTIVITY,
        access_level=AppFunctionAccessLevel.SELF,
        schema=AppFunctionSchema("notes", "show", 1),
    )
    files = written(document(show))
    flat = " ".join(files["com/a/ShowNote.kt"].split())
    assert "scope = AppFunctionMetadata.SCOPE_ACTIVITY," in flat
    assert "ACCESS_LEVEL_SELF, isCompatEnforcementEnabled = true, ) fun interface" in flat
    assert "fun interface ShowNote { suspend fun show(x: Int) }" in flat
    assert "parameter 'x': it is required here; a signature has no defaults" in files["NOTES.md"]
    assert "its schema is left out" in files["NOTES.md"]
    manifest = files["AndroidManifest.fragment.xml"]
    assert (
        'android:name="android.app.appfunctions"\n            android:value="notes.xml"' in manifest
    )
    assert "<service" not in manifest


def test_signatures_stand_in_an_xml_of_their_own_beside_a_service() -> None:
    scoped = function(scope=AppFunctionScope.GLOBAL)
    one, two = (replace(scoped, id=f"com.a.Live#{name}") for name in ("a", "b"))
    free = replace(scoped, id="x/c")
    files = written(document(function(), one, two, free))
    assert '"notes_signatures"' in files["com/a/LiveA.kt"]
    assert "fun interface LiveB" in files["com/a/LiveB.kt"]
    assert "fun interface NotesSignature {" in files["com/example/app/NotesSignature.kt"]
    manifest = ET.fromstring(files["AndroidManifest.fragment.xml"])  # noqa: S314 - our own text
    values = [each.attrib.values() for each in manifest.iter("property")]
    assert ["android.app.appfunctions", "notes_signatures.xml"] in list(map(list, values))


def test_a_document_that_says_nothing_of_parameters_is_noted() -> None:
    files = written(document(function(response=None)))
    assert "the document says nothing of its parameters and its result" in files["NOTES.md"]


def test_what_kotlin_cannot_describe_is_noted() -> None:
    told = scalar(TypeNumber.STRING, description="A text.")
    unit = AndroidResponse(type=scalar(TypeNumber.UNIT, nullable=True))
    files = written(
        document(
            function("a", parameter(told), parameter(ArrayType(items=told), "y"), response=unit)
        )
    )
    notes = files["NOTES.md"]
    assert "parameter 'x': the description of its type is left out" in notes
    assert "parameter 'y': the description of its items is left out" in notes
    assert "result: it is unit, never null" in notes


def test_an_object_that_is_no_component_becomes_a_class() -> None:
    note = thing("com.a.Note", title=STRING)
    nameless = replace(thing("", n=INT), description="A number.")
    files = written(
        document(
            function("create", parameter(note), parameter(replace(note, nullable=False), "y")),
            function("count", parameter(nameless)),
            function("other", parameter(ArrayType(items=nameless))),
        )
    )
    assert "fun create(x: Note?, y: Note)" in files["com/a/BaseNoteService.kt"]
    assert "fun count(x: CountX?)" in files["com/a/BaseNoteService.kt"]
    assert "/** A number. */" in files["com/example/app/CountX.kt"]
    assert "x: List<OtherXItem?>" in files["com/a/BaseNoteService.kt"]


def test_two_objects_of_one_name_that_differ_are_refused() -> None:
    one, two = thing("com.a.Note", title=STRING), thing("com.a.Note", title=INT)
    found = document(function("create", parameter(one), parameter(two, "y")))
    assert "parameter 'y': there are two objects 'com.a.Note' that differ" in refusal(found)


def test_two_documents_share_their_types_if_they_agree() -> None:
    note = thing("com.a.Note", title=STRING)
    one = document(function("a"), components={"com.a.Note": note})
    two = document(function("b"), components={"com.a.Note": note})
    files = kotlin_files({"one": one, "two": two}, package=PACKAGE)
    assert "fun a()" in files["com/a/BaseNoteService.kt"]
    assert "fun b()" in files["com/a/BaseNoteService.kt"]
    other = document(components={"com.a.Note": thing("com.a.Note", title=INT)})
    with pytest.raises(AppFunctionDeclarationError, match="two documents have types of this name"):
        kotlin_files({"one": one, "two": other}, package=PACKAGE)


def test_a_subclass_redeclares_what_it_inherits() -> None:
    base = replace(thing("com.a.Base", id=STRING), description="A base.")
    own = thing("com.a.Note", title=replace(STRING, description="The title."))
    note = AllOfType(
        name="com.a.Note", members=(ReferenceType(name="com.a.Base"), own), nullable=True
    )
    components: dict[str, DataType] = {"com.a.Base": base, "com.a.Note": note}
    assert "open class Base(\n    open val id: String,\n)\n" in class_of(components, "Base")
    assert class_of(components, "Note").endswith(
        """
data class Note(
    override val id: String,
    /** The title. */
    val title: String,
) : Base(id = id)
"""
    )


def test_a_capability_is_an_interface() -> None:
    can_open = ObjectType(
        name="com.a.CanOpen",
        properties=(
            AndroidProperty("intent", ParcelableType(description="Opens it.")),
            AndroidProperty("tags", ArrayType(items=STRING)),
        ),
        required=("intent",),
    )
    container = ObjectType(
        name="androidx.appfunctions.AppFunctionResourceContainer",
        properties=(
            AndroidProperty(
                "resources",
                ArrayType(
                    items=ReferenceType(name="androidx.appfunctions.AppFunctionTextResource")
                ),
            ),
        ),
    )
    text = thing("androidx.appfunctions.AppFunctionTextResource", mimeType=STRING, content=STRING)
    components: dict[str, DataType] = {
        text.name: text,
        "com.a.One": AllOfType(name="com.a.One", members=(can_open, container)),
        "com.a.Two": AllOfType(name="com.a.Two", members=(can_open, thing("com.a.Two", n=INT))),
    }
    assert class_of(components, "CanOpen").endswith(
        """
@AppFunctionSchemaCapability
interface CanOpen {
    /** Opens it. */
    val intent: PendingIntent
    val tags: List<String>
        get() = emptyList()
}
"""
    )
    one = class_of(components, "One")
    assert "override val resources: List<AppFunctionTextResource> = emptyList()," in one
    assert ") : CanOpen, AppFunctionResourceContainer" in one
    assert one.startswith("@file:OptIn(")
    assert not any("TextResource.kt" in path for path in written(document(components=components)))


def flat_note(*members: DataType, **components: DataType) -> str:
    """The notes on a class that Kotlin cannot let inherit."""
    whole = AllOfType(name="com.a.Note", members=members)
    named = {f"com.a.{name}": each for name, each in components.items()}
    files = written(document(components={**named, "com.a.Note": whole}))
    assert "data class Note(" in files["com/a/Note.kt"]
    assert "override" not in files["com/a/Note.kt"]
    return files["NOTES.md"]


def test_an_all_of_that_kotlin_cannot_inherit_is_one_class() -> None:
    a, b = thing("com.a.A", x=INT), thing("com.a.B", y=INT)
    to_a, to_b = ReferenceType(name="com.a.A"), ReferenceType(name="com.a.B")
    expected = "type 'com.a.Note': Kotlin cannot inherit as its allOf does"
    own = thing("com.a.Note", z=INT)
    assert expected in flat_note(to_a, to_b, A=a, B=b)
    assert expected in flat_note(to_a, thing("com.a.Note", x=STRING), A=a)
    assert expected in flat_note(AllOfType(name="com.a.C", members=(own,)))
    assert expected in flat_note(own, thing("", q=INT))
    assert expected in flat_note(thing("com.a.A", x=INT), A=a)
    assert expected in flat_note(thing("android.x.Can", x=INT))
    assert expected in flat_note(thing("com.a.Box<kotlin.Int>", x=INT))
    assert expected in flat_note(ReferenceType(name="com.a.Other"), A=a, Other=to_a)


def test_descriptions_of_members_are_noted() -> None:
    member = replace(thing("com.a.Note", x=INT), description="Something else.")
    whole = AllOfType(name="com.a.Note", members=(member,), description="A note.")
    files = written(document(components={"com.a.Note": whole}))
    assert "the descriptions of its members are left out" in files["NOTES.md"]


def test_a_one_of_is_a_sealed_interface() -> None:
    components: dict[str, DataType] = {
        "com.a.Shape": OneOfType(
            name="com.a.Shape",
            members=(ReferenceType(name="com.a.Shape$Circle"), thing("com.a.Square", s=INT)),
            description="A shape.",
        ),
        "com.a.Shape$Circle": thing("com.a.Shape$Circle", r=INT),
    }
    assert class_of(components, "Shape").endswith(
        """
/** A shape. */
@AppFunctionSerializable(isDescribedByKDoc = true)
sealed interface Shape {
    @AppFunctionSerializable(isDescribedByKDoc = true)
    data class Circle(
        val r: Int,
    ) : Shape
}
"""
    )
    assert ") : Shape\n" in class_of(components, "Square")


def test_a_one_of_that_kotlin_cannot_seal_is_refused() -> None:
    far = thing("com.b.Far", x=INT)
    box = thing("com.a.Box<kotlin.Int>", value=INT)

    def shape(*members: DataType, name: str = "com.a.Shape") -> str:
        return refusal(document(components={name: OneOfType(name=name, members=members)}))

    assert "the member 'com.b.Far' stands in another package" in shape(far)
    assert "the member 'com.a.Box' is no class of this app" in shape(box)
    assert "a oneOf has no type parameters" in shape(far, name="com.a.Shape<kotlin.Int>")
    instant = refusal(
        document(
            components={
                **DATE_TYPES,
                "com.a.S": OneOfType(
                    name="com.a.S", members=(ReferenceType(name="java.time.Instant"),)
                ),
            }
        )
    )
    assert "the member 'java.time.Instant' is no class of this app" in instant


def test_components_with_type_arguments_are_one_generic_class() -> None:
    note = thing("com.a.Note", title=STRING)
    notes = ArrayType(items=ReferenceType(name="com.a.Note"))
    values: dict[str, DataType] = {
        "kotlin.Int": INT,
        "kotlin.String?": replace(STRING, nullable=True),
        "kotlin.collections.List<com.a.Note>?": replace(notes, nullable=True),
    }
    components: dict[str, DataType] = {"com.a.Note": note}
    for argument, value in values.items():
        name = f"com.a.SetField<{argument}>"
        components[name] = thing(name, value=value)
    use = [ReferenceType(name=name, nullable=True) for name in components if "<" in name]
    create = function("create", *(parameter(each, f"x{i}") for i, each in enumerate(use)))
    files = written(document(create, components=components))
    assert "data class SetField<T>(\n    val value: T,\n)\n" in files["com/a/SetField.kt"]
    assert "x0: SetField<Int>?" in files["com/a/BaseNoteService.kt"]
    assert "x1: SetField<String?>?" in files["com/a/BaseNoteService.kt"]
    assert "x2: SetField<List<Note>?>?" in files["com/a/BaseNoteService.kt"]


def generic(*forms: tuple[str, ObjectType]) -> AndroidDocument:
    return document(components={f"com.a.Box<{arguments}>": form for arguments, form in forms})


def test_what_follows_from_a_type_argument_is_found() -> None:
    def form(of: DataType) -> ObjectType:
        made = thing(
            "",
            may=replace(of, nullable=True),
            all=ArrayType(items=of),
            some=ArrayType(items=of, nullable=True),
            name=STRING,
        )
        return replace(made, required=("all", "name", "some"))

    box = form(ReferenceType(name="com.a.T"))
    other = form(STRING)
    found = generic(("com.a.T", box), ("kotlin.String", other))
    found = replace(
        found, components=(*found.components, AndroidComponent("com.a.T", thing("com.a.T", x=INT)))
    )
    text = written(found)["com/a/Box.kt"]
    assert "data class Box<U>(" in text
    assert "val may: U? = null," in text
    assert "val all: List<U>," in text
    assert "val some: List<U>?," in text
    assert "val name: String," in text


def test_components_that_are_no_one_generic_class_are_refused() -> None:
    one = thing("", value=INT)
    text = refusal(generic(("kotlin.Int", one), ("kotlin.Int,kotlin.Int", one)))
    assert "type 'com.a.Box': its components have different numbers of type arguments" in text
    text = refusal(generic(("kotlin.Int", one), ("kotlin.Long", thing("", other=INT))))
    assert "its components have different properties" in text
    text = refusal(generic(("kotlin.Int", one), ("kotlin.Long", thing("", value=STRING))))
    assert "its types in the components do not follow from their type arguments" in text
    optional = replace(one, required=())
    assert "of a type argument is required" in refusal(generic(("kotlin.Int", optional)))
    both: dict[str, DataType] = {"com.a.Box<kotlin.Int>": one, "com.a.Box": one}
    assert "another type has the same name" in refusal(document(components=both))


def test_what_a_generic_class_cannot_say_is_noted() -> None:
    def form(kind: TypeNumber, text: str, **further: object) -> ObjectType:
        return thing("", value=scalar(kind, description=text, **further))

    few = form(TypeNumber.STRING, "One.", enum_values=("A",))
    files = written(generic(("kotlin.String", few), ("kotlin.Int", form(TypeNumber.INT, "Two."))))
    assert "/** One. */\n    val value: T," in files["com/a/Box.kt"]
    assert "its components describe it differently" in files["NOTES.md"]
    assert "the values that its components accept are left out" in files["NOTES.md"]


def test_a_class_is_nested_where_its_name_says() -> None:
    components: dict[str, DataType] = {
        "com.a.Out$In$Deep": thing("", x=INT),
        "com.a.Out$In$Other": thing("", y=ReferenceType(name="com.a.Out$In$Deep")),
        f"{OWNER}$Page": thing("", y=ReferenceType(name="com.a.Out$In$Deep")),
    }
    files = written(document(function(), components=components))
    assert "object Out {\n    object In {\n" in files["com/a/Out.kt"]
    assert "val y: Out.In.Deep," in files["com/a/Out.kt"]
    assert "    data class Page(" in files["com/a/BaseNoteService.kt"]


def test_a_name_that_means_something_else_in_a_file_is_written_in_full() -> None:
    components: dict[str, DataType] = {
        "com.a.String": thing("", value=STRING),
        "com.a.List": thing("", all=ArrayType(items=ReferenceType(name="com.a.String"))),
        "com.a.Uri": thing("", uri=uri_type()),
        "com.a.Note": thing("", other=ReferenceType(name="com.b.Note")),
        "com.b.Note": thing("", uri=uri_type(), far=ReferenceType(name="com.a.String")),
        "com.b.Pen": thing("", far=ReferenceType(name="com.a.Uri")),
    }
    files = written(document(components=components))
    assert "val value: kotlin.String," in files["com/a/String.kt"]
    assert "val all: kotlin.collections.List<String>," in files["com/a/List.kt"]
    assert "val uri: android.net.Uri," in files["com/a/Uri.kt"]
    assert "val other: com.b.Note," in files["com/a/Note.kt"]
    assert "val far: com.a.String," in files["com/b/Note.kt"]
    assert "import com.a.Uri\n" in files["com/b/Pen.kt"]


def test_two_foreign_classes_of_one_name_are_told_apart() -> None:
    one, two = ParcelableType(name="x.a.Blob"), ParcelableType(name="x.b.Blob")
    text = service_of(document(function("a", parameter(one), parameter(two, "y"))))
    assert "import x.a.Blob\n" in text
    assert "fun a(x: Blob, y: x.b.Blob)" in text
    odd = service_of(document(function("a", parameter(ParcelableType(name="x.List")))))
    assert "fun a(x: x.List)" in odd
    near = service_of(document(function("a", parameter(ParcelableType(name="com.a.Blob")))))
    assert "fun a(x: com.a.Blob)" in near


def test_a_class_without_a_package_stands_in_the_given_one() -> None:
    files = written(document(components={"Note": thing("", x=INT)}))
    assert "package com.example.app" in files["com/example/app/Note.kt"]


def test_properties_with_one_getter_are_refused() -> None:
    text = refusal(document(components={"com.a.A": thing("", url=INT, Url=INT, isOn=INT)}))
    assert "on the JVM its getter is getUrl, which the property 'url' has" in text
    text = refusal(document(components={"com.a.A": thing("", **{"class": INT})}))
    assert "its getter is getClass, which the class itself has" in text
    assert written(document(components={"com.a.A": thing("", issue=INT, isSue=INT)}))


def test_more_than_the_jvm_takes_is_refused() -> None:
    wide = thing("com.a.Wide", **{f"p{number}": INT for number in range(121)})
    many = function("many", *(parameter(INT, f"p{number}") for number in range(121)))
    text = refusal(document(many, components={"com.a.Wide": wide}))
    assert "it has 121 parameters" in text
    assert "it has 121 properties" in text
    long = function("long", description=" " + "x" * 70000)
    assert "function 'com.a.BaseNoteService#long': the text" in refusal(document(long))


def test_files_that_differ_in_case_alone_have_names_of_their_own() -> None:
    files = written(
        document(components={"com.a.Note": thing("", x=INT), "com.a.note": thing("", x=INT)})
    )
    assert {"com/a/Note.kt", "com/a/note_2.kt"} <= files.keys()


def test_an_alias_is_what_it_stands_for() -> None:
    components: dict[str, DataType] = {
        "com.a.Numbers": ArrayType(items=scalar(TypeNumber.INT, enum_values=("1",)), nullable=True),
        "com.a.Link": uri_type(nullable=True),
        "com.a.Note": thing("", n=ReferenceType(name="com.a.Numbers", description="Some.")),
    }
    create = function("create", parameter(ReferenceType(name="com.a.Link")))
    files = written(document(create, components=components))
    assert "fun create(x: Uri)" in files["com/a/BaseNoteService.kt"]
    note = files["com/a/Note.kt"]
    assert "/** Some. */\n    @property:AppFunctionIntValueConstraint(enumValues = [1])" in note
    assert "val n: IntArray," in note


def test_the_fragments_name_service_and_xml() -> None:
    files = written(document(function()))
    manifest = ET.fromstring(files["AndroidManifest.fragment.xml"])  # noqa: S314 - our own text
    android = "{http://schemas.android.com/apk/res/android}"
    (service,) = manifest.iter("service")
    assert service.get(f"{android}name") == "com.a.NoteService"
    assert [each.get(f"{android}value") for each in service.iter("property")] == [
        "app_functions_schema.xsd",
        "notes.xml",
    ]
    assert 'ksp("androidx.appfunctions:appfunctions-compiler:' in files["build.gradle.kts.txt"]
    assert "NOTES.md" not in files


@SLOW
@given(documents())
def test_any_document_becomes_kotlin_or_is_refused_with_reasons(found: AndroidDocument) -> None:
    try:
        files = written(found)
    except AppFunctionDeclarationError:
        return
    for path, text in files.items():
        assert not path.startswith(("/", "."))
        assert ".." not in path
        if path.endswith(".kt"):
            tokens_of(text)


@SLOW
@given(documents(names=kotlin_names()) | compiled_documents())
def test_no_text_leaves_its_comment_or_its_string(found: AndroidDocument) -> None:
    """With other texts the code is the same, so no text is any of it."""
    try:
        files = written(found)
    except AppFunctionDeclarationError:
        return
    for path, text in written(plain(found)).items():
        if path.endswith(".kt"):
            assert skeleton(tokens_of(files[path])) == skeleton(tokens_of(text))


@SLOW
@given(compiled_documents())
def test_androids_compiler_reads_every_description_back(found: AndroidDocument) -> None:
    try:
        files = written(found)
    except AppFunctionDeclarationError:
        return
    kotlin = [tokens_of(text) for path, text in files.items() if path.endswith(".kt")]
    functions = {
        name: told for tokens in kotlin for name, told in described_functions(tokens).items()
    }
    for each in found.functions:
        if each.scope is not None:
            continue
        told = functions[each.id.rpartition("#")[2]]
        assert each.description == told.description
        assert {p.name: p.description for p in each.parameters} == told.parts
        assert each.response is not None
        assert each.response.description == told.result
    classes = {name: told for tokens in kotlin for name, told in described_classes(tokens).items()}
    components = {each.name: each.type for each in found.components}
    for name, of in components.items():
        if not isinstance(of, ObjectType) or "<" in name or name.count("$"):
            continue
        if (
            sum(
                other.replace("$", ".").rpartition(".")[2] == name.rpartition(".")[2]
                for other in components
            )
            > 1
        ):
            continue
        told = classes[name.rpartition(".")[2]]
        assert of.description == told.description
        properties = object_of(of, components).properties
        assert {each.name: each.type.description for each in properties} == told.parts


def test_the_real_documents_become_kotlin_without_a_note_on_their_types() -> None:
    folder = corpus("android_xml")
    for path in sorted(folder.glob("*.xml")):
        if "<appfunctions>" not in path.read_text(encoding="utf-8"):
            continue
        files = kotlin_files({path.stem: read_functions_xml(path)}, package=PACKAGE)
        assert "type '" not in files.get("NOTES.md", "")


def test_a_document_can_be_moved_to_other_packages() -> None:
    note = thing("com.a.Note", title=replace(STRING, description="com.a.Note"))
    (component,) = moved(document(components={"com.a.Note": note}), "other").components
    assert component.name == "other.a.Note"
    assert component.type == replace(note, name="other.a.Note")


def test_two_capabilities_of_one_name_that_differ_are_refused() -> None:
    one, two = thing("com.a.Can", x=INT), thing("com.a.Can", x=STRING)
    components: dict[str, DataType] = {
        "com.a.A": AllOfType(name="com.a.A", members=(one,)),
        "com.a.B": AllOfType(name="com.a.B", members=(two,)),
    }
    text = refusal(document(components=components))
    assert "type 'com.a.B': there are two objects 'com.a.Can' that differ" in text


def test_an_id_whose_class_has_an_impossible_name_gets_a_class_of_its_words() -> None:
    files = written(document(replace(function(), id="com.a.Note!Service#create")))
    assert "fun create()" in files["com/example/app/BaseNoteServiceService.kt"]


def test_a_result_without_a_word_is_refused() -> None:
    lists = ArrayType(items=ArrayType(items=INT))
    text = refusal(document(function("a", response=AndroidResponse(type=lists))))
    assert "function 'com.a.BaseNoteService#a', result: a list of lists has no word" in text


def test_type_arguments_that_are_none_are_part_of_the_name() -> None:
    for name in ("com.a.Box<>", "com.a.Box<a>b>", "com.a.Box<a<b>"):
        text = refusal(document(components={name: thing("", x=INT)}))
        assert "holds U+003C" in text


def test_a_library_class_may_stand_where_it_is_used() -> None:
    grant = thing("androidx.appfunctions.AppFunctionUriGrant", uri=uri_type(), modeFlags=INT)
    text = service_of(document(function("a", parameter(replace(grant, nullable=False)))))
    assert "fun a(x: AppFunctionUriGrant)" in text
    resource = thing("androidx.appfunctions.AppFunctionTextResource", text=STRING)
    text = refusal(document(components={resource.name: resource}))
    assert "'androidx.appfunctions.AppFunctionTextResource' is a class of Android's" in text
