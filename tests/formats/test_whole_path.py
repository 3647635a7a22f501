"""From an exported tool over a provider's reply to the function: names and arguments arrive."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.lowlevel import Server

from appfunctions_mcp import AppFunctionService
from appfunctions_mcp.assistant.dispatcher import ToolDispatcher
from appfunctions_mcp.assistant.mcp_source import McpSource
from appfunctions_mcp.fields import SetField, apply_fields
from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.formats.schema_keywords import same_json
from appfunctions_mcp.formats.schema_trees import plain_schema
from appfunctions_mcp.metadata import AppFunctionMetadata
from tests.support.calls import make_service
from tests.support.corpus import corpus
from tests.support.drawn_schemas import arguments_schemas
from tests.support.exported import sample_of
from tests.support.function_sources import ScriptedSource, result
from tests.support.model_replies import reply_with

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
NAMES = st.sampled_from(
    ["take", "notes.create", "a/b c", "x" * 90, "1st", "notiz löschen", "\ud83d"]
)


class EchoSource(ScriptedSource):
    """Foreign tools, each of which keeps the arguments that reach it."""

    def __init__(self, functions: Sequence[AppFunctionMetadata]) -> None:
        super().__init__({})
        self.listed = functions

    async def functions(self) -> Sequence[AppFunctionMetadata]:
        return self.listed

    async def execute(self, call: Any) -> FunctionResult:
        self.calls.append(call)
        return result(call)


def echo_server(tools: list[Json]) -> Server[Any]:
    """A server of the official SDK that lists tools as they are and answers with what it got."""

    async def listed(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": tools})

    async def echoed(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        text = json.dumps([asked.name, asked.arguments])
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server("echo", on_list_tools=listed, on_call_tool=echoed)


def tools_in(saved: Any) -> list[Json]:
    """The tools of a saved list, whatever is around it; what they return is no matter here."""
    while isinstance(saved, Mapping):
        saved = saved["result" if "result" in saved else "tools"]
    kept = ("name", "description", "inputSchema")
    listed = [{name: tool[name] for name in kept if name in tool} for tool in saved]
    return [{"inputSchema": {"type": "object"}, **tool} for tool in listed]


async def dispatched(
    dispatcher: ToolDispatcher, name: str, meant: Mapping[str, Mapping[str, Any]]
) -> tuple[FunctionResult, ...]:
    """Results of calls that a model makes under the exported names."""
    form = format_named(name)
    tools = form.export_tools(await dispatcher.functions())
    calls = [
        (tools.by_name[each].exported_name, tools.by_name[each].rewrite(arguments))
        for each, arguments in meant.items()
    ]
    reply = form.read_reply(json.loads(json.dumps(reply_with(name, calls))), tools)
    return await dispatcher.dispatch(reply.calls)


@pytest.mark.parametrize("name", FORMAT_NAMES)
async def test_every_saved_tool_is_reached_under_its_own_name_with_its_own_arguments(
    name: str,
) -> None:
    """Over a real server in process, one for each file."""
    files = sorted(corpus("tools").glob("*.json"))
    count = 0
    for file in files:
        functions = metadata_of_tools(json.loads(file.read_text(encoding="utf-8")))
        meant = {
            each.tool_name: sample_of(plain_schema(each.input_schema, cut_after=1))
            for each in functions
        }
        server = echo_server(tools_in(json.loads(file.read_text(encoding="utf-8"))))
        async with ToolDispatcher(McpSource(server), max_calls=len(meant)) as dispatcher:
            answers = await dispatched(dispatcher, name, meant)
        for answer, (tool, arguments) in zip(answers, meant.items(), strict=True):
            assert not answer.is_error, answer.text
            assert json.loads(answer.text) == [tool, arguments]
        count += len(meant)
    assert count > len(files)


def without_nulls(value: Any) -> Any:
    """What a client sends that takes null for nothing, at every depth."""
    if isinstance(value, Mapping):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(drawn=arguments_schemas(), tool_name=NAMES, drops_nulls=st.booleans())
@settings(max_examples=40)
async def test_drawn_arguments_reach_a_drawn_tool(
    name: str, drawn: tuple[Json, Json], tool_name: str, drops_nulls: bool
) -> None:
    """Also where a client on the way drops each null that a strict schema asked for."""
    schema, arguments = drawn
    source = EchoSource(metadata_of_tools([{"name": tool_name, "inputSchema": schema}]))
    form = format_named(name)
    tools = form.export_tools(source.listed)
    written = tools.tools[0].rewrite(arguments)
    if drops_nulls and without_nulls(arguments) == arguments:
        written = without_nulls(written)
    body = reply_with(name, [(tools.tools[0].exported_name, written)])
    reply = form.read_reply(json.loads(json.dumps(body)), tools)
    async with ToolDispatcher(source) as dispatcher:
        (answer,) = await dispatcher.dispatch(reply.calls)
    assert not answer.is_error, answer.text
    (seen,) = source.calls
    assert seen.function.tool_name == tool_name
    assert same_json(dict(seen.arguments), arguments)


class Shop:
    """Keeps one article, and the fields that the last update gave."""

    def __init__(self) -> None:
        self.article: Json = {"title": "T", "price": 5, "tags": ["a"]}
        self.given: list[str] = []

    def update(
        self,
        title: SetField[str] | None = None,
        price: SetField[int | None] | None = None,
        tags: SetField[list[str] | None] | None = None,
    ) -> str:
        """Updates the article."""
        self.article, self.given = apply_fields(self.article, title=title, price=price, tags=tags)
        return "updated"

    @property
    def service(self) -> AppFunctionService:
        return make_service(self.update)


async def updated(shop: Shop, name: str, sent: Json) -> FunctionResult:
    """What a model's arguments do, over the export of one format."""
    async with ToolDispatcher(shop.service) as dispatcher:
        form = format_named(name)
        tools = form.export_tools(await dispatcher.functions())
        body = reply_with(name, [(tools.tools[0].exported_name, sent)])
        (answer,) = await dispatcher.dispatch(form.read_reply(body, tools).calls)
    return answer


NULLS: Json = {"title": None, "price": None, "tags": None}
MEANT: list[tuple[Json, list[str], Json]] = [
    ({}, [], {}),
    ({"price": {"value": None}}, ["price"], {"price": None}),
    ({"price": {"value": 7}}, ["price"], {"price": 7}),
    (
        {"tags": {"value": None}, "title": {"value": ""}},
        ["title", "tags"],
        {"tags": None, "title": ""},
    ),
    ({"tags": {"value": []}}, ["tags"], {"tags": []}),
]  # fmt: skip


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "mistral"])
@pytest.mark.parametrize(("said", "given_fields", "changed"), MEANT)
async def test_a_strict_update_does_what_was_meant_though_nulls_were_dropped(
    name: str, said: Json, given_fields: list[str], changed: Json
) -> None:
    """Field cases F66 and F67: the null in a set field clears it, even where it is dropped."""
    whole = {**NULLS, **said}
    for sent in (whole, said, without_nulls(whole)):
        shop = Shop()
        answer = await updated(shop, name, sent)
        assert (answer.is_error, answer.text) == (False, "updated")
        assert shop.given == given_fields
        assert shop.article == {"title": "T", "price": 5, "tags": ["a"], **changed}


@pytest.mark.parametrize("name", FORMAT_NAMES)
async def test_an_empty_set_field_is_refused_where_it_can_mean_two_things(name: str) -> None:
    """`price` is cleared by `{}` only where nothing but a dropped null can be behind it."""
    shop = Shop()
    answer = await updated(shop, name, {"title": {}})
    assert answer.is_error
    assert "title" in answer.text
    functions = [each.metadata for each in shop.service.registry]
    is_strict = (
        name != "anthropic" and format_named(name).export_tools(functions).tools[0].is_strict
    )
    answer = await updated(shop, name, {"price": {}})
    assert answer.is_error is not is_strict
    assert shop.article["price"] == (None if is_strict else 5)


async def test_a_set_field_inside_a_list_is_cleared_too() -> None:
    """At every depth, and through histories unchanged."""
    field = {
        "type": "object",
        "properties": {"value": {"type": ["integer", "null"]}, "clear": {"type": "boolean"}},
        "additionalProperties": False,
    }
    item = {"type": "object", "properties": {"price": field}, "additionalProperties": False}
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}},
        "additionalProperties": False,
    }
    functions = metadata_of_tools([{"name": "take", "inputSchema": schema}])
    (tool,) = format_named("openai-chat").export_tools(functions).tools
    assert tool.is_strict
    sent = {"items": [{"price": {}}, {"price": None}, {"price": {"value": 1}}, {}]}
    cleared, left = {"price": {"value": None}}, dict[str, Any]()
    assert tool.restore(sent) == {"items": [cleared, left, {"price": {"value": 1}}, left]}
    for arguments in ({"items": [cleared, left]}, {"items": [{"price": {"clear": True}}]}):
        assert tool.restore(tool.rewrite(arguments)) == arguments
    (written,) = tool.rewrite({"items": [{"price": {"value": 1}}]})["items"]
    assert written == {"price": {"value": 1}}
