"""Results of functions as `functionResponse` of Gemini's generateContent, both ways.

The documentation names two members: `output` for what a function gave, and `error`. A response
without them is what the function gave as a whole.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import json_text
from appfunctions_mcp.formats.call_writing import result_text
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.json_text import JsonTextError, read_json

__all__ = ["read_response", "response_of"]

_NAMED = frozenset({"output", "error"})


def response_of(result: FunctionResult) -> dict[str, Any]:
    """What stands for a result.

    Args:
        result: Where its text is its value as JSON, the value goes; else the text does.
    """
    text = result_text(result)
    if result.is_error:
        return {"error": text}
    value = result.structured
    if value is None or isinstance(value, str) or not _says(text, value):
        return {"output": text}
    is_whole = isinstance(value, Mapping) and value and not _NAMED & set(value)
    return dict(value) if is_whole else {"output": value}


def _says(text: str, value: Any) -> bool:
    try:
        said = read_json(text)
    except JsonTextError:
        return False
    # Compared as text, since 1, 1.0 and true are equal to each other.
    return json_text(said) == json_text(value)


def read_response(response: Any) -> tuple[str, Any, bool]:
    """The text of a response, its value where that is no text, and whether it is an error."""
    if isinstance(response, Mapping) and len(response) == 1 and "error" in response:
        return _text_of(response["error"]), None, True
    value = response
    if isinstance(response, Mapping) and len(response) == 1 and "output" in response:
        value = response["output"]
    return _text_of(value), None if isinstance(value, str) else value, False


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)
