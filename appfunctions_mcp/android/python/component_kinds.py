"""What the components of documents are to Python: what is known already, what is told apart.

Looks at documents as a whole: which classes are members of a choice or parents of others. Knows
nothing of how Python is written.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.references import parts_of, types_of
from appfunctions_mcp.android.standard_types import DATE_TYPES
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.android.xml.functions_xml_writing import canonical

_TEXT_RESOURCE = "androidx.appfunctions.AppFunctionTextResource"
_URI_GRANT = "androidx.appfunctions.AppFunctionUriGrant"
_CONTAINER = "androidx.appfunctions.AppFunctionResourceContainer"


def _object(name: str, **properties: DataType) -> ObjectType:
    return ObjectType(
        name=name,
        nullable=True,
        properties=tuple(AndroidProperty(*each) for each in properties.items()),
        required=tuple(properties),
    )


_KNOWN = {
    **DATE_TYPES,
    _TEXT_RESOURCE: _object(
        _TEXT_RESOURCE,
        mimeType=ScalarType(kind=TypeNumber.STRING),
        content=ScalarType(kind=TypeNumber.STRING),
    ),
    _URI_GRANT: _object(_URI_GRANT, uri=uri_type(), modeFlags=ScalarType(kind=TypeNumber.INT)),
}
"""Components for which Python has types, if they are exactly these."""


class ComponentKinds:
    """What is known of the components of one document, or of several that agree.

    Args:
        documents: The documents.
    """

    def __init__(self, documents: Sequence[AndroidDocument]) -> None:
        self.components: dict[str, DataType] = {}
        """All of them by name."""
        for document in documents:
            for each in document.components:
                self.components.setdefault(each.name, each.type)
        every = [each for document in documents for each in types_of(document)]
        choices = [each for each in every if isinstance(each, OneOfType)]
        children = [each for each in every if isinstance(each, AllOfType)]
        members = {name for each in choices for name in _references(each.members)}
        self.parents = {name for each in children for name in _parents_of(each)}
        """Components that others inherit from."""
        self.tagged = self._with_children(members)
        """Components whose objects say which class they are of; children of such do too."""
        self.known = {
            name: name.rpartition(".")[2]
            for name, found in self.components.items()
            if name in _KNOWN
            and name not in self.tagged | self.parents
            and _is_same(found, _KNOWN[name])
        }
        """Components for which Python has a type, and what it is called."""
        objects = [each for each in every if isinstance(each, ObjectType)]
        self.property_names = list(
            dict.fromkeys(prop.name for each in objects for prop in each.properties)
        )
        """The names of all properties."""
        self.spelled_out = frozenset(
            prop.name
            for each in children
            for member in each.members
            if isinstance(member, ObjectType)
            for prop in member.properties
            if not prop.type.description
        )
        """Properties that some child has without a description, whatever its parents say."""

    def is_container(self, data_type: DataType) -> bool:
        """Whether a parent is the interface of Android's library that brings texts along."""
        if self.known.get(_TEXT_RESOURCE) is None or not isinstance(data_type, ObjectType):
            return False
        resources = data_type.properties[0].type if len(data_type.properties) == 1 else None
        return (
            data_type.name == _CONTAINER
            and not data_type.required
            and data_type.properties[0].name == "resources"
            and resources == ArrayType(items=ReferenceType(name=_TEXT_RESOURCE))
        )

    def unused(self, document: AndroidDocument) -> list[str]:
        """Components from which all can be reached that no function leads to, as few as that."""
        reached: set[str] = set()
        for function in document.functions:
            response = () if function.response is None else (function.response.type,)
            for data_type in (*(each.type for each in function.parameters), *response):
                self._reach(data_type, reached)
        unused: dict[str, None] = {}
        for component in document.components:
            if component.name not in reached:
                unused[component.name] = None
                below: set[str] = set()
                self._reach(component.type, below)
                for name in below - {component.name}:
                    unused.pop(name, None)
                reached |= below | {component.name}
        return list(unused)

    def _reach(self, data_type: DataType, reached: set[str]) -> None:
        """Adds all components that a type leads to."""
        waiting = [data_type]
        while waiting:
            found = waiting.pop()
            if isinstance(found, ReferenceType) and found.name not in reached:
                reached.add(found.name)
                waiting.append(self.components[found.name])
            waiting.extend(parts_of(found))

    def has_tagged_base(self, data_type: DataType) -> bool:
        """Whether objects of a parent say which class they are of."""
        return not self.tagged.isdisjoint(_parents_of(data_type))

    def properties_of(self, data_type: DataType) -> set[str]:
        """The names of a type's properties, with those that it inherits."""
        found: set[str] = set()
        waiting, seen = [data_type], set[str]()
        while waiting:
            each = waiting.pop()
            if isinstance(each, ObjectType):
                found.update(prop.name for prop in each.properties)
            elif isinstance(each, AllOfType):
                waiting.extend(each.members)
            elif isinstance(each, ReferenceType) and each.name not in seen:
                seen.add(each.name)
                waiting.append(self.components[each.name])
        return found

    def has_choices(self, choice: OneOfType) -> bool:
        """Whether a member of a choice is one itself."""
        return any(isinstance(self._resolved(member), OneOfType) for member in choice.members)

    def _resolved(self, data_type: DataType) -> DataType:
        while isinstance(data_type, ReferenceType):
            data_type = self.components[data_type.name]
        return data_type

    def repeated_members(self, choice: OneOfType) -> list[str]:
        """The names by which a choice could not tell its members apart."""
        names = list(self._member_names(choice))
        return sorted({name for name in names if names.count(name) > 1})

    def _member_names(self, choice: OneOfType) -> Iterator[str]:
        for member in choice.members:
            found = self._resolved(member)
            if isinstance(found, OneOfType):
                yield from self._member_names(found)
            else:
                yield getattr(found, "name", "")

    def _with_children(self, names: set[str]) -> set[str]:
        """Components, and those that inherit from them."""
        children: dict[str, list[str]] = {}
        for child, found in self.components.items():
            for parent in _parents_of(found):
                children.setdefault(parent, []).append(child)
        found_names, waiting = set[str](), list(names)
        while waiting:
            name = waiting.pop()
            if name not in found_names:
                found_names.add(name)
                waiting.extend(children.get(name, ()))
        return found_names


def own_part(data_type: ObjectType | AllOfType) -> ObjectType | None:
    """What a class adds to its parents; None for one that adds nothing."""
    if isinstance(data_type, ObjectType):
        return data_type
    parts = [
        each
        for each in data_type.members
        if isinstance(each, ObjectType)
        and each.name == data_type.name
        and each.description == data_type.description
    ]
    # Without a parent it would come out as an object, and no longer as an allOf.
    return parts[-1] if parts and len(data_type.members) > 1 else None


def _references(members: Iterable[DataType]) -> Iterator[str]:
    return (each.name for each in members if isinstance(each, ReferenceType))


def _parents_of(data_type: DataType) -> Iterator[str]:
    """The components that a type inherits from, through what stands inline too."""
    if isinstance(data_type, AllOfType):
        yield from _references(data_type.members)
        for member in data_type.members:
            yield from _parents_of(member)


def _is_same(found: DataType, expected: DataType) -> bool:
    one, other = (
        canonical(AndroidDocument(components=(AndroidComponent("", each),)))
        for each in (replace(found, nullable=True), expected)
    )
    return one == other
