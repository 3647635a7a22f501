"""What results hand out to one caller: grants of addresses, and steps that are taken once."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from appfunctions_mcp import (
    AppFunctionAppUnknownException,
    AppFunctionCaller,
    AppFunctionDeclarationError,
    AppFunctionElementNotFoundException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
    AppFunctionManager,
    AppFunctionService,
    AppFunctionUriGrant,
    ExecuteAppFunctionRequest,
    ExecutionLimits,
    PendingIntent,
    ReadAppResourceRequest,
    app_function,
    app_resource,
)
from appfunctions_mcp.handed_out import (
    GRANT_SECONDS,
    MOST_CALLERS,
    MOST_GRANTS,
    MOST_STEPS,
    HandedOut,
)
from appfunctions_mcp.limits import RateLimit
from appfunctions_mcp.questions import Question
from appfunctions_mcp.requests import SilentChannel
from appfunctions_mcp.resource_registry import LONGEST_URI
from tests.support.handing_functions import STEP, handing_functions, step

pytestmark = pytest.mark.anyio

ANN = AppFunctionCaller("ann", frozenset(), "issuer sub ann")
BOB = AppFunctionCaller("bob", frozenset(), "issuer sub bob")
TREES = AppFunctionCaller("eve", frozenset({"trees"}), "issuer sub eve")
LOCAL = AppFunctionCaller(connection="stdio", local_user=True)


class Clock:
    """The time as a test sets it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def grant(uri: str, mode_flags: int = 1) -> AppFunctionUriGrant:
    return AppFunctionUriGrant(uri=uri, mode_flags=mode_flags)


async def call(
    service: AppFunctionService, name: str, caller: AppFunctionCaller = ANN, **arguments: object
) -> str:
    request = ExecuteAppFunctionRequest(name, arguments, caller)
    return (await service.manager.execute(request)).text or ""


async def read(
    service: AppFunctionService, uri: str, caller: AppFunctionCaller = ANN
) -> str | bytes:
    (content,) = await service.resources.read(ReadAppResourceRequest(uri, caller))
    return getattr(content, "text", None) or content.data  # type: ignore[union-attr] # bytes where there is no text


async def refusal(service: AppFunctionService, uri: str, caller: AppFunctionCaller = ANN) -> str:
    with pytest.raises(AppFunctionElementNotFoundException) as caught:
        await read(service, uri, caller)
    return caught.value.text()


# Grants.


async def test_a_grant_is_for_one_address_and_one_caller() -> None:
    """AppFunctionUriGrant: as Context.grantUriPermission would for the agent that calls."""
    service = handing_functions()
    nothing = "AppFunctionElementNotFoundException: there is no resource 'report://2026/7'"
    assert await refusal(service, "report://2026/7") == nothing
    await call(service, "share", uri="report://2026/7", mode_flags=1)

    assert await read(service, "report://2026/7") == "report 7 of 2026"
    assert await read(service, "REPORT://2026/7") == "report 7 of 2026"
    assert await refusal(service, "report://2026/7", BOB) == nothing
    assert await refusal(service, "report://2026/7", LOCAL) == nothing
    assert await refusal(service, "report://2026/8")
    assert service.resources.is_visible("report://2026/7", ANN)
    assert not service.resources.is_visible("report://2026/7", BOB)


async def test_a_grant_admits_only_where_the_resource_allows_it() -> None:
    """Android: the provider must have set grantUriPermissions."""
    service = handing_functions()
    await call(service, "share", uri="secret://all", mode_flags=1)
    await call(service, "share", uri="tree://a/b", mode_flags=1)

    assert await refusal(service, "secret://all")
    assert await read(service, "tree://a/b") == "a/b"


async def test_a_resource_that_takes_grants_is_open_to_those_whom_it_admits() -> None:
    service = handing_functions()

    assert await read(service, "tree://a/b", TREES) == "a/b"
    assert await read(service, "tree://a/b", LOCAL) == "a/b"
    assert [r.uri for r in service.resources.templates(TREES)] == ["tree://{+path}"]
    assert service.resources.templates(ANN) == []


@pytest.mark.parametrize(
    ("granted", "admitted", "others"),
    [
        ("tree://a", ["tree://a", "tree://a/b", "tree://a/b/c", "tree://a/"], ["tree://ab"]),
        ("tree://a/", ["tree://a/b"], ["tree://ab/c", "tree://b"]),
        ("tree://", ["tree://a", "tree://a/b"], ["tree:a"]),
    ],
)
async def test_a_prefix_admits_to_what_lies_below(
    granted: str, admitted: list[str], others: list[str]
) -> None:
    """FLAG_GRANT_PREFIX_URI_PERMISSION: whole segments, not parts of one."""
    handed = HandedOut()
    handed.give([grant(granted, 129)], ANN, "share")

    assert [uri for uri in admitted if not handed.is_granted(uri, ANN)] == []
    assert [uri for uri in others if handed.is_granted(uri, ANN)] == []


async def test_no_address_climbs_out_of_what_was_granted() -> None:
    service = handing_functions()
    await call(service, "share", uri="tree://a/", mode_flags=129)

    assert await read(service, "tree://a/b") == "a/b"
    for uri in ("tree://a/../b", "tree://a/%2e%2e/b", "tree://a/%252e%252e/b"):
        assert await refusal(service, uri)


def test_a_grant_without_the_prefix_is_for_its_address_alone() -> None:
    handed = HandedOut()
    handed.give([grant("tree://a"), grant("tree://w", 2 | 128)], ANN, "share")

    assert handed.is_granted("tree://a", ANN)
    assert not handed.is_granted("tree://a/b", ANN)
    assert not handed.is_granted("tree://w", ANN)


def test_a_further_grant_takes_nothing_of_those_before_it() -> None:
    clock = Clock()
    handed = HandedOut(clock)
    handed.give([grant("tree://a", 65), grant("tree://a", 129), grant("tree://a")], ANN, "share")
    assert handed.is_granted("tree://a/b", ANN)
    clock.now += GRANT_SECONDS

    assert handed.is_granted("tree://a", ANN)
    assert not handed.is_granted("tree://a/b", ANN)


@pytest.mark.parametrize(
    "uri",
    [
        *["notes://10", "notes://1%30", "notes://%31", "notes://1?x=1", "notes://1#x", "notes:/1"],
        *["notes://1\\2", "notes://1%2F2", "notes://../1/2", "NOTES://10", "x:notes://1/2"],
    ],
)
def test_a_prefix_admits_to_nothing_that_only_looks_like_it(uri: str) -> None:
    handed = HandedOut()
    handed.give([grant("notes://1", 129)], ANN, "share")

    assert handed.is_granted("notes://1", ANN)
    assert not handed.is_granted(uri, ANN)


def test_a_grant_of_an_address_that_names_nothing_is_not_kept() -> None:
    long = f"tree://{'a' * LONGEST_URI}"
    handed = HandedOut()
    handed.give([grant(long)], ANN, "share")

    assert not handed.is_granted(long, ANN)


def test_a_grant_ends_after_an_hour_unless_it_is_persistable() -> None:
    clock = Clock()
    handed = HandedOut(clock)
    handed.give([grant("a:b"), grant("a:kept", 65)], ANN, "share")
    clock.now += GRANT_SECONDS - 1
    assert handed.is_granted("a:b", ANN)
    clock.now += 1

    assert not handed.is_granted("a:b", ANN)
    assert handed.is_granted("a:kept", ANN)


def test_what_is_kept_has_an_end() -> None:
    handed = HandedOut()
    handed.give([grant(f"a:{number}") for number in range(MOST_GRANTS + 1)], ANN, "share")
    assert not handed.is_granted("a:0", ANN)
    assert handed.is_granted("a:1", ANN)
    for number in range(MOST_CALLERS - 1):
        handed.give([grant("a:b")], AppFunctionCaller(str(number)), "share")
    assert handed.is_granted("a:1", ANN)
    handed.give([grant("a:b")], BOB, "share")

    assert not handed.is_granted("a:1", ANN)
    assert handed.is_granted("a:b", BOB)


async def test_steps_that_are_kept_have_an_end(caplog: pytest.LogCaptureFixture) -> None:
    handed = HandedOut()
    steps = [step(str(number), lambda: "done") for number in range(MOST_STEPS + 1)]
    handed.give(steps, ANN, "pay")

    assert handed.step(STEP + "0", ANN) is None
    assert handed.step(STEP + "1", ANN) is not None
    assert not caplog.records


async def test_a_grant_of_what_nobody_can_read_is_told_to_the_author(
    capsys: pytest.CaptureFixture[str],
) -> None:
    service = handing_functions()
    for uri, flags in (
        *[("secret://all", 1)] * 2,
        ("content://elsewhere/1", 1),
        ("https://example.org/1", 1),
        ("report://2026/7", 1),
        ("report://2026", 129),
        ("content://elsewhere/1", 2),
    ):
        await call(service, "share", uri=uri, mode_flags=flags)

    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert "handing_functions.py" in told[0]
    assert "share grants 'secret://all', which is the address of no resource" in told[0]
    assert "'content://elsewhere/1'" in told[1]


# Steps.


async def test_a_step_is_taken_once_by_its_caller() -> None:
    """Android: PendingIntent.FLAG_ONE_SHOT."""
    service = handing_functions()
    assert await call(service, "pay", amount=5) == (
        f"Let pay happen. {STEP}pay It works once, within 5 minutes."
    )
    assert "there is no resource" in await refusal(service, f"{STEP}pay", BOB)

    assert await read(service, f"{STEP}pay") == "paid 5"
    assert await refusal(service, f"{STEP}pay") == (
        "AppFunctionElementNotFoundException: this step was taken already, and works once\n"
        "Recovery: If the user still wants it, call pay again for a new one."
    )


async def test_each_caller_has_a_step_of_its_own() -> None:
    service = handing_functions()
    await call(service, "pay", ANN, amount=1)
    await call(service, "pay", BOB, amount=2)

    assert await read(service, f"{STEP}pay", BOB) == "paid 2"
    assert await read(service, f"{STEP}pay", ANN) == "paid 1"


async def test_a_step_that_is_handed_out_again_can_be_taken_again() -> None:
    service = handing_functions()
    for amount in (1, 2):
        await call(service, "pay", amount=amount)
        assert await read(service, f"{STEP}pay") == f"paid {amount}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nothing", "The step has been taken."),
        ("picture", b"\x89PNG"),
    ],
)
async def test_what_a_step_returns_is_read(name: str, content: str | bytes) -> None:
    service = handing_functions()
    await call(service, "silent")

    assert await read(service, STEP + name) == content


async def test_a_step_of_a_model_s_field_is_taken_as_well() -> None:
    service = handing_functions()
    await call(service, "bill", amount=3)
    await call(service, "greet")

    assert await read(service, f"{STEP}bill") == '{"paid":3}'
    assert await read(service, f"{STEP}greet") == "hello, ann"


async def test_a_step_that_fails_has_been_taken_all_the_same() -> None:
    service = handing_functions()
    await call(service, "silent")

    assert "it has gone" in await refusal(service, f"{STEP}missing")
    with pytest.raises(AppFunctionAppUnknownException, match="error id"):
        await read(service, f"{STEP}crash")
    for name in ("missing", "crash"):
        assert "taken already" in await refusal(service, STEP + name)


async def test_a_step_expires() -> None:
    clock = Clock()
    handed = HandedOut(clock)
    handed.give([step("pay", lambda: "paid", expires_in=60)], ANN, "pay")
    pending = handed.step(f"{STEP}pay", ANN)
    assert pending is not None
    clock.now += 59
    await pending.agree(ReadAppResourceRequest(f"{STEP}pay", ANN))
    clock.now += 1

    with pytest.raises(AppFunctionElementNotFoundException, match="it worked for 1 minute"):
        await pending.agree(ReadAppResourceRequest(f"{STEP}pay", ANN))
    with pytest.raises(AppFunctionElementNotFoundException, match="has expired"):
        pending.claim()


async def test_a_step_that_was_never_begun_can_still_be_taken() -> None:
    @app_function
    def offer() -> PendingIntent:
        """Offers."""
        return step("offer", lambda: "done")

    limits = ExecutionLimits(calls_per_minute=2)
    service = AppFunctionService.from_functions(
        [offer], name="few", description="Few calls.", limits=limits
    )
    await call(service, "offer")
    await call(service, "offer")
    with pytest.raises(AppFunctionLimitExceededException):
        await read(service, f"{STEP}offer")
    service.manager.executor.rate = RateLimit(0)

    assert await read(service, f"{STEP}offer") == "done"


async def test_a_step_that_was_refused_something_has_been_taken() -> None:
    """Only what kept the step itself from its beginning leaves it open."""
    done = []

    @app_function
    async def offer() -> PendingIntent:
        """Offers."""

        async def act() -> str | None:
            done.append("paid")
            return (await service.manager.execute(ExecuteAppFunctionRequest("nowhere"))).text

        return step("offer", act)

    service = AppFunctionService.from_functions([offer], name="few", description="Refuses.")
    await call(service, "offer")
    with pytest.raises(AppFunctionFunctionNotFoundException) as caught:
        await read(service, f"{STEP}offer")

    assert caught.value.refusal is None
    assert "taken already" in await refusal(service, f"{STEP}offer")
    assert done == ["paid"]


async def test_who_is_cancelled_in_the_middle_has_taken_the_step() -> None:
    begun = asyncio.Event()

    @app_function
    def offer() -> PendingIntent:
        """Offers."""

        async def act() -> str:
            begun.set()
            await asyncio.Event().wait()
            return "never"

        return step("offer", act)

    service = AppFunctionService.from_functions([offer], name="few", description="Waits.")
    await call(service, "offer")
    reading = asyncio.create_task(read(service, f"{STEP}offer"))
    await begun.wait()
    reading.cancel()
    await asyncio.wait([reading])

    assert reading.cancelled()
    assert "taken already" in await refusal(service, f"{STEP}offer")


class Hesitant(SilentChannel):
    """A user who says no to one question, after another has been answered with yes."""

    def __init__(self, first: asyncio.Event) -> None:
        self.first = first

    def can_ask(self, _capability: str, /) -> bool:
        return True

    async def ask(self, _question: Question, /) -> dict[str, Any]:
        await self.first.wait()
        return {"action": "decline"}


async def test_a_no_to_what_has_been_done_does_not_say_that_nothing_was() -> None:
    service = handing_functions()
    await call(service, "pay", amount=5)
    first = asyncio.Event()
    asked = ReadAppResourceRequest(f"{STEP}pay", ANN, None, Hesitant(first))
    second = asyncio.create_task(service.resources.read(asked))
    await asyncio.sleep(0)
    assert await read(service, f"{STEP}pay") == "paid 5"
    first.set()

    with pytest.raises(AppFunctionElementNotFoundException, match="taken already"):
        await second
    assert "taken already" in await refusal(service, f"{STEP}pay")


async def test_a_result_with_a_useless_step_hands_nothing_out() -> None:
    handed = HandedOut()
    parts = [grant("a:b"), step("pay", lambda: "paid"), step("useless", lambda amount: amount)]
    with pytest.raises(AppFunctionAppUnknownException):
        handed.give(parts, ANN, "pay")

    assert not handed.is_granted("a:b", ANN)
    assert handed.step(f"{STEP}pay", ANN) is None


async def test_a_step_whose_content_is_too_large_says_so() -> None:
    @app_function
    def offer() -> PendingIntent:
        """Offers."""
        return step("offer", lambda: "x" * 500)

    service = AppFunctionService.from_functions(
        [offer], name="few", description="Small.", limits=ExecutionLimits(max_result_bytes=400)
    )
    await call(service, "offer")

    with pytest.raises(AppFunctionInvalidArgumentException, match="500 bytes"):
        await read(service, f"{STEP}offer")


async def test_an_action_that_cannot_be_called_is_its_functions_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The caller is not shown where the code lies; the log is."""

    def numbers() -> Iterator[int]:
        yield 1

    @app_function
    def count() -> PendingIntent:
        """Offers a generator."""
        return step("count", numbers)

    service = AppFunctionService.from_functions([count], name="x", description="x")
    for made, name in ((handing_functions(), "useless"), (service, "count")):
        with pytest.raises(AppFunctionAppUnknownException) as caught:
            await call(made, name)
        assert "whose action cannot be called" in caught.value.message
        assert ".py" not in caught.value.text()
    told = capsys.readouterr().err
    assert "it takes more than the context" in told
    assert "numbers is a generator" in told


async def test_a_manager_alone_hands_nothing_out() -> None:
    service = handing_functions()
    manager = AppFunctionManager(service.registry)

    response = await manager.execute(ExecuteAppFunctionRequest("pay", {"amount": 1}))

    assert response.handed_out
    assert "there is no resource" in await refusal(service, f"{STEP}pay", ANN)


def test_an_app_without_resources_has_them_once_results_may_hand_links_out() -> None:
    @app_function
    def offer() -> PendingIntent | None:
        """Offers."""

    @app_function
    def tell() -> str:
        """Tells."""
        return "x"

    def make(*functions: object) -> AppFunctionService:
        return AppFunctionService.from_functions(functions, name="x", description="x")  # type: ignore[arg-type] # declared functions

    assert make(offer).has_resources
    assert not make(tell).has_resources
    assert not make(tell).resources


def test_a_resource_hands_nothing_out() -> None:
    @app_resource("offers://all")
    def offers() -> dict[str, AppFunctionUriGrant]:
        """Offers."""
        return {}

    with pytest.raises(AppFunctionDeclarationError, match="only results of functions hand out"):
        AppFunctionService.from_functions([offers], name="x", description="x")
