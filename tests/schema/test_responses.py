"""Results: what is published of them, and how text, media and deep values are sent."""

import json
import typing
from collections.abc import Iterable
from typing import (
    Annotated,
    Any,
)

import pytest
from pydantic import (
    AfterValidator,
    Field,
    create_model,
)

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    Media,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.annotations import EMPTY
from appfunctions_mcp.schema.responses import (
    response_from_json_schema,
)
from tests.support.result_types import (
    Author,
    Holder,
    JsonValue,
    Node,
    Note,
    Task,
    Text,
    response_of,
    sent_as,
)


def test_an_authors_validator_checks_a_result_and_does_not_change_it() -> None:
    def double(number: int) -> int:
        return number * 2

    assert sent_as(Annotated[int, AfterValidator(double)], 5).value == 5


def test_the_returned_object_is_not_changed() -> None:
    raw: dict[str, Any] = {"title": "t", "price": 3, "path": (b"x",)}
    task, holder = Task(**raw), Holder(anything=[{1}])

    sent_as(Task, task)
    sent_as(Holder, holder)

    assert {name: getattr(task, name) for name in raw} == raw
    assert holder.anything == [{1}]


def test_text_goes_out_alone() -> None:
    """F97: no output schema, so that a text is sent once."""
    for annotation in (str, Annotated[str, Field(max_length=9)], Text):
        response = response_of(annotation)

        assert response.output_schema is None
        assert response.serialize("x") == ExecuteAppFunctionResponse(value="x", text="x")


def test_half_a_surrogate_is_replaced() -> None:
    """F102."""
    assert sent_as(str, "a\ud800").text == "a\ufffd"
    assert sent_as(list[str], ["a\ud800"]).value == ["a\ufffd"]
    assert sent_as(dict, {"\ud800": "\udfff"}).structured == {"\ufffd": "\ufffd"}
    assert sent_as(dict[str, str], {"\ud800": "a"}).text is not None
    assert sent_as(Author, Author.model_construct(name="\ud800")).structured == {
        "name": "\ufffd",
        "email": None,
    }


def test_separators_are_escaped_in_the_text() -> None:
    """F35."""
    assert sent_as(list[str], ["a\u2028b\u0085"]).text == r'{"result":["a\u2028b\u0085"]}'


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("annotation", "wrap"),
    [(Any, list), (list, list), (Holder, lambda v: Holder(anything=v[0]))],
    ids=["any", "list", "field"],
)
def test_a_result_of_depth_500_is_the_deepest_that_is_sent(annotation: Any, wrap: Any) -> None:
    response = response_of(annotation)

    assert response.serialize(wrap(_nested(500))).text is not None
    with pytest.raises(AppFunctionInvalidArgumentException, match="nested 501 levels deep"):
        response.serialize(wrap(_nested(501)))


def test_a_type_that_holds_itself_may_be_deep() -> None:
    """F22."""
    node: dict[str, Any] = {"name": "leaf"}
    for _ in range(200):
        node = {"name": "n", "children": [node]}

    assert response_of(Node).serialize(node).text is not None
    for _ in range(3_000):
        node = {"name": "n", "children": [node]}
    with pytest.raises(AppFunctionInvalidArgumentException, match=r"nested 64\d\d levels deep"):
        response_of(Node).serialize(node)


def test_what_contains_itself_is_a_fault_not_a_hang() -> None:
    node = Node(name="a")
    node.children.append(node)
    cyclic: dict[str, Any] = {}
    cyclic["again"] = [cyclic, cyclic]

    for annotation, value in ((Node, node), (dict, cyclic), (Any, cyclic), (JsonValue, cyclic)):
        with pytest.raises(AppFunctionAppUnknownException, match="contains itself"):
            response_of(annotation).serialize(value)


@pytest.mark.parametrize("annotation", [Any, object, EMPTY, list, dict[str, Any], Holder])
def test_an_untyped_result_is_published_with_a_warning(annotation: Any) -> None:
    """F23: never an empty schema."""
    response = response_of(annotation)

    (warning,) = response.warnings
    assert warning.startswith("notes.py:7: its result has no type that agents can read")
    assert "{}" not in json.dumps(response.output_schema)


def test_a_typed_result_has_no_warning() -> None:
    assert response_of(Note).warnings == ()


def test_the_returns_text_describes_a_wrapped_result() -> None:
    assert response_of(int, "How many there are.").output_schema == {
        "type": "object",
        "properties": {
            "result": {"type": ["integer", "string"], "description": "How many there are."}
        },
        "required": ["result"],
        "additionalProperties": False,
    }


def test_a_recursive_root_stands_once_beside_its_definitions() -> None:
    """F22."""
    children = {"type": "array", "items": {"$ref": "#/$defs/Node"}}
    node = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": children},
        "required": ["name", "children"],
        "additionalProperties": False,
    }

    assert response_of(Node).output_schema == node | {"$defs": {"Node": node}}


def test_the_definitions_of_a_wrapped_result_stand_at_the_top() -> None:
    """F22."""
    schema = response_of(list[Node]).output_schema

    assert schema is not None
    assert list(schema["$defs"]) == ["Node"]
    assert schema["properties"]["result"] == {
        "type": "array",
        "items": {"$ref": "#/$defs/Node"},
    }


PICTURE = Image(b"\x89PNG", "image/png")
LINK = ResourceLink("https://example.org", "example")


@pytest.mark.parametrize(
    ("annotation", "value", "media"),
    [
        (Image, PICTURE, (PICTURE,)),
        (Audio, Audio(b"RIFF"), (Audio(b"RIFF"),)),
        (TextResource, TextResource("a:b", "c"), (TextResource("a:b", "c"),)),
        (BlobResource, BlobResource("a:b", b"c"), (BlobResource("a:b", b"c"),)),
        (ResourceLink, LINK, (LINK,)),
        (list[Image], [PICTURE, PICTURE], (PICTURE, PICTURE)),
        (list[Image | str], ["one", PICTURE, "two"], ("one", PICTURE, "two")),
        (list[Media], (PICTURE, LINK), (PICTURE, LINK)),
        (tuple[Image, ...], (PICTURE,), (PICTURE,)),
        (Iterable[Image], (p for p in [PICTURE]), (PICTURE,)),
        (Image | list[Image], [PICTURE], (PICTURE,)),
        (Image | None, PICTURE, (PICTURE,)),
        (Annotated[Image, "A picture."], PICTURE, (PICTURE,)),
    ],
)
def test_media_go_out_as_media_alone(
    annotation: Any, value: object, media: tuple[Media, ...]
) -> None:
    """F96: never copied into text or structured content."""
    response = response_of(annotation)

    assert response.output_schema is None
    assert response.serialize(value) == ExecuteAppFunctionResponse(media=media)


def test_what_stands_in_for_media_goes_out_as_text() -> None:
    assert sent_as(Image | str, "No picture.").text == "No picture."
    assert sent_as(Image | None, None).text == "null"
    assert sent_as(list[Image], []).text == "[]"


def test_texts_beside_media_are_valid_utf_8() -> None:
    """F102."""
    assert sent_as(TextResource, TextResource("a:b", "\ud800")).media == (
        TextResource("a:b", "\ufffd"),
    )


def test_a_pending_intent_is_a_link_with_instructions() -> None:
    """Android's PendingIntent is a step that only the user can take."""
    sent = sent_as(PendingIntent, PendingIntent("https://example.org/pay", "Pay the bill."))

    assert sent.text == "Pay the bill. https://example.org/pay"
    assert sent.media == (
        ResourceLink("https://example.org/pay", "pending_intent", description="Pay the bill."),
    )
    assert sent.structured is None


@pytest.mark.parametrize(
    ("annotation", "says"),
    [
        (complex, "the return type complex cannot be served"),
        (type, "has no form in JSON"),
        (dict[str, Image], "media stand inside a type that goes out as JSON"),
        (list[Image | int], "return them alone or in a list"),
        (Image | int, "return them alone or in a list"),
        (tuple[int, Image], "media stand inside"),
        (ExecuteAppFunctionResponse, "cannot be served"),
    ],
)
def test_a_type_that_cannot_be_sent_is_refused_at_declaration(annotation: Any, says: str) -> None:
    """F13."""
    with pytest.raises(AppFunctionDeclarationError, match=r"notes\.py:7: ") as caught:
        response_of(annotation)

    assert says in str(caught.value)


def test_a_function_that_never_returns_publishes_null() -> None:
    assert response_of(typing.NoReturn).output_schema == response_of(None).output_schema


def test_a_ready_schema_takes_json_as_it_is() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    response = response_from_json_schema(schema)

    assert response.output_schema == schema
    assert response.serialize({"id": 2**60}) == ExecuteAppFunctionResponse(
        value={"id": 2**60}, structured={"id": 2**60}, text=f'{{"id":{2**60}}}'
    )
    with pytest.raises(
        AppFunctionAppUnknownException, match=r"\$ is list, but should be an object"
    ):
        response.serialize([1])


def test_a_ready_schema_of_a_wrapped_result_wraps_values() -> None:
    response = response_from_json_schema(
        {"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"]}
    )

    for value in (5, {"result": 5}):
        assert response.serialize(value) == ExecuteAppFunctionResponse(
            value=5, structured={"result": 5}, text='{"result":5}'
        )
    assert response.serialize({"a": 1}).structured == {"result": {"a": 1}}


def test_without_a_schema_anything_goes_out_in_its_own_way() -> None:
    response = response_from_json_schema(None)

    assert response.serialize("x") == ExecuteAppFunctionResponse(value="x", text="x")
    assert response.serialize([1]) == ExecuteAppFunctionResponse(value=[1], text="[1]")
    assert response.serialize({"a": 1}).structured == {"a": 1}
    assert response.serialize(PICTURE).media == (PICTURE,)
    assert response.serialize([PICTURE, LINK]).media == (PICTURE, LINK)


def test_a_type_whose_parts_stand_too_deep_is_refused_with_its_name() -> None:
    deep: type = int
    for number in range(300):
        deep = create_model(f"Level{number}", inner=(deep, ...))

    with pytest.raises(
        AppFunctionDeclarationError, match="Level299 cannot be served: its types nest"
    ):
        response_of(deep)
