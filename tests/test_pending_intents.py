"""PendingIntent itself: an address or an action, a handle as an argument, how long it holds."""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService, PendingIntent, ResourceLink
from appfunctions_mcp.media import PENDING_INTENT_SECONDS, time_in_words
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from tests.support.arguments import published, received, refusal
from tests.support.result_types import sent_as


def pay() -> str:
    return "paid"


def test_an_action_gets_an_address_that_nobody_guesses() -> None:
    first, second = PendingIntent(action=pay), PendingIntent(action=pay)

    assert first.uri.startswith("pending-intent://")
    assert len(first.uri) > 40
    assert first.uri != second.uri
    assert first.expires_in == PENDING_INTENT_SECONDS == 300
    assert PendingIntent("https://example.org").expires_in is None


def test_a_copy_of_a_step_is_the_same_step() -> None:
    step = PendingIntent(action=pay, instructions="Pay.")

    assert copy.copy(step) == step
    assert dataclasses.replace(step, title="Pay").uri == step.uri


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (PendingIntent, "PendingIntent.uri is ''"),
        (lambda: PendingIntent("nowhere"), "an absolute address"),
        (lambda: PendingIntent("https://a", action=pay), "not both"),
        (lambda: PendingIntent(action="pay"), "takes a function, not str"),  # type: ignore[arg-type] # the fault
        (lambda: PendingIntent("https://a", 5), "instructions takes a str"),  # type: ignore[arg-type] # the fault
        (lambda: PendingIntent("https://a", expires_in=0), "seconds above 0"),
        (lambda: PendingIntent("https://a", expires_in=float("nan")), "seconds above 0"),
        (lambda: PendingIntent("https://a", expires_in=float("inf")), "seconds above 0"),
    ],
)
def test_what_is_no_step_is_refused(make: Callable[[], Any], says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        make()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (90, "90 seconds"),
        (0.5, "0.5 seconds"),
        (60, "1 minute"),
        (300, "5 minutes"),
        (3600, "1 hour"),
        (7200, "2 hours"),
    ],
)
def test_a_time_is_told_in_its_largest_unit(seconds: float, words: str) -> None:
    assert time_in_words(seconds) == words


def test_how_long_a_link_holds_is_told_with_it() -> None:
    sent = sent_as(PendingIntent, PendingIntent("https://example.org", "Pay.", expires_in=7200))
    (link,) = sent.media

    assert sent.text == "Pay. https://example.org It works within 2 hours."
    assert isinstance(link, ResourceLink)
    assert link.description == "Pay. It works within 2 hours."
    assert PendingIntent(action=pay).limits == "It works once, within 5 minutes."


def test_as_an_argument_it_is_a_handle() -> None:
    """Android: a parcelable, which travels beside the data."""
    assert published(PendingIntent) == {"type": "string"}
    assert received(PendingIntent, "pending-intent://x") == PendingIntent("pending-intent://x")
    assert received(PendingIntent | None, None) is None
    assert received(list[PendingIntent], ["a:b"]) == [PendingIntent("a:b")]
    for wrong in ("", "x", 5, {"uri": "a:b"}):
        assert "handle of a pending step" in refusal(PendingIntent, wrong)


def test_inside_a_result_it_is_its_handle_and_nothing_else_passes() -> None:
    step = PendingIntent("https://example.org", "Pay.")

    assert sent_as(dict[str, PendingIntent], {"pay": step}).value == {"pay": "https://example.org"}
    assert sent_as(list[PendingIntent | str], ["Choose.", step]).text == "Pay. https://example.org"
    with pytest.raises(Exception, match=r"\$\.pay"):
        sent_as(dict[str, PendingIntent], {"pay": "no address"})


async def _execute(service: AppFunctionService) -> Any:
    return await service.manager.execute(ExecuteAppFunctionRequest("pay"))


@pytest.mark.anyio
async def test_a_function_made_at_run_time_may_return_a_step() -> None:
    service = AppFunctionService.from_functions([], name="x", description="Pays.")
    step = PendingIntent(action=pay)
    service.register(AppFunctionMetadata("x#pay", "pay"), lambda _arguments, _context: [step])

    assert not service.has_resources
    assert (await _execute(service)).handed_out == (step,)
    assert service.has_resources
