"""What is wrong with a result, in words for its author: place, what stands there, what should.

Values are never shown, only their types: a result may hold what the caller must not see.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails, ValidationError

from appfunctions_mcp.exceptions import AppFunctionAppUnknownException
from appfunctions_mcp.fields import SetField
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.schema.json_values import path_step, text_form, type_name_of
from appfunctions_mcp.schema.result_checks import INSTANCE_BRANCH, TEXT_BRANCH

_SHOWN_FAULTS = 5
_OPENING = regex(r"^(\w+ )?[Ii]nput (?=should )|^Value error, |^Assertion failed, ")
_RECURSION_FAULTS = frozenset({"recursion_loop", "recursion_depth_exceeded"})


def function_at_fault(detail: str) -> AppFunctionAppUnknownException:
    """The exception for a result that does not fit what its function declares."""
    return AppFunctionAppUnknownException(
        f"the function is at fault, not the call: its result does not fit its return type: {detail}"
    )


def is_about_recursion(error: ValidationError) -> bool:
    """Whether the result was refused for its depth, or since it holds itself."""
    return any(
        fault["type"] in _RECURSION_FAULTS
        for fault in error.errors(include_url=False, include_context=False, include_input=False)
    )


def faults_in_words(error: ValidationError, value: Any) -> str:
    """All faults that a check found, by place.

    Args:
        error: What the check raised.
        value: The result that was checked.
    """
    by_place: dict[str, list[str]] = {}
    found_at: dict[str, str] = {}
    for fault in filter(_is_meant, error.errors(include_url=False, include_context=False)):
        place = _place_of(value, fault)
        expected = _expected(fault)
        if expected not in by_place.setdefault(place, []):
            by_place[place].append(expected)
        found_at.setdefault(place, _found(fault))
    # In a union every branch complains; the one that got deepest is the one that was meant.
    innermost = [p for p in by_place if not any(_is_inside(other, p) for other in by_place)]
    texts = [f"{place} {found_at[place]}{_joined(by_place[place])}" for place in innermost]
    more = len(texts) - _SHOWN_FAULTS
    return "; ".join(texts[:_SHOWN_FAULTS]) + (f"; and {more} more" if more > 0 else "")


def _place_of(value: Any, fault: ErrorDetails) -> str:
    """The path of a fault; steps that name no member, such as branches of a union, are left out."""
    place = "$"
    for step in fault["loc"]:
        if getattr(type(value), "__pydantic_root_model__", False):
            value = value.root
        for name, member in _member(value, step):
            place += path_step(name)
            value = member
    if fault["type"] == "missing":
        step = fault["loc"][-1]
        place += path_step(step if isinstance(step, int) else text_form(step))
    return place


def _is_meant(fault: ErrorDetails) -> bool:
    """Whether a fault is of the branch that the value's own kind belongs to."""
    other = INSTANCE_BRANCH if isinstance(fault["input"], str) else TEXT_BRANCH
    return other not in fault["loc"]


def _member(value: Any, step: int | str) -> Iterator[tuple[int | str, Any]]:
    """The member that a step names, with its name; nothing where the step names none."""
    if isinstance(value, Mapping):
        for key in value:
            if key == step or (isinstance(step, str) and str(key) == step):
                yield (key if isinstance(key, int) else text_form(str(key))), value[key]
                return
    elif isinstance(step, str):
        named = isinstance(value, BaseModel | SetField) or dataclasses.is_dataclass(value)
        if (named or step in getattr(value, "_fields", ())) and hasattr(value, step):
            yield step, getattr(value, step)
    elif not isinstance(value, str | bytes):
        items = list(value) if hasattr(value, "__iter__") else []
        if step < len(items):
            yield step, items[step]


def _found(fault: ErrorDetails) -> str:
    if fault["type"] == "missing":
        return "is missing"
    found = fault["input"]
    if isinstance(found, float | Decimal) and not math.isfinite(found):
        return f"is {found}"
    return f"is {type_name_of(found)}"


def _expected(fault: ErrorDetails) -> str:
    """What should stand there, without what does."""
    if fault["type"] == "missing":
        return ""
    if fault["type"] == "finite_number":
        return "should be a finite number, or the type should allow None"
    message = fault["msg"]
    if fault["type"].endswith("_parsing"):
        message = message.partition(", ")[0]
    message = _OPENING.sub("", message)
    return message[:1].lower() + message[1:]


def _joined(expected: list[str]) -> str:
    first, *others = [text for text in expected if text] or [""]
    if not first:
        return ""
    if not first.startswith("should "):
        return f": {' or '.join([first, *others])}"
    return f", but {' or '.join([first, *(text.removeprefix('should be ') for text in others)])}"


def _is_inside(place: str, outer: str) -> bool:
    return place != outer and place.startswith((f"{outer}.", f"{outer}["))
