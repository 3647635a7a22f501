"""OpenAI's documented rules for the tools of a Chat Completions request.

Written from the documents of function calling and structured outputs, and from the API's own
messages where they say more; it knows nothing of how tools are exported. Tools of other kinds
than functions are let through.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.openai_chat.strict_rules import strict_violations
from appfunctions_mcp.formats.schema_rules import schema_parts, schema_rule_violations
from appfunctions_mcp.formats.tool_name_rules import repeated_names
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = [
    "function_violations",
    "functions_in",
    "inner_function",
    "number_violations",
    "tool_violations",
]

MOST_TOOLS = 128
MOST_CHARACTERS = 1024
"""A limit of OpenAI-compatible endpoints (field case F26)."""

_NAME = regex(r"[A-Za-z0-9_-]{1,64}\Z")
_NOT_AT_ROOT = ("anyOf", "oneOf", "allOf", "not", "enum", "$ref")

Places = list[tuple[str, Mapping[str, Any]]]


def tool_violations(tools: Any) -> list[Violation]:
    """Checks the member `tools` of a request; None is a request without tools.

    Args:
        tools: The value of the member, as it would be sent.
    """
    found: list[Violation] = []
    functions: Places = []
    for path, tool in functions_in(tools, found):
        if tool.get("type") not in {"function", "custom"}:
            text = f"{quoted(str(tool.get('type')))} is not accepted; it is 'function' or 'custom'"
            found.append(Violation(f"{path}/type", "tool-type", text))
        if tool.get("type") == "custom":
            continue
        functions += inner_function(tool, path, found)
    for path, function in functions:
        found += function_violations(function, path)
    return [*found, *repeated_names(functions), *number_violations(tools, MOST_TOOLS)]


def functions_in(tools: Any, found: list[Violation]) -> Places:
    """The tools of a list that are objects, with their pointers.

    Args:
        tools: The member `tools`.
        found: Gets a violation for whatever is none.
    """
    if tools is None:
        return []
    if not isinstance(tools, list):
        text = "`tools` is no list; accepted is a list of tools"
        found.append(Violation("", "tools-not-list", text))
        return []
    if not tools:
        text = "`tools` is empty; it is left out where there are none"
        found.append(Violation("", "tools-empty", text))
    places = [(f"/{place}", tool) for place, tool in enumerate(tools)]
    found += [
        Violation(path, "tool-not-object", "A tool is an object")
        for path, tool in places
        if not isinstance(tool, Mapping)
    ]
    return [(path, tool) for path, tool in places if isinstance(tool, Mapping)]


def inner_function(tool: Mapping[str, Any], path: str, found: list[Violation]) -> Places:
    """The object `function` of a tool, with its pointer; nothing where there is none.

    Args:
        tool: The tool.
        path: The JSON pointer to it.
        found: Gets a violation where there is none.
    """
    function = tool.get("function")
    if isinstance(function, Mapping):
        return [(f"{path}/function", function)]
    text = "There is no object `function`, which holds name and parameters"
    found.append(Violation(f"{path}/function", "tool-function-missing", text))
    return []


def number_violations(tools: Any, most: int) -> Iterator[Violation]:
    """Checks how many tools a request has."""
    if isinstance(tools, list) and len(tools) > most:
        text = f"{len(tools)} tools; at most {most} are accepted in a request"
        yield Violation("", "tools-number", text)


def function_violations(function: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Checks name, description and schema of one function.

    Args:
        function: The object that has them.
        path: The JSON pointer to it.
    """
    name = function.get("name")
    if not isinstance(name, str) or not _NAME.match(name):
        text = (
            f"{quoted(str(name))} is not accepted; a name is 1 to 64 of the letters A to Z in "
            "both cases, digits, '_' and '-'"
        )
        yield Violation(f"{path}/name", "tool-name", text)
    description = function.get("description")
    if description is not None and not isinstance(description, str):
        text = "The description is no string; accepted is a string, or no description"
        yield Violation(f"{path}/description", "tool-description", text)
    elif description and len(description) > MOST_CHARACTERS:
        text = f"The description has {len(description)} characters; {MOST_CHARACTERS} are accepted"
        yield Violation(f"{path}/description", "tool-description-length", text)
    strict = function.get("strict")
    if not isinstance(strict, bool | None):
        yield Violation(f"{path}/strict", "tool-strict", "`strict` is true, false or left out")
    schema = function.get("parameters")
    if isinstance(schema, Mapping):
        yield from _schema_violations(schema, f"{path}/parameters")
        if strict is True:
            yield from strict_violations(schema, f"{path}/parameters")
    elif schema is not None or strict is True:
        text = "The parameters are no object; accepted is a schema whose type is 'object'"
        yield Violation(f"{path}/parameters", "parameters-not-object", text)


def _schema_violations(schema: Mapping[str, Any], path: str) -> Iterator[Violation]:
    if schema.get("type") != "object":
        text = "The type of the whole schema is not 'object'; no other one is accepted"
        yield Violation(f"{path}/type", "root-not-object", text)
    if not isinstance(schema.get("properties"), Mapping):
        text = "The schema has no `properties`; a function without parameters has empty ones"
        yield Violation(path, "root-without-properties", text)
    for keyword in _NOT_AT_ROOT:
        if keyword in schema:
            text = f"{keyword!r} is not accepted at the top of a schema; put it in a property"
            yield Violation(f"{path}/{keyword}", "root-union", text)
    yield from schema_rule_violations(schema, path)
    for where, part in schema_parts(schema, path):
        types = part.get("type") if isinstance(part, Mapping) else None
        if (types == "array" or (isinstance(types, list) and "array" in types)) and not isinstance(
            part.get("items"), Mapping
        ):
            text = "An array has no `items`; a schema of what it holds is accepted"
            yield Violation(where, "array-without-items", text)
