import dataclasses
from datetime import date
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from appfunctions_mcp.fields import SetField
from tests.support.arguments import (
    declaration_fault,
    function_of,
    published,
    received,
    refusal,
)


class Thawed(BaseModel):
    a: int


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    a: int


class Entries(TypedDict):
    a: int


@dataclasses.dataclass
class Record:
    a: int


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (set[Thawed], "a set of Thawed, which Python cannot hash"),
        (frozenset[Thawed], "a set of Thawed"),
        (set[Record], "a set of Record"),
        (set[Entries], "a set of Entries"),
        (set[list[int]], "a set of lists"),
        (set[dict[str, int]], "a set of dictionaries"),
        (set[tuple[list[int], int]], "a set of values"),
        (list[set[SetField[list[int]]]], "a set of SetFields"),
        (dict[Thawed, int], "a dictionary with Thawed as keys"),
        (dict[Frozen, int], "a dictionary with Frozen as keys"),
        (dict[list[int], int], "a dictionary with lists as keys"),
        (dict[frozenset[int], int], "a dictionary with frozensets as keys"),
        (dict[int | list[int], int], "a dictionary with lists as keys"),
    ],
)
def test_what_python_cannot_hash_is_refused_at_its_declaration(annotation: Any, said: str) -> None:
    assert said in declaration_fault(function_of(annotation))


@pytest.mark.parametrize(
    ("annotation", "sent", "value"),
    [
        (set[Frozen], [{"a": 1}, {"a": 1}], {Frozen(a=1)}),
        (set[frozenset[int]], [[1], [1, 1]], {frozenset({1})}),
        (set[tuple[int, ...]], [[1, 2]], {(1, 2)}),
        (set[int | list[int]], [1], {1}),
        (set[SetField[int]], [1], {SetField(1)}),
        (dict[tuple[int, str], int], {'[1,"a"]': 2}, {(1, "a"): 2}),
        (dict[date | UUID, int], {"2026-05-27": 2}, {date(2026, 5, 27): 2}),
        (dict[Any, int], {"a": 2}, {"a": 2}),
    ],
)
def test_what_python_can_hash_is_received(annotation: Any, sent: Any, value: Any) -> None:
    assert received(annotation, sent) == value


def test_a_set_of_anything_publishes_what_can_be_hashed() -> None:
    assert published(set) == {
        "type": "array",
        "items": {"type": ["string", "number", "boolean", "null"]},
        "uniqueItems": True,
    }


@pytest.mark.parametrize(
    ("keys", "sent", "said"),
    [
        (Annotated[str, Field(pattern="^a")], "b", "as a key text that matches ^a"),
        (Annotated[int, Field(ge=3)], "1", "as a key a whole number, at least 3"),
    ],
)
def test_a_constraint_of_keys_is_told_of_the_key(keys: Any, sent: str, said: str) -> None:
    message = refusal(dict[keys, int], {sent: 1})

    assert "the key is not accepted; accepted: " in message
    assert said in message
