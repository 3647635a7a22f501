"""The tools of the servers that declare no Python functions: ready-made lists of plain JSON."""

from typing import Any

TEXT = {"type": "string"}
OPTIONAL_TEXT = {"type": ["string", "null"]}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _integer(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


NUMBER_RESULT = _object({"result": {"type": "integer"}}, ["result"])
NOTE = _object({"id": TEXT, "title": TEXT, "content": OPTIONAL_TEXT}, ["id", "title", "content"])
SUM_PARAMETERS = _object(
    {"a": _integer("The first number."), "b": _integer("The second number.")}, ["a", "b"]
)
NOTE_PARAMETERS = _object(
    {"title": _text("The title of the note."), "content": _text("The body text of the note.")},
    ["title"],
)


def _tool(
    name: str, description: str, parameters: dict[str, Any], result: dict[str, Any] | None
) -> dict[str, Any]:
    tool = {"name": name, "description": description, "inputSchema": parameters}
    return tool if result is None else {**tool, "outputSchema": result}


def _generated(number: int) -> dict[str, Any]:
    kind = number % 3
    if kind == 0:
        return _tool(
            f"add_{number}", f"Adds two integers of ledger {number}.", SUM_PARAMETERS, NUMBER_RESULT
        )
    if kind == 1:
        return _tool(
            f"create_note_{number}",
            f"Creates a note in notebook {number}.",
            NOTE_PARAMETERS,
            NOTE,
        )
    parameters = _object(
        {
            "note_id": _text("The ID of the note."),
            "title": _text("The new title, if any."),
            "tags": {"type": "array", "items": TEXT, "description": "All tags of the note."},
            "pinned": {"type": "boolean", "description": "Whether the note stays on top."},
        },
        ["note_id"],
    )
    return _tool(f"update_note_{number}", f"Changes a note in notebook {number}.", parameters, NOTE)


def tools(count: int) -> list[dict[str, Any]]:
    """`count` tools: the four that are called, then generated ones.

    Args:
        count: How many, 4 or more.
    """
    echo = _object({"text": _text("Any text.")}, ["text"])
    pause = _object({"milliseconds": _integer("How long.")}, ["milliseconds"])
    return [
        _tool("add", "Adds two integers.", SUM_PARAMETERS, NUMBER_RESULT),
        _tool("create_note", "Creates a note.", NOTE_PARAMETERS, NOTE),
        _tool("echo", "Returns the text.", echo, None),
        _tool("pause", "Blocks its thread for a while.", pause, NUMBER_RESULT),
        *map(_generated, range(4, count)),
    ]
