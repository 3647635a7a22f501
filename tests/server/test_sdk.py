"""The SDK's own client against our engines, and the SDK's server in memory."""

import os
import sys
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client

from appfunctions_mcp.server.sdk import build_server
from appfunctions_mcp.testing import connect
from tests.support.served_functions import served_functions
from tests.support.stdio_server import PROJECT
from tests.support.talking_functions import talking_functions

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
async def test_the_sdks_own_client_is_served_over_stdio(mode: str, engine: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.support.served_functions", "stdio"],
        cwd=str(PROJECT),
        env={**os.environ, "APPFUNCTIONS_ENGINE": engine},
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        await use(client)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
async def test_the_sdks_own_client_is_served_in_memory(mode: str) -> None:
    async with Client(build_server(served_functions()), mode=mode) as client:
        await use(client)


async def use(client: Client) -> None:
    """What every client does."""
    tools = await client.list_tools()
    assert "add" in [t.name for t in tools.tools]
    result = await client.call_tool("add", {"a": 1, "b": 2})
    assert result.structured_content == {"result": 3}
    failed = await client.call_tool("find_note", {"note_id": "x"})
    assert failed.is_error
    reports: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    await client.call_tool("count", {"steps": 3}, progress_callback=on_progress)
    assert reports == [0, 1, 2]


async def answer_form(_context: object, params: Any) -> types.ElicitResult:
    """A user who is called Ada and likes blue."""
    assert params.message
    return types.ElicitResult(action="accept", content={"name": "Ada", "color": "blue"})


async def answer_sample(_context: object, _params: object) -> types.CreateMessageResult:
    """A model that always says the same."""
    text = types.TextContent(type="text", text="Hi")
    return types.CreateMessageResult(role="assistant", content=text, model="m")


async def answer_roots(_context: object) -> types.ListRootsResult:
    """A client that works on one folder."""
    return types.ListRootsResult.model_validate({"roots": [{"uri": "file:///a"}]})


TALKING: dict[str, Any] = {
    "elicitation_callback": answer_form,
    "sampling_callback": answer_sample,
    "list_roots_callback": answer_roots,
}


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_sdks_own_client_is_asked_and_told_over_stdio(mode: str, engine: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.support.talking_functions", "stdio"],
        cwd=str(PROJECT),
        env={**os.environ, "APPFUNCTIONS_ENGINE": engine},
    )
    async with Client(stdio_client(parameters), mode=mode, **TALKING) as client:
        await talk(client)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_sdks_own_client_is_asked_and_told_in_memory(mode: str) -> None:
    async with connect(talking_functions(), mode=mode, **TALKING) as client:
        await talk(client)


async def talk(client: Client) -> None:
    """What a client does that has a user, a model and a folder."""
    assert (await text_of(client, "greet")) == "Hello, Ada!"
    assert (await text_of(client, "greet_in_thread")) == "Hello, Ada!"
    assert (await text_of(client, "introduce")) == "Ada: Hi ['file:///a']"
    assert (await text_of(client, "sign_up")) == "Ada likes blue"
    assert (await text_of(client, "erase", note_id="milk")) == "erased milk"
    listed = (await client.list_resources()).resources
    assert {"notes://all", "note://milk"} <= {str(resource.uri) for resource in listed}
    read = (await client.read_resource("asking://user")).contents[0]
    assert isinstance(read, types.TextResourceContents)
    assert read.text == '{"name":"Ada"}'
    with pytest.raises(MCPError, match="hidden"):
        await client.read_resource("hidden://all")
    prompt = await client.get_prompt("plan")
    assert isinstance(prompt.messages[0].content, types.TextContent)
    assert prompt.messages[0].content.text == "A plan for Ada."
    reference = types.PromptReference(type="ref/prompt", name="review")
    done = await client.complete(reference, {"name": "tone", "value": "s"})
    assert done.completion.values == ["strict"]


async def text_of(client: Client, name: str, **arguments: Any) -> str:
    """The text that a call returns."""
    result = await client.call_tool(name, arguments)
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


async def test_a_fault_of_the_server_itself_is_a_result_with_an_error_id(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = served_functions()

    async def fail(_request: object) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(service.manager, "execute", fail)
    async with Client(build_server(service)) as client:
        result = await client.call_tool("add", {"a": 1, "b": 2})
    assert result.is_error
    assert result.meta is not None
    record = result.meta["appfunctions/error"]
    assert record["code"] == 2000
    assert "secret" not in result.model_dump_json()
    assert record["error_id"] in caplog.text
    assert "secret" in caplog.text
