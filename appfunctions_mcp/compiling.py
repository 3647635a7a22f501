"""From declared Python functions to what an app serves: functions, resources and prompts.

All faults of all of them come in one report. Knows nothing of modules or execution.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.declaration import (
    PROMPT_ATTRIBUTE,
    RESOURCE_ATTRIBUTE,
    declaration_of,
    is_declared,
)
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.metadata import AppMetadata, OptionalDefaults
from appfunctions_mcp.records import record

if TYPE_CHECKING:
    from appfunctions_mcp.prompts import AppPrompt
    from appfunctions_mcp.resources import AppResource


@record(slots=True)
class Compiled:
    """What an app serves, each kind in the order of declaration."""

    functions: "list[AppFunction]" = field(default_factory=list)
    resources: "list[AppResource]" = field(default_factory=list)
    prompts: "list[AppPrompt]" = field(default_factory=list)


def compile_declared(
    found: Sequence[Callable[..., Any]],
    metadata: AppMetadata,
    *,
    prefix: str | None = None,
    optional_defaults: OptionalDefaults | None = None,
) -> Compiled:
    """Compiles whatever Python functions are declared as, under an app's rules.

    Args:
        found: Declared functions, resources and prompts; what is not declared is a function.
        metadata: The app.
        prefix: Put before the names of functions and prompts.
        optional_defaults: The rule for optional parameters, unless the app's holds.

    Raises:
        AppFunctionDeclarationError: Names every fault of every one.
    """
    compiled = Compiled()
    faults: list[str] = []
    optional = optional_defaults or metadata.optional_defaults
    for each in found:
        for kind, compile_one in _compilers(each, metadata, prefix, optional):
            try:
                kind(compiled).append(compile_one(each))
            except AppFunctionDeclarationError as fault:
                faults += fault.faults
    if faults:
        raise AppFunctionDeclarationError(faults)
    return compiled


def _compilers(
    declared: Callable[..., Any],
    metadata: AppMetadata,
    prefix: str | None,
    optional_defaults: OptionalDefaults,
) -> list[tuple[Callable[[Compiled], list[Any]], Callable[[Any], Any]]]:
    """How to compile a Python function as each thing that it is declared as, and where to."""
    compilers: list[tuple[Callable[[Compiled], list[Any]], Callable[[Any], Any]]] = []
    compile_each: Callable[[Any], Any]
    if declaration_of(declared) or not is_declared(declared):
        compile_each = partial(
            AppFunction.from_function,
            prefix=prefix,
            optional_defaults=optional_defaults,
            unknown_arguments=metadata.unknown_arguments,
        )
        compilers.append((lambda c: c.functions, compile_each))
    if getattr(declared, RESOURCE_ATTRIBUTE, None) is not None:
        compile_each = partial(compile_resource, optional_defaults=optional_defaults)
        compilers.append((lambda c: c.resources, compile_each))
    if getattr(declared, PROMPT_ATTRIBUTE, None) is not None:
        compile_each = partial(
            compile_prompt, metadata=metadata, prefix=prefix, optional_defaults=optional_defaults
        )
        compilers.append((lambda c: c.prompts, compile_each))
    return compilers


def compile_resource(
    declared: Callable[..., Any], *, optional_defaults: OptionalDefaults
) -> "AppResource":
    """Compiles one resource.

    Raises:
        AppFunctionDeclarationError: It cannot be served.
    """
    from appfunctions_mcp.resources import AppResource

    return AppResource.from_function(declared, optional_defaults=optional_defaults)


def compile_prompt(
    declared: Callable[..., Any],
    *,
    metadata: AppMetadata,
    prefix: str | None = None,
    optional_defaults: OptionalDefaults | None = None,
) -> "AppPrompt":
    """Compiles one prompt.

    Raises:
        AppFunctionDeclarationError: It cannot be served.
    """
    from appfunctions_mcp.prompts import AppPrompt

    return AppPrompt.from_function(
        declared,
        prefix=prefix,
        optional_defaults=optional_defaults or metadata.optional_defaults,
        unknown_arguments=metadata.unknown_arguments,
    )
