"""Mistral's documented rules for the tools of a request: those of Chat Completions, for functions.

References are refused besides, since its documents show none in the parameters of a function.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.openai_chat.tool_rules import (
    Places,
    function_violations,
    functions_in,
    inner_function,
)
from appfunctions_mcp.formats.schema_rules import schema_parts
from appfunctions_mcp.formats.tool_name_rules import repeated_names
from appfunctions_mcp.quoting import quoted

__all__ = ["reference_violations", "tool_violations"]


def tool_violations(tools: Any) -> list[Violation]:
    """Checks the member `tools` of a request; None is a request without tools.

    Args:
        tools: The value of the member, as it would be sent.
    """
    found: list[Violation] = []
    functions: Places = []
    for path, tool in functions_in(tools, found):
        # The type may be left out; tools that Mistral itself runs have another one.
        if tool.get("type") not in {None, "function"}:
            continue
        functions += inner_function(tool, path, found)
    for path, function in functions:
        if not isinstance(function.get("parameters"), Mapping):
            text = "There are no parameters; a function without any has a schema of none"
            found.append(Violation(f"{path}/parameters", "parameters-missing", text))
        found += function_violations(function, path)
        found += reference_violations(function.get("parameters"), f"{path}/parameters")
    return [*found, *repeated_names(functions)]


def reference_violations(schema: Any, path: str) -> list[Violation]:
    """Finds references, which servers that keep no `$defs` cannot follow.

    Args:
        schema: The parameters of a function.
        path: The JSON pointer to them.
    """
    return [
        Violation(
            f"{where}/$ref",
            "reference",
            f"{quoted(str(part['$ref']))} cannot be followed; write out what it refers to",
        )
        for where, part in schema_parts(schema, path)
        if isinstance(part, Mapping) and "$ref" in part
    ]
