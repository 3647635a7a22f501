"""Access where it could leak: lists that are kept, and headers that repeat arguments."""

import json
from typing import Annotated, Any

import pytest
from pydantic import Field

from appfunctions_mcp import AppFunctionCaller, AppFunctionService, app_function
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.asgi import HttpEngine, app_functions_asgi
from appfunctions_mcp.server.tool_lists import ToolLists
from tests.server.test_engine import MODERN
from tests.support.asgi_client import ask

pytestmark = pytest.mark.anyio


@app_function(access="admin")
def move(place: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Secret-Place"})]) -> str:
    """Moves everything.

    Args:
        place: Where to.
    """
    return place


def names_of(lists: ToolLists, caller: AppFunctionCaller) -> list[str]:
    return [tool["name"] for tool in json.loads(lists.result(caller, "handshake"))["tools"]]


def test_a_predicate_that_changes_its_mind_shows_nobody_another_ones_list() -> None:
    answers = iter([False, True, True, False, False])

    @app_function(access=lambda _caller: next(answers))
    def sometimes() -> str:
        """Is there at times."""
        return "now"

    service = AppFunctionService.from_functions([sometimes], name="s", description="Sometimes.")
    lists = ToolLists(service, wire.server_info(service.metadata))
    seen = [names_of(lists, AppFunctionCaller(name=name)) for name in "abcde"]

    assert seen == [[], ["sometimes"], ["sometimes"], [], []]


def test_a_caller_by_the_name_of_the_local_user_is_another() -> None:
    service = AppFunctionService.from_functions([move], name="s", description="Moves.")
    lists = ToolLists(service, wire.server_info(service.metadata))

    assert names_of(lists, AppFunctionCaller(name="local", connection="stdio")) == []
    assert names_of(lists, AppFunctionCaller(scopes=frozenset({"admin"}))) == ["move"]
    assert names_of(lists, AppFunctionCaller(local_user=True)) == ["move"]


@pytest.mark.parametrize("engine", ["lean", "sdk"])
async def test_headers_tell_nothing_of_a_function_that_a_caller_may_not_execute(
    engine: HttpEngine,
) -> None:
    service = AppFunctionService.from_functions([move], name="s", description="Moves.")
    app = app_functions_asgi(service, engine=engine)
    params: dict[str, Any] = {"name": "move", "arguments": {"place": "x"}, "_meta": MODERN}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await ask(
        app, body, mcp_protocol_version="2026-07-28", mcp_method="tools/call", mcp_name="move"
    )

    assert answer.message["result"]["isError"] is True
    assert "AppFunctionDeniedException" in answer.message["result"]["content"][0]["text"]
    assert b"Secret-Place" not in answer.body
