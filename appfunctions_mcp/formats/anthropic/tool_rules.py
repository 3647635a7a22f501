"""Anthropic's documented rules for the tools of a Messages request.

Written from the documents of tool use, strict tool use and structured outputs, and from the
service's own messages where they say more; it knows nothing of how tools are exported. What a
newer API accepts besides, such as the tools that Anthropic itself runs, is let through.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.anthropic.strict_rules import (
    optional_parameters,
    strict_violations,
    union_parameters,
)
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import at
from appfunctions_mcp.formats.schema_rules import (
    schema_parts,
    schema_rule_violations,
)
from appfunctions_mcp.formats.tool_name_rules import repeated_names
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["tool_violations"]

MOST_STRICT_TOOLS = 20
MOST_OPTIONAL_PARAMETERS = 24
MOST_UNION_PARAMETERS = 16

_NAME = regex(r"[A-Za-z0-9_-]{1,128}\Z")
_PROPERTY_KEY = regex(r"[A-Za-z0-9_.-]{1,64}\Z")
_UNIONS = ("anyOf", "oneOf", "allOf")


def tool_violations(tools: Any) -> list[Violation]:
    """Checks the member `tools` of a request; None is a request without tools.

    Args:
        tools: The value of the member, as it would be sent.
    """
    if tools is None:
        return []
    if not isinstance(tools, list):
        return [Violation("", "tools-not-list", "`tools` is no list; accepted is a list of tools")]
    found: list[Violation] = []
    own: list[tuple[str, Mapping[str, Any]]] = []
    for place, tool in enumerate(tools):
        path = f"/{place}"
        if not isinstance(tool, Mapping):
            found.append(Violation(path, "tool-not-object", "A tool is an object"))
        elif tool.get("type") in (None, "custom"):
            own.append((path, tool))
    for path, tool in own:
        found += _tool_violations(tool, path)
    return [*found, *repeated_names(own), *_request_violations(own)]


def _tool_violations(tool: Mapping[str, Any], path: str) -> Iterator[Violation]:
    name = tool.get("name")
    if not isinstance(name, str) or not _NAME.match(name):
        text = (
            f"{quoted(str(name))} is not accepted; a name is 1 to 128 of the letters A to Z in "
            "both cases, digits, '_' and '-'"
        )
        yield Violation(f"{path}/name", "tool-name", text)
    if not isinstance(tool.get("description", ""), str):
        text = "The description is no string; accepted is a string, or no description"
        yield Violation(f"{path}/description", "tool-description", text)
    if not isinstance(tool.get("strict", False), bool):
        yield Violation(f"{path}/strict", "tool-strict", "`strict` is true, false or left out")
    schema = tool.get("input_schema")
    if not isinstance(schema, Mapping):
        text = "There is no input schema; accepted is an object whose type is 'object'"
        yield Violation(f"{path}/input_schema", "input-schema-missing", text)
        return
    yield from _schema_violations(schema, f"{path}/input_schema")
    if tool.get("strict") is True:
        yield from strict_violations(schema, f"{path}/input_schema")


def _schema_violations(schema: Mapping[str, Any], path: str) -> Iterator[Violation]:
    if schema.get("type") != "object":
        text = "The type of the whole schema is not 'object'; no other one is accepted"
        yield Violation(f"{path}/type", "root-not-object", text)
    for keyword in _UNIONS:
        if keyword in schema:
            text = f"{keyword!r} is not accepted at the top of a schema; put it in a property"
            yield Violation(f"{path}/{keyword}", "root-union", text)
    yield from schema_rule_violations(schema, path)
    for where, part in schema_parts(schema, path):
        properties = part.get("properties") if isinstance(part, Mapping) else None
        for key in properties if isinstance(properties, Mapping) else ():
            if not isinstance(key, str) or not _PROPERTY_KEY.match(key):
                text = (
                    f"{quoted(str(key))} is not accepted; the key of a property is 1 to 64 of the "
                    "letters A to Z in both cases, digits, '_', '.' and '-'"
                )
                yield Violation(at(where, "properties", str(key)), "property-key", text)


def _request_violations(tools: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Violation]:
    """What the strict tools of one request may have together."""
    strict = [tool.get("input_schema") for _, tool in tools if tool.get("strict") is True]
    schemas = [schema for schema in strict if isinstance(schema, Mapping)]
    for rule, number, most, what in (
        ("strict-tools", len(strict), MOST_STRICT_TOOLS, "strict tools"),
        (
            "strict-optional-parameters",
            sum(map(optional_parameters, schemas)),
            MOST_OPTIONAL_PARAMETERS,
            "parameters of strict tools that are not required",
        ),
        (
            "strict-union-parameters",
            sum(map(union_parameters, schemas)),
            MOST_UNION_PARAMETERS,
            "unions in the schemas of strict tools",
        ),
    ):
        if number > most:
            yield Violation("", rule, f"{number} {what}; at most {most} are accepted in a request")
