"""What `list-app-functions` prints: the documents of functions, their states and components.

Every property is a list, as the documents do not know what is one value. The state of a function
stands in a joined document, inside an object of its own name. Knows nothing of JSON text.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    number_of,
)
from appfunctions_mcp.metadata import AppFunctionState

__all__ = ["LATEST_API_LEVEL", "listed_documents"]

LATEST_API_LEVEL = 37
"""Of Android, which answers as the newest one does."""

_STATE_NUMBERS = {
    AppFunctionState.DEFAULT: 0,
    AppFunctionState.ENABLED: 1,
    AppFunctionState.DISABLED: 2,
}

Listed = dict[str, list[Any]]
"""A document: every property is a list."""


def listed_documents(
    document: AndroidDocument,
    states: Mapping[str, AppFunctionState],
    *,
    package: str,
    api_level: int = LATEST_API_LEVEL,
) -> list[dict[str, Any]]:
    """The entries of one package.

    Args:
        document: Its functions and components.
        states: What was set for each function, by id.
        package: Its name.
        api_level: Of which Android; before 37 a function has no scope.
    """
    static = f"AppFunctionStaticMetadata-{package}"
    runtime = f"AppFunctionRuntimeMetadata-{package}"
    entries: list[dict[str, Any]] = []
    for function in document.functions:
        listed = _function(function, package)
        if api_level < LATEST_API_LEVEL:
            listed.pop("scope", None)
        state = _state(function.id, package, states.get(function.id, AppFunctionState.DEFAULT))
        entries.append({static: listed, runtime: {runtime: state}})
    if document.components:
        data_types = [{"name": [c.name], **_typed(c.type)} for c in document.components]
        entries.append(
            {f"AppFunctionComponentMetadataDocument-{package}": {"dataTypes": data_types}}
        )
    return entries


def _function(function: AndroidFunction, package: str) -> Listed:
    listed: Listed = {
        "functionId": [function.id],
        "packageName": [package],
        "mobileApplicationQualifiedId": [f"android$apps-db/apps#{package}"],
    }
    if function.parameters:
        listed["parameters"] = [_parameter(each) for each in function.parameters]
    if function.response is not None:
        listed["response"] = [
            {
                "valueType": [_type(function.response.type)],
                **_known(description=function.response.description),
            }
        ]
    if function.deprecation is not None:
        listed["deprecation"] = [{"message": [function.deprecation]}]
    schema, scope, level = function.schema, function.scope, function.access_level
    return listed | _known(
        enabledByDefault=function.enabled_by_default,
        scope=scope and scope.value,
        description=function.description,
        schemaCategory=schema and schema.category,
        schemaName=schema and schema.name,
        schemaVersion=schema and schema.version,
        accessLevel=level and level.value,
        isCompatEnforcementEnabled=function.compat_enforcement,
    )


def _state(function_id: str, package: str, state: AppFunctionState) -> Listed:
    return {
        "functionId": [function_id],
        "packageName": [package],
        "enabled": [_STATE_NUMBERS[state]],
        "appFunctionStaticMetadataQualifiedId": [
            f"android$apps-db/app_functions#{package}/{function_id}"
        ],
    }


def _parameter(parameter: AndroidParameter) -> Listed:
    return {
        "name": [parameter.name],
        "isRequired": [parameter.required],
        **_typed(parameter.type),
        **_known(description=parameter.description),
    }


def _typed(data_type: DataType) -> Listed:
    return {"dataTypeMetadata": [_type(data_type)]}


def _type(data_type: DataType) -> Listed:
    listed: Listed = {"type": [int(number_of(data_type))], "isNullable": [data_type.nullable]}
    match data_type:
        case ScalarType():
            patterns = [{"type": [int(p.type)], "value": [p.value]} for p in data_type.patterns]
            listed |= _some(enumValues=list(data_type.enum_values), patterns=patterns)
            listed |= _known(format=data_type.format)
        case ArrayType():
            listed["itemType"] = [_type(data_type.items)]
        case ReferenceType():
            listed["dataTypeReference"] = [data_type.name]
        case ObjectType():
            properties = [{"name": [p.name], **_typed(p.type)} for p in data_type.properties]
            listed |= _known(objectQualifiedName=data_type.name)
            listed |= _some(properties=properties, required=list(data_type.required))
        case AllOfType():
            listed |= _known(objectQualifiedName=data_type.name)
            listed["allOf"] = [_type(each) for each in data_type.members]
        case OneOfType():
            listed |= _known(objectQualifiedName=data_type.name)
            listed["oneOf"] = [_type(each) for each in data_type.members]
        case ParcelableType():
            listed["objectQualifiedName"] = [data_type.name]
    return listed | _known(description=data_type.description)


def _known(**values: Any) -> Listed:
    """Properties of one value; what is None or empty is not there."""
    return {name: [value] for name, value in values.items() if value is not None and value != ""}


def _some(**values: list[Any]) -> Listed:
    return {name: value for name, value in values.items() if value}
