"""Field cases about published schemas: one bad tool disabled every tool."""

import dataclasses
import enum
import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, RootModel
from typing_extensions import TypeAliasType, TypedDict

from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.names import TOOL_NAME
from appfunctions_mcp.testing import connect
from appfunctions_mcp.values import Instant, Uri, ZoneId
from sample_app import labels, notes
from tests.support.calls import (
    call,
    input_schema_of,
    listed_tools,
    make_service,
    properties_of,
    returned,
    tool_of,
    value_of,
)
from tests.support.served_functions import FUNCTIONS

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
KEYWORDS = frozenset(
    [
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "description",
        "additionalProperties",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "pattern",
        "format",
        "contentEncoding",
        "writeOnly",
        "anyOf",
        "$ref",
        "$defs",
        "default",
    ]
)
"""All that is ever published."""


def schemas_within(schema: Json) -> Iterator[Json]:
    """A schema and every schema below it; names of properties are no keywords."""
    yield schema
    for keyword in ("properties", "$defs"):
        for part in schema.get(keyword, {}).values():
            yield from schemas_within(part)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from schemas_within(schema[keyword])
    for branch in schema.get("anyOf", ()):
        yield from schemas_within(branch)


def without_nulls(value: Any) -> Any:
    """A value without the optional fields that nobody has set."""
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


async def test_every_tool_name_is_one_that_all_clients_accept() -> None:
    """F13: a dot in one name refused every prompt until the server was removed."""

    @app_function(id="com.example.Notes#createNote")
    async def create(title: str) -> str:
        return f"created {title}"

    @app_function(name="find-notes")
    async def find() -> str:
        return "found"

    async with connect(make_service(create, find)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["createNote", "find-notes"]
        assert all(TOOL_NAME.match(name) for name in names)
        assert returned(await client.call_tool("createNote", {"title": "T"})) == "created T"


@pytest.mark.parametrize(
    "function_id",
    ["a.b#notes.create", "a.b#Create CIFS Share", "a.b#a/b", "a.b#1st", "a.b#", "a.b#заметка"],
)
def test_a_name_that_some_client_refuses_is_refused_at_registration(function_id: str) -> None:
    """F13."""

    @app_function(id=function_id)
    def create() -> None:
        """Creates."""

    with pytest.raises(AppFunctionDeclarationError, match=r"test_schemas\.py:\d+: create"):
        make_service(create)


def test_a_name_of_more_than_64_characters_is_refused() -> None:
    """F13."""

    @app_function(name="n" * 65)
    def create() -> None:
        """Creates."""

    with pytest.raises(AppFunctionDeclarationError, match="65 characters"):
        make_service(create)


def test_two_ids_of_one_tool_name_are_refused() -> None:
    """F13."""

    @app_function(id="com.example.Notes#create")
    def create_note() -> None:
        """Creates a note."""

    @app_function(id="com.example.Tasks#create")
    def create_task() -> None:
        """Creates a task."""

    with pytest.raises(AppFunctionDeclarationError, match="prefix") as caught:
        make_service(create_note, create_task)
    assert "com.example.Notes#create" in str(caught.value)


class Circle(BaseModel):
    """A circle."""

    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    """A square."""

    kind: Literal["square"]
    side: float


Either = RootModel[Circle | Square]
Shape = Annotated[Circle | Square, Field(discriminator="kind")]


async def draw_union(q: Circle | Square) -> str:
    """Draws."""
    return q.kind


async def draw_tagged(q: Shape) -> str:
    """Draws."""
    return q.kind


async def draw_root(q: Either) -> str:
    """Draws."""
    return q.root.kind


@pytest.mark.parametrize("function", [draw_union, draw_tagged, draw_root])
async def test_a_union_as_the_only_argument_keeps_a_plain_object_at_the_root(
    function: Any,
) -> None:
    """F16."""
    schema = await input_schema_of(function)
    assert schema["type"] == "object"
    assert list(schema["properties"]) == ["q"]
    assert {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"}.isdisjoint(schema)
    assert await value_of(function, {"q": {"kind": "square", "side": 2}}) == "square"


async def test_a_function_without_parameters_publishes_empty_properties() -> None:
    """F17: object schema missing properties."""

    async def ping() -> str:
        return "pong"

    assert await input_schema_of(ping) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


async def take_lists(
    rows: list,  # type: ignore[type-arg] # what people write
    table: list[list],  # type: ignore[type-arg] # as above
    by_name: dict[str, list[int]],
    pair: tuple[int, str],
    many: tuple[int, ...],
    unique: set[int],
    maybe: list[str] | None,
    either: list[int] | str,
    change: SetField[list[str]] | None = None,
) -> list[tuple[int, str]]:
    """Takes lists."""
    return [pair]


async def test_every_array_says_what_its_items_are() -> None:
    """F18: array type must have items."""
    tool = await tool_of(take_lists)
    found = [
        schema
        for root in (tool["inputSchema"], tool["outputSchema"])
        for schema in schemas_within(root)
        if "array" in schema.get("type", ())
    ]
    # One list inside an array of any JSON is the last level that is described.
    bare = [schema for schema in found if "items" not in schema]
    assert all(isinstance(schema["type"], list) for schema in bare)
    assert len(found) > 10
    assert all(schema["items"] for schema in found if "items" in schema)
    pair = tool["inputSchema"]["properties"]["pair"]
    assert pair == {
        "type": "array",
        "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "minItems": 2,
        "maxItems": 2,
    }


async def test_a_bare_list_is_served_with_a_warning() -> None:
    """F18."""
    service = make_service(take_lists)
    assert any("rows" in warning for warning in service.warnings)


class Address(BaseModel):
    """Where somebody lives."""

    street: str = Field(description="With the house number.")


class Order(BaseModel):
    """An order."""

    billing: Address
    delivery: Address = Field(description="Where it goes.")


async def place(order: Order, also: Address | None = None) -> Address:
    """Places an order.

    Args:
        order: The order.
    """
    return order.billing


async def test_references_are_inlined_with_what_stands_beside_them() -> None:
    """F21: reference to undefined schema."""
    tool = await tool_of(place)
    text = json.dumps(tool)
    assert "$ref" not in text
    assert "$defs" not in text
    properties = tool["inputSchema"]["properties"]
    street = {"type": "string", "description": "With the house number."}
    assert properties["order"]["description"] == "The order."
    order = properties["order"]["properties"]
    assert order["billing"]["properties"] == {"street": street}
    assert order["delivery"]["properties"] == {"street": street}
    assert order["delivery"]["description"] == "Where it goes."
    assert properties["also"]["properties"] == {"street": street}
    assert tool["outputSchema"]["properties"] == {"street": street}


async def test_a_default_beside_an_inlined_reference_survives() -> None:
    """F21."""

    class Colour(enum.Enum):
        RED = "red"
        BLUE = "blue"

    async def paint(colour: Colour = Colour.RED) -> str:
        return colour.value

    published = await properties_of(paint, optional_defaults="declared")
    assert published["colour"] == {"type": "string", "enum": ["red", "blue"], "default": "red"}


class Node(BaseModel):
    """A tree."""

    name: str
    children: list["Node"] = []


class Folder(TypedDict):
    """A folder."""

    name: str
    files: "list[File]"


class File(TypedDict):
    """A file."""

    name: str
    folder: "Folder | None"


@dataclasses.dataclass
class Filter:
    """An expression."""

    field: str
    rest: "Filter | None" = None


JsonAlias = TypeAliasType("JsonAlias", "dict[str, JsonAlias] | list[JsonAlias] | str")
PlainAlias: TypeAlias = dict[str, "PlainAlias"] | list["PlainAlias"] | str


async def grow(n: Node) -> Node:
    """Grows a tree."""
    return n


async def move(folder: Folder) -> Folder:
    """Moves a folder."""
    return folder


async def keep(expression: Filter) -> Filter:
    """Keeps an expression."""
    return expression


async def store(value: JsonAlias) -> JsonAlias:
    """Stores JSON."""
    return value


async def store_plain(value: PlainAlias) -> PlainAlias:
    """Stores JSON."""
    return value


TREE = {"name": "a", "children": [{"name": "b", "children": [{"name": "c", "children": []}]}]}
FOLDERS = {
    "name": "a",
    "files": [{"name": "f", "folder": {"name": "b", "files": [{"name": "g", "folder": None}]}}],
}
EXPRESSION = {"field": "a", "rest": {"field": "b", "rest": {"field": "c"}}}
JSON = {"a": [{"b": "c"}, "d", ["e"]]}


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (grow, {"n": TREE}),
        (move, {"folder": FOLDERS}),
        (keep, {"expression": EXPRESSION}),
        (store, {"value": JSON}),
        (store_plain, {"value": JSON}),
    ],
    ids=["model", "mutual recursion", "dataclass", "alias", "plain alias"],
)
async def test_a_recursive_type_is_listed_and_called(function: Any, argument: Json) -> None:
    """F22: RecursionError at start, or all tools vanished from the list."""
    tool = await tool_of(function)
    assert json.loads(json.dumps(tool)) == tool
    Draft202012Validator.check_schema(tool["inputSchema"])
    Draft202012Validator(tool["inputSchema"]).validate(argument)
    result = await call(function, argument)
    Draft202012Validator(tool["outputSchema"]).validate(result.structured_content)
    (sent,) = argument.values()
    assert without_nulls(returned(result)) == without_nulls(sent)


async def untyped(payload) -> Any:  # type: ignore[no-untyped-def] # what is tested
    """Takes anything."""
    return payload


async def typed_any(payload: Any) -> Any:
    """Takes anything."""
    return payload


async def typed_object(payload: object) -> object:
    """Takes anything."""
    return payload


@pytest.mark.parametrize("function", [untyped, typed_any, typed_object])
async def test_an_untyped_parameter_publishes_the_union_of_json_types(function: Any) -> None:
    """F23: the client turned objects into text where the schema was empty."""
    tool = await tool_of(function)
    schemas = [*schemas_within(tool["inputSchema"]), *schemas_within(tool["outputSchema"])]
    assert all(schemas)
    kinds = {
        kind
        for branch in schemas_within(tool["inputSchema"]["properties"]["payload"])
        for kind in (
            [branch["type"]] if isinstance(branch.get("type"), str) else branch.get("type", [])
        )
    }
    assert kinds >= {"string", "number", "boolean", "object", "array"}
    assert any("payload" in w for w in make_service(function).warnings) or function is typed_any
    for value in ({"id": 1}, [1, [2, {"a": None}]], "text", 5, True):
        assert await value_of(function, {"payload": value}) == value


async def test_text_for_an_untyped_parameter_is_not_decoded() -> None:
    """F23."""
    assert await value_of(typed_any, {"payload": '{"id": 1}'}) == '{"id": 1}'


def test_a_function_that_takes_any_name_is_refused() -> None:
    """F25: all parameters arrived as text inside the first one."""

    def update_rows(**kw: Any) -> None:
        """Updates rows."""

    with pytest.raises(
        AppFunctionDeclarationError, match=r"test_schemas\.py:\d+: update_rows: \*\*kw"
    ):
        make_service(update_rows)


async def test_every_object_is_closed() -> None:
    """F25: closed at every depth; a dict says what its values are."""
    for tool in (await tool_of(place), await tool_of(take_lists)):
        for schema in schemas_within(tool["inputSchema"]):
            if schema.get("type") == "object":
                assert "additionalProperties" in schema
                assert schema["additionalProperties"] is not True


async def everything(
    text: Annotated[str, Field(min_length=1, max_length=20, pattern="^a")],
    number: Annotated[float, Field(gt=0, lt=10, multiple_of=0.5)],
    day: date,
    moment: Instant,
    zone: ZoneId,
    address: Uri,
    price: Decimal,
    raw: bytes,
    few: Annotated[list[int], Field(min_length=1, max_length=3)],
    unique: set[str],
    either: int | str | None,
    level: Literal[1, 2, "high"],
    nested: Order,
    tree: Node,
    free: dict[str, Any],
    secret: Annotated[str, Field(json_schema_extra={"writeOnly": True})],
    change: SetField[int | None] | None = None,
) -> dict[str, list[Order | None]]:
    """Takes everything."""
    return {}


SERVED = [
    *FUNCTIONS,
    *(f for f in vars(notes).values() if getattr(f, "__module__", "") == notes.__name__),
    *(f for f in vars(labels).values() if getattr(f, "__module__", "") == labels.__name__),
    take_lists,
    place,
    grow,
    move,
    keep,
    store,
    typed_any,
    draw_tagged,
    everything,
]


async def test_every_published_schema_is_plain_2020_12() -> None:
    """F27."""
    declared = [f for f in SERVED if hasattr(f, "__app_function__") or f.__module__ == __name__]
    unique = {f.__name__: f for f in declared}.values()
    tools = await listed_tools(make_service(*unique, optional_defaults="declared"))
    assert len(tools) > 25
    for tool in tools.values():
        for side in ("inputSchema", "outputSchema"):
            if side not in tool:
                continue
            root = tool[side]
            assert root["type"] == "object"
            Draft202012Validator.check_schema(root)
            for schema in schemas_within(root):
                assert schema.keys() <= KEYWORDS, (tool["name"], schema)


async def test_a_bound_argument_is_published_nowhere() -> None:
    """F27, F87: no noise, and no default of a partial."""

    def get(url: str, *, token: str) -> str:
        """Gets a page."""
        return url

    tool = await tool_of(partial(get, token="secret-canary"))
    assert "secret-canary" not in json.dumps(tool)
    assert list(tool["inputSchema"]["properties"]) == ["url"]
