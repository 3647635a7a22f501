"""What tools of tests are written with in few lines."""

from typing import Any

__all__ = ["flag", "listed", "number", "text", "tool", "whole"]


def tool(
    name: str, description: str, /, *, hints: str = "", needs: str = "", **parameters: Any
) -> dict[str, Any]:
    """A tool; `hints` are the names of those that are true, `needs` what is required."""
    schema = {"type": "object", "properties": parameters, "required": needs.split()}
    all_hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    true = {f"{each}Hint" for each in hints.split()}
    annotations = {each: each in true for each in all_hints if hints}
    return {
        "name": name,
        "description": description,
        "inputSchema": schema,
        **({"annotations": annotations} if annotations else {}),
    }


def text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def whole(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": description, **more}


def number(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "number", "description": description, **more}


def flag(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "boolean", "description": description, **more}


def listed(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description, **more}
