"""Addresses in their newest form, and what only looks like one."""

from dataclasses import replace

import pytest

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidProperty,
    DataType,
    OneOfType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.uri_forms import uri_patterns, uri_type, with_inline_uris
from tests.support.android_documents import INT, STRING, document, function, object_type

CONTENT = (StringPattern("content:", 1),)
URI_USE = ReferenceType(name="android.net.Uri")


def as_uri(text: DataType, *, required: tuple[str, ...] = ("uri",)) -> DataType:
    return replace(uri_type(), properties=(AndroidProperty("uri", text),), required=required)


def test_an_address_is_known_by_its_shape() -> None:
    found = uri_type(nullable=True, description="Where.", patterns=CONTENT, line=3)
    assert uri_patterns(found) == CONTENT
    assert uri_patterns(as_uri(STRING)) == ()


@pytest.mark.parametrize(
    "data_type",
    [
        STRING,
        object_type("n.Uri", uri=STRING),
        replace(uri_type(), properties=(*uri_type().properties, AndroidProperty("a", INT))),
        as_uri(STRING, required=()),
        as_uri(INT),
        as_uri(object_type("", a=INT)),
        as_uri(ScalarType(kind=TypeNumber.STRING, format="url")),
        as_uri(ScalarType(kind=TypeNumber.STRING, nullable=True)),
        as_uri(ScalarType(kind=TypeNumber.STRING, description="The text.")),
    ],
)
def test_another_shape_is_no_address(data_type: DataType) -> None:
    assert uri_patterns(data_type) is None


def test_the_patterns_of_an_older_component_stand_where_it_is_used() -> None:
    components: dict[str, DataType] = {
        "android.net.Uri": as_uri(replace(STRING, patterns=CONTENT)),
        "n.S": AllOfType(name="n.S", members=(URI_USE,)),
        "n.T": OneOfType(name="n.T", members=(URI_USE,)),
        "n.Number": INT,
    }
    older = document(function("n#f", returns=object_type("n.O", u=URI_USE)), **components)
    found = uri_type(patterns=CONTENT)
    newest: dict[str, DataType] = {
        "n.S": AllOfType(name="n.S", members=(found,)),
        "n.T": OneOfType(name="n.T", members=(found,)),
        "n.Number": INT,
    }
    assert with_inline_uris(older) == document(
        function("n#f", returns=object_type("n.O", u=found)), **newest
    )


def test_a_document_of_the_newest_form_stays_as_it_is() -> None:
    newest = document(function("n#f", returns=uri_type()))
    assert with_inline_uris(newest) is newest
