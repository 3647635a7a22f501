"""The objects of documents as classes of Kotlin: what they hold, inherit and are one of.

An allOf is a subclass where Kotlin can say so, and otherwise a class with all the properties; a
oneOf is a sealed interface. Texts are written elsewhere.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidProperty,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
)
from appfunctions_mcp.android.kotlin.findings import Findings, Place
from appfunctions_mcp.android.kotlin.generics import (
    Instance,
    generic_properties,
    type_parameters,
)
from appfunctions_mcp.android.kotlin.model import KotlinClass, KotlinProperty
from appfunctions_mcp.android.kotlin.names import (
    ClassName,
    parsed_class,
    parsed_type,
    require_identifiers,
)
from appfunctions_mcp.android.kotlin.types import (
    RESOURCE_CONTAINER,
    TypeReader,
    Whole,
    default_of,
    is_library_class,
    is_library_container,
    lost_constraint,
)
from appfunctions_mcp.android.kotlin.words import KotlinError, camel_case, identifier
from appfunctions_mcp.android.references import object_of
from appfunctions_mcp.android.uri_forms import uri_patterns
from appfunctions_mcp.quoting import quoted

__all__ = ["KotlinClasses", "note_what_is_lost"]

MAX_PROPERTIES = 120
"""How many properties a class may have: its copy function takes each of them, and the JVM 255."""


@dataclass(frozen=True, slots=True)
class _Lineage:
    """What an allOf inherits, and what it adds."""

    base: ReferenceType | None
    capabilities: tuple[ObjectType, ...]


class KotlinClasses:
    """Makes the classes of all documents.

    Args:
        components: The components of all documents by name.
        package: Where classes without a package belong.
        findings: Gets what Kotlin has no word for.
    """

    def __init__(
        self, components: Mapping[str, DataType], package: str, findings: Findings
    ) -> None:
        self.types = TypeReader(components, package, self)
        self._components = components
        self._package = package
        self._findings = findings
        self._wholes: dict[str, Whole] = {}
        self._waiting: list[str] = []
        self._classes: dict[str, KotlinClass] = {}
        self._instances: dict[str, list[Instance]] = {}
        self._members: dict[str, list[str]] = {}
        for name, component in components.items():
            if isinstance(component, Whole) and uri_patterns(component) is None:
                with findings.at(_place(name)):
                    if not is_library_class(name, component):
                        self._add(name, component)

    def inline(self, data_type: Whole, hint: str) -> str:
        """Makes a class of an object that is no component; the same one may come again.

        Raises:
            KotlinError: Another class has the name.
        """
        name = data_type.name or f"{self._package}.{camel_case(hint) or 'Value'}"
        known = self._wholes.get(name)
        if known is None:
            is_library_class(name, data_type)
            self._add(name, data_type)
        elif _bare(known) != _bare(data_type):
            raise KotlinError(f"there are two objects {quoted(name)} that differ; rename one")
        return name

    def _add(self, name: str, whole: Whole) -> None:
        parsed = parsed_class(name, self._package)
        require_identifiers(parsed)
        self._wholes[name] = whole
        self._waiting.append(name)

    def all(self) -> list[KotlinClass]:
        """The classes of everything that was read so far, by name."""
        while self._waiting:
            name = self._waiting.pop(0)
            with self._findings.at(_place(name)):
                self._read(name, self._wholes[name])
        self._add_generics()
        self._connect()
        for each in self._classes.values():
            self._check_getters(each)
        return sorted(self._classes.values(), key=lambda each: each.name.binary)

    def _read(self, name: str, whole: Whole) -> None:
        parsed = parsed_class(name, self._package)
        if parsed.arguments:
            properties = self._properties(name, self._object_of(whole, name))
            arguments = tuple(parsed_type(each, self._package) for each in parsed.arguments)
            instance = Instance(name, arguments, properties, whole.description)
            self._instances.setdefault(parsed.binary, []).append(instance)
            return
        made = KotlinClass(parsed, "class", whole.description)
        if isinstance(whole, OneOfType):
            made.kind = "sealed interface"
            hint = f"{parsed.path[-1]}Member"
            members = [self.types.type_of(member, hint).name for member in whole.members]
            self._members[parsed.binary] = members
        else:
            made.properties = self._properties(name, self._object_of(whole, name))
        self._require_new(made)
        self._classes[parsed.binary] = made
        if isinstance(whole, AllOfType):
            self._inherit(made, name, whole)

    def _require_new(self, made: KotlinClass) -> None:
        if made.name.binary in self._classes:
            raise KotlinError("another type has the same name in Kotlin; rename one")

    def _object_of(self, whole: Whole, name: str) -> ObjectType:
        if isinstance(whole, OneOfType):
            raise KotlinError("a oneOf has no type parameters in Kotlin; rename it")
        found = object_of(whole, self._components)
        if len(found.properties) > MAX_PROPERTIES:
            raise KotlinError(
                f"it has {len(found.properties)} properties; accepted are {MAX_PROPERTIES}; group "
                "some into an object of their own"
            )
        self._note_members(whole, name)
        return found

    def _note_members(self, whole: Whole, name: str) -> None:
        """A compiler describes all that stands inline in an allOf as it describes the whole."""
        if isinstance(whole, AllOfType):
            for member in whole.members:
                if member.description not in {"", whole.description}:
                    self._findings.note(
                        _place(name), "the descriptions of its members are left out"
                    )

    def _properties(self, name: str, whole: ObjectType) -> tuple[KotlinProperty, ...]:
        found = []
        last = name.partition("<")[0].replace("$", ".").rpartition(".")[2]
        for each in whole.properties:
            place = _place(name).inside(f"property {quoted(each.name)}")
            with self._findings.at(place):
                found.append(self._property(each, whole, f"{last}_{each.name}", place))
        return tuple(found)

    def _property(
        self, each: AndroidProperty, whole: ObjectType, hint: str, place: Place
    ) -> KotlinProperty:
        identifier(each.name)
        found = self.types.type_of(each.type, hint)
        default = None if each.name in whole.required else default_of(found)
        note_what_is_lost(self._findings, each.type, place, is_described=True)
        return KotlinProperty(each.name, found, self.constrained(each.type), default)

    def constrained(self, data_type: DataType) -> DataType:
        """A type whose constraints can be seen: a list of numbers under another name, too."""
        seen = self.types.in_the_end(data_type)
        if isinstance(seen, Whole) and uri_patterns(seen) is None:
            return data_type
        return replace(seen, description=data_type.description)

    def _inherit(self, made: KotlinClass, name: str, whole: AllOfType) -> None:
        lineage = self._lineage(made, name, whole)
        if lineage is None:
            self._findings.note(
                _place(name),
                "Kotlin cannot inherit as its allOf does, so it is a class of its own with all "
                "the properties",
            )
            return
        inherited: set[str] = set()
        for capability in lineage.capabilities:
            made.interfaces.append(self._capability(capability))
            inherited |= {each.name for each in capability.properties}
        if lineage.base is not None:
            base = object_of(lineage.base, self._components)
            made.base = parsed_type(lineage.base.name, self._package)
            made.base_properties = tuple(each.name for each in base.properties)
            inherited |= set(made.base_properties)
        made.properties = tuple(
            replace(each, is_inherited=each.name in inherited) for each in made.properties
        )

    def _lineage(self, made: KotlinClass, name: str, whole: AllOfType) -> _Lineage | None:
        """What Kotlin can inherit of an allOf; None where it cannot inherit that way."""
        bases = [each for each in whole.members if isinstance(each, ReferenceType)]
        inline = [each for each in whole.members if isinstance(each, ObjectType)]
        capabilities = tuple(each for each in inline if each.name not in {"", name, whole.name})
        if len(bases) + len(inline) < len(whole.members) or len(bases) > 1:
            return None
        if len(inline) - len(capabilities) > 1 or not all(map(self._may_be_inherited, bases)):
            return None
        if any(not self._may_be_capability(each) for each in capabilities):
            return None
        lineage = _Lineage(bases[0] if bases else None, capabilities)
        return lineage if self._agrees(made, lineage) else None

    def _may_be_inherited(self, base: ReferenceType) -> bool:
        found = self._components[base.name]
        is_class = isinstance(found, ObjectType | AllOfType) and uri_patterns(found) is None
        return is_class and base.name in self._wholes and "<" not in base.name

    def _may_be_capability(self, capability: ObjectType) -> bool:
        if is_library_container(capability):
            return True
        try:
            return not is_library_class(capability.name, capability) and (
                "<" not in capability.name and capability.name not in self._wholes
            )
        except KotlinError:
            return False

    def _agrees(self, made: KotlinClass, lineage: _Lineage) -> bool:
        """Whether a property has one type in all that is inherited, and a getter of its own."""
        own = {each.name: each for each in made.properties}
        parts: list[ObjectType] = list(lineage.capabilities)
        if lineage.base is not None:
            parts.append(object_of(lineage.base, self._components))
        for part in parts:
            for each in part.properties:
                if each.name not in own or own[each.name].getter == "getClass":
                    return False
                if self.types.type_of(each.type, each.name) != own[each.name].type:
                    return False
        return len({each.getter for each in made.properties}) == len(made.properties)

    def _capability(self, capability: ObjectType) -> str:
        if is_library_container(capability):
            return RESOURCE_CONTAINER
        parsed = parsed_class(capability.name, self._package)
        made = KotlinClass(
            parsed,
            "interface",
            properties=self._properties(capability.name, capability),
        )
        known = self._classes.get(parsed.binary)
        if known is None:
            require_identifiers(parsed)
            self._classes[parsed.binary] = made
        elif known.kind != "interface" or set(known.properties) != set(made.properties):
            raise KotlinError(
                f"there are two objects {quoted(capability.name)} that differ; rename one"
            )
        return parsed.binary

    def _add_generics(self) -> None:
        taken = {part for each in self._classes.values() for part in each.name.path}
        for binary, instances in sorted(self._instances.items()):
            with self._findings.at(_place(binary)):
                parameters = type_parameters(instances, taken)
                properties = generic_properties(
                    instances, parameters, self._findings, _place(binary)
                )
                made = KotlinClass(
                    replace(parsed_class(instances[0].name, self._package), arguments=()),
                    "class",
                    next((each.description for each in instances if each.description), ""),
                    properties,
                    parameters,
                )
                self._require_new(made)
                self._classes[binary] = made

    def _connect(self) -> None:
        """Opens what is inherited, and makes the members of a oneOf one of it."""
        for made in self._classes.values():
            if made.base is not None and made.base.name in self._classes:
                self._classes[made.base.name].is_open = True
        for made in list(self._classes.values()):
            with self._findings.at(_place(made.name.binary)):
                self._seal(made.name, self._members.get(made.name.binary, ()))

    def _seal(self, sealed: ClassName, members: Iterable[str]) -> None:
        for member in members:
            made = self._classes.get(member)
            if made is None or made.type_parameters or made.kind == "interface":
                raise KotlinError(
                    f"the member {quoted(member)} is no class of this app without type "
                    "parameters, as Kotlin's sealed types need; make one of it"
                )
            if made.name.package != sealed.package:
                raise KotlinError(
                    f"the member {quoted(member)} stands in another package; Kotlin's sealed "
                    "types have all members in their own; rename one of them"
                )
            made.interfaces.append(sealed.binary)

    def _check_getters(self, made: KotlinClass) -> None:
        getters: dict[str, str] = {"getClass": "the class itself"}
        for each in made.properties:
            if each.getter in getters:
                self._findings.fault(
                    _place(made.name.binary).inside(f"property {quoted(each.name)}"),
                    f"on the JVM its getter is {each.getter}, which {getters[each.getter]} has; "
                    "rename it",
                )
            getters[each.getter] = f"the property {quoted(each.name)}"


def note_what_is_lost(
    findings: Findings, data_type: DataType, place: Place, *, is_described: bool
) -> None:
    """Notes what Kotlin cannot say of a type where it is used.

    Args:
        findings: Gets the notes.
        data_type: The type.
        place: Where it is used.
        is_described: Whether its own description is written there.
    """
    if data_type.description and not is_described:
        findings.note(place, "the description of its type is left out; only its own is written")
    items = getattr(data_type, "items", None)
    if items is not None and items.description:
        findings.note(place, "the description of its items is left out")
    if lost := lost_constraint(data_type):
        findings.note(place, lost)


def _bare(whole: Whole) -> Whole:
    return replace(whole, nullable=False, description="", line=0)


def _place(name: str) -> Place:
    return Place(f"type {quoted(name, 300)}")
