"""Functions as one provider takes them, with the way back: names and arguments of a call.

Knows no provider; each format makes these records in its own way.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from appfunctions_mcp.records import record

__all__ = ["ExportedTool", "ExportedTools"]

Arguments = Mapping[str, Any]
RestoreArguments = Callable[[Arguments], dict[str, Any]]


@record(frozen=True, slots=True)
class ExportedTool:
    """One function in a provider's form."""

    name: str
    """The function's tool name."""
    exported_name: str
    """Its name at the provider."""
    value: dict[str, Any]
    """The tool as it goes into a request."""
    restore: RestoreArguments
    """A model's arguments → what the function takes: names, choices, nulls that mean 'left out'."""
    rewrite: RestoreArguments
    """The function's arguments → as the provider's schema has them, for histories."""
    is_strict: bool = False
    """Whether the provider holds the model to the schema."""
    notes: tuple[str, ...] = ()
    """What is otherwise than declared, such as why the schema cannot be strict; for people."""


@record(frozen=True, slots=True)
class ExportedTools:
    """All functions of a request, in one provider's form."""

    format: str
    tools: tuple[ExportedTool, ...]
    value: Any
    """The member `tools` of a request; None where there is no tool."""
    rename: Callable[[str], str]
    """The exported name of any name, also of a function that is there no longer."""
    notes: tuple[str, ...] = ()
    """What concerns all of them, such as a number above the provider's limit; for people."""
    by_name: Mapping[str, ExportedTool] = field(default_factory=dict)
    """By the function's tool name."""
    by_exported_name: Mapping[str, ExportedTool] = field(default_factory=dict)
