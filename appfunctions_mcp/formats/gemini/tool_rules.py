"""Gemini's documented rules for the tools of a generateContent request.

Written from the reference of FunctionDeclaration and Schema, and from the service's own messages
where they say more; it knows nothing of how tools are exported. The service reads members in
camel case and in snake case, and one object for a list of one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats.gemini.json_schema_rules import json_schema_violations
from appfunctions_mcp.formats.gemini.schema_rules import camel_case, schema_violations
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.tool_name_rules import repeated_names
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["tool_violations"]

MOST_DECLARATIONS = 512

_NAME = regex(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}\Z")
_DECLARATION = frozenset(
    {"name", "description", "behavior"}
    | {"parameters", "parametersJsonSchema", "response", "responseJsonSchema"}
)


def tool_violations(tools: Any) -> list[Violation]:
    """Checks the member `tools` of a request; None is a request without tools.

    Args:
        tools: The value of the member, as it would be sent.
    """
    if tools is None:
        return []
    if not isinstance(tools, list | Mapping):
        return [Violation("", "tools-not-list", "`tools` is no list; accepted is a list of tools")]
    found: list[Violation] = []
    declared = _declarations_in(tools, found)
    for where, declaration in declared:
        found += _declaration_violations(declaration, where)
    found += repeated_names(declared)
    if len(declared) > MOST_DECLARATIONS:
        text = f"{len(declared)} function declarations; at most {MOST_DECLARATIONS} are accepted"
        found.append(Violation("", "declarations", text))
    return found


def _declarations_in(tools: Any, found: list[Violation]) -> list[tuple[str, Mapping[str, Any]]]:
    """The declarations that are objects, with their pointers; what is none is found."""
    declared: list[tuple[str, Mapping[str, Any]]] = []
    for path, tool in _listed(tools, ""):
        if not isinstance(tool, Mapping):
            found.append(Violation(path, "tool-not-object", "A tool is an object"))
            continue
        for member in tool:
            if camel_case(member) != "functionDeclarations":
                continue
            for where, declaration in _listed(tool[member], f"{path}/{member}"):
                if isinstance(declaration, Mapping):
                    declared.append((where, declaration))
                else:
                    text = "A function declaration is an object"
                    found.append(Violation(where, "declaration-not-object", text))
    return declared


def _listed(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, list):
        return [(f"{path}/{place}", each) for place, each in enumerate(value)]
    return [(path, value)]


def _declaration_violations(declaration: Mapping[str, Any], path: str) -> Iterator[Violation]:
    read = {camel_case(member): (member, value) for member, value in declaration.items()}
    for member in read.keys() - _DECLARATION:
        text = f"{quoted(read[member][0])} is no member of a function declaration"
        yield Violation(f"{path}/{read[member][0]}", "unknown-member", text)
    name = declaration.get("name")
    if not isinstance(name, str) or not _NAME.match(name):
        text = (
            f"{quoted(str(name))} is not accepted; a name begins with a letter from A to Z or '_', "
            "and goes on with up to 63 of these, digits, '.', ':' and '-'"
        )
        yield Violation(f"{path}/name", "tool-name", text)
    if not isinstance(declaration.get("description", ""), str):
        text = "The description is no string; accepted is a string, or no description"
        yield Violation(f"{path}/description", "tool-description", text)
    for member, other in (
        ("parameters", "parametersJsonSchema"),
        ("response", "responseJsonSchema"),
    ):
        if member in read and other in read:
            text = f"`{member}` and `{other}` exclude each other"
            yield Violation(f"{path}/{read[other][0]}", "both-schemas", text)
        is_root = member == "parameters"
        if member in read:
            written, schema = read[member]
            yield from schema_violations(schema, f"{path}/{written}", is_root=is_root)
        if other in read:
            written, schema = read[other]
            yield from json_schema_violations(schema, f"{path}/{written}", is_root=is_root)
