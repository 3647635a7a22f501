"""What `cmd app_function list-app-functions` prints → documents and states.

Every property is an array there, and the state is nested in itself; both are read where they
are and where they are not. One function that cannot be used costs no other.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from appfunctions_mcp.android.bridge.discovered_types import (
    UnreadableError,
    flag,
    many,
    number,
    read_type,
    text,
)
from appfunctions_mcp.android.data_types import (
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidResponse,
)
from appfunctions_mcp.android.references import Components, document_of
from appfunctions_mcp.android.xml.document_checks import UNUSED, document_faults
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionSchema,
    AppFunctionScope,
)
from appfunctions_mcp.quoting import quoted

__all__ = ["DiscoveredApp", "ListingError", "read_listing"]

T = TypeVar("T")

_STATIC = "AppFunctionStaticMetadata"
_RUNTIME = "AppFunctionRuntimeMetadata"
_COMPONENTS = "AppFunctionComponentMetadataDocument"
_ENABLED = {1: True, 2: False}
"""The states that somebody has set; 0 is what the function declares."""


class ListingError(Exception):
    """The output is no listing of functions; the text says what it is."""


@dataclass(frozen=True, slots=True)
class DiscoveredApp:
    """One app as a device lists it."""

    package: str
    document: AndroidDocument
    """The functions that can be used, in the order of their ids."""
    enabled: Mapping[str, bool] = field(default_factory=dict)
    """Function id to the state that was set; none where nobody set any."""
    findings: tuple[str, ...] = ()
    """What was left out, and why."""


def read_listing(output: str) -> dict[str, DiscoveredApp]:
    """Reads the whole output.

    Args:
        output: What the command has printed.

    Returns:
        The apps by package.

    Raises:
        ListingError: It is no JSON object of arrays.
    """
    start = output.find("{")
    try:
        listed = json.loads(output[start:]) if start >= 0 else None
    except (ValueError, RecursionError) as fault:
        raise ListingError(f"the list of functions is no JSON: {fault}") from fault
    if not isinstance(listed, dict):
        raise ListingError(f"the list of functions is no JSON object but {quoted(output)}")
    return {
        package: _app_of(package, entries if isinstance(entries, list) else [entries])
        for package, entries in listed.items()
    }


def _app_of(package: str, entries: list[Any]) -> DiscoveredApp:
    parts = [_parts_of(entry) for entry in entries]
    findings: list[str] = []
    components: dict[str, AndroidComponent] = {}
    service = None
    for part in parts:
        if _COMPONENTS in part:
            service = service or _service_of(part[_COMPONENTS])
            components |= _components_in(part[_COMPONENTS], findings)
    known = {each.name: each.type for each in components.values()}
    functions: dict[str, AndroidFunction] = {}
    enabled: dict[str, bool] = {}
    for part in parts:
        if _STATIC not in part:
            continue
        function = _tried(lambda p=part: _usable(p[_STATIC], known), findings, package)  # type: ignore[misc] # bound at once
        if function is None or function.id in functions:
            continue
        functions[function.id] = function
        state = _tried(lambda p=part: number(p.get(_RUNTIME, {}), "enabled"), findings, package)  # type: ignore[misc] # bound at once
        if state in _ENABLED:
            enabled[function.id] = _ENABLED[state]
    in_order = tuple(functions[each] for each in sorted(functions))
    document = AndroidDocument(
        functions=in_order, components=tuple(components.values()), service=service
    )
    return DiscoveredApp(package, document, enabled, tuple(dict.fromkeys(findings)))


def _tried(read: Callable[[], T], findings: list[str], package: str) -> T | None:
    try:
        return read()
    except UnreadableError as fault:
        findings.append(f"{package}: {fault}")
        return None


def _parts_of(entry: Any) -> dict[str, dict[str, Any]]:
    """An entry's documents by kind, without the package in their names."""
    found: dict[str, dict[str, Any]] = {}
    if not isinstance(entry, dict):
        return found
    for name, value in entry.items():
        kind = name.partition("-")[0]
        document = value[0] if isinstance(value, list) and value else value
        # A joined document is an entry again, with itself under its own name.
        while isinstance(document, dict) and isinstance(document.get(name), dict | list):
            inner = document[name]
            document = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(document, dict):
            found[kind] = document
    return found


def _service_of(components: Mapping[str, Any]) -> str | None:
    name = components.get("id")
    found = name[0] if isinstance(name, list) and name else name
    return found if isinstance(found, str) and found not in {"", UNUSED} else None


def _components_in(document: Mapping[str, Any], findings: list[str]) -> dict[str, AndroidComponent]:
    found: dict[str, AndroidComponent] = {}
    for each in many(document, "dataTypes"):
        name = ""
        try:
            name = text(each, "name", required=True)
            found[name] = AndroidComponent(name, read_type(each, "dataTypeMetadata"))
        except UnreadableError as fault:
            findings.append(f"component {quoted(name)}: {fault}")
    return found


def _usable(properties: Mapping[str, Any], known: Components) -> AndroidFunction:
    """Reads a function.

    Raises:
        UnreadableError: It cannot be used.
    """
    function_id = text(properties, "functionId") or text(properties, "id", required=True)
    try:
        function = _function_of(function_id, properties)
    except UnreadableError as fault:
        raise UnreadableError(f"function {quoted(function_id)}: {fault}") from fault
    if function.scope is AppFunctionScope.ACTIVITY:
        raise UnreadableError(
            f"function {quoted(function_id)} belongs to single activities of the app, which "
            "Android's shell has no way to name"
        )
    for _, fault_text in document_faults(document_of(function, known)):
        raise UnreadableError(fault_text)
    return function


def _function_of(function_id: str, properties: Mapping[str, Any]) -> AndroidFunction:
    response = many(properties, "response")
    deprecation = many(properties, "deprecation")
    level, scope = text(properties, "accessLevel"), text(properties, "scope")
    return AndroidFunction(
        id=function_id,
        enabled_by_default=flag(properties, "enabledByDefault"),
        scope=_member(AppFunctionScope, scope),
        description=text(properties, "description"),
        parameters=tuple(map(_parameter_of, many(properties, "parameters"))),
        response=_response_of(response[0]) if response else None,
        schema=_schema_of(properties),
        deprecation=text(deprecation[0], "message") if deprecation else None,
        access_level=_member(AppFunctionAccessLevel, level),
        compat_enforcement=flag(properties, "isCompatEnforcementEnabled"),
    )


def _member(kind: type[T], value: str) -> T | None:
    """The member of an enumeration; None for what no version known here writes."""
    try:
        return kind(value) if value else None  # type: ignore[call-arg] # enumerations take a value
    except ValueError:
        return None


def _parameter_of(properties: Mapping[str, Any]) -> AndroidParameter:
    name = text(properties, "name", required=True)
    try:
        data_type = read_type(properties, "dataTypeMetadata")
    except UnreadableError as fault:
        raise UnreadableError(f"parameter {quoted(name)}: {fault}") from fault
    return AndroidParameter(
        name=name,
        type=data_type,
        required=flag(properties, "isRequired") is not False,
        description=text(properties, "description"),
    )


def _response_of(properties: Mapping[str, Any]) -> AndroidResponse:
    try:
        data_type = read_type(properties, "valueType")
    except UnreadableError as fault:
        raise UnreadableError(f"response: {fault}") from fault
    return AndroidResponse(type=data_type, description=text(properties, "description"))


def _schema_of(properties: Mapping[str, Any]) -> AppFunctionSchema | None:
    """The predefined schema; as on Android none where one of its three parts is missing."""
    category, name = text(properties, "schemaCategory"), text(properties, "schemaName")
    version = number(properties, "schemaVersion")
    if not category or not name or not version or version < 1:
        return None
    return AppFunctionSchema(category, name, version)
