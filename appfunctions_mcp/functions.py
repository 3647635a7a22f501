"""`AppFunction`: a declared Python function, compiled once into validate, call and serialize.

Reflection ends here: what is known of the function stands in its frozen `metadata`, and the
three steps of a call are three methods. Knows nothing of access, state or limits, nor of MCP.
"""

import asyncio
import inspect
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any, Protocol

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import AppFunctionDeclaration, app_function, declaration_of
from appfunctions_mcp.docstrings import ParsedDocstring, parse_docstring
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionException,
)
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppFunctionResponseMetadata,
    OptionalDefaults,
    UnknownArguments,
)
from appfunctions_mcp.names import name_in_words, tool_name_of
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.annotations import read_signature
from appfunctions_mcp.schema.arguments import (
    ArgumentsSchema,
    arguments_from_json_schema,
    build_arguments,
)
from appfunctions_mcp.schema.responses import (
    ResponseSchema,
    build_response,
    response_from_json_schema,
)

__all__ = ["AppFunction", "CallThreads", "app_function", "functions_of_module"]

MetadataCall = Callable[[dict[str, Any], AppFunctionContext], Any]
"""What stands behind a function made from metadata: arguments and context to a JSON value."""

Bind = Callable[[dict[str, Any], AppFunctionContext], Callable[[], Any]]
"""Arguments and context to the call that is ready to be made."""

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
    "access_level",
    "access_level_compat",
    "scope",
    "max_result_bytes",
)
"""What a declaration says and the metadata repeats under the same name."""

CONFIRMATION_SCHEMA = {
    "type": "string",
    "description": "The one-use token that the first, unconfirmed call answers with.",
}


class CallThreads(Protocol):
    """Where plain functions run."""

    async def run(self, function_id: str, call: Callable[[], Any]) -> Any:
        """Runs the call in a worker thread and returns what it returned."""


class AppFunction:
    """One function that agents may call.

    `metadata` says everything that is published of it; `warnings` is what its author should
    know. Made by `from_function` or `from_metadata`.
    """

    def __init__(
        self,
        metadata: AppFunctionMetadata,
        arguments: ArgumentsSchema,
        response: ResponseSchema,
        bind: Bind,
        *,
        is_async: bool,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.metadata = metadata
        self.warnings = warnings
        self._arguments = arguments
        self._response = response
        self._bind = bind
        self._is_async = is_async

    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        prefix: str | None = None,
        optional_defaults: OptionalDefaults = "type",
        unknown_arguments: UnknownArguments = "refuse",
    ) -> "AppFunction":
        """Reads a Python function once and compiles its schema, validator and serializer.

        Args:
            function: A declared function, a bound method, a partial or a callable object.
            prefix: Put before the tool's name, `<prefix>_<function>`.
            optional_defaults: The rule for optional parameters, unless the declaration has one.
            unknown_arguments: What happens to arguments that are not declared.

        Returns:
            The compiled function.

        Raises:
            AppFunctionDeclarationError: It cannot be served as it is declared; the text names
                file, function, parameter and type.
        """
        declared = declaration_of(function) or AppFunctionDeclaration()
        source = source_of(function)
        _require_one_answer(function, source)
        signature = read_signature(function, source)
        docstring = parse_docstring(_docstring_of(function))
        arguments = build_arguments(
            function,
            signature=signature,
            docstring=docstring,
            optional_defaults=declared.optional_defaults or optional_defaults,
            unknown_arguments=unknown_arguments,
            source=source,
        )
        response = build_response(signature.return_annotation, docstring=docstring, source=source)
        metadata = _metadata_of(function, declared, docstring, arguments, response, prefix, source)
        warnings = (*arguments.warnings, *response.warnings)
        if not (docstring.description or declared.description):
            warnings += (f"{source}: {metadata.tool_name} has no description; write a docstring",)
        return cls(
            with_confirmation(metadata),
            arguments,
            response,
            _binder(function, signature.context_parameter),
            is_async=_is_async(function),
            warnings=warnings,
        )

    @classmethod
    def from_metadata(cls, metadata: AppFunctionMetadata, call: MetadataCall) -> "AppFunction":
        """Makes a function of a ready schema, as bridges and proxies have one.

        Args:
            metadata: What is published; its input schema is used as it stands.
            call: Gets the arguments as JSON values and the context; returns a JSON value, or an
                awaitable of one.

        Returns:
            The function.

        Raises:
            AppFunctionDeclarationError: The input schema is not one of an object.
        """
        arguments = arguments_from_json_schema(metadata.input_schema, metadata.source)
        response = response_from_json_schema(metadata.response.schema)
        return cls(
            with_confirmation(metadata),
            arguments,
            response,
            lambda given, context: partial(call, given, context),
            is_async=_is_async(call),
        )

    def validate(
        self, parameters: Mapping[str, Any], dropped: list[str] | None = None
    ) -> dict[str, Any]:
        """Checks the raw arguments of a call and makes Python values of them.

        Args:
            parameters: JSON values by parameter name; not changed.
            dropped: Gets the names of arguments that were left out.

        Returns:
            Keyword arguments for the function, without its context.

        Raises:
            AppFunctionInvalidArgumentException: Names every fault: path, what came and what is
                accepted.
        """
        return self._arguments.validate(parameters, dropped)

    async def call(
        self, arguments: dict[str, Any], context: AppFunctionContext, threads: CallThreads
    ) -> object:
        """Calls the Python function: on the event loop if it is async, else in a thread.

        Args:
            arguments: What `validate` returned.
            context: The call's context.
            threads: Where a plain function runs.

        Returns:
            What the function returned.

        Raises:
            AppFunctionException: As the function raised it, with the recovery line of its
                docstring.
            AppFunctionAppUnknownException: The function raised anything else; the cause is kept
                for the log, and only an error id goes out.
        """
        bound = self._bind(arguments, context)
        try:
            if self._is_async or self.metadata.thread == "main":
                result = bound()
            else:
                result = await _run_in_thread(threads, self.metadata.function_id, bound)
            return await result if inspect.isawaitable(result) else result
        except AppFunctionException as raised:
            recovery = self._recovery_of(raised)
            if raised.recovery or not recovery:
                raise
            raise raised.restated(recovery=recovery) from raised
        except asyncio.CancelledError:
            raise
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as crash:
            raise crashed() from crash

    def serialize(self, value: object) -> ExecuteAppFunctionResponse:
        """Checks what the function returned and makes JSON, text and media of it.

        Raises:
            AppFunctionAppUnknownException: The value does not fit the declared type.
            AppFunctionInvalidArgumentException: The value is nested too deeply.
        """
        return self._response.serialize(value)

    def with_metadata(self, metadata: AppFunctionMetadata) -> "AppFunction":
        """The same function under other metadata, as the metadata XML may ask for."""
        return AppFunction(
            with_confirmation(metadata),
            self._arguments,
            self._response,
            self._bind,
            is_async=self._is_async,
            warnings=self.warnings,
        )

    def _recovery_of(self, raised: AppFunctionException) -> str | None:
        """The `Raises:` text of the class that was raised, or of its nearest ancestor."""
        names = (c.__name__ for c in type(raised).__mro__)
        return next((self.metadata.raises[n] for n in names if self.metadata.raises.get(n)), None)


def crashed() -> AppFunctionAppUnknownException:
    """What goes out for a crash: an error id that the log has too, and nothing of the crash."""
    error_id = uuid.uuid4().hex[:12]
    return AppFunctionAppUnknownException(
        f"the function failed unexpectedly (error id {error_id})", extras={"error_id": error_id}
    )


async def _run_in_thread(threads: CallThreads, function_id: str, call: Callable[[], Any]) -> object:
    """Runs a plain function in a thread; whatever it raises is raised here, on the loop."""

    def outcome() -> tuple[Any, BaseException | None]:
        try:
            return call(), None
        except BaseException as raised:  # noqa: BLE001 - no exception may kill a worker thread; it is raised on the loop
            return None, raised

    value, raised = await threads.run(function_id, outcome)
    if raised is not None:
        raise raised
    return value


def functions_of_module(module: ModuleType) -> list[Callable[..., Any]]:
    """The declared functions that a module itself defines, in the order of their definition."""
    found: dict[int, Callable[..., Any]] = {}
    for value in vars(module).values():
        if declaration_of(value) and getattr(value, "__module__", None) == module.__name__:
            found.setdefault(id(value), value)
    return list(found.values())


def source_of(function: Callable[..., Any]) -> str:
    """`FILE:LINE` of a function's definition, the callable's name where there is no file."""
    inner = inspect.unwrap(_innermost(function))
    code = getattr(inner, "__code__", None)
    if code is None:
        return repr(getattr(inner, "__qualname__", type(inner).__qualname__))
    return f"{code.co_filename}:{code.co_firstlineno}"


def with_confirmation(metadata: AppFunctionMetadata) -> AppFunctionMetadata:
    """The metadata with the `confirmation` parameter published, where the function asks.

    Raises:
        AppFunctionDeclarationError: The function has a parameter of that name of its own.
    """
    properties = metadata.input_schema["properties"]
    if not metadata.requires_confirmation or properties.get("confirmation") == CONFIRMATION_SCHEMA:
        return metadata
    if "confirmation" in properties:
        raise AppFunctionDeclarationError(
            f"{metadata.source}: {metadata.function_id} asks for confirmation, so its parameter "
            "'confirmation' would hide the token of that name; rename the parameter"
        )
    extended = properties | {"confirmation": CONFIRMATION_SCHEMA}
    return replace(metadata, input_schema=metadata.input_schema | {"properties": extended})


def _metadata_of(
    function: Callable[..., Any],
    declared: AppFunctionDeclaration,
    docstring: ParsedDocstring,
    arguments: ArgumentsSchema,
    response: ResponseSchema,
    prefix: str | None,
    source: str,
) -> AppFunctionMetadata:
    inner = _innermost(function)
    name = getattr(inner, "__name__", type(inner).__name__)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    function_id = declared.id or f"{module}#{name}"
    try:
        tool_name = tool_name_of(
            f"{module}#{declared.name}" if declared.name else function_id, prefix
        )
    except ValueError as fault:
        raise AppFunctionDeclarationError(f"{source}: {name}: {fault}") from fault
    return AppFunctionMetadata(
        function_id=function_id,
        tool_name=tool_name,
        description=declared.description or docstring.description or name_in_words(name),
        parameters=arguments.parameters,
        input_schema=arguments.input_schema,
        response=AppFunctionResponseMetadata(docstring.returns, response.output_schema),
        raises=docstring.raises,
        enabled_by_default=declared.enabled,
        deprecated=declared.deprecated or docstring.deprecated,
        **{name: getattr(declared, name) for name in _TAKEN_OVER},
        module=module,
        source=source,
    )


def _binder(function: Callable[..., Any], context_parameter: str | None) -> Bind:
    if context_parameter is None:
        return lambda arguments, _: partial(function, **arguments)
    return lambda arguments, context: partial(function, **arguments, **{context_parameter: context})


def _require_one_answer(function: Callable[..., Any], source: str) -> None:
    inner = inspect.unwrap(_innermost(function))
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise AppFunctionDeclarationError(
            f"{source}: {inner.__name__} is a generator, but a call has one answer; "
            "return a list, and use context.report_progress on the way"
        )


def _innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, partial):
        function = function.func
    return function


def _docstring_of(function: Callable[..., Any]) -> str | None:
    """The function's own docstring; a partial's and a callable object's is that of the inner."""
    inner = _innermost(function)
    if inspect.isroutine(inner) or inspect.isclass(inner):
        return inner.__doc__
    return type(inner).__call__.__doc__ or inner.__doc__


def _is_async(function: Callable[..., Any]) -> bool:
    inner = inspect.unwrap(_innermost(function))
    call = inner if inspect.isroutine(inner) else type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(call)
