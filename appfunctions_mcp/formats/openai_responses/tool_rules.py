"""OpenAI's documented rules for the tools of a Responses request.

They are those of Chat Completions for tools that stand flat. Tools of other kinds than functions,
such as those that OpenAI itself runs, are let through.
"""

from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.openai_chat.tool_rules import (
    MOST_TOOLS,
    function_violations,
    functions_in,
    number_violations,
)
from appfunctions_mcp.formats.tool_name_rules import repeated_names

__all__ = ["tool_violations"]


def tool_violations(tools: Any) -> list[Violation]:
    """Checks the member `tools` of a request; None is a request without tools.

    Args:
        tools: The value of the member, as it would be sent.
    """
    found: list[Violation] = []
    functions = []
    for path, tool in functions_in(tools, found):
        if not isinstance(tool.get("type"), str):
            text = "The type is no string; accepted is 'function', or another kind of tool"
            found.append(Violation(f"{path}/type", "tool-type", text))
        elif tool["type"] == "function":
            functions.append((path, tool))
    for path, function in functions:
        if "function" in function:
            text = "`function` is the form of Chat Completions; here its members stand in the tool"
            found.append(Violation(f"{path}/function", "tool-nested", text))
        found += function_violations(function, path)
    return [*found, *repeated_names(functions), *number_violations(tools, MOST_TOOLS)]
