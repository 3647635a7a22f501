"""The function behind a resource or a prompt: called like those that agents call.

Knows nothing of addresses or messages.
"""

from collections.abc import Callable
from typing import Any, Protocol

from appfunctions_mcp.docstring_checks import doubts
from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.function_metadata import FunctionNames
from appfunctions_mcp.functions import AppFunction, ReadFunction
from appfunctions_mcp.metadata import Access, AppFunctionMetadata
from appfunctions_mcp.names import name_in_words
from appfunctions_mcp.schema.responses import ResponseSchema, response_from_json_schema


class OfferDeclaration(Protocol):
    """What the declarations of resources and prompts have in common."""

    @property
    def title(self) -> str | None:
        """What a person reads instead of the name."""

    @property
    def description(self) -> str | None:
        """Said instead of the docstring."""

    @property
    def access(self) -> Access | None:
        """Who may use it."""

    @property
    def timeout_seconds(self) -> float | None:
        """Its own deadline."""


def description_of(
    declared: OfferDeclaration, docstring: ParsedDocstring, names: FunctionNames
) -> str:
    """What is said of it: as declared, by the docstring, or the name in words."""
    return declared.description or docstring.description or name_in_words(names.name)


def offered_function(
    function: Callable[..., Any],
    read: ReadFunction,
    declared: OfferDeclaration,
    names: FunctionNames,
    *,
    response: ResponseSchema | None = None,
    max_result_bytes: int | None = None,
) -> AppFunction:
    """Makes the function that a resource or a prompt calls.

    Args:
        function: What its author wrote.
        read: What was read of it.
        declared: How it is offered.
        names: How it is called.
        response: Serialises results; as they come where left out.
        max_result_bytes: How large a result may be; the app's limit where left out.
    """
    arguments = read.arguments
    return AppFunction(
        lambda: AppFunctionMetadata(
            function_id=names.function_id,
            tool_name=names.tool_name,
            title=declared.title,
            description=description_of(declared, read.docstring, names),
            parameters=arguments.parameters,
            input_schema=arguments.input_schema,
            raises=read.docstring.raises,
            access=declared.access,
            timeout_seconds=declared.timeout_seconds,
            max_result_bytes=max_result_bytes,
            module=names.module,
            source=names.source,
        ),
        arguments,
        response or response_from_json_schema(None),
        read.bind,
        names=names,
        is_async=read.is_async,
        takes_context=read.signature.context_parameter is not None,
        warnings=lambda: (
            *arguments.warnings,
            *doubts(function, names, declared.description, read.docstring),
        ),
    )
