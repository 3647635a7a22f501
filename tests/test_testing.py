"""The tools for authors' own tests."""

import mcp_types as types
import pytest

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionService,
    app_function,
)
from appfunctions_mcp.testing import captured_executions, connect

pytestmark = pytest.mark.anyio


@app_function
def find(name: str) -> str:
    """Finds a thing.

    Args:
        name: The name of the thing.
    """
    if name == "nothing":
        raise AppFunctionElementNotFoundException("There is no such thing.")
    return name


def service() -> AppFunctionService:
    return AppFunctionService.from_functions([find], name="things", description="Finds things.")


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_a_client_in_the_same_process_sees_what_any_client_sees(mode: str) -> None:
    async with connect(service(), mode=mode) as client:
        listed = await client.list_tools()
        result = await client.call_tool("find", {"name": "pen"})
    assert [tool.name for tool in listed.tools] == ["find"]
    assert (result.is_error, result.content[0].text) == (False, "pen")  # type: ignore[union-attr] # a text block


@app_function
async def greet(context: AppFunctionContext) -> str:
    """Asks who the user is, and greets them."""
    return "Hello!" if await context.confirm("May I greet you?") else "Nothing said."


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_client_with_a_callback_is_asked(mode: str) -> None:
    asked: list[str] = []

    async def answer(_context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={})

    served = AppFunctionService.from_functions([greet], name="g", description="Greets.")
    async with connect(served, mode=mode, elicitation_callback=answer) as client:
        result = await client.call_tool("greet", {})
    assert result.content[0].text == "Hello!"  # type: ignore[union-attr] # a text block
    assert asked == ["May I greet you?"]


async def test_executions_are_captured_with_their_outcomes_until_the_block_ends() -> None:
    served = service()
    with captured_executions(served) as executions:
        async with connect(served) as client:
            await client.call_tool("find", {"name": "pen"})
            await client.call_tool("find", {"name": "nothing"})
    async with connect(served) as client:
        await client.call_tool("find", {"name": "late"})
        await client.call_tool("find", {"name": "nothing"})
    assert [dict(e.request.parameters) for e in executions] == [
        {"name": "pen"},
        {"name": "nothing"},
    ]
    assert executions[0].response is not None
    assert executions[0].response.text == "pen"
    assert isinstance(executions[1].exception, AppFunctionElementNotFoundException)


async def test_a_hook_is_refused_once_the_service_runs() -> None:
    served = service()
    async with connect(served):
        with pytest.raises(RuntimeError, match="add them before"), captured_executions(served):
            pass
