"""Follows the references of a document to its components.

References may form cycles; following one goes a single step from name to type, or to the first
type that is no reference. Knows nothing of XML.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from appfunctions_mcp.android.data_types import (
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
)

Components = Mapping[str, DataType]
"""The shared types of a document by name."""


def components_of(document: AndroidDocument) -> dict[str, DataType]:
    """The components by name; of two of one name, which no reader accepts, the first."""
    return {each.name: each.type for each in reversed(document.components)}


def parts_of(data_type: DataType) -> Iterator[DataType]:
    """The types that stand directly inside one."""
    if isinstance(data_type, ArrayType):
        yield data_type.items
    elif isinstance(data_type, ObjectType):
        yield from (each.type for each in data_type.properties)
    elif isinstance(data_type, AllOfType | OneOfType):
        yield from data_type.members


def types_in(data_type: DataType) -> Iterator[DataType]:
    """A type and all that stand inside it, at any depth; no reference is followed."""
    waiting = [data_type]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(parts_of(found))


def types_of(document: AndroidDocument) -> Iterator[DataType]:
    """Every type of a document, at any depth."""
    for function in document.functions:
        for parameter in function.parameters:
            yield from types_in(parameter.type)
        if function.response is not None:
            yield from types_in(function.response.type)
    for component in document.components:
        yield from types_in(component.type)


def document_of(function: AndroidFunction, components: Components) -> AndroidDocument:
    """A function alone, with the components that it leads to, so that it answers for no other."""
    waiting = [each.type for each in function.parameters]
    if function.response is not None:
        waiting.append(function.response.type)
    found: dict[str, AndroidComponent] = {}
    while waiting:
        for part in types_in(waiting.pop()):
            if isinstance(part, ReferenceType) and part.name not in found:
                target = components.get(part.name)
                if target is not None:
                    found[part.name] = AndroidComponent(part.name, target)
                    waiting.append(target)
    return AndroidDocument(functions=(function,), components=tuple(found.values()))


def resolved(data_type: DataType, components: Components) -> DataType:
    """What a type is in the end, with the nullability of the place where it is used.

    Raises:
        LookupError: A reference names no component, or only leads back to itself.
    """
    found, seen = data_type, set[str]()
    while isinstance(found, ReferenceType):
        if found.name in seen or found.name not in components:
            raise LookupError(found.name)
        seen.add(found.name)
        found = components[found.name]
    return found if found is data_type else replace(found, nullable=data_type.nullable)


def object_of(data_type: DataType, components: Components) -> ObjectType:
    """An object, or the members of an allOf, as one object: later members win.

    Raises:
        LookupError: A reference names no component, or only leads back to itself.
        TypeError: This is no object.
    """
    return _merged(data_type, components, {})


def _merged(
    data_type: DataType, components: Components, known: dict[str, ObjectType]
) -> ObjectType:
    """As `object_of`; what is known is not merged again, since ancestors may meet many times."""
    found = resolved(data_type, components)
    if isinstance(found, ObjectType):
        return found
    if not isinstance(found, AllOfType):
        raise TypeError(f"{found!r} is no object")
    properties: dict[str, AndroidProperty] = {}
    required: dict[str, None] = {}
    for member in found.members:
        if not isinstance(member, ReferenceType):
            part = _merged(member, components, known)
        elif member.name in known:
            part = known[member.name]
        else:
            part = known[member.name] = _merged(member, components, known)
        properties |= {each.name: each for each in part.properties}
        required |= dict.fromkeys(part.required)
    return ObjectType(
        name=found.name,
        properties=tuple(properties.values()),
        required=tuple(required),
        nullable=found.nullable,
        description=found.description,
        line=found.line,
    )
