"""Confirmations hold for one call, one caller, five minutes and one use."""

import dataclasses
import json
import multiprocessing
import re
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from appfunctions_mcp.confirmation import (
    CONFIRMATION_SECONDS,
    Confirmations,
    InMemoryUsedTokens,
    JsonFileUsedTokens,
    UsedTokens,
)
from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.metadata import AppFunctionCaller

KEY = "k" * 32
ANN, BOB = AppFunctionCaller("ann"), AppFunctionCaller("bob")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Note(BaseModel):
    title: str
    tags: set[str] = set()


@dataclasses.dataclass
class Point:
    x: float
    y: object = None


class Plain:
    def __init__(self, value: object) -> None:
        self.value = value


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.5

    def __call__(self) -> float:
        return self.now


every_memory = pytest.mark.parametrize(
    "new_used",
    [
        pytest.param(lambda _: InMemoryUsedTokens(), id="memory"),
        pytest.param(lambda folder: JsonFileUsedTokens(folder / "used.json"), id="file"),
    ],
)
NewUsed = Callable[[Path], UsedTokens]


@every_memory
def test_a_token_confirms_its_call_once(tmp_path: Path, new_used: NewUsed) -> None:
    confirmations = Confirmations([KEY], new_used(tmp_path))
    token = confirmations.issue("m#delete", {"note_id": "7"}, ANN)

    assert confirmations.redeem(token, "m#delete", {"note_id": "7"}, ANN)
    assert not confirmations.redeem(token, "m#delete", {"note_id": "7"}, ANN)


def test_a_token_is_short_and_may_stand_anywhere() -> None:
    token = Confirmations().issue("m#delete", {"note_id": "7" * 10_000}, ANN)

    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{35}", token)


@every_memory
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(("m#other", {"note_id": "7"}, ANN), id="another function"),
        pytest.param(("m#delete", {"note_id": "8"}, ANN), id="another argument"),
        pytest.param(("m#delete", {"note_id": 7}, ANN), id="another type"),
        pytest.param(("m#delete", {"note_id": "7", "all": True}, ANN), id="one argument more"),
        pytest.param(("m#delete", {}, ANN), id="no argument"),
        pytest.param(("m#delete", {"note_id": "7"}, BOB), id="another caller"),
    ],
)
def test_a_token_for_another_call_is_refused_and_burns_nothing(
    tmp_path: Path, new_used: NewUsed, call: tuple[str, dict[str, Any], AppFunctionCaller]
) -> None:
    confirmations = Confirmations([KEY], new_used(tmp_path))
    token = confirmations.issue("m#delete", {"note_id": "7"}, ANN)

    assert not confirmations.redeem(token, *call)
    assert confirmations.redeem(token, "m#delete", {"note_id": "7"}, ANN)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda _: "", id="empty"),
        pytest.param(lambda _: "yes", id="a word"),
        pytest.param(lambda token: token[:-1], id="cut off"),
        pytest.param(lambda token: token + "A", id="longer"),
        pytest.param(lambda token: token[:-1] + ("B" if token[-1] == "A" else "A"), id="altered"),
        pytest.param(lambda token: "B" + token[1:], id="another version"),
        pytest.param(lambda token: token[:2] + "___" + token[5:], id="a later end"),
        pytest.param(lambda token: token.swapcase(), id="in the other case"),
        pytest.param(lambda token: "é" * len(token), id="other letters"),
    ],
)
def test_a_token_that_is_not_genuine_is_refused_and_burns_nothing(
    spoil: Callable[[str], str],
) -> None:
    confirmations = Confirmations()
    token = confirmations.issue("m#delete", {}, ANN)

    assert not confirmations.redeem(spoil(token), "m#delete", {}, ANN)
    assert confirmations.redeem(f" {token}\n", "m#delete", {}, ANN)


def test_a_token_expires_after_five_minutes() -> None:
    clock = Clock()
    confirmations = Confirmations(clock=clock)
    tokens = [confirmations.issue("m#delete", {}, ANN) for _ in range(2)]

    clock.now += CONFIRMATION_SECONDS
    assert confirmations.redeem(tokens[0], "m#delete", {}, ANN)
    clock.now += 1
    assert not confirmations.redeem(tokens[1], "m#delete", {}, ANN)


def test_tokens_of_the_same_call_are_different_and_each_holds() -> None:
    confirmations = Confirmations()
    tokens = {confirmations.issue("m#delete", {}, ANN) for _ in range(10)}

    assert len(tokens) == 10
    assert all(confirmations.redeem(token, "m#delete", {}, ANN) for token in tokens)


def test_the_first_key_signs_and_every_key_verifies() -> None:
    old, new = "o" * 32, "n" * 32
    token = Confirmations([old]).issue("m#delete", {}, ANN)

    assert Confirmations([new, old]).redeem(token, "m#delete", {}, ANN)
    assert not Confirmations([new]).redeem(token, "m#delete", {}, ANN)
    assert Confirmations([new]).redeem(
        Confirmations([new, old]).issue("m#delete", {}, ANN), "m#delete", {}, ANN
    )


def test_without_keys_another_process_does_not_take_the_token() -> None:
    assert not Confirmations().redeem(Confirmations().issue("f", {}, ANN), "f", {}, ANN)


def test_workers_agree_on_which_tokens_were_used(tmp_path: Path) -> None:
    path = tmp_path / "used.json"
    workers = [Confirmations([KEY], JsonFileUsedTokens(path)) for _ in range(2)]
    token = workers[0].issue("m#delete", {}, ANN)

    assert workers[1].redeem(token, "m#delete", {}, ANN)
    assert not workers[0].redeem(token, "m#delete", {}, ANN)
    assert not Confirmations([KEY], JsonFileUsedTokens(path)).redeem(token, "m#delete", {}, ANN)


def redeem_in_a_process(path: Path, token: str) -> bool:
    return Confirmations([KEY], JsonFileUsedTokens(path)).redeem(token, "m#delete", {}, ANN)


def test_of_many_processes_just_one_may_use_a_token(tmp_path: Path) -> None:
    token = Confirmations([KEY]).issue("m#delete", {}, ANN)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        answers = pool.starmap(redeem_in_a_process, [(tmp_path / "used.json", token)] * 12)
        pool.close()
        pool.join()

    assert sorted(answers) == [False] * 11 + [True]


@every_memory
def test_expired_tokens_are_forgotten(tmp_path: Path, new_used: NewUsed) -> None:
    used = new_used(tmp_path)

    assert used.claim("a", ends_at=10, now=1)
    assert used.claim("b", ends_at=20, now=11)
    assert not used.claim("b", ends_at=20, now=12)

    assert used.claim("a", ends_at=10, now=12)
    if isinstance(used, JsonFileUsedTokens):
        assert json.loads(used.path.read_text())["used"] == {"a": 10, "b": 20}


def test_a_place_that_cannot_be_written_means_memory_with_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    confirmations = Confirmations(used=JsonFileUsedTokens(tmp_path / "file" / "used.json"))

    for _ in range(2):
        token = confirmations.issue("m#delete", {}, ANN)
        assert confirmations.redeem(token, "m#delete", {}, ANN)
        assert not confirmations.redeem(token, "m#delete", {}, ANN)

    assert capsys.readouterr().err.count("warning: ") == 1


@pytest.mark.parametrize("text", ["{", '{"version": 9}', '{"version": 1, "used": {"a": "soon"}}'])
def test_a_file_that_cannot_be_used_confirms_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "used.json").write_text(text)
    confirmations = Confirmations(used=JsonFileUsedTokens(tmp_path / "used.json"))
    token = confirmations.issue("m#delete", {}, ANN)

    with pytest.raises(StateFileError, match=r"used\.json: this confirmations file"):
        confirmations.redeem(token, "m#delete", {}, ANN)

    assert (tmp_path / "used.json").read_text() == text


def same(first: Any, second: Any) -> bool:
    confirmations = Confirmations()
    return confirmations.redeem(
        confirmations.issue("f", {"x": first}, ANN), "f", {"x": second}, ANN
    )


@pytest.mark.parametrize(
    ("new", "other"),
    [
        pytest.param(lambda: {"a": 1, "b": 2}, {"a": 2, "b": 1}, id="dict"),
        pytest.param(lambda: SetField(None), SetField("x"), id="SetField"),
        pytest.param(lambda: SetField(None), None, id="SetField or nothing"),
        pytest.param(lambda: Note(title="t", tags={"a", "b"}), Note(title="t"), id="model"),
        pytest.param(lambda: Point(1.0, [Colour.RED]), Point(1.0, [Colour.BLUE]), id="dataclass"),
        pytest.param(lambda: Plain([1]), Plain([2]), id="plain object"),
        pytest.param(lambda: {"b", "a", "c"}, {"a", "b"}, id="set"),
        pytest.param(lambda: frozenset({("a", 1)}), frozenset({("a", 2)}), id="frozen set"),
        pytest.param(lambda: [["a"], "b"], ["a", ["b"]], id="nesting"),
        pytest.param(lambda: [["a", "b"]], [["a"], "b"], id="brackets"),
        pytest.param(lambda: date(2026, 1, 2), date(2026, 1, 3), id="date"),
        pytest.param(lambda: timedelta(1), timedelta(2), id="timedelta"),
        pytest.param(lambda: Decimal("1.0"), Decimal("1.1"), id="Decimal"),
        pytest.param(lambda: UUID(int=1), UUID(int=2), id="UUID"),
        pytest.param(lambda: Path("a"), Path("b"), id="Path"),
        pytest.param(lambda: b"ab", bytearray(b"ac"), id="bytes"),
        pytest.param(lambda: "\ud800", "\ud801", id="half surrogate"),
        pytest.param(lambda: 10**5_000, 10**5_000 + 1, id="long int"),
        pytest.param(lambda: True, 1, id="bool or int"),
        pytest.param(lambda: "1", 1, id="text or int"),
        pytest.param(lambda: None, "None", id="None or text"),
        pytest.param(list, {}, id="empty list or dict"),
    ],
)
def test_equal_arguments_are_the_same_call_and_others_are_not(
    new: Callable[[], object], other: object
) -> None:
    assert same(new(), new())
    assert not same(new(), other)


def test_the_order_of_arguments_does_not_count() -> None:
    assert same({"a": 1, "b": [2]}, {"b": [2], "a": 1})


def test_arguments_may_be_nested_deeper_than_the_stack() -> None:
    def nested(bottom: object) -> object:
        for _ in range(5_000):
            bottom = [bottom]
        return bottom

    assert same(nested(1), nested(1))
    assert not same(nested(1), nested(2))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(first=json_values, second=json_values)
def test_two_json_values_are_the_same_call_only_if_they_are_the_same_json(
    first: Any, second: Any
) -> None:
    texts = [json.dumps(value, sort_keys=True) for value in (first, second)]

    assert same(first, json.loads(texts[0]))
    assert same(first, second) is (texts[0] == texts[1])
