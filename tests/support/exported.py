"""What the tests of all formats export: the corpus, the sample app, single functions."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.formats.schema_trees import plain_schema
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.service import load_service
from appfunctions_mcp.testing import connect
from tests.support.calls import make_service, returned
from tests.support.corpus import corpus

PROJECT = Path(__file__).resolve().parents[2]


def tool_of(schema: Any, name: str = "take", description: str = "Takes.") -> AppFunctionMetadata:
    """A foreign tool with a schema."""
    (function,) = metadata_of_tools(
        [{"name": name, "description": description, "inputSchema": schema}]
    )
    return function


def corpus_functions() -> dict[str, tuple[AppFunctionMetadata, ...]]:
    """The tools of every file of the corpus, by the file's name."""
    files = sorted(corpus("tools").glob("*.json"))
    assert files
    return {
        file.name: metadata_of_tools(json.loads(file.read_text(encoding="utf-8"))) for file in files
    }


def sample_functions() -> tuple[AppFunctionMetadata, ...]:
    """The functions of the sample app."""
    service = load_service(PROJECT / "metadata" / "app_metadata.xml")
    return functions_of(service)


def functions_of(service: Any) -> tuple[AppFunctionMetadata, ...]:
    """What a service tells of its functions."""
    return tuple(function.metadata for function in service.registry)


def sample_of(part: dict[str, Any]) -> Any:
    """A value by a plain schema: every property, the last choice, the first alternative."""
    if "anyOf" in part:
        return sample_of(part["anyOf"][0])
    if "enum" in part:
        return part["enum"][-1]
    kind = part["type"][0] if isinstance(part["type"], list) else part["type"]
    if kind == "object":
        return {name: sample_of(own) for name, own in part.get("properties", {}).items()}
    if kind == "array":
        return [sample_of(part["items"])]
    return {"string": "a", "integer": 1, "number": 1.5, "boolean": True, "null": None}[kind]


def assert_arguments_come_back(
    functions: Sequence[AppFunctionMetadata], tools: ExportedTools
) -> None:
    """Arguments for each function go out under the exported names, and come back equal."""
    for function in functions:
        tool = tools.by_name[function.tool_name]
        arguments = sample_of(plain_schema(function.input_schema, cut_after=1))
        assert tool.restore(tool.rewrite(arguments)) == arguments


def recorded_tools(*hosts: str) -> list[Any]:
    """The member `tools` of every recorded request to some hosts."""
    files = sorted(corpus("messages").glob("*.json"))
    exchanges = [each for file in files for each in json.loads(file.read_text(encoding="utf-8"))]
    return [
        exchange["request"]["tools"]
        for exchange in exchanges
        if any(host in exchange["uri"] for host in hosts) and "tools" in exchange["request"]
    ]


async def called(
    function: Callable[..., Any],
    export: Callable[[tuple[AppFunctionMetadata, ...]], ExportedTools],
    arguments: Mapping[str, Any],
) -> Any:
    """What a function of a real service returns for arguments as a model writes them."""
    service = make_service(function)
    (tool,) = export(functions_of(service)).tools
    async with connect(service) as client:
        return returned(await client.call_tool(tool.name, tool.restore(arguments)))
