"""Declared resources: addresses, parameters, what goes out and what is refused."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
)
from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.resource_declaration import app_resource, resource_declaration_of
from appfunctions_mcp.resources import AppResource

URI = "case://x"
TEXT = TextResource("own://text", "t", "text/markdown")
BLOB = BlobResource("own://blob", b"b", "image/png")


@dataclass
class Place:
    """A place."""

    name: str


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


def resource_of(returns: Any, **options: Any) -> AppResource:
    """A single resource whose function is annotated so."""

    def read() -> object:
        return None

    read.__annotations__ = {} if returns is ... else {"return": returns}
    return AppResource.from_function(app_resource(URI, **options)(read))


def faults_of(function: Any) -> str:
    with pytest.raises(AppFunctionDeclarationError) as caught:
        AppResource.from_function(function)
    return str(caught.value)


def test_the_decorator_returns_the_function_itself() -> None:
    def read() -> str:
        return "x"

    assert app_resource(URI, title="X")(read) is read
    declared = resource_declaration_of(read)
    assert declared is not None
    assert (declared.uri, declared.title) == (URI, "X")
    assert resource_declaration_of(len) is None


def test_one_function_may_be_a_function_and_a_resource() -> None:
    @app_resource("notes://{note_id}")
    @app_function
    def get_note(note_id: str) -> str:
        """Reads."""
        return note_id

    assert AppResource.from_function(get_note).uri == "notes://{note_id}"


def test_metadata_comes_from_declaration_signature_and_docstring() -> None:
    @app_resource("notes://{note_id}{?colour}", name="notes", title="Note", access="read")
    def note(context: AppFunctionContext, note_id: int, colour: Colour | None = None) -> str:
        """A note.

        Args:
            note_id: The ID of the note.
            colour: Its colour.
        """
        return f"{context}{note_id}{colour}"

    metadata = AppResource.from_function(note).metadata

    assert (metadata.uri, metadata.name, metadata.title) == (
        "notes://{note_id}{?colour}",
        "notes",
        "Note",
    )
    assert (metadata.description, metadata.mime_type) == ("A note.", "text/plain")
    assert (metadata.is_template, metadata.access, metadata.size) == (True, "read", None)
    first, second = metadata.parameters
    assert (first.name, first.required, first.schema["type"]) == ("note_id", True, "integer")
    assert (second.required, second.schema["enum"]) == (False, ["red", "blue"])
    assert metadata.source.startswith(__file__)


def test_name_and_description_fall_back_to_the_functions_name() -> None:
    @app_resource(URI)
    def all_notes() -> str:
        return ""

    resource = AppResource.from_function(all_notes)

    assert (resource.metadata.name, resource.metadata.description) == ("all_notes", "All notes")
    assert any("has no description" in warning for warning in resource.warnings)


@pytest.mark.parametrize(
    ("returns", "value", "contents", "mime_type"),
    [
        (str, "a\ud800", TextResource(URI, "a\ufffd"), "text/plain"),
        (bytes, b"x", BlobResource(URI, b"x"), "application/octet-stream"),
        (str | bytes, b"x", BlobResource(URI, b"x"), None),
        (Image, Image(b"x"), BlobResource(URI, b"x", "image/png"), None),
        (Audio, Audio(b"x"), BlobResource(URI, b"x", "audio/wav"), None),
        (TextResource, TEXT, TEXT, None),
        (TextResource | BlobResource, BLOB, BLOB, None),
        (
            Place,
            Place("x"),
            TextResource(URI, '{"name":"x"}', "application/json"),
            "application/json",
        ),
        (list[str], ["a"], TextResource(URI, '["a"]', "application/json"), "application/json"),
        (
            dict[str, int],
            {"a": 1},
            TextResource(URI, '{"a":1}', "application/json"),
            "application/json",
        ),
        (int, 5, TextResource(URI, "5", "application/json"), "application/json"),
        (str | Place, "x", TextResource(URI, "x"), None),
        (str | Place, Place("x"), TextResource(URI, '{"name":"x"}', "application/json"), None),
        (int | list[int], [1], TextResource(URI, "[1]", "application/json"), "application/json"),
        (..., "x", TextResource(URI, "x"), None),
        (..., b"x", BlobResource(URI, b"x"), None),
        (..., ["x"], TextResource(URI, '["x"]', "application/json"), None),
        (Any, {"a": None}, TextResource(URI, '{"a":null}', "application/json"), None),
    ],
    ids=repr,
)
def test_what_the_function_returns_becomes_one_content(
    returns: Any, value: object, contents: TextResource | BlobResource, mime_type: str | None
) -> None:
    resource = resource_of(returns)

    assert resource.contents(value, URI) == (contents,)
    assert resource.metadata.mime_type == mime_type


@pytest.mark.parametrize("returns", [list[TextResource | BlobResource | str], ...])
def test_a_list_with_contents_of_their_own_is_several(returns: Any) -> None:
    contents = resource_of(returns).contents([TEXT, BLOB, "x"], URI)

    assert contents == (TEXT, BLOB, TextResource(URI, "x"))


def test_none_means_that_nothing_stands_there() -> None:
    assert resource_of(str | None).contents(None, URI) is None
    assert resource_of(Place | None).contents(None, URI) is None


@pytest.mark.parametrize(
    ("returns", "value"),
    [(str, "x"), (bytes, b"x"), (Place, Place("x"))],
)
def test_the_declared_mime_type_is_that_of_plain_content(returns: Any, value: object) -> None:
    resource = resource_of(returns, mime_type="text/html; charset=utf-8")

    (content,) = resource.contents(value, URI) or ()

    assert content.mime_type == resource.metadata.mime_type == "text/html; charset=utf-8"


def test_contents_with_an_address_keep_their_own_mime_type() -> None:
    resource = resource_of(TextResource, mime_type="text/html")

    assert resource.contents(TEXT, URI) == (TEXT,)


@pytest.mark.parametrize(
    ("returns", "value"),
    [
        (str, 5),
        (bytes, "x"),
        (Place, {"nam": "x"}),
        (list[TextResource], ["x"]),
        (list[TextResource], TEXT),
        (TextResource, [TEXT]),
    ],
)
def test_a_result_of_another_type_is_the_functions_fault(returns: Any, value: object) -> None:
    with pytest.raises(AppFunctionAppUnknownException, match="at fault"):
        resource_of(returns).contents(value, URI)


@pytest.mark.parametrize(
    ("returns", "reason"),
    [
        (None, "returns None"),
        (ResourceLink, "holds a link"),
        (list[ResourceLink | str], "holds a link"),
        (PendingIntent | str, "holds a link"),
        (list[TextResource | int], "mixes contents and JSON"),
        (type, "cannot be served"),
        (dict[str, Image], "media stand inside"),
    ],
)
def test_return_types_that_cannot_stand_at_an_address_are_refused(
    returns: Any, reason: str
) -> None:
    with pytest.raises(AppFunctionDeclarationError, match=reason):
        resource_of(returns)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("notes", "no valid form"),
        ("notes://a b", "no valid form"),
        ("", "no valid form"),
        ("notes://{note_id", "brace"),
        ("notes://{note_id:3}", "beginning of note_id"),
    ],
)
def test_addresses_that_are_none_are_refused(uri: str, reason: str) -> None:
    @app_resource(uri)
    def note(note_id: str) -> str:
        """A note."""
        return note_id

    assert reason in faults_of(note)


def test_variables_and_parameters_have_to_agree() -> None:
    @app_resource("notes://{noteid}/{part}")
    def note(note_id: str, colour: str | None = None) -> str:
        """A note."""
        return note_id + str(colour)

    faults = faults_of(note)

    assert (
        "has the variable noteid, but the function has no such parameter; perhaps note_id" in faults
    )
    assert "has the variable part" in faults
    assert "has no variable colour" in faults
    assert faults.count(f"{__file__}:") == 4


def test_options_that_do_not_fit_the_address_are_refused() -> None:
    def read() -> str:
        """Reads."""
        return ""

    def note(note_id: str) -> str:
        """Reads."""
        return note_id

    assert "leave out entries=" in faults_of(app_resource(URI, entries=list)(read))
    assert "leave out size=" in faults_of(app_resource("n://{note_id}", size=1)(note))
    assert "mime_type is 'text'" in faults_of(app_resource(URI, mime_type="text")(read))
    assert "no resource" in faults_of(len)


@pytest.mark.parametrize(
    ("complete", "reason"),
    [
        ({"noteid": ["a"]}, "names no parameter; perhaps note_id"),
        ({"note_id": "abc"}, "not str"),
        ({"note_id": 5}, "not int"),
        ({"note_id": lambda: ["a"]}, "it takes nothing"),
        ({"note_id": lambda a, b, c: [a, b, c]}, "it takes a, b, c"),
    ],
)
def test_what_cannot_complete_is_refused(complete: Any, reason: str) -> None:
    @app_resource("n://{note_id}", complete=complete)
    def note(note_id: str) -> str:
        """Reads."""
        return note_id

    assert reason in faults_of(note)


def test_entries_that_need_arguments_are_refused() -> None:
    def entries(prefix: str) -> list[str]:
        return [prefix]

    @app_resource("n://{note_id}", entries=entries)
    def note(note_id: str) -> str:
        """Reads."""
        return note_id

    assert "it takes prefix, but is called with ()" in faults_of(note)


def test_a_class_and_a_decorator_without_an_address_are_type_errors() -> None:
    with pytest.raises(TypeError, match="is a class"):
        app_resource(URI)(Place)
    with pytest.raises(TypeError, match="no option 'mimetype'; perhaps mime_type"):
        app_resource(URI, mimetype="text/plain")  # type: ignore[call-arg] # what somebody may write
    with pytest.raises(TypeError, match="takes the address first"):
        app_resource(len)  # type: ignore[arg-type] # what somebody may write
