"""Tools that examples of rules are made of, with nothing wrong but what an example is about."""

from typing import Any

__all__ = ["example_tool"]

_RESULT = {
    "type": "object",
    "properties": {"id": {"type": "string", "description": 'The note\'s ID, such as "note-12".'}},
    "required": ["id"],
    "additionalProperties": False,
}


def example_tool(
    name: str = "create_note",
    description: str = "Creates a note and returns its ID.",
    *,
    parameters: dict[str, Any] | None = None,
    destructive: bool = False,
    **members: Any,
) -> dict[str, Any]:
    """A tool as MCP servers list it.

    Args:
        name: Its name.
        description: What it says of itself.
        parameters: Schemas by name, all required; None for a note's title.
        destructive: Its hint.
        members: What else it has, or has otherwise.
    """
    title = {"type": "string", "description": "The note's title.", "minLength": 1}
    properties = {"title": title} if parameters is None else parameters
    tool: dict[str, Any] = {
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        },
        "outputSchema": _RESULT,
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": destructive,
            "idempotentHint": False,
            "openWorldHint": False,
        },
    }
    return tool | members
