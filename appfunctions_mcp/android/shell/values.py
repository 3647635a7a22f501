"""Documents of Android's shell ↔ the JSON values that our functions take and return.

The declared types say what a document cannot: whether a property is one value or a list, which
object is a date or an address, and where nothing means null. Values themselves are checked by the
function. Knows nothing of commands.
"""

from collections.abc import Container, Mapping
from typing import Any

from appfunctions_mcp.android.data_types import (
    AllOfType,
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
from appfunctions_mcp.android.proxies import Proxy, members_of, proxy_at, text_of
from appfunctions_mcp.android.references import Components, object_of, resolved
from appfunctions_mcp.android.shell.documents import Document, Value
from appfunctions_mcp.android.type_shapes import SCHEMA_TYPE
from appfunctions_mcp.exceptions import AppFunctionInvalidArgumentException
from appfunctions_mcp.quoting import quoted

__all__ = ["RETURN_VALUE", "Arguments", "Results"]

RETURN_VALUE = "androidAppfunctionsReturnValue"
"""The property under which a result stands."""

_WHOLE = {TypeNumber.INT, TypeNumber.LONG}
_FLOATING = {TypeNumber.FLOAT, TypeNumber.DOUBLE}
_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1


class Arguments:
    """Reads the arguments of calls.

    Args:
        components: The shared types.
        tagged: The classes that have their name in a property here too; all when left out.
    """

    def __init__(self, components: Components, tagged: Container[str] | None = None) -> None:
        self._components = components
        self._tagged = tagged

    def of(self, document: Document, function: AndroidFunction) -> dict[str, Any]:
        """The arguments by parameter name; what the function does not declare is left out.

        Raises:
            AppFunctionInvalidArgumentException: An object stands for no date, or is none of the
                forms that a parameter has.
        """
        arguments: dict[str, Any] = {}
        for parameter in function.parameters:
            values = document.properties.get(parameter.name)
            if values:
                arguments[parameter.name] = self._value(values, parameter.type, parameter.name)
            elif parameter.required and parameter.type.nullable:
                arguments[parameter.name] = None
        return arguments

    def _value(self, values: tuple[Value, ...], data_type: DataType, place: str) -> Any:
        found = resolved(data_type, self._components)
        if isinstance(found, ArrayType):
            items = found.items
            return [
                self._item(each, items, f"{place}[{index}]") for index, each in enumerate(values)
            ]
        return self._item(values[0], data_type, place)

    def _item(self, value: Value, data_type: DataType, place: str) -> Any:
        if not isinstance(value, Document):
            return value
        found = resolved(data_type, self._components)
        proxy = proxy_at(data_type, self._components)
        if proxy is not None:
            return self._text(proxy, value, place)
        if isinstance(found, OneOfType):
            return self._member(value, found, place)
        if isinstance(found, ObjectType | AllOfType):
            return self._object(value, found, place)
        return {name: self._any(values) for name, values in value.properties.items()}

    def _any(self, values: tuple[Value, ...]) -> Any:
        """Values where no object is declared, for the function to refuse in its own words."""
        plain = [
            {name: self._any(each) for name, each in value.properties.items()}
            if isinstance(value, Document)
            else value
            for value in values
        ]
        return plain[0] if len(plain) == 1 else plain

    def _object(self, document: Document, data_type: DataType, place: str) -> dict[str, Any]:
        declared = object_of(data_type, self._components)
        members: dict[str, Any] = {}
        for each in declared.properties:
            values = document.properties.get(each.name)
            if values:
                members[each.name] = self._value(values, each.type, f"{place}.{each.name}")
            elif each.name in declared.required and each.type.nullable:
                members[each.name] = None
        return members

    def _member(self, document: Document, data_type: OneOfType, place: str) -> dict[str, Any]:
        members = {_name(each): each for each in data_type.members}
        name = document.schema_type
        if name not in members:
            known = ", ".join(members)
            came = f"is {quoted(name)}" if name else "is missing"
            raise AppFunctionInvalidArgumentException(
                f"{place}: {SCHEMA_TYPE} {came}; accepted: {known}"
            )
        found = self._object(document, members[name], place)
        # A union without a tag is told apart by its keys, and takes no other.
        has_tag = self._tagged is None or name in self._tagged
        return {SCHEMA_TYPE: name, **found} if has_tag else found

    def _text(self, proxy: Proxy, document: Document, place: str) -> str:
        members = {name: values[0] for name, values in document.properties.items()}
        known = {name: members[name] for name in proxy.members if name in members}
        try:
            return text_of(proxy, members_of(proxy, known))
        except ValueError as fault:
            raise AppFunctionInvalidArgumentException(
                f"{place}: {fault}; accepted is an object with {', '.join(proxy.members)}"
            ) from fault


class Results:
    """Writes what functions return.

    Args:
        components: The shared types.
    """

    def __init__(self, components: Components) -> None:
        self._components = components

    def of(self, value: Any, function: AndroidFunction) -> Document:
        """The document of a result; of nothing, an empty one.

        Raises:
            ValueError: The value has no such form on Android, such as a number beyond a long.
        """
        if function.response is None:
            return Document()
        values = self._values(value, function.response.type)
        return Document({} if values is None else {RETURN_VALUE: values})

    def _values(self, value: Any, data_type: DataType) -> tuple[Value, ...] | None:
        """The values of a property; None where it is not there."""
        found = resolved(data_type, self._components)
        if value is None or _is_apart(found):
            return None
        if not isinstance(found, ArrayType):
            return (self._item(value, data_type),)
        if not isinstance(value, list):
            raise ValueError("the value is no list")  # noqa: TRY004 - one error for all that does not fit
        if _is_apart(resolved(found.items, self._components)):
            return None
        return tuple(self._item(each, found.items) for each in value if each is not None)

    def _item(self, value: Any, data_type: DataType) -> Value:
        found = resolved(data_type, self._components)
        if isinstance(found, ScalarType):
            return _scalar(value, found.kind)
        proxy = proxy_at(data_type, self._components)
        if proxy is not None:
            return Document(
                {name: (each,) for name, each in members_of(proxy, value).items()}, _name(found)
            )
        if not isinstance(value, dict):
            raise ValueError("the value is no object")  # noqa: TRY004 - one error for all that does not fit
        if isinstance(found, OneOfType):
            found = self._member(value, found)
        return self._object(value, found)

    def _object(self, value: Mapping[str, Any], data_type: DataType) -> Document:
        declared = object_of(data_type, self._components)
        properties: dict[str, tuple[Value, ...]] = {}
        for each in declared.properties:
            values = self._values(value.get(each.name), each.type)
            if values is not None:
                properties[each.name] = values
        return Document(properties, declared.name)

    def _member(self, value: Mapping[str, Any], data_type: OneOfType) -> DataType:
        """The member that an object is: the one it names, else the one with most of its keys."""
        named = {_name(each): each for each in data_type.members}
        if (member := named.get(value.get(SCHEMA_TYPE, ""))) is not None:
            return member
        keys = value.keys()
        return max(data_type.members, key=lambda each: len(keys & self._property_names(each)))

    def _property_names(self, data_type: DataType) -> set[str]:
        return {each.name for each in object_of(data_type, self._components).properties}


def _name(data_type: DataType) -> str:
    if isinstance(data_type, ReferenceType | ObjectType | AllOfType | OneOfType):
        return data_type.name
    return ""


def _is_apart(data_type: DataType) -> bool:
    """Whether values travel beside the document, or there are none."""
    is_unit = isinstance(data_type, ScalarType) and data_type.kind is TypeNumber.UNIT
    return is_unit or isinstance(data_type, ParcelableType)


def _scalar(value: Any, kind: TypeNumber) -> Value:
    if kind in _WHOLE:
        number = int(value)  # beyond 2^53 it is text
        if not _MIN_LONG <= number <= _MAX_LONG:
            raise ValueError("the number is none that a long can be")
        return number
    if kind in _FLOATING:
        return float(value)
    if isinstance(value, str | bool):
        return value
    raise ValueError(f"{type(value).__name__} where another type is declared")
