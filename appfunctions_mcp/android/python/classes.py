"""One model, choice or enumeration → its definition in Python.

What has a name that Python does not accept keeps it as an alias; what is said of it stands in
docstrings as far as these give it back. Which names there are is known already.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from appfunctions_mcp.android.data_types import (
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.python.docstrings import class_docstring, field_docstring
from appfunctions_mcp.android.python.names import NameTable, constant_for
from appfunctions_mcp.android.python.nodes import (
    Expression,
    Statement,
    assignment,
    class_of,
    constant,
    declared,
    docstring,
    name,
    subscript,
    union,
)
from appfunctions_mcp.android.python.types import Place, TypeWriter, describes_itself
from appfunctions_mcp.quoting import quoted

TAG = "schema_type"
"""The field by which a member of a choice is told from the others."""
TAG_PROPERTY = "schemaType"
"""Its name in JSON."""

_OTHER_TYPE = "type: ignore[assignment]"
_EMPTY: dict[TypeNumber, bool | bytes | float | str] = {
    TypeNumber.BOOLEAN: False,
    TypeNumber.BYTES: b"",
    TypeNumber.DOUBLE: 0.0,
    TypeNumber.FLOAT: 0.0,
    TypeNumber.LONG: 0,
    TypeNumber.INT: 0,
    TypeNumber.STRING: "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """What a model is to be."""

    identifier: str
    name: str
    """Its name on Android."""
    description: str | None
    """None where nothing is said, which for an inline parent means: what its child says."""
    inline: bool
    tagged: bool
    """Whether it is told from others by a field."""
    inherits_tag: bool
    bases: tuple[str, ...]
    own: ObjectType | None
    """The properties that it adds to those of its bases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicePlan:
    """What a choice of models is to be."""

    identifier: str
    name: str
    """Its name on Android."""
    description: str
    inline: bool
    members: tuple[str, ...]
    has_choices: bool
    """Whether members of it are choices themselves."""


class ClassWriter:
    """Writes the definitions of one module of models.

    Args:
        types: Writes the types of fields.
        attribute_of: What a property is called in Python.
        spelled_out: Properties whose description is to stand in a `Field`, since children of
            their class take the property over without it.
    """

    def __init__(
        self, types: TypeWriter, attribute_of: Callable[[str], str], spelled_out: Collection[str]
    ) -> None:
        self.comments: dict[Statement, str] = {}
        """What is to stand behind a statement."""
        self._types = types
        self._attribute_of = attribute_of
        self._spelled_out = spelled_out

    def model(self, plan: ModelPlan) -> Statement:
        """A class for an object."""
        text = class_docstring(plan.description or "", plan.identifier)
        beside = text is None and plan.description is not None
        mark = self._types.call(
            "app_function_serializable",
            name=constant(plan.name),
            description=constant(plan.description) if beside else None,
            inline=constant(value=True) if plan.inline else None,
        )
        body = [docstring(text)] if text is not None else []
        renamed = [each.name for each in plan.own.properties] if plan.own else []
        if any(self._attribute_of(each) != each for each in renamed):
            config = self._types.call("ConfigDict", populate_by_name=constant(value=True))
            body.append(assignment("model_config", config))
        if plan.tagged:
            body.append(self._tag(plan))
        if plan.own is not None:
            for each in plan.own.properties:
                body += self._field(each, plan.own, plan)
        bases = plan.bases or (self._types.imports.use("BaseModel"),)
        return class_of(plan.identifier, bases, body, [mark])

    def choice(self, plan: ChoicePlan) -> Statement:
        """A union of models."""
        named = self._types.call(
            "AppFunctionOneOf",
            name=constant(plan.name),
            description=constant(plan.description) if plan.description else None,
            inline=constant(value=True) if plan.inline else None,
        )
        marks = [named]
        if len(plan.members) > 1 and not plan.has_choices:
            # Pydantic would take the members of a choice within one for its own.
            marks.insert(0, self._types.call("Field", discriminator=constant(TAG)))
        members = union(*(self._types.model(each) for each in plan.members))
        return assignment(plan.identifier, self._types.marked(members, marks))

    def enum(self, identifier: str, scalar: ScalarType) -> Statement:
        """An enumeration of texts or whole numbers."""
        is_text = scalar.kind == TypeNumber.STRING
        base = self._types.imports.use("StrEnum" if is_text else "IntEnum")
        return class_of(identifier, [base], list(_members_of(scalar, is_text=is_text)))

    def _tag(self, plan: ModelPlan) -> Statement:
        self._types.imports.use("Literal")
        value = self._types.call("Field", default=constant(plan.name), alias=constant(TAG_PROPERTY))
        tag = declared(TAG, subscript("Literal", constant(plan.name)), value)
        if plan.inherits_tag:
            self.comments[tag] = _OTHER_TYPE
        return tag

    def _field(self, prop: AndroidProperty, whole: ObjectType, plan: ModelPlan) -> list[Statement]:
        attribute = self._attribute_of(prop.name)
        description = "" if describes_itself(prop.type) else prop.type.description
        text = field_docstring(description) if prop.name not in self._spelled_out else None
        shown = f"property {quoted(prop.name)} of {quoted(plan.name)}"
        place = Place(prop.name, plan.identifier, shown)
        annotation = self._types.annotation(prop.type, place, described=True)
        beside = {
            "alias": prop.name if attribute != prop.name else "",
            "description": description if text is None else "",
        }
        default = None if prop.name in whole.required else prop.type
        value = self._value(default, beside)
        field = declared(attribute, annotation, value)
        if default is not None and _is_null(default):
            self.comments[field] = _OTHER_TYPE
        return [field] if text is None else [field, docstring(text)]

    def _value(self, default: DataType | None, beside: dict[str, str]) -> Expression | None:
        """What stands behind a field's type.

        Args:
            default: The type whose empty value is the default; None for a required field.
            beside: Its alias and description, empty where there is none.
        """
        plain = None if default is None else empty_value(default, may_be_enum=True)
        alias, description = beside["alias"], beside["description"]
        if not (alias or description) and (default is None or plain is not None):
            return plain
        is_list = isinstance(default, ArrayType) and not default.nullable
        if default is not None and plain is None and not is_list:
            plain = constant(None)
        return self._types.call(
            "Field",
            default=plain,
            default_factory=name("list") if is_list else None,
            validation_alias=constant(alias) if alias else None,
            serialization_alias=constant(alias) if alias else None,
            description=constant(description) if description else None,
        )


def _is_null(default: DataType) -> bool:
    """Whether only null can stand for a value that was left out, though the type has no null."""
    is_list = isinstance(default, ArrayType)
    return not is_list and empty_value(default, may_be_enum=True) is None


def empty_value(data_type: DataType, *, may_be_enum: bool = False) -> Expression | None:
    """The value of a type that stands for one that was left out; None where there is no simple one.

    Args:
        data_type: The type.
        may_be_enum: Whether a list of accepted values is an enumeration, whose members do not
            include an empty one.
    """
    if data_type.nullable:
        return constant(None)
    if not isinstance(data_type, ScalarType) or (may_be_enum and is_enum(data_type)):
        return None
    return constant(_EMPTY[data_type.kind]) if data_type.kind in _EMPTY else None


def is_enum(scalar: ScalarType) -> bool:
    """Whether a type is nothing but a list of accepted values."""
    return bool(scalar.enum_values) and not (scalar.patterns or scalar.format)


def _members_of(scalar: ScalarType, *, is_text: bool) -> Iterator[Statement]:
    names = NameTable()
    for position, value in enumerate(dict.fromkeys(scalar.enum_values), start=1):
        if is_text:
            member = names.claim(constant_for(value, "EMPTY" if not value else f"VALUE_{position}"))
            yield assignment(member, constant(value))
        else:
            number = int(value)
            sign = "MINUS" if number < 0 else "VALUE"
            yield assignment(names.claim(f"{sign}_{abs(number)}"), constant(number))
