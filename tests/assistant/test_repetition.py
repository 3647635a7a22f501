"""A model that makes the same call again and again, to the same end (F64)."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.assistant.repetition import RepetitionGuard
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult

Ended = tuple[str, dict[str, Any], str, bool]


def one_round(guard: RepetitionGuard, *ended: Ended) -> list[str]:
    """Counts a round of calls that ended so; the texts that the model gets."""
    calls = [
        FunctionCall(f"c{i}", name, arguments) for i, (name, arguments, _, _) in enumerate(ended)
    ]
    results = [
        FunctionResult(call.id, call.name, text, is_error=is_error)
        for call, (_, _, text, is_error) in zip(calls, ended, strict=True)
    ]
    return [each.text for each in guard.noted(calls, results)]


def rounds(guard: RepetitionGuard, *ended: Ended) -> int:
    """How many of these rounds, one call in each, it takes until the guard has had enough."""
    for number, each in enumerate(ended, 1):
        one_round(guard, each)
        if guard.has_had_enough:
            return number
    return 0


def test_the_third_failure_says_so_and_the_fifth_is_enough() -> None:
    guard = RepetitionGuard()
    texts = [one_round(guard, ("read", {"p": "x"}, "No such page.", True)) for _ in range(4)]
    assert texts[:2] == [["No such page."]] * 2
    assert texts[2][0].startswith("No such page.\n\nread has ended like this 3 times")
    assert not guard.has_had_enough
    assert "5 times" in one_round(guard, ("read", {"p": "x"}, "No such page.", True))[0]
    assert guard.has_had_enough


def test_other_arguments_with_the_same_error_count_too() -> None:
    failures = [("read", {"p": f"x{number}"}, "No such page.", True) for number in range(9)]
    assert rounds(RepetitionGuard(), *failures) == 5


def test_the_number_of_a_crash_makes_no_other_error_of_it() -> None:
    failures = [
        ("read", {"p": number}, f"It failed; error id {number:08x}0f.", True) for number in range(9)
    ]
    assert rounds(RepetitionGuard(), *failures) == 5


def test_an_empty_success_that_comes_again_counts() -> None:
    assert rounds(RepetitionGuard(), *[("read", {}, "", False)] * 9) == 5


def test_polling_a_status_that_changes_goes_on() -> None:
    polls = [("status", {"id": 1}, f"{number} %", False) for number in range(50)]
    assert rounds(RepetitionGuard(), *polls) == 0


def test_different_subjects_do_not_add_up() -> None:
    failures = [("read", {"p": number}, f"No page {number}.", True) for number in range(50)]
    assert rounds(RepetitionGuard(), *failures) == 0


def test_a_new_result_starts_the_count_anew() -> None:
    guard = RepetitionGuard()
    failure = ("read", {"p": "x"}, "No such page.", True)
    assert rounds(guard, *[failure] * 4) == 0
    assert rounds(guard, ("list", {}, "a b", False), *[failure] * 4) == 0
    assert rounds(guard, ("list", {}, "a b", False), failure) == 2, "the same list is nothing new"


def test_equal_calls_of_one_reply_are_one_failure() -> None:
    guard = RepetitionGuard()
    failure = ("read", {"p": "x"}, "No such page.", True)
    assert one_round(guard, *[failure] * 20) == ["No such page."] * 20
    assert not guard.has_had_enough


def test_something_new_counts_wherever_it_stands_in_a_round() -> None:
    for place in (0, 1):
        guard = RepetitionGuard()
        for number in range(9):
            ended: list[Ended] = [("read", {}, "No such page.", True)]
            ended.insert(place, ("list", {}, f"page {number}", False))
            one_round(guard, *ended)
        assert not guard.has_had_enough


def test_what_a_call_is_confirmed_with_makes_no_other_error_of_it() -> None:
    refusals: Iterator[Ended] = (
        ("erase", {}, f'Denied: the same call with "confirmation": "t0k-{n}" runs it.', True)
        for n in range(9)
    )
    assert rounds(RepetitionGuard(), *refusals) == 5


def test_the_order_of_arguments_makes_no_other_call() -> None:
    calls = [("read", {"a": 1, "b": 2}, "same", False), ("read", {"b": 2, "a": 1}, "same", False)]
    assert rounds(RepetitionGuard(), *calls * 3) == 5


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["a", "b"]),
                st.fixed_dictionaries({"x": st.integers(0, 1)}),
                st.sampled_from(["", "one", "two"]),
                st.booleans(),
            ),
            max_size=4,
        ),
        max_size=12,
    )
)
def test_whatever_happens_every_call_keeps_its_result(batches: list[list[Ended]]) -> None:
    guard = RepetitionGuard()
    for batch in batches:
        texts = one_round(guard, *batch)
        assert len(texts) == len(batch)
        for text, (_, _, given_text, _) in zip(texts, batch, strict=True):
            assert text.startswith(given_text)
