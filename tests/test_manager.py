"""The manager: the one path by which anybody executes, searches, enables and observes."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionDeniedException,
    AppFunctionDisabledException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
    StateFileError,
)
from appfunctions_mcp.metadata import (
    AppFunctionCaller,
    AppFunctionSearchSpec,
    AppFunctionState,
    ExecutionLimits,
    StatesChanged,
)
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.state import InMemoryStateStore, JsonFileStateStore
from tests.support.calls import make_service

pytestmark = pytest.mark.anyio

REMOTE = AppFunctionCaller(name="ann", scopes=frozenset({"notes.read"}), connection="ann")
STRANGER = AppFunctionCaller(name="anonymous")


async def execute(
    service: AppFunctionService, name: str, caller: AppFunctionCaller = STRANGER, **parameters: Any
) -> Any:
    """What an execution returned."""
    request = ExecuteAppFunctionRequest(name, parameters, caller=caller)
    return (await service.manager.execute(request)).value


@app_function
async def add(a: int, b: int = 0) -> int:
    """Adds."""
    return a + b


@app_function(enabled=False)
async def wipe() -> str:
    """Wipes."""
    return "wiped"


@app_function(access="notes.read")
async def read() -> str:
    """Reads."""
    return "read"


def is_ann(caller: AppFunctionCaller) -> bool:
    return caller.name == "ann"


def breaks(caller: AppFunctionCaller) -> bool:
    raise LookupError(caller.name)


@app_function(access=is_ann, enabled=False)
async def for_ann() -> str:
    """Is Ann's."""
    return "ann"


@app_function(access=breaks)
async def for_nobody() -> str:
    """Is nobody's."""
    return "nobody"


@pytest.fixture
def service() -> AppFunctionService:
    """A service of all of them."""
    return make_service(add, wipe, read, for_ann, for_nobody)


async def test_a_function_is_executed_by_tool_name_and_by_id(service: AppFunctionService) -> None:
    assert await execute(service, "add", a="2", b=3) == 5
    assert await execute(service, f"{__name__}#add", a=2) == 2


async def test_an_unknown_name_is_answered_with_near_ones_that_the_caller_may_know(
    service: AppFunctionService,
) -> None:
    with pytest.raises(AppFunctionFunctionNotFoundException, match="near it: add"):
        await execute(service, "addd")
    with pytest.raises(AppFunctionFunctionNotFoundException) as caught:
        await execute(service, "for_an")
    assert "for_ann" not in caught.value.message
    with pytest.raises(AppFunctionFunctionNotFoundException) as caught:
        await execute(service, "quite another thing")
    assert "near it" not in caught.value.message


async def test_a_scope_or_a_predicate_decides_who_may_execute(service: AppFunctionService) -> None:
    assert await execute(service, "read", REMOTE) == "read"
    local = AppFunctionCaller(local_user=True)
    assert await execute(service, "read", local) == "read"
    for name in ("read", "for_nobody"):
        with pytest.raises(AppFunctionDeniedException, match=name):
            await execute(service, name)
    names = [m.tool_name for m in service.manager.listed(STRANGER)]
    assert names == ["add"]
    assert [m.tool_name for m in service.manager.listed(REMOTE)] == ["add", "read"]


async def test_a_predicate_that_gives_no_answer_lets_nobody_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def is_anyone(caller: AppFunctionCaller) -> bool:
        return True

    def leaves(caller: AppFunctionCaller) -> bool:
        raise SystemExit

    @app_function(access=is_anyone)  # type: ignore[arg-type] # what an author may write
    async def for_anyone() -> str:
        """Is anyone's."""
        return "anyone"

    @app_function(access=leaves)
    async def for_none() -> str:
        """Is nobody's."""
        return "none"

    service = make_service(for_anyone, for_none)
    for name, told in (
        ("for_anyone", "is async; write it as a plain function"),
        ("for_none", "failed"),
    ):
        with pytest.raises(AppFunctionDeniedException):
            await execute(service, name)
        assert told in capsys.readouterr().err


async def test_access_is_checked_before_state_and_state_before_arguments(
    service: AppFunctionService,
) -> None:
    """Android's order."""
    with pytest.raises(AppFunctionDeniedException):
        await execute(service, "for_ann", wrong=1)
    with pytest.raises(AppFunctionDisabledException, match="for_ann is switched off"):
        await execute(service, "for_ann", REMOTE, wrong=1)
    service.manager.set_enabled("for_ann", AppFunctionState.ENABLED)
    with pytest.raises(AppFunctionInvalidArgumentException):
        await execute(service, "for_ann", REMOTE, wrong=1)


async def test_a_state_is_set_read_and_returned_to_its_default(service: AppFunctionService) -> None:
    manager = service.manager
    for state, is_on in (
        (AppFunctionState.ENABLED, True),
        (AppFunctionState.DISABLED, False),
        (AppFunctionState.DEFAULT, False),
    ):
        manager.set_enabled(f"{__name__}#wipe", state)
        assert manager.state_of("wipe") is state
        assert ("wipe" in [m.tool_name for m in manager.listed()]) is is_on
    with pytest.raises(AppFunctionFunctionNotFoundException):
        manager.state_of("wip")
    with pytest.raises(AppFunctionFunctionNotFoundException):
        manager.set_enabled("wip", AppFunctionState.ENABLED)


async def test_a_change_of_another_process_is_enforced_at_the_next_call(tmp_path: Path) -> None:
    """Without a watch on the file too."""
    file = tmp_path / "state.json"
    service = make_service(add, wipe, store=JsonFileStateStore(file))
    other = JsonFileStateStore(file)
    assert await execute(service, "add", a=1) == 1
    other.write(f"{__name__}#add", AppFunctionState.DISABLED)
    with pytest.raises(AppFunctionDisabledException):
        await execute(service, "add", a=1)
    other.write(f"{__name__}#wipe", AppFunctionState.ENABLED)
    assert await execute(service, "wipe") == "wiped"
    assert service.manager.state_of("wipe") is AppFunctionState.ENABLED


async def test_requests_that_were_read_together_see_the_states_of_that_moment_and_own_changes(
    tmp_path: Path,
) -> None:
    """Another process's change came after they were sent, so that either order is true."""
    file = tmp_path / "state.json"
    service = make_service(add, wipe, store=JsonFileStateStore(file))
    other = JsonFileStateStore(file)
    with service.manager.refreshed():
        other.write(f"{__name__}#add", AppFunctionState.DISABLED)
        assert await execute(service, "add", a=1) == 1
        service.manager.set_enabled("wipe", AppFunctionState.ENABLED)
        assert await execute(service, "wipe") == "wiped"
        other.write(f"{__name__}#wipe", AppFunctionState.DISABLED)
    with pytest.raises(AppFunctionDisabledException):
        await execute(service, "add", a=1)
    with pytest.raises(AppFunctionDisabledException):
        await execute(service, "wipe")


async def test_a_state_file_that_breaks_leaves_the_known_states_in_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "state.json"
    store = JsonFileStateStore(file)
    service = make_service(add, wipe, store=store)
    service.manager.set_enabled("wipe", AppFunctionState.ENABLED)
    file.write_text('{"version": 99}', encoding="utf-8")
    for _ in range(3):
        assert await execute(service, "wipe") == "wiped"
    warnings = capsys.readouterr().err
    assert warnings.count("the states known so far stay in force") == 1
    with pytest.raises(StateFileError):
        service.manager.set_enabled("wipe", AppFunctionState.DISABLED)
    assert file.read_text(encoding="utf-8") == '{"version": 99}'
    file.unlink()
    with pytest.raises(AppFunctionDisabledException):
        await execute(service, "wipe")


async def test_a_search_finds_disabled_functions_but_none_that_are_forbidden(
    service: AppFunctionService,
) -> None:
    """Android's searchAppFunctions."""
    found = [m.tool_name for m in service.manager.search(caller=STRANGER)]
    assert found == ["add", "wipe"]
    spec = AppFunctionSearchSpec(function_ids=frozenset({f"{__name__}#wipe"}))
    assert [m.tool_name for m in service.manager.search(spec)] == ["wipe"]


async def test_observers_are_told_of_changes_from_any_thread(service: AppFunctionService) -> None:
    """Android's observeAppFunctions."""
    manager = service.manager
    manager.set_enabled("add", AppFunctionState.DISABLED)
    events = manager.observe()
    change = threading.Thread(
        target=manager.set_enabled, args=("wipe", AppFunctionState.ENABLED), daemon=True
    )
    change.start()
    async with asyncio.timeout(5):
        assert await anext(events) == StatesChanged(frozenset({f"{__name__}#wipe"}))
    change.join(5)
    await events.aclose()  # type: ignore[attr-defined] # an async generator
    manager.set_enabled("wipe", AppFunctionState.DEFAULT)


async def test_a_listener_that_is_removed_hears_no_more(service: AppFunctionService) -> None:
    heard: list[object] = []
    remove = service.manager.add_listener(heard.append)
    service.manager.set_enabled("wipe", AppFunctionState.ENABLED)
    service.manager.set_enabled("wipe", AppFunctionState.ENABLED)
    remove()
    service.manager.set_enabled("wipe", AppFunctionState.DISABLED)
    assert heard == [StatesChanged(frozenset({f"{__name__}#wipe"}))]


async def test_the_rate_of_calls_is_limited_for_each_caller() -> None:
    service = make_service(add, limits=ExecutionLimits(calls_per_minute=2))
    for _ in range(2):
        assert await execute(service, "add", REMOTE, a=1) == 1
    with pytest.raises(AppFunctionLimitExceededException, match="at most 2 calls a minute"):
        await execute(service, "add", REMOTE, a=1)
    assert await execute(service, "add", a=1) == 1


async def test_calls_beyond_what_may_wait_are_refused() -> None:
    started, release = asyncio.Event(), asyncio.Event()

    async def hold() -> str:
        """Holds its slot."""
        started.set()
        await release.wait()
        return "held"

    service = make_service(hold, limits=ExecutionLimits(max_concurrent=1, max_waiting=0))
    first = asyncio.create_task(execute(service, "hold"))
    await started.wait()
    with pytest.raises(AppFunctionLimitExceededException, match="too many calls at once"):
        await execute(service, "hold")
    release.set()
    assert await first == "held"


async def test_a_call_past_the_apps_deadline_ends() -> None:
    seen: list[AppFunctionContext] = []

    async def wait(context: AppFunctionContext) -> None:
        """Waits."""
        seen.append(context)
        await asyncio.sleep(60)

    service = make_service(wait, limits=ExecutionLimits(timeout_seconds=0.05))
    with pytest.raises(AppFunctionCancelledException, match=r"timed out after 0\.05 s"):
        await execute(service, "wait")
    assert seen[0].cancelled


async def test_hooks_stand_around_each_execution_in_their_order() -> None:
    service = make_service(add)
    steps: list[str] = []

    def hook(name: str) -> Any:
        async def around(request: ExecuteAppFunctionRequest, proceed: Any) -> Any:
            steps.append(f"{name} before {request.function}")
            response = await proceed(request)
            steps.append(f"{name} after {response.value}")
            return response

        return around

    service.around(hook("outer"))
    service.around(hook("inner"))
    assert await execute(service, "add", a=1) == 1
    assert steps == ["outer before add", "inner before add", "inner after 1", "outer after 1"]


async def test_a_hook_may_refuse() -> None:
    service = make_service(add)

    async def refuse(request: ExecuteAppFunctionRequest, proceed: Any) -> Any:
        raise AppFunctionDeniedException("not today")

    service.around(refuse)
    with pytest.raises(AppFunctionDeniedException, match="not today"):
        await execute(service, "add", a=1)


async def test_the_loop_guard_counts_by_connection() -> None:
    """F64."""

    def fail() -> None:
        """Fails."""
        raise ValueError("secret")

    service = make_service(fail, add)

    async def failure(caller: AppFunctionCaller) -> AppFunctionException:
        with pytest.raises(AppFunctionException) as caught:
            await execute(service, "fail", caller)
        return caught.value

    failures = [await failure(REMOTE) for _ in range(6)]
    assert [f.note is not None for f in failures[:5]] == [False, False, True, True, True]
    assert isinstance(failures[2], AppFunctionAppUnknownException)
    assert isinstance(failures[5], AppFunctionLimitExceededException)
    assert (await failure(STRANGER)).note is None
    assert await execute(service, "add", REMOTE, a=1) == 1
    assert (await failure(REMOTE)).note is None


@pytest.mark.parametrize("caller", [REMOTE, STRANGER])
async def test_confirmation_takes_two_calls(caller: AppFunctionCaller) -> None:
    runs: list[str] = []

    @app_function(requires_confirmation=True)
    def delete(note_id: str, reason: str | None = None) -> str:
        """Deletes."""
        runs.append(note_id)
        return "deleted"

    service = make_service(delete)

    async def denied(**parameters: Any) -> AppFunctionException:
        with pytest.raises(AppFunctionDeniedException, match="confirmation needed") as caught:
            await execute(service, "delete", caller, **parameters)
        return caught.value

    with pytest.raises(AppFunctionInvalidArgumentException):
        await execute(service, "delete", caller, note_id=5)
    first = await denied(note_id="n1", reason=None)
    assert first.retryable
    assert 'delete would run with note_id = "n1"' in first.message
    token = first.extras["confirmation"]
    assert token in first.text()
    for wrong in (None, 5, "wrong", ""):
        assert (await denied(note_id="n1", confirmation=wrong)).extras["confirmation"] != token
    await denied(note_id="n2", confirmation=token)
    assert runs == []
    assert await execute(service, "delete", caller, note_id="n1", confirmation=token) == "deleted"
    await denied(note_id="n1", confirmation=token)
    assert runs == ["n1"]


async def test_a_result_above_the_limit_says_how_to_ask_for_less() -> None:
    def rows(count: int) -> list[int]:
        """Returns rows."""
        return list(range(count))

    service = make_service(rows, limits=ExecutionLimits(max_result_bytes=100))
    assert await execute(service, "rows", count=3) == [0, 1, 2]
    with pytest.raises(AppFunctionInvalidArgumentException) as caught:
        await execute(service, "rows", count=1000)
    assert "more than the 100 that a result may have" in caught.value.message
    assert "Ask for less" in caught.value.text()


async def test_a_crash_is_shown_whole_only_where_the_author_asks() -> None:
    """F62."""
    from appfunctions_mcp.metadata import AppMetadata

    def fail() -> None:
        """Fails."""
        raise ValueError("the cause")

    quiet = make_service(fail)
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await execute(quiet, "fail")
    assert "the cause" not in caught.value.text()
    debugging = AppFunctionService(AppMetadata("app", "D."), list(quiet.registry), debug=True)
    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await execute(debugging, "fail")
    assert "ValueError: the cause" in caught.value.text()
    assert caught.value.extras["error_id"] in caught.value.text()


async def test_the_store_of_a_manager_may_be_any() -> None:
    store = InMemoryStateStore({f"{__name__}#add": AppFunctionState.DISABLED})
    with pytest.raises(AppFunctionDisabledException):
        await execute(make_service(add, store=store), "add", a=1)
