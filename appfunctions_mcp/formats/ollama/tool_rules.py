"""What Ollama's own API takes as the tools of a chat request, by its types in the source.

A name may be any text. Of a schema the server keeps a few keywords, each of a fixed kind; what
has another kind ends the whole request. Knows nothing of how tools are exported.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.mistral.tool_rules import reference_violations
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.openai_chat.tool_rules import Places, functions_in, inner_function
from appfunctions_mcp.formats.schema_rules import schema_parts, schema_rule_violations
from appfunctions_mcp.formats.tool_name_rules import repeated_names

__all__ = ["tool_violations"]


def tool_violations(tools: Any) -> list[Violation]:
    """Checks the member `tools` of a request; None is a request without tools.

    Args:
        tools: The value of the member, as it would be sent.
    """
    found: list[Violation] = []
    functions: Places = []
    for path, tool in functions_in(tools, found):
        if tool.get("type") != "function":
            text = "The type is not 'function'; no other one is accepted"
            found.append(Violation(f"{path}/type", "tool-type", text))
        functions += inner_function(tool, path, found)
    for path, function in functions:
        found += _function_violations(function, path)
    return [*found, *repeated_names(functions)]


def _function_violations(function: Mapping[str, Any], path: str) -> Iterator[Violation]:
    name = function.get("name")
    if not isinstance(name, str) or not name:
        text = "There is no name; accepted is text that is not empty"
        yield Violation(f"{path}/name", "tool-name", text)
    if not isinstance(function.get("description", ""), str):
        text = "The description is no string; accepted is a string, or no description"
        yield Violation(f"{path}/description", "tool-description", text)
    schema = function.get("parameters")
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        text = "The parameters are no object; accepted is a schema whose type is 'object'"
        yield Violation(f"{path}/parameters", "parameters-not-object", text)
        return
    if not isinstance(schema.get("properties"), Mapping):
        text = "The schema has no `properties`; a function without parameters has empty ones"
        yield Violation(f"{path}/parameters", "root-without-properties", text)
    yield from schema_rule_violations(schema, f"{path}/parameters")
    yield from reference_violations(schema, f"{path}/parameters")
    for where, part in schema_parts(schema, f"{path}/parameters"):
        if isinstance(part, Mapping) and "type" not in part:
            text = "No type is named, which the templates of models print"
            yield Violation(where, "untyped", text)
