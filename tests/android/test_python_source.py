"""The Python package of an Android app: what it looks like, and what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
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
from appfunctions_mcp.android.python.source import python_modules, python_package
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.exceptions import MetadataXmlError, SettingsError
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from tests.support.android_documents import (
    INT,
    STRING,
    document,
    function,
    object_type,
    parameter,
)
from tests.support.corpus import corpus
from tests.support.imported_packages import components, sources_of

NOTE = object_type("com.example.Note", title=STRING, done=ScalarType(kind=TypeNumber.BOOLEAN))

CONTACTS = AndroidDocument(
    functions=(
        AndroidFunction(
            id="com.example.chat.BaseChatService#searchContacts",
            enabled_by_default=True,
            description="Searches contacts and groups.\n\nNames are compared without case.",
            parameters=(
                parameter(
                    "contactType",
                    ScalarType(kind=TypeNumber.STRING, enum_values=("ANY", "GROUP", "not set")),
                    required=True,
                    description="Which kind of contacts: INDIVIDUAL, GROUP or ANY of both.",
                ),
                parameter("from", STRING, description="The start\nof the name."),
                parameter("limit", INT, required=False),
                parameter("tags", ArrayType(items=STRING), required=False),
            ),
            response=AndroidResponse(
                type=ArrayType(items=ReferenceType(name="com.example.chat.Contact")),
                description="The contacts, best first.",
            ),
        ),
        AndroidFunction(
            id="com.example.chat.BaseChatService#clear",
            enabled_by_default=False,
            scope=AppFunctionScope.ACTIVITY,
            description="Args:\n    x: what looks like a section and is none",
            response=AndroidResponse(
                type=ScalarType(kind=TypeNumber.UNIT), description="Nothing of interest "
            ),
            schema=AppFunctionSchema("chat", "clear", 2),
            deprecation="",
            access_level=AppFunctionAccessLevel.SELF,
            compat_enforcement=False,
        ),
    ),
    components=(
        AndroidComponent(
            "com.example.chat.Contact",
            ObjectType(
                name="com.example.chat.Contact",
                nullable=True,
                description="Somebody to write to.",
                properties=(
                    AndroidProperty(
                        "displayName", ScalarType(kind=TypeNumber.STRING, description="For people.")
                    ),
                    AndroidProperty("class", INT),
                    AndroidProperty(
                        "groups",
                        ArrayType(items=ReferenceType(name="com.example.chat.Contact")),
                    ),
                    AndroidProperty("picture", uri_type(nullable=True, description=" Of them. ")),
                ),
                required=("displayName", "class"),
            ),
        ),
    ),
    service="com.example.chat.BaseChatService",
)

CONTACTS_MODELS = '''\
"""What the functions take and return, under the names that it has on Android."""

from __future__ import annotations

from enum import StrEnum

from appfunctions_mcp import Int32, Uri, app_function_serializable
from pydantic import BaseModel, ConfigDict, Field


@app_function_serializable(name="com.example.chat.Contact")
class Contact(BaseModel):
    """Somebody to write to."""

    model_config = ConfigDict(populate_by_name=True)
    displayName: str
    """For people."""
    class_: Int32 = Field(validation_alias="class", serialization_alias="class")
    groups: list[Contact] = Field(default_factory=list)
    picture: Uri | None = Field(default=None, description=" Of them. ")


class ContactType(StrEnum):
    ANY = "ANY"
    GROUP = "GROUP"
    NOT_SET = "not set"
'''
CONTACTS_FUNCTIONS = '''\
"""The app's functions, each declared as on Android; one that raises is still to be written."""

from typing import Annotated

from appfunctions_mcp import (
    AppFunctionAccessLevel,
    AppFunctionNotSupportedException,
    AppFunctionParameterName,
    AppFunctionSchema,
    AppFunctionScope,
    Int32,
    app_function,
)

from .models import Contact, ContactType

__app_function_service__ = "com.example.chat.BaseChatService"


@app_function(id="com.example.chat.BaseChatService#searchContacts")
async def searchContacts(
    contactType: ContactType,
    from_: Annotated[str, AppFunctionParameterName("from")],
    limit: Int32 = 0,
    tags: list[str] = [],  # noqa: B006 - a new list for each call
) -> list[Contact]:
    """Searches contacts and groups.

    Names are compared without case.

    Args:
        contactType: Which kind of contacts: INDIVIDUAL, GROUP or ANY of both.
        from_: The start
            of the name.

    Returns:
        The contacts, best first.
    """
    raise AppFunctionNotSupportedException("searchContacts is not written yet")


@app_function(
    id="com.example.chat.BaseChatService#clear",
    description="Args:\\n    x: what looks like a section and is none",
    enabled=False,
    schema=AppFunctionSchema(category="chat", name="clear", version=2),
    access_level=AppFunctionAccessLevel.SELF,
    access_level_compat=False,
    scope=AppFunctionScope.ACTIVITY,
    deprecated="",
)
async def clear() -> Annotated[None, "Nothing of interest "]:
    raise AppFunctionNotSupportedException("clear is not written yet")
'''


def test_a_document_becomes_stubs_and_models_that_read_well() -> None:
    sources = sources_of(CONTACTS)
    assert list(sources) == ["chat/__init__.py", "chat/models.py", "chat/app0.py"]
    assert sources["chat/models.py"] == CONTACTS_MODELS
    assert sources["chat/app0.py"] == CONTACTS_FUNCTIONS


def test_inheritance_and_choices_become_bases_and_unions() -> None:
    circle = AllOfType(
        name="com.example.Circle",
        nullable=True,
        description="Round.",
        members=(
            ReferenceType(name="com.example.Figure", nullable=True),
            object_type("com.example.HasColor", color=STRING),
            ObjectType(
                name="com.example.Circle",
                description="Round.",
                properties=(AndroidProperty("radius", ScalarType(kind=TypeNumber.FLOAT)),),
                required=("radius",),
            ),
        ),
    )
    shape = OneOfType(
        name="com.example.Shape",
        nullable=True,
        description="A shape.",
        members=(
            ReferenceType(name="com.example.Circle", nullable=True),
            ReferenceType(name="com.example.Note", nullable=True),
        ),
    )
    made = document(
        function("com.example.S#draw", returns=ReferenceType(name="com.example.Shape")),
        **components(
            {
                "com.example.Shape": shape,
                "com.example.Circle": circle,
                "com.example.Figure": object_type("com.example.Figure", id=INT),
                "com.example.Note": NOTE,
            }
        ),
    )
    models = sources_of(made)["chat/models.py"]
    assert models.partition("from pydantic")[2] == (
        """ import BaseModel, Field


@app_function_serializable(name="com.example.Figure")
class Figure(BaseModel):
    id: Int32


@app_function_serializable(name="com.example.HasColor", description="", inline=True)
class HasColor(BaseModel):
    color: str


@app_function_serializable(name="com.example.Circle")
class Circle(Figure, HasColor):
    \"\"\"Round.\"\"\"

    schema_type: Literal["com.example.Circle"] = Field(
        default="com.example.Circle", alias="schemaType"
    )
    radius: Float32


@app_function_serializable(name="com.example.Note")
class Note(BaseModel):
    schema_type: Literal["com.example.Note"] = Field(
        default="com.example.Note", alias="schemaType"
    )
    title: str
    done: bool


Shape = Annotated[
    Circle | Note,
    Field(discriminator="schema_type"),
    AppFunctionOneOf(name="com.example.Shape", description="A shape."),
]
"""
    )


def test_a_child_of_what_is_told_apart_is_told_apart_too() -> None:
    """A type checker is told that the field of the child has another value."""
    child = AllOfType(
        name="com.example.Child",
        nullable=True,
        members=(ReferenceType(name="com.example.Note"), object_type("com.example.Child", x=INT)),
    )
    choice = OneOfType(name="com.example.Any", members=(ReferenceType(name="com.example.Note"),))
    parts: dict[str, DataType] = {
        "com.example.Any": choice,
        "com.example.Child": child,
        "com.example.Note": NOTE,
    }
    models = sources_of(document(**parts))["chat/models.py"]
    assert '"com.example.Child"] = Field(  # type: ignore[assignment]' in models
    assert 'Any = Annotated[Note, AppFunctionOneOf(name="com.example.Any")]' in models


def test_types_are_written_as_python_has_them() -> None:
    types: dict[str, DataType] = {
        "any": ScalarType(kind=TypeNumber.STRING, format="email", description="An address."),
        "bits": ScalarType(kind=TypeNumber.BYTES, nullable=True),
        "code": ScalarType(kind=TypeNumber.INT, enum_values=("-1", "20")),
        "image": ParcelableType(name="android.graphics.Bitmap", nullable=True),
        "intent": ParcelableType(),
        "ratio": ScalarType(kind=TypeNumber.DOUBLE),
        "sizes": ArrayType(items=ScalarType(kind=TypeNumber.LONG, nullable=True), nullable=True),
        "slug": ScalarType(kind=TypeNumber.STRING, patterns=(StringPattern("a", 4),)),
        "where": uri_type(patterns=(StringPattern("https:", 1),)),
    }
    made = document(function("com.example.S#f", *(parameter(n, t) for n, t in types.items())))
    sources = sources_of(made)
    assert (
        sources["chat/app0.py"].partition("async def ")[2].partition(" -> ")[0]
        == """\
f(
    any: Annotated[
        str,
        AppFunctionStringValueConstraint(format="email"),
        AppFunctionTypeDescription("An address."),
    ],
    bits: bytes | None,
    code: Code,
    image: Annotated[str | None, AppFunctionParcelable("android.graphics.Bitmap")],
    intent: PendingIntent,
    ratio: float,
    sizes: list[int | None] | None,
    slug: Annotated[
        str,
        AppFunctionStringValueConstraint(
            pattern_matchers=(AppFunctionPatternMatcher("a", PatternType.SUFFIX),)
        ),
    ],
    where: Annotated[Uri, AppFunctionUriValueConstraint(allowed_schemes=("https",))],
)"""
    )
    assert sources["chat/models.py"].endswith(
        "class Code(IntEnum):\n    MINUS_1 = -1\n    VALUE_20 = 20\n"
    )


def test_what_is_optional_has_its_types_empty_value() -> None:
    """F110: Kotlin admits no optional text, so Python's own rule has to hold for one."""
    level = ScalarType(kind=TypeNumber.INT, enum_values=("1", "2"))
    mode = ScalarType(kind=TypeNumber.STRING, enum_values=("ON", "OFF"))
    made = document(
        function(
            "com.example.S#plain",
            parameter("a", ScalarType(kind=TypeNumber.BOOLEAN), required=False),
            parameter("b", ScalarType(kind=TypeNumber.BYTES), required=False),
            parameter("c", ScalarType(kind=TypeNumber.FLOAT), required=False),
            parameter("d", ScalarType(kind=TypeNumber.STRING, nullable=True), required=False),
            parameter("e", STRING),
        ),
        function(
            "com.example.S#text",
            parameter("mode", mode, required=False),
            parameter("level", level, required=False),
        ),
    )
    text = sources_of(made)["chat/app0.py"]
    assert (
        'id="com.example.S#plain")\nasync def plain(\n    e: str, a: bool = False, b: bytes = b"", '
        "c: Float32 = 0.0, d: str | None = None\n)" in text
    )
    assert '@app_function(id="com.example.S#text", optional_defaults="declared")' in text
    assert 'AppFunctionStringValueConstraint(enum_values=("ON", "OFF"))\n    ] = ""' in text
    assert "AppFunctionIntValueConstraint(enum_values=(1, 2))] = 0" in text


def test_names_that_python_has_already_get_another_one_and_keep_theirs_beside() -> None:
    words = object_type("com.example.Words", model_config=INT, str=INT, copy=INT, model_dump_x=INT)
    made = document(
        function("com.example.S#list", parameter("l"), parameter("self"), parameter("_x")),
        function("com.example.T#list"),
        function("com.example/createNote", returns=ReferenceType(name="com.example.Words")),
        function("1 €"),
        **components({"com.example.Words": words}),
    )
    sources = sources_of(made)
    text = sources["chat/app0.py"]
    assert '@app_function(id="com.example.S#list")\nasync def list_(' in text
    assert 'l_: Annotated[str, AppFunctionParameterName("l")],\n    self: str,\n    x: ' in text
    assert 'id="com.example.T#list", name="T_list")\nasync def T_list()' in text
    assert 'id="com.example/createNote", name="createNote")' in text
    assert '@app_function(id="1 €", name="n1")\nasync def n1()' in text
    models = sources["chat/models.py"]
    assert 'str_: Int32 = Field(validation_alias="str", serialization_alias="str")' in models
    assert "model_config_: Int32" in models
    assert "copy_: Int32" in models
    assert "its_model_dump_x: Int32" in models


def test_classes_of_one_name_are_told_apart_by_what_stands_around_them() -> None:
    names = ["com.b.Note", "com.a.Note", "com.a.Outer$Note", "com.a.Note<kotlin.Int>"]
    parts: dict[str, DataType] = {name: object_type(name, x=INT) for name in names}
    models = sources_of(document(**parts))["chat/models.py"]
    found = [line.split("(")[0] for line in models.split("\n") if line.startswith("class ")]
    assert sorted(found) == ["class ANote", "class Note", "class NoteInt", "class OuterNote"]


def test_types_that_no_function_uses_are_named_so_that_they_come_out_again() -> None:
    used = object_type("com.example.Used", x=INT)
    unused = object_type("com.example.Unused", y=ReferenceType(name="com.example.Inner"))
    parts: dict[str, DataType] = {
        "com.example.Inner": object_type("com.example.Inner", z=INT),
        "com.example.Unused": unused,
        "com.example.Used": used,
    }
    made = document(
        function("com.example.S#f", returns=ReferenceType(name="com.example.Used")), **parts
    )
    assert "\n__app_function_components__ = (Unused,)\n" in sources_of(made)["chat/app0.py"]


def test_documents_that_agree_share_their_models_and_others_do_not() -> None:
    def using(note: DataType, function_id: str) -> AndroidDocument:
        returned = ReferenceType(name="com.example.Note")
        return document(
            function(function_id, returns=returned), **components({"com.example.Note": note})
        )

    first, second = using(NOTE, "A#a"), using(NOTE, "B#b")
    assert list(sources_of(first, second)) == [
        *("chat/__init__.py", "chat/models.py", "chat/app0.py", "chat/app1.py")
    ]
    other = using(object_type("com.example.Note", x=INT), "B#b")
    sources = sources_of(first, other)
    assert list(sources) == [
        *("chat/__init__.py", "chat/app0_models.py", "chat/app1_models.py"),
        *("chat/app0.py", "chat/app1.py"),
    ]
    assert "from .app1_models import Note\n" in sources["chat/app1.py"]


def test_modules_are_called_after_their_files() -> None:
    names = ["chatAppService.xml", "models", "Chat_App_Service", "import", "漢字", "app-functions"]
    documents = [(name, document(), Path(name)) for name in names]
    assert python_modules(documents, package="com.example") == (
        "com.example.chat_app_service",
        "com.example.models_functions",
        "com.example.chat_app_service_functions",
        "com.example.functions",
        "com.example.functions_functions",
        "com.example.app_functions",
    )
    sources = python_package(documents, package="com.example")
    assert "com/example/models_functions.py" in sources
    assert list(python_package([], package="empty")) == ["empty/__init__.py"]


@pytest.mark.parametrize("package", ["", "a b", "a..b", "class", "ä", "../x", "1a"])
def test_a_package_has_a_name_that_python_accepts(package: str) -> None:
    with pytest.raises(SettingsError, match="is no name of a Python package"):
        python_package([], package=package)
    with pytest.raises(SettingsError, match="letters A to Z"):
        python_modules([], package=package)


_DESCRIBED = ReferenceType(name="com.example.Note", description="x", line=7)
_TAGGED = object_type("com.example.Note", schemaType=STRING)


@pytest.mark.parametrize(
    ("made", "refusal"),
    [
        pytest.param(
            document(function("A#f", parameter("x", ScalarType(kind=TypeNumber.UNIT, line=3)))),
            "app0.xml:3: function 'A#f', parameter 'x' is of the type unit, which only a result "
            "can be",
            id="unit",
        ),
        pytest.param(
            document(
                function("A#f", returns=ArrayType(items=ScalarType(kind=TypeNumber.BYTES), line=2))
            ),
            "app0.xml:2: function 'A#f', response is a list of bytes, which Android has not",
            id="list of bytes",
        ),
        pytest.param(
            document(
                function(
                    "A#f", parameter("x", ReferenceType(name="com.example.Note"), required=False)
                ),
                **components({"com.example.Note": NOTE}),
            ),
            "app0.xml:0: function 'A#f', parameter 'x' is optional, but its type has no value that "
            "stands for none; make it required or nullable",
            id="optional object",
        ),
        pytest.param(
            document(**components({"com.example.Numbers": ArrayType(items=INT, line=4)})),
            "app0.xml:4: component 'com.example.Numbers' is no object, allOf or oneOf, so that "
            "there is no class for it; write it where it is used",
            id="component without a class",
        ),
        pytest.param(
            document(**components({"com.example.Other": NOTE})),
            "app0.xml:0: component 'com.example.Other' calls itself 'com.example.Note'; give it "
            "one name",
            id="component of two names",
        ),
        pytest.param(
            document(
                **components(
                    {
                        "com.example.Any": OneOfType(
                            name="com.example.Any",
                            members=(ReferenceType(name="com.example.Note"),),
                        ),
                        "com.example.Note": _TAGGED,
                    }
                )
            ),
            "app0.xml:0: 'com.example.Note' is a member of oneOf and has a property 'schemaType', "
            "which tells the members apart; rename it",
            id="tag",
        ),
        pytest.param(
            document(
                **components(
                    {
                        "com.example.Any": OneOfType(name="com.example.Any", members=(_DESCRIBED,)),
                        "com.example.Note": NOTE,
                    }
                )
            ),
            "app0.xml:7: a member of 'com.example.Any' is a reference with a description; remove "
            "that",
            id="described member",
        ),
        pytest.param(
            document(
                **components(
                    {
                        "com.example.Any": OneOfType(
                            name="com.example.Any",
                            members=(object_type("N", x=INT), object_type("N", y=INT)),
                        )
                    }
                )
            ),
            "app0.xml:0: two members of 'com.example.Any' are called 'N'",
            id="members of one name",
        ),
        pytest.param(
            document(
                **components(
                    {
                        "com.example.Child": AllOfType(
                            name="com.example.Child",
                            members=(
                                ReferenceType(name="com.example.Note"),
                                ReferenceType(name="com.example.Note"),
                            ),
                        ),
                        "com.example.Note": NOTE,
                    }
                )
            ),
            "app0.xml:0: 'com.example.Child' has a parent twice; remove one",
            id="parent twice",
        ),
    ],
)
def test_what_has_no_form_in_python_is_refused_by_file_and_line(
    made: AndroidDocument, refusal: str
) -> None:
    with pytest.raises(MetadataXmlError) as refused:
        sources_of(made)
    assert refused.value.faults == (refusal,)


def test_members_that_are_no_objects_are_refused() -> None:
    made = document(
        **components(
            {
                "com.A": AllOfType(name="com.A", members=(STRING, object_type("com.A", x=INT))),
                "com.B": OneOfType(name="com.B", members=(STRING, object_type("com.C", x=INT))),
            }
        )
    )
    with pytest.raises(MetadataXmlError) as refused:
        sources_of(made)
    assert refused.value.faults == (
        "app0.xml:0: a member of 'com.A' is no object, which alone can be a parent",
        "app0.xml:0: a member of 'com.B' is no object, of which it is one",
    )


def test_what_stands_twice_where_it_is_used_is_one_class() -> None:
    part = object_type("com.example.Part", x=INT)
    either = OneOfType(name="com.example.Either", members=(part,))
    mode = ScalarType(kind=TypeNumber.STRING, enum_values=("A", "B"))
    parameters = (parameter("part", part), parameter("either", either), parameter("mode", mode))
    made = document(function("A#f", *parameters), function("A#g", *parameters, returns=mode))
    models = sources_of(made)["chat/models.py"]
    assert models.count("class Part(") == 1
    assert models.count("Either = ") == 1
    assert models.count("class Mode(") == 1
    assert "class GResult(StrEnum)" in models


def test_a_property_that_tells_members_apart_is_found_among_what_they_inherit() -> None:
    def derived(name: str, *parents: str) -> AllOfType:
        own = object_type(name, x=INT)
        return AllOfType(name=name, members=(*(ReferenceType(name=p) for p in parents), own))

    made = document(
        **components(
            {
                "com.Any": OneOfType(name="com.Any", members=(ReferenceType(name="com.D"),)),
                "com.A": object_type("com.A", schemaType=STRING),
                "com.B": derived("com.B", "com.A"),
                "com.C": derived("com.C", "com.A"),
                "com.D": derived("com.D", "com.B", "com.C"),
            }
        )
    )
    with pytest.raises(MetadataXmlError, match=r"'com.D' is a member of oneOf and has a property"):
        sources_of(made)


def test_a_function_that_two_files_declare_is_refused() -> None:
    with pytest.raises(MetadataXmlError, match=r"app1.xml:0: function 'A#f' is declared in app0"):
        sources_of(document(function("A#f")), document(function("A#f")))


def test_parents_in_an_order_that_python_refuses_are_put_in_another() -> None:
    """Kotlin does not care that `A` is named before `B`, which is an `A`."""

    def derived(name: str, *parents: str) -> AllOfType:
        own = object_type(name, x=INT)
        return AllOfType(name=name, members=(*(ReferenceType(name=p) for p in parents), own))

    parts: dict[str, DataType] = {
        "com.A": object_type("com.A", x=INT),
        "com.B": derived("com.B", "com.A"),
        "com.C": derived("com.C", "com.A", "com.B"),
    }
    assert "class C(B, A):" in sources_of(document(**parts))["chat/models.py"]


def test_the_source_of_real_apps_passes_linter_formatter_and_type_checker(tmp_path: Path) -> None:
    names = [
        path
        for path in sorted(corpus("android_xml").glob("*.xml"))
        if "<appfunction>" in path.read_text(encoding="utf-8")
        and not path.stem.endswith(("-v1", "_isEnabled_false_app_function"))
    ]
    documents = [(path.stem, read_functions_xml(path), path) for path in names]
    own = [("contacts", CONTACTS, Path("contacts.xml"))]
    for path, text in python_package([*documents, *own], package="app").items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    python = [sys.executable, "-m"]
    for command in (
        [*python, "ruff", "check", "--isolated", "--no-cache", "."],
        [*python, "ruff", "format", "--isolated", "--no-cache", "--check", "."],
        [*python, "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}/cache", "app"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
