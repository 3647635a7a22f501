"""Android's access levels: which callers each admits, in lists and calls of both engines."""

import pytest

from appfunctions_mcp import (
    AppFunctionAccessLevel,
    AppFunctionCaller,
    AppFunctionDeniedException,
    AppFunctionMetadata,
    AppFunctionService,
    ExecuteAppFunctionRequest,
    app_function,
)
from appfunctions_mcp.access import SYSTEM_SCOPE, has_access, is_restricted
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.asgi import HttpEngine, app_functions_asgi
from appfunctions_mcp.server.tool_lists import ToolLists
from tests.server.test_engines_agree import request
from tests.support.asgi_client import BOTH, ask

pytestmark = pytest.mark.anyio

LOCAL = AppFunctionCaller(connection="stdio", local_user=True)
SYSTEM = AppFunctionCaller("agent", frozenset({SYSTEM_SCOPE}), "issuer sub agent")
ANYBODY = AppFunctionCaller("anonymous")


@app_function(access_level=AppFunctionAccessLevel.SELF)
def wipe() -> str:
    """Wipes everything."""
    return "wiped"


@app_function(access_level=AppFunctionAccessLevel.SYSTEM, access_level_compat=False)
def report() -> str:
    """Reports."""
    return "all is well"


@app_function(access_level=AppFunctionAccessLevel.SYSTEM, access="reports")
def report_more() -> str:
    """Reports more."""
    return "all is very well"


@app_function
def greet() -> str:
    """Greets."""
    return "hello"


def make_service() -> AppFunctionService:
    return AppFunctionService.from_functions(
        [wipe, report, report_more, greet], name="levels", description="Has levels."
    )


@pytest.mark.parametrize(
    ("caller", "seen"),
    [
        (LOCAL, ["wipe", "report", "report_more", "greet"]),
        (SYSTEM, ["report", "greet"]),
        (
            AppFunctionCaller("agent", frozenset({SYSTEM_SCOPE, "reports"})),
            ["report", "report_more", "greet"],
        ),
        (AppFunctionCaller("agent", frozenset({"reports"})), ["greet"]),
        (AppFunctionCaller("local", connection="stdio"), ["greet"]),
        (ANYBODY, ["greet"]),
    ],
)
async def test_each_level_admits_its_callers_alone(
    caller: AppFunctionCaller, seen: list[str]
) -> None:
    """AppFunctionAccessLevel: SELF is within SYSTEM, and SYSTEM within ANDROID_TRUSTED."""
    manager = make_service().manager
    lists = ToolLists(make_service(), {})

    assert [m.tool_name for m in manager.listed(caller)] == seen
    assert [m.tool_name for m in manager.search(caller=caller)] == seen
    listed = lists.result(caller, "handshake")
    assert [name for name in ("wipe", "report", "report_more", "greet") if name in seen] == seen
    for name in ("wipe", "report", "report_more", "greet"):
        assert (b'"name":"%b"' % name.encode() in listed) == (name in seen)
        call = ExecuteAppFunctionRequest(name, {}, caller)
        if name in seen:
            assert (await manager.execute(call)).text
        else:
            with pytest.raises(AppFunctionDeniedException):
                await manager.execute(call)


@pytest.mark.parametrize("engine", ["lean", "sdk"])
async def test_a_function_for_the_local_user_is_denied_over_http(engine: HttpEngine) -> None:
    app = app_functions_asgi(make_service(), engine=engine)
    async with app.running():
        answer = await ask(app, request(1, "tools/call", {"name": "wipe"}), accept=BOTH)

    assert b"AppFunctionDeniedException" in answer.body
    assert b"wiped" not in answer.body


def test_the_compat_flag_is_kept_and_changes_nothing_here() -> None:
    """A device before Android 17.2 reads it; this server enforces levels in any case."""
    (metadata,) = (m for m in make_service().manager.search() if m.tool_name == "report")

    assert metadata.access_level_compat is False
    assert is_restricted(metadata)
    assert not has_access(metadata, ANYBODY)
    assert not is_restricted(AppFunctionMetadata("a#b", "b"))


def test_a_tool_tells_its_level_where_it_is_not_everybodys() -> None:
    tools = {m.tool_name: wire.tool(m) for m in make_service().manager.search()}

    assert tools["wipe"]["_meta"] == {"appfunctions/function": {"accessLevel": "self"}}
    assert "_meta" not in tools["greet"]
