"""Several components with type arguments, such as `SetField<kotlin.Int>`, as one generic class.

What the class says of its type parameters is found by comparing the components. Knows nothing
of how classes are written.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import count

from appfunctions_mcp.android.data_types import ReferenceType
from appfunctions_mcp.android.kotlin.findings import Findings, Place
from appfunctions_mcp.android.kotlin.model import KotlinProperty
from appfunctions_mcp.android.kotlin.names import KotlinType
from appfunctions_mcp.android.kotlin.types import has_constraint
from appfunctions_mcp.android.kotlin.words import KotlinError
from appfunctions_mcp.quoting import quoted

__all__ = ["Instance", "generic_properties", "type_parameters"]

_LIST = "kotlin.collections.List"


@dataclass(frozen=True, slots=True)
class Instance:
    """One component of a generic class."""

    name: str
    arguments: tuple[KotlinType, ...]
    properties: tuple[KotlinProperty, ...]
    description: str = ""


def type_parameters(instances: Sequence[Instance], taken: Container[str]) -> tuple[str, ...]:
    """The names of the type parameters, none of which a class has.

    Raises:
        KotlinError: The components do not have the same number of arguments.
    """
    numbers = {len(each.arguments) for each in instances}
    if len(numbers) > 1:
        raise KotlinError("its components have different numbers of type arguments; rename some")
    words = ("TUVWXYZ"[n] if n < 7 else f"T{n}" for n in count())
    free = (word for word in words if word not in taken)
    return tuple(next(free) for _ in range(max(numbers)))


def generic_properties(
    instances: Sequence[Instance], parameters: Sequence[str], findings: Findings, place: Place
) -> tuple[KotlinProperty, ...]:
    """The properties of a generic class, of which each component has one form.

    Args:
        instances: The components, at least one.
        parameters: The names of the type parameters.
        findings: Gets what the class cannot say.
        place: The class, for what is found.

    Raises:
        KotlinError: The components do not follow from one class.
    """
    by_name = [{each.name: each for each in instance.properties} for instance in instances]
    names = [each.name for each in instances[0].properties]
    if any(set(each) != set(names) for each in by_name):
        raise KotlinError("its components have different properties, so they are no one class")
    found = []
    for name in names:
        forms = [each[name] for each in by_name]
        with findings.at(place.inside(f"property {quoted(name)}")):
            found.append(_property(forms, instances, parameters, findings, place))
    return tuple(found)


def _property(
    forms: Sequence[KotlinProperty],
    instances: Sequence[Instance],
    parameters: Sequence[str],
    findings: Findings,
    place: Place,
) -> KotlinProperty:
    first = forms[0]
    declared = _declared(forms, instances, parameters)
    if declared is None:
        raise KotlinError(
            "its types in the components do not follow from their type arguments; rename some"
        )
    defaults = {each.default for each in forms}
    is_bare = declared.name in parameters and not declared.nullable
    if len(defaults) > 1 or (is_bare and defaults != {None}):
        raise KotlinError("what has the type of a type argument is required; make it required")
    there = place.inside(f"property {quoted(first.name)}")
    sources = {replace(each.source, description="") for each in forms}
    if len({each.source.description for each in forms}) > 1:
        findings.note(there, "its components describe it differently; the first one's is kept")
    if declared == first.type and len(sources) == 1:
        return first
    if any(has_constraint(each) for each in sources):
        findings.note(there, "the values that its components accept are left out")
    source = ReferenceType(name=declared.name, description=first.source.description)
    return replace(first, type=declared, source=source)


def _declared(
    forms: Sequence[KotlinProperty], instances: Sequence[Instance], parameters: Sequence[str]
) -> KotlinType | None:
    """The type of a property in terms of the type parameters; None if there is none."""
    types = [each.type for each in forms]
    for position, parameter in enumerate(parameters):
        arguments = [each.arguments[position] for each in instances]
        own = KotlinType(parameter)
        if types == arguments:
            return own
        if types == [each.or_null() for each in arguments]:
            return own.or_null()
        for nullable in (False, True):
            if types == [KotlinType(_LIST, (each,), nullable) for each in arguments]:
                return KotlinType(_LIST, (own,), nullable)
    return types[0] if len(set(types)) == 1 else None
