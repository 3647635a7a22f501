"""Models → objects of a functions XML: their names, their fields, and what they inherit.

A model that inherits from models is all of them (Android: allOf); other classes with parents,
and generic ones, are described flat. Knows nothing of functions.
"""

import inspect
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidProperty,
    DataType,
    ObjectType,
    ReferenceType,
)
from appfunctions_mcp.android.describing.types import (
    NoAndroidTypeError,
    TypeDescriber,
    require_closed,
)
from appfunctions_mcp.android.standard_types import jvm_name
from appfunctions_mcp.library_models import AppFunctionTextResource
from appfunctions_mcp.marks import SerializableMark, serializable_mark
from appfunctions_mcp.media import Audio, BlobResource, Image, ResourceLink, TextResource
from appfunctions_mcp.schema.core_parts import core_schema_of
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.json_schema import class_description, described_fields
from appfunctions_mcp.schema.shapes import (
    Direction,
    EnumShape,
    ObjectShape,
    Property,
    Shape,
    resolved,
)

__all__ = ["TAG", "ModelReader", "shape_of_type"]

_OURS = "appfunctions_mcp."
TAG = "schemaType"
"""The key by which an object among several says of which class it is."""
_NO_OBJECT = (Image, Audio, BlobResource, ResourceLink)


def shape_of_type(annotation: Any, direction: Direction) -> Shape:
    """The shape of a Python type.

    Raises:
        Exception: Whatever pydantic says of a type that it cannot use.
    """
    return read_shape(core_schema_of(annotation), direction)


class ModelReader:
    """Reads the classes that one describer meets.

    Args:
        describer: Describes the types of their fields, and has the components.
    """

    def __init__(self, describer: TypeDescriber) -> None:
        self._describer = describer
        self._begun: dict[int, ObjectShape] = {}
        """The shapes that are described already or just now; a class may have several."""
        self._describing: list[str] = []
        """The components that are described just now; what they hold may refer to them."""
        self._open: list[type] = []
        self._base_shapes: dict[type, ObjectShape] = {}

    def read(self, shape: ObjectShape, path: str) -> DataType:
        """The type of a class where it is used, never nullable.

        Raises:
            NoAndroidTypeError: Android has no type for the class, or for a field of it.
        """
        cls: type = shape.cls or object
        if cls is TextResource:
            return self.read(self._shape_of(AppFunctionTextResource), path)
        if cls in _NO_OBJECT:
            raise NoAndroidTypeError(
                f"{path} is {cls.__name__}, which Android has no type for; return bytes, a Uri or "
                "an AppFunctionTextResource"
            )
        if _mark_of(cls).inline:
            return self._inline(shape, cls, path)
        name = self._name_of(cls, path)
        if id(shape) not in self._begun and name not in self._describing:
            self._begun[id(shape)] = shape
            self._describing.append(name)
            described = self._described(shape, cls, path, _description_of(cls) or "")
            self._describing.pop()
            self._describer.components.add(name, replace(described, nullable=True), path)
        return ReferenceType(name=name)

    def _inline(
        self, shape: ObjectShape, cls: type, path: str, *, otherwise: str = ""
    ) -> ObjectType | AllOfType:
        if cls in self._open:
            raise NoAndroidTypeError(
                f"{path} is {cls.__name__}, which holds itself; leave out inline=True"
            )
        self._open.append(cls)
        description = _description_of(cls)
        described = self._described(
            shape, cls, path, otherwise if description is None else description
        )
        self._open.pop()
        return described

    def _described(
        self, shape: ObjectShape, cls: type, path: str, description: str
    ) -> ObjectType | AllOfType:
        require_closed(shape, path)
        name = self._name_of(cls, path)
        bases = self._bases_of(shape, cls)
        own = [
            prop
            for prop in shape.properties
            if not (prop.is_computed or _is_tag(prop, name))
            and (not bases or prop.attribute in _own_fields(cls))
        ]
        if not own and not bases:
            raise NoAndroidTypeError(
                f"{path} is {cls.__name__}, which has no fields; Android's objects have at "
                "least one"
            )
        whole = ObjectType(
            name=name,
            description=description,
            properties=self._properties(own, cls, name),
            required=tuple(prop.name for prop in own if prop.required and not prop.has_default),
        )
        if not bases:
            return whole
        members: list[DataType] = [self._base(base, path, description) for base in bases]
        if own:
            members.append(replace(whole, nullable=True))
        return AllOfType(name=name, description=description, members=tuple(members))

    def _properties(self, own: list[Property], cls: type, name: str) -> tuple[AndroidProperty, ...]:
        described = described_fields(cls)
        describer = self._describer
        outer = describer.package, describer.owner
        package, _, simple = name.partition("<")[0].rpartition(".")
        found = []
        for prop in own:
            describer.package, describer.owner = package, f"{simple}_{prop.name}"
            described_type = describer.describe(prop.shape, f"{name}.{prop.name}")
            if said := prop.description or described.get(prop.attribute, ""):
                described_type = replace(described_type, description=said)
            found.append(AndroidProperty(prop.name, described_type))
        describer.package, describer.owner = outer
        return tuple(found)

    def _bases_of(self, shape: ObjectShape, cls: type) -> list[type]:
        """The models that a model inherits its fields from; none where it is described flat."""
        if not issubclass(cls, BaseModel) or _generic_parts(cls)[0] is not None:
            return []
        bases = [base for base in cls.__bases__ if _has_fields(base)]
        inherited = {
            prop.attribute: prop.name for base in bases for prop in self._shape_of(base).properties
        }
        own = _own_fields(cls)
        # Where a child gives the fields other names in JSON, it is not what its parents are.
        is_all = all(
            inherited.get(prop.attribute) == prop.name
            for prop in shape.properties
            if prop.attribute not in own and not prop.is_computed
        )
        return bases if is_all else []

    def _base(self, base: type, path: str, description: str) -> DataType:
        shape = self._shape_of(base)
        if _mark_of(base).inline:
            # Android's compiler says of an interface what it says of the class.
            return replace(self._inline(shape, base, path, otherwise=description), nullable=True)
        return replace(self.read(shape, path), nullable=True)

    def _shape_of(self, cls: type) -> ObjectShape:
        if cls not in self._base_shapes:
            shape = resolved(shape_of_type(cls, self._describer.direction))
            assert isinstance(shape, ObjectShape)  # noqa: S101 - what pydantic makes of a model
            self._base_shapes[cls] = shape
        return self._base_shapes[cls]

    def _name_of(self, cls: type, path: str) -> str:
        origin, arguments = _generic_parts(cls)
        if origin is None:
            return serializable_mark(cls, self._describer.home).name
        described = (
            self._describer.describe(shape_of_type(each, self._describer.direction), path)
            for each in arguments
        )
        name = serializable_mark(origin, self._describer.home).name
        return f"{name}<{', '.join(map(jvm_name, described))}>"


def _mark_of(cls: type) -> SerializableMark:
    """What is said of a class; of a generic one that has its types, what is said of it without."""
    return serializable_mark(_generic_parts(cls)[0] or cls)


def _generic_parts(cls: type) -> tuple[type | None, tuple[Any, ...]]:
    parts = getattr(cls, "__pydantic_generic_metadata__", {})
    return parts.get("origin"), parts.get("args", ())


def _description_of(cls: type) -> str | None:
    """What an author says of a class; None where nothing is said, as of our own classes."""
    if cls.__module__.startswith(_OURS):
        return None
    given = _mark_of(cls).description
    return given if given is not None else class_description(_generic_parts(cls)[0] or cls) or None


def _own_fields(cls: type) -> frozenset[str]:
    return frozenset(inspect.get_annotations(cls))


def _has_fields(base: type) -> bool:
    return issubclass(base, BaseModel) and bool(base.model_fields)


def _is_tag(prop: Property, name: str) -> bool:
    """Whether a property only says which class an object is of, as Android's name does."""
    shape = prop.shape
    if prop.name != TAG or not isinstance(shape, EnumShape):
        return False
    return [choice.json for choice in shape.choices] == [name]
