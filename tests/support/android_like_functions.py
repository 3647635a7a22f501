"""Functions that say of themselves what Android knows and MCP has no word for."""

from appfunctions_mcp import (
    AppFunctionAccessLevel,
    AppFunctionSchema,
    AppFunctionScope,
    app_function,
)


@app_function(
    schema=AppFunctionSchema("notes", "createNote", 2),
    access_level=AppFunctionAccessLevel.SYSTEM,
    deprecated="use create_page",
)
def create_note(title: str) -> str:
    """Creates a note.

    Args:
        title: The title.
    """
    return title


@app_function(scope=AppFunctionScope.ACTIVITY)
def zoom(factor: float) -> str:
    """Zooms the picture of a window.

    Args:
        factor: How much.
    """
    return f"x{factor}"
