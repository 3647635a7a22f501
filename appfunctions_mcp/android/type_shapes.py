"""Android's types → the shapes from which the core publishes and checks.

Dates and addresses are text, the members of an allOf one object; a reference is followed, and
stays one only where a type holds itself. Knows nothing of XML and of devices.
"""

from collections.abc import Callable
from typing import Any

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    TypeNumber,
)
from appfunctions_mcp.android.proxies import Proxy, proxy_at, proxy_of
from appfunctions_mcp.android.references import Components, components_of, object_of, resolved
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, regex_of
from appfunctions_mcp.schema.shapes import (
    BooleanShape,
    Choice,
    Direction,
    EnumShape,
    FormShape,
    ListShape,
    NullableShape,
    NullShape,
    NumberShape,
    ObjectShape,
    Property,
    ReferenceShape,
    Shape,
    TextShape,
    UnionShape,
)

SCHEMA_TYPE = "schemaType"
"""The property by which a member of a oneOf says which one it is."""

_NOT_IN_NAMES = regex(r"[^A-Za-z0-9_]+")
_INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1, "format": "int32"}
FLOAT32_MAX = 3.4028234663852886e38
_FLOAT32 = {"minimum": -FLOAT32_MAX, "maximum": FLOAT32_MAX, "format": "float"}

FormOf = Callable[[Proxy, dict[str, Any]], Shape]
"""Makes the shape of a date or an address, with keywords."""


class TypeShapes:
    """Makes shapes of the types of one document.

    Args:
        document: Where references lead.
        direction: Whether values go to the app or come from it. From there come no parcelables,
            and no required values but those that an app cannot leave out.
        form_of: Makes the shape of a date or an address; text when left out.
    """

    def __init__(
        self, document: AndroidDocument, direction: Direction, form_of: FormOf | None = None
    ) -> None:
        self._components: Components = components_of(document)
        self._direction = direction
        self._form_of = form_of or _text_form
        self._definitions: dict[str, Shape] = {}
        self._name_of: dict[str, str] = {}

    def shape(self, data_type: DataType, description: str = "") -> Shape:
        """The shape of a type, which null may stand for where the type says so.

        Args:
            data_type: The type.
            description: What is said of the place, in place of what the type says.
        """
        keywords: dict[str, Any] = {}
        if text := description or data_type.description:
            keywords["description"] = text
        if data_type.nullable:
            return NullableShape(inner=self._plain(data_type, {}), keywords=keywords)
        return self._plain(data_type, keywords)

    def object_shape(self, data_type: ObjectType, keywords: dict[str, Any]) -> ObjectShape:
        """The shape of an object."""
        properties = tuple(map(self._property_of(data_type), self._shown(data_type)))
        return ObjectShape(
            name=_simple_name(data_type.name), properties=properties, keywords=keywords
        )

    def _property_of(self, data_type: ObjectType) -> Callable[[AndroidProperty], Property]:
        def made(each: AndroidProperty) -> Property:
            shape = self.shape(each.type)
            required = each.name in data_type.required and self.is_required(each.type)
            return Property(name=each.name, attribute=each.name, shape=shape, required=required)

        return made

    def is_required(self, data_type: DataType) -> bool:
        """Whether a value that a document requires is always there, in this direction."""
        if self._direction == "arguments":
            return not data_type.nullable
        return data_type.nullable or is_never_absent(resolved(data_type, self._components))

    def _shown(self, data_type: ObjectType) -> list[AndroidProperty]:
        """The properties without those that never pass a shell."""
        return [each for each in data_type.properties if not self.is_hidden(each.type)]

    def is_hidden(self, data_type: DataType) -> bool:
        """Whether values of the type travel beside the document, where no shell shows them."""
        found, seen = resolved(data_type, self._components), set[int]()
        while isinstance(found, ArrayType) and id(found.items) not in seen:
            seen.add(id(found.items))
            found = resolved(found.items, self._components)
        return isinstance(found, ParcelableType)

    def _plain(  # noqa: PLR0911 - one for each kind of type
        self, data_type: DataType, keywords: dict[str, Any]
    ) -> Shape:
        match data_type:
            case ScalarType():
                return _scalar_shape(data_type, keywords)
            case ArrayType():
                return ListShape(items=self.shape(data_type.items), keywords=keywords)
            case ReferenceType():
                return self._referred(data_type, keywords)
            case ObjectType():
                return self._object_or_text(data_type, keywords)
            case AllOfType():
                merged = object_of(data_type, self._components)
                return self.object_shape(merged, _described(merged, keywords))
            case OneOfType():
                return UnionShape(
                    branches=tuple(
                        self.member_shape(each) for each in choices_of(data_type, self._components)
                    ),
                    keywords=keywords,
                )
            case ParcelableType():
                return TextShape(keywords=keywords)

    def member_shape(self, found: ObjectType) -> ObjectShape:
        """A member of a oneOf, with the property that tells it from the others."""
        shape = self.object_shape(found, _described(found, {}))
        choice = EnumShape(choices=(Choice(found.name, found.name),))
        is_needed = self._direction == "arguments"
        tag = Property(name=SCHEMA_TYPE, attribute=SCHEMA_TYPE, shape=choice, required=is_needed)
        own = tuple(each for each in shape.properties if each.name != SCHEMA_TYPE)
        return ObjectShape(name=shape.name, properties=(tag, *own), keywords=shape.keywords)

    def _object_or_text(self, data_type: ObjectType, keywords: dict[str, Any]) -> Shape:
        proxy = proxy_of(data_type.name, data_type)
        if proxy is None:
            return self.object_shape(data_type, keywords)
        if proxy.form == "uri" and isinstance(text := data_type.properties[0].type, ScalarType):
            keywords = _pattern_keywords(text.patterns) | keywords
        return self._form_of(proxy, keywords)

    def _referred(self, data_type: ReferenceType, keywords: dict[str, Any]) -> Shape:
        target = self._components[data_type.name]
        proxy = proxy_at(data_type, self._components)
        if proxy is not None:
            return self._form_of(proxy, keywords)
        name = self._name_of.get(data_type.name)
        if name is None:
            name = self._name_of[data_type.name] = self._free_name(data_type.name)
            described = {"description": target.description} if target.description else {}
            self._definitions[name] = self._plain(target, described)
        return ReferenceShape(name=name, definitions=self._definitions, keywords=keywords)

    def _free_name(self, qualified: str) -> str:
        taken, wanted = set(self._name_of.values()), _simple_name(qualified)
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name


def choices_of(whole: OneOfType, components: Components) -> list[ObjectType]:
    """The objects that a oneOf is one of; those of a oneOf among them count as its own."""
    members: dict[str, ObjectType] = {}
    known: set[str] = set()
    waiting = list(reversed(whole.members))
    while waiting:
        each = waiting.pop()
        if isinstance(each, ReferenceType):
            if each.name in known:
                continue
            known.add(each.name)
        found = resolved(each, components)
        if isinstance(found, OneOfType):
            waiting += reversed(found.members)
        else:
            one = object_of(found, components)
            members.setdefault(one.name, one)
    return list(members.values())


def is_never_absent(data_type: DataType) -> bool:
    """Whether an absent value of the type has a meaning: 0, false, or an empty list."""
    if isinstance(data_type, ArrayType):
        return True
    if not isinstance(data_type, ScalarType) or data_type.enum_values:
        return False
    return data_type.kind not in {TypeNumber.STRING, TypeNumber.BYTES}


def _text_form(proxy: Proxy, keywords: dict[str, Any]) -> Shape:
    return FormShape(form=proxy.form, keywords=keywords)


def _scalar_shape(  # noqa: PLR0911 - one for each kind of scalar
    data_type: ScalarType, keywords: dict[str, Any]
) -> Shape:
    match data_type.kind:
        case TypeNumber.UNIT:
            return NullShape(keywords=keywords)
        case TypeNumber.BOOLEAN:
            return BooleanShape(keywords=keywords)
        case TypeNumber.BYTES:
            return FormShape(form="base64", keywords=keywords)
        case TypeNumber.DOUBLE:
            return NumberShape(kind="float", keywords=keywords)
        case TypeNumber.FLOAT:
            return NumberShape(kind="float", keywords=_FLOAT32 | keywords)
        case TypeNumber.INT | TypeNumber.LONG:
            return _whole_number(data_type, keywords)
    return _text(data_type, keywords)


def _whole_number(data_type: ScalarType, keywords: dict[str, Any]) -> Shape:
    if data_type.enum_values:
        values = dict.fromkeys(map(int, data_type.enum_values))
        return EnumShape(choices=tuple(Choice(each, each) for each in values), keywords=keywords)
    of_kind = _INT32 if data_type.kind is TypeNumber.INT else {"format": "int64"}
    return NumberShape(kind="int", keywords=of_kind | keywords)


def _text(data_type: ScalarType, keywords: dict[str, Any]) -> Shape:
    if data_type.enum_values:
        choices = tuple(Choice(text, text) for text in dict.fromkeys(data_type.enum_values))
        return EnumShape(choices=choices, keywords=keywords)
    known: dict[str, Any] = {"format": data_type.format} if data_type.format else {}
    return TextShape(keywords=known | _pattern_keywords(data_type.patterns) | keywords)


def _pattern_keywords(patterns: tuple[StringPattern, ...]) -> dict[str, Any]:
    """The regular expression that tells of the patterns, if all of them can be told."""
    if not patterns:
        return {}
    pattern = regex_of(AppFunctionPatternMatcher(each.value, each.type) for each in patterns)
    return {"pattern": pattern} if pattern is not None else {}


def _described(data_type: DataType, keywords: dict[str, Any]) -> dict[str, Any]:
    if data_type.description and "description" not in keywords:
        return keywords | {"description": data_type.description}
    return keywords


def _simple_name(qualified: str) -> str:
    """A name for `$defs`: what follows the package, with nothing that a pointer would escape."""
    outer, bracket, inner = qualified.partition("<")
    simple = outer.rpartition(".")[2]
    if bracket:
        simple += "_" + inner.rpartition(".")[2]
    return _NOT_IN_NAMES.sub("_", simple).strip("_") or "Value"
