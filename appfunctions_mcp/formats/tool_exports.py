"""What exporters do alike: the record of all tools, descriptions, keys, and notes of them.

Knows no provider.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.descriptions import described, shortened
from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
from appfunctions_mcp.formats.names import ExportedNameError
from appfunctions_mcp.formats.schema_trees import rebuilt, subschemas
from appfunctions_mcp.json_text import without_half_surrogates
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = [
    "changed_keys",
    "changed_name",
    "collected_tools",
    "description_within",
    "sendable",
    "told_in_words",
    "with_exported_keys",
]


def collected_tools(
    format_name: str,
    tools: Iterable[ExportedTool],
    value: Callable[[list[dict[str, Any]]], Any],
    rename: Callable[[str], str],
    notes: Sequence[str] = (),
) -> ExportedTools:
    """All tools of a request, findable by both of their names.

    Args:
        format_name: The format's name.
        tools: Each in the format's form.
        value: Makes the member `tools` of their values; not asked where there are none.
        rename: The exported name of any name.
        notes: What concerns all of them.
    """
    listed = tuple(tools)
    return ExportedTools(
        format=format_name,
        tools=listed,
        value=value([tool.value for tool in listed]) if listed else None,
        rename=rename,
        notes=tuple(notes),
        by_name={tool.name: tool for tool in listed},
        by_exported_name={tool.exported_name: tool for tool in listed},
    )


def with_exported_keys(schema: JsonSchema, exported_key: Callable[[str], str]) -> JsonSchema:
    """A plain schema whose properties have the keys that a provider accepts.

    Args:
        schema: In the plain form.
        exported_key: The exported key of any key.

    Raises:
        ExportedNameError: Two properties of one object would have one key; names both.
    """

    def renamed(part: JsonSchema) -> JsonSchema:
        if "properties" not in part:
            return part
        keys: dict[str, str] = {}
        for name in part["properties"]:
            key = exported_key(name)
            if key in keys:
                raise ExportedNameError(
                    f"the properties {quoted(keys[key])} and {quoted(name)} would both be "
                    f"{quoted(key)} at the provider; rename one of them"
                )
            keys[key] = name
        part["properties"] = {key: part["properties"][name] for key, name in keys.items()}
        if "required" in part:
            part["required"] = [exported_key(name) for name in part["required"]]
        return part

    return rebuilt(schema, renamed)


def changed_keys(schema: JsonSchema, exported_key: Callable[[str], str]) -> str:
    """A note of the properties of a plain schema that have another key; empty where none has."""
    parts = (part for _, part in subschemas(schema))
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    changed = [quoted(name) for name in names if exported_key(name) != name]
    return f"Other keys stand for {', '.join(changed)}" if changed else ""


def sendable(value: Any) -> Any:
    """A tool as UTF-8 holds it; half a surrogate in a foreign text becomes U+FFFD.

    Args:
        value: A JSON value whose keys have no such halves.
    """
    if isinstance(value, str):
        return without_half_surrogates(value)
    if isinstance(value, Mapping):
        return {name: sendable(each) for name, each in value.items()}
    return [sendable(each) for each in value] if isinstance(value, list | tuple) else value


def changed_name(name: str, exported: str) -> list[str]:
    """A note of a function's other name at the provider; none where it is the same."""
    return [f"The provider does not accept the name; it is {exported} there"] * (name != exported)


def told_in_words(keywords: Sequence[str]) -> str:
    """A note of limits that are in descriptions, since the provider's schemas do not have them."""
    return (
        f"Told in descriptions, where schemas of the provider have no room: {', '.join(keywords)}"
    )


def description_within(function: AppFunctionMetadata, most: int, notes: list[str]) -> str:
    """A function's description of at most so many characters.

    Args:
        function: What is described.
        most: How many characters are sent at most.
        notes: Gets a sentence where it is cut.
    """
    whole = described(function)
    if len(whole) > most:
        notes.append(f"The description has {len(whole):,} characters and is cut to {most:,}")
    return shortened(whole, most)
