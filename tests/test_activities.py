"""Functions of the scope ACTIVITY: one body for each activity, called with its id."""

import asyncio
from typing import Any

import pytest

from appfunctions_mcp import (
    AppFunctionCaller,
    AppFunctionContext,
    AppFunctionDeclarationError,
    AppFunctionDeniedException,
    AppFunctionDisabledException,
    AppFunctionElementNotFoundException,
    AppFunctionFunctionNotFoundException,
    AppFunctionLimitExceededException,
    AppFunctionMetadata,
    AppFunctionScope,
    AppFunctionSearchSpec,
    AppFunctionService,
    AppFunctionState,
    ExecuteAppFunctionRequest,
    app_function,
)
from appfunctions_mcp.metadata import StatesChanged
from appfunctions_mcp.records import replaced
from appfunctions_mcp.server.ready_answers import written_tools
from tests.server.test_engines_agree import ENVELOPE, OPENING, request, require_agreement

pytestmark = pytest.mark.anyio

ZOOM_ID = "tests.test_activities#zoom"


@app_function(scope=AppFunctionScope.ACTIVITY)
def zoom(factor: float) -> str:
    """Zooms the picture of a window.

    Args:
        factor: How much.
    """
    raise AssertionError(factor)  # what it does is the window's to say


@app_function
def greet() -> str:
    """Greets."""
    return "hello"


def window(name: str) -> Any:
    async def body(arguments: dict[str, Any], context: AppFunctionContext) -> str:
        return f"{name} x{arguments['factor']:g} for {context.caller.name}"

    return body


@pytest.fixture
def service() -> AppFunctionService:
    """An app with a function of each scope."""
    return AppFunctionService.from_functions([zoom, greet], name="app", description="Has windows.")


async def called(service: AppFunctionService, name: str, activity_id: str | None = None) -> str:
    arguments = {"factor": "2"} if name == "zoom" else {}
    call = ExecuteAppFunctionRequest(name, arguments, activity_id=activity_id)
    return (await service.manager.execute(call)).text or ""


async def test_each_activity_runs_its_own_body(service: AppFunctionService) -> None:
    service.manager.activities.register("left", {"zoom": window("left")})
    service.manager.activities.register("right", {ZOOM_ID: window("right")})

    assert await called(service, "zoom", "left") == "left x2 for local"
    assert await called(service, "zoom", "right") == "right x2 for local"
    assert service.manager.activities.ids_of(ZOOM_ID) == {"left", "right"}


@pytest.mark.parametrize(
    ("name", "activity_id", "says"),
    [
        ("zoom", None, "zoom belongs to an activity, and the request names none"),
        ("zoom", "upper", "the activity 'upper' has no zoom"),
        ("greet", "left", "greet belongs to no activity"),
    ],
)
async def test_a_request_of_the_other_scope_finds_no_function(
    service: AppFunctionService, name: str, activity_id: str | None, says: str
) -> None:
    """AppFunctionMetadata: a violation of either scope is FunctionNotFound."""
    service.manager.activities.register("left", {"zoom": window("left")})

    with pytest.raises(AppFunctionFunctionNotFoundException, match=says):
        await called(service, name, activity_id)


async def test_arguments_are_checked_for_every_body(service: AppFunctionService) -> None:
    service.manager.activities.register("left", {"zoom": window("left")})
    call = ExecuteAppFunctionRequest("zoom", {"factor": "much"}, activity_id="left")

    with pytest.raises(Exception, match="factor"):
        await service.manager.execute(call)


async def test_a_function_gets_one_body_whatever_it_is_called_by(
    service: AppFunctionService,
) -> None:
    both = {"zoom": window("left"), ZOOM_ID: window("right")}
    with pytest.raises(AppFunctionDeclarationError, match="zoom gets two bodies"):
        service.manager.activities.register("left", both)

    assert service.manager.activities.ids_of(ZOOM_ID) == frozenset()


async def test_the_check_of_arguments_is_that_of_the_function_as_it_is_now() -> None:
    service = AppFunctionService.from_functions([], name="app", description="Has windows.")
    declared = AppFunctionMetadata("app#zoom", "zoom", scope=AppFunctionScope.ACTIVITY)
    first = service.register(declared, lambda _arguments, _context: None)
    service.manager.activities.register("left", {"zoom": lambda given, _context: sorted(given)})
    first.unregister()
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    service.register(replaced(declared, input_schema=schema), lambda _arguments, _context: None)

    call = ExecuteAppFunctionRequest("zoom", {"x": "5"}, activity_id="left")
    assert (await service.manager.execute(call)).text == '["x"]'


async def test_failures_are_counted_for_each_activity(service: AppFunctionService) -> None:
    def fails(_arguments: dict[str, Any], _context: AppFunctionContext) -> str:
        raise AppFunctionElementNotFoundException("no picture")

    service.manager.activities.register("left", {"zoom": fails})
    service.manager.activities.register("right", {"zoom": window("right")})
    caller = AppFunctionCaller(connection="stdio", local_user=True)
    call = ExecuteAppFunctionRequest("zoom", {"factor": 2}, caller, activity_id="left")
    for _ in range(5):
        with pytest.raises(AppFunctionElementNotFoundException):
            await service.manager.execute(call)
    with pytest.raises(AppFunctionLimitExceededException):
        await service.manager.execute(call)

    assert (await service.manager.execute(replaced(call, activity_id="right"))).text


async def test_an_activity_that_has_gone_is_not_called(service: AppFunctionService) -> None:
    registration = service.manager.activities.register("left", {"zoom": window("left")})
    registration.unregister()
    registration.unregister()

    with pytest.raises(AppFunctionFunctionNotFoundException):
        await called(service, "zoom", "left")
    assert service.manager.activities.ids_of(ZOOM_ID) == frozenset()
    assert service.manager.activities.ids_of("nobody#knows") == frozenset()


async def test_who_observes_hears_of_activities_that_come_and_go(
    service: AppFunctionService,
) -> None:
    changes = service.manager.observe()
    service.manager.activities.register("left", {"zoom": window("left")}).unregister()

    for _ in range(2):
        event = await asyncio.wait_for(anext(changes), 5)
        assert event == StatesChanged(frozenset({ZOOM_ID}))


async def test_a_disabled_function_is_so_in_every_activity(service: AppFunctionService) -> None:
    service.manager.activities.register("left", {"zoom": window("left")})
    service.manager.set_enabled("zoom", AppFunctionState.DISABLED)

    with pytest.raises(AppFunctionDisabledException):
        await called(service, "zoom", "left")


def test_all_bodies_of_an_activity_are_registered_or_none(service: AppFunctionService) -> None:
    """Android's registerAppFunctions is atomic."""
    activities = service.manager.activities
    activities.register("left", {"zoom": window("left")})
    with pytest.raises(AppFunctionDeclarationError) as caught:
        activities.register(
            "left", {"zoom": window("left"), "greet": window("left"), "zom": window("left")}
        )

    assert len(caught.value.faults) == 3
    assert "has registered tests.test_activities#zoom already" in str(caught.value)
    assert "greet is called without an activity" in str(caught.value)
    assert "'zom' is not declared; near it: tests.test_activities#zoom" in str(caught.value)
    with pytest.raises(AppFunctionDeclarationError, match=r"'xyz' is not declared$"):
        activities.register("right", {"xyz": window("right"), "zoom": window("right")})
    assert activities.ids_of(ZOOM_ID) == {"left"}


def test_a_function_of_no_activity_is_its_own_body(service: AppFunctionService) -> None:
    function = service.registry.find("greet")
    assert function is not None
    assert service.manager.activities.body_of(function, None) is function


@pytest.mark.parametrize(("activity_id", "bodies"), [("", {"zoom": window("a")}), ("a", {})])
def test_an_activity_without_id_or_bodies_is_an_error(
    service: AppFunctionService, activity_id: str, bodies: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="at least one function"):
        service.manager.activities.register(activity_id, bodies)


def test_what_belongs_to_an_activity_is_found_and_is_no_tool(service: AppFunctionService) -> None:
    """What is listed can be called, and a client's list has no place for activities (F106)."""
    service.manager.activities.register("left", {"zoom": window("left")})
    spec = AppFunctionSearchSpec(scopes=frozenset({AppFunctionScope.ACTIVITY}))

    assert [m.tool_name for m in service.manager.search(spec)] == ["zoom"]
    assert [m.tool_name for m in service.manager.listed()] == ["greet"]
    assert [m.tool_name for m, _ in written_tools(service)] == ["greet"]


async def test_a_function_made_at_run_time_may_belong_to_activities(
    service: AppFunctionService,
) -> None:
    metadata = AppFunctionMetadata("window#close", "close", scope=AppFunctionScope.ACTIVITY)
    service.register(metadata, lambda _arguments, _context: "never")
    service.manager.activities.register("left", {"close": lambda _arguments, _context: "closed"})

    assert await called(service, "close", "left") == "closed"
    with pytest.raises(AppFunctionFunctionNotFoundException):
        await called(service, "close")


async def test_a_confirmation_is_for_one_activity() -> None:
    @app_function(scope=AppFunctionScope.ACTIVITY, requires_confirmation=True)
    def wipe() -> str:
        """Wipes a window."""
        raise AssertionError

    service = AppFunctionService.from_functions([wipe], name="app", description="Wipes.")
    for name in ("left", "right"):
        service.manager.activities.register(name, {"wipe": lambda _arguments, _context: "wiped"})

    async def confirmed(activity_id: str, **arguments: str) -> str:
        call = ExecuteAppFunctionRequest("wipe", arguments, activity_id=activity_id)
        return (await service.manager.execute(call)).text or ""

    with pytest.raises(AppFunctionDeniedException) as denied:
        await confirmed("left")
    token = denied.value.extras["confirmation"]
    with pytest.raises(AppFunctionDeniedException):
        await confirmed("right", confirmation=token)

    assert await confirmed("left", confirmation=token) == "wiped"


def make_windows() -> AppFunctionService:
    service = AppFunctionService.from_functions([zoom, greet], name="app", description="Windows.")
    service.manager.activities.register("left", {"zoom": window("left")})
    return service


async def test_both_engines_take_the_activity_from_the_meta_of_a_call() -> None:
    def call(request_id: int, activity_id: object, **meta: Any) -> dict[str, Any]:
        meta["appfunctions/activityId"] = activity_id
        params = {"name": "zoom", "arguments": {"factor": 3}, "_meta": meta}
        return request(request_id, "tools/call", params)

    ids: list[object] = ["left", "right", None, 5, {}]
    calls = [call(n, which) for n, which in enumerate(ids, 1)]
    said = await require_agreement(
        [[request(0, "initialize", OPENING)], *[[each] for each in calls]],
        make_service=make_windows,
    )
    answers = {m["id"]: m for m in said if "id" in m}
    assert answers[1]["result"]["content"][0]["text"] == "left x3 for local"
    assert answers[2]["result"]["isError"]
    assert answers[3]["result"]["_meta"]["appfunctions/error"]["code"] == 1003
    assert answers[4]["error"]["code"] == answers[5]["error"]["code"] == -32602
    modern = await require_agreement(
        [[call(1, "left", **ENVELOPE)], [request(2, "tools/list", {"_meta": ENVELOPE})]],
        make_service=make_windows,
    )
    assert modern[0]["result"]["content"][0]["text"] == "left x3 for local"
    assert [tool["name"] for tool in modern[1]["result"]["tools"]] == ["greet"]
