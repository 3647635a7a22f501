"""The sealed state between the rounds of a call: nobody else's, unchanged, and for a while."""

import base64
from typing import Any

import pytest

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.protocol_errors import INVALID_PARAMS, ProtocolError
from appfunctions_mcp.server.request_state import RequestStates, binding_of

ANN = AppFunctionCaller(name="ann", connection="issuer ann")
PARAMS = {"name": "wipe", "arguments": {"folder": "a", "deep": {"b": 1, "a": [2]}}}
KEPT = {"one": ["mark", {"action": "accept", "content": {"name": "Ann\ud800"}}], "two": ["mark"]}
KEYS = ["k" * 32]
BINDING = binding_of("tools/call", PARAMS, ANN)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def refused(states: RequestStates, state: str, binding: bytes = BINDING) -> None:
    with pytest.raises(ProtocolError, match="Invalid or expired requestState") as caught:
        states.open(state, binding)
    assert caught.value.code == INVALID_PARAMS


def test_a_state_comes_back_as_it_was() -> None:
    states = RequestStates(KEYS, "notes")
    kept = states.open(states.seal({"one": ["mark", {"action": "accept"}]}, BINDING), BINDING)
    assert kept == {"one": ["mark", {"action": "accept"}]}
    assert states.open(states.seal(KEPT, BINDING), BINDING).keys() == KEPT.keys()


def test_a_client_can_read_nothing_of_it_and_no_two_are_equal() -> None:
    states = RequestStates(KEYS, "notes")
    first, second = (states.seal({"secret": ["accept"]}, BINDING) for _ in range(2))
    assert first != second
    assert b"accept" not in base64.urlsafe_b64decode(first + "==")


def test_workers_with_equal_keys_understand_each_other_and_old_keys_still_open() -> None:
    sealed = RequestStates(KEYS, "notes").seal(KEPT, BINDING)
    assert RequestStates(["n" * 32, *KEYS], "notes").open(sealed, BINDING)
    assert RequestStates([KEYS[0].encode()], "notes").open(sealed, BINDING)
    refused(RequestStates(["n" * 32], "notes"), sealed)


def test_without_keys_each_process_has_its_own() -> None:
    states = RequestStates([], "notes")
    sealed = states.seal(KEPT, BINDING)
    assert states.open(sealed, BINDING)
    refused(RequestStates([], "notes"), sealed)


def test_a_state_expires() -> None:
    clock = Clock()
    states = RequestStates(KEYS, "notes", clock=clock)
    sealed = states.seal(KEPT, BINDING)
    clock.now += 599
    assert states.open(sealed, BINDING)
    clock.now += 2
    refused(states, sealed)


OTHERS: dict[str, tuple[str, dict[str, Any], AppFunctionCaller]] = {
    "method": ("prompts/get", PARAMS, ANN),
    "name": ("tools/call", {**PARAMS, "name": "keep"}, ANN),
    "arguments": ("tools/call", {**PARAMS, "arguments": {"folder": "b"}}, ANN),
    "no arguments": ("tools/call", {"name": "wipe"}, ANN),
    "caller": ("tools/call", PARAMS, AppFunctionCaller(name="bob", connection="issuer ann")),
    "connection": ("tools/call", PARAMS, AppFunctionCaller(name="ann", connection="other ann")),
    "anonymous": ("tools/call", PARAMS, AppFunctionCaller(name="anonymous")),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_state_is_for_one_request_of_one_caller(other: str) -> None:
    states = RequestStates(KEYS, "notes")
    refused(states, states.seal(KEPT, BINDING), binding_of(*OTHERS[other]))


def test_a_state_is_for_one_server() -> None:
    refused(RequestStates(KEYS, "labels"), RequestStates(KEYS, "notes").seal(KEPT, BINDING))


def test_what_else_stands_in_the_params_and_in_which_order_does_not_matter() -> None:
    retried = {
        "arguments": {"deep": {"a": [2], "b": 1}, "folder": "a"},
        "name": "wipe",
        "inputResponses": {"one": {}},
        "_meta": {"x": 1},
    }
    assert binding_of("tools/call", retried, ANN) == BINDING
    read = binding_of("resources/read", {"uri": "notes://1"}, ANN)
    assert read != binding_of("resources/read", {"uri": "notes://2"}, ANN)
    assert binding_of("tools/call", {"name": "\ud800"}, ANN)


def test_whatever_is_changed_is_noticed() -> None:
    states = RequestStates(KEYS, "notes")
    sealed = states.seal(KEPT, BINDING)
    refused(states, sealed + "-TAMPERED")
    for at in range(0, len(sealed), 7):
        letter = "A" if sealed[at] != "A" else "B"
        refused(states, sealed[:at] + letter + sealed[at + 1 :])


@pytest.mark.parametrize("state", ["", "A", "AA", "AQ", "no state", "é", "AQ" + "A" * 15, "A" * 80])
def test_what_was_never_given_out_is_refused(state: str) -> None:
    refused(RequestStates(KEYS, "notes"), state)


def test_of_several_texts_for_the_same_bytes_only_the_one_given_out_is_good() -> None:
    states = RequestStates(KEYS, "notes")
    sealed = next(
        sealed for n in range(3) if len(sealed := states.seal({"k": "x" * n}, BINDING)) % 4 != 0
    )
    refused(states, sealed + "=" * (-len(sealed) % 4))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet[alphabet.index(sealed[-1]) + 1]
    refused(states, sealed[:-1] + last)
