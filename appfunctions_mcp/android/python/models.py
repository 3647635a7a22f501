"""Shared types of documents → the classes of a module of models, and what they are called.

Components become models, choices (oneOf) unions of models, lists of accepted values enumerations.
What stands where it is used becomes a class too, marked as inline. The order is one in which
Python can read them.
"""

import ast
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    DataType,
    ObjectType,
    OneOfType,
    ReferenceType,
    ScalarType,
)
from appfunctions_mcp.android.python.classes import (
    TAG,
    TAG_PROPERTY,
    ChoicePlan,
    ClassWriter,
    ModelPlan,
)
from appfunctions_mcp.android.python.component_kinds import ComponentKinds, own_part
from appfunctions_mcp.android.python.names import (
    TYPES,
    NameTable,
    candidates_for,
    class_names_for,
    is_identifier,
    names_of_models,
)
from appfunctions_mcp.android.python.nodes import import_from, name
from appfunctions_mcp.android.python.order import in_order
from appfunctions_mcp.android.python.types import IMPORTED, Imports, Place, TypeWriter
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.quoting import quoted

Write = Callable[[], ast.stmt]

_CONTAINER = "AppFunctionResourceContainer"
_GUARDED = ("model_dump", "model_validate")
"""What pydantic keeps fields from beginning with."""


class ModelModule:
    """The models of one document, or of several that agree.

    Args:
        module: The name of the Python module.
        documents: The documents, each with what takes its faults.
    """

    def __init__(
        self, module: str, documents: Sequence[tuple[AndroidDocument, FaultReport]]
    ) -> None:
        self.module = module
        self.kinds = ComponentKinds([document for document, _ in documents])
        self.report = documents[0][1]
        """Takes the faults of what is being written."""
        self.names = NameTable({*IMPORTED, *TYPES, TAG})
        self._component_names: dict[str, str] = {}
        self._made: dict[Hashable, str] = {}
        self._waiting: deque[tuple[str, FaultReport, Write]] = deque()
        self._needs: dict[str, Sequence[str]] = {}
        self._parents: dict[str, tuple[str, ...]] = {}
        self._imports = Imports(None)
        self._types = TypeWriter(self, self._imports)
        self._name_components()
        self._attributes = self._named_attributes()
        self._classes = ClassWriter(self._types, self.attribute, self.kinds.spelled_out)
        self._plan_components(documents)

    @property
    def comments(self) -> dict[ast.stmt, str]:
        """What is to stand behind statements of the module."""
        return self._classes.comments

    def identifiers(self) -> set[str]:
        """What the models are called, so far."""
        return {*self._needs, *self._component_names.values()}

    def attribute(self, property_name: str) -> str:
        """What a property is called in Python."""
        return self._attributes[property_name]

    def component(self, component: str) -> str:
        """What a component is called."""
        return self._component_names[component]

    def inline(self, data_type: ObjectType | AllOfType, place: Place) -> str:
        """The class of an object that stands where it is used."""
        return self._inline(data_type, place, description=data_type.description or None)

    def one_of(self, data_type: OneOfType, place: Place) -> str:
        """What a choice is called that stands where it is used."""
        key = replace(data_type, nullable=False)
        if key not in self._made:
            self._made[key] = self._claim(data_type.name, place)
            self._plan_choice(self._made[key], data_type, inline=True)
        return self._made[key]

    def enum(self, scalar: ScalarType, place: Place) -> str:
        """The class of an enumeration."""
        key = (class_names_for(place.name, "Values")[0], scalar.kind, scalar.enum_values)
        if key not in self._made:
            identifier = self._made[key] = self._claim("", place)
            self._plan(identifier, (), lambda: self._classes.enum(identifier, scalar))
        return self._made[key]

    def fault(self, data_type: DataType, text: str) -> None:
        """Notes a type that Python cannot hold."""
        self.report.fault(data_type.line, text)

    def statements(self) -> list[ast.stmt]:
        """The body of the module; empty where there are no models."""
        nodes: dict[str, ast.stmt] = {}
        mentions: dict[str, set[str]] = {}
        while self._waiting:
            identifier, self.report, write = self._waiting.popleft()
            self._types.mentions.clear()
            nodes[identifier] = write()
            mentions[identifier] = set(self._types.mentions)
        self._settle_parents(nodes)
        ordered = in_order(self._needs, {each: sorted(names) for each, names in mentions.items()})
        placed = {identifier: position for position, identifier in enumerate(ordered)}
        is_ahead = any(
            placed[other] >= placed[each]
            for each in ordered
            for other in mentions[each] & placed.keys()
        )
        future = [import_from("__future__", ["annotations"])] if is_ahead else []
        return [*future, *self._imports.statements(), *(nodes[each] for each in ordered)]

    def _name_components(self) -> None:
        """Names the components: simple names first, so that they keep them."""
        for component in sorted(self.kinds.components, key=lambda each: each.count("$")):
            known = self.kinds.known.get(component)
            names = class_names_for(component, "Model")
            self._component_names[component] = known or self.names.claim(*names)

    def _named_attributes(self) -> dict[str, str]:
        """Names the properties, of all classes alike; those that keep their name come first."""
        self.names.reserve(names_of_models())
        named: dict[str, str] = {}
        for each in sorted(self.kinds.property_names, key=lambda name: not is_identifier(name)):
            candidates = candidates_for(each, "field")
            if candidates[0].startswith(_GUARDED):
                candidates = (f"its_{candidates[0]}",)
            named[each] = self.names.claim(*candidates)
        return named

    def _plan_components(self, documents: Sequence[tuple[AndroidDocument, FaultReport]]) -> None:
        planned: set[str] = set()
        for document, self.report in documents:
            for component in document.components:
                if component.name not in planned and component.name not in self.kinds.known:
                    planned.add(component.name)
                    self._plan_component(component.name, component.type)
        self.report = documents[0][1]

    def _plan_component(self, component: str, data_type: DataType) -> None:
        identifier = self._component_names[component]
        own_name = getattr(data_type, "name", component) or component
        if not isinstance(data_type, ObjectType | AllOfType | OneOfType):
            self._plan(identifier, (), ast.Pass)
            what = "is no object, allOf or oneOf, so that there is no class for it"
            self.fault(
                data_type, f"component {quoted(component)} {what}; write it where it is used"
            )
        elif own_name != component:
            self._plan(identifier, (), ast.Pass)
            self.fault(
                data_type,
                f"component {quoted(component)} calls itself {quoted(own_name)}; give it one name",
            )
        elif isinstance(data_type, OneOfType):
            self._plan_choice(identifier, data_type, inline=False)
        else:
            named = replace(data_type, name=component)
            self._plan_model(
                identifier,
                named,
                description=data_type.description or None,
                inline=False,
                tagged=component in self.kinds.tagged,
            )

    def _inline(
        self,
        data_type: ObjectType | AllOfType,
        place: Place,
        *,
        description: str | None,
        tagged: bool = False,
    ) -> str:
        tagged = tagged or self.kinds.has_tagged_base(data_type)
        key = (replace(data_type, nullable=False), description, tagged)
        if key not in self._made:
            self._made[key] = self._claim(data_type.name, place)
            self._plan_model(
                self._made[key], data_type, description=description, inline=True, tagged=tagged
            )
        return self._made[key]

    def _plan_model(
        self,
        identifier: str,
        data_type: ObjectType | AllOfType,
        *,
        description: str | None,
        inline: bool,
        tagged: bool,
    ) -> None:
        own = own_part(data_type)
        if tagged and TAG_PROPERTY in self.kinds.properties_of(data_type):
            self.fault(
                data_type,
                f"{quoted(data_type.name)} is a member of oneOf and has a property "
                f"{quoted(TAG_PROPERTY)}, which tells the members apart; rename it",
            )
        bases = self._bases_of(identifier, data_type, own)
        self._parents[identifier] = bases
        plan = ModelPlan(
            identifier=identifier,
            name=data_type.name,
            description=description,
            inline=inline,
            tagged=tagged,
            inherits_tag=self.kinds.has_tagged_base(data_type),
            bases=bases,
            own=own,
        )
        self._plan(identifier, bases, lambda: self._model(plan))

    def _model(self, plan: ModelPlan) -> ast.stmt:
        for base in plan.bases:
            self._types.model(base)
        return self._classes.model(plan)

    def _bases_of(
        self, identifier: str, data_type: ObjectType | AllOfType, own: ObjectType | None
    ) -> tuple[str, ...]:
        """The classes of the members of an allOf, except the one that is the class itself."""
        bases: list[str] = []
        members = data_type.members if isinstance(data_type, AllOfType) else ()
        for member in members:
            if member is own:
                continue
            place = Place(f"{identifier}Part", identifier, f"a member of {quoted(data_type.name)}")
            if isinstance(member, ReferenceType):
                self._refuse_description(member, place)
                bases.append(self.component(member.name))
            elif self.kinds.is_container(member) and member.description == data_type.description:
                bases.append(_CONTAINER)
            elif isinstance(member, ObjectType | AllOfType):
                # What an inline parent does not say is what its child says.
                unsaid = member.description == data_type.description
                description = None if unsaid else member.description
                bases.append(self._inline(member, place, description=description))
            else:
                self.fault(member, f"{place.shown} is no object, which alone can be a parent")
        if len(set(bases)) < len(bases):
            self.fault(data_type, f"{quoted(data_type.name)} has a parent twice; remove one")
        return tuple(bases)

    def _plan_choice(self, identifier: str, data_type: OneOfType, *, inline: bool) -> None:
        members: list[str] = []
        place = Place(f"{identifier}Member", identifier, f"a member of {quoted(data_type.name)}")
        for member in data_type.members:
            if isinstance(member, ReferenceType):
                self._refuse_description(member, place)
                members.append(self.component(member.name))
            elif isinstance(member, OneOfType):
                members.append(self.one_of(member, place))
            elif isinstance(member, ObjectType | AllOfType):
                description = member.description or None
                members.append(self._inline(member, place, description=description, tagged=True))
            else:
                self.fault(member, f"{place.shown} is no object, of which it is one")
        for repeated in self.kinds.repeated_members(data_type):
            self.fault(
                data_type, f"two members of {quoted(data_type.name)} are called {quoted(repeated)}"
            )
        plan = ChoicePlan(
            identifier=identifier,
            name=data_type.name,
            description=data_type.description,
            inline=inline,
            members=tuple(dict.fromkeys(members)),
            has_choices=self.kinds.has_choices(data_type),
        )
        self._plan(identifier, plan.members, lambda: self._classes.choice(plan))

    def _refuse_description(self, member: ReferenceType, place: Place) -> None:
        if member.description:
            self.fault(member, f"{place.shown} is a reference with a description; remove that")

    def _plan(self, identifier: str, needs: Sequence[str], write: Write) -> None:
        self._needs[identifier] = needs
        self._waiting.append((identifier, self.report, write))

    def _claim(self, android_name: str, place: Place) -> str:
        """A name for what stands where it is used: its own, else that of its place."""
        if android_name:
            return self.names.claim(*class_names_for(android_name, "Model"))
        short = class_names_for(place.name, "Values")[0]
        return self.names.claim(short, class_names_for(f"{place.owner}${place.name}", short)[-1])

    def _settle_parents(self, nodes: dict[str, ast.stmt]) -> None:
        """Puts the parents of classes in an order that Python accepts, if theirs is none.

        The order means nothing to Android. Where all children stand before all of their
        ancestors, Python always finds one.
        """
        ordered = in_order(self._needs, {})
        if self._is_accepted(ordered):
            return
        place = {identifier: at for at, identifier in enumerate(ordered)}
        for identifier, parents in self._parents.items():
            last_first = sorted(parents, key=lambda each: -place.get(each, -1))
            self._parents[identifier] = tuple(last_first)
            node = nodes[identifier]
            if parents and isinstance(node, ast.ClassDef):
                node.bases = [name(each) for each in last_first]

    def _is_accepted(self, ordered: Sequence[str]) -> bool:
        made: dict[str, type] = {_CONTAINER: type(_CONTAINER, (), {})}
        try:
            for identifier in ordered:
                parents = self._parents.get(identifier, ())
                made[identifier] = type(identifier, tuple(made[each] for each in parents), {})
        except TypeError:
            return False
        return True
