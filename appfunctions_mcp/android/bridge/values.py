"""Values between MCP and Android's shell: checked arguments → its input, its output → a result.

The shell takes a number's type from how it is written and a list's from its first item, leaves
out nulls, and answers with lists only; what is meant is in the declared types. Knows nothing of
devices.
"""

import struct
import sys
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidFunction,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.json_schema import RESULT, is_bare_text, is_object
from appfunctions_mcp.android.proxies import Proxy, members_of, proxy_at, text_of
from appfunctions_mcp.android.references import components_of, object_of, resolved
from appfunctions_mcp.android.type_shapes import (
    FLOAT32_MAX,
    SCHEMA_TYPE,
    TypeShapes,
    choices_of,
    is_never_absent,
)
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.schema.faults import Fault, Path, faults_text, kind_of, path_text
from appfunctions_mcp.schema.json_schema import MAX_SAFE_INTEGER
from appfunctions_mcp.schema.text_forms import TEXT_FORMS

RETURN_VALUE = "androidAppfunctionsReturnValue"
"""The key under which the shell prints what a function returned."""
NOT_SHOWN = (
    "The app answered with a step for the user to take, which Android's shell does not pass on. "
    "Ask the user to look at the app on the device."
)
"""What a caller is told in place of a PendingIntent."""

_INTEGER_BITS = {TypeNumber.INT: 32, TypeNumber.LONG: 64}
_FRACTIONS = {TypeNumber.DOUBLE, TypeNumber.FLOAT}
_SIGNIFICANT_DIGITS = range(6, 10)
"""How many digits tell one 32-bit number from every other; nine always do."""


def shell_parameters(
    function: AndroidFunction, document: AndroidDocument, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The JSON that the shell gets for checked arguments.

    Args:
        function: What is called.
        document: Where its references lead.
        arguments: By name; what was left out or is null is left out here too.

    Raises:
        AppFunctionInvalidArgumentException: Names every value that Android has no form for.
    """
    writer = _Writer(document)
    types = {each.name: each.type for each in function.parameters}
    written = {
        name: writer.written(types[name], value, (name,))
        for name, value in arguments.items()
        if value is not None
    }
    if writer.faults:
        raise AppFunctionInvalidArgumentException(faults_text(writer.faults))
    return written


def shell_doubts(parameters: Mapping[str, Any]) -> list[str]:
    """What of its input Android's shell is known to lose, in words; mostly nothing.

    Args:
        parameters: What `shell_parameters` returned.
    """
    doubts = []
    whole: list[str] = []
    empty: list[str] = []
    _look_at(parameters, (), whole, empty)
    if whole:
        doubts.append(
            f"Android's shell reads the whole number at {', '.join(whole[:5])} as an integer, "
            "since it stands inside an object, and the app may refuse that; a number with a "
            "fraction gets through."
        )
    if empty:
        doubts.append(
            f"Android's shell leaves out the empty list at {', '.join(empty[:5])}; the app may "
            "miss it."
        )
    return doubts


def _look_at(value: Any, path: Path, whole: list[str], empty: list[str]) -> None:
    if isinstance(value, Mapping):
        for name, each in value.items():
            _look_at(each, (*path, name), whole, empty)
    elif isinstance(value, list):
        if not value:
            empty.append(path_text(path))
        elif len(path) > 1 and isinstance(value[0], float) and value[0].is_integer():
            whole.append(path_text((*path, 0)))
        elif isinstance(value[0], dict):
            for at, each in enumerate(value):
                _look_at(each, (*path, at), whole, empty)
    elif isinstance(value, float) and len(path) > 1 and value.is_integer():
        whole.append(path_text(path))


class _Writer:
    """Writes values as the shell reads them, and collects what cannot be written."""

    def __init__(self, document: AndroidDocument) -> None:
        self._components = components_of(document)
        self.faults: list[Fault] = []

    def written(self, data_type: DataType, value: Any, path: Path) -> Any:
        found = resolved(data_type, self._components)
        if (proxy := proxy_at(data_type, self._components)) is not None:
            return self._proxy(proxy, value, path)
        if isinstance(found, ArrayType):
            return self._items(found, value, path)
        if isinstance(found, OneOfType):
            return self._member(found, value, path)
        if isinstance(found, ObjectType | AllOfType):
            return self._members(object_of(found, self._components), value, path)
        return self._scalar(found, value, path) if isinstance(found, ScalarType) else value

    def _proxy(self, proxy: Proxy, value: Any, path: Path) -> Any:
        try:
            return members_of(proxy, value)
        except (ValueError, OverflowError):
            came = f"got {kind_of(value)}"
            self.faults.append(Fault(path, came, TEXT_FORMS[proxy.form].accepted))
            return None

    def _items(self, data_type: ArrayType, value: list[Any], path: Path) -> list[Any]:
        made = []
        for at, item in enumerate(value):
            if item is None:
                accepted = "items that are no null, for which Android's shell has no form"
                self.faults.append(Fault((*path, at), "got null", accepted))
                continue
            made.append(self.written(data_type.items, item, (*path, at)))
        return made

    def _member(self, whole: OneOfType, value: dict[str, Any], path: Path) -> dict[str, Any]:
        tag = value[SCHEMA_TYPE]
        members = {each.name: each for each in choices_of(whole, self._components)}
        return {SCHEMA_TYPE: tag} | self._members(members[tag], value, path)

    def _members(self, found: ObjectType, value: dict[str, Any], path: Path) -> dict[str, Any]:
        return {
            each.name: self.written(each.type, value[each.name], (*path, each.name))
            for each in found.properties
            if value.get(each.name) is not None
        }

    def _scalar(self, data_type: ScalarType, value: Any, path: Path) -> Any:
        if data_type.kind in _FRACTIONS:
            number = float(value)
            if data_type.kind is TypeNumber.FLOAT and abs(number) > FLOAT32_MAX:
                accepted = f"a number from {-FLOAT32_MAX} to {FLOAT32_MAX}"
                self.faults.append(Fault(path, "got a number beyond these", accepted))
            return number
        bits = _INTEGER_BITS.get(data_type.kind)
        if bits is not None:
            least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
            if not least <= value <= most:
                accepted = f"a whole number from {least} to {most}"
                self.faults.append(Fault(path, "got a whole number beyond these", accepted))
        return value


def plain_result(
    function: AndroidFunction, document: AndroidDocument, printed: Mapping[str, Any]
) -> Any:
    """What a function returned, as its output schema says.

    Args:
        function: What was called.
        document: Where its references lead.
        printed: The JSON that the shell has printed.

    Raises:
        AppFunctionAppUnknownException: The app answered without the value that it declares, or
            with one that is nested too deep.
    """
    value = printed.get(RETURN_VALUE)
    if function.response is None:
        return value
    shapes = TypeShapes(document, "result")
    data_type = function.response.type
    if shapes.is_hidden(data_type):
        return NOT_SHOWN
    try:
        read = _Reader(document, shapes).read(data_type, value)
    except RecursionError as fault:
        raise _happened(
            "the app answered with objects that stand too deep in each other"
        ) from fault
    if is_bare_text(function, document):
        return read if isinstance(read, str) else ""
    if read is _ABSENT:
        raise _happened("the app answered without a value of the type that it declares")
    return read if is_object(data_type, document) else {RESULT: read}


def _happened(message: str) -> AppFunctionAppUnknownException:
    """The failure of an execution whose result alone is of no use, so that it is not repeated."""
    return AppFunctionAppUnknownException(
        message, recovery="It has happened; look before doing it again."
    )


_ABSENT: Any = object()
"""Stands for a value that is not there."""


class _Reader:
    """Reads what the shell has printed, where every value is a list."""

    def __init__(self, document: AndroidDocument, shapes: TypeShapes) -> None:
        self._components = components_of(document)
        self._shapes = shapes

    def read(self, data_type: DataType, value: Any) -> Any:
        """The value of a property; `_ABSENT` where there is none that its type has."""
        found = resolved(data_type, self._components)
        values = value if isinstance(value, list) else [] if value is None else [value]
        if isinstance(found, ArrayType):
            if not values and found.nullable and value is None:
                return None
            items = (self._item(found.items, each) for each in values)
            return [each for each in items if each is not _ABSENT]
        read = self._item(data_type, values[0]) if values else _ABSENT
        if read is not _ABSENT:
            return read
        if found.nullable:
            return None
        is_there = bool(values) and values[0] is not None
        if isinstance(found, ScalarType) and is_never_absent(found) and not is_there:
            return _EMPTY[found.kind]
        return read

    def _item(self, data_type: DataType, value: Any) -> Any:
        found = resolved(data_type, self._components)
        if value is None:
            return None if data_type.nullable else _ABSENT
        if isinstance(found, ScalarType | ArrayType) or not isinstance(value, Mapping):
            return self._without_members(found, value)
        if (proxy := proxy_at(data_type, self._components)) is not None:
            return self._proxy(proxy, value)
        if isinstance(found, OneOfType):
            return self._member(found, value)
        return self._members(object_of(found, self._components), value)

    def _without_members(self, found: DataType, value: Any) -> Any:
        if isinstance(found, ScalarType):
            return _scalar(found, value)
        return self.read(found, value) if isinstance(found, ArrayType) else _ABSENT

    def _proxy(self, proxy: Proxy, value: Mapping[str, Any]) -> Any:
        members = {
            name: each[0] if isinstance(each, list) and each else each
            for name, each in value.items()
        }
        try:
            return text_of(proxy, {n: members.get(n, 0) for n in proxy.members} | members)
        except (KeyError, TypeError, ValueError, OverflowError):
            return _ABSENT

    def _member(self, whole: OneOfType, value: Mapping[str, Any]) -> dict[str, Any]:
        """A member of a oneOf; the shell mostly does not print which one it is."""
        members = choices_of(whole, self._components)
        named = value.get(SCHEMA_TYPE)
        tag = named[0] if isinstance(named, list) and named else named
        fitting = [each for each in members if each.name == tag] or [
            each for each in members if _may_be(each, value)
        ]
        if len(fitting) == 1:
            return {SCHEMA_TYPE: fitting[0].name} | self._members(fitting[0], value)
        # Which one it is cannot be told; the first that has all of it says how to read it.
        return self._members((fitting or members)[0], value)

    def _members(self, found: ObjectType, value: Mapping[str, Any]) -> dict[str, Any]:
        made = {}
        for each in found.properties:
            if self._shapes.is_hidden(each.type):
                continue
            is_there = each.name in value
            read = self.read(each.type, value.get(each.name))
            if read is not _ABSENT and (is_there or each.name in found.required):
                made[each.name] = read
        return made


def _may_be(member: ObjectType, value: Mapping[str, Any]) -> bool:
    names = {each.name for each in member.properties}
    needed = {
        each.name
        for each in member.properties
        if each.name in member.required and not each.type.nullable
    }
    return needed <= value.keys() <= names | {SCHEMA_TYPE}


_EMPTY: dict[TypeNumber, Any] = {
    TypeNumber.UNIT: None,
    TypeNumber.BOOLEAN: False,
    TypeNumber.DOUBLE: 0.0,
    TypeNumber.FLOAT: 0.0,
    TypeNumber.LONG: 0,
    TypeNumber.INT: 0,
}
"""What an app reads where a number or a truth value is absent."""


def _scalar(data_type: ScalarType, value: Any) -> Any:
    kind = data_type.kind
    if kind is TypeNumber.UNIT:
        return None
    if kind is TypeNumber.BOOLEAN:
        return value if isinstance(value, bool) else _ABSENT
    if kind in _FRACTIONS or kind in _INTEGER_BITS:
        return _number(kind, value)
    # A device prints of bytes only where they stood in its memory.
    is_place = kind is TypeNumber.BYTES and isinstance(value, str) and value.startswith("[B@")
    return value if isinstance(value, str) and not is_place else _ABSENT


def _number(kind: TypeNumber, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _ABSENT
    if kind in _FRACTIONS:
        if abs(value) > sys.float_info.max:
            return _ABSENT
        return float(value) if kind is TypeNumber.DOUBLE else _shortest(float(value))
    if not isinstance(value, int) or not -(2**63) <= value < 2**63:
        return _ABSENT
    if kind is TypeNumber.INT and not -(2**31) <= value < 2**31:
        return _ABSENT
    return str(value) if abs(value) > MAX_SAFE_INTEGER else value


def _shortest(value: float) -> float:
    """A number of 32 bits as people write it: 0.1, not 0.10000000149011612."""
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        return value
    if struct.unpack("<f", packed)[0] != value:
        return value
    texts = (f"{value:.{digits}g}" for digits in _SIGNIFICANT_DIGITS)
    return next(float(text) for text in texts if struct.pack("<f", float(text)) == packed)
