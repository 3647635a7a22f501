"""Which functions of a listing are served, and what is said of those that are not."""

from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.android.bridge.adb import MAX_WORD_BYTES, Adb, AdbDevice
from appfunctions_mcp.android.bridge.bridged import (
    Bridged,
    BridgedApp,
    bridged_functions,
    wanted_functions,
)
from appfunctions_mcp.android.bridge.device_shell import DeviceShell
from appfunctions_mcp.android.bridge.discovery import DiscoveredApp
from appfunctions_mcp.android.data_types import AndroidDocument, DataType, ReferenceType
from tests.support.android_documents import (
    STRING,
    document,
    function,
    object_type,
    parameter,
)

PACKAGE = "com.example.notes"


def bridged(
    listed: AndroidDocument, **apps: AndroidDocument
) -> tuple[dict[str, Bridged], tuple[str, ...]]:
    """What is served of an app, and of others by their prefix."""
    shell = DeviceShell(Adb(Path("/adb"), "S"))
    documents = {PACKAGE: listed, **apps}
    listing = {name: DiscoveredApp(name, each) for name, each in documents.items()}
    served = [BridgedApp(AdbDevice("S", "device"), shell, name) for name in documents]
    return bridged_functions(served, {"S": listing})


def chain(length: int) -> dict[str, DataType]:
    """Types of which each holds the next."""
    types: dict[str, DataType] = {
        f"p.N{at}": object_type(f"p.N{at}", next=ReferenceType(name=f"p.N{at + 1}"))
        for at in range(length)
    }
    return types | {f"p.N{length}": object_type(f"p.N{length}", text=STRING)}


def long_id() -> AndroidDocument:
    return document(function("a#" + "x" * MAX_WORD_BYTES), function("a#good"))


def of_chain(length: int) -> AndroidDocument:
    first = function("a#bad", parameter("x", ReferenceType(name="p.N0")))
    return document(first, function("a#good"), **chain(length))


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (long_id(), "is left out: its id is longer than a word of a command may be"),
        (of_chain(180), "'a#bad' is left out: its types stand too deep"),
        (of_chain(300), "'a#bad' is left out: it leads to 301 types; up to 200 are served"),
    ],
    ids=["id", "depth", "count"],
)
def test_a_function_that_cannot_be_served_costs_no_other(
    listed: AndroidDocument, reason: str
) -> None:
    served, findings = bridged(listed)
    assert list(served) == ["a#good"]
    assert len(findings) == 1
    assert findings[0].startswith(f"{PACKAGE}: ")
    assert reason in findings[0]


def test_a_function_is_equal_while_only_others_change() -> None:
    """So that clients are told of what has changed, and nothing else is made anew."""

    def served(**changed: Any) -> dict[str, Bridged]:
        first = function("a#first", parameter("x", ReferenceType(name="p.First")))
        second = function("a#second", parameter("x", ReferenceType(name="p.Second")))
        types = {
            "p.First": object_type("p.First", text=STRING),
            "p.Second": object_type("p.Second", text=STRING, **changed),
        }
        return bridged(document(first, second, **types))[0]

    before, after = served(), served(more=STRING)
    assert before["a#first"] == after["a#first"]
    assert before["a#second"] != after["a#second"]


def test_no_app_takes_the_id_of_another_ones_function() -> None:
    served, _ = bridged(document(function("x"), function("other/x")), other=document(function("x")))
    assert {(each.package, each.function.id) for each in served.values()} == {
        (PACKAGE, "x"),
        (PACKAGE, "other/x"),
        ("other", "x"),
    }


def test_a_glob_that_matches_nothing_is_told_with_the_names_that_there_are() -> None:
    served, _ = bridged(document(function("a#add"), function("a#find")))
    wanted, findings = wanted_functions(served, ["ad*", "zzz*"])
    assert list(wanted) == ["a#add"]
    assert findings == ("--only 'zzz*' matches no function; the first ones are add, find",)
    assert wanted_functions(served, []) == (served, ())
    assert wanted_functions({}, ["zzz*"]) == ({}, ())
