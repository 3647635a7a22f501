"""What makes a document unusable: dangling references, names that clash, types without parts.

Works on the records, so that a document is refused for the same reasons when it is read and
before it is written. Each fault names the place in the document and what is accepted.
"""

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import islice

from appfunctions_mcp.android.data_types import (
    SCALARS,
    AllOfType,
    AndroidDocument,
    AndroidFunction,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.references import components_of, parts_of
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionSchema
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, PatternType
from appfunctions_mcp.quoting import quoted

MAX_TYPE_DEPTH = 45
"""How deep types may stand in each other; their elements then fit the limit of `read_xml`."""
BLANKS = " \t\r\n"
"""What may stand around a name in an XML, without being part of it."""
UNUSED = "unused"
"""What an XML says where an id means nothing."""
WITH_ENUM = frozenset({TypeNumber.STRING, TypeNumber.INT})
"""The types whose values can be listed."""

# More names than that, no app has; to compare them all with each wrong one would take minutes.
_MOST_COMPARED = 500

Fault = tuple[int, str]
"""The line of a fault, 0 where there is none, and what it says."""

_INT = regex(r"-?(0|[1-9][0-9]{0,9})\Z")
_KNOWN_PATTERNS = frozenset(PatternType)


def document_faults(document: AndroidDocument) -> Iterator[Fault]:
    """Finds everything that makes a document unusable."""
    checks = _Checks(document)
    yield from _repeated("function", ((each.id, each.line) for each in document.functions))
    yield from _repeated("component", ((each.name, each.type.line) for each in document.components))
    if document.service is not None:
        yield from _service_faults(document.service)
    for function in document.functions:
        yield from checks.of_function(function)
    for component in document.components:
        place = f"component {quoted(component.name)}"
        yield from _unnamed(component.name, component.type.line, place)
        yield from checks.of_type(component.type, place)
    yield from checks.of_ancestry()


def _repeated(what: str, named: Iterable[tuple[str, int]]) -> Iterator[Fault]:
    lines: dict[str, int] = {}
    for name, line in named:
        if name in lines:
            first = f" (first in line {lines[name]})" if lines[name] else ""
            yield line, f"{what} {quoted(name)} is declared twice{first}; rename or remove one"
        elif name:
            lines[name] = line


def _service_faults(service: str) -> Iterator[Fault]:
    if service == UNUSED:
        yield 0, f"the service is named {quoted(service)}, which means none; rename it"
    else:
        yield from _unnamed(service, 0, "the service")


def _unnamed(name: str, line: int, place: str) -> Iterator[Fault]:
    if not name:
        yield line, f"{place} has no name; add one"
    elif name != name.strip(BLANKS):
        yield line, f"{place}: the name {quoted(name)} has blanks around it; remove them"


class _Checks:
    """The checks that need to know the components.

    Args:
        document: What is looked at.
    """

    def __init__(self, document: AndroidDocument) -> None:
        self._components = components_of(document)
        self._in_the_end: dict[str, DataType | None] = {}

    def of_function(self, function: AndroidFunction) -> Iterator[Fault]:
        place = f"function {quoted(function.id)}"
        yield from _unnamed(function.id, function.line, place)
        for fault_line, text in _repeated(
            "parameter", ((each.name, each.line) for each in function.parameters)
        ):
            yield fault_line, f"{place}: {text}"
        for parameter in function.parameters:
            there = f"{place}, parameter {quoted(parameter.name)}"
            yield from _unnamed(parameter.name, parameter.line, there)
            yield from self.of_type(parameter.type, there)
        if function.response is not None:
            yield from self.of_type(function.response.type, f"{place}, response")
        if function.schema is not None:
            for text in _schema_faults(function.schema):
                yield function.line, f"{place}: {text}"

    def of_type(self, data_type: DataType, place: str, depth: int = 1) -> Iterator[Fault]:
        """The faults of a type and of all that stand inside it."""
        if depth > MAX_TYPE_DEPTH:
            text = f"types stand in each other more than {MAX_TYPE_DEPTH} deep"
            yield data_type.line, f"{place}: {text}; make components of some"
            return
        for text in self._own_faults(data_type):
            yield data_type.line, f"{place}: {text}"
        if isinstance(data_type, ObjectType):
            for each in data_type.properties:
                there = f"{place}, property {quoted(each.name)}"
                yield from _unnamed(each.name, each.type.line, there)
                yield from self.of_type(each.type, there, depth + 1)
            return
        inside = "items" if isinstance(data_type, ArrayType) else "member"
        for part in parts_of(data_type):
            yield from self.of_type(part, f"{place}, {inside}", depth + 1)

    def _own_faults(self, data_type: DataType) -> Iterator[str]:
        if isinstance(data_type, ScalarType):
            yield from _scalar_faults(data_type)
        elif isinstance(data_type, ReferenceType):
            yield from self._reference_faults(data_type)
        elif isinstance(data_type, ObjectType):
            yield from _object_faults(data_type)
        elif isinstance(data_type, AllOfType | OneOfType):
            yield from self._member_faults(data_type)
        if isinstance(data_type, ObjectType | AllOfType | OneOfType | ParcelableType):
            yield from _name_faults(data_type)

    def _reference_faults(self, reference: ReferenceType) -> Iterator[str]:
        name = reference.name
        if name in self._components:
            return
        nearest = [quoted(each) for each in _nearest(name, self._components)]
        if nearest:
            advice = f"perhaps {' or '.join(nearest)}"
        elif self._components:
            advice = "add the component, or correct the name"
        else:
            advice = "the document has no components; add it"
        yield f"the reference {quoted(name)} names no component; {advice}"

    def _member_faults(self, whole: AllOfType | OneOfType) -> Iterator[str]:
        word = "allOf" if isinstance(whole, AllOfType) else "oneOf"
        if not whole.members:
            yield f"{word} has no members; add at least one <{word}>"
        accepted: tuple[type, ...] = (ObjectType, AllOfType)
        if isinstance(whole, OneOfType):
            accepted = (*accepted, OneOfType)
        for member in whole.members:
            found = self._followed(member)
            if found is not None and not isinstance(found, accepted):
                shown = f" {quoted(member.name)}" if isinstance(member, ReferenceType) else ""
                yield f"the member{shown} of {word} is no object; accepted are objects"
            elif isinstance(whole, OneOfType) and not getattr(member, "name", "?"):
                yield (
                    "an object among the members of oneOf has no objectQualifiedName, by which "
                    "they are told apart; add it"
                )

    def _followed(self, data_type: DataType) -> DataType | None:
        """What a type is when references are followed; None where they lead nowhere."""
        passed: list[str] = []
        found: DataType | None = data_type
        while isinstance(found, ReferenceType):
            name = found.name
            if name in self._in_the_end:
                found = self._in_the_end[name]
            else:
                self._in_the_end[name] = None  # until the end is known, or forever on a circle
                passed.append(name)
                found = self._components.get(name)
        self._in_the_end.update(dict.fromkeys(passed, found))
        return found

    def of_ancestry(self) -> Iterator[Fault]:
        """Components that are made of themselves, or of more than anybody would follow."""
        parents = {name: tuple(_ancestors(each)) for name, each in self._components.items()}
        heights: dict[str, int] = {}
        try:
            for name in TopologicalSorter(parents).static_order():
                above = parents.get(name, ())
                heights[name] = 1 + max((heights[each] for each in above), default=0)
        except CycleError as fault:
            cycle: list[str] = fault.args[1]
            shown = " → ".join(quoted(name) for name in cycle[:10])
            text = f"component {quoted(cycle[0])} is made of itself: {shown}"
            yield self._components[cycle[0]].line, f"{text}; take it out of its own members"
        for name, height in heights.items():
            if height == MAX_TYPE_DEPTH + 1:
                text = f"is made of others, more than {MAX_TYPE_DEPTH} one above the other"
                yield (
                    self._components[name].line,
                    f"component {quoted(name)} {text}; leave some out",
                )


def _ancestors(data_type: DataType) -> Iterator[str]:
    """The components without which nobody knows what a type is."""
    waiting: list[DataType] = [data_type]
    while waiting:
        found = waiting.pop()
        if isinstance(found, ReferenceType):
            yield found.name
        elif isinstance(found, AllOfType | OneOfType):
            waiting.extend(found.members)
        elif isinstance(found, ArrayType):
            waiting.append(found.items)


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    return nearest_names(name, islice(known, _MOST_COMPARED))


def _schema_faults(schema: AppFunctionSchema) -> Iterator[str]:
    for what, text in (("category", schema.category), ("name", schema.name)):
        if not text or text != text.strip(BLANKS):
            yield f"the schema's {what} is {quoted(text)}; accepted is a name without blanks around"
    if not 0 < schema.version < 2**63:
        yield f"the schema's version is {schema.version}; accepted are whole numbers from 1"


def _scalar_faults(scalar: ScalarType) -> Iterator[str]:
    if scalar.kind not in SCALARS:
        yield f"type {int(scalar.kind)} holds other types, so it is no value of its own"
    if scalar.enum_values and scalar.kind not in WITH_ENUM:
        yield "enumValues stand on a type other than string and int; remove them"
    if (scalar.patterns or scalar.format) and scalar.kind != TypeNumber.STRING:
        yield "patterns or a format stand on a type other than string; remove them"
    if scalar.kind == TypeNumber.INT:
        for value in scalar.enum_values:
            if not _INT.match(value) or not -(2**31) <= int(value) < 2**31:
                yield f"enum value {quoted(value)} is no int; accepted are whole numbers of 32 bits"
    for pattern in scalar.patterns:
        if pattern.type in _KNOWN_PATTERNS:
            try:
                AppFunctionPatternMatcher(pattern.value, PatternType(pattern.type))
            except ValueError as fault:
                yield f"{fault}; Android would not list the function"


def _object_faults(data_type: ObjectType) -> Iterator[str]:
    if not data_type.properties:
        yield "an object has no properties; add at least one"
    names = [each.name for each in data_type.properties]
    for _, text in _repeated("property", ((name, 0) for name in names)):
        yield text
    for name in dict.fromkeys(data_type.required):
        if name not in names:
            nearest = _nearest(name, names)
            advice = f"perhaps {quoted(nearest[0])}" if nearest else "remove it"
            yield f"required {quoted(name)} names no property; {advice}"
    for _, text in _repeated("required", ((name, 0) for name in data_type.required)):
        yield text


def _name_faults(data_type: ObjectType | AllOfType | OneOfType | ParcelableType) -> Iterator[str]:
    name = data_type.name
    if not name and isinstance(data_type, OneOfType | ParcelableType):
        word = "oneOf" if isinstance(data_type, OneOfType) else "parcelable"
        yield f"a {word} has no objectQualifiedName; add it"
    elif name != name.strip(BLANKS):
        yield f"the name {quoted(name)} has blanks around it; remove them"
