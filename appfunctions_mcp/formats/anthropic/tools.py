"""Functions as tools of Anthropic's Messages.

Of the strict tools of a request there may be 20, with 24 parameters in all that are not required
and 16 unions; functions have them in their order, and whichever does not fit is not strict.
Knows nothing of histories.
"""

from collections.abc import Sequence
from typing import Any

from appfunctions_mcp.formats.anthropic_schema import (
    StrictSchema,
    anthropic_schema,
    exported_key,
    strict_schema,
)
from appfunctions_mcp.formats.arguments import argument_mapping
from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
from appfunctions_mcp.formats.names import exported_name, exported_names
from appfunctions_mcp.formats.tool_exports import (
    changed_name,
    collected_tools,
    description_within,
    sendable,
)
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["export_tools"]

FORMAT = "anthropic"
MOST_STRICT_TOOLS = 20
MOST_OPTIONAL_PARAMETERS = 24
MOST_UNIONS = 16
MOST_DESCRIBED = 10_000
"""How long a description may be: Anthropic documents no limit, this one is for foreign servers."""


def export_tools(
    functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
) -> ExportedTools:
    """Functions in Anthropic's form.

    Args:
        functions: Their tool names differ from each other.
        strict: None or True: strict wherever the schema and the limits of a request allow it;
            a tool's notes say why it is not. False: no tool is.

    Raises:
        ExportedNameError: Two functions, or two properties of one object, would have one name.
    """
    names = exported_names(function.tool_name for function in functions)
    room = _StrictRoom()
    tools = [
        _exported(function, names[function.tool_name], room if strict is not False else None)
        for function in functions
    ]
    return collected_tools(FORMAT, tools, list, exported_name)


def _exported(function: AppFunctionMetadata, name: str, room: "_StrictRoom | None") -> ExportedTool:
    notes = changed_name(function.tool_name, name)
    schema = anthropic_schema(function.input_schema, notes)
    is_strict = False
    if room is not None:
        strict = strict_schema(schema)
        reason = strict if isinstance(strict, str) else room.taken_by(strict)
        if isinstance(strict, StrictSchema) and not reason:
            schema, is_strict = strict.schema, True
            notes += strict.notes
        else:
            notes.append(f"Not strict: {reason}")
    ways = argument_mapping(
        function.input_schema,
        exported_key=exported_key,
        keeps_null_for_default=bool(function.module),
    )
    value: dict[str, Any] = {
        "name": name,
        "description": description_within(function, MOST_DESCRIBED, notes),
        "input_schema": schema,
    }
    return ExportedTool(
        name=function.tool_name,
        exported_name=name,
        value=sendable({**value, "strict": True} if is_strict else value),
        restore=ways.restore,
        rewrite=ways.rewrite,
        is_strict=is_strict,
        notes=tuple(notes),
    )


class _StrictRoom:
    """What of the limits of a request is left for strict tools."""

    def __init__(self) -> None:
        self._tools = MOST_STRICT_TOOLS
        self._optional = MOST_OPTIONAL_PARAMETERS
        self._unions = MOST_UNIONS

    def taken_by(self, schema: StrictSchema) -> str:
        """Takes what a schema needs; where it is not there, says what, and takes nothing."""
        if not self._tools:
            return f"a request has at most {MOST_STRICT_TOOLS} strict tools"
        if schema.optional_parameters > self._optional:
            return (
                f"the strict tools of a request have at most {MOST_OPTIONAL_PARAMETERS} "
                "parameters that are not required"
            )
        if schema.unions > self._unions:
            return f"the strict tools of a request have at most {MOST_UNIONS} unions"
        self._tools -= 1
        self._optional -= schema.optional_parameters
        self._unions -= schema.unions
        return ""
