"""The quick check of arguments: it lets through what the patient one would, and nothing else."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.schema.argument_types import argument_type
from appfunctions_mcp.schema.arguments import ArgumentsSchema
from appfunctions_mcp.schema.patient_checks import PatientCheck
from tests.support.arguments import arguments_of


def update(
    note_id: str,
    count: int,
    share: float | None = None,
    tags: list[str] | None = None,
    pinned: bool = False,
    limits: list[int] | None = None,
) -> None:
    """Takes arguments whose types say all."""


UPDATE = arguments_of(update)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats()
    | st.sampled_from(["x", "7", "null", "true", "[1]", '["a"]', "1.5"])
    | st.lists(st.sampled_from(["a", 1, True, None, 1.5]), max_size=3)
)
NAMES = ["note_id", "count", "share", "tags", "pinned", "limits", "sessionId", "other"]


def outcome(check: Any, parameters: dict[str, Any]) -> str:
    dropped: list[str] = []
    try:
        checked = check(parameters, dropped)
    except AppFunctionInvalidArgumentException as refusal:
        return str(refusal)
    return repr((sorted(checked.items()), dropped))


def patient(arguments: ArgumentsSchema) -> Any:
    return PatientCheck(arguments.shape, arguments._arguments, "refuse").check


@given(st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_both_checks_agree_on_whatever_comes(parameters: dict[str, Any]) -> None:
    before = repr(parameters)

    assert outcome(UPDATE.validate, parameters) == outcome(patient(UPDATE), parameters)
    assert repr(parameters) == before


@given(
    st.fixed_dictionaries(
        {"note_id": st.text(), "count": st.integers()},
        optional={
            "share": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "tags": st.none() | st.lists(st.text()),
            "pinned": st.booleans(),
            "limits": st.none() | st.lists(st.integers()),
        },
    )
)
def test_both_checks_agree_on_what_is_declared(parameters: dict[str, Any]) -> None:
    sent = json.loads(json.dumps(parameters))

    assert outcome(UPDATE.validate, sent) == outcome(patient(UPDATE), sent)


def test_a_list_that_is_let_through_is_a_new_one() -> None:
    tags = ["a"]

    checked = UPDATE.validate({"note_id": "n", "count": 1, "tags": tags})

    assert checked["tags"] == tags
    assert checked["tags"] is not tags


@pytest.mark.parametrize("annotation", [str, int, bool, float, list[str], str | None])
def test_types_alone_decide_on_plain_types(annotation: Any) -> None:
    assert argument_type(annotation).build is None


def test_a_function_without_parameters_takes_nothing() -> None:
    def ping() -> None:
        """Answers."""

    arguments = arguments_of(ping)

    assert arguments.validate({}) == {}
    assert arguments.validate({"sessionId": "1"}) == {}
    with pytest.raises(AppFunctionInvalidArgumentException, match="no such argument"):
        arguments.validate({"other": 1})
