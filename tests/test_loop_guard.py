"""An agent that makes the same failing call again and again (F64)."""

from collections.abc import Iterator
from itertools import count

import pytest

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.loop_guard import LoopGuard

CALL = ("ann", "notes#get_note", b'{"note_id":"x"}')


def not_found() -> AppFunctionException:
    return AppFunctionElementNotFoundException("no note x")


def fail(guard: LoopGuard, times: int) -> list[str | None]:
    """Makes the same call fail so many times, as the manager would; the notes."""
    notes = []
    for _ in range(times):
        guard.refusal(*CALL)
        notes.append(guard.record_failure(*CALL, not_found()))
    return notes


def test_the_third_failure_gets_a_note_and_the_sixth_call_is_refused() -> None:
    """F64: at 3 the model gets a firm note; at a second limit it is stopped."""
    guard = LoopGuard()

    notes = fail(guard, 5)

    assert notes[:2] == [None, None]
    assert "has failed 3 times running" in (notes[2] or "")
    assert "has failed 5 times running" in (notes[4] or "")
    with pytest.raises(AppFunctionLimitExceededException, match="refused until another call"):
        guard.refusal(*CALL)
    with pytest.raises(AppFunctionLimitExceededException):
        guard.refusal(*CALL)


def test_anything_that_succeeds_lets_the_call_in_again() -> None:
    guard = LoopGuard()
    fail(guard, 5)

    guard.record_success("ann")

    assert fail(guard, 2) == [None, None]


def test_a_success_of_somebody_else_changes_nothing() -> None:
    guard = LoopGuard()
    fail(guard, 5)

    guard.record_success("bob")
    guard.record_success(None)

    with pytest.raises(AppFunctionLimitExceededException):
        guard.refusal(*CALL)


@pytest.mark.parametrize(
    "other",
    [
        ("bob", "notes#get_note", b'{"note_id":"x"}'),
        ("ann", "notes#delete_note", b'{"note_id":"x"}'),
        ("ann", "notes#get_note", b'{"note_id":"y"}'),
        (None, "notes#get_note", b'{"note_id":"x"}'),
    ],
    ids=["connection", "function", "arguments", "no connection"],
)
def test_different_subjects_do_not_add_up(other: tuple[str | None, str, bytes]) -> None:
    """F64: reading ten missing files is no loop."""
    guard = LoopGuard()
    fail(guard, 5)

    guard.refusal(*other)
    assert guard.record_failure(*other, not_found()) is None


@pytest.mark.parametrize(
    "different",
    [
        AppFunctionElementNotFoundException("no note x in this folder"),
        AppFunctionInvalidArgumentException("no note x"),
    ],
    ids=["message", "class"],
)
def test_a_failure_of_another_kind_begins_anew(different: AppFunctionException) -> None:
    guard = LoopGuard()
    fail(guard, 2)

    assert guard.record_failure(*CALL, different) is None
    assert guard.record_failure(*CALL, not_found()) is None


def test_an_agent_that_takes_turns_with_two_failing_calls_is_stopped_too() -> None:
    guard = LoopGuard()
    other = ("ann", "notes#find_notes", b"{}")
    for _ in range(5):
        guard.record_failure(*CALL, not_found())
        guard.record_failure(*other, not_found())

    for call in (CALL, other):
        with pytest.raises(AppFunctionLimitExceededException):
            guard.refusal(*call)


def test_crashes_are_alike_though_each_has_an_error_id_of_its_own() -> None:
    guard = LoopGuard()
    ids: Iterator[str] = map(str, count(1000))

    def crash() -> AppFunctionException:
        error_id = next(ids)
        return AppFunctionAppUnknownException(
            f"the function failed unexpectedly (error id {error_id})",
            extras={"error_id": error_id},
        )

    notes = [guard.record_failure(*CALL, crash()) for _ in range(3)]
    assert notes[:2] == [None, None]
    assert notes[2]


def test_without_a_connection_nothing_is_counted() -> None:
    guard = LoopGuard()
    nobody = (None, *CALL[1:])

    for _ in range(10):
        guard.refusal(*nobody)
        assert guard.record_failure(*nobody, not_found()) is None
    assert not guard._connections


def test_neither_many_calls_nor_many_connections_cost_memory() -> None:
    guard = LoopGuard()

    for number in range(2000):
        guard.record_failure("ann", "notes#get_note", number, not_found())
    assert len(guard._connections["ann"]) == 256

    for number in range(2000):
        guard.record_failure(str(number), "notes#get_note", 0, not_found())
    assert len(guard._connections) == 1024
