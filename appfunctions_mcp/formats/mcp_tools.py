"""Tools as MCP servers list them to metadata: any server's, live or saved in a file.

What a foreign server says is taken as it is; nothing of a schema is judged or mended here.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppFunctionParameterMetadata,
    AppFunctionResponseMetadata,
    JsonSchema,
)
from appfunctions_mcp.names import name_in_words
from appfunctions_mcp.quoting import quoted

__all__ = ["ToolListError", "metadata_of_tool", "metadata_of_tools"]

_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


class ToolListError(AppFunctionsError):
    """What should be a tool, or a list of tools, is something else; says what and where."""


def metadata_of_tools(value: Any) -> tuple[AppFunctionMetadata, ...]:
    """The functions of a list of tools.

    Args:
        value: An array of tools, the result of `tools/list`, or the whole response around it.

    Raises:
        ToolListError: It is none of these, or a tool in it has no name.
    """
    found = value
    for member in ("result", "tools"):
        if isinstance(found, Mapping) and member in found:
            found = found[member]
    if not isinstance(found, list | tuple):
        raise ToolListError(
            f"{_kind_of(value)} is no list of tools; accepted is an array of tools, or an object "
            "whose member 'tools' is one"
        )
    return tuple(metadata_of_tool(tool, f"tool {place}") for place, tool in enumerate(found))


def metadata_of_tool(tool: Any, where: str = "the tool") -> AppFunctionMetadata:
    """The function that a tool stands for.

    Args:
        tool: A tool as in the result of `tools/list`. A schema that is missing, or no object,
            counts as one of no parameters (field case F17).
        where: What messages call the tool before its name is known.

    Raises:
        ToolListError: It is no object, or has no name.
    """
    if not isinstance(tool, Mapping):
        raise ToolListError(f"{where} is {_kind_of(tool)}; accepted is an object")
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        raise ToolListError(
            f"{where} has no name; accepted is a member 'name' that is a string and not empty"
        )
    description = _text(tool.get("description"))
    hints = _object(tool.get("annotations"))
    schema = _object(tool.get("inputSchema", tool.get("input_schema")))
    output = tool.get("outputSchema")
    return AppFunctionMetadata(
        function_id=name,
        tool_name=name,
        description=description or name_in_words(name),
        is_described=bool(description),
        title=_text(tool.get("title")) or _text(hints.get("title")) or None,
        parameters=_parameters_of(schema),
        input_schema=schema or {"type": "object", "properties": {}},
        response=AppFunctionResponseMetadata(schema=output if isinstance(output, dict) else None),
        read_only=_flag(hints.get("readOnlyHint")),
        destructive=_flag(hints.get("destructiveHint")),
        idempotent=_flag(hints.get("idempotentHint")),
        open_world=_flag(hints.get("openWorldHint")),
        source=f"tool {quoted(name)}",
    )


def _parameters_of(schema: JsonSchema) -> tuple[AppFunctionParameterMetadata, ...]:
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return tuple(
        AppFunctionParameterMetadata(
            name=name,
            description=_text(_object(each).get("description")),
            required=name in names,
            schema=_object(each),
        )
        for name, each in _object(schema.get("properties")).items()
    )


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _kind_of(value: Any) -> str:
    return "null" if value is None else _KINDS.get(type(value), "a number")
