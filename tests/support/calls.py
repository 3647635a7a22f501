"""Calls declared functions through the in-memory client: what a test sees is what clients see."""

from collections.abc import Callable, Mapping
from typing import Any

from mcp_types import CallToolResult

from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.testing import connect

Function = Callable[..., Any]
INVALID = "AppFunctionInvalidArgumentException: "


def make_service(*functions: Function, **options: Any) -> AppFunctionService:
    """A service of the functions; options are those of `AppFunctionService.from_functions`."""
    return AppFunctionService.from_functions(
        functions, **{"name": "cases", "description": "Serves tests.", **options}
    )


async def call(
    function: Function, arguments: Mapping[str, Any] | None = None, **options: Any
) -> CallToolResult:
    """Serves one function, calls it and returns the result."""
    service = make_service(function, **options)
    name = next(iter(service.registry)).metadata.tool_name
    async with connect(service) as client:
        return await client.call_tool(name, dict(arguments or {}))


async def value_of(
    function: Function, arguments: Mapping[str, Any] | None = None, **options: Any
) -> Any:
    """What a call returned: the value under `result`, the object, or the text alone."""
    return returned(await call(function, arguments, **options))


async def refusal_of(
    function: Function, arguments: Mapping[str, Any] | None = None, **options: Any
) -> str:
    """The text that an agent reads when a call is refused or fails."""
    return refusal(await call(function, arguments, **options))


def returned(result: CallToolResult) -> Any:
    """The value of a result that is no error."""
    assert result.is_error is False, text_of(result)
    structured = result.structured_content
    if structured is None:
        return text_of(result)
    return structured["result"] if set(structured) == {"result"} else structured


def refusal(result: CallToolResult) -> str:
    """The text of a result that is an error, which never has structured content."""
    assert result.is_error is True, result
    assert result.structured_content is None
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    """The text blocks of a result, a line each."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def error_record(result: CallToolResult) -> dict[str, Any]:
    """The error record beside the text of a failed call."""
    assert result.meta is not None
    record = result.meta["appfunctions/error"]
    assert isinstance(record, dict)
    return record


async def listed_tools(service: AppFunctionService) -> dict[str, dict[str, Any]]:
    """The tools as they go over the wire, by name."""
    async with connect(service) as client:
        listed = await client.list_tools()
    return {
        tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        for tool in listed.tools
    }


async def tool_of(function: Function, **options: Any) -> dict[str, Any]:
    """The one tool that is published of a function."""
    (tool,) = (await listed_tools(make_service(function, **options))).values()
    return tool


async def input_schema_of(function: Function, **options: Any) -> dict[str, Any]:
    """The published schema of a function's arguments."""
    schema = (await tool_of(function, **options))["inputSchema"]
    assert isinstance(schema, dict)
    return schema


async def properties_of(function: Function, **options: Any) -> dict[str, Any]:
    """The published properties of a function's arguments."""
    properties = (await input_schema_of(function, **options))["properties"]
    assert isinstance(properties, dict)
    return properties
