"""Names for functions of several apps and devices: short, accepted everywhere, and stable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.bridge.names import Named, prefixes, tool_names, unique_ids
from appfunctions_mcp.names import TOOL_NAME


def names_of(*ids: str, prefix: str = "") -> list[str]:
    return tool_names([Named("S", "p", each, prefix) for each in ids])


@pytest.mark.parametrize(
    ("function_id", "name"),
    [
        ("com.example.Notes#add", "add"),
        ("com.example.notes/createNote", "createNote"),
        ("bare", "bare"),
        ("p.C#add note!", "add_note"),
        ("p.C#9lives", "_9lives"),
        ("p.C#über", "ber"),
    ],
)
def test_a_name_is_what_follows_the_class(function_id: str, name: str) -> None:
    assert names_of(function_id) == [name]
    assert names_of(function_id, prefix="chat") == [f"chat_{name.lstrip('_')}"]


def test_equal_names_get_their_class_and_else_a_digest() -> None:
    """None of them keeps the short name: it would be another function's after a change."""
    assert names_of("p.Notes#add", "p.Labels#add", "p.Labels#find") == [
        "Notes_add",
        "Labels_add",
        "find",
    ]
    first, second, third = names_of("a.Notes#add", "b.Notes#add", "a/add")
    assert len({first, second, third}) == 3
    assert first.startswith("add_")
    assert names_of("b.Notes#add", "a.Notes#add", "a/add")[:2] == [second, first]


def test_names_without_letters_and_long_ones_end_in_a_digest() -> None:
    (odd,) = names_of("p.C#漢字")
    assert odd.startswith("function_")
    long, other = names_of("p.C#" + "a" * 80, "p.C#" + "a" * 81)
    assert long != other
    assert len(long) == 64


@given(st.lists(st.tuples(st.text(), st.sampled_from(["", "chat"])), unique=True, max_size=6))
def test_every_id_has_a_name_of_its_own(functions: list[tuple[str, str]]) -> None:
    named = [Named("S", prefix, function_id, prefix) for function_id, prefix in functions]
    names = tool_names(named)
    assert len(set(names)) == len(names)
    assert all(TOOL_NAME.match(name) for name in names)


def test_ids_get_package_or_device_only_where_they_are_not_unique() -> None:
    named = [
        Named("A", "p", "x"),
        Named("A", "p", "y"),
        Named("A", "q", "y"),
        Named("A", "p", "z"),
        Named("B", "p", "z"),
    ]
    assert unique_ids(named) == ["x", "p/y", "q/y", "A/p/z", "B/p/z"]


def test_no_app_can_take_another_functions_name() -> None:
    """An app chooses its ids, and may know how names are made of them."""
    victim, twin = "a.Notes#add", "b.Notes#add"
    digest_name, _ = names_of(victim, twin)
    first, second, third = names_of(victim, twin, f"c.M#{digest_name}")
    assert len({first, second, third}) == 3
    assert second == names_of(victim, twin)[1]
    assert first.startswith("function_")
    last = names_of(victim, twin, f"c.M#{digest_name}", f"c.M#{first}")
    assert len(set(last)) == 4
    assert last[0] == first


def test_no_app_can_take_another_functions_id() -> None:
    ids = unique_ids([Named("S", "q", "x"), Named("S", "p", "x"), Named("S", "p", "q/x")])
    assert ids == ["S/q/x", "p/x", "p/q/x"]
    clashing = [
        Named("a/b", "c", "x"),
        Named("a", "b", "c/x"),
        Named("S", "c", "x"),
        Named("S", "b", "c/x"),
    ]
    assert len(set(unique_ids(clashing))) == 4


def test_prefixes_are_the_shortest_ends_that_tell_apart() -> None:
    assert prefixes(["com.example.chat"]) == {"com.example.chat": ""}
    assert prefixes(["com.a.chat", "com.b.chat", "com.b.notes"]) == {
        "com.a.chat": "a_chat",
        "com.b.chat": "b_chat",
        "com.b.notes": "b_notes",
    }
    assert prefixes(["emulator-5554", "192.168.1.5:5555"]) == {
        "emulator-5554": "emulator-5554",
        "192.168.1.5:5555": "5_5555",
    }
    first, second = prefixes(["a:b", "a_b"]).values()
    assert first != second
