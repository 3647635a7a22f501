"""Brings the older forms of an address into the newest: an object that stands inline.

Older compilers made a component `android.net.Uri` and referred to it. A string with the format
`uri`, as one version wrote it, is a string like any other and stays one.
"""

from collections.abc import Callable
from dataclasses import replace

from appfunctions_mcp.android.data_types import (
    URI,
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)


def uri_type(
    *,
    nullable: bool = False,
    description: str = "",
    patterns: tuple[StringPattern, ...] = (),
    line: int = 0,
) -> ObjectType:
    """An address as the newest documents hold it.

    Args:
        nullable: Whether null is accepted.
        description: What is said of it.
        patterns: Of which the address matches one, such as the prefix `content:`.
        line: Where it stands in its file.
    """
    text = ScalarType(kind=TypeNumber.STRING, patterns=patterns, format="uri", line=line)
    return ObjectType(
        name=URI,
        properties=(AndroidProperty("uri", text),),
        required=("uri",),
        nullable=nullable,
        description=description,
        line=line,
    )


def uri_patterns(data_type: DataType) -> tuple[StringPattern, ...] | None:
    """The patterns of an address; None for every type that is none in exactly this shape."""
    if not isinstance(data_type, ObjectType) or data_type.name != URI:
        return None
    if data_type.required != ("uri",) or [each.name for each in data_type.properties] != ["uri"]:
        return None
    text = data_type.properties[0].type
    if not isinstance(text, ScalarType) or text.format not in {"", "uri"}:
        return None
    expected = uri_type(patterns=text.patterns).properties[0].type
    return text.patterns if replace(text, format="uri") == expected else None


def with_inline_uris(document: AndroidDocument) -> AndroidDocument:
    """The document with each reference to a component `android.net.Uri` as the object itself.

    What is said where the address is used holds: whether null is accepted, and the description,
    where there is one. A component of this name in another shape stays as it is.
    """
    component = document.component(URI)
    patterns = None if component is None else uri_patterns(component)
    if component is None or patterns is None:
        return document
    described = component.description

    def inline(data_type: DataType) -> DataType:
        if isinstance(data_type, ReferenceType) and data_type.name == URI:
            return uri_type(
                nullable=data_type.nullable,
                description=data_type.description or described,
                patterns=patterns,
                line=data_type.line,
            )
        return _with_parts(data_type, inline)

    return replace(
        document,
        functions=tuple(_with_types(each, inline) for each in document.functions),
        components=tuple(
            AndroidComponent(each.name, inline(each.type))
            for each in document.components
            if each.name != URI
        ),
    )


def _with_types(
    function: AndroidFunction, change: Callable[[DataType], DataType]
) -> AndroidFunction:
    response = function.response
    return replace(
        function,
        parameters=tuple(replace(each, type=change(each.type)) for each in function.parameters),
        response=response and replace(response, type=change(response.type)),
    )


def _with_parts(data_type: DataType, change: Callable[[DataType], DataType]) -> DataType:
    """A type with the types directly inside it changed."""
    if isinstance(data_type, ArrayType):
        return replace(data_type, items=change(data_type.items))
    if isinstance(data_type, ObjectType):
        properties = (
            AndroidProperty(each.name, change(each.type)) for each in data_type.properties
        )
        return replace(data_type, properties=tuple(properties))
    if isinstance(data_type, AllOfType | OneOfType):
        return replace(data_type, members=tuple(map(change, data_type.members)))
    return data_type
