"""What is published of a declared function: from its declaration, docstring and schemas.

How a function is called is known at once; the rest is put together when somebody lists or calls
it. Knows nothing of calls.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from appfunctions_mcp.declaration import AppFunctionDeclaration
from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.metadata import AppFunctionMetadata, AppFunctionResponseMetadata
from appfunctions_mcp.names import name_in_words, tool_name_of
from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.schema.arguments import ArgumentsSchema
from appfunctions_mcp.schema.responses import ResponseSchema

_TAKEN_OVER = (
    "title",
    "timeout_seconds",
    "thread",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "requires_confirmation",
    "schema",
    "access",
    "max_result_bytes",
)
"""What a declaration says and the metadata repeats under the same name."""
_ANDROID_ONLY = ("access_level", "access_level_compat", "scope")
"""What a declaration may leave unsaid, so that the metadata's own default holds."""

CONFIRMATION_SCHEMA = {
    "type": "string",
    "description": "The one-use token that the first, unconfirmed call answers with.",
}


@record(frozen=True, slots=True)
class FunctionNames:
    """How a function is called, and where it stands."""

    name: str
    """Its name in Python."""
    function_id: str
    tool_name: str
    module: str
    source: str
    """`FILE:LINE` of the declaration, for messages to the author."""


def names_of(
    function: Callable[..., Any],
    declared: AppFunctionDeclaration,
    prefix: str | None,
    source: str,
) -> FunctionNames:
    """The names of a declared function.

    Raises:
        AppFunctionDeclarationError: Its name is none that a tool can have.
    """
    inner = innermost(function)
    name = getattr(inner, "__name__", type(inner).__name__)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    function_id = declared.id or f"{module}#{name}"
    try:
        tool_name = tool_name_of(
            f"{module}#{declared.name}" if declared.name else function_id, prefix
        )
    except ValueError as fault:
        raise AppFunctionDeclarationError(f"{source}: {name}: {fault}") from fault
    return FunctionNames(name, function_id, tool_name, module, source)


def names_in(metadata: AppFunctionMetadata) -> FunctionNames:
    """The names that metadata gives a function."""
    tool_name, source = metadata.tool_name, metadata.source
    return FunctionNames(tool_name, metadata.function_id, tool_name, metadata.module, source)


def metadata_of(
    names: FunctionNames,
    declared: AppFunctionDeclaration,
    docstring: ParsedDocstring,
    arguments: ArgumentsSchema,
    response: ResponseSchema,
) -> AppFunctionMetadata:
    """Puts together what is published of a function."""
    possible = ((name, getattr(declared, name)) for name in _ANDROID_ONLY)
    said = {name: value for name, value in possible if value is not None}
    told = dict.fromkeys(said, True)
    if declared.enabled is not ...:
        told["enabled_by_default"] = declared.enabled is not None
    description = declared.description or docstring.description
    deprecated = declared.deprecated
    metadata = AppFunctionMetadata(
        function_id=names.function_id,
        tool_name=names.tool_name,
        description=description or name_in_words(names.name),
        is_described=bool(description),
        parameters=arguments.parameters,
        input_schema=arguments.input_schema,
        response=AppFunctionResponseMetadata(
            response.description or docstring.returns, response.output_schema
        ),
        raises=docstring.raises,
        enabled_by_default=declared.enabled is not False,
        deprecated=docstring.deprecated if deprecated is None else deprecated,
        **{name: getattr(declared, name) for name in _TAKEN_OVER},
        **said,
        told=told,
        module=names.module,
        source=names.source,
    )
    return with_confirmation(metadata)


def with_confirmation(metadata: AppFunctionMetadata) -> AppFunctionMetadata:
    """The metadata with the `confirmation` parameter published, where the function asks.

    Raises:
        AppFunctionDeclarationError: The function has a parameter of that name of its own.
    """
    properties = metadata.input_schema["properties"]
    if not metadata.requires_confirmation or properties.get("confirmation") == CONFIRMATION_SCHEMA:
        return metadata
    if "confirmation" in properties:
        raise _hidden_token(names_in(metadata))
    extended = properties | {"confirmation": CONFIRMATION_SCHEMA}
    return replaced(metadata, input_schema=metadata.input_schema | {"properties": extended})


def require_no_confirmation(names: FunctionNames, arguments: ArgumentsSchema) -> None:
    """Refuses a function that asks for confirmation and has a parameter of that name of its own.

    Raises:
        AppFunctionDeclarationError: It has one.
    """
    if any(prop.name == "confirmation" for prop in arguments.shape.properties):
        raise _hidden_token(names)


def _hidden_token(names: FunctionNames) -> AppFunctionDeclarationError:
    return AppFunctionDeclarationError(
        f"{names.source}: {names.function_id} asks for confirmation, so its parameter "
        "'confirmation' would hide the token of that name; rename the parameter"
    )


def innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside a partial, and inside those in it."""
    while isinstance(function, partial):
        function = function.func
    return function
