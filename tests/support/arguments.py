"""Compiles the parameters of functions, and calls their check, without a service."""

from collections.abc import Callable
from typing import Any

import pytest

from appfunctions_mcp.docstrings import parse_docstring
from appfunctions_mcp.exceptions import (
    AppFunctionDeclarationError,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.schema.annotations import read_signature
from appfunctions_mcp.schema.arguments import ArgumentsSchema, build_arguments

SOURCE = "notes.py:7"


def arguments_of(function: Callable[..., Any], **options: Any) -> ArgumentsSchema:
    """The compiled parameters of a function."""
    return build_arguments(
        function,
        signature=read_signature(function, SOURCE),
        docstring=parse_docstring(function.__doc__),
        source=SOURCE,
        **options,
    )


def function_of(annotation: Any, *default: Any) -> Callable[..., Any]:
    """A function of one parameter `x`."""

    def take(x: Any) -> None:
        raise AssertionError(x)

    take.__annotations__["x"] = annotation
    take.__defaults__ = default or None
    return take


def published(annotation: Any, *default: Any, **options: Any) -> JsonSchema:
    """What is published of a parameter of a type, with the `$defs` that it needs."""
    (parameter,) = arguments_of(function_of(annotation, *default), **options).parameters
    return parameter.schema


def received(annotation: Any, sent: Any, *default: Any, **options: Any) -> Any:
    """What a function receives for what an agent sent to a parameter of a type."""
    return arguments_of(function_of(annotation, *default), **options).validate({"x": sent})["x"]


def refusal(annotation: Any, sent: Any, *default: Any, **options: Any) -> str:
    """The message with which a value is refused."""
    with pytest.raises(AppFunctionInvalidArgumentException) as raised:
        received(annotation, sent, *default, **options)
    return raised.value.message


def declaration_fault(function: Callable[..., Any], **options: Any) -> str:
    """The message with which a declaration is refused."""
    with pytest.raises(AppFunctionDeclarationError) as raised:
        arguments_of(function, **options)
    return str(raised.value)
