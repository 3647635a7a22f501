"""`AppFunction`: a declared Python function, compiled once into validate, call and serialize.

Reflection ends here: what is known of the function stands in its frozen `metadata`, and the
three steps of a call are three methods. Knows nothing of access, state or limits, nor of MCP.
"""

import inspect
import uuid
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from types import ModuleType
from typing import Any

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import (
    AppFunctionDeclaration,
    app_function,
    declaration_of,
    is_declared,
)
from appfunctions_mcp.docstring_checks import doubts
from appfunctions_mcp.docstrings import ParsedDocstring, docstring_later
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionDeclarationError,
    AppFunctionException,
    answer_in,
)
from appfunctions_mcp.function_metadata import (
    FunctionNames,
    innermost,
    metadata_of,
    names_in,
    names_of,
    require_no_confirmation,
    with_confirmation,
)
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    OptionalDefaults,
    UnknownArguments,
)
from appfunctions_mcp.outcomes import BoundCall, Outcome, outcome_of
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.annotations import Signature, read_signature
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

__all__ = ["AppFunction", "app_function", "functions_of_module"]

MetadataCall = Callable[[dict[str, Any], AppFunctionContext], Any]
"""What stands behind a function made from metadata: arguments and context to a JSON value."""

Bind = Callable[[dict[str, Any], AppFunctionContext], Callable[[], Any]]
"""Arguments and context to the call that is ready to be made."""


class AppFunction:
    """One function that agents may call.

    `names` says how it is called, which is known before anything else of it is read. Made by
    `from_function` or `from_metadata`.
    """

    def __init__(
        self,
        describe: Callable[[], AppFunctionMetadata],
        arguments: ArgumentsSchema,
        response: ResponseSchema,
        bind: Bind,
        *,
        names: FunctionNames,
        is_async: bool,
        takes_context: bool = True,
        warnings: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self.names = names
        self._describe = describe
        self._warnings = warnings
        self.arguments = arguments
        self.response = response
        self._bind = bind
        self._is_async = is_async
        self.takes_context = takes_context

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
        read = read_function(
            function,
            optional_defaults=declared.optional_defaults or optional_defaults,
            unknown_arguments=unknown_arguments,
        )
        source, signature, docstring = read.source, read.signature, read.docstring
        arguments = read.arguments
        response = build_response(signature.return_annotation, docstring=docstring, source=source)
        names = names_of(function, declared, prefix, source)
        if declared.requires_confirmation:
            require_no_confirmation(names, arguments)
        return cls(
            lambda: metadata_of(names, declared, docstring, arguments, response),
            arguments,
            response,
            read.bind,
            names=names,
            is_async=read.is_async,
            takes_context=signature.context_parameter is not None,
            warnings=lambda: (
                *arguments.warnings,
                *response.warnings,
                *doubts(function, names, declared.description, docstring),
            ),
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
        confirmed = with_confirmation(metadata)
        return cls(
            lambda: confirmed,
            arguments,
            response,
            lambda given, context: partial(call, given, context),
            names=names_in(metadata),
            is_async=_is_async(call),
        )

    @cached_property
    def metadata(self) -> AppFunctionMetadata:
        """Everything that is published of the function."""
        return self._describe()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What its author should know."""
        return self._warnings()

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
            AppFunctionAppUnknownException: A validator of the author's own crashed.
        """
        try:
            return self.arguments.validate(parameters, dropped)
        except AppFunctionException:
            raise
        except Exception as crash:
            raise crashed() from crash

    @cached_property
    def runs_in_thread(self) -> bool:
        """Whether it is a plain function that may block, and so is called in a thread."""
        return not self._is_async and self.metadata.thread != "main"

    def bound(self, arguments: dict[str, Any], context: AppFunctionContext) -> BoundCall:
        """The call of the Python function, ready to be made.

        Args:
            arguments: What `validate` returned.
            context: The call's context.

        Returns:
            What calls it once and returns its outcome, an awaitable where there is more to wait
            for. Nothing that the function raises gets out.
        """
        return partial(outcome_of, self._bind(arguments, context))

    def result_of(self, outcome: Outcome) -> object:
        """What the function returned.

        Raises:
            AppFunctionException: As the function raised it, with the recovery line of its
                docstring.
            AppFunctionAppUnknownException: The function raised anything else; the cause is kept
                for the log, and only an error id goes out.
        """
        value, raised = outcome
        if raised is None:
            return value
        answer = answer_in(raised)
        if answer is None:
            raise crashed() from raised
        if answer.refusal is not None:
            # What it called was refused; it has begun itself.
            answer = answer.restated()
            answer.refusal = None
        recovery = self._recovery_of(answer)
        if answer.recovery or not recovery:
            raise answer
        raise answer.restated(recovery=recovery) from raised

    def serialize(self, value: object) -> ExecuteAppFunctionResponse:
        """Checks what the function returned and makes JSON, text and media of it.

        Raises:
            AppFunctionAppUnknownException: The value does not fit the declared type.
            AppFunctionInvalidArgumentException: The value is nested too deeply.
        """
        try:
            return self.response.serialize(value)
        except AppFunctionException:
            raise
        except Exception as crash:
            raise crashed() from crash

    def with_metadata(self, metadata: AppFunctionMetadata) -> "AppFunction":
        """The same function under other metadata, as the metadata XML may ask for."""
        confirmed = with_confirmation(metadata)
        return AppFunction(
            lambda: confirmed,
            self.arguments,
            self.response,
            self._bind,
            names=names_in(metadata),
            is_async=self._is_async,
            takes_context=self.takes_context,
            warnings=self._warnings,
        )

    def with_body(self, call: MetadataCall) -> "AppFunction":
        """The same function, checked as it is, with another body behind it.

        Args:
            call: Gets the checked arguments and the context; returns what the function returns,
                or an awaitable of it.
        """
        return AppFunction(
            lambda: self.metadata,
            self.arguments,
            self.response,
            lambda given, context: partial(call, given, context),
            names=self.names,
            is_async=_is_async(call),
        )

    @property
    def hands_out(self) -> bool:
        """Whether results may hold links that only their caller may use."""
        return self.response.hands_out

    def _recovery_of(self, raised: AppFunctionException) -> str | None:
        """The `Raises:` text of the class that was raised, or of its nearest ancestor."""
        names = (c.__name__ for c in type(raised).__mro__)
        return next((self.metadata.raises[n] for n in names if self.metadata.raises.get(n)), None)


@record(frozen=True, slots=True)
class ReadFunction:
    """A Python function as far as all that is declared with one is alike."""

    source: str
    """`FILE:LINE` of the definition."""
    signature: Signature
    docstring: ParsedDocstring
    arguments: ArgumentsSchema
    bind: Bind
    is_async: bool


def read_function(
    function: Callable[..., Any],
    *,
    optional_defaults: OptionalDefaults = "type",
    unknown_arguments: UnknownArguments = "refuse",
) -> ReadFunction:
    """Reads a function's signature and docstring, and compiles the check of its arguments.

    Raises:
        AppFunctionDeclarationError: Names every parameter that cannot be served.
    """
    source = source_of(function)
    _require_one_answer(function, source)
    signature = read_signature(function, source)
    docstring = docstring_later(_docstring_of(function))
    arguments = build_arguments(
        function,
        signature=signature,
        docstring=docstring,
        optional_defaults=optional_defaults,
        unknown_arguments=unknown_arguments,
        source=source,
    )
    bind = _binder(function, signature.context_parameter)
    return ReadFunction(source, signature, docstring, arguments, bind, _is_async(function))


def crashed() -> AppFunctionAppUnknownException:
    """What goes out for a crash: an error id that the log has too, and nothing of the crash."""
    error_id = uuid.uuid4().hex[:12]
    return AppFunctionAppUnknownException(
        f"the function failed unexpectedly (error id {error_id})", extras={"error_id": error_id}
    )


def functions_of_module(module: ModuleType) -> list[Callable[..., Any]]:
    """What a module itself declares, in the order of definition: functions, resources, prompts."""
    found: dict[int, Callable[..., Any]] = {}
    for value in vars(module).values():
        if is_declared(value) and getattr(value, "__module__", None) == module.__name__:
            found.setdefault(id(value), value)
    return list(found.values())


def source_of(function: Callable[..., Any]) -> str:
    """`FILE:LINE` of a function's definition, the callable's name where there is no file."""
    inner = inspect.unwrap(innermost(function))
    code = getattr(inner, "__code__", None)
    if code is None:
        return repr(getattr(inner, "__qualname__", type(inner).__qualname__))
    return f"{code.co_filename}:{code.co_firstlineno}"


def _binder(function: Callable[..., Any], context_parameter: str | None) -> Bind:
    if context_parameter is None:
        return lambda arguments, _: partial(function, **arguments)
    return lambda arguments, context: partial(function, **arguments, **{context_parameter: context})


def _require_one_answer(function: Callable[..., Any], source: str) -> None:
    inner = inspect.unwrap(innermost(function))
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise AppFunctionDeclarationError(
            f"{source}: {inner.__name__} is a generator, but a call has one answer; "
            "return a list, and use context.report_progress on the way"
        )


def _docstring_of(function: Callable[..., Any]) -> str | None:
    """The function's own docstring; a partial's and a callable object's is that of the inner."""
    inner = innermost(function)
    if inspect.isroutine(inner) or inspect.isclass(inner):
        return inner.__doc__
    return type(inner).__call__.__doc__ or inner.__doc__


def _is_async(function: Callable[..., Any]) -> bool:
    inner = inspect.unwrap(innermost(function))
    call = inner if inspect.isroutine(inner) else type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(call)
