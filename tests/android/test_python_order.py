"""Definitions in an order in which Python can read them."""

from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.python.order import in_order


def test_what_is_needed_stands_before_and_so_does_what_is_mentioned() -> None:
    needs = {"Shape": ["Circle", "Square"], "Circle": [], "Square": [], "Note": []}
    assert in_order(needs, {}) == ["Circle", "Square", "Shape", "Note"]
    assert in_order(needs, {"Circle": ["Note"]}) == ["Note", "Circle", "Square", "Shape"]


def test_a_cycle_of_mentions_breaks_no_need() -> None:
    needs: dict[str, list[str]] = {"Circle": [], "Shape": ["Circle"]}
    assert in_order(needs, {"Circle": ["Shape", "Circle", "Other"]}) == ["Circle", "Shape"]


def test_a_long_chain_is_no_deep_recursion() -> None:
    needs = {str(at): [str(at + 1)] for at in range(20_000)} | {"20000": []}
    assert in_order(needs, {})[0] == "20000"


@given(st.data())
def test_every_name_stands_once_after_its_needs(data: st.DataObject) -> None:
    names = [str(at) for at in range(data.draw(st.integers(0, 6)))]
    some = st.lists(st.sampled_from(names), max_size=4) if names else st.just([])
    needs = {name: [each for each in data.draw(some) if each < name] for name in names}
    ordered = in_order(needs, {name: data.draw(some) for name in names})
    assert sorted(ordered) == sorted(names)
    for name, before in needs.items():
        assert all(ordered.index(each) < ordered.index(name) for each in before)
