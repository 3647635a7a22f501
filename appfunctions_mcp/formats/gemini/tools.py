"""Functions as function declarations of Gemini's generateContent.

A declaration has its schema in one of two members. `parameters` is what is written unless the
other one is asked for: every model that calls functions reads it, on both of Google's services,
and all that it accepts is documented, so that nothing is refused or passed over.
`parametersJsonSchema` is younger; it says what `parameters` cannot, which are maps and choices of
numbers, but the service passes over what it does not know of JSON Schema.
"""

from collections.abc import Sequence
from typing import Any

from appfunctions_mcp.formats.arguments import argument_mapping
from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
from appfunctions_mcp.formats.gemini import SchemaMember
from appfunctions_mcp.formats.gemini_schema import (
    exported_key,
    gemini_json_schema,
    gemini_parameters,
)
from appfunctions_mcp.formats.names import exported_name, exported_names
from appfunctions_mcp.formats.tool_exports import (
    changed_name,
    collected_tools,
    description_within,
    sendable,
)
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["export_tools"]

FORMAT = "gemini"
MOST_DECLARATIONS = 512
MOST_DESCRIBED = 10_000
"""How long a description may be: Gemini documents no limit, this one is for foreign servers."""

NOT_STRICT = (
    "Not strict: Gemini knows no strict tools; the mode VALIDATED of a request holds a model to all"
)


def export_tools(
    functions: Sequence[AppFunctionMetadata],
    *,
    strict: bool | None = None,
    schema_member: SchemaMember = "parameters",
) -> ExportedTools:
    """Functions in Gemini's form.

    That an object takes no other keys cannot be said in `parameters`; the function refuses them.

    Args:
        functions: Their tool names differ from each other.
        strict: Gemini holds a model to schemas by a request's mode, not by its tools; the notes
            say so unless this is False.
        schema_member: Where the schema stands, and so its dialect.

    Raises:
        ExportedNameError: Two functions, or two properties of one object, would have one name.
    """
    names = exported_names(function.tool_name for function in functions)
    tools = [_exported(each, names[each.tool_name], schema_member) for each in functions]
    notes = [NOT_STRICT] if tools and strict is not False else []
    if len(tools) > MOST_DECLARATIONS:
        notes.append(f"{len(tools)} functions; Gemini accepts {MOST_DECLARATIONS} in a request")
    return collected_tools(
        FORMAT, tools, lambda values: [{"functionDeclarations": values}], exported_name, notes
    )


def _exported(
    function: AppFunctionMetadata, name: str, schema_member: SchemaMember
) -> ExportedTool:
    notes = changed_name(function.tool_name, name)
    has_own_schema = schema_member == "parameters"
    write = gemini_parameters if has_own_schema else gemini_json_schema
    schema = write(function.input_schema, notes)
    ways = argument_mapping(
        function.input_schema,
        exported_key=exported_key,
        with_choice_texts=has_own_schema,
        keeps_null_for_default=bool(function.module),
    )
    value: dict[str, Any] = {
        "name": name,
        "description": description_within(function, MOST_DESCRIBED, notes),
        schema_member: schema,
    }
    return ExportedTool(
        name=function.tool_name,
        exported_name=name,
        value=sendable(value),
        restore=ways.restore,
        rewrite=ways.rewrite,
        notes=tuple(notes),
    )
