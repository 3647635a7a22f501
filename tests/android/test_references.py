"""References followed to their components."""

from dataclasses import replace

import pytest
from hypothesis import given

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
)
from appfunctions_mcp.android.references import (
    components_of,
    object_of,
    resolved,
    types_in,
    types_of,
)
from tests.support.android_documents import (
    INT,
    STRING,
    document,
    documents,
    function,
    object_type,
    parameter,
)

NOTE = object_type("n.Note", title=STRING, count=INT)


def test_a_reference_is_its_component_with_the_nullability_of_the_use() -> None:
    components: dict[str, DataType] = {
        "A": ReferenceType(name="B", nullable=True),
        "B": replace(NOTE, nullable=True),
    }
    assert resolved(ReferenceType(name="A"), components) == NOTE
    assert resolved(ReferenceType(name="A", nullable=True), components).nullable
    assert resolved(STRING, {}) is STRING


@pytest.mark.parametrize("components", [{}, {"A": ReferenceType(name="A")}], ids=["none", "itself"])
def test_a_reference_that_leads_nowhere_is_an_error(components: dict[str, ReferenceType]) -> None:
    with pytest.raises(LookupError, match="A"):
        resolved(ReferenceType(name="A"), components)


def test_the_later_member_of_an_allOf_wins() -> None:  # noqa: N802 - the document's own word
    more = object_type("", ["title"], title=INT, body=STRING)
    whole = AllOfType(
        name="n.Sub", members=(ReferenceType(name="n.Note"), more), nullable=True, description="S."
    )
    merged = object_type("n.Sub", ["title", "count"], title=INT, count=INT, body=STRING)
    expected = replace(merged, nullable=True, description="S.")
    assert object_of(whole, {"n.Note": NOTE}) == expected
    assert object_of(NOTE, {}) is NOTE


def test_ancestors_that_meet_many_times_are_merged_once() -> None:
    """Else forty classes, each with two ways to the next, would take years."""
    components: dict[str, DataType] = {
        f"n{i}": AllOfType(name="", members=(ReferenceType(name=f"n{i + 1}"),) * 2)
        for i in range(40)
    }
    components["n40"] = NOTE
    assert object_of(ReferenceType(name="n0"), components).properties == NOTE.properties


def test_a_oneOf_is_no_single_object() -> None:  # noqa: N802 - the document's own word
    with pytest.raises(TypeError, match="no object"):
        object_of(OneOfType(name="n.S", members=(NOTE,)), {})


def test_every_type_of_a_document_is_found() -> None:
    found = document(
        function("n#f", parameter("x", ArrayType(items=NOTE)), returns=INT),
        A=AllOfType(name="A", members=(NOTE,)),
    )
    assert list(types_of(found)).count(NOTE) == 2
    assert list(types_of(found)).count(INT) == 3


@given(documents())
def test_every_reference_of_a_document_that_is_read_can_be_followed(drawn: AndroidDocument) -> None:
    components = components_of(drawn)
    for each in types_of(drawn):
        assert not isinstance(resolved(each, components), ReferenceType)
        if isinstance(each, AllOfType):
            assert isinstance(object_of(each, components), ObjectType)
    for component in drawn.components:
        assert component.type in types_in(component.type)


def test_of_two_components_of_one_name_the_first_is_found() -> None:
    twice = AndroidDocument(components=(AndroidComponent("A", INT), AndroidComponent("A", STRING)))
    assert components_of(twice)["A"] == twice.component("A") == INT
