"""Functions as tools of OpenAI and of those who speak like it, apart from where the parts stand.

Knows no request.
"""

from collections.abc import Callable, Sequence
from typing import Any

from appfunctions_mcp.formats.arguments import argument_mapping
from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
from appfunctions_mcp.formats.names import any_key, exported_name, exported_names
from appfunctions_mcp.formats.openai_strict import lenient_schema, strict_schema
from appfunctions_mcp.formats.tool_exports import description_within, sendable, with_exported_keys
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

__all__ = ["MOST_CHARACTERS", "MOST_TOOLS", "OpenAiDialect", "ToolParts", "export_in"]

MOST_TOOLS = 128
"""How many tools one request may have."""
MOST_CHARACTERS = 1024
"""How long a function's description may be (field case F26)."""


@record(frozen=True, slots=True)
class ToolParts:
    """What a tool is made of."""

    name: str
    description: str
    parameters: JsonSchema
    is_strict: bool


@record(frozen=True, slots=True)
class OpenAiDialect:
    """What differs between those who speak like OpenAI."""

    format: str
    write: Callable[[ToolParts], dict[str, Any]]
    """Puts the parts where the provider has them."""
    most_tools: int | None = MOST_TOOLS
    """How many tools a request may have; None where nobody says."""
    cut_after: int | None = None
    """How often a definition is written out inside itself, where references are not known."""
    not_strict_because: str = ""
    """Why the provider holds no model to a schema; empty where it does."""
    change_schema: Callable[[JsonSchema], JsonSchema] | None = None
    """What is made of a schema that is not strict; None leaves it."""


def export_in(
    dialect: OpenAiDialect,
    functions: Sequence[AppFunctionMetadata],
    *,
    strict: bool | None = None,
) -> ExportedTools:
    """Functions as the tools of a request.

    Args:
        dialect: Whose request.
        functions: Their tool names differ from each other.
        strict: As in `ModelFormat.export_tools`.

    Raises:
        ExportedNameError: Two functions would have one name; names both.
    """
    names = exported_names(function.tool_name for function in functions)
    is_wanted = strict is not False and not dialect.not_strict_because
    tools = tuple(
        _exported(dialect, function, names[function.tool_name], is_wanted=is_wanted)
        for function in functions
    )
    notes = []
    if dialect.most_tools is not None and len(tools) > dialect.most_tools:
        notes.append(
            f"There are {len(tools)} tools, and a request may have {dialect.most_tools}; "
            "offer fewer of them"
        )
    if tools and strict is not False and dialect.not_strict_because:
        notes.append(dialect.not_strict_because)
    return ExportedTools(
        format=dialect.format,
        tools=tools,
        value=[tool.value for tool in tools] or None,
        rename=exported_name,
        notes=tuple(notes),
        by_name={tool.name: tool for tool in tools},
        by_exported_name={tool.exported_name: tool for tool in tools},
    )


def _exported(
    dialect: OpenAiDialect, function: AppFunctionMetadata, name: str, *, is_wanted: bool
) -> ExportedTool:
    notes: list[str] = []
    schema = None
    if is_wanted:
        strict = strict_schema(function.input_schema, cut_after=dialect.cut_after)
        schema = strict.schema
        notes += strict.notes
        notes += [f"Not strict: {reason}" for reason in strict.reasons]
    is_strict = schema is not None
    if schema is None:
        schema = lenient_schema(function.input_schema, cut_after=dialect.cut_after)
        schema = dialect.change_schema(schema) if dialect.change_schema else schema
    schema = with_exported_keys(schema, any_key)
    if is_strict and function.module:
        notes += _hidden_defaults(function)
    description = description_within(function, MOST_CHARACTERS, notes)
    if name != function.tool_name:
        notes.append(f"The provider does not accept the name; it is called {name} there")
    mapping = argument_mapping(
        function.input_schema,
        exported_key=any_key,
        with_nulls=is_strict,
        keeps_null_for_default=bool(function.module),
    )
    return ExportedTool(
        name=function.tool_name,
        exported_name=name,
        value=sendable(dialect.write(ToolParts(name, description, schema, is_strict))),
        restore=mapping.restore,
        rewrite=mapping.rewrite,
        is_strict=is_strict,
        notes=tuple(notes),
    )


def _hidden_defaults(function: AppFunctionMetadata) -> list[str]:
    """What null means for a function of this process beside a default that is published."""
    return [
        f"{quoted(each.name)} is always sent: null asks for its default, or is null where its "
        "declared type admits that"
        for each in function.parameters
        if not each.required and each.schema.get("default") is not None
    ]
